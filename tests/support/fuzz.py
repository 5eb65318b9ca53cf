"""Compile schemas for drawing inputs."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from harness.fuzz.schema import CompiledSchema
from harness.judging.schema_values import ExactValidator, parse_schema


def compiled(text: str) -> tuple[CompiledSchema, Draft202012Validator]:
    """Return a schema for drawing, and the validator of suites for it."""
    schema = parse_schema(text)
    uri = schema.get("$id", "")
    registry: Registry[Any] = Registry().with_resource(uri, DRAFT202012.create_resource(schema))
    return CompiledSchema(schema, registry.resolver(uri)), ExactValidator(schema, registry=registry)
