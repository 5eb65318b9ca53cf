"""Proposals for expected outputs, and rejections, from made-up transcripts."""

from __future__ import annotations

from support.cases import case_of, printed
from support.golden import Golden

from harness.authoring.acceptance import OutputLayout, Proposal, propose
from harness.engine.request import Check
from harness.errors import Refused
from harness.model.case import NONZERO, Case, InputKind, Policy
from harness.model.transcript import Exited, Transcript

FAILING = Policy(exit=NONZERO)


def case(expected: str, policy: Policy = Policy()) -> Case:
    return case_of(expected.encode(), policy=policy)


def ran(stdout: str, status: int = 0) -> Transcript:
    return printed(stdout, Exited(status))


def propose_for(
    one: Case, run: Transcript, layout: OutputLayout | None = None, **options: bool
) -> Proposal:
    proposal = propose(one, run, None, layout=layout, **{"is_new": False, **options})
    assert isinstance(proposal, Proposal)
    return proposal


def rejection(one: Case, run: Transcript, check: Check | None = None) -> str:
    found = propose(one, run, check, layout=None, is_new=False)
    assert isinstance(found, Refused)
    return found.reason


def test_a_file_keeps_its_layout_and_values_their_spelling(golden: Golden) -> None:
    def written(example: tuple[str, str, str]) -> str:
        expected, stdout, layout = example
        chosen = OutputLayout(layout) if layout else None
        return repr(propose_for(case(expected), ran(stdout), chosen).text.decode())

    golden.table("layouts.txt", written)


def test_the_exit_status_is_that_of_the_case() -> None:
    assert rejection(case("1", FAILING), ran("2", 0)) == "the exit status is 0, not nonzero"
    assert propose_for(case("1", FAILING), ran("2", 7)).text == b"2\n"


def test_an_output_that_violates_the_schema_is_rejected() -> None:
    def check(each: Case) -> str:
        assert each.kind is InputKind.RAW  # the input is not validated again
        return "the expected output is too long" if len(each.expected) > 1 else ""

    assert isinstance(propose(case("1"), ran("2"), check, layout=None, is_new=False), Proposal)
    assert rejection(case("1"), ran("2 3"), check) == "its output is too long"


def test_a_new_case_gets_any_output_and_its_values_are_listed_and_shortened() -> None:
    def proposed(stdout: str, *, full: bool = False) -> Proposal:
        return propose_for(case(""), ran(stdout), is_new=True, full=full)

    assert (proposed("").text, proposed("1 2").evidence) == (b"", None)
    assert proposed("0 " * 10).lines == ("0",) * 10
    assert proposed("0 " * 12).lines == (*["0"] * 10, "… and 2 more (--full shows them)")
    assert proposed("0 " * 12, full=True).lines == ("0",) * 12
    assert proposed('"\\u0007\u200b" 2').lines == (r'"\u0007<U+200B>"', "2")
