"""Collect what several documents on a fest show: bugs, contested cases, and texts of streams.

Pure. Texts are as they are; each format escapes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from harness.analysis.fest import Bug, CaseScore, FestScores
from harness.model.events import Excerpt
from harness.model.fest import Role, Submitted, WheatAnswer
from harness.model.verdict import FactEnum
from harness.text import escape_nonprintable, truncate

_SHOWN: Final = 400  # characters of an input or an output


class Reveal(FactEnum):
    """The content of the page of a team; each level shows what those before it do, too."""

    description: str

    SCORES = "scores", "scores, and the status of its own cases"
    CASES = "cases", "also the names of the cases that its program fails"
    INPUTS = "inputs", "also their inputs and expected outputs, and why its cases are invalid"

    def shows(self, level: Reveal) -> bool:
        """Return whether pages show what this level adds."""
        levels = list(Reveal)
        return levels.index(self) >= levels.index(level)


REVEALED: Final = "; ".join(f"{each.value}: {each.description}" for each in Reveal)


class Contested(NamedTuple):
    """An input on which the wheats disagree, their answers, and what teams expect."""

    input: str
    answers: list[tuple[str, str]]  # the names of wheats, and what they print
    expected: list[tuple[str, str, str]]  # a case, its status, what it expects


class ShownBug(NamedTuple):
    """A bug, and its smallest case: the name, input, expected output, and what was printed."""

    bug: Bug
    case: str
    input: str
    expected: str
    printed: str


def excerpt_text(excerpt: Excerpt | None) -> str:
    """Return a text of one line, or a phrase if there is none."""
    if excerpt is None:
        return "(no answer within the limits)"
    text = excerpt.data.decode("utf-8", "backslashreplace").strip()
    return truncate(escape_nonprintable(text), _SHOWN) or "(nothing)"


def cases_by_team(scores: FestScores) -> dict[str, list[CaseScore]]:
    cases: dict[str, list[CaseScore]] = {team: [] for team in scores.results.teams}
    for case in scores.cases:
        cases[case.case.team].append(case)
    return cases


def contested(scores: FestScores) -> Iterator[Contested]:
    """Yield the inputs on which the wheats disagree."""
    by_input: dict[str | None, list[CaseScore]] = {}
    for case in scores.cases:
        by_input.setdefault(case.case.input, []).append(case)
    for given, difference in scores.results.disagreements.items():
        if cases := by_input.get(given):
            yield Contested(
                excerpt_text(cases[0].case.stdin),
                [(", ".join(answer.wheats), _answer_text(answer)) for answer in difference.answers],
                [
                    (_case_name(each.case), each.status.value, excerpt_text(each.case.stdout))
                    for each in cases
                ],
            )


def _answer_text(answer: WheatAnswer) -> str:
    text = excerpt_text(answer.stdout)
    return f"{text} (exit status {answer.exit})" if answer.exit else text


def _case_name(case: Submitted) -> str:
    return f"{case.team}/{case.case}"


def shown_bugs(scores: FestScores) -> Iterator[ShownBug]:
    """Yield the bugs with their smallest cases."""
    for bug in scores.bugs:
        case = bug.smallest.case
        answer = scores.results.answer(Role.TEAM, bug.programs[0], case)
        verdict = scores.results.verdict(Role.TEAM, bug.programs[0], case)
        printed = "(nothing)" if answer is None else excerpt_text(answer.stdout)
        yield ShownBug(
            *(bug, _case_name(case), excerpt_text(case.stdin), excerpt_text(case.stdout)),
            f"{printed} ({verdict.value})" if verdict is not None else printed,
        )
