"""A second opinion on every case: the answers of xtiles and xboard, slow and obvious.

Written from docs/xtiles.md, docs/xboard.md and docs/errors.md, in letters, lists and dictionaries;
imports nothing of the project, so that a mistake would have to be made twice to pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias, Union

__all__ = ["Answer", "Move", "TILES", "moves", "xboard", "xtiles"]

# What is printed, as plain Python values; an error object comes without its message.
Answer: TypeAlias = Union[str, int, list["Answer"], dict[str, "Answer"]]

TILES: Final = (
    *("AE BF CH DG", "AE BF CG DH", "AF BE CH DG", "AE BD CG FH", "AH BC DE FG"),
    *("AE BC DH FG", "AE BC DG FH", "AD BG CF EH", "AD BF CG EH", "AD BE CH FG"),
    *("AD BE CG FH", "AD BC EH FG", "AC BH DF EG", "AC BH DE FG", "AC BG DF EH"),
    *("AC BG DE FH", "AC BF DH EG", "AC BF DG EH", "AC BE DH FG", "AC BE DG FH"),
    *("AC BD EH FG", "AC BD EG FH", "AB CH DG EF", "AB CH DF EG", "AB CH DE FG"),
    *("AB CG DH EF", "AB CG DF EH", "AB CG DE FH", "AB CF DH EG", "AB CF DG EH"),
    *("AB CE DH FG", "AB CE DG FH", "AB CD EH FG", "AB CD EG FH", "AB CD EF GH"),
)
LETTERS: Final = "ABCDEFGH"
COLOURS: Final = ("white", "black", "red", "green", "blue")
ANGLES: Final = (0, 90, 180, 270)
AHEAD: Final = {
    **{"A": (0, -1), "B": (0, -1), "C": (1, 0), "D": (1, 0)},
    **{"E": (0, 1), "F": (0, 1), "G": (-1, 0), "H": (-1, 0)},
}
TOUCHES: Final = {"A": "F", "F": "A", "B": "E", "E": "B", "C": "H", "H": "C", "D": "G", "G": "D"}

Wires = dict[str, str]  # from either end to the other
Place = tuple[int, int, str]  # x, y, port
TilePat = tuple[int, int]  # index, degrees


class Wrong(Exception):
    """The input cannot be accepted: its kind of fault, and where."""

    def __init__(self, kind: str, at: Answer) -> None:
        super().__init__(kind, at)
        self.error: Answer = {"error": {"kind": kind, "at": at}}


# The two programs.


def xtiles(text: bytes) -> list[Answer]:
    """All that xtiles prints for this input."""
    answers: list[Answer] = []
    try:
        for query in values_of(text):
            answers.append(exit_of(query, f"/{len(answers)}"))
        if not answers:
            raise Wrong("incomplete-input", "/0")
    except Wrong as wrong:
        answers.append(wrong.error)
    return answers


def xboard(text: bytes) -> list[Answer]:
    """All that xboard prints for this input: one value."""
    try:
        return [_outcome(list(values_of(text)))]
    except Wrong as wrong:
        return [wrong.error]


def exit_of(query: Value, at: str) -> Answer:
    """The sentence that answers a query of xtiles."""
    parts = elements(query, at, (3,))
    pattern = (one_of(range(35), parts[0], f"{at}/0"), one_of(ANGLES, parts[1], f"{at}/1"))
    port = word_of(LETTERS, parts[2], f"{at}/2")
    return ["if ", port, " is the entrance, ", wires_of(pattern)[port], " is the exit."]


def _outcome(values: list[Value]) -> Answer:
    last: Answer = "red never played"
    for move in moves(values):
        last = move.outcome
    return last


# The board.


class StatePat(NamedTuple):
    """A tile on a square, perhaps with an avatar of this colour on this port."""

    pattern: TilePat
    x: int
    y: int
    colour: str | None = None
    port: str | None = None


class Move(NamedTuple):
    """What one action came to (or none, for the state itself).

    `outcome` is what xboard would print if it were the last one; `paths` are the places of every
    avatar on it, `looping` and `leaving` the colours; `patterns` are all tiles then on the board.
    """

    outcome: Answer
    paths: dict[str, list[Place]]
    looping: list[str]
    leaving: list[str]
    patterns: dict[tuple[int, int], TilePat]

    @property
    def colliding(self) -> list[str]:
        """The avatars still on the board that share their place with another."""
        ends = {
            colour: path[-1]
            for colour, path in self.paths.items()
            if colour not in self.looping + self.leaving
        }
        return [colour for colour in ends if list(ends.values()).count(ends[colour]) > 1]


def moves(values: list[Value]) -> Iterator[Move]:
    """The state, then every action that is performed; nothing where red never played."""
    state, actions = form_of(values)
    check_facts(state)
    patterns = {(part.x, part.y): part.pattern for part in state}
    avatars = {
        part.colour: (part.x, part.y, part.port) for part in state if part.colour and part.port
    }
    if "red" not in avatars:
        return
    first = Move("", {colour: [place] for colour, place in avatars.items()}, [], [], patterns)
    yield first._replace(outcome=red_state_pat(patterns, avatars["red"]))
    for number, (colour, pattern) in enumerate(actions, 1):
        if colour not in avatars:
            raise Wrong("illegal-move", f"/{number}")
        patterns = {**patterns, faced_by(avatars[colour]): pattern}
        move = _performed(patterns, avatars)
        yield move
        if isinstance(move.outcome, str):
            return
        avatars = {c: path[-1] for c, path in move.paths.items() if c not in move.leaving}


def _performed(patterns: dict[tuple[int, int], TilePat], avatars: dict[str, Place]) -> Move:
    move = Move("", {}, [], [], patterns)
    for colour, place in avatars.items():
        path = [place]
        while faced_by(path[-1]) in patterns and path[-1] not in path[:-1]:
            x, y = faced_by(path[-1])
            path.append((x, y, wires_of(patterns[x, y])[TOUCHES[path[-1][2]]]))
        move.paths[colour] = path
        if path[-1] in path[:-1]:
            move.looping.append(colour)
        elif not is_on_board(faced_by(path[-1])):
            move.leaving.append(colour)
    return move._replace(outcome=_said_of(move))


def _said_of(move: Move) -> Answer:
    if move.looping:
        return "infinite"
    if move.colliding:
        return "collision"
    if "red" in move.leaving:
        return "red died"
    return red_state_pat(move.patterns, move.paths["red"][-1])


def red_state_pat(patterns: dict[tuple[int, int], TilePat], place: Place) -> Answer:
    """Where red rests, as it is printed: with the least degrees."""
    x, y, port = place
    index, degrees = patterns[x, y]
    same = [turn for turn in ANGLES if wires_of((index, turn)) == wires_of((index, degrees))]
    return [[index, min(same)], "red", port, x, y]


def wires_of(pattern: TilePat) -> Wires:
    """The wires of a tile, turned: a port moves on by a letter for every 45 degrees."""
    index, degrees = pattern
    wires: Wires = {}
    for ends in TILES[index].split():
        one, other = [LETTERS[(LETTERS.index(end) + degrees // 45) % 8] for end in ends]
        wires[one], wires[other] = other, one
    return wires


def faced_by(place: Place) -> tuple[int, int]:
    """The square that an avatar faces, which may be off the board."""
    x, y, port = place
    return x + AHEAD[port][0], y + AHEAD[port][1]


def is_on_board(square: tuple[int, int]) -> bool:
    """Whether there is such a square."""
    return 0 <= square[0] <= 9 and 0 <= square[1] <= 9


# What the input has to be. Containers are looked at before their parts, parts in their order.


def form_of(values: list[Value]) -> tuple[list[StatePat], list[tuple[str, TilePat]]]:
    """A state and actions, looked at one by one."""
    if not values:
        raise Wrong("incomplete-input", "/0")
    parts = elements(values[0], "/0", None)
    state = [_state_pat(part, f"/0/{number}") for number, part in enumerate(parts)]
    actions = []
    for number, value in enumerate(values[1:], 1):
        colour, pattern = elements(value, f"/{number}", (2,))
        who = word_of(COLOURS, colour, f"/{number}/0")
        actions.append((who, _tile_pat(pattern, f"/{number}/1")))
    return state, actions


def check_facts(state: list[StatePat]) -> None:
    """What the parts of a state must have to do with each other."""
    squares = [(part.x, part.y) for part in state]
    for number, part in enumerate(state):
        on_same = [other for other in state[:number] if (other.x, other.y) == (part.x, part.y)]
        if any(wires_of(other.pattern) != wires_of(part.pattern) for other in on_same):
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.port is None:
            continue
        ahead = faced_by((part.x, part.y, part.port))
        if ahead in squares or not is_on_board(ahead):
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.colour in [other.colour for other in state[:number]]:
            raise Wrong("invalid-spec", f"/0/{number}/1")


def _state_pat(value: Value, at: str) -> StatePat:
    parts = elements(value, at, (3, 5))
    pattern = _tile_pat(parts[0], f"{at}/0")
    colour = port = None
    if len(parts) == 5:
        colour = word_of(COLOURS, parts[1], f"{at}/1")
        port = word_of(LETTERS, parts[2], f"{at}/2")
    x = one_of(range(10), parts[-2], f"{at}/{len(parts) - 2}")
    y = one_of(range(10), parts[-1], f"{at}/{len(parts) - 1}")
    return StatePat(pattern, x, y, colour, port)


def _tile_pat(value: Value, at: str) -> TilePat:
    index, degrees = elements(value, at, (2,))
    return one_of(range(35), index, f"{at}/0"), one_of(ANGLES, degrees, f"{at}/1")


def elements(value: Value, at: str, lengths: tuple[int, ...] | None) -> list[Value]:
    """The elements of an array, which has one of these lengths."""
    if not isinstance(value, list) or (lengths and len(value) not in lengths):
        raise Wrong("invalid-spec", at)
    return value


def one_of(numbers: range | tuple[int, ...], value: Value, at: str) -> int:
    """The number among these that is written so, and in no other way."""
    for number in numbers:
        if value == Numeral(str(number)):
            return number
    raise Wrong("invalid-spec", at)


def word_of(words: str | tuple[str, ...], value: Value, at: str) -> str:
    """The word among these (for a text: the letter) that this is."""
    if not isinstance(value, str) or value not in list(words):
        raise Wrong("invalid-spec", at)
    return value


# JSON, byte by byte.


class Numeral:
    """A number as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numeral) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


