"""Suites as pytest collectors, cases as pytest items, whose ids do not depend on other cases."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from harness.delivery.registry import Delivery
from harness.engine.jobs import skipped_run, usable_deliveries
from harness.engine.plan import Plan, PlannedRun, Selection
from harness.engine.session_passes import SessionPasses, passes_here, right_transcript
from harness.engine.single_run import SingleRun, event_of
from harness.judging.judge import PASSED
from harness.model.case import Case, InvalidCase
from harness.model.events import Diagnostic, RunResult
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.verdict import Verdict
from harness.options.targets import FoundTargets
from harness.project.subjects import Project
from harness.pytest_plugin.selection import case_runs, repeat_words
from harness.pytest_plugin.text import CaseFailure, repeat_line, stderr_text
from harness.suites.cases import own_rule, read_case
from harness.text import escape_nonprintable

SHARED: Final = "xtest_shared_folder"  # the property of a report whose run had no private folder
WROTE: Final = "xtest_wrote"  # the property of a report with a file that the run wrote
_NOT_IN_MARKERS: Final = re.compile(r"[^\w.+-]")
_PASSES: Final = pytest.StashKey[SessionPasses]()
# Names with a meaning of their own in pytest: a tag must not skip a case.
_RESERVED: Final = frozenset(
    "skip skipif xfail parametrize usefixtures filterwarnings xtest tryfirst trylast"
    " and or not True False None".split()
)


def suite_id(name: str) -> str:
    """Return the id of a suite: its name, without the separator of ids."""
    return escape_nonprintable(name).replace("::", ":")


def item_name(case: str, subject: str, delivery: Delivery) -> str:
    """Return the name of an item in its suite: "7", "7[slow]", "7[js]" or "7[js-slow]"."""
    delivery_name = "" if delivery is Delivery.PLAIN else delivery.value
    label = "-".join(part for part in (escape_nonprintable(subject), delivery_name) if part)
    return f"{escape_nonprintable(case)}[{label}]" if label else escape_nonprintable(case)


def marker_of(tag: str) -> str:
    """Return the marker for a tag; "tag_" is prefixed to names that pytest reserves."""
    name = _NOT_IN_MARKERS.sub("_", tag)
    return f"tag_{name}" if name in _RESERVED or name.startswith("_") else name


def id_matches(requested: str, node_id: str) -> bool:
    """Return whether a requested id names a node, its suite, or its case without the label."""
    return node_id == requested or node_id.startswith((f"{requested}::", f"{requested}["))


class SuiteCollector(pytest.Collector):
    """A suite: its problems, then its cases in natural order, subject by subject.

    A suite that cannot be used has no targets, and its collection fails. `deliveries` is None for
    all that the suite declares; `ids` is empty for all cases.
    """

    def __init__(
        self,
        *,
        selection: FoundTargets,
        deliveries: tuple[Delivery, ...] | None,
        ids: Sequence[str],
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        self._targets, self._problems, self._project = selection
        self._deliveries = deliveries
        self._ids = ids

    def collect(self) -> Iterator[pytest.Item]:
        if not self._targets:
            raise self.CollectError(escape_nonprintable(self._problems[0].message))
        problems = (
            ProblemItem.from_parent(self, name=f"<problem {number}>", problem=problem)
            for number, problem in enumerate(self._problems, 1)
        )
        for item in (*problems, *self._case_items()):
            if not self._ids or any(id_matches(requested, item.nodeid) for requested in self._ids):
                yield item

    def _case_items(self) -> Iterator[pytest.Item]:
        for planned in Plan(self._targets, Selection(), self._deliveries):
            # A single subject's name is not a keyword: -k 3 must not select all cases of python3.
            subject = planned.target.subject.name if len(self._targets) > 1 else ""
            for delivery in _effective_deliveries(planned):
                name = item_name(planned.name.text, subject, delivery)
                item = CaseItem.from_parent(
                    self, name=name, planned=planned, delivery=delivery, project=self._project
                )
                item.extra_keyword_matches.update({subject, delivery.value} - {""})
                yield item


def _effective_deliveries(planned: PlannedRun) -> tuple[Delivery, ...]:
    """Return the deliveries that change what a case's subject reads; for an invalid case, one."""
    if planned.deliveries == (Delivery.PLAIN,):
        return planned.deliveries
    case = read_case(planned.target.suite, planned.name, planned.case_index)
    return (Delivery.PLAIN,) if isinstance(case, InvalidCase) else usable_deliveries(planned, case)


