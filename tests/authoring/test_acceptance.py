"""Proposals for expected outputs, and rejections, from made-up transcripts."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.authoring.acceptance import OutputLayout, Proposal, propose
from harness.jsonio.fast import decode
from harness.model.case import Case, ExitRange, InputKind, Policy
from harness.model.comparison import Comparison
from harness.model.limits import Limit
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.runner.request import Check

NONZERO = Policy(exit=ExitRange(1, 255))


def case(expected: str, policy: Policy = Policy()) -> Case:
    text = expected.encode()
    return Case("s", "1", b"", text, decode(text).values, policy=policy)


def ran(stdout: str, status: int = 0) -> Transcript:
    text = stdout.encode()
    return Transcript(Exited(status), text, stdout_bytes=len(text), first_byte_s=0.1)


def propose_for(
    one: Case, printed: Transcript, layout: OutputLayout | None = None, **options: bool
) -> Proposal:
    proposal = propose(one, printed, None, layout=layout, **{"is_new": False, **options})
    assert isinstance(proposal, Proposal)
    return proposal


def rejection(one: Case, printed: Transcript, check: Check | None = None) -> str:
    found = propose(one, printed, check, layout=None, is_new=False)
    assert isinstance(found, str)
    return found


def test_an_equal_output_changes_nothing() -> None:
    one = case('{"m": 1}', Policy(Comparison(ignore=("/0/m",))))
    assert propose(one, ran('{"m":2}'), None, layout=None, is_new=False) is None


def test_a_file_keeps_its_layout_and_values_their_spelling(golden: Golden) -> None:
    def written(example: tuple[str, str, str]) -> str:
        expected, printed, layout = example
        chosen = OutputLayout(layout) if layout else None
        return repr(propose_for(case(expected), ran(printed), chosen).text.decode())

    check_table(golden, __file__, "layouts.txt", written)


@pytest.mark.parametrize(
    ("transcript", "reason"),
    [
        (Transcript(NotStarted("no such file")), "not-started: "),
        (Transcript(Signalled(11), b"2"), "crashed: "),
        (Transcript(Signalled(9), b"2", stdout_bytes=1, limit=Limit.OUTPUT), "output-limit: "),
        (ran("1", 3), "the exit status is 3, not 0"),
    ],
)
def test_a_run_that_failed_otherwise_is_rejected(transcript: Transcript, reason: str) -> None:
    assert rejection(case("1"), transcript).startswith(reason)


def test_the_exit_status_is_that_of_the_case() -> None:
    assert rejection(case("1", NONZERO), ran("2", 0)) == "the exit status is 0, not nonzero"
    assert propose_for(case("1", NONZERO), ran("2", 7)).text == b"2\n"


def test_an_output_that_violates_the_schema_is_rejected() -> None:
    def check(each: Case) -> str:
        assert each.kind is InputKind.RAW  # the input is not validated again
        return "the expected output is too long" if len(each.expected) > 1 else ""

    assert isinstance(propose(case("1"), ran("2"), check, layout=None, is_new=False), Proposal)
    assert rejection(case("1"), ran("2 3"), check) == "its output is too long"


def test_a_new_case_gets_any_output() -> None:
    proposal = propose_for(case(""), ran("1 2"), is_new=True)
    assert (proposal.text, proposal.message) == (b"1\n2\n", "2 values printed")
    assert (proposal.evidence, proposal.lines) == (None, ("1", "2"))
    assert propose_for(case(""), ran(""), is_new=True).text == b""


def test_new_values_are_listed_and_shortened() -> None:
    zeros = ran("0 " * 12)
    lines = propose_for(case(""), zeros, is_new=True).lines
    assert lines == (*["0"] * 10, "… and 2 more (--full shows them)")
    assert propose_for(case(""), zeros, is_new=True, full=True).lines == ("0",) * 12
    assert propose_for(case(""), ran("0 " * 10), is_new=True).lines == ("0",) * 10
    new = propose_for(case(""), ran('"\\u0007\u200b" 2'), is_new=True)
    assert new.lines == (r'"\u0007<U+200B>"', "2")
