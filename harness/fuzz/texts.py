"""Change texts that have a grammar of their own: token by token, as learned from other texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Final

from harness.fuzz.edits import values_inside
from harness.fuzz.values import INTEGERS, draw_character, draw_text, look_alike, pick
from harness.jsonio.decoder import Json

_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+|\s|(.)\1*", re.DOTALL)
_FEW: Final = 3  # tokens of a text without a grammar
_LONGEST: Final = 40  # characters of a token of the dictionary
_RUN: Final = 8  # tokens that are changed together
_DIGITS: Final = "0123456789"
# Numbers that some languages read, and some do not.
_SPELLINGS: Final = (
    *("-0", "0.0", "00", "01", "1.", ".5", "+1", "1e5", "1E-5", "1e310", "1e-400", "0x1F", "0o7"),
    *("0b1", "1_000", "1,000", "NaN", "nan", "Infinity", "-Infinity", "inf", "1e", "--1"),
)
# Dates and times at the borders of the calendar, on either side.
_MOMENTS: Final = (
    (
        re.compile(r"\d{4}-\d\d-\d\d"),
        ("2024-02-29", "2023-02-29", "1900-02-29", "2024-02-30", "2023-04-31", "2023-12-32")
        + ("2023-13-01", "2023-00-01", "2023-01-00", "0000-01-01", "9999-12-31"),
    ),
    (
        re.compile(r"\d\d:\d\d(:\d\d)?"),
        ("00:00:00", "23:59:59", "23:59:60", "24:00:00", "12:60:00", "00:00", "1:00:00"),
    ),
)


class TextMutator:
    """Changes texts with the tokens and the parts of the texts of a corpus."""

    def __init__(self, corpus: Sequence[Json]) -> None:
        found = (inner for values in corpus for inner in values_inside(values))
        texts = dict.fromkeys(each for each in found if isinstance(each, str))
        self.texts: Final = [text for text in texts if len(_tokens(text)) > _FEW]
        tokens = chain.from_iterable(map(_tokens, self.texts))
        self._tokens = [each for each in tokens if len(each) <= _LONGEST]
        self._unlike = list(dict.fromkeys(self._tokens))

    def change(self, random: Random, text: str) -> str:
        if random.random() < 0.15:
            moved = _with_other_moment(random, text)
            if moved != text:
                return moved
        tokens = _tokens(text)
        if not self.texts or len(tokens) <= _FEW or random.random() < 0.1:
            return _changed_characters(random, text)
        numbers = [at for at, token in enumerate(tokens) if token.isdecimal()]
        if numbers and random.random() < 0.3:
            return _with_other_numbers(random, tokens, numbers)
        return self._with_other_run(random, tokens)

    def _with_other_run(self, random: Random, tokens: tuple[str, ...]) -> str:
        """Return a text with a few neighbouring tokens removed, repeated, replaced or moved."""
        at, size = int(random.random() * len(tokens)), 1 + int(random.random() ** 3 * _RUN)
        before, run, after = tokens[:at], tokens[at : at + size], tokens[at + size :]
        draw = random.random()
        if draw < 0.15:
            run = ()
        elif draw < 0.25:
            run *= 2
        elif draw < 0.45:
            run = (*self._other(random), *run[1:])
        elif draw < 0.6:
            run = (*self._other(random), *run)
        elif draw < 0.8:
            run = (_changed_token(random, run[0]), *run[1:])
        elif draw < 0.9:
            other = int(random.random() * len(tokens))
            run = (*tokens[other : other + size], *run)
        else:  # the text goes on as another one
            other_text = _tokens(pick(random, self.texts))
            after = other_text[int(random.random() * len(other_text)) :]
        return "".join((*before, *run, *after))

    def _other(self, random: Random) -> Iterable[str]:
        """Return a token, or a few that follow one another in a text."""
        if random.random() < 0.6:
            return (pick(random, self._tokens if random.random() < 0.5 else self._unlike),)
        tokens = _tokens(pick(random, self.texts))
        at = int(random.random() * len(tokens))
        return tokens[at : at + 1 + int(random.random() * _RUN)]


@lru_cache(2_048)
def _tokens(text: str) -> tuple[str, ...]:
    """Return words, numbers, single blanks, and repeated other characters."""
    return tuple(match[0] for match in _TOKEN.finditer(text))


def _with_other_moment(random: Random, text: str) -> str:
    """Return a text with another date or time in place of one, if it has any."""
    pattern, others = pick(random, _MOMENTS)
    found = list(pattern.finditer(text))
    if not found:
        return text
    start, end = pick(random, found).span()
    return text[:start] + pick(random, others) + text[end:]


def _with_other_numbers(random: Random, tokens: Sequence[str], numbers: Sequence[int]) -> str:
    """Return a text with one to three numbers changed."""
    changed = list(tokens)
    for _ in range(pick(random, (1, 1, 2, 3))):
        at = pick(random, numbers)
        changed[at] = _changed_number(random, tokens[at])
    return "".join(changed)


def _changed_number(random: Random, token: str) -> str:
    draw = random.random()
    if draw < 0.2:  # the next number, or the one before
        return str(abs(int(token[-_LONGEST:]) + pick(random, (-1, 1)))).zfill(len(token))
    if draw < 0.4:
        return pick(random, _SPELLINGS)
    if draw < 0.75:
        return str(abs(pick(random, INTEGERS[:3] if random.random() < 0.3 else INTEGERS)))
    at = int(random.random() * len(token))
    return token[:at] + pick(random, _DIGITS) + token[at + 1 :]


def _changed_token(random: Random, token: str) -> str:
    if token.isdecimal():
        return _changed_number(random, token)
    at = int(random.random() * len(token))
    others: Sequence[str]
    if token.isalpha():
        others = (token[at].swapcase(), "", token[at] * 2, chr(97 + int(random.random() * 26)))
    else:
        others = ("", token[at] * 2, draw_character(random))
    return token[:at] + pick(random, others) + token[at + 1 :]


def _changed_characters(random: Random, text: str) -> str:
    if not text or random.random() < 0.3:
        return draw_text(random)
    at = random.randrange(len(text) + 1)
    if random.random() < 0.5:
        return text[:at] + draw_text(random, 0, 2) + text[at:]
    return look_alike(random, text)