Value: TypeAlias = Union[None, bool, str, Numeral, list["Value"], dict[str, "Value"]]

DEEPEST: Final = 512
# First bytes of a character (from, to before), and what each further byte may be.
TAIL: Final = (0x80, 0xC0)
UTF8: Final[dict[tuple[int, int], tuple[tuple[int, int], ...]]] = {
    (0x00, 0x80): (),
    (0xC2, 0xE0): (TAIL,),
    (0xE0, 0xE1): ((0xA0, 0xC0), TAIL),
    (0xE1, 0xED): (TAIL, TAIL),
    (0xED, 0xEE): ((0x80, 0xA0), TAIL),
    (0xEE, 0xF0): (TAIL, TAIL),
    (0xF0, 0xF1): ((0x90, 0xC0), TAIL, TAIL),
    (0xF1, 0xF4): (TAIL, TAIL, TAIL),
    (0xF4, 0xF5): ((0x80, 0x90), TAIL, TAIL),
}
WHITE: Final = (b" ", b"\t", b"\r", b"\n")
DIGITS: Final = tuple(bytes([digit]) for digit in b"0123456789")
HEX: Final = tuple(bytes([digit]) for digit in b"0123456789abcdefABCDEF")
WORDS: Final[dict[bytes, tuple[bytes, bool | None]]] = {
    **{b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
}
ESCAPES: Final = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))


