"""Make mutants of harness/, and run the tests of each: `tox -e faults` prints those that survive.

A mutant changes an operator, a condition, a number, a returned value, an order of arguments, or
removes a call. Those are tried whose digest is smallest, so that a change of one function leaves
the sample of the others as it is. Modules that no quick test imports are left alone: they have
planted faults, scenarios and slow tests.
"""

from __future__ import annotations

import argparse
import ast
import os
import resource
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from conftest import is_slow
from support.faults import TESTS, TestForks, copy_packages, defined_name, replaced
from support.xtest import PACKAGES

_MOST_SURVIVORS: Final = 0.4  # of those tried
_MOST_FILES: Final = 8  # of tests that a mutant is tried with
_CPU_S: Final = 20  # for a mutant that never ends
_MEMORY: Final = 4 << 30  # bytes, for the same reason
_EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
_OTHER_OPERATOR: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
}


class Mutant(NamedTuple):
    """A change of one node of a module."""

    module: str
    where: str  # module:name, as in planted faults
    line: int
    change: str
    tree: ast.Module
    node: ast.AST
    field: str
    value: object

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


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield all mutants of the functions, methods and constants of a module."""
    tree = ast.parse(source)
    for name, definition in _definitions(tree.body):
        for node in _nodes(definition):
            for field, value in _changes(node):
                original, before = getattr(node, field), ast.unparse(node)
                setattr(node, field, value)
                change = _shorten(before, ast.unparse(node))
                setattr(node, field, original)
                line = getattr(node, "lineno", definition.lineno)
                yield Mutant(module, f"{module}:{name}", line, change, tree, node, field, value)


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{outer}{node.name}.")
        elif name := defined_name(node):
            yield outer + name, node


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
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
        case ast.Return(value=ast.expr()) | ast.Expr(value=ast.Call()):
            yield "value", ast.Constant(None)
        case ast.Call(args=[first, second, *others]):
            yield "args", [second, first, *others]


def _shorten(before: str, after: str) -> str:
    """Describe a change by the first lines: `if x: -> if not x:`."""
    return f"{before.partition(chr(10))[0]} -> {after.partition(chr(10))[0]}"


def tests_by_module() -> dict[str, list[str]]:
    """Return for each module that quick tests import these tests, and those of its users.

    At most eight files: the test of its name, those that import it themselves, and the tests of
    the names of its users come first.
    """
    users = defaultdict[str, set[str]](set)  # files of tests, and modules
    for file in PACKAGES.glob("harness/**/*.py"):
        for module in _imported(file):
            users[module].add(".".join(file.relative_to(PACKAGES).with_suffix("").parts))
    for file in TESTS.rglob("test_*.py"):
        for module in _imported(file) if not is_slow(file) else ():
            users[module].add(str(file.relative_to(TESTS)))
    tests = {module: _tests_of(module, users) for module in sorted(users)}
    return {module: files for module, files in tests.items() if files}


def _imported(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules = {str(each.module) for each in imports}
    return {module for module in modules if module.startswith("harness.")}


def _tests_of(module: str, users: Mapping[str, set[str]]) -> list[str]:
    direct = {each for each in users[module] if each.endswith(".py")}
    others = {each for user in users[module] for each in users.get(user, ())}
    mirrors = {_mirror_of(user) for user in users[module]}

    def distance(file: str) -> tuple[bool, bool, bool, str]:
        name = Path(file).name
        return name != _mirror_of(module), file not in direct, name not in mirrors, file

    files = {each for each in direct | others if each.endswith(".py")}
    return sorted(files, key=distance)[:_MOST_FILES] if direct else []


def _mirror_of(module: str) -> str:
    return f"test_{module.rpartition('.')[2]}.py"


def main() -> int:
    """Try a sample of the mutants, and return 1 if too many survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as harness.judging.judge; default: all")
    parser.add_argument("--count", type=int, default=200, help="mutants to try (%(default)s)")
    options = parser.parse_args()
    tests = tests_by_module()
    equivalent = tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))
    mutants = [
        mutant
        for module in options.modules or tests
        if (file := _file(PACKAGES, module)).exists()
        for mutant in mutants_of(module, file.read_text(encoding="utf-8"))
        if mutant.change not in equivalent.get(mutant.where, {})
    ]
    sample = sorted(mutants, key=lambda mutant: mutant.digest)[: options.count]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    count = 0
    for mutant in _survivors(sample, tests):
        count += 1
        path = os.path.relpath(_file(PACKAGES, mutant.module))
        print(f"{path}:{mutant.line}: {mutant.change}", flush=True)
    print(f"{count} of {len(sample)} mutants survive; {len(mutants):,} could be tried")
    return int(count > _MOST_SURVIVORS * len(sample))


def _file(packages: Path, module: str) -> Path:
    return packages.joinpath(*module.split(".")).with_suffix(".py")


def _survivors(sample: list[Mutant], tests: dict[str, list[str]]) -> Iterator[Mutant]:
    """Yield the mutants that survive, in the order of the sample."""
    with tempfile.TemporaryDirectory() as temporary:
        free = SimpleQueue[tuple[Path, TestForks]]()
        size = os.cpu_count() or 1
        copies = [copy_packages(Path(temporary) / f"copy-{each}") for each in range(size)]
        all_forks = [TestForks(copy, copy, _CPU_S) for copy in copies]
        for place in zip(copies, all_forks, strict=True):
            free.put(place)

        def is_noticed(mutant: Mutant, source: str) -> bool:
            packages, forks = free.get()
            with replaced(_file(packages, mutant.module), source):
                noticed, _ = forks.fail(tests[mutant.module])
            free.put((packages, forks))
            return noticed

        with ThreadPoolExecutor(size) as pool:
            # The sources are made here, since mutants of a module share a tree.
            noticed = pool.map(is_noticed, sample, [mutant.source() for mutant in sample])
            yield from (mutant for mutant, each in zip(sample, noticed, strict=True) if not each)
        for forks in all_forks:
            forks.close()


if __name__ == "__main__":
    sys.exit(main())
