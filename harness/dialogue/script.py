"""Parse the steps of a script. Pure. Source: docs/dialogues.md."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import repeat
from typing import Any, Final

from harness.dialogue.templates import NAME, references
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import PathError, parse_pattern
from harness.model.dialogue import Action, Capture, Script, Step, TalkRules
from harness.text import did_you_mean, quote

_MOST_SECONDS: Final = 86_400.0
_MOST_STEPS: Final = 10_000
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[,:]')
_WAITING: Final = ("within",)
# The members of each kind of step, besides its own.
_MEMBERS: Final[Mapping[Action, tuple[str, ...]]] = {
    Action.SEND: (),
    Action.EXPECT: ("extra", "as", *_WAITING),
    Action.EXPECT_ALL: ("extra", *_WAITING),
    Action.QUIET: (),
    Action.RAW: (),
    Action.CLOSE: (),
    Action.EXIT: _WAITING,
}
_SECONDS_SCHEMA: Final = {"type": "number", "exclusiveMinimum": 0, "maximum": 86_400}
_OWN_SCHEMAS: Final[Mapping[Action, Any]] = {
    Action.SEND: {"description": "Send this message; `${name}` stands for a captured value."},
    Action.EXPECT: {"description": "The next message that is not ignored must equal this one."},
    Action.EXPECT_ALL: {
        "description": "The next messages must be these, in any order.",
        "type": "array",
        "minItems": 2,
    },
    Action.QUIET: {**_SECONDS_SCHEMA, "description": "No message arrives for this many seconds."},
    Action.RAW: {
        "oneOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"base64": {"type": "string"}},
                "required": ["base64"],
                "additionalProperties": False,
            },
        ],
        "description": "Write this text, or these bytes, without a frame.",
    },
    Action.CLOSE: {"const": True, "description": "Close the input of the program."},
    Action.EXIT: {
        "type": "integer",
        "minimum": 0,
        "maximum": 255,
        "description": "The program ends by itself with this status.",
    },
}
_BESIDE_SCHEMAS: Final = {
    "extra": {"type": "boolean", "description": "Members that are not named are allowed."},
    "as": {
        "type": "object",
        "description": "Values of the message for later steps: a JSON Pointer for each name.",
        "propertyNames": {"pattern": f"^{NAME}$"},
        "additionalProperties": {"type": "string", "pattern": "^(/.*)?$"},
        "minProperties": 1,
    },
    "within": {**_SECONDS_SCHEMA, "description": "Seconds, in place of the suite's."},
}
STEP_SCHEMA: Final = {
    "oneOf": [
        {
            "type": "object",
            "properties": {
                action.value: own,
                **{name: _BESIDE_SCHEMAS[name] for name in _MEMBERS[action]},
            },
            "required": [action.value],
            "additionalProperties": False,
        }
        for action, own in _OWN_SCHEMAS.items()
    ]
}


class ScriptError(ValueError):
    """A mistake in a step; `number` is its index in the script."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"step {number + 1}: {reason}")
        self.number = number


def parse_steps(
    values: Sequence[Json],
    prefix: str = "",
    *,
    is_template: bool = True,
    lines: Sequence[bytes] = (),
) -> tuple[Step, ...]:
    """Return the steps of a part of a script; `prefix` begins their labels.

    `is_template` is whether they may have references. `lines` are what `step_lines` returns of
    their text, if it is known. Raises ScriptError.
    """
    if len(values) > _MOST_STEPS:
        raise ScriptError(_MOST_STEPS, f"a script has at most {_MOST_STEPS:,} steps")
    steps: list[Step] = []
    try:
        for value, line in zip(values, lines or repeat(b"")):
            label = f"{prefix}{len(steps) + 1}"
            steps.append(_parse_step(value, label, line, is_template=is_template))
    except ValueError as problem:
        raise ScriptError(len(steps), str(problem)) from None
    return tuple(steps)


