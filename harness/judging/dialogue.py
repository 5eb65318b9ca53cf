"""Judge a dialogue, from the record of the whole conversation. Pure.

The earliest cause in time decides: a wrong message, then whatever kept the script from going on.
Source: docs/dialogues.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.jsonio.decoder import Json, JsonError, encode
from harness.judging.dialogue_walk import DialogueWalk, Failure, fault_message, seconds_text
from harness.judging.explanation import stderr_summary
from harness.model.case import Case, Policy
from harness.model.dialogue import (
    Action,
    EntryKind,
    Framing,
    Stop,
    TalkEntry,
    Transport,
)
from harness.model.judgement import (
    MISSING,
    Judgement,
    Missing,
    ShownMessage,
    shown_differences,
)
from harness.model.limits import Limit
from harness.model.transcript import DeadEnd, Exited, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.text import first_bytes, pluralize, signal_name

# What is kept for people: bytes of a message, of all together, and of each of many.
_GOES_ON: Final = (None, Stop.OVER, Stop.UNCONNECTED)
_SHOWN_TEXT: Final = 4_096
_SHOWN_IN_ALL: Final = 409_600
_SHOWN_OF_MANY: Final = 200
# Messages at the beginning of a conversation, and on both sides of the place where it failed.
_SHOWN_MESSAGES: Final = 1_000


def judge_dialogue(
    transcript: Transcript, case: Case, policy: Policy, limit: Judgement | None, exit_fault: str
) -> Judgement:
    """Return the judgement of a dialogue that was started.

    `limit` is the judgement on a limit other than the clocks that it reached, `exit_fault` says
    what is wrong with its exit status by the policy.
    """
    script, record = case.script, transcript.talk
    assert script is not None and record is not None
    walk = DialogueWalk(transcript, script, record, policy)
    failure = walk.wrong_message()
    # A limit that is reached after the script has failed is not the cause.
    if failure is None and limit is not None and record.stop in _GOES_ON:
        failure = Failure(limit.verdict, f"{walk.where}: {limit.message}")
    failure = failure or _unfinished(walk, policy, exit_fault)
    if failure is None:
        return Judgement(Verdict.PASSED, "as expected")
    return Judgement(
        failure.verdict,
        failure.message,
        shown_differences(list(failure.differences)),
        len(failure.differences),
        expected=_line(failure.expected),
        printed=_line(failure.actual),
        talk=tuple(_shown(walk, failure)),
    )


# The end of a script.


def _unfinished(walk: DialogueWalk, policy: Policy, exit_fault: str) -> Failure | None:
    """Return why a script without a wrong message is not complete, or None if it is."""
    record, step = walk.record, walk.step
    if record.stop is Stop.UNCONNECTED:
        return _unconnected(walk, policy, exit_fault)
    if record.fault is not None and not _is_cut_at_end(walk):
        return Failure(Verdict.MALFORMED, fault_message(walk, JsonError(*record.fault)))
    if record.stop is Stop.NO_CAPTURE and step is not None:
        one = next(each for each in step.captures if each.name == record.capture)
        place = one.pointer or "the message"
        message = f'{walk.where}: nothing at {place} to capture as "{one.name}"'
        last = max(at for at, each in enumerate(record.entries) if each.step == record.step)
        return Failure(Verdict.DIFFERS, message, last)
    if record.stop is Stop.TOO_MANY:
        return Failure(Verdict.TOO_MANY, f"{walk.where}: too many messages that no step expects")
    return _late(walk, policy) or _ended_early(walk, exit_fault) or _end(walk, exit_fault)


def _unconnected(walk: DialogueWalk, policy: Policy, exit_fault: str) -> Failure:
    """Return the failure of a program whose dialogue over TCP never began."""
    transcript, ending = walk.transcript, walk.transcript.ending
    listens = walk.script.rules.transport is Transport.CONNECT
    where = f"127.0.0.1:{walk.record.port}"
    summary = stderr_summary(transcript.stderr)
    if transcript.dead_end is not None or transcript.limit is not None:
        verb = "listen on" if listens else "connect to"
        text = f"the program did not {verb} {where} within {_connection_s(walk, policy)} s"
        if walk.record.listening:
            text += f"; it listens on {' and '.join(walk.record.listening)}"
        text += "; {port} in its command, or the variable XTEST_PORT, is the port"
        return Failure(Verdict.SILENT, f"{text}{summary}")
    wanted = f"{'listened on' if listens else 'connected to'} {where}{summary}"
    if isinstance(ending, Signalled):
        text = f"killed by {signal_name(ending.number)} before it {wanted}"
        return Failure(Verdict.CRASHED, text)
    status = f" with exit status {ending.status}" if isinstance(ending, Exited) else ""
    verdict = Verdict.EXIT_STATUS if exit_fault else Verdict.TOO_FEW
    return Failure(verdict, f"the program ended{status} before it {wanted}")


def _connection_s(walk: DialogueWalk, policy: Policy) -> str:
    """Return the seconds that a program had for its connection, for people."""
    if walk.transcript.limit is None:
        return seconds_text(walk.script.rules.within_s)
    is_first = walk.transcript.limit is Limit.FIRST_BYTE
    return seconds_text(policy.limits.first_byte_s if is_first else policy.limits.wall_s)


def _late(walk: DialogueWalk, policy: Policy) -> Failure | None:
    """Return the failure of a program that kept xtest waiting for too long, or None."""
    transcript, record, step = walk.transcript, walk.record, walk.step
    is_clock = transcript.limit in (Limit.WALL, Limit.FIRST_BYTE)
    if record.stop is not Stop.LATE and not is_clock:
        return None
    if step is None and not walk.script.rules.must_end and not is_clock:
        return None
    within_s = (step.within_s if step is not None else None) or walk.script.rules.within_s
    if is_clock:
        is_first = transcript.limit is Limit.FIRST_BYTE
        limits = policy.limits
        within_s = (limits.first_byte_s if is_first else None) or limits.wall_s
    time = f"within {seconds_text(within_s)} s"
    if is_clock and transcript.limit is not None:
        time += f" (the limit {transcript.limit.value})"
    expected: Json | Missing = MISSING
    if step is None:
        text = f"the program did not end {time}, although its input was closed"
        text += "; ends = false in [talk] allows that"
    elif step.action is Action.EXIT:
        text = f"the program did not end {time}"
    elif step.action is Action.QUIET:
        text = f"the run was not over {time}"
    else:
        came = sum(entry.step == record.step for entry in record.entries)
        wanted = walk.expected(record.step)
        expected = wanted[min(came, len(wanted) - 1)]
        note = _partial_note(walk) if record.partial else _silence_note(walk)
        text = f"no message came {time}{note}"
    return Failure(_timeout_verdict(walk), f"{walk.where}: {text}", None, expected)


def _timeout_verdict(walk: DialogueWalk) -> Verdict:
    printed = walk.transcript.stdout
    is_silent = not printed or len(printed.strip()) == _late_bytes(walk) > 0
    return Verdict.SILENT if is_silent else Verdict.STALLED


def _late_bytes(walk: DialogueWalk) -> int:
    """Return the number of bytes that came only after the script had stopped."""
    record = walk.record
    if record.stop is not Stop.LATE or record.left_out or record.partial:
        return 0
    in_time = max((entry.end for entry in record.entries), default=0)
    return len(walk.transcript.stdout[in_time:].strip())


def _silence_note(walk: DialogueWalk) -> str:
    if late := _late_bytes(walk):
        amount = pluralize(late, "byte")
        return f"; {amount} came only when its input was closed: does it flush its output?"
    if walk.record.port is not None and walk.transcript.stderr:
        return "; what it printed did not go to the connection"
    hint = "; is it still starting, or does it not flush its output?"
    return hint if not walk.transcript.stdout else ""


def _partial_note(walk: DialogueWalk) -> str:
    amount = pluralize(walk.record.partial, "byte")
    match walk.script.rules.framing:
        case Framing.LINES:
            return f"; {amount} came, but no line end"
        case Framing.CONTENT_LENGTH:
            return f"; {amount} came, less than the headers and Content-Length announce"
        case Framing.VALUES:
            begin = walk.transcript.stdout.rstrip()[-walk.record.partial :][:1]
            if begin in (b"{", b"[", b'"'):
                return f"; {amount} came, which are not a complete value"
            return f"; {amount} came, without the white space that ends a number or word"


def _ended_early(walk: DialogueWalk, exit_fault: str) -> Failure | None:
    """Return the failure of a program that ended, or closed its output, before its script."""
    transcript, step, ending = walk.transcript, walk.step, walk.transcript.ending
    if isinstance(ending, Signalled) and transcript.dead_end is None:
        text = f"killed by {signal_name(ending.number)}{stderr_summary(transcript.stderr)}"
        return Failure(Verdict.CRASHED, f"{walk.where}: {text}")
    if step is None or (step.action is Action.EXIT and transcript.dead_end is None):
        return None
    expected: Json | Missing = MISSING
    if step.messages:
        expected = walk.expected(walk.record.step)[0]
    is_cut = _is_cut_at_end(walk)
    if transcript.dead_end is DeadEnd.CLOSED and not isinstance(ending, Exited) and not is_cut:
        text = f"the program {_closing(walk)} when a message was expected"
        return Failure(Verdict.TOO_FEW, f"{walk.where}: {text}", None, expected)
    if is_cut or walk.record.partial:
        return _incomplete(walk, exit_fault)
    status = f" with exit status {ending.status}" if isinstance(ending, Exited) else ""
    text = f"the program ended{status} before its script{stderr_summary(transcript.stderr)}"
    verdict = Verdict.EXIT_STATUS if exit_fault else Verdict.TOO_FEW
    return Failure(verdict, f"{walk.where}: {text}", None, expected)


def _closing(walk: DialogueWalk) -> str:
    """Return what a program did, after which no message can come."""
    if walk.record.port is None:
        return "closed its output"
    return f"{'reset' if walk.record.is_reset else 'closed'} the connection"


def _end(walk: DialogueWalk, exit_fault: str) -> Failure | None:
    """Return what is wrong with the end of a program whose script is complete, or None."""
    transcript, step, ending = walk.transcript, walk.step, walk.transcript.ending
    is_complete = step is None and not walk.script.rules.must_end
    if _is_cut_at_end(walk) or (walk.record.partial and not is_complete):
        return _incomplete(walk, "")
    if step is not None:
        if ending == Exited(step.status):
            return None
        status = ending.status if isinstance(ending, Exited) else "unknown"
        text = f"the exit status is {status}, not {step.status}"
        summary = stderr_summary(transcript.stderr)
        return Failure(Verdict.EXIT_STATUS, f"{walk.where}: {text}{summary}")
    if exit_fault and walk.script.rules.must_end:
        return Failure(Verdict.EXIT_STATUS, f"every message is correct, but {exit_fault}")
    return None


def _is_cut_at_end(walk: DialogueWalk) -> bool:
    """Return whether the output ends inside a line or a value, without a line end."""
    fault = walk.record.fault
    if fault is None or walk.script.rules.framing is Framing.CONTENT_LENGTH:
        return False
    return JsonError(*fault).cut_short and fault[0] == len(walk.transcript.stdout)


def _incomplete(walk: DialogueWalk, exit_fault: str) -> Failure:
    """Return the failure of a program that ended, or closed its output, inside a message."""
    transcript, ending = walk.transcript, walk.transcript.ending
    if walk.record.fault is not None:
        text = fault_message(walk, JsonError(*walk.record.fault))
    else:
        amount = pluralize(walk.record.partial, "byte")
        text = f"{walk.where}: the output ends with {amount} of an incomplete message"
    if isinstance(ending, Exited):
        text += f"; the program ended with exit status {ending.status}"
    elif transcript.dead_end is DeadEnd.CLOSED:
        text += f"; the program {_closing(walk)}"
    verdict = Verdict.EXIT_STATUS if exit_fault else Verdict.MALFORMED
    return Failure(verdict, f"{text}{stderr_summary(transcript.stderr)}")


# What people see.


def _line(value: Json | Missing) -> bytes | None:
    return None if value is MISSING else f"{encode(value)}\n".encode("utf-8", "surrogatepass")


def _shown(walk: DialogueWalk, failure: Failure) -> Iterator[ShownMessage]:
    """Yield the conversation, with the place where it failed."""
    entries, failed_at = walk.record.entries, failure.entry
    last = len(entries) - 1 if failed_at is None else failed_at
    left_out = walk.record.left_out
    many = min(len(entries), 3 * _SHOWN_MESSAGES) or 1
    most = max(_SHOWN_OF_MANY, min(_SHOWN_TEXT, _SHOWN_IN_ALL // many))
    for at, entry in enumerate(entries):
        if _SHOWN_MESSAGES <= at < last - _SHOWN_MESSAGES or at > last + _SHOWN_MESSAGES:
            left_out += 1
            continue
        if left_out and at >= last - _SHOWN_MESSAGES:
            yield ShownMessage(EntryKind.LEFT_OUT, entry.at_s, note=f"{left_out:,} more")
            left_out = 0
        yield _shown_entry(walk, entry, most, failed=at == failed_at)
    if left_out:
        stopped_s = walk.record.stopped_s
        yield ShownMessage(EntryKind.LEFT_OUT, stopped_s, note=f"{left_out:,} more")
    if failed_at is None:
        yield from _shown_end(walk, failure)
    is_at_end = failed_at is None and walk.record.fault is None and failure.expected is MISSING
    wall_s, note = _micros(walk.transcript.wall_s), _ending(walk)
    yield ShownMessage(EntryKind.ENDED, wall_s, note=note, failed=is_at_end)


def _shown_entry(walk: DialogueWalk, entry: TalkEntry, most: int, *, failed: bool) -> ShownMessage:
    step = walk.script.steps[entry.step].label if entry.step is not None else ""
    whole = entry.sent or walk.transcript.stdout[entry.begin : entry.end]
    text = first_bytes(whole, most).decode("utf-8", "backslashreplace")
    if len(whole) > most:
        text += f"… ({pluralize(len(whole), 'byte')})"
    note = ""
    if entry.kind is EntryKind.SENT and entry.step is None:
        note = "an answer of [[talk.answer]]"
    return ShownMessage(entry.kind, _micros(entry.at_s), step, text, note, failed=failed)


def _shown_end(walk: DialogueWalk, failure: Failure) -> Iterator[ShownMessage]:
    """Yield the place where a dialogue failed after all of its messages, if it has a text."""
    record = walk.record
    step = walk.step.label if walk.step is not None else ""
    at_s = _micros(record.stopped_s if record.stop else walk.transcript.wall_s)
    if record.fault is not None:
        fault = JsonError(*record.fault)
        rest = walk.transcript.stdout[fault.offset :].partition(b"\n")[0]
        if fault.cut_short:
            begin = max((entry.end for entry in record.entries), default=0)
            rest = walk.transcript.stdout[begin : fault.offset].strip()
        text = first_bytes(rest, _SHOWN_TEXT).decode("utf-8", "backslashreplace")
        note = "cut short" if fault.cut_short else "malformed"
        yield ShownMessage(EntryKind.RECEIVED, at_s, step, text, note, failed=True)
    elif failure.expected is not MISSING:
        text = encode(failure.expected)[:_SHOWN_TEXT]
        yield ShownMessage(EntryKind.MISSING, at_s, step, text, failed=True)


def _ending(walk: DialogueWalk) -> str:
    ending = walk.transcript.ending
    if isinstance(ending, Exited):
        return f"the program ended with exit status {ending.status}"
    by_xtest = walk.transcript.dead_end is not None or walk.transcript.limit is not None
    name = signal_name(ending.number) if isinstance(ending, Signalled) else "a signal"
    return "the program was ended by xtest" if by_xtest else f"the program was killed by {name}"


def _micros(seconds: float) -> float:
    return round(seconds * 1e6) / 1e6
