"""Compile a JSON Schema into parts that say, fast, what is valid, and what can be drawn.

jsonschema takes milliseconds for an input: it checks only what is reported (campaign.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.fuzz.patterns import FORMATS, compiled
from harness.fuzz.values import decimal_of
from harness.jsonio.decoder import Json, Number, encode
from harness.judging.numbers import compare_numbers, is_multiple, normalize_number
from harness.model.comparison import Numbers

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    Number: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_HEIGHT: Final = 1_000  # of a value that cannot be finite
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


class Bound(NamedTuple):
    """A bound of numbers, and the place of the schema that has it."""

    text: str
    is_open: bool
    where: str


class Part:  # pylint: disable=too-many-instance-attributes  # a field a keyword
    """A schema: of the whole input, or of a value inside it."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.is_never = False  # the schema `false`
        self.types: frozenset[str] | None = None
        self.enum: list[Json] | None = None
        self.enum_forms = frozenset[str]()
        self.least: list[Bound] = []
        self.most: list[Bound] = []
        self.units: list[str] = []
        self.lengths: tuple[int, int | None] = (0, None)
        self.patterns: list[str] = []
        self.format = ""
        self.prefix: list[Part] = []
        self.items: Part | None = None
        self.contains: Part | None = None
        self.contained: tuple[int, int | None] = (1, None)
        self.sizes: tuple[int, int | None] = (0, None)
        self.is_unique = False
        self.properties: dict[str, Part] = {}
        self.pattern_properties: list[tuple[str, Part]] = []
        self.additional: Part | None = None
        self.property_names: Part | None = None
        self.required: list[str] = []
        self.dependent_required: dict[str, list[str]] = {}
        self.dependent_schemas: dict[str, Part] = {}
        self.counts: tuple[int, int | None] = (0, None)
        self.all_of: list[Part] = []
        self.any_of: list[Part] = []
        self.one_of: list[Part] = []
        self.excluded: Part | None = None  # `not`
        self.condition: Part | None = None
        self.then: Part | None = None
        self.otherwise: Part | None = None
        self.samples: list[Json] = []  # values from which some are drawn, if only learned
        self.height = _HEIGHT  # of the lowest value
        self._checks: tuple[Callable[[Json], bool], ...] = ()

    @property
    def is_uncertain(self) -> bool:
        """True if a value drawn for the keywords may still violate one of them."""
        return (
            self.excluded is not None
            or self.condition is not None
            or bool(self.one_of)
            or self.contains is not None
            or self.property_names is not None
            or bool(self.dependent_schemas)
            or len(self.patterns) > 1
        )

    def member(self, key: str) -> Iterator[Part]:
        """Yield the schemas of the member with a key."""
        is_named = key in self.properties
        if is_named:
            yield self.properties[key]
        for pattern, part in self.pattern_properties:
            if compiled(pattern).search(key):
                is_named = True
                yield part
        if not is_named and self.additional is not None:
            yield self.additional

    def element(self, index: int) -> Part | None:
        return self.prefix[index] if index < len(self.prefix) else self.items

    # Validity.

    def accepts(self, value: Json) -> bool:
        """Return whether a value is valid, by all keywords that are compiled."""
        for check in self._checks:
            if not check(value):
                return False
        return True

    def seal(self) -> None:
        """Note which checks the keywords need; they are not changed afterwards."""
        has_texts = self.lengths != (0, None) or self.patterns
        has_elements = self.prefix or self.items is not None or self.contains is not None
        has_members = self.properties or self.pattern_properties or self.additional is not None
        has_names = self.required or self.dependent_required or self.property_names is not None
        alternatives = self.all_of or self.any_of or self.one_of
        wanted = (
            (self.is_never, lambda _: False),
            (self.types is not None, self._has_type),
            (self.enum is not None, lambda value: canonical(value) in self.enum_forms),
            (bool(self.least or self.most or self.units), self._accepts_number),
            (bool(has_texts), self._accepts_text),
            (self.sizes != (0, None) or self.is_unique or bool(has_elements), self._accepts_array),
            (
                self.counts != (0, None)
                or bool(has_members or has_names or self.dependent_schemas),
                self._accepts_object,
            ),
            (
                bool(alternatives) or self.excluded is not None or self.condition is not None,
                self._accepts_combined,
            ),
        )
        self._checks = tuple(check for is_wanted, check in wanted if is_wanted)

    def _accepts_combined(self, value: Json) -> bool:
        for part in self.all_of:
            if not part.accepts(value):
                return False
        if self.any_of and not any(part.accepts(value) for part in self.any_of):
            return False
        if self.one_of and sum(part.accepts(value) for part in self.one_of) != 1:
            return False
        if self.excluded is not None and self.excluded.accepts(value):
            return False
        if self.condition is None:
            return True
        side = self.then if self.condition.accepts(value) else self.otherwise
        return side is None or side.accepts(value)

    def _has_type(self, value: Json) -> bool:
        name, types = type_name(value), self.types or ()
        if name != "number":
            return name in types
        return "number" in types or "integer" in types and is_whole(value)

    def _accepts_number(self, value: Json) -> bool:
        if not isinstance(value, Number):
            return True
        text = value.text
        for bound in self.least:
            if compare_numbers(text, bound.text) < (1 if bound.is_open else 0):
                return False
        for bound in self.most:
            if compare_numbers(text, bound.text) > (-1 if bound.is_open else 0):
                return False
        return all(is_multiple(text, unit) for unit in self.units)

    def _accepts_text(self, text: Json) -> bool:
        if not isinstance(text, str):
            return True
        least, most = self.lengths
        if len(text) < least or (most is not None and len(text) > most):
            return False
        return all(compiled(pattern).search(text) for pattern in self.patterns)

    def _accepts_array(self, value: Json) -> bool:
        if not isinstance(value, list):
            return True
        least, most = self.sizes
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if self.is_unique and len(set(map(canonical, value))) < len(value):
            return False
        if self.prefix or self.items is not None:
            for index, element in enumerate(value):
                part = self.element(index)
                if part is not None and not part.accepts(element):
                    return False
        if self.contains is not None:
            found = sum(map(self.contains.accepts, value))
            least, most = self.contained
            return found >= least and (most is None or found <= most)
        return True

    def _accepts_object(self, value: Json) -> bool:
        if not isinstance(value, dict):
            return True
        least, most = self.counts
        if len(value) < least or (most is not None and len(value) > most):
            return False
        return self._accepts_keys(value) and self._accepts_members(value)

    def _accepts_keys(self, value: dict[str, Json]) -> bool:
        if not all(key in value for key in self.required):
            return False
        for key, others in self.dependent_required.items():
            if key in value and not all(other in value for other in others):
                return False
        return self.property_names is None or all(map(self.property_names.accepts, value))

    def _accepts_members(self, value: dict[str, Json]) -> bool:
        for key, inner in value.items():
            for part in self.member(key):
                if not part.accepts(inner):
                    return False
        return all(
            part.accepts(value) for key, part in self.dependent_schemas.items() if key in value
        )