def values_of(text: bytes) -> Iterator[Value]:
    """The values of a stream, each as soon as it is complete."""
    i = _past_white(text, 0)
    while i < len(text):
        value, end = _value(text, i, 0)
        i = _past_white(text, end)
        yield value
        is_bare = value is None or isinstance(value, (bool, Numeral))
        if is_bare and i == end < len(text) and text[i : i + 1] not in (b"[", b"{", b'"'):
            raise _malformed(i)


def _malformed(i: int) -> Wrong:
    return Wrong("malformed-json", {"byte": i})


def _past_white(text: bytes, i: int) -> int:
    while text[i : i + 1] in WHITE:
        i += 1
    return i


def _byte(text: bytes, i: int) -> bytes:
    """The byte there; a value that is not complete must have one."""
    if i >= len(text):
        raise _malformed(len(text))
    return text[i : i + 1]


def _value(text: bytes, i: int, depth: int) -> tuple[Value, int]:
    """The value that begins here, and where it ends. Calls itself once a level, and no more."""
    byte = _byte(text, i)
    if byte in (b"[", b"{"):
        if depth == DEEPEST:
            raise _malformed(i)
        array: list[Value] = []
        members: dict[str, Value] = {}
        closing = b"]" if byte == b"[" else b"}"
        i = _past_white(text, i + 1)
        while _byte(text, i) != closing or array or members:
            if byte == b"{":
                key, i = _key(text, i, members)
                members[key], i = _value(text, i, depth + 1)
            else:
                element, i = _value(text, i, depth + 1)
                array.append(element)
            i = _past_white(text, i)
            if _byte(text, i) == closing:
                break
            i = _past_white(text, _past(text, i, b","))
        return (array if byte == b"[" else members), i + 1
    return _scalar(text, i)


