"""pytest with suites named: they are looked up as the session starts, collected, and reported.

Registered by plugin.py, and only then. With pytest-xdist each worker does the same; what was built
is told to them. Source: docs/pytest.md.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from harness.eventlines import event_line, parse_event
from harness.events import Judged
from harness.pytesting.choosing import (
    Choice,
    built_choice,
    built_so_far,
    choice_of,
    deliveries_of,
    wish_of,
)
from harness.pytesting.items import BrokenSuite, CaseItem, SuiteContent, SuiteNode, absolute
from harness.pytesting.naming import fits, marker_of, suite_id
from harness.pytesting.words import CaseText, Shortfall, repeat_line
from harness.runs.deliveries import Delivery
from harness.usage import UsageFault

__all__ = ["Cases"]

# How an item says that a case fell short: expected or not.
_OURS = (Shortfall, pytest.xfail.Exception)
_EVENT = "xtest_event"  # the member of a report that holds the event as a line of JSON


class Cases:
    """The hooks."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._choice = Choice([], [], None)
        self._wanted: tuple[Delivery, ...] | None = None
        self._is_given = False
        self._ids: list[str] = []  # of the command line, that are ours
        self._folders: list[Path] = []  # of the command line

    # Before the collection.

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Look up what is run against what, and build it, before pytest-xdist starts its workers.
        Raises pytest's UsageError."""
        config = self._config
        try:
            wish = wish_of(config)
            self._is_given = wish.is_given
            self._wanted = deliveries_of(config)
            choice = choice_of(wish)
            if not config.getoption("collectonly"):
                choice = built_choice(choice, config)
        except UsageFault as problem:
            raise pytest.UsageError(str(problem)) from None
        self._choice = choice
        self._register_tags()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist what it cannot know."""
        node.workerinput["xtest_built"] = dict(built_so_far(self._config))
        node.workerinput["xtest_has_arguments"] = self._has_arguments()

    def _register_tags(self) -> None:
        suites = {target.suite.name: target.suite for target in self._choice.targets}
        rules = (rule for suite in suites.values() for rule in suite.settings.rules)
        for tag in sorted({tag for rule in rules for tag in rule.tags or ()}):
            self._config.addinivalue_line("markers", f"{marker_of(tag)}: a tag of cases of xtest.")

    def _has_arguments(self) -> bool:
        given = getattr(self._config, "workerinput", {}).get("xtest_has_arguments")
        if given is not None:
            return bool(given)
        return self._config.args_source is pytest.Config.ArgsSource.ARGS

    # The collection.

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Take our ids out of the arguments: pytest knows files only."""
        config = self._config
        names = {suite_id(name) for name in self._suites()}
        others = []
        for argument in config.args:
            path, _, rest = argument.partition("::")
            here = os.path.abspath(config.invocation_params.dir / path)
            name = os.path.relpath(here, config.rootpath)
            if name in names and (rest or not os.path.exists(here)):
                self._ids.append(f"{name}::{rest}" if rest else name)
                continue
            others.append(argument)
            if not rest and os.path.isdir(here):
                self._folders.append(Path(here))
        config.args[:] = others

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Our suites come behind what else there is."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result = [*report.result, *self._nodes(collector)]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Raises UsageError for an id that means nothing."""
        for wanted in self._ids:
            if not any(fits(wanted, item.nodeid) for item in items):
                raise pytest.UsageError(f"not found: {wanted} (no such case)")

    def _suites(self) -> list[str]:
        """The names of all suites, in order."""
        named = [target.suite.name for target in self._choice.targets]
        return list(dict.fromkeys((*named, *(each.where for each in self._choice.problems))))

    def _nodes(self, session: pytest.Session) -> Iterator[pytest.Collector]:
        choice = self._choice
        for name in self._suites():
            targets = [target for target in choice.targets if target.suite.name == name]
            problems = [problem for problem in choice.problems if problem.where == name]
            ids = [wanted for wanted in self._ids if fits(wanted, suite_id(name))]
            ids += [each for each in self._ids if each.startswith(f"{suite_id(name)}::")]
            folder = absolute(targets[0].suite.folder) if targets else self._config.rootpath
            if not self._is_wanted(folder, ids):
                continue
            there = {"name": suite_id(name), "nodeid": suite_id(name), "path": folder}
            if not targets:
                yield BrokenSuite.from_parent(session, problem=problems[0], **there)
                continue
            content = SuiteContent(targets, problems, self._wanted, ids, choice)
            yield SuiteNode.from_parent(session, content=content, **there)

    def _is_wanted(self, folder: Path, ids: list[str]) -> bool:
        """Whether a suite is collected. One of an ini file is part of what is collected without
        arguments; with arguments, they say what is."""
        if ids or any(folder.is_relative_to(above) for above in self._folders):
            return True
        if self._ids:
            return False
        return self._is_given or not self._has_arguments()

    # The reports.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A case that fell short is told of in the words of `xtest run`."""
        report = yield
        event = item.shortfall if isinstance(item, CaseItem) else None
        if event is not None and call.excinfo is not None and call.excinfo.errisinstance(_OURS):
            self._dress(report, event)
            line = repeat_line(event)
            if line:
                report.sections.append(("repeat", line))
            setattr(report, _EVENT, event_line(event))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What came from a worker of pytest-xdist came as text: with its event it has colours."""
        line = getattr(report, _EVENT, None)
        if line is not None and isinstance(report.longrepr, str):
            event = parse_event(line)
            if isinstance(event, Judged):
                self._dress(report, event)

    def _dress(self, report: pytest.TestReport, event: Judged) -> None:
        full = self._config.get_verbosity() > 1
        # pytest asks of it what it can do, and not what it is; its own class is private.
        report.longrepr = cast(Any, CaseText(event, full=full))
