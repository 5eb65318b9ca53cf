"""Answer the corpus with each mutant of engines/ and xtests/: a survivor is printed.

The programs run as Python functions in a fork of this process; the cases alone, compared as suites
compare them, must notice the mutant. `equivalent.toml` lists those that no output of a program can
show, with reasons; the change "*" stands for all of a definition. Calls are not changed, nor are
messages, which no suite compares. Modules in _UNSEEN are not tried: no program that prints JSON
runs them.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import json
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import spec_from_loader
from multiprocessing import get_context
from types import ModuleType
from typing import Final

from support.mutation import sample
from support.xtest import PACKAGES

_CPU_S: Final = 60  # for a mutant that never ends
_MEMORY: Final = 4 << 30  # bytes, for the same reason

# Pictures, pages, terminals, the notebook's dialogs, and the process side of the programs; golden
# files and scenarios show these.
_UNSEEN: Final = (
    *("engines.bitboard36.drawing", "engines.bitboard36.pictures", "engines.bitboard36.numbering"),
    *("engines.isolation.picture", "engines.tictactoe.notebook", "engines.tictactoe.picture"),
    *("engines.tsuro.page", "engines.tsuro.page_assets", "engines.tsuro.picture"),
    *("engines.tsuro.terminal", "engines.deferred", "engines.result", "engines.svg"),
    *("xtests.stdio", "xtests.xdraw"),
)
# The suites that run a package, the quickest first.
_SUITES: Final = {
    "engines.tsuro": ("xmoves", "xrules", "xboard", "xtiles", "xref", "xadmin"),
    "engines.isolation": ("xisolation",),
    "engines.tictactoe": ("xtictactoe",),
    "engines.bitboard36": ("xbitboard36",),
    "engines.bits": ("xbitboard36", "xisolation", "xtictactoe"),
    "xtests.bitboard36_wire": ("xbitboard36",),
    "xtests.players": ("xref", "xadmin"),
    "xtests.request": ("xbitboard36", "xtictactoe", "xisolation"),
    "xtests.tsuro_wire": ("xtiles", "xmoves", "xrules", "xboard", "xref"),
    "xtests": ("xtiles", "xmoves", "xrules", "xref", "xbitboard36", "xtictactoe", "xisolation"),
}


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports one module from a text."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module."""
        # pylint: disable=unused-argument  # required by MetaPathFinder
        return spec_from_loader(fullname, self) if fullname == self._module else None

    def get_source(self, fullname: str) -> str:
        """Return the changed text."""
        return self._source


def _suites_of(module: str) -> tuple[str, ...]:
    name = module.rpartition(".")[2]
    if module.startswith("xtests.x"):
        return (name,)
    parts = module.split(".")
    return next(
        _SUITES[prefix]
        for end in range(len(parts), 0, -1)
        if (prefix := ".".join(parts[:end])) in _SUITES
    )


def _is_noticed(module: str, source: str) -> bool:
    """Return whether a case fails with the mutant, in a fork of this process."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            sys.meta_path.insert(0, _Loader(module, source))
            status = 0 if _passes(_suites_of(module)) else 1
        finally:
            # Also after an exception, which a program would report as its own fault.
            os._exit(status)
    _, status = os.waitpid(process, 0)
    return status != 0


def _passes(suites: Sequence[str]) -> bool:
    # Imported here: the mutant must be in its place before the programs are imported.
    # pylint: disable=import-outside-toplevel
    from support.wire import compared

    return all(
        _text(compared(suite, case_input)) == expected
        for suite in suites
        for case_input, expected in _CASES[suite]
    )


def _text(values: object) -> str:
    return json.dumps(values, sort_keys=True)


_CASES: Final[dict[str, list[tuple[bytes, str]]]] = {}


def _read_cases() -> None:
    """Read the cases without the programs, the shortest first."""
    for folder in sorted((PACKAGES / "test_cases").iterdir()):
        cases = []
        for file in folder.glob("*-in.json"):
            expected = file.with_name(file.name.replace("-in.json", "-out.json"))
            values = [json.loads(line) for line in expected.read_bytes().splitlines()]
            for value in values:
                if isinstance(value, dict) and isinstance(value.get("error"), dict):
                    value["error"].pop("message", None)
            cases.append((file.read_bytes(), _text(values)))
        _CASES[folder.name] = sorted(cases, key=lambda case: len(case[0]))


def _modules() -> Iterator[str]:
    for package in ("engines", "xtests"):
        for file in sorted((PACKAGES / package).rglob("*.py")):
            module = ".".join(file.relative_to(PACKAGES).with_suffix("").parts)
            if file.stem != "__init__" and module not in _UNSEEN:
                yield module


def main() -> int:
    """Try the mutants, and return 1 if one survives that is not listed as equivalent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as engines.tsuro.rules; default: all")
    parser.add_argument("--count", type=int, default=None, help="mutants to try; default: all")
    options = parser.parse_args()
    modules = options.modules or _modules()
    mutants, total = sample(modules, options.count, calls=False, messages=False)
    _read_cases()
    survivors = 0
    # Forked, so that the workers have the cases.
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        changed = [mutant.module for mutant in mutants], [mutant.source() for mutant in mutants]
        for mutant, noticed in zip(mutants, pool.map(_is_noticed, *changed), strict=True):
            if not noticed:
                survivors += 1
                print(mutant, flush=True)
    print(f"{survivors} of {len(mutants)} mutants survive; {total:,} could be tried")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
