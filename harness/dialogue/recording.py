"""Make the script of a case from a recorded conversation. Pure. Source: docs/dialogues.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.dialogue.framing import Message, framed, splitter
from harness.dialogue.script import raw_step
from harness.dialogue.templates import capture, escape_references, fill, matches
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import format_pattern
from harness.model.dialogue import Action, Framing, Step, TalkRules
from harness.text import quote

_DEPTH: Final = 256  # of messages; deeper ones are sent as raw text
# Members whose value a program makes up, to be given back to it.
_MADE_UP: Final = re.compile(
    r"(?i:u?u?id|token|cursor|handle|session)"
    r"|.*(?:[a-z0-9](?:Id|ID|Uuid|Token|Cursor|Handle)|[-_](?:id|uuid|token|cursor|handle))",
    re.DOTALL,
)
# Values that look as if they were made for one session: a UUID, many hexadecimal digits, a time.
_OF_SESSION: Final = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=.*[0-9])[0-9a-fA-F]{16,}"
    r"|20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9]\S*"
    r"|1[5-9][0-9]{8}(?:[0-9]{3})?(?:\.[0-9]*)?"  # seconds or milliseconds since 1970
)
_MOST_NOTES: Final = 5
_Place = tuple[str, ...]


class RecordedChunk(NamedTuple):
    """Some bytes of one side, in the order in which they passed; none for the end of that side."""

    is_from_client: bool
    data: bytes


class Recording(NamedTuple):
    """The steps of a script, and what a person should know about them.

    `is_bare` tells whether the conversation did not begin as the scripts of the suite do.
    `notifications` are the methods of messages that the program sent unasked.
    """

    steps: list[Json]
    notes: list[str]
    is_bare: bool
    notifications: list[str]


class _RecordedMessage(NamedTuple):
    """A message, with its value if it is JSON; `is_end`: the client closed the connection."""

    is_from_client: bool
    text: bytes
    value: Json
    is_json: bool = True
    is_end: bool = False

    def id_of(self, *, has_method: bool) -> str | None:
        """Return the id of a request or an answer, or None if the message is none."""
        value = self.value
        if not isinstance(value, dict) or "id" not in value or ("method" in value) != has_method:
            return None
        return encode(value["id"])


def suggest_rules(chunks: Sequence[RecordedChunk]) -> TalkRules:
    """Return rules that fit a conversation: its framing, and what the program sends unasked."""
    rules = TalkRules(framing=_framing(chunks))
    methods = make_recording(chunks, rules, None).notifications
    return rules._replace(ignore=tuple({"method": method} for method in methods))


def _framing(chunks: Sequence[RecordedChunk]) -> Framing:
    """Return the strictest framing that a conversation fits."""
    sides = [
        b"".join(one.data for one in chunks if one.is_from_client is side) for side in (True, False)
    ]
    if any(re.match(rb"(?i)content-(length|type):", side) for side in sides):
        return Framing.CONTENT_LENGTH
    lines = [line for side in sides for line in side.split(b"\n") if line.strip()]
    are_messages = all(len(decode(line, _DEPTH).values) == 1 for line in lines)
    return Framing.LINES if lines and are_messages else Framing.VALUES


def make_recording(
    chunks: Sequence[RecordedChunk], rules: TalkRules, status: int | None
) -> Recording:
    """Return the script of a conversation by the rules of its suite.

    `status` is that with which the program ended, or None if it has not; below 0 for a signal. The
    script expects it if the program ended before the client left, or not with 0.
    """
    items, notes = _items(chunks, rules.framing)
    own, is_bare = _without_handshake(items, rules, notes)
    builder = _Builder(own, rules)
    steps = builder.steps
    has_left = _client_left_first(chunks)
    if steps and status is not None and (status > 0 or (status == 0 and not has_left)):
        is_closed = any(Action.CLOSE.value in step for step in steps if isinstance(step, dict))
        if has_left and not is_closed:
            steps.append({Action.CLOSE.value: True})
        steps.append({Action.EXIT.value: Number(str(status))})
    notes += _notes_on_values(steps)
    return Recording(steps, notes, is_bare, builder.notifications)


def _client_left_first(chunks: Sequence[RecordedChunk]) -> bool:
    first = next((one for one in chunks if not one.data), None)
    return first is not None and first.is_from_client


def _items(
    chunks: Sequence[RecordedChunk], framing: Framing
) -> tuple[list[_RecordedMessage], list[str]]:
    splitters = {side: splitter(framing) for side in (True, False)}
    items, notes = list[_RecordedMessage](), list[str]()
    broken = {True: bytearray(), False: bytearray()}  # what follows a fault
    taken = {True: 0, False: 0}
    for side, data in chunks:
        reader = splitters[side]
        before = reader.fault
        messages = reader.feed(data) if data else reader.close()
        items += [_item(side, message, framing) for message in messages]
        if before is not None:
            broken[side] += data
        elif reader.fault is not None:
            begin = max(0, reader.fault.offset - taken[side])
            broken[side] += data[begin:]
            if not side:
                notes.append(
                    f"the program printed {quote(_excerpt(data[begin:]))}: {reader.fault.reason};"
                    " nothing after it is expected"
                )
        taken[side] += len(data)
        if side and (broken[side] or not data):
            if broken[side]:
                items.append(_RecordedMessage(True, bytes(broken[side]), None, is_json=False))
                broken[side].clear()
            if not data:
                items.append(_RecordedMessage(True, b"", None, is_end=True))
    notes += [
        f"the program printed {quote(_excerpt(item.text))}, not JSON; it is not in the script"
        for item in items
        if not item.is_json and not item.is_from_client
    ]
    return items, notes


def _item(side: bool, message: Message, framing: Framing) -> _RecordedMessage:
    values, fault = decode(message.text, _DEPTH)
    if fault is None and len(values) == 1:
        return _RecordedMessage(side, message.text, values[0])
    text = framed(message.text, framing) if side else message.text
    return _RecordedMessage(side, text, None, is_json=False)


def _excerpt(data: bytes) -> str:
    return data[:80].decode("utf-8", "backslashreplace")


# The steps that all scripts of the suite share.


def _without_handshake(
    items: list[_RecordedMessage], rules: TalkRules, notes: list[str]
) -> tuple[list[_RecordedMessage], bool]:
    """Return the messages without those of `[talk]` start and end, and whether they are others.

    Notes say where the values that the client sent are not those of start and end.
    """
    start = _end_of(rules.start, items, 0, rules)
    if start is None:
        return items, bool(rules.start)
    notes += start.notes
    own = items[start.at :]
    for begin in range(len(own)):
        end = _end_of(rules.end, own, begin, rules)
        if rules.end and end is not None and all(item.is_end for item in own[end.at :]):
            notes += end.notes
            return own[:begin], False
    methods = {_method(value) for step in rules.end for value in step.values} - {None}
    if any(item.is_from_client and _method(item.value) in methods for item in own):
        return items, True
    return own, False


class _HandshakeEnd(NamedTuple):
    """The index after the messages of a handshake, and notes on other values in them."""

    at: int
    notes: list[str]


def _end_of(
    steps: Sequence[Step], items: Sequence[_RecordedMessage], begin: int, rules: TalkRules
) -> _HandshakeEnd | None:
    """Return the end of the messages that are those of some steps, or None if they are not."""
    notes: list[str] = []
    captured: dict[str, Json] = {}
    at = begin
    for step in steps:
        for template in step.values:
            is_sent = step.action is Action.SEND
            while at < len(items) and not is_sent and _is_ignored(items[at], rules):
                at += 1
            if at == len(items) or items[at].is_from_client is not is_sent:
                return None
            value = items[at].value
            for one in step.captures:
                captured[one.name] = (capture(value, one) or (None,))[0]
            expected = fill(template, captured)
            if not _is_same(expected, value):
                return None
            if is_sent and (place := _other_value(expected, value)):
                notes.append(
                    f"[talk] sends its own {quote(_method(value) or 'message')}, not the client's,"
                    f" which differs at {place}; bare = true in [[cases]] keeps that"
                )
            at += 1
        if step.action in (Action.RAW, Action.CLOSE):
            return None
    return _HandshakeEnd(at, notes)


def _is_same(expected: Json, value: Json) -> bool:
    """Return whether a message is the one of a handshake, whose values are those of its client."""
    if not isinstance(expected, dict):
        return expected == value
    return _shape(expected) == _shape(value) and _method(expected) == _method(value)


def _other_value(expected: Json, value: Json) -> str:
    """Return the first place where two requests differ, but for their ids, or ""."""
    one, other = dict(_leaves(expected)), dict(_leaves(value))
    places = [each for each in (*other, *one) if each != ("id",)]
    return next((format_pattern(each) for each in places if one.get(each) != other.get(each)), "")


def _shape(value: Json) -> tuple[str, ...] | None:
    if not isinstance(value, dict):
        return None
    return tuple(sorted(value.keys() & {"id", "method", "result", "error"}))


def _method(value: Json) -> str | None:
    method = value.get("method") if isinstance(value, dict) else None
    return method if isinstance(method, str) else None


def _is_ignored(item: _RecordedMessage, rules: TalkRules) -> bool:
    return any(matches(pattern, item.value) for pattern in rules.ignore)


# The steps of the case.


class _Builder:
    """Makes the steps of messages."""

    def __init__(self, items: Sequence[_RecordedMessage], rules: TalkRules) -> None:
        self._rules = rules
        self.steps: list[Json] = []
        self.notifications: list[str] = []
        self._names: dict[str, str] = {}  # of captured values, by their texts
        self._requests: dict[str, str] = {}  # names of the ids of the program's requests
        self._answered: set[str] = set()  # ids of requests that [[talk.answer]] answers
        self._is_run = False  # whether the last step expects an answer, and nothing was sent since
        uses = _uses(items)
        last = max((n for n, item in enumerate(items) if not item.is_from_client), default=-1)
        for number, item in enumerate(items):
            if item.is_end:
                if number < last:
                    self._add({Action.CLOSE.value: True})
            elif item.is_from_client:
                self._add_sent(item)
            elif item.is_json:
                self._add_received(item, number, uses)

    def _add(self, step: Json) -> None:
        self.steps.append(step)
        self._is_run = False

    def _add_sent(self, item: _RecordedMessage) -> None:
        if not item.is_json:
            self._add(raw_step(item.text))
            return
        answered = item.id_of(has_method=False)
        if answered is not None and answered in self._answered:
            self._answered.discard(answered)
            return
        value = self._filled(item.value)
        if answered in self._requests and isinstance(value, dict):
            value = {**value, "id": f"${{{self._requests.pop(answered)}}}"}
        self._add({Action.SEND.value: value})

    def _add_received(
        self, item: _RecordedMessage, number: int, uses: Mapping[str, tuple[int, int]]
    ) -> None:
        request = item.id_of(has_method=True)
        if request is not None and any(matches(a.when, item.value) for a in self._rules.answers):
            self._answered.add(request)
            return
        if _is_ignored(item, self._rules):
            return
        method = _method(item.value)
        if method is not None and request is None and method not in self.notifications:
            self.notifications.append(method)
        value = self._filled(item.value)
        captures: dict[str, Json] = {}
        if request is not None:
            self._requests[request] = self._free_name("request")
            captures[self._requests[request]] = "/id"
        for place, text in _made_up(item.value):
            first, last = uses.get(text, (-1, -1))
            if text not in self._names and number < first <= last:
                self._names[text] = self._free_name(place[-1])
                captures[self._names[text]] = format_pattern(place)
        is_answer = item.id_of(has_method=False) is not None and not captures
        if is_answer and self._is_run:
            self.steps[-1] = _joined(self.steps[-1], value)
            return
        self._add({Action.EXPECT.value: value, **({"as": captures} if captures else {})})
        self._is_run = is_answer

    def _free_name(self, member: str) -> str:
        stem = re.sub("[^A-Za-z0-9_]+", "_", member).strip("_") or "value"
        stem = f"_{stem}" if stem[0].isdecimal() else stem
        used = {*self._names.values(), *self._requests.values()}
        number = 1
        while (name := stem if number == 1 else f"{stem}{number}") in used:
            number += 1
        return name

    def _filled(self, value: Json) -> Json:
        """Return a message with captured values by their names."""
        filled = _with_names(escape_references(value), "", self._names)
        if isinstance(value, dict) and isinstance(filled, dict) and "id" in value:
            filled["id"] = value["id"]  # that of a message is no value that the program made up
        return filled


def _joined(step: Json, value: Json) -> Json:
    """Return a step that expects one answer more, in any order: their requests ran side by side."""
    assert isinstance(step, dict)
    earlier = step.get(Action.EXPECT_ALL.value)
    values = earlier if isinstance(earlier, list) else [step[Action.EXPECT.value]]
    return {Action.EXPECT_ALL.value: [*values, value]}


def _uses(items: Sequence[_RecordedMessage]) -> dict[str, tuple[int, int]]:
    """Return the first and the last message of the client in which each made-up value is."""
    uses: dict[str, tuple[int, int]] = {}
    for number, item in enumerate(items):
        if item.is_from_client and item.is_json:
            for _, text in _made_up(item.value):
                uses[text] = uses.get(text, (number, number))[0], number
    return uses


def _notes_on_values(steps: Sequence[Json]) -> list[str]:
    """Return notes on expected values that will probably be others in the next session."""
    notes = []
    for number, step in enumerate(steps, 1):
        assert isinstance(step, dict)
        captured = step.get("as")
        known = list(captured.values()) if isinstance(captured, dict) else []
        for action in (Action.EXPECT, Action.EXPECT_ALL):
            for place, leaf in _leaves(step.get(action.value)):
                pointer = format_pattern(place if action is Action.EXPECT else place[1:])
                text = leaf.text if isinstance(leaf, Number) else leaf
                if not isinstance(text, str) or pointer in known:
                    continue
                if _OF_SESSION.fullmatch(text):
                    shown = text if isinstance(leaf, Number) else quote(text)
                    rule = f"ignore = [{quote(pointer)}] in [compare]"
                    notes.append(f"step {number}: {shown} at {pointer} may vary; if so, {rule}")
    more = len(notes) - _MOST_NOTES
    return [*notes[:_MOST_NOTES], *([f"and {more} values more that may vary"] if more > 0 else [])]


def _leaves(value: Json) -> Iterator[tuple[_Place, Json]]:
    """Yield the simple values of a message with their places."""
    waiting: list[tuple[_Place, Json]] = [((), value)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*place, key), each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [((*place, str(n)), each) for n, each in reversed([*enumerate(value)])]
        else:
            yield place, value


def _made_up(value: Json) -> Iterator[tuple[_Place, str]]:
    """Yield the places and texts of values of members such as `id`; not the id of a message."""
    for place, leaf in _leaves(value):
        if isinstance(leaf, (str, Number)) and place and place != ("id",):
            if _MADE_UP.fullmatch(place[-1]):
                yield place, encode(leaf)


def _with_names(value: Json, member: str, names: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {key: _with_names(each, key, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_names(each, "", names) for each in value]
    if isinstance(value, (str, Number)) and _MADE_UP.fullmatch(member):
        name = names.get(encode(value))
        return value if name is None else f"${{{name}}}"
    return value
