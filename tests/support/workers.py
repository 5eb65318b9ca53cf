"""Distribute tests over the workers of pytest-xdist: a pytest plugin.

Each test goes to the next worker that is free, except that one worker runs all tests that share a
costly fixture. Marks (`--dist loadgroup`) have no effect with xdist 3.8 and pytest 9.2.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # no py.typed

# A name for the files whose tests share what a fixture starts or builds once.
UNITS = {
    "test_zoo.py": "zoo",
    "test_html_browser.py": "browser",
    "test_static_site.py": "browser",
    "test_history_page.py": "browser",
    "test_xref_page_in_browser.py": "browser",
    "test_cluster.py": "cluster",
    "test_hostile_workers.py": "hostile workers",
    "test_site.py": "site",
    # Its programs run as one user, whose number of processes is limited.
    "test_no_process_left.py": "no process left",
    "test_fest_truth.py": "fest",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the workers of `-n auto`: tests spend half of their time waiting."""
    return (os.cpu_count() or 1) * 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> _Scheduler | None:
    """Return the scheduler, unless the command line chooses another one."""
    return _Scheduler(config, log) if config.getvalue("dist") == "load" else None


# pylint: disable-next=abstract-method  # xdist implements neither for units of tests
class _Scheduler(LoadScopeScheduling):  # type: ignore[misc]  # untyped
    """Send whole units to a worker, the largest first, then single tests."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0].rpartition("/")[2]
        return UNITS.get(file, nodeid)
