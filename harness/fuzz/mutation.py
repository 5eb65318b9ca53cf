"""Change inputs, cross them with others, and break their schema on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from harness.fuzz.echoes import in_other_order
from harness.fuzz.edits import Path, random_place, replaced
from harness.fuzz.generator import Generator
from harness.fuzz.places import LocalDemands
from harness.fuzz.texts import TextMutator
from harness.fuzz.values import ANY_NUMBER, chance, draw_text, look_alike, pick, scalar_edge
from harness.jsonio.decoder import Json, Number
from harness.model.judgement import MISSING

_TRIES: Final = 8
_SAMPLE: Final = 20  # inputs that are drawn to see why some are missing


class InputMaker:
    """Makes the inputs of a run: each depends on the seed and its number alone.

    `corpus` has inputs that exist. With `is_invalid`, a third of the inputs violate the schema, in
    one place.
    """

    def __init__(
        self, generator: Generator, corpus: Sequence[Json], seed: int, *, is_invalid: bool = False
    ) -> None:
        self.schema: Final = generator.schema
        self.demands: Final = LocalDemands(((self.schema.root,),))
        self._generator = generator
        self._corpus = [value for value in corpus if self.accepts(value)]
        self._has_inputs = bool(corpus)
        self._texts = TextMutator(self._corpus)
        self._share = 0.8 if self._texts.texts else 0.4  # of changed inputs: texts have a grammar
        self._seed = seed
        self._is_invalid = is_invalid

    def make(self, number: int) -> tuple[Json | None, frozenset[int]]:
        """Return an input, or None if none was found, and the branches that it is known to take."""
        random = Random((self._seed << 40) + number)
        if number < self.existing:
            return self._corpus[number], frozenset()
        value, hits = self._make_valid(random)
        if self._is_invalid and value is not None and chance(random, 0.34):
            return self._broken(random, value), frozenset()
        return value, hits

    @property
    def existing(self) -> int:
        """The number of inputs of the suite, which are the first ones that are made."""
        return 0 if self._is_invalid else len(self._corpus)

    def why_missing(self) -> str:
        """Return a remark on the place of the schema for which values are missing, or ""."""
        misfits = self._generator.misfits
        misfits.clear()
        for number in range(_SAMPLE):
            self._generator.draw(Random((self._seed << 40) + number))
        where = "".join(f": no value found for {where}" for where, _ in misfits.most_common(1))
        own = "" if self._corpus or not self._has_inputs else "; the suite's own violate it, too"
        return f"{where}{own} (xtest lint)" if own else where

    def accepts(self, value: Json) -> bool:
        """Return whether the schema accepts an input."""
        try:
            return self.schema.root.accepts(value)
        except RecursionError:
            return False

    def _make_valid(self, random: Random) -> tuple[Json | None, frozenset[int]]:
        if self._corpus and chance(random, self._share):
            for _ in range(_TRIES):
                value = self._changed(random, pick(random, self._corpus))
                if self.accepts(value):
                    return value, frozenset()
        value = self._generator.draw(random)
        hits = frozenset(self._generator.hits)
        if value is not None and chance(random, 0.15):
            changed = self._changed(random, value)
            if self.accepts(changed):
                return changed, frozenset()
        return value, hits

    def _changed(self, random: Random, value: Json) -> Json:
        """Return an input with one to three changes."""
        for _ in range(pick(random, (1, 1, 2, 3))):
            path, inner = random_place(random, value)
            value = self._change(random, value, path, inner)
        return value

    def _change(self, random: Random, value: Json, path: Path, inner: Json) -> Json:
        draw = random.random()
        if self._corpus and draw < 0.25:
            return self._crossed(random, value, path, inner)
        if path and draw < 0.35:
            return replaced(value, path, MISSING)
        return replaced(value, path, self._changed_value(random, inner))

    def _crossed(self, random: Random, value: Json, path: Path, inner: Json) -> Json:
        """Return the input with a value replaced by another one, of the same or of another input.

        Both values have the same type and depth if possible.
        """
        other: Json = None
        source = value if chance(random, 0.3) else pick(random, self._corpus)
        for _ in range(_TRIES):
            at, other = random_place(random, source)
            if type(other) is type(inner) and len(at) == len(path):
                break
        return replaced(value, path, other)

    def _broken(self, random: Random, value: Json) -> Json | None:
        """Return an input that violates the schema in one place, or None if none was found."""
        for _ in range(_TRIES * 4):
            path, inner = random_place(random, value)
            draw = random.random()
            if path and draw < 0.2:
                broken = replaced(value, path, MISSING)
            elif draw < 0.6:
                broken = replaced(value, path, self._changed_value(random, inner))
            else:
                options: tuple[Json, ...] = ([], {}, [inner], scalar_edge(random))
                broken = replaced(value, path, pick(random, options))
            if isinstance(broken, list) and not self.accepts(broken):
                return broken
        return None

    def _changed_value(self, random: Random, value: Json) -> Json:
        if isinstance(value, list):
            return _changed_array(random, value)
        if isinstance(value, dict):
            return _changed_object(random, value)
        if isinstance(value, Number):
            return ANY_NUMBER.draw(random)
        if isinstance(value, str):
            return self._texts.change(random, value)
        return scalar_edge(random)


def _changed_array(random: Random, value: list[Json]) -> list[Json]:
    if not value:
        return [scalar_edge(random)]
    one, other = (int(random.random() * len(value)) for _ in range(2))
    changed = list(value)
    match int(random.random() * 6):
        case 0:
            changed.append(value[one])
        case 1:
            changed.insert(one, value[one])
        case 2:
            changed[one], changed[other] = changed[other], changed[one]
        case 3:
            del changed[one + 1 :]
        case 4:
            changed = in_other_order(random, value)
        case _:
            changed[one] = changed[other]
    return changed


def _changed_object(random: Random, value: dict[str, Json]) -> dict[str, Json]:
    keys = list(value)
    if not keys or chance(random, 0.2):
        return value | {draw_text(random, 0, 4): scalar_edge(random)}
    key = pick(random, keys)
    if chance(random, 0.3):
        return {each: value[each] for each in reversed(keys)}
    if chance(random, 0.1):
        return dict.fromkeys(value, value[key])
    if chance(random, 0.5):
        return value | {look_alike(random, key): value[key]}
    return {each: member for each, member in value.items() if each != key}
