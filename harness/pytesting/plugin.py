"""What pytest loads: options, ini options, the fixture. All else is loaded when it is asked for.

This module stands in every pytest of an environment that xtest is installed in: it imports nothing
of the harness, and does nothing where no suite is named. Source: docs/pytest.md.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.pytesting.fixture import Xtest

__all__ = ["pytest_addoption", "pytest_configure", "xtest"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and ini options."""
    group = parser.getgroup("xtest", "cases of xtest")
    group.addoption(
        "--xtest-suite",
        dest="xtest_suites",
        action="append",
        default=[],
        metavar="SUITE",
        help="Collect each case of this suite: a folder, or the name of a bundled suite;"
        " repeatable.",
    )
    group.addoption(
        "--xtest-subject",
        dest="xtest_subject",
        action="append",
        default=[],
        metavar="COMMAND",
        help="What they are run against: a command line, or a subject of xtest.toml (a name, a glob"
        " or @TAG); repeatable.",
    )
    group.addoption(
        "--xtest-deliver",
        dest="xtest_deliver",
        metavar="NAME[,NAME...]",
        help='How inputs are fed: "slow", "cut", ..., or "all" that the suite declares [plain].',
    )
    parser.addini("xtest_suites", "suites of xtest whose cases are collected", "linelist", [])
    parser.addini("xtest_subject", "what they are run against, as --xtest-subject", "linelist", [])
    parser.addini("xtest_deliver", "how inputs are fed, as --xtest-deliver", "string", "")


def pytest_configure(config: pytest.Config) -> None:
    """Have cases collected, where a suite is named."""
    config.addinivalue_line("markers", "xtest: each case of a suite of xtest has it.")
    if config.getoption("xtest_suites") or config.getini("xtest_suites"):
        from harness.pytesting.hooks import Cases  # pylint: disable=import-outside-toplevel

        config.pluginmanager.register(Cases(config), "xtest-cases")


@pytest.fixture(scope="session")
def xtest(pytestconfig: pytest.Config) -> Xtest:
    """Run one case, or one input, from a test: see docs/pytest.md."""
    from harness.pytesting.fixture import Xtest as Made  # pylint: disable=import-outside-toplevel

    return Made(pytestconfig)
