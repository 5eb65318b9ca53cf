"""Suites as collectors and cases as items, as pytest has them.

A case is read when its turn comes, or when it has to be known which deliveries make a difference
for it. Source: docs/pytest.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.events import Judged, Problem
from harness.pytesting.choosing import Choice, repeat_words
from harness.pytesting.naming import fits, item_name, marker_of
from harness.pytesting.words import Shortfall, repeat_line, stderr_text
from harness.records import Case, InvalidCase, Verdict
from harness.runs.deliveries import Delivery
from harness.runs.dressing import distinct
from harness.runs.plan import Plan, PlannedRun, Selection, Target
from harness.runs.single import event_of, single
from harness.suites.corpus import read_case
from harness.words import visible

__all__ = ["BrokenSuite", "CaseItem", "ProblemItem", "SuiteContent", "SuiteNode"]


class SuiteContent(NamedTuple):
    """One suite of a choice: what it is run against, what is wrong with it, which deliveries are
    wanted (None: all that it declares), and which ids of its cases (none: all)."""

    targets: Sequence[Target]
    problems: Sequence[Problem]
    wanted: tuple[Delivery, ...] | None
    ids: Sequence[str]
    choice: Choice


class BrokenSuite(pytest.Collector):
    """A suite that cannot be used at all."""

    def __init__(self, *, problem: Problem, **rest: Any) -> None:
        super().__init__(**rest)
        self._problem = problem

    def collect(self) -> Iterator[pytest.Item]:
        """Raises CollectError, which says why."""
        raise self.CollectError(visible(self._problem.message))


class SuiteNode(pytest.Collector):
    """A suite: its cases in natural order, subject by subject."""

    def __init__(self, *, content: SuiteContent, **rest: Any) -> None:
        super().__init__(**rest)
        self._content = content

    def collect(self) -> Iterator[pytest.Item]:
        """The items of all cases, or of those that were named."""
        ids = self._content.ids
        for item in self._everything():
            if not ids or any(fits(wanted, item.nodeid) for wanted in ids):
                yield item

    def _everything(self) -> Iterator[pytest.Item]:
        content = self._content
        for number, problem in enumerate(content.problems, 1):
            name = f"<problem {number}>"
            yield ProblemItem.from_parent(self, name=name, problem=problem)
        several = len(content.targets) > 1
        for planned in Plan(content.targets, Selection(), content.wanted):
            subject = planned.target.subject.name if several else ""
            for delivery in _deliveries(planned):
                name = item_name(planned.name.text, subject, delivery)
                item = CaseItem.from_parent(
                    self, name=name, planned=planned, delivery=delivery, choice=content.choice
                )
                # A lone subject tells no case from another: -k 3 must not mean all of python3's.
                item.extra_keyword_matches.update({subject, delivery.value} - {""})
                yield item


def _deliveries(planned: PlannedRun) -> tuple[Delivery, ...]:
    """The deliveries that make a difference for a case; a broken one is told of once."""
    if planned.deliveries == (Delivery.PLAIN,):
        return planned.deliveries
    case = read_case(planned.target.suite, planned.name, planned.at)
    if isinstance(case, InvalidCase):
        return (Delivery.PLAIN,)
    conversation = planned.target.suite.settings.conversation
    return distinct(planned.deliveries, case.stdin, case.kind, conversation=conversation)


class ProblemItem(pytest.Item):
    """Something in a suite's folder that is nobody's case: an error, whatever else is run."""

    def __init__(self, *, problem: Problem, **rest: Any) -> None:
        super().__init__(**rest)
        self._problem = problem
        self.add_marker(pytest.mark.xtest)

    def setup(self) -> None:
        """Fails, as what fails here is an error to pytest."""
        pytest.fail(visible(self._problem.message), pytrace=False)

    def runtest(self) -> None:
        """Is never reached."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where it is, and the headline of its report."""
        return self.path, None, f"{visible(self._problem.where)}: {self.name}"


class CaseItem(pytest.Item):
    """One run: a case, against a subject, fed in one way. `shortfall`: what came of it, where that
    is to be told of."""

    def __init__(
        self, *, planned: PlannedRun, delivery: Delivery, choice: Choice, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self._planned = planned
        self._delivery = delivery
        self._choice = choice
        self._case: Case | InvalidCase | None = None
        self.shortfall: Judged | None = None
        self.add_marker(pytest.mark.xtest)
        for tag in planned.target.suite.settings.tags_for(planned.name):
            self.add_marker(marker_of(tag))

    def setup(self) -> None:
        """Read the case: an invalid one is an error, and nobody's failure."""
        planned = self._planned
        self._case = read_case(planned.target.suite, planned.name, planned.at)
        if isinstance(self._case, InvalidCase):
            self.shortfall = self._run()
            raise Shortfall(self.shortfall)

    def runtest(self) -> None:
        """Run it and judge it. A failure that is known is expected to fail."""
        event = self._run()
        if event.verdict is Verdict.PASSED and event.known is None:
            return
        self.shortfall, known = event, event.known
        if known is not None and known.holds and not self.config.getoption("runxfail"):
            link = f", {visible(known.link)}" if known.link else ""
            pytest.xfail(f"{event.verdict.value}: {visible(known.reason)}{link}")
        raise Shortfall(event)

    def teardown(self) -> None:
        """Keep nothing of the case."""
        self._case = self.shortfall = None

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The file that the case is in, and the headline of its report."""
        planned = self._planned
        files = planned.target.suite.files.get(planned.name, ())
        path = self.path / files[0] if files else self.path
        return path, None, f"{visible(planned.target.suite.name)}/{self.name}"

    def _run(self) -> Judged:
        planned, delivery = self._planned, self._delivery
        assert self._case is not None
        done = single(self._case, planned.target.subject, delivery)
        event = event_of(planned, delivery, done)
        event = event._replace(repeat=repeat_words(planned, delivery, self._choice.project))
        self.user_properties.append(("xtest_subject", visible(event.subject)))
        self.user_properties.append(("xtest_verdict", event.verdict.value))
        if event.falls_short and repeat_line(event):
            self.user_properties.append(("xtest_repeat", repeat_line(event)))
        if event.evidence is not None and event.evidence.stderr.total:
            self.add_report_section("call", "stderr", stderr_text(event.evidence.stderr))
        return event


def absolute(folder: Path) -> Path:
    """The path that pytest knows a suite by."""
    return Path(os.path.abspath(folder))
