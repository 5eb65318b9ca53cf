"""Make what draws the inputs of a suite: from its schema, or from the shapes of its inputs."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from referencing import Registry
from referencing.jsonschema import DRAFT202012

from harness.errors import UsageError
from harness.fuzz.generator import Generator
from harness.fuzz.mutation import InputMaker
from harness.fuzz.schema import CompiledSchema
from harness.fuzz.shapes import learn_schema
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.model.case import InputKind
from harness.suites.cases import BrokenCase, read_input
from harness.suites.loading import Suite
from harness.suites.schema_checks import load_input_schema
from harness.text import escape_nonprintable

_MOST_INPUTS: Final = 300  # existing ones that are changed and crossed
_LARGEST: Final = 8_192  # bytes of such an input


class Inputs(NamedTuple):
    """The maker of inputs, and its schema; `is_learned`: from the suite's inputs."""

    maker: InputMaker
    schema: CompiledSchema
    is_learned: bool


def make_inputs(suite: Suite, seed: int, *, is_invalid: bool = False) -> Inputs:
    """Return what makes the inputs of a suite. Raises UsageError."""
    corpus = existing_inputs(suite)
    loaded = load_input_schema(suite)
    if loaded is None and not corpus:
        raise UsageError(
            f"{escape_nonprintable(suite.name)}: no input schema, and no input of at most"
            f" {_LARGEST:,} bytes to learn from"
        )
    if loaded is None:
        learned = learn_schema(corpus)
        resource = DRAFT202012.create_resource(learned)
        registry: Registry[Any] = Registry()
        loaded = learned, registry.with_resource("", resource).resolver("")
    whole, resolver = loaded
    if whole is True or isinstance(whole, dict):  # of a stream of values, whatever they are
        whole = {"type": "array"} | (whole if isinstance(whole, dict) else {})
    if isinstance(whole, dict) and "array" not in whole["type"]:
        raise UsageError(
            f"{escape_nonprintable(suite.name)}: its input schema must describe the array of all"
            ' values of an input: {"type": "array", "items": ...}'
        )
    try:
        schema = CompiledSchema(whole, resolver)
    except (AttributeError, RecursionError, TypeError, ValueError):
        raise UsageError(
            f"{escape_nonprintable(suite.name)}: its input schema is no valid JSON Schema, or is"
            " nested too deep"
        ) from None
    maker = InputMaker(Generator(schema), corpus, seed, is_invalid=is_invalid)
    return Inputs(maker, schema, not suite.settings.input)


def existing_inputs(suite: Suite) -> list[Json]:
    """Return the inputs of a suite, each as the array of its values, without large ones.

    Raises UsageError if none can be read, as of dialogues.
    """
    found, problems = list[Json](), list[str]()
    names = list(suite.names)
    step = max(1, len(names) // _MOST_INPUTS)  # similar cases are neighbours
    for index in sorted(range(len(names)), key=lambda index: index % step):
        if len(found) == _MOST_INPUTS:
            break
        name = names[index]
        if suite.settings.policy_for(name)[1] is not InputKind.JSON:
            continue
        try:
            stdin = read_input(suite, name, index)
        except BrokenCase as problem:
            problems.append(str(problem))
            continue
        values, fault = decode(stdin, 64)
        if fault is None and len(stdin) <= _LARGEST:
            found.append(values)
    if problems and len(problems) == len(suite.names):
        raise UsageError(f"{escape_nonprintable(suite.name)}: {problems[0]}")
    return found
