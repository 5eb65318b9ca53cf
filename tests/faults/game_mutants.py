"""Make mutants of engines/ and xtests/, and answer the corpus with each: a survivor is printed.

A mutant changes an operator, a condition, a number or a returned value. The programs run as Python
functions in a fork of this process; the cases alone, compared as suites compare them, must notice
the mutant. `equivalent.toml` lists those that no output of a program can show, with reasons;
the change "*" stands for all of a definition. Modules in _UNSEEN are not tried: no program that
prints JSON runs them.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import json
import os
import resource
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from importlib.util import spec_from_loader
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

from support.xtest import PACKAGES

_CPU_S: Final = 60  # for a mutant that never ends
_MEMORY: Final = 4 << 30  # bytes, for the same reason
_EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")

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
_OTHER_OPERATOR: Final[dict[type[ast.AST], type[ast.AST]]] = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt},
    **{ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift},
    **{ast.RShift: ast.LShift, ast.BitXor: ast.BitOr, ast.Mod: ast.FloorDiv},
}


class Mutant(NamedTuple):
    """A changed module."""

    module: str
    where: str  # module:name
    line: int
    change: str
    source: str

    @property
    def digest(self) -> bytes:
        """A number that chance gave, the same in each run."""
        return sha256(f"{self.where} {self.change}".encode()).digest()


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


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield all mutants of the functions, methods and constants of a module."""
    tree = ast.parse(source)
    for name, definition in _definitions(tree.body):
        for node in _nodes(definition):
            for field, value in _changes(node):
                original, before = getattr(node, field), ast.unparse(node)
                setattr(node, field, value)
                change = f"{_first_line(before)} -> {_first_line(ast.unparse(node))}"
                text = ast.unparse(tree)
                setattr(node, field, original)
                line = getattr(node, "lineno", definition.lineno)
                yield Mutant(module, f"{module}:{name}", line, change, text)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name, body=members):
                yield from _definitions(members, f"{outer}{name}.")
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(name)):
                yield outer + name, node
            case ast.Assign(targets=[ast.Name(name)]):
                yield outer + name, node


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    # Not what is a message: no suite compares it.
    if isinstance(node, (ast.JoinedStr, ast.Raise)):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    match node:
        case ast.Compare(ops=[operator]):
            yield "ops", [_OTHER_OPERATOR[type(operator)]()]
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) | ast.AugAssign(op=operator):
            if type(operator) in _OTHER_OPERATOR:
                yield "op", _OTHER_OPERATOR[type(operator)]()
        case ast.If(test=test) | ast.IfExp(test=test):
            yield "test", ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool() as value):
            yield "value", not value
        case ast.Constant(value=int() as value):
            yield "value", value + 1
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "value", ast.Constant(None)


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


def _is_noticed(mutant: Mutant) -> bool:
    """Return whether a case fails with the mutant, in a fork of this process."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            sys.meta_path.insert(0, _Loader(mutant.module, mutant.source))
            status = 0 if _passes(_suites_of(mutant.module)) else 1
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
    equivalent = tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))
    mutants = [
        mutant
        for module in options.modules or _modules()
        for mutant in mutants_of(module, _file(module).read_text(encoding="utf-8"))
        if not {mutant.change, "*"} & equivalent.get(mutant.where, {}).keys()
    ]
    _read_cases()
    sample = sorted(mutants, key=lambda mutant: mutant.digest)[: options.count]
    survivors = 0
    # Forked, so that the workers have the cases.
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        for mutant, noticed in zip(sample, pool.map(_is_noticed, sample), strict=True):
            if not noticed:
                survivors += 1
                path = os.path.relpath(_file(mutant.module))
                print(f"{path}:{mutant.line}: {mutant.where}: {mutant.change}", flush=True)
    print(f"{survivors} of {len(sample)} mutants survive; {len(mutants):,} could be tried")
    return int(survivors > 0)


def _file(module: str) -> Path:
    return PACKAGES.joinpath(*module.split(".")).with_suffix(".py")


if __name__ == "__main__":
    sys.exit(main())
