"""xtiles: find the exit of a wire on a turned tile, for a stream of queries.

docs/games/tsuro.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from xtests import stdio
from xtests.errors import Pointer, element
from xtests.parsing import parse_array
from xtests.tsuro_wire import letter, parse_port, parse_tile

if TYPE_CHECKING:
    from harness.jsonio.decoder import Json, Printable

__all__ = ["QUERY", "answer", "main"]

QUERY: Final = "a query [index, degrees, port]"


def answer(query: Json, at: Pointer) -> Printable:
    """Return the sentence that names the other end of a wire."""
    index, degrees, port = parse_array(query, at, (3,), QUERY)
    tile = parse_tile(index, degrees, at)
    entrance = parse_port(port, element(at, 2))
    exit_ = tile.get_port_connected_to(entrance)
    return ["if ", letter(entrance), " is the entrance, ", letter(exit_), " is the exit."]


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_stream("xtiles", answer, requires=QUERY, survives_errors=False)


if __name__ == "__main__":
    main()