def step_lines(text: bytes, steps: int) -> list[bytes]:
    """Return the lines of a script as `encode` writes them.

    Return none if more than white space would change, if there may be references, or if the lines
    do not hold one step each. With lines, most messages are sent and compared as texts.
    """
    if b"$" in text or b"\\" in text or b"\x7f" in text or not text.isascii():
        return []
    parts = text.split(b'"')
    between = b"\xff".join(parts[::2]).translate(None, b" \t\r")  # all that is not in quotes
    parts[::2] = between.split(b"\xff")
    compact = b'"'.join(parts).strip()
    # Between these brackets a step has ended: inside one, a comma would separate them.
    is_step_a_line = compact.count(b"\n") == compact.count(b'}\n{"') == steps - 1
    return compact.split(b"\n") if is_step_a_line else []


def make_script(
    own: tuple[Step, ...], rules: TalkRules, allow: tuple[str, ...] = (), *, bare: bool = False
) -> Script:
    """Return the script of a case, with the steps of its suite around it unless it is `bare`.

    The last steps are left out after a script that closes the input or waits for the exit itself.
    Raises ScriptError for a step that cannot follow those before it.
    """
    start, end = ((), ()) if bare else (rules.start, rules.end)
    if any(step.action in (Action.CLOSE, Action.EXIT) for step in own):
        end = ()
    _check_order(start, own, end)
    return Script((*start, *own, *end), rules, allow)


def raw_step(data: bytes) -> Json:
    """Return the step that writes these bytes."""
    try:
        return {Action.RAW.value: data.decode()}
    except UnicodeDecodeError:
        encoded = b2a_base64(data, newline=False).decode("ascii")
        return {Action.RAW.value: {"base64": encoded}}


def format_steps(values: Iterable[Json]) -> bytes:
    """Return the text of a script, a step a line."""
    return "".join(f"{encode(value)}\n" for value in values).encode()


def spaced(text: str) -> str:
    """Return JSON on one line with a space after each comma and colon, as people write it."""
    return _MARK.sub(lambda match: f"{match[0]} " if match[0] in ",:" else match[0], text)


def _check_order(start: Sequence[Step], own: Sequence[Step], end: Sequence[Step]) -> None:
    known: set[str] = set()
    closed = exited = False
    for at, step in enumerate((*start, *own, *end)):
        fault = ""
        if exited:
            fault = "nothing can follow exit"
        elif closed and step.action in (Action.SEND, Action.RAW, Action.CLOSE):
            fault = f"{step.action.value} cannot follow close"
        elif step.is_template:
            fault = _unknown_reference(step, known, own[max(0, at - len(start)) :])
        if fault:
            raise ScriptError(min(max(0, at - len(start)), max(0, len(own) - 1)), fault)
        if step.captures:
            known.update(one.name for one in step.captures)
        closed = closed or step.action is Action.CLOSE
        exited = step.action is Action.EXIT


def _unknown_reference(step: Step, known: set[str], later: Sequence[Step]) -> str:
    """Return what is wrong if a step uses a value that no step before it captures, or ""."""
    for name in sorted(set[str]().union(*map(references, step.values)) - known):
        hint = f"; {did_you_mean(name, sorted(known))}" if known else ""
        if any(one.name == name for each in later for one in each.captures):
            hint = "; a later one does"
        return f'no earlier step captures "{name}"{hint}'
    return ""


def _parse_step(value: Json, label: str, line: bytes, *, is_template: bool) -> Step:
    if not isinstance(value, dict):
        raise ValueError('must be an object such as {"send": ...}')
    if len(value) == 1:
        ((name, own),) = value.items()
        if line and name in _MESSAGES:
            text = line[len(name) + len('{"":') : -1]
            return Step(_MESSAGES[name], (own,), label=label, text=text)
        if name in _KINDS:
            return _KINDS[name](own, label, is_template)
    kinds = [name for name in _KINDS if name in value]
    if len(kinds) != 1:
        if kinds:
            raise ValueError(f"must do one thing, not {' and '.join(kinds)}")
        if not value:
            raise ValueError(f"must have one of {', '.join(_KINDS)}")
        name = next(iter(value))
        raise ValueError(f"unknown step {quote(name)}; {did_you_mean(name, tuple(_KINDS))}")
    (kind,) = kinds
    return _with_members(_KINDS[kind](value[kind], label, is_template), value)


