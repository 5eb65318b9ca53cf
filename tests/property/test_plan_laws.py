"""Laws of plans: shards are a partition, tags split a suite, a resumed run has each run once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harness.delivery.registry import Delivery
from harness.engine.plan import Plan, PlannedRun, Selection, Shard
from harness.model.case import content_digest
from harness.model.case_names import CaseName, case_order
from harness.model.events import RunResult
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.results.resume import CaseState, FinishedRuns, SplitPlan
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings

# Selecting cases.

NAMES = st.builds(CaseName, st.sampled_from(["", "bad", "a-2"]), st.integers(0, 40))
TAGS = st.sampled_from(["slow", "errors", "x"])
PATTERNS = st.sampled_from(["1-20", "bad-*", "*", "7"])
RULES = st.lists(
    st.builds(lambda match, tag: CaseRule(match, tags=(tag,)), PATTERNS, TAGS), max_size=4
).map(tuple)


@st.composite
def targets(draw: st.DrawFn) -> list[Target]:
    """Draw a few suites, each with cases in natural order and tags for some of them."""
    made = []
    for number in range(draw(st.integers(0, 4))):
        names = sorted(draw(st.sets(NAMES, max_size=25)), key=case_order)
        says = SuiteSettings(rules=draw(RULES))
        suite = Suite(f"s{number}", Path("s"), says, {name: () for name in names})
        made.append(Target(suite, suite.name, Subject("p", ("p",)), is_default_subject=True))
    return made


# Not st.builds: it would generate the fields with defaults, too.
SELECTIONS = st.tuples(
    st.lists(PATTERNS, max_size=2).map(tuple),
    st.lists(TAGS | TAGS.map(lambda tag: f"!{tag}"), max_size=2).map(tuple),
).map(lambda both: Selection(*both))


def runs(within: list[Target], selection: Selection) -> list[tuple[str, str]]:
    """Return the suite and the name of each case of a plan."""
    return [(run.target.suite.name, run.name.text) for run in Plan(within, selection, ())]


@given(targets(), SELECTIONS, st.integers(1, 9))
def test_every_case_is_in_exactly_one_shard_and_shards_are_equal(
    within: list[Target], selection: Selection, of: int
) -> None:
    parts = (Shard(number, of) for number in range(1, of + 1))
    shards = [runs(within, selection._replace(shard=part)) for part in parts]
    assert sorted(run for shard in shards for run in shard) == sorted(runs(within, selection))
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


@given(targets(), SELECTIONS, TAGS)
def test_a_tag_and_its_absence_split_what_is_selected_without_tags(
    within: list[Target], selection: Selection, tag: str
) -> None:
    patterns = selection._replace(tags=())
    having = runs(within, patterns._replace(tags=(tag,)))
    lacking = runs(within, patterns._replace(tags=(f"!{tag}",)))
    assert not set(having) & set(lacking)
    assert set(having) | set(lacking) == set(runs(within, patterns))


@given(targets(), SELECTIONS)
def test_a_selection_keeps_the_order_and_adds_nothing(
    within: list[Target], selection: Selection
) -> None:
    selected = set(runs(within, selection))
    assert runs(within, selection) == [run for run in runs(within, Selection()) if run in selected]


# Resuming: replayed events and remaining runs together are the plan.

DELIVERIES = (Delivery.PLAIN, Delivery.SLOW, Delivery.CRLF)
CONTENTS = ("00" * 8, "11" * 8)
CASES = range(1, 5)

EVENTS = st.lists(
    st.builds(
        lambda case, delivery, verdict, content: RunResult(
            "s", str(case), "x", delivery.value, verdict, "", content=content
        ),
        st.sampled_from(CASES),
        st.sampled_from(DELIVERIES),
        st.sampled_from([Verdict.PASSED, Verdict.DIFFERS, Verdict.STALLED]),
        st.sampled_from(CONTENTS),
    ),
    max_size=16,
)
# The present content of each case, or None if it is broken.
NOW = st.lists(st.sampled_from([*CONTENTS, None]), min_size=len(CASES), max_size=len(CASES))


def resume(
    events: list[RunResult], now: list[str | None]
) -> tuple[SplitPlan, list[RunResult], list[tuple[str, str]]]:
    """Resume a run of all cases in all deliveries: which events are kept, replayed, and which runs
    remain, given what the cases contain now."""
    names = [CaseName("", case) for case in CASES]
    files = {name: (f"{name.text}-in.json", f"{name.text}-out.json") for name in names}
    suite = Suite("s", Path("s"), SuiteSettings(), files)
    target = Target(suite, "s", Subject("x", ("x",)), is_default_subject=False)

    def look(run: PlannedRun) -> CaseState | None:
        content = now[run.case_index]
        return None if content is None else CaseState(content, run.deliveries)

    kept = SplitPlan(Plan([target], Selection(), DELIVERIES), FinishedRuns(events), look)
    left = [
        (run.name.text, delivery.value)
        for run in kept
        for delivery in run.deliveries
        if delivery not in dict(run.earlier)
    ]
    return kept, [event for event in events if kept.replay(event) is not None], left


@given(EVENTS, NOW)
def test_each_run_is_either_replayed_or_remains(
    events: list[RunResult], now: list[str | None]
) -> None:
    kept, held, left = resume(events, now)
    replayed = {(event.case, event.delivery): event.verdict for event in held}
    assert len(held) == len(replayed) == kept.runs
    everything = [(str(case), delivery.value) for case in CASES for delivery in DELIVERIES]
    assert sorted([*replayed, *left]) == sorted(everything)
    # No run of a changed case is replayed.
    assert all(event.content == now[int(event.case) - 1] for event in held)
    # Cases of which some runs remain know the verdicts of the others.
    for run in kept:
        for delivery, verdict in run.earlier:
            assert replayed[run.name.text, delivery.value] is verdict
    # What was replayed can be resumed again.
    assert resume(held, now)[1:] == (held, left)


# Recognizing cases.

_SIDES = st.tuples(*[st.text("ab", max_size=3).map(str.encode)] * 2)


@given(_SIDES, _SIDES)
def test_contents_have_one_digest_if_both_sides_are_equal(
    one: tuple[bytes, bytes], other: tuple[bytes, bytes]
) -> None:
    assert (content_digest(*one) == content_digest(*other)) == (one == other)
    assert len(content_digest(*one)) == 16
