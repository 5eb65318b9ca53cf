"""Test fests whose truth is known: programs are expressions, which are also evaluated here."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.suites import write_program, write_suite

from harness.fest.events import FestEvent, Role, Ruling, Submitted
from harness.fest.scores import FestResults, FestScores
from harness.model.events import RunEnded, RunResult, RunStarted
from harness.model.verdict import Verdict

STARTED = RunStarted("0", "now", (), 0, 1)
ENDED = RunEnded({}, 0.0, 0)

# The specification: sum, product or maximum of two numbers; "any" may return either of them.
RIGHT = "{'add': a + b, 'mul': a * b, 'max': max(a, b), 'any': a}[op]"

# Without the site packages and json, Python starts in a third of the time. The inputs and outputs
# are the same in Python and in JSON.
_PROGRAM = f"""#!{sys.executable} -SI
op, a, b = eval(input())
print({{}})
"""

Case = tuple[str, int, int, Any]  # the input, and the expected output


@dataclass(frozen=True)
class World:
    """Wheats, chaffs and programs as expressions in op, a and b, and the suites of teams."""

    wheats: Mapping[str, str]
    chaffs: Mapping[str, str]
    programs: Mapping[str, str]
    suites: Mapping[str, Sequence[Case]]
    rulings: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the fest into a folder, with its fest.toml."""
        kinds = {"wheats": self.wheats, "chaffs": self.chaffs, "teams": self.programs}
        for kind, programs in kinds.items():
            for name, expression in programs.items():
                write_program(folder / kind / name / "solve", _PROGRAM.format(expression))
        for team, cases in self.suites.items():
            texts = {
                str(number): (json.dumps(case[:3]), json.dumps(case[3]))
                for number, case in enumerate(cases, 1)
            }
            write_suite(folder / "tests" / team, texts)
        rulings = (
            f'\n[[ruling]]\nteam = "{team}"\ncase = "{case}"\nstatus = "{status}"\n'
            for (team, case), status in self.rulings.items()
        )
        (folder / "fest.toml").write_text(
            'tests = "tests/*"\nsubjects = "teams/*"\nwheats = "wheats/*"\nchaffs = "chaffs/*"\n'
            + "".join(rulings),
            "utf-8",
        )
        return folder

    def status(self, team: str, number: int) -> str:
        if (team, str(number)) in self.rulings:
            return self.rulings[team, str(number)]
        case = self.suites[team][number - 1]
        answers = [answer(each, case) for each in self.wheats.values()]
        if all(each == case[3] for each in answers):
            return "valid"
        return "contested" if any(each != answers[0] for each in answers) else "invalid"

    def scores(self) -> dict[str, dict[str, str]]:
        """Return the row of scores.csv of each team, from the definitions."""
        return {team: self._score(team) for team in dict.fromkeys((*self.suites, *self.programs))}

    def _valid(self, team: str) -> list[Case]:
        suite = self.suites.get(team, ())
        return [case for n, case in enumerate(suite, 1) if self.status(team, n) == "valid"]

    def _score(self, team: str) -> dict[str, str]:
        suite = self.suites.get(team, ())
        statuses = [self.status(team, number) for number in range(1, len(suite) + 1)]
        valid = statuses.count("valid")
        everyone = [case for each in self.suites for case in self._valid(each)]
        catchable = _caught(self.chaffs.values(), everyone)
        caught = _caught(self.chaffs.values(), self._valid(team))
        others = [case for each in self.suites if each != team for case in self._valid(each)]
        program = self.programs.get(team, "None")
        passed = sum(answer(program, case) == case[3] for case in others)
        row = {
            **{"team": team, "submitted": len(suite), "valid": valid},
            **{name: statuses.count(name) for name in ("contested", "invalid")},
            "validity": _share(valid, len(suite)),
            "thoroughness": _share(len(caught), len(catchable)),
            "contribution": self._contribution(team, everyone),
            **{"program_passed": passed, "program_total": len(others)},
            "program": _share(passed, len(others)),
        }
        return {name: str(value) for name, value in row.items()}

    def _contribution(self, team: str, everyone: Sequence[Case]) -> Fraction:
        bugs: dict[tuple[bool, ...], list[str]] = {}
        for name, expression in self.programs.items():
            vector = tuple(answer(expression, case) != case[3] for case in everyone)
            if any(vector):
                bugs.setdefault(vector, []).append(name)
        total = Fraction(0)
        for names in bugs.values():
            catching = [
                suite
                for suite in self.suites
                if any(
                    name != suite and answer(self.programs[name], case) != case[3]
                    for name in names
                    for case in self._valid(suite)
                )
            ]
            if team in catching:
                total += Fraction(1, len(catching))
        return total


def scores_of(events: Iterable[FestEvent], *rulings: Ruling) -> FestScores:
    results = FestResults()
    for event in events:
        results.add(event)
    return FestScores(results, rulings)


def judged(
    case: Submitted, role: Role, program: str, verdict: Verdict, message: str = "", **facts: Any
) -> RunResult:
    """Return the result of a run of a program on a case."""
    names = case.team, case.case, role.subject(program), "plain"
    return RunResult(*names, verdict, message, content=case.content or "", **facts)


def answer(expression: str, case: Case) -> Any:
    """Return what a program prints for the input of a case; a crash equals no JSON value."""
    names = dict(zip(("op", "a", "b"), case, strict=False))
    try:
        return eval(expression, {}, names)  # pylint: disable=eval-used  # the test's own text
    except (LookupError, ArithmeticError):
        return ...


def _caught(programs: Any, cases: Sequence[Case]) -> list[str]:
    return [each for each in programs if any(answer(each, case) != case[3] for case in cases)]


def _share(part: int, whole: int) -> str:
    return str(Fraction(part, whole)) if whole else ""