def _with_members(step: Step, value: dict[str, Json]) -> Step:
    members = _MEMBERS[step.action]
    for name in value:
        if name != step.action.value and name not in members:
            hint = did_you_mean(name, members) if members else "it takes no other members"
            raise ValueError(f"unknown member {quote(name)} of {step.action.value}; {hint}")
    return step._replace(
        within_s=_seconds("within", value["within"]) if "within" in value else step.within_s,
        extra=_boolean("extra", value.get("extra", False)),
        captures=_captures(value["as"]) if "as" in value else (),
    )


def _message(action: Action, value: Json, label: str, is_template: bool) -> Step:
    return Step(action, (value,), label=label, is_template=is_template)


def _expect_all(value: Json, label: str, is_template: bool) -> Step:
    if not isinstance(value, list) or len(value) < 2:
        raise ValueError("expect_all must be an array of at least two messages")
    return Step(Action.EXPECT_ALL, tuple(value), label=label, is_template=is_template)


def _quiet(value: Json, label: str, _is_template: bool) -> Step:
    return Step(Action.QUIET, within_s=_seconds("quiet", value), label=label)


def _raw(value: Json, label: str, _is_template: bool) -> Step:
    if isinstance(value, dict) and isinstance(encoded := value.get("base64"), str):
        with suppress(ValueError):
            if len(value) == 1:
                return Step(Action.RAW, raw=a2b_base64(encoded, strict_mode=True), label=label)
    if not isinstance(value, str):
        raise ValueError('raw must be a string, or bytes such as {"base64": "/w=="}')
    return Step(Action.RAW, raw=value.encode("utf-8", "surrogatepass"), label=label)


def _close(value: Json, label: str, _is_template: bool) -> Step:
    if value is not True:
        raise ValueError("close must be true")
    return Step(Action.CLOSE, label=label)


def _exit(value: Json, label: str, _is_template: bool) -> Step:
    if isinstance(value, Number) and value.text.isdecimal() and len(value.text) < 4:
        if int(value.text) < 256:
            return Step(Action.EXIT, status=int(value.text), label=label)
    raise ValueError("exit must be a status from 0 to 255")


_MESSAGES: Final = {each.value: each for each in (Action.SEND, Action.EXPECT)}
# By name: makes a step of the value of its member, its label, and whether it may have references.
_KINDS: Final[Mapping[str, Callable[[Json, str, bool], Step]]] = {
    **{name: partial(_message, action) for name, action in _MESSAGES.items()},
    "expect_all": _expect_all,
    "quiet": _quiet,
    "raw": _raw,
    "close": _close,
    "exit": _exit,
}


def _seconds(name: str, value: Json) -> float:
    if isinstance(value, Number) and 0 < float(value.text) <= _MOST_SECONDS:
        return float(value.text)
    raise ValueError(f"{name} must be a number of seconds above 0, at most {_MOST_SECONDS:,.0f}")


def _boolean(name: str, value: Json) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"{name} must be true or false")


def _captures(value: Json) -> tuple[Capture, ...]:
    if not isinstance(value, dict) or not value:
        raise ValueError('as must be an object such as {"id": "/result/id"}')
    captures = []
    for name, pointer in value.items():
        if references(f"${{{name}}}") != {name}:
            raise ValueError(f"as: {quote(name)} must be letters, digits and _, not a digit first")
        if not isinstance(pointer, str):
            raise ValueError(f"as: {name} must be a JSON Pointer")
        if pointer and not pointer.startswith("/"):
            raise ValueError(f'as: {name} must be a pointer such as "/id", or "" for the message')
        try:
            captures.append(Capture(name, parse_pattern(pointer), pointer))
        except PathError as problem:
            raise ValueError(f"as: {name}: {problem}") from None
    return tuple(captures)