def type_name(value: Json) -> str:
    """Return the type of a value as a schema names it."""
    return _TYPE_NAMES[type(value)]


def is_whole(value: Json) -> bool:
    if not isinstance(value, Number):
        return False
    text = value.text
    return text.lstrip("-").isdecimal() or is_multiple(text, "1")


def canonical(value: Json) -> str:
    """Return the same text for values that JSON Schema takes as equal."""
    if isinstance(value, Number):
        return normalize_number(value.text, Numbers.VALUE)
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{encode(key)}:{canonical(value[key])}' for key in sorted(value))}}}"
    return encode(value)


class CompiledSchema:
    """A schema of inputs, as parts; `unknown` are its keywords that are not compiled, with places.

    `branches` are the places of the schema that inputs can be known to take: each value of an enum,
    each alternative, each bound, and members that may be missing.
    """

    def __init__(self, schema: Any, resolver: Any) -> None:
        self.unknown: dict[str, str] = {}
        self.branches: dict[str, int] = {}
        self._parts: dict[int, Part] = {}
        self._kept: list[Any] = []  # so that no identity is used twice
        self.root = self._part(schema, "#", resolver)
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
        part.seal()
        return part

    def compile_part(self, schema: Any, where: str, resolver: Any) -> Part:
        return self._part(schema, where, resolver)

    def add_branch(self, where: str) -> None:
        self.branches.setdefault(where, len(self.branches))

    def _set_heights(self) -> None:
        """Find how deep the lowest value of each part is: to end a recursion."""
        parts, has_changed = list(self._parts.values()), True
        while has_changed:
            has_changed = False
            for part in parts:
                height = _height(part)
                has_changed |= height < part.height
                part.height = min(part.height, height)


def _height(part: Part) -> int:
    if part.is_never:
        return _HEIGHT
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
        low, high = (self._schema.get(word) for word in (least, most))
        for word, bound in ((least, low), (most, high)):
            if bound is not None:
                self._branch(word)
        return int(_text(low) if low is not None else 0), None if high is None else int(_text(high))

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
        if "pattern" in schema:
            try:
                compiled(schema["pattern"])
            except re.error:
                self._whole.unknown.setdefault("pattern", f"{part.where}/pattern")
            else:
                part.patterns.append(schema["pattern"])
        part.format = schema.get("format", "")
        if part.format and part.format not in FORMATS:
            self._whole.unknown.setdefault(f"format {part.format}", f"{part.where}/format")

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
