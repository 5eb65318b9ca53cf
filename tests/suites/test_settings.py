"""Settings of cases: the rules that match one, found by an index, and its known failures."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from support.golden import Golden
from support.suites import parse_settings

from harness.model.case_names import CaseName, as_patterns, input_name, pattern_of, selects
from harness.model.events import RunResult
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.suites.settings import CaseRule, RuleIndex, unmatched_patterns

NAMES = st.builds(CaseName, st.sampled_from(["", "bad", "a*", "40"]), st.integers(0, 60))
PATTERNS = st.sampled_from(["1-20", "bad-*", "*", "7", "007", "bad-7", "[4]0-7", "a[*]-[0-9]"])
MATCHES = PATTERNS | NAMES.map(pattern_of) | st.lists(PATTERNS, min_size=1, max_size=3).map(tuple)


@given(st.lists(MATCHES, max_size=6), NAMES)
@example(["*", "1"], CaseName("", 1))
def test_the_rules_of_a_case_are_found_in_their_order(matches: list[str], name: CaseName) -> None:
    rules = tuple(CaseRule(match, exit=None, any=True) for match in matches)
    index = RuleIndex(rules)
    assert index.numbers(name) == [at for at, each in enumerate(matches) if selects(each, name)]
    assert index.matching(name) == [rule for rule in rules if selects(rule.match, name)]
    assert index.keys == ({"match", "any"} if rules else set())


@given(st.lists(MATCHES, max_size=6), st.lists(NAMES, max_size=6))
def test_a_pattern_is_unmatched_if_it_selects_no_case(
    matches: list[str], names: list[CaseName]
) -> None:
    patterns = [pattern for match in matches for pattern in as_patterns(match)]
    assert list(unmatched_patterns(patterns, names)) == [
        pattern for pattern in patterns if not any(selects(pattern, name) for name in names)
    ]


PYTHON = Subject("/usr/bin/python3 mine.py", ("/usr/bin/python3", "mine.py"))


def test_the_known_failure_of_a_run(golden: Golden) -> None:
    def known(row: tuple[str, ...]) -> str:
        text, verdict, case, delivery, *tests = row
        verdict, *runs = verdict.split()
        event = RunResult("s", case, PYTHON.name, delivery, Verdict(verdict), "")
        event = event._replace(verdicts=tuple(map(Verdict, runs)))
        event = event._replace(failed_tests=tuple(" ".join(tests).split()))
        return str(parse_settings(text).known_failure(PYTHON, input_name(case), event))

    golden.table("known_failures.txt", known)
