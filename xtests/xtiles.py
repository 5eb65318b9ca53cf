"""xtiles: where a wire of a turned tile leads. Each query is answered as soon as it has come.

Decode, ask the engine, encode; nothing else. The contract is docs/xtiles.md.
"""

from __future__ import annotations

from typing import Final, NoReturn

from xtests import stdio
from xtests.form import array
from xtests.refusal import Pointer, element
from xtests.tsuro_wire import letter, port, tile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.jsontext import Json, Printable

__all__ = ["answer", "main"]

_QUERY: Final = "a query [index, degrees, port]"


def answer(query: Json, at: Pointer) -> Printable:
    """The other end of the wire at a port of a turned tile. Raises Refused where the form is not
    that of a query."""
    index, degrees, entrance = array(query, at, (3,), _QUERY)
    turned = tile(index, degrees, at)
    entered = port(entrance, element(at, 2))
    left = turned.get_port_connected_to(entered)
    return ["if ", letter(entered), " is the entrance, ", letter(left), " is the exit."]


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_each("xtiles", answer, requires=_QUERY, goes_on=False)


if __name__ == "__main__":
    main()
