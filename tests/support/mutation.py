"""Make mutants of modules: copies with one other operator, condition, number or call."""

from __future__ import annotations

import ast
import os
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from support.faults import TESTS, defined_name
from support.xtest import PACKAGES

_EQUIVALENT: Final = TESTS / "faults" / "equivalent.toml"
_OTHER_OPERATOR: Final[dict[type[ast.AST], type[ast.AST]]] = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt},
    **{ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift},
    **{ast.RShift: ast.LShift, ast.BitXor: ast.BitOr, ast.Mod: ast.FloorDiv},
}


class Mutant(NamedTuple):
    """A change of one node of a module."""

    module: str
    where: str  # module:name, as in planted faults
    line: int
    change: str  # the second of two equal ones in a definition ends with " #2"
    tree: ast.Module
    node: ast.AST
    field: str
    value: object

    def __str__(self) -> str:
        file = os.path.relpath(file_of(PACKAGES, self.module))
        return f"{file}:{self.line}: {self.where}: {self.change}"

    @property
    def digest(self) -> bytes:
        """A number that chance gave, the same in each run."""
        return sha256(f"{self.where} {self.change}".encode()).digest()

    def source(self) -> str:
        """Return the text of the changed module."""
        original = getattr(self.node, self.field)
        setattr(self.node, self.field, self.value)
        text = ast.unparse(self.tree)
        setattr(self.node, self.field, original)
        return text


def sample(
    modules: Iterable[str],
    count: int | None,
    *,
    calls: bool = True,
    messages: bool = True,
    listed: bool = False,
) -> tuple[list[Mutant], int]:
    """Return mutants of modules, and how many there are.

    Those with the smallest digests are taken, so that a change of one function leaves the sample of
    the others as it is. `calls`: also calls removed or with swapped arguments; `messages`: also
    mutants of f-strings and `raise`; `listed`: also those that equivalent.toml lists.
    """
    mutants = [
        mutant
        for module in modules
        for mutant in _mutants_of(module, calls=calls, messages=messages)
        if listed or not is_listed(mutant)
    ]
    return sorted(mutants, key=lambda mutant: mutant.digest)[:count], len(mutants)


def is_listed(mutant: Mutant) -> bool:
    """Return whether equivalent.toml lists a mutant, or all of its definition as "*"."""
    return not _equivalent().get(mutant.where, {}).keys().isdisjoint({mutant.change, "*"})


@cache
def _equivalent() -> dict[str, dict[str, str]]:
    return tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))


def file_of(packages: Path, module: str) -> Path:
    """Return the file of a module."""
    return packages.joinpath(*module.split(".")).with_suffix(".py")


def _mutants_of(module: str, *, calls: bool, messages: bool) -> Iterator[Mutant]:
    tree = ast.parse(file_of(PACKAGES, module).read_text(encoding="utf-8"))
    for name, definition in _definitions(tree.body):
        count = Counter[str]()
        for node in _nodes(definition, messages=messages):
            for field, value in _changes(node, calls=calls):
                original, before = getattr(node, field), ast.unparse(node)
                setattr(node, field, value)
                change = f"{_first_line(before)} -> {_first_line(ast.unparse(node))}"
                setattr(node, field, original)
                count[change] += 1
                change += f" #{count[change]}" if count[change] > 1 else ""
                line = getattr(node, "lineno", definition.lineno)
                yield Mutant(module, f"{module}:{name}", line, change, tree, node, field, value)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{outer}{node.name}.")
        elif name := defined_name(node):
            yield outer + name, node


def _nodes(node: ast.AST, *, messages: bool) -> Iterator[ast.AST]:
    if not messages and isinstance(node, (ast.JoinedStr, ast.Raise)):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child, messages=messages)


def _changes(node: ast.AST, *, calls: bool) -> Iterator[tuple[str, object]]:
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
        case _ if calls:
            yield from _changed_calls(node)


def _changed_calls(node: ast.AST) -> Iterator[tuple[str, object]]:
    match node:
        case ast.Expr(value=ast.Call()):
            yield "value", ast.Constant(None)
        case ast.Call(args=[first, second, *others]):
            yield "args", [second, first, *others]