class ProblemItem(pytest.Item):
    """A problem in a suite's folder that belongs to no case, reported as an error."""

    def __init__(self, *, problem: Diagnostic, **rest: Any) -> None:
        super().__init__(**rest)
        self._problem = problem
        self.add_marker(pytest.mark.xtest)

    def setup(self) -> None:
        """Fail: pytest counts a failure of the setup as an error."""
        pytest.fail(escape_nonprintable(self._problem.message), pytrace=False)

    def runtest(self) -> None:
        """Do nothing: required by pytest, but never called after a failed setup."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, f"{escape_nonprintable(self._problem.where)}: {self.name}"


def _session_passes(session: pytest.Session) -> SessionPasses:
    """Return the cases that pass in sessions; the first call runs the sessions of all items."""
    config = session.config
    if _PASSES not in config.stash:
        mode = SessionMode(config.getoption("xtest_sessions"))
        if hasattr(config, "workerinput"):  # each worker of pytest-xdist has all items
            mode = SessionMode.OFF
        cases = (item for item in session.items if isinstance(item, CaseItem))
        runs = [item.planned for item in cases if item.may_share_process]
        config.stash[_PASSES] = passes_here(runs, SessionOptions(mode))
    return config.stash[_PASSES]


class CaseItem(pytest.Item):
    """A case, run against one subject with one delivery.

    `failure` is the event of a run that failed, expectedly or not, or passed unexpectedly.
    """

    def __init__(
        self, *, planned: PlannedRun, delivery: Delivery, project: Project | None, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.planned = planned
        self._delivery = delivery
        self._project = project
        self._case: Case | InvalidCase | None = None
        self.failure: RunResult | None = None
        self.add_marker(pytest.mark.xtest)
        suite, name = planned.target.suite, planned.name
        for tag in suite.settings.tags_for(name, own_rule(suite, name, planned.case_index)):
            self.add_marker(marker_of(tag))

    def setup(self) -> None:
        """Read the case. Raises CaseFailure for an invalid one, which pytest counts as an error."""
        planned = self.planned
        self._case = read_case(planned.target.suite, planned.name, planned.case_index)
        if isinstance(self._case, InvalidCase):
            self.failure = self._run(self._case)
            raise CaseFailure(self.failure)
        if (skipped := skipped_run(planned, self._case)) is not None:
            pytest.skip(f"not claimed: {escape_nonprintable(skipped.message)}")

    def runtest(self) -> None:
        """Run and judge the case; a known failure becomes an xfail. Raises CaseFailure."""
        assert self._case is not None
        event = self._run(self._case)
        if event.verdict is Verdict.PASSED and event.known is None:
            return
        self.failure, known = event, event.known
        if known is not None and known.holds and not self.config.getoption("runxfail"):
            link = f", {escape_nonprintable(known.link)}" if known.link else ""
            pytest.xfail(f"{event.verdict.value}: {escape_nonprintable(known.reason)}{link}")
        raise CaseFailure(event)

    def teardown(self) -> None:
        """Release the case and its output: pytest keeps items to the end of the session."""
        self._case = self.failure = None

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        planned = self.planned
        files = planned.target.suite.files.get(planned.name, ())
        path = self.path / files[0] if files else self.path
        return path, None, f"{escape_nonprintable(planned.target.suite.name)}/{self.name}"

    @property
    def may_share_process(self) -> bool:
        """Return whether a session may settle this case."""
        target = self.planned.target
        is_known = target.suite.settings.has_known_failures  # a pass may be unexpected
        return self._delivery is Delivery.PLAIN and not is_known

    def _run(self, case: Case | InvalidCase) -> RunResult:
        planned, delivery = self.planned, self._delivery
        if isinstance(case, Case) and self.may_share_process:
            settled = _session_passes(self.session)
            if finding := settled.finding(planned):
                self.add_report_section("call", "session", escape_nonprintable(finding))
            if settled.has(planned):
                self.user_properties.append(("xtest_reached", "session"))
                finished = SingleRun(case, right_transcript(case, planned), PASSED)
                return event_of(planned, delivery, finished)
        finished = case_runs(self.config).run(planned, case, delivery)
        event = event_of(planned, delivery, finished)
        event = event._replace(repeat=repeat_words(planned, delivery, self._project))
        self.user_properties.append(("xtest_subject", escape_nonprintable(event.subject)))
        self.user_properties.append(("xtest_verdict", event.verdict.value))
        self.user_properties += ((WROTE, escape_nonprintable(name)) for name in event.wrote)
        if event.shared_folder:
            self.user_properties.append((SHARED, True))
        if event.failed and repeat_line(event):
            self.user_properties.append(("xtest_repeat", repeat_line(event)))
        if event.evidence is not None and event.evidence.stderr.total:
            self.add_report_section("call", "stderr", stderr_text(event.evidence.stderr))
        return event
