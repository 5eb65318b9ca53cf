"""Deferred imports: a package's public names and its notebook pictures, loaded on first use.

The programs of xtests/ start once a case. Importing all of engines.tsuro takes about 20 ms longer
than importing engines.tsuro.board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

__all__ = ["deferred_names", "deferred_pictures", "draw"]

_DRAWING_FUNCTIONS: Final[dict[tuple[str, str], str]] = {}


def deferred_names(
    package: str, names_by_module: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package that imports its names on first use.

    `names_by_module` maps a module of the package to the names it exports, separated by spaces.
    """
    modules = {name: module for module, names in names_by_module.items() for name in names.split()}

    def get_attribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(import_module(package), name, value)  # later uses skip this function
        return value

    return get_attribute, lambda: sorted(modules)


def deferred_pictures(
    package: str, functions_by_class: Mapping[str, str], kind: str = "svg"
) -> None:
    """Register the function that draws each class; both as "module.name" within the package.

    `kind` is "svg" or "html".

    Registered from outside, so that the module of a class does not import the one that draws it,
    which imports the class.
    """
    for class_name, function_name in functions_by_class.items():
        _DRAWING_FUNCTIONS[kind, f"{package}.{class_name}"] = f"{package}.{function_name}"


def draw(value: object, kind: str = "svg") -> str:
    """Return a value as SVG or HTML, by the function registered for its class or a base class."""
    for cls in type(value).__mro__:
        function_name = _DRAWING_FUNCTIONS.get((kind, f"{cls.__module__}.{cls.__qualname__}"))
        if function_name is not None:
            module, _, name = function_name.rpartition(".")
            picture: str = getattr(import_module(module), name)(value)
            return picture
    raise TypeError(f"{type(value).__name__}: no drawing function is registered")
