"""Make mutants of engines/ and xtests/, and answer the corpus with each.

The programs run as Python functions in forks of this process; the cases alone, compared as suites
compare them, must notice each mutant that `equivalent.toml` does not list, and none that it lists.
There, the change "*" stands for all of a definition. Modules in _UNSEEN are not tried: no program
that prints JSON runs them.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import spec_from_loader
from types import CodeType, ModuleType
from typing import Final

from support.mutation import Mutant, is_listed, sample
from support.xtest import PACKAGES

_CPU_FACTOR: Final = 5  # of what the programs take as they are, for a mutant that never ends
_CPU_MORE_S: Final = 2
_MEMORY: Final = 1 << 30  # bytes, for the same reason
_NOT_TRIED: Final = 3  # the exit status of a fork that could not try its mutant

# Pictures, pages, terminals, the notebook's dialogs, and the process side of the programs; golden
# files and scenarios show these.
_UNSEEN: Final = (
    *("engines.bitboard36.drawing", "engines.bitboard36.pictures", "engines.bitboard36.numbering"),
    *("engines.isolation.picture", "engines.tictactoe.notebook", "engines.tictactoe.picture"),
    *("engines.tsuro.page", "engines.tsuro.page_assets", "engines.tsuro.picture"),
    *("engines.tsuro.terminal", "engines.deferred", "engines.result", "engines.svg"),
    *("xtests.stdio", "xtests.xdraw"),
)
# Texts and pictures for Python, and the process side of a program, which scenarios test.
_UNSEEN_FUNCTIONS: Final = ("main", "__repr__", "_repr_svg_", "_repr_html_")
# By whether a case notices the mutant, and whether it is listed as equivalent.
_FATES: Final = {
    (True, False): "noticed",
    (False, True): "equivalent",
    (False, False): "not noticed",
    (True, True): "listed as equivalent but noticed",
}
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
    "xtests.tsuro_wire": ("xtiles", "xmoves", "xrules", "xboard", "xref", "xadmin"),
    "xtests": (
        *("xtiles", "xmoves", "xrules", "xboard", "xref"),
        *("xbitboard36", "xtictactoe", "xisolation", "xadmin"),
    ),
}


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the changed module of a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module."""
        # pylint: disable=unused-argument  # required by MetaPathFinder
        return spec_from_loader(fullname, self) if fullname == self._mutant.module else None

    def get_source(self, fullname: str) -> None:
        """Return None: there is code alone."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the changed module."""
        setattr(self._mutant.node, self._mutant.field, self._mutant.value)
        return compile(ast.fix_missing_locations(self._mutant.tree), fullname, "exec")


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


def _try(mutants: Iterable[Mutant]) -> Iterator[tuple[Mutant, bool]]:
    """Try mutants in forks of this process, and yield each with whether a case fails with it."""
    running: dict[int, Mutant] = {}
    for mutant in mutants:
        if len(running) == (os.cpu_count() or 1):
            yield _wait(running)
        running[_start(mutant)] = mutant
    while running:
        yield _wait(running)


def _wait(running: dict[int, Mutant]) -> tuple[Mutant, bool]:
    process, status = os.wait()
    assert os.waitstatus_to_exitcode(status) != _NOT_TRIED
    return running.pop(process), status != 0


def _start(mutant: Mutant) -> int:
    suites = _suites_of(mutant.module)
    limit = _CPU_MORE_S + int(_CPU_FACTOR * sum(_SECONDS[suite] for suite in suites))
    _users_of(mutant.module)  # Cached before the fork.
    process = os.fork()
    if process == 0:
        status = _NOT_TRIED
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            _import_anew(mutant)
            status = 1
            status = 0 if _passes(suites) else 1
        finally:
            # Also after an exception, which a program would report as its own fault.
            os._exit(status)
    return process


def _import_anew(mutant: Mutant) -> None:
    """Let the mutant be imported in place of its module, and its users with it."""
    for name in _users_of(mutant.module):
        package, _, last = name.rpartition(".")
        vars(_LOADED[package]).pop(last, None)
        del sys.modules[name]
    sys.meta_path.insert(0, _Loader(mutant))


@cache
def _users_of(module: str) -> set[str]:
    """Return the modules that import a module, themselves or through others, and the module."""
    imported = _imported_by_module()
    users = {module}
    while more := {name for name in imported if users & imported[name]} - users:
        users |= more
    return users & sys.modules.keys()


@cache
def _imported_by_module() -> dict[str, set[str]]:
    sources = {
        name: inspect.getsource(module)
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("engines", "xtests") or name == "support.wire"
    }
    return {name: set(_imported(source)) for name, source in sources.items()}


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _passes(suites: Sequence[str]) -> bool:
    # Imported here: in a fork, the programs are imported again, with the mutant in its place.
    # pylint: disable-next=import-outside-toplevel
    from support.wire import compared

    return all(
        _text(compared(suite, case_input)) == expected
        for suite in suites
        for case_input, expected in _CASES[suite]
    )


def _text(values: object) -> str:
    return json.dumps(values, sort_keys=True)


_CASES: Final[dict[str, list[tuple[bytes, str]]]] = {}
_LOADED: Final[dict[str, ModuleType]] = {}  # the modules of the programs as they are
_SECONDS: Final[dict[str, float]] = {}  # that the programs take for the cases, as they are


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
    parser.add_argument("--listed", action="store_true", help="try the equivalent ones as well")
    options = parser.parse_args()
    modules = options.modules or _modules()
    mutants, total = sample(
        modules, options.count, calls=False, messages=False, listed=options.listed
    )
    mutants = [each for each in mutants if options.listed or not _is_listed(each)]
    _read_cases()
    _passes(tuple(_CASES))  # Imports the programs.
    for suite in _CASES:
        start = time.process_time()
        if not _passes((suite,)):
            print(f"a case of {suite} fails without a mutant: see tests/corpus/test_corpus.py")
            return 1
        _SECONDS[suite] = time.process_time() - start
    _LOADED.update(sys.modules)
    for mutant, is_noticed in _try(_unchanged(mutants)):
        assert not is_noticed, f"{mutant.module} fails as it is, imported anew"
    gc.freeze()  # Forks share what they do not write to.
    count = Counter[str]()
    for mutant, is_noticed in _try(mutants):
        fate = _FATES[is_noticed, _is_listed(mutant)]
        count[fate] += 1
        if is_noticed == _is_listed(mutant):
            print(f"{mutant}: {fate}", flush=True)
    numbers = ", ".join(f"{count[fate]:,} {fate}" for fate in _FATES.values())
    print(f"{len(mutants):,} of {total:,} mutants tried: {numbers}")
    return int(count[_FATES[False, False]] + count[_FATES[True, True]] > 0)


def _is_listed(mutant: Mutant) -> bool:
    function = mutant.where.rpartition(":")[2].rpartition(".")[2]
    return function in _UNSEEN_FUNCTIONS or is_listed(mutant)


def _unchanged(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return a mutant of each module that changes nothing."""
    by_module = {each.module: each for each in mutants}
    return [each._replace(value=getattr(each.node, each.field)) for each in by_module.values()]


if __name__ == "__main__":
    sys.exit(main())
