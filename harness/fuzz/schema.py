"""Compile a JSON Schema into parts, from which inputs are drawn and which say what is valid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.fuzz.parts import HEIGHT, LARGEST, Bound, Part, canonical
from harness.fuzz.patterns import FORMATS, compiled
from harness.fuzz.validity import seal
from harness.fuzz.values import decimal_of
from harness.jsonio.decoder import Json, Number

# Keywords without a meaning for validity.
_ANNOTATIONS: Final = {
    *("$schema", "$id", "$anchor", "$defs", "$comment", "$vocabulary", "title", "description"),
    *("default", "examples", "deprecated", "readOnly", "writeOnly", "definitions", "format"),
    *("contentEncoding", "contentMediaType", "contentSchema", "$dynamicAnchor", "dependencies"),
}
_KNOWN: Final = {
    *("type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minLength", "maxLength", "pattern", "prefixItems", "items", "contains"),
    *("minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "properties"),
    *("patternProperties", "additionalProperties", "propertyNames", "required"),
    *("dependentRequired", "dependentSchemas", "minProperties", "maxProperties", "allOf", "anyOf"),
    *("oneOf", "not", "if", "then", "else", "$ref"),
}

_MOST_DIGITS: Final = 18  # of a size
_HUGE: Final = 10**_MOST_DIGITS


class CompiledSchema:
    """A schema of inputs, as parts; `unknown` are its keywords that are not compiled, with places.

    `too_large` are the sizes that no input reaches. `branches` are the places of the schema that
    inputs can be known to take: each value of an enum, each alternative, each bound, and members
    that may be missing.
    """

    def __init__(self, schema: Any, resolver: Any) -> None:
        self.unknown: dict[str, str] = {}
        self.too_large: dict[str, str] = {}
        self.branches: dict[str, int] = {}
        self._parts: dict[int, Part] = {}
        self._kept: list[Any] = []  # so that no identity is used twice
        self.root = self._part(schema, "#", resolver)
        for part in self._parts.values():
            seal(part)
        self._set_heights()

    def _part(self, schema: Any, where: str, resolver: Any) -> Part:
        if isinstance(schema, dict) and id(schema) in self._parts:
            return self._parts[id(schema)]
        part = Part(where)
        self._kept.append(schema)
        self._parts[id(schema) if isinstance(schema, dict) else id(part)] = part
        self._kept.append(part)
        if schema is False:
            part.is_never = True
        if isinstance(schema, dict):
            _Compiler(self, part, schema, resolver).compile()
        return part

    def compile_part(self, schema: Any, where: str, resolver: Any) -> Part:
        return self._part(schema, where, resolver)

    def add_branch(self, where: str) -> None:
        self.branches.setdefault(where, len(self.branches))

    def _set_heights(self) -> None:
        """Find the depth of the lowest value of each part, and the parts without a deepest one."""
        parts, has_changed = list(self._parts.values()), True
        while has_changed:
            has_changed = False
            for part in parts:
                height = _height(part)
                has_changed |= height < part.height
                part.height = min(part.height, height)
        has_changed = True
        while has_changed:
            has_changed = False
            for part in parts:
                if part.is_endless and not any(each.is_endless for each in part.inner()):
                    part.is_endless, has_changed = False, True


def _height(part: Part) -> int:
    if part.is_never:
        return HEIGHT
    heights = [each.height for each in part.all_of]
    heights += [min(each.height for each in some) for some in (part.any_of, part.one_of) if some]
    if part.enum is not None or part.types is not None and not part.types <= {"array", "object"}:
        return max(heights, default=0)
    below = [part.properties[key].height for key in part.required if key in part.properties]
    if part.sizes[0]:
        inner = (part.element(index) for index in range(min(part.sizes[0], len(part.prefix) + 1)))
        below += (each.height for each in inner if each is not None)
    return max([*heights, *(each + 1 for each in below), 0])


class _Compiler:
    """Sets the fields of one part from the keywords of its schema."""

    def __init__(
        self, whole: CompiledSchema, part: Part, schema: Mapping[str, Any], resolver: Any
    ) -> None:
        self._whole = whole
        self._part = part
        self._schema = schema
        if "$id" in schema and part.where != "#":
            resolver = resolver.in_subresource(DRAFT202012.create_resource(schema))
        self._resolver = resolver

    def compile(self) -> None:
        for word in self._schema:
            place = f"{self._part.where}/{word}"
            if word not in _KNOWN and word not in _ANNOTATIONS and not word.startswith("x-"):
                self._whole.unknown.setdefault(word, place)
        self._values()
        self._numbers()
        self._texts()
        self._arrays()
        self._objects()
        self._combinations()

    def _get(self, word: str) -> Part | None:
        return self._inner(self._schema[word], word) if word in self._schema else None

    def _inner(self, schema: Any, *steps: object) -> Part:
        where = "/".join((self._part.where, *map(str, steps)))
        return self._whole.compile_part(schema, where, self._resolver)

    def _list(self, word: str) -> list[Part]:
        given = self._schema.get(word, ())
        return [self._inner(each, word, number) for number, each in enumerate(given)]

    def _branch(self, *steps: object) -> str:
        where = "/".join((self._part.where, *map(str, steps)))
        self._whole.add_branch(where)
        return where

    def _pair(self, least: str, most: str) -> tuple[int, int | None]:
        low, high = (_size(self._schema.get(word)) for word in (least, most))
        for word, bound in ((least, low), (most, high)):
            if bound is not None:
                self._branch(word)
        if low is not None and low > LARGEST:
            self._whole.too_large.setdefault(f"{least} {low:,}", f"{self._part.where}/{least}")
        return low or 0, high

    def _values(self) -> None:
        part, schema = self._part, self._schema
        if "type" in schema:
            names = schema["type"]
            part.types = frozenset([names] if isinstance(names, str) else names)
        if "enum" in schema or "const" in schema:
            given = schema["enum"] if "enum" in schema else [schema["const"]]
            part.enum = [_plain(each) for each in given]
            if "enum" in schema and "const" in schema:
                only = canonical(_plain(schema["const"]))
                part.enum = [each for each in part.enum if canonical(each) == only]
            part.enum_forms = frozenset(map(canonical, part.enum))
            if len(part.enum) > 1:
                for number in range(len(part.enum)):
                    self._branch("enum", number)
        part.samples = [_plain(each) for each in schema.get("x-samples", ())]

    def _numbers(self) -> None:
        for word, bounds, is_open in (
            ("minimum", self._part.least, False),
            ("exclusiveMinimum", self._part.least, True),
            ("maximum", self._part.most, False),
            ("exclusiveMaximum", self._part.most, True),
        ):
            if word in self._schema:
                bounds.append(Bound(_text(self._schema[word]), is_open, self._branch(word)))
        if "multipleOf" in self._schema:
            self._part.units.append(_text(self._schema["multipleOf"]))

    def _texts(self) -> None:
        part, schema = self._part, self._schema
        part.lengths = self._pair("minLength", "maxLength")
        if "pattern" in schema and self._compiles(schema["pattern"], "pattern"):
            part.patterns.append(schema["pattern"])
        part.format = schema.get("format", "")
        if part.format and part.format not in FORMATS:
            self._whole.unknown.setdefault(f"format {part.format}", f"{part.where}/format")

    def _compiles(self, pattern: str, word: str) -> bool:
        try:
            compiled(pattern)
        except re.error:
            self._whole.unknown.setdefault(word, f"{self._part.where}/{word}")
            return False
        return True

    def _arrays(self) -> None:
        part = self._part
        part.prefix = self._list("prefixItems")
        part.items = self._get("items")
        part.contains = self._get("contains")
        least, most = self._pair("minContains", "maxContains")
        part.contained = (least if "minContains" in self._schema else 1, most)
        part.sizes = self._pair("minItems", "maxItems")
        part.is_unique = self._schema.get("uniqueItems") is True

    def _objects(self) -> None:
        part, schema = self._part, self._schema
        part.required = list(schema.get("required", ()))
        for key, inner in schema.get("properties", {}).items():
            part.properties[key] = self._inner(inner, "properties", escaped_step(key))
            if key not in part.required and inner is not False:
                self._branch("properties", escaped_step(key))
        for pattern, inner in schema.get("patternProperties", {}).items():
            if not self._compiles(pattern, "patternProperties"):
                continue
            member = self._inner(inner, "patternProperties", escaped_step(pattern))
            part.pattern_properties.append((pattern, member))
        part.additional = self._get("additionalProperties")
        part.property_names = self._get("propertyNames")
        part.dependent_required = dict(schema.get("dependentRequired", {}))
        for key, inner in schema.get("dependentSchemas", {}).items():
            part.dependent_schemas[key] = self._inner(inner, "dependentSchemas", escaped_step(key))
        part.counts = self._pair("minProperties", "maxProperties")

    def _combinations(self) -> None:
        part = self._part
        part.all_of = self._list("allOf")
        part.any_of = self._list("anyOf")
        part.one_of = self._list("oneOf")
        for word in ("anyOf", "oneOf"):
            for number in range(len(self._schema.get(word, ()))):
                self._branch(word, number)
        part.excluded = self._get("not")
        part.condition = self._get("if")
        if part.condition is not None:
            part.then, part.otherwise = self._get("then"), self._get("else")
            for word in ("then", "else"):
                self._branch(word)
        if "$ref" in self._schema:
            try:
                found = self._resolver.lookup(self._schema["$ref"])
            except Unresolvable:
                self._whole.unknown.setdefault("$ref", f"{part.where}/$ref")
            else:
                where = self._schema["$ref"] if self._schema["$ref"][:1] == "#" else part.where
                target = self._whole.compile_part(found.contents, where, found.resolver)
                part.all_of.append(target)


def _plain(value: Any) -> Json:
    """Return a value of a schema, whose numbers are those of jsonschema or of xtest, as JSON."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if value is None or isinstance(value, (bool, str, Number)):
        return value
    return Number(_text(value))


def _size(number: Any) -> int | None:
    """Return the value of a keyword that counts, such as 2.0."""
    if number is None:
        return None
    value = Decimal(_text(number))
    return int(value) if value.adjusted() < _MOST_DIGITS else _HUGE


def _text(number: Any) -> str:
    return number if isinstance(number, str) else str(getattr(number, "text", number))


def escaped_step(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def tightest(bounds: list[Bound], *, is_lower: bool) -> tuple[Decimal | None, bool, str]:
    """Return the bound that excludes most, whether it is open, and its place."""
    best: tuple[Decimal | None, bool, str] = (None, False, "")
    for bound in bounds:
        value = decimal_of(bound.text)
        if value is None:
            continue
        current = best[0]
        is_tighter = current is None or (value > current if is_lower else value < current)
        if is_tighter or value == current and bound.is_open:
            best = (value, bound.is_open, bound.where)
    return best
