"""The entry point of the pytest plugin: its options, ini options and fixture.

pytest imports this module at each start, wherever xtest is installed. It therefore imports the
harness, which takes 50 ms of CPU time, only if a suite is named or the fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness.pytest_plugin.fixture import Xtest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xtest", "xtest conformance suites")
    group.addoption(
        "--xtest-suite",
        dest="xtest_suites",
        action="append",
        default=[],
        metavar="SUITE",
        help="Collect the cases of this suite: a folder, or the name of a bundled suite;"
        " repeatable.",
    )
    group.addoption(
        "--xtest-subject",
        action="append",
        default=[],
        metavar="COMMAND",
        help="Run the cases against this program: a command line, or a subject of xtest.toml (a"
        " name, a glob or @TAG); repeatable.",
    )
    group.addoption(
        "--xtest-deliver",
        metavar="NAME[,NAME...]",
        help='Feed inputs in these ways: "slow", "cut", ..., or "all" for those that the suite'
        " declares [plain].",
    )
    group.addoption(
        "--xtest-sessions",
        default="verify",
        choices=("off", "verify", "trust"),
        help="How far to trust subjects of xtest.toml that declare a session [verify]; ignored"
        " in workers of pytest-xdist.",
    )
    parser.addini("xtest_suites", "xtest suites whose cases are collected", "linelist", [])
    parser.addini(
        "xtest_subject", "programs to run them against, like --xtest-subject", "linelist", []
    )
    parser.addini("xtest_deliver", "ways of feeding inputs, like --xtest-deliver", "string", "")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xtest: a case of an xtest suite.")
    if config.getoption("xtest_suites") or config.getini("xtest_suites"):
        # pylint: disable-next=import-outside-toplevel  # measured above
        from harness.pytest_plugin.hooks import SuiteHooks

        config.pluginmanager.register(SuiteHooks(config), "xtest-cases")


@pytest.fixture(scope="session")
def xtest(pytestconfig: pytest.Config) -> Xtest:
    """Run one case, or one input, from a test: xtest.case("SUITE", 1), xtest.input([1, 2])."""
    # pylint: disable-next=import-outside-toplevel  # measured above
    from harness.pytest_plugin.fixture import Xtest as XtestFixture

    return XtestFixture(pytestconfig)
