"""Lines of a conversation in a narrow terminal."""

from __future__ import annotations

from harness.model.dialogue import EntryKind
from harness.model.judgement import ShownMessage
from harness.reports.text.dialogue import dialogue_lines
from harness.reports.text.display import Display


def test_a_long_message_leaves_room_for_what_is_said_of_it() -> None:
    message = ShownMessage(
        EntryKind.MISSING, 3.0, "4", '{"result": "a long text"}' * 9, failed=True
    )
    (line,) = dialogue_lines([message], Display(width=60))
    assert len(line) <= 60
    assert line.endswith('{"result": …  (did not come)')
