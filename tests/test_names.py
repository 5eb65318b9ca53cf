"""A name has one meaning."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import harness

PACKAGE = Path(harness.__file__).parent


def test_no_two_classes_of_the_harness_have_the_same_name() -> None:
    names = Counter(
        node.name.lstrip("_")
        for file in PACKAGE.rglob("*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert names["Verdict"] == 1
    assert not [name for name, number in names.items() if number > 1]
