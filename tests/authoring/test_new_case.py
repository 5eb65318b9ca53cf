"""A new case before it is written: its name, its faults and its preview."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.suites import parse_settings

from harness.authoring.new_case import (
    CaseDraft,
    draft_case,
    needed_settings,
    next_name,
    output_fault,
    preview_lines,
)
from harness.errors import UsageError
from harness.model.case import ExitRange, InputKind, Policy
from harness.model.case_names import CaseName
from harness.model.transcript import Exited, Transcript


def draft(stdin: bytes = b"1", kind: InputKind = InputKind.JSON) -> CaseDraft:
    return CaseDraft(CaseName("", 7), "7", stdin, kind, Policy())


def test_the_next_number_follows_the_last_one(golden: Golden) -> None:
    def next_label(example: tuple[str, list[str]]) -> str:
        prefix, labels = example
        heads = [text.rpartition("-") for text in labels]
        names = [CaseName(head, int(number)) for head, _, number in heads]
        name, label = next_name(prefix, names, labels)
        assert name == CaseName(prefix, int(label.rpartition("-")[2]))
        return label

    golden.table("next_name.txt", next_label)


@pytest.mark.parametrize("prefix", ["a/b", ".hidden", "a\nb", "\udcff", "a\x00", "../up"])
def test_a_prefix_that_files_cannot_have_is_rejected(prefix: str) -> None:
    with pytest.raises(UsageError, match="^--prefix .*: must be printable text"):
        next_name(prefix, [], [])


def test_a_name_too_long_for_a_file_is_rejected() -> None:
    assert next_name("x" * 244, [], [])[0].number == 1
    with pytest.raises(UsageError, match="too long for a file name"):
        next_name("x" * 245, [], [])


def test_well_formed_output_can_be_expected() -> None:
    for printed in (b"", b" \n", b"1", b"[1]\n2"):
        assert output_fault(Transcript(Exited(0), printed), draft()) == ""


def test_a_preview_shows_the_beginning_of_long_files() -> None:
    stdin = b"".join(b"%d\n" % number for number in range(50))
    lines = list(preview_lines("s", "cat", draft(stdin), b"x" * 999 + b"\xff"))
    assert lines[:3] == ["s/7, with the output of cat", "  input     7-in.json, 140 bytes", "    0"]
    assert lines[21:] == [
        "    19",
        "    … and 30 more lines",
        "  expected  7-out.json, 1,000 bytes",
        f"    {'x' * 159}…",
    ]


def test_options_replace_the_settings_and_advice_says_so() -> None:
    settings = parse_settings('[[cases]]\nmatch = "7"\ninput = "raw"\nexit = 1\n')
    place = (CaseName("", 7), "7")
    usual = draft_case(settings, *place, b"", kind=None, exit_status=None)
    assert (usual.kind, usual.policy.exit) == (InputKind.RAW, ExitRange(1, 1))
    assert not needed_settings(settings, usual)
    other = draft_case(settings, *place, b"", kind=InputKind.OFF_SCHEMA, exit_status=0)
    assert (other.kind, other.policy.exit) == (InputKind.OFF_SCHEMA, ExitRange(0, 0))
    assert needed_settings(settings, other)[2:] == ("exit = 0", 'input = "off-schema"')
    ranged = draft_case(settings, CaseName("40", 59), "40-59", b"", kind=None, exit_status=5)
    assert needed_settings(settings, ranged) == ("[[cases]]", 'match = "[4]0-59"', "exit = 5")
