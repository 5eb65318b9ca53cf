"""Requests, {"state": ..., "moves": [...], "ask": [...]}, of the programs that answer queries.

A program supplies parsers of its states and moves, the rules, and a table of its queries.
docs/games/tictactoe.md, docs/games/isolation.md and docs/games/bitboard36.md specify them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar

from harness.jsonio.decoder import Json, Printable, encode
from xtests.errors import InputError, Kind, Pointer, element, member
from xtests.parsing import parse_array, parse_members, unexpected, unknown_member

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Query", "QueryParser", "Request", "RequestHandler"]

S = TypeVar("S")  # a parsed state
M = TypeVar("M")  # a parsed move
P = TypeVar("P")  # a position, of which queries are asked

# A parsed query: a function from a position to the answer.
Query: TypeAlias = Callable[[P], Printable]
# The parser of the argument of a query.
QueryParser: TypeAlias = Callable[[Json, Pointer], Query[P]]

_REQUEST: Final = 'a request {"ask": [...]}, with or without "state" and "moves",'


class Request(NamedTuple, Generic[S, M, P]):
    """A well-formed request; its state may still be inconsistent and its moves illegal."""

    state: S
    moves: tuple[M, ...]
    queries: dict[str, Query[P]]


class RequestHandler(NamedTuple, Generic[S, M, P]):
    """The functions from which one program's answers to requests are made.

    `initial` is the state of a request without one, `expected_moves` how messages name an array of
    moves. `make_position` and `play` take the place of the state and of the move, and raise
    InputError if the state is inconsistent and the move illegal. `plain` are the queries without
    an argument by name, `with_argument` the parsers of the arguments of the others.
    """

    initial: S
    parse_state: Callable[[Json, Pointer], S]
    parse_move: Callable[[Json, Pointer], M]
    expected_moves: str
    make_position: Callable[[S, Pointer], P]
    play: Callable[[P, M, Pointer], P]
    plain: Mapping[str, Query[P]]
    with_argument: Mapping[str, QueryParser[P]]

    def answer(self, value: Json, at: Pointer) -> Printable:
        """Return the answers to the queries of a request by name, for the position after its moves.

        Raise InputError for a malformed part, an inconsistent state or an illegal move.
        """
        request = self.parse(value, at)
        position = self.make_position(request.state, member(at, "state"))
        for k, move in enumerate(request.moves):
            position = self.play(position, move, element(member(at, "moves"), k))
        return {name: query(position) for name, query in request.queries.items()}

    def parse(self, value: Json, at: Pointer) -> Request[S, M, P]:
        """Return the request. Raise InputError for its first malformed part in document order."""
        request: Request[S, M, P] = Request(self.initial, (), {})
        for name, part, place in parse_members(value, at, ("ask",), ("state", "moves"), _REQUEST):
            if name == "state":
                request = request._replace(state=self.parse_state(part, place))
            elif name == "moves":
                request = request._replace(moves=self._parse_moves(part, place))
            else:
                request = request._replace(queries=self._parse_queries(part, place))
        return request

    def _parse_moves(self, value: Json, at: Pointer) -> tuple[M, ...]:
        moves = parse_array(value, at, None, self.expected_moves)
        return tuple(self.parse_move(move, element(at, k)) for k, move in enumerate(moves))

    def _parse_queries(self, value: Json, at: Pointer) -> dict[str, Query[P]]:
        queries: dict[str, Query[P]] = {}
        for k, asked in enumerate(parse_array(value, at, None, "an array of queries")):
            place = element(at, k)
            name = self._parse_query_name(asked, place)
            if name in queries:
                message = f"{encode(name)} is asked for already, found again at {place}"
                raise InputError(Kind.INVALID_SPEC, place, message)
            if isinstance(asked, dict):
                queries[name] = self.with_argument[name](asked[name], member(place, name))
            else:
                queries[name] = self.plain[name]
        return queries

    def _parse_query_name(self, asked: Json, at: Pointer) -> str:
        if isinstance(asked, str) and asked in self.plain:
            return asked
        if not isinstance(asked, dict) or len(asked) != 1:
            words = [
                *map(encode, self.plain),
                *(f'{{"{name}": ...}}' for name in self.with_argument),
            ]
            raise unexpected(asked, at, f"a query ({', '.join(words[:-1])} or {words[-1]})")
        (name,) = asked
        if name not in self.with_argument:
            raise unknown_member(member(at, name), tuple(self.with_argument))
        return name
