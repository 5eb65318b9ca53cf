"""Scores of random fests are those of the definitions, without running a program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from support.fest import ENDED, RIGHT, STARTED, Case, World, answer, judged, scores_of
from support.json_texts import SEEDS

from harness.fest.events import (
    CaseStatus,
    Duplicates,
    FestEvent,
    FestPlan,
    FestProgram,
    Role,
    Submitted,
    WheatAnswer,
    WheatsDiffer,
)
from harness.model.events import RunResult
from harness.model.verdict import Verdict

PROGRAMS = (
    *(RIGHT, RIGHT.replace("'any': a", "'any': b"), RIGHT.replace("a * b", "abs(a * b)")),
    *(RIGHT.replace("max(a, b)", "a"), RIGHT.replace("'add': a + b, ", ""), "None"),
)
OPERATORS = ("add", "mul", "max", "any")
TEAMS = ("ann", "bob", "cid", "dee")


def random_world(seed: int) -> World:
    """Return a fest; a strategy would draw its many small parts one by one, which takes long."""
    random = Random(seed)

    def programs(names: Sequence[str], least: int, kinds: Sequence[str]) -> dict[str, str]:
        chosen = random.sample(names, random.randint(least, len(names)))
        return {name: random.choice(kinds) for name in chosen}

    def case() -> Case:
        op, a, b = random.choice(OPERATORS), random.randint(-2, 2), random.randint(-2, 2)
        right = answer(RIGHT, (op, a, b, None))
        return (op, a, b, random.choice([right] * 3 + [0, 1]))

    teams = random.sample(TEAMS, random.randint(1, len(TEAMS)))
    return World(
        wheats=programs(("w", "v"), 1, PROGRAMS[:2]),
        chaffs=programs(("x", "y"), 0, PROGRAMS),
        programs=programs(TEAMS, 1, PROGRAMS),
        suites={team: [case() for _ in range(random.randint(0, 4))] for team in teams},
    )


def events_of(world: World) -> Iterator[FestEvent]:
    """Yield the events that running a world would give."""
    roles = {Role.WHEAT: world.wheats, Role.CHAFF: world.chaffs, Role.TEAM: world.programs}
    programs = [(name, role, text) for role, each in roles.items() for name, text in each.items()]
    yield STARTED
    yield FestPlan(
        tuple(dict.fromkeys((*world.suites, *world.programs))),
        Duplicates.EACH,
        tuple(FestProgram(*each[:2], "k") for each in programs),
        (),
    )
    inputs: dict[str, list[tuple[Submitted, Case]]] = {}
    for team, suite in world.suites.items():
        for number, case in enumerate(suite, 1):
            digest = json.dumps(case[:3])
            submitted = Submitted(team, str(number), digest, json.dumps(case))
            inputs.setdefault(digest, []).append((submitted, case))
            yield submitted
    for digest, cases in inputs.items():
        if len({answer(text, cases[0][1]) for text in world.wheats.values()}) > 1:
            yield WheatsDiffer(digest, (WheatAnswer(("w",)), WheatAnswer(("v",))))
        for name, role, text in programs:
            for submitted, case in cases:
                verdict = verdict_of(text, case)
                yield judged(submitted, role, name, verdict, "1 difference", exit=0)
    yield ENDED


def verdict_of(program: str, case: Case) -> Verdict:
    return Verdict.PASSED if answer(program, case) == case[3] else Verdict.DIFFERS


@given(SEEDS)
def test_scores_are_those_of_the_definitions(seed: int) -> None:
    world = random_world(seed)
    scores = scores_of(events_of(world))
    found = {
        each.team: {k: "" if v is None else str(v) for k, v in each._asdict().items()}
        for each in scores.teams
    }
    assert found == world.scores()
    for each in scores.cases:
        assert each.status.value == world.status(each.case.team, int(each.case.case))


def test_of_several_runs_of_a_wheat_each_must_pass() -> None:
    world = World({"w": RIGHT}, {}, {"ann": RIGHT}, {"ann": [("add", 1, 1, 2)]})
    events = list(events_of(world))
    (run,) = (one for one in events if isinstance(one, RunResult) and one.subject == "wheat w")
    again = run._replace(verdict=Verdict.CRASHED, message="killed by SIGSEGV"), run
    (case,) = scores_of([*events, *again]).cases
    assert case.status is CaseStatus.INVALID
    assert case.reason == "wheat w: crashed: killed by SIGSEGV"


def test_the_smallest_case_of_a_bug_is_the_first_of_the_shortest() -> None:
    suites = {"ann": [("mul", -1, 1, -1)], "bob": [("add", 1, 1, 2), ("mul", -2, 1, -2)]}
    world = World({"w": RIGHT}, {}, {"cid": PROGRAMS[2]}, suites)
    (bug,) = scores_of(events_of(world)).bugs
    assert (bug.suites, bug.failed, bug.smallest.case.team) == (("ann", "bob"), 2, "ann")


ONE, OTHER, NONE = (WheatAnswer(names) for names in (("w",), ("v",), ("slow",)))


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (
            [ONE._replace(exit=0), OTHER._replace(exit=0), NONE],
            "the wheats disagree: w / v",
        ),
        (
            [ONE._replace(wheats=("w", "v"), exit=0), NONE],
            "wheat slow gave no answer: silent: nothing in 10 s",
        ),
        (
            [WheatAnswer(("w", "v", "slow"), exit=0), WheatAnswer(("slow",), exit=0)],
            "wheat slow gave several answers",
        ),
        (
            [WheatAnswer(("slow",), exit=0), NONE],
            "wheat slow gave no answer: silent: nothing in 10 s",
        ),
    ],
)
def test_a_slow_or_changing_wheat_is_named_instead_of_a_disagreement(
    answers: list[WheatAnswer], reason: str
) -> None:
    world = World(dict.fromkeys(("w", "v", "slow"), RIGHT), {}, {}, {"ann": [("add", 1, 1, 2)]})
    events = [
        event._replace(verdict=Verdict.SILENT, message="nothing in 10 s")
        if isinstance(event, RunResult) and event.subject == "wheat slow"
        else event
        for event in events_of(world)
    ]
    differ = WheatsDiffer(json.dumps(("add", 1, 1)), tuple(answers))
    (case,) = scores_of([*events, differ]).cases
    assert (case.status, case.reason) == (CaseStatus.CONTESTED, reason)
