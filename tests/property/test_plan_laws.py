"""Laws of plans: shards are a partition, tags split a suite, a resumed run has each run once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harness.delivery.registry import Delivery
from harness.model.case import content_digest
from harness.model.case_names import CaseName, case_order
from harness.model.events import Judged
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.runner.plan import Plan, PlannedRun, Selection, Shard
from harness.runner.resume import CaseState, FinishedRuns, KeptEvents
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings

# Selecting cases.

NAMES = st.builds(CaseName, st.sampled_from(["", "bad", "a-2"]), st.integers(0, 40))
TAGS = st.sampled_from(["slow", "errors", "x"])
PATTERNS = st.sampled_from(["1-20", "bad-*", "*", "7"])
RULES = st.lists(
    st.builds(lambda match, tags: CaseRule(match, tags=tuple(tags)), PATTERNS, st.lists(TAGS)),
    max_size=3,
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


SELECTIONS = st.builds(
    lambda patterns, tags: Selection(tuple(patterns), tuple(tags)),
    st.lists(PATTERNS, max_size=2),
    st.lists(TAGS | TAGS.map(lambda tag: f"!{tag}"), max_size=2),
)


def runs(within: list[Target], selection: Selection) -> list[tuple[str, str]]:
    """Return the suite and the name of each case of a plan."""
    return [(run.target.suite.name, run.name.text) for run in Plan(within, selection, ())]


@given(targets(), SELECTIONS, st.integers(1, 9))
def test_every_case_is_in_exactly_one_shard_and_shards_are_equal(
    within: list[Target], selection: Selection, of: int
) -> None:
    shards = [
        runs(within, selection._replace(shard=Shard(number, of))) for number in range(1, of + 1)
    ]
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
        lambda case, delivery, verdict, content: Judged(
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


def kept_of(events: list[Judged], now: list[str | None]) -> KeptEvents:
    """Return which of these events are kept, given what the cases contain now.

    The plan has all cases in all deliveries.
    """
    names = [CaseName("", case) for case in CASES]
    files = {name: (f"{name.text}-in.json", f"{name.text}-out.json") for name in names}
    suite = Suite("s", Path("s"), SuiteSettings(), files)
    target = Target(suite, "s", Subject("x", ("x",)), is_default_subject=False)

    def look(run: PlannedRun) -> CaseState | None:
        content = now[run.at]
        return None if content is None else CaseState(content, run.deliveries)

    return KeptEvents(Plan([target], Selection(), DELIVERIES), FinishedRuns(events), look)


def replayed(kept: KeptEvents, events: list[Judged]) -> list[Judged]:
    return [event for event in events if kept.replay(event) is not None]


def remaining(kept: KeptEvents) -> list[tuple[str, str]]:
    return [
        (run.name.text, delivery.value)
        for run in kept
        for delivery in run.deliveries
        if delivery not in dict(run.earlier)
    ]


@given(EVENTS, NOW)
def test_each_run_is_either_replayed_or_remains(
    events: list[Judged], now: list[str | None]
) -> None:
    kept = kept_of(events, now)
    left = remaining(kept)
    again = [(event.case, event.delivery) for event in replayed(kept, events)]
    assert len(again) == kept.runs
    everything = [(str(case), delivery.value) for case in CASES for delivery in DELIVERIES]
    assert sorted(again + left) == sorted(everything)


@given(EVENTS, NOW)
def test_no_run_of_a_changed_case_is_replayed(events: list[Judged], now: list[str | None]) -> None:
    kept = kept_of(events, now)
    held = replayed(kept, events)
    assert all(event.content == now[int(event.case) - 1] for event in held)
    # Cases of which some runs remain know the verdicts of the others.
    begun = {
        (run.name.text, delivery.value): verdict
        for run in kept
        for delivery, verdict in run.earlier
    }
    found = {(event.case, event.delivery): event.verdict for event in held}
    assert begun.items() <= found.items()


@given(EVENTS, NOW)
def test_replayed_events_can_be_resumed_again(events: list[Judged], now: list[str | None]) -> None:
    held = replayed(kept_of(events, now), events)
    again = kept_of(held, now)
    assert remaining(again) == remaining(kept_of(events, now))
    assert len(replayed(again, held)) == len(held)


# Recognizing cases.


@given(st.binary(max_size=9), st.binary(max_size=9), st.integers(0, 17), st.integers(1, 255))
def test_a_fingerprint_changes_with_every_byte_of_either_side(
    stdin: bytes, expected: bytes, at: int, change: int
) -> None:
    sides = [bytearray(stdin), bytearray(expected)]
    side, place = divmod(at, 9)
    if place < len(sides[side]):
        sides[side][place] ^= change
        assert content_digest(bytes(sides[0]), bytes(sides[1])) != content_digest(stdin, expected)
    assert len(content_digest(stdin, expected)) == 16
    # The two sides cannot be mistaken.
    both = [content_digest(*sides) for sides in ((stdin, expected), (expected, stdin))]
    assert (both[0] == both[1]) == (stdin == expected)
