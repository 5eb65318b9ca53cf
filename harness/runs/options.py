"""The options of `xtest run`, and a quick road to them.

click reads every command line and tells its faults, but to import it takes longer than ten small
cases take to run. Lines of a plain kind are read here; all others are left to click. A test holds
the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

__all__ = ["RunOptions", "quick_options"]


class RunOptions(NamedTuple):
    """What `xtest run` was asked for, by the names of its options."""

    suites: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shard: str | None = None
    failed: bool = False
    new: bool = False
    jobs: int | None = None
    wall: float | None = None
    deliver: str | None = None
    repeat: int = 1
    max_failures: int | None = None
    fail_fast: bool = False
    sandbox: bool = False
    check: bool = False
    results: str = ""
    resume: bool = False
    cached: bool = False
    depends: tuple[str, ...] = ()
    full: bool = False
    verbose: bool = False
    quiet: bool = False
    subjects: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


_FLAGS: Final = {
    **{"--sandbox": "sandbox", "--check": "check", "--verbose": "verbose", "--quiet": "quiet"},
    **{"-v": "verbose", "-q": "quiet", "--full": "full"},
    **{"--failed": "failed", "--new": "new", "--fail-fast": "fail_fast"},
    **{"--resume": "resume", "--cached": "cached"},
}
_WITH_VALUE: Final = {
    **{"--jobs": "jobs", "-j": "jobs", "--wall": "wall", "--deliver": "deliver"},
    **{"--repeat": "repeat", "--results": "results", "--case": "cases"},
    **{"--tag": "tags", "--shard": "shard", "--max-failures": "max_failures"},
    **{"--subject": "subjects"},
}
# Far within what click would accept: 1 to 512 jobs, 1 to 1,000 repetitions.
_COUNT: Final = "[1-9][0-9]?"
_SECONDS: Final = r"[1-9][0-9]{0,5}(?:\.[0-9]{1,6})?"


def quick_options(words: list[str]) -> RunOptions | None:
    """The options in the words behind `run`; None: click is to read them, and may refuse them."""
    found: dict[str, Any] = {}
    suites: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _FLAGS:
            found[_FLAGS[word]] = True
        elif not word.startswith("-"):
            suites.append(word)
        elif not _take(*_parted(word, rest), found):
            return None
    return RunOptions(suites=tuple(suites), **found)


def _parted(word: str, rest: Iterator[str]) -> tuple[str, str]:
    """An option and its value, of one word (--jobs=2, -j2) or of two."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return (name, value) if equals else (name, next(rest, ""))
    return (word[:2], word[2:]) if word[2:] else (word, next(rest, ""))


def _take(name: str, value: str, found: dict[str, Any]) -> bool:
    """Note an option's value. False: this is beyond the quick road."""
    option = _WITH_VALUE.get(name)
    if option is None or value[:1] in ("", "-"):
        return False
    if option in ("cases", "tags", "subjects"):
        found[option] = (*found.get(option, ()), value)
    elif option in ("jobs", "repeat", "max_failures"):
        found[option] = int(value) if re.fullmatch(_COUNT, value) else None
    elif option == "wall":
        found[option] = float(value) if re.fullmatch(_SECONDS, value) else None
    else:
        found[option] = value
    return found[option] is not None
