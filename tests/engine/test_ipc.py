"""Events between processes of xtest's own: what comes out is what went in."""

from __future__ import annotations

import pytest
from support.events import DIFFERS, STREAM, run

from harness.engine.ipc import CaseEvent, RecordSerializer, pack_events, unpack_events
from harness.jsonio.decoder import Json, Number, encode
from harness.model.dialogue import Action, Step
from harness.model.events import DependsOnOrder, Event, RunResult, SessionsEnded
from harness.model.verdict import Verdict

FULL = run(
    *("bad-7", Verdict.PASSED),
    suite="s\udcff",
    delivery="slow",
    first_byte_s=0.1,
    peak_mib=9.25,
    processes=2,
    stdout_bytes=3,
    stderr_bytes=4,
    tags=("a", "b"),
)


@pytest.mark.parametrize(
    "event",
    [
        *STREAM[1:-1],  # begin and end of a run do not travel
        FULL,
        DIFFERS._replace(stdout_bytes=70_000),
        DependsOnOrder("s/2", "cat", "1", "it passes with case 1", ("xtest", "run", "s")),
        SessionsEnded("cat", "stream", 2, 30, 4, 5, 1, 7, "a pass was not repeated", ("hello",)),
    ],
)
def test_an_event_comes_out_as_it_went_in(event: Event) -> None:
    step = CaseEvent(7, event, is_last=False)
    (message,) = pack_events([step])
    (came,) = unpack_events(message)
    assert (came, type(came.event)) == (step, type(event))
    if isinstance(came.event, RunResult):
        assert isinstance(came.event.verdict, Verdict)


def test_passes_in_a_row_share_messages_and_keep_their_order() -> None:
    passes = [
        CaseEvent(number, run(str(number), stdout_bytes=number // 10), is_last=number != 90)
        for number in range(200)
    ]
    steps = [*passes[:150], CaseEvent(150, DIFFERS, is_last=True), *passes[151:]]
    messages = list(pack_events(steps))
    assert len(messages) == 5  # 64, 64, 22, the failure, 49
    came = [each for message in messages for each in unpack_events(message)]
    assert came == steps
    assert {type(each.event) for each in came} == {RunResult}
    assert len(b"".join(messages)) < 100 * len(steps)


def test_json_values_of_any_depth_come_out_as_they_went_in() -> None:
    deep: Json = []
    for _ in range(5_000):
        deep = [deep]
    message: Json = {"a": Number("1e400"), "\ud800": [None, True, "\ud800"], "": {}}
    records = RecordSerializer(Step, Action, Number)
    for values in ((message, Number("-0"), "text", None), (deep,)):
        came = records.unpack(records.pack(Step(Action.EXPECT_ALL, values)))
        assert came.action is Action.EXPECT_ALL
        assert list(map(encode, came.values)) == list(map(encode, values))
