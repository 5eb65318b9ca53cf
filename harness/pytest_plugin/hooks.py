"""The pytest hooks that collect and report cases; registered only if a suite is named.

Each worker of pytest-xdist runs them, too; the controller sends it the results of the builds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import pytest

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.event_lines import event_line, parse_event
from harness.model.events import RunResult
from harness.options.targets import FoundTargets
from harness.pytest_plugin.items import (
    SHARED,
    WROTE,
    CaseItem,
    SuiteCollector,
    id_matches,
    marker_of,
    suite_id,
)
from harness.pytest_plugin.selection import (
    build_faults,
    build_selection,
    read_deliveries,
    read_options,
    select_targets,
)
from harness.pytest_plugin.text import CaseFailure, CaseText, repeat_line
from harness.reports.text.events import SHARED_FOLDERS, workspace_note

_CASE_EXCEPTIONS: Final = (CaseFailure, pytest.xfail.Exception)  # raised by a CaseItem
_MOST_NAMED: Final = 3  # files that programs wrote
_EVENT: Final = "xtest_event"  # the attribute of a report with the event, as a line of JSON


class SuiteHooks:
    """The hooks, with the suites and ids of one session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._selection = FoundTargets([], [], None)
        self._deliveries: tuple[Delivery, ...] | None = None
        self._requested_ids: list[str] = []
        self._requested_folders: list[Path] = []

    # Before the collection.

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Find suites, and build subjects before pytest-xdist starts its workers."""
        config = self._config
        try:
            self._deliveries = read_deliveries(config)
            selection = select_targets(read_options(config))
            if not config.getoption("collectonly"):
                selection = build_selection(selection, config)
        except UsageError as problem:
            raise pytest.UsageError(str(problem)) from None
        self._selection = selection
        suites = {target.suite.name: target.suite for target in selection.targets}
        rules = (rule for suite in suites.values() for rule in suite.settings.rules)
        for tag in sorted({tag for rule in rules for tag in rule.tags or ()}):
            config.addinivalue_line("markers", f"{marker_of(tag)}: a tag of xtest cases.")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send a worker of pytest-xdist the results of builds, whether pytest has arguments, and a
        time before its first run."""
        node.workerinput["xtest_built"] = dict(build_faults(self._config))
        node.workerinput["xtest_since_ns"] = time.time_ns()
        node.workerinput["xtest_has_arguments"] = self._has_arguments()

    def _has_arguments(self) -> bool:
        from_controller = getattr(self._config, "workerinput", {}).get("xtest_has_arguments")
        if from_controller is not None:
            return bool(from_controller)
        return self._config.args_source is pytest.Config.ArgsSource.ARGS

    # The collection.

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Remove ids of cases from the arguments: pytest would look for files of these names."""
        config = self._config
        names = {suite_id(name) for name in self._suite_names()}
        others = []
        for argument in config.args:
            path, _, rest = argument.partition("::")
            absolute = os.path.abspath(config.invocation_params.dir / path)
            name = os.path.relpath(absolute, config.rootpath)
            if name in names and (rest or not os.path.exists(absolute)):
                self._requested_ids.append(f"{name}::{rest}" if rest else name)
                continue
            others.append(argument)
            if not rest and os.path.isdir(absolute):
                self._requested_folders.append(Path(absolute))
        config.args[:] = others

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Append the suites to what pytest collects."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result = [*report.result, *self._suite_collectors(collector)]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Raise UsageError for an id that matches no case."""
        for requested in self._requested_ids:
            if not any(id_matches(requested, item.nodeid) for item in items):
                raise pytest.UsageError(f"not found: {requested} (no such case)")

    def _suite_names(self) -> list[str]:
        names = [target.suite.name for target in self._selection.targets]
        names += [problem.where for problem in self._selection.problems]
        return list(dict.fromkeys(names))

    def _suite_collectors(self, session: pytest.Session) -> Iterator[pytest.Collector]:
        for name in self._suite_names():
            targets = [each for each in self._selection.targets if each.suite.name == name]
            problems = [each for each in self._selection.problems if each.where == name]
            node_id = suite_id(name)
            ids = [
                each
                for each in self._requested_ids
                if id_matches(each, node_id) or each.startswith(f"{node_id}::")
            ]
            folder = self._config.rootpath
            if targets:
                folder = Path(os.path.abspath(targets[0].suite.folder))
            if not self._is_requested(folder, ids):
                continue
            yield SuiteCollector.from_parent(
                session,
                name=node_id,
                nodeid=node_id,
                path=folder,
                selection=FoundTargets(targets, problems, self._selection.project),
                deliveries=self._deliveries,
                ids=ids,
            )

    def _is_requested(self, folder: Path, ids: list[str]) -> bool:
        """Return whether a suite is collected.

        It is if an argument names it, one of its `ids`, or a folder above it. If no argument is an
        id, --xtest-suite also names it, as does an ini option if pytest has no arguments.
        """
        if ids or any(folder.is_relative_to(above) for above in self._requested_folders):
            return True
        if self._requested_ids:
            return False
        return bool(self._config.getoption("xtest_suites")) or not self._has_arguments()

    # The reports.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report a failure as `xtest run` does."""
        report = yield
        event = item.failure if isinstance(item, CaseItem) else None
        if event is None or call.excinfo is None:
            return report
        if call.excinfo.errisinstance(_CASE_EXCEPTIONS):
            self._set_text(report, event)
            if line := repeat_line(event):
                report.sections.append(("rerun", line))
            setattr(report, _EVENT, event_line(event))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Restore the colours of a failure, which a worker of pytest-xdist sends as plain text."""
        line = getattr(report, _EVENT, None)
        if line is not None and isinstance(report.longrepr, str):
            event = parse_event(line)
            if isinstance(event, RunResult):
                self._set_text(report, event)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which files of programs were discarded with their private working folders, or that
        runs had none."""
        runs, names, has_shared = 0, dict[str, None](), False
        for report in chain.from_iterable(terminalreporter.stats.values()):
            if isinstance(report, pytest.TestReport) and report.when == "call":
                wrote = [str(value) for name, value in report.user_properties if name == WROTE]
                names |= dict.fromkeys(wrote)
                runs += bool(wrote)
                has_shared |= (SHARED, True) in report.user_properties
        if has_shared:
            terminalreporter.write_line(f"xtest: {SHARED_FOLDERS}")
        if note := workspace_note(runs, list(names)[:_MOST_NAMED], "XTEST_WORKSPACE=shared"):
            terminalreporter.write_line(f"xtest: {note}")

    def _set_text(self, report: pytest.TestReport, event: RunResult) -> None:
        full = self._config.get_verbosity() > 1
        # pytest needs only the methods of CaseText; the class that it declares is private.
        report.longrepr = cast(Any, CaseText(event, full=full))
