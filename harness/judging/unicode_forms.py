"""Normalise Unicode texts in a time that is linear in their length.

The standard library sorts combining marks by insertion, which takes quadratic time for long runs.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final, Literal
from unicodedata import combining, normalize

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_DECOMPOSED: Final[dict[Form, Form]] = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}

_SHORT: Final = 1_000  # characters, for which quadratic time does not matter


def normal_form(form: Form, text: str) -> str:
    if len(text) <= _SHORT or text.isascii():
        return normalize(form, text)
    decomposition = _DECOMPOSED[form]
    decomposed = "".join(normalize(decomposition, character) for character in text)
    ordered = "".join(
        "".join(sorted(run, key=combining) if is_mark else run)
        for is_mark, run in groupby(decomposed, key=lambda character: combining(character) > 0)
    )
    # Marks in their final order are not moved again.
    return normalize(form, ordered)
