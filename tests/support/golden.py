"""Golden files: recorded texts that a test compares with, rewritten by `pytest --update-golden`.

A golden table has a line for each example, `INPUT => RESULT`, where INPUT is a Python literal. To
add an example, add a line with its input and run `pytest --update-golden`.

A pytest plugin. Files in a folder `golden` that no test used are an error after a run of all tests
in that folder; a test marked `system` must not use golden files, as most runs leave it out.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter  # public only since pytest 8.4

_ARROW = " =>"
_USED = "golden file used"  # the names of these properties travel with reports, also from xdist
_UPDATED = "golden file updated"
_INCOMPLETE = ("failed", "error", "skipped")  # tests that may not have come to their golden files


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite golden files, scenarios and the consoles of pages to match",
    )


class Golden:
    """The golden files of a test, in the folder `golden` beside its file."""

    def __init__(self, test: pytest.Item, folder: Path) -> None:
        self._test = test
        self._folder = folder

    def __call__(self, name: str, text: str) -> None:
        """Compare a text with a file."""
        compare_with_file(self._test, self._folder / name, text)

    def table(self, name: str, result_of: Callable[[Any], str]) -> None:
        """Compare the results of all inputs in a golden table."""
        lines = (self._folder / name).read_text(encoding="utf-8").splitlines()
        seen: set[str] = set()
        for number, line in enumerate(lines):
            if line and not line.startswith("#"):
                given = line.partition(_ARROW)[0]
                assert given not in seen, f"{given} is there twice"
                seen.add(given)
                result = printable(result_of(literal_eval(given)))
                lines[number] = f"{given}{_ARROW} {result}".rstrip()
        self(name, "".join(f"{line}\n" for line in lines))

    def refusals(self, name: str, functions: Iterable[Callable[..., object]]) -> None:
        """Compare the messages of ValueErrors with a golden table.

        An example is the name of a function and its arguments.
        """
        by_name = {function.__name__: function for function in functions}
        self.table(name, lambda example: message_of(ValueError, by_name[example[0]], *example[1:]))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.node, request.path.parent / "golden")


def printable(text: str) -> str:
    """Return a text with escapes for all but printable ASCII."""
    return "".join(char if " " <= char <= "~" else ascii(char)[1:-1] for char in text)


def message_of(error: type[Exception], call: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(error) as caught:
        call(*arguments)
    return str(caught.value)


def compare_with_file(item: pytest.Item, path: Path, text: str) -> None:
    """Fail unless a file holds this text; with `--update-golden`, write it."""
    item.user_properties.append((_USED, str(path)))
    recorded = _read(path)
    if recorded == text:
        return
    if item.config.getoption("update_golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        item.user_properties.append((_UPDATED, str(path)))
        return
    name = str(path.relative_to(item.config.rootpath))
    old = [] if recorded is None else recorded.splitlines()
    diff = unified_diff(old, text.splitlines(), name, "actual", lineterm="")
    shown = "\n".join(diff) or "the line ends differ"
    update = f"to accept: pytest --update-golden '{item.nodeid}'"
    pytest.fail(f"{name} does not match\n{shown}\n\n{update}", pytrace=False)


def _read(path: Path) -> str | None:
    return path.read_bytes().decode() if path.exists() else None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run of whole folders that leaves golden files unused."""
    unused = _unused_files(session.config)
    if unused and not session.testsfailed and session.exitstatus == pytest.ExitCode.OK:
        if session.config.getoption("update_golden"):
            for path in unused:
                path.unlink()
        else:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """List golden files that were updated, and those that no test used."""
    config = terminalreporter.config
    for path in sorted(_reported(config, _UPDATED)):
        terminalreporter.line(f"updated {path.relative_to(config.rootpath)}")
    for path in _unused_files(config):
        name = path.relative_to(config.rootpath)
        terminalreporter.line(f"{name} is used by no test; pytest --update-golden deletes it")


def _unused_files(config: pytest.Config) -> list[Path]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    option = config.option
    is_part = (
        hasattr(config, "workerinput")  # a worker of xdist, which has a reporter, too
        or option.keyword
        or option.markexpr not in ("", "not system")
        or any(getattr(option, name, None) for name in ("lf", "maxfail", "collectonly", "deselect"))
        or any("::" in word or not (config.rootpath / word).is_dir() for word in config.args)
    )
    is_incomplete = reporter is None or any(reporter.stats.get(kind) for kind in _INCOMPLETE)
    if is_part or is_incomplete:
        return []
    used = _reported(config, _USED)
    return sorted(path for path in _golden_files(config) if path not in used)


def _golden_files(config: pytest.Config) -> Iterator[Path]:
    for word in config.args:
        yield from filter(Path.is_file, (config.rootpath / word).rglob("golden/*"))


def _reported(config: pytest.Config, name: str) -> set[Path]:
    """Return the paths in the properties of this name of all reports, those of xdist included."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    stats = {} if reporter is None else reporter.stats
    return {
        Path(path)
        for reports in stats.values()
        for report in reports
        for key, path in getattr(report, "user_properties", ())
        if key == name
    }
