"""What the engine's values have in common: immutable, and whole numbers in their range."""

from __future__ import annotations

import copy
import pickle

import pytest

from engines.tsuro import TILES, BoardPosition, Tile
from engines.tsuro._values import whole

_POSITION = BoardPosition(2, 7)
_TILE = TILES[17]


@pytest.mark.parametrize(("value", "name"), [(_POSITION, "x"), (_TILE, "edges"), (_TILE, "new")])
def test_no_attribute_of_a_value_can_be_set(value: object, name: str) -> None:
    message = f"a {type(value).__name__} is immutable: {name} cannot be set"
    with pytest.raises(AttributeError, match=f"^{message}$"):
        setattr(value, name, 3)
    assert _POSITION.x == 2


def test_no_attribute_of_a_value_can_be_deleted() -> None:
    with pytest.raises(AttributeError, match="^a BoardPosition is immutable: y cannot be deleted$"):
        del _POSITION.y
    assert _POSITION.y == 7


def test_a_position_survives_copying_and_pickling() -> None:
    assert copy.copy(_POSITION) == _POSITION
    assert pickle.loads(pickle.dumps(_POSITION)) == _POSITION


def test_a_tile_survives_copying_and_pickling_as_it_is_turned() -> None:
    copied: Tile = copy.copy(_TILE)
    pickled: Tile = pickle.loads(pickle.dumps(_TILE))
    assert copied.same_wires(_TILE)
    assert pickled.same_wires(_TILE)


def test_the_bounds_of_a_range_belong_to_it() -> None:
    assert [n for n in range(-1, 6) if whole(n, 1, 4)] == [1, 2, 3, 4]


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None])
def test_what_only_equals_a_whole_number_is_none(value: object) -> None:
    assert not whole(value, 0, 9)
