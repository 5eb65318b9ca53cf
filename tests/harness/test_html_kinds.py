"""Kinds of runs in the HTML report: what is alike has one number."""

from __future__ import annotations

from harness.documents.html_kinds import Kinds
from harness.events import Judged, Known
from harness.records import Verdict


def run(verdict: Verdict, message: str, known: Known | None = None) -> Judged:
    """A run with a message."""
    return Judged("s", "1", "./p", "plain", verdict, message, known=known)


def test_what_fell_short_alike_is_of_one_kind() -> None:
    kinds = Kinds()
    events = [
        run(Verdict.SILENT, "nothing printed within 10 s (0.1 s of processor time)"),
        run(Verdict.CRASHED, "ended by SIGSEGV"),
        run(Verdict.SILENT, "nothing printed within 10 s (0.2 s of processor time)"),
        run(Verdict.INVALID_CASE, "no such file"),
    ]
    assert [kinds.number_of(event) for event in events] == [0, 1, 0, 2]
    assert list(kinds) == [
        ("silent", "nothing printed within 10 s"),
        ("crashed", "ended by SIGSEGV"),
        ("invalid-case", "no such file"),
    ]


def test_what_is_as_it_should_be_is_of_no_kind() -> None:
    kinds = Kinds()
    known = run(Verdict.CRASHED, "ended by SIGSEGV", Known("ties"))
    assert kinds.number_of(run(Verdict.PASSED, "")) is None
    assert kinds.number_of(known) is None
    assert not list(kinds)


def test_a_known_failure_that_passes_says_what_is_wrong_with_it() -> None:
    kinds = Kinds()
    assert kinds.number_of(run(Verdict.PASSED, "", Known("ties", holds=False))) == 0
    assert list(kinds) == [("passed", "but it is listed as a known failure")]


def test_only_so_many_kinds_are_told_apart() -> None:
    kinds = Kinds()
    numbers = [kinds.number_of(run(Verdict.CRASHED, f"way {way}")) for way in range(502)]
    assert numbers[498:] == [498, 499, 500, 500]
    assert list(kinds)[500] == ("", "in other ways")
    assert kinds.number_of(run(Verdict.CRASHED, "way 7")) == 7
