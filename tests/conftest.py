"""Hooks and fixtures of all tests: order and marks, and xtest with a cache of its own."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from support.needs import skip_without_needs
from support.xtest import Xtest

pytest_plugins = ["support.golden", "support.console", "support.chromium", "support.workers"]

# Folders and files whose tests start many processes: `tox -e quick` leaves them out.
SLOW = {
    "cli",
    "corpus",
    "faults",
    "fest/fest-programs.md",
    "fest/fest.md",
    "fest/test_fest_truth.py",
    "process",
    "property",
    "pytest_plugin",
    "cluster/job_queues.md",
    "cluster/pending_jobs.md",
    "engine/sessions",
    "engine/test_execution.py",
    "sessions_zoo",
    "talk_zoo",
    "support/test_support.py",
    "test_benchmarks.py",
    "test_file_systems.py",
    "website",
    "xtests/test_laws.py",
    "zoo",
}

# Folders of long tests, and what takes so long.
LONG = {
    "dialogue": "waits",
    "languages": "computes",
    "sessions_zoo": "computes",
    "talk_zoo": "waits",
}

# In the background of a script they are ignored, which every process would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# Tests have no time limits: the deadline of Hypothesis for an example is one.
settings.register_profile("xtest", deadline=None)
settings.load_profile("xtest")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow folders out of quick tests: importing them takes time in each process."""
    is_quick = config.option.markexpr == "not slow and not system"
    return True if is_quick and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders, and planted faults; sort."""
    for item in items:
        if is_slow(item.path):
            item.add_marker("slow")
        if item.path.parent.name == "faults":
            item.add_marker("faults")
        skip_without_needs(item)
    items[:] = longest_first(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let no garbage collection look at the tests and modules: that takes a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def longest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Begin with the long tests, so that at the end no worker waits for another.

    Those that wait for time limits are spread among those that compute.
    """
    kinds: dict[str, list[pytest.Item]] = {"waits": [], "computes": [], "": []}
    for item in items:
        kinds[LONG.get(item.path.parent.name, "")].append(item)
    waiting, computing, others = kinds.values()
    first: list[pytest.Item] = []
    share = len(computing) // (len(waiting) or 1)
    for index, item in enumerate(waiting):
        first += [item, *computing[index * share : (index + 1) * share]]
    return first + computing[len(waiting) * share :] + others


@cache
def is_slow(path: Path) -> bool:
    """Return whether `tox -e quick` leaves out a file of tests."""
    return any(path.is_relative_to(Path(__file__).parent / each) for each in SLOW)


@pytest.fixture(scope="session", autouse=True)
def _cache_outside_home(tmp_path_factory: pytest.TempPathFactory) -> None:
    # No xtest that a test starts writes to the developer's cache. Never undone, as processes may
    # outlive the last test.
    lasting = pytest.MonkeyPatch()
    lasting.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    lasting.delenv("XTEST_CACHE", raising=False)
    for variable in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        lasting.delenv(variable, raising=False)


@pytest.fixture
def xtest(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Xtest:
    """Run `xtest` in `tmp_path`, with a cache of its own."""
    return Xtest(tmp_path, tmp_path_factory.mktemp("cache"))
