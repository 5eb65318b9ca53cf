"""Check the formats of JSON Schema that placeholders assert. Source: JSON Schema 2020-12, 7.3."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Final

from jsonschema import FormatChecker

# Source: RFC 3339, 5.6; a leap second only at the end of an hour in some time zone.
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME: Final = re.compile(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
# Source: RFC 3339, appendix A.
_DURATION: Final = re.compile(
    r"P(?=.)(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LABEL: Final = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
_HOSTNAME: Final = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_EMAIL: Final = re.compile(rf"(?:{_ATOM}(?:\.{_ATOM})*|\"[ !#-\[\]-~]*\")@(.+)")
_POINTER: Final = r"(?:/(?:[^~/]|~[01])*)*"
_JSON_POINTER: Final = re.compile(_POINTER)
_RELATIVE_POINTER: Final = re.compile(rf"(?:0|[1-9][0-9]*)(?:#|{_POINTER})")
# Source: RFC 3986, as far as the characters and the scheme go.
_CHARACTER: Final = r"(?:[A-Za-z0-9._~:/?@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})"
_URI_REFERENCE: Final = re.compile(rf"{_CHARACTER}*(?:#(?:(?![\[\]]){_CHARACTER})*)?")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        date(int(match[1]) % 400 + 400, int(match[2]), int(match[3]))  # there is no year 0
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_ipv4(text: str) -> bool:
    return _is_address(ipaddress.IPv4Address, text)


def _is_ipv6(text: str) -> bool:
    return "%" not in text and _is_address(ipaddress.IPv6Address, text)


def _is_address(kind: Callable[[str], object], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return text.isascii()


def _is_email(text: str) -> bool:
    match = _EMAIL.fullmatch(text)
    if match is None:
        return False
    domain = match[1]
    if domain.startswith("[") and domain.endswith("]"):
        inside = domain[1:-1]
        return _is_ipv4(inside) or (inside.startswith("IPv6:") and _is_ipv6(inside[5:]))
    return _HOSTNAME.fullmatch(domain) is not None


def _is_uri_reference(text: str) -> bool:
    return _URI_REFERENCE.fullmatch(text) is not None


def _is_uri(text: str) -> bool:
    return _SCHEME.match(text) is not None and _is_uri_reference(text)


def _is_regex(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "date-time": _is_date_time,
    "date": _is_date,
    "time": _is_time,
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": _is_email,
    "hostname": lambda text: _HOSTNAME.fullmatch(text) is not None,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "uri": _is_uri,
    "uri-reference": _is_uri_reference,
    "json-pointer": lambda text: _JSON_POINTER.fullmatch(text) is not None,
    "relative-json-pointer": lambda text: _RELATIVE_POINTER.fullmatch(text) is not None,
    "regex": _is_regex,
}


def format_checker() -> FormatChecker:
    """Return a checker of these formats; it accepts values other than strings."""
    checker = FormatChecker(())
    for name, is_valid in FORMATS.items():
        checker.checks(name)(_for_strings(is_valid))
    return checker


def _for_strings(is_valid: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or is_valid(value)


def unknown_formats(schema: str) -> list[str]:
    """Return the formats in a schema, as a JSON text, that are not checked, sorted."""
    unknown = set[str]()
    waiting = [json.loads(schema)] if schema else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = part.get("format")
            if isinstance(name, str) and name not in FORMATS:
                unknown.add(name)
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return sorted(unknown)