def _key(text: bytes, i: int, members: dict[str, Value]) -> tuple[str, int]:
    """A key that is new to its object, and where its value begins."""
    key, end = _string(text, _past(text, i, b'"'))
    if key in members:
        raise _malformed(i)
    end = _past_white(text, end)
    return key, _past_white(text, _past(text, end, b":"))


def _scalar(text: bytes, i: int) -> tuple[Value, int]:
    byte = _byte(text, i)
    if byte == b'"':
        return _string(text, i + 1)
    if byte in WORDS:
        word, value = WORDS[byte]
        for letter in word:
            i = _past(text, i, bytes([letter]))
        return value, i
    return _numeral(text, i)


def _past(text: bytes, i: int, expected: bytes) -> int:
    if _byte(text, i) != expected:
        raise _malformed(i)
    return i + 1


def _numeral(text: bytes, start: int) -> tuple[Numeral, int]:
    i = start + 1 if _byte(text, start) == b"-" else start
    if _byte(text, i) == b"0":
        i += 1
        if text[i : i + 1] in DIGITS:
            raise _malformed(i)
    else:
        i = _past_digits(text, i)
    if text[i : i + 1] == b".":
        i = _past_digits(text, i + 1)
    if text[i : i + 1] in (b"e", b"E"):
        i += 1
        i = _past_digits(text, i + 1 if _byte(text, i) in (b"+", b"-") else i)
    return Numeral(text[start:i].decode()), i


def _past_digits(text: bytes, i: int) -> int:
    if _byte(text, i) not in DIGITS:
        raise _malformed(i)
    while text[i : i + 1] in DIGITS:
        i += 1
    return i


def _string(text: bytes, i: int) -> tuple[str, int]:
    """The string that begins here, after its opening quote."""
    out = ""
    while True:
        byte = _byte(text, i)
        if byte == b'"':
            return out, i + 1
        if byte < b" ":
            raise _malformed(i)
        letter, i = _escape(text, i) if byte == b"\\" else _character(text, i)
        out += letter


def _character(text: bytes, i: int) -> tuple[str, int]:
    """A character of one to four bytes, by the table of RFC 3629."""
    first = _byte(text, i)[0]
    tails = [follow for range_, follow in UTF8.items() if first in range(*range_)]
    if not tails:
        raise _malformed(i)
    end = i + 1
    for least, past in tails[0]:
        if _byte(text, end)[0] not in range(least, past):
            raise _malformed(end)
        end += 1
    return text[i:end].decode(), end


def _escape(text: bytes, i: int) -> tuple[str, int]:
    """The character that an escape stands for; `i` is its backslash."""
    kind = _byte(text, i + 1)
    if kind[0] in ESCAPES:
        return ESCAPES[kind[0]], i + 2
    if kind != b"u":
        raise _malformed(i + 1)
    unit = ""
    for k in range(i + 2, i + 6):
        if _byte(text, k) not in HEX:
            raise _malformed(k)
        unit += _byte(text, k).decode().lower()
        if unit in ("dc", "dd", "de", "df"):
            raise _malformed(i)
    if not "d800" <= unit <= "dbff":
        return chr(int(unit, 16)), i + 6
    for k, allowed in enumerate((b"\\", b"u", b"dD", b"cdefCDEF", *2 * (b"".join(HEX),)), i + 6):
        if _byte(text, k) not in allowed:
            raise _malformed(i)
    pair = bytes.fromhex(unit + text[i + 8 : i + 12].decode())
    return pair.decode("utf-16-be"), i + 12
