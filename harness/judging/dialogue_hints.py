"""Explain the usual mistakes of a server or client, from a message and the one expected. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from harness.jsonio.decoder import Json, encode
from harness.jsonio.pointers import describe_place
from harness.model.judgement import MISSING, Difference
from harness.text import quote, shorten_to_width

_SHOWN: Final = 60  # columns of a value


def message_hint(
    expected: Json, actual: Json, differences: Sequence[Difference], answered: Collection[str]
) -> str:
    """Return what probably went wrong, or ""; `answered` are the ids of earlier answers."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return "this is not an object: a log message? print it on standard error"
        hint = (
            _kind_hint(expected, actual)
            or _id_hint(expected, actual, answered)
            or _outcome_hint(expected, actual)
        )
        if hint:
            return hint
    if differences and all(each.expected is MISSING for each in differences):
        first, more = describe_place(differences[0].pointer, alone=True), len(differences) - 1
        others = f" and {more:,} more" if more else ""
        members = "members" if more else "a member"
        return f"it has {members} more: {first}{others}; add extra = true to allow that"
    return ""


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


def _id_hint(expected: dict[str, Json], actual: dict[str, Json], answered: Collection[str]) -> str:
    if "id" not in expected or "method" in actual:
        return ""
    wanted = shorten_to_width(encode(expected["id"]), _SHOWN)
    if is_refusal(actual) and expected["id"] is not None:
        error = shorten_to_width(encode(actual["error"]), _SHOWN)
        return f"a message was refused without its id: {error}; the answer to {wanted} was expected"
    if "id" not in actual:
        return f"the answer has no id; {wanted} was expected"
    text = encode(actual["id"])
    if text == encode(expected["id"]):
        return ""
    again = " again" if text in answered else ""
    return f"answered request {shorten_to_width(text, _SHOWN)}{again} while {wanted} was expected"


def _outcome_hint(expected: dict[str, Json], actual: dict[str, Json]) -> str:
    if "result" in expected and "error" in actual and "error" not in expected:
        error = actual["error"]
        return f"answered with the error {shorten_to_width(encode(error), _SHOWN)}"
    if "error" in expected and "result" in actual and "result" not in expected:
        return "answered with a result where an error was expected"
    return ""
