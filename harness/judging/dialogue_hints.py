"""Explain the usual mistakes of a server or client, from a message and the one expected. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from harness.dialogue.templates import capture
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import describe_place, parse_pattern
from harness.judging.numbers import equal_numbers
from harness.model.comparison import Numbers
from harness.model.dialogue import Capture
from harness.model.judgement import MISSING, Difference, Missing
from harness.text import quote, shorten_to_width

_SHOWN: Final = 60  # columns of a value
_CODE_DEPTH: Final = 3  # /0/error/code
_CODES: Final = {
    "-32700": "parse error",
    "-32600": "invalid request",
    "-32601": "method not found",
    "-32602": "invalid params",
    "-32603": "internal error",
}


def message_hint(
    expected: Json,
    actual: Json,
    differences: Sequence[Difference],
    answered: Collection[str],
    notification: str,
) -> str:
    """Return what probably went wrong, or "".

    `answered` are the ids of earlier answers, `notification` the method of one that was sent since
    the last expected message.
    """
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return "this is not an object: a log message? print it on standard error"
        hint = (
            _kind_hint(expected, actual)
            or _id_hint(expected, actual, answered, notification)
            or _outcome_hint(expected, actual)
            or _code_hint(differences)
        )
        if hint:
            return hint
    if differences and all(_is_surplus_member(each, actual) for each in differences):
        first, more = describe_place(differences[0].pointer, alone=True), len(differences) - 1
        others = f" and {more:,} more" if more else ""
        members = "members" if more else "a member"
        return f"it has {members} more: {first}{others}; add extra = true to allow that"
    return ""


def _is_surplus_member(one: Difference, actual: Json) -> bool:
    """Return whether an object has a member more, which `extra` would allow."""
    if one.expected is not MISSING:
        return False
    parent = parse_pattern(one.pointer)[:-1]
    captured = capture([actual], Capture("", parent, ""))
    return captured is not None and isinstance(captured[0], dict)


def is_refusal(message: dict[str, Json]) -> bool:
    """Return whether a message is an error that names no request."""
    return "error" in message and message.get("id") is None and "method" not in message


def _kind_hint(expected: dict[str, Json], actual: dict[str, Json]) -> str:
    awaits_answer = "id" in expected and "method" not in expected
    method = actual.get("method")
    if awaits_answer and isinstance(method, str):
        name = quote(method)
        if "id" in actual:
            return f"the program sent the request {name}; [[talk.answer]] can answer it"
        return (
            f"the notification {name} came before the answer; expect it, or list it in ignore"
            " of [talk]"
        )
    if isinstance(expected.get("method"), str) and "method" not in actual and "id" in actual:
        return f"an answer came where {quote(str(expected['method']))} was expected"
    return ""


def _id_hint(
    expected: dict[str, Json],
    actual: dict[str, Json],
    answered: Collection[str],
    notification: str,
) -> str:
    if "id" not in expected or "method" in actual:
        return ""
    wanted = shorten_to_width(encode(expected["id"]), _SHOWN)
    if is_refusal(actual) and expected["id"] is not None:
        error = shorten_to_width(encode(actual["error"]), _SHOWN)
        refused = f"a message was refused without its id: {error}"
        return f"{refused}; the answer to {wanted} was expected{notification_note(notification)}"
    if "id" not in actual:
        return f"the answer has no id; {wanted} was expected{notification_note(notification)}"
    text = encode(actual["id"])
    if text == encode(expected["id"]):
        return ""
    again = " again" if text in answered else ""
    hint = f"answered request {shorten_to_width(text, _SHOWN)}{again} while {wanted} was expected"
    if actual["id"] is None:
        return hint + notification_note(notification)
    return hint + _kind_of_id(expected["id"], actual["id"])


def notification_note(method: str) -> str:
    """Return what an answer without an id may be, after the notification `method` was sent."""
    return f"; the notification {quote(method)} gets no answer, not even an error" if method else ""


def _kind_of_id(expected: Json, actual: Json) -> str:
    """Return how two ids differ that look alike, or ""."""
    if isinstance(actual, str) and isinstance(expected, Number) and actual == encode(expected):
        return ": it is a string, not a number"
    if isinstance(expected, str) and isinstance(actual, Number) and expected == encode(actual):
        return ": it is a number, not a string"
    if isinstance(expected, Number) and isinstance(actual, Number):
        if equal_numbers(expected.text, actual.text, Numbers.VALUE):
            return ": the same value, but only one of them is written as an integer"
    return ""


def _code_hint(differences: Sequence[Difference]) -> str:
    """Return the meanings of two error codes of JSON-RPC that differ, or ""."""
    for one in differences:
        if one.pointer.endswith("/error/code") and one.pointer.count("/") == _CODE_DEPTH:
            printed, wanted = _code_text(one.actual), _code_text(one.expected)
            if "(" in f"{printed}{wanted}":
                return f"answered with the error {printed}, not {wanted}"
    return ""


def _code_text(code: Json | Missing) -> str:
    if code is MISSING:
        return "without a code"
    text = shorten_to_width(encode(code), _SHOWN)
    name = _CODES.get(text, "")
    return f"{text} ({name})" if name else text


def _outcome_hint(expected: dict[str, Json], actual: dict[str, Json]) -> str:
    if "result" in expected and "error" in actual and "error" not in expected:
        error = actual["error"]
        return f"answered with the error {shorten_to_width(encode(error), _SHOWN)}"
    if "error" in expected and "result" in actual and "result" not in expected:
        return "answered with a result where an error was expected"
    return ""
