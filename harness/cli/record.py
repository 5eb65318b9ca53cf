"""`xtest record`: write a conversation as a case. Source: docs/dialogues.md."""

from __future__ import annotations

from threading import Lock
from typing import Final

import click

from harness.authoring.project_files import toml_value
from harness.dialogue.recording import RecordedChunk, Recording, make_recording, suggest_rules
from harness.dialogue.script import format_steps, spaced
from harness.errors import UsageError, os_reason
from harness.files import write_in
from harness.jsonio.decoder import encode
from harness.model.case_names import SETTINGS_FILE, TALK, case_of_file, pattern_of
from harness.model.dialogue import TalkRules, Transport
from harness.model.limits import MIB
from harness.options import messages
from harness.options.command import Command, require_command
from harness.options.completers import complete_cases, complete_suites
from harness.options.new_cases import (
    add_settings,
    find_suite,
    free_name,
    suite_to_extend,
    write_case,
)
from harness.process.relay import NotListening, relay
from harness.suites.loading import Suite
from harness.text import escape_nonprintable, pluralize, quote, shell_line, signal_name

_MOST: Final = 64 * MIB  # of a conversation that is recorded; more is only passed on
_NOT_STARTED: Final = 127  # as a shell says it


@click.command("record", cls=Command, takes_command=True)
@click.argument("suite", shell_complete=complete_suites)
@click.option(
    "--case",
    "case",
    default="",
    metavar="N",
    shell_complete=complete_cases,
    help="Write this script, or replace it [a new one].",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="P",
    help="Wait for the client on this port; {port} in COMMAND is that of the server.",
)
@click.pass_obj
def command(words: tuple[str, ...] | None, /, *, suite: str, case: str, port: int | None) -> int:
    """Write a conversation as a case: xtest record SUITE [--case N] -- COMMAND...

    A client starts this line in place of COMMAND, its server. Every byte is passed on, and the
    exit status is that of COMMAND. A suite that does not exist is created.
    """
    require_command(words)
    if words is None:
        raise UsageError("record: which program? xtest record SUITE -- COMMAND")
    if port is not None and not any("{port}" in word for word in words):
        raise UsageError("record --port: COMMAND must have {port}, for the port of the server")
    with suite_to_extend(suite) as extended:
        return _record(extended, suite, words, case, port)


def _record(
    suite: Suite, argument: str, words: tuple[str, ...], case: str, port: int | None
) -> int:
    transport = Transport.STDIO if port is None else Transport.CONNECT
    recorder = _Recorder(suite, argument, case, transport)
    try:
        status = relay([*words], port, recorder)
    except NotListening:
        raise UsageError(f"{_format_command(words)}: it does not listen on {{port}}") from None
    except OSError as problem:
        messages.print_message(f"{_format_command(words)}: {os_reason(problem)}")
        return _NOT_STARTED
    recorder.write(status)
    return status if status >= 0 else 128 - status


class _Recorder:
    """Collects the bytes of both sides, and writes the case, again if more bytes follow."""

    def __init__(self, suite: Suite, argument: str, case: str, transport: Transport) -> None:
        self._suite = suite
        self._transport = transport
        self._argument = argument
        self._chunks: list[RecordedChunk] = []
        self._size = 0
        self._lock = Lock()
        self._file = _script_file(suite, case) if case else ""
        self._rules = suite.settings.talk
        self._text = b""  # that was written
        self._is_written = True  # whether the file holds all chunks
        self._has_left = False  # whether the client has
        self._stop_signal = 0  # that the client sent, or 0

    def observe(self, is_from_client: bool, data: bytes) -> None:
        """Add bytes of one side, or b"" for its end; nothing after a signal to stop."""
        with self._lock:
            if self._stop_signal or (is_from_client and self._has_left):
                return
            self._has_left |= is_from_client and not data
            if self._size + len(data) <= _MOST:
                self._chunks.append(RecordedChunk(is_from_client, data))
            self._size += len(data)
            self._is_written = False

    def note_stop(self, number: int) -> None:
        with self._lock:
            self._stop_signal = number

    def keep(self) -> None:
        self.write()

    def write(self, status: int | None = None) -> None:
        """Write what has passed, once the program has ended with a status or its client left."""
        with self._lock:
            if self._is_written:
                return
            self._is_written = True
            try:
                self._write(status)
            except (UsageError, OSError) as problem:
                messages.print_message(f"record: {escape_nonprintable(str(problem))}")

    def _write(self, status: int | None) -> None:
        is_new = not (self._suite.folder / SETTINGS_FILE).exists()
        if self._text:  # what has passed since then does not change the rules
            is_new = False
        elif is_new:
            self._rules = suggest_rules(self._chunks)._replace(transport=self._transport)
        status = None if self._stop_signal else status
        recording = make_recording(self._chunks, self._case_rules(), status)
        if not recording.steps:
            raise UsageError("no messages were exchanged; no case is written")
        text = spaced(format_steps(recording.steps).decode()).encode()
        if text == self._text:
            return
        self._write_script(text)
        if not self._text:
            self._add_settings(recording, is_new=is_new)
        self._text = text
        self._describe(recording, is_new=is_new)

    def _case_rules(self) -> TalkRules:
        """Return the rules for the case, which may keep the handshake of the client."""
        case = case_of_file(self._file)
        is_bare = case is not None and self._suite.settings.is_bare(case)
        return self._rules._replace(start=(), end=()) if is_bare else self._rules

    def _write_script(self, text: bytes) -> None:
        if self._file:
            write_in(self._suite.folder, self._file, [text])
            return
        # Another session of the same client may have been written meanwhile.
        label = free_name(find_suite(self._argument), "")[1]
        write_case(self._suite.folder, {f"{label}{TALK}": text})
        self._file = f"{label}{TALK}"

    def _add_settings(self, recording: Recording, *, is_new: bool) -> None:
        lines = _talk_lines(self._rules) if is_new else []
        case = case_of_file(self._file)
        if recording.is_bare and case is not None and not self._suite.settings.is_bare(case):
            lines += ["[[cases]]", f"match = {toml_value(pattern_of(case))}", "bare = true"]
        if lines:
            add_settings(self._suite.folder, lines)

    def _describe(self, recording: Recording, *, is_new: bool) -> None:
        path = f"{self._argument.rstrip('/')}/{self._file}"
        messages.print_message(
            f"written: {escape_nonprintable(path)}, {pluralize(len(recording.steps), 'step')}"
        )
        if self._size > _MOST:
            messages.print_note(f"only the first {_MOST // MIB} MiB were recorded")
        if self._stop_signal:
            name = signal_name(self._stop_signal)
            messages.print_note(f"the client sent {name}; the script ends before that")
        messages.print_notes(map(escape_nonprintable, recording.notes))
        methods = escape_nonprintable(", ".join(recording.notifications))
        if is_new and self._rules.ignore:
            names = ", ".join(encode(each) for each in self._rules.ignore)
            messages.print_note(f"{SETTINGS_FILE} ignores these notifications: {names}")
        elif methods:
            messages.print_note(
                f"the script expects these notifications in this order: {methods}; if it varies,"
                " add them to ignore"
            )


def _script_file(suite: Suite, case: str) -> str:
    """Return the name of the file of a case, which may be new. Raises UsageError."""
    for name, files in suite.files.items():
        if name.text == case:
            if len(files) == 1 and files[0].endswith(TALK):
                return files[0]
            raise UsageError(f"--case {quote(case)}: {' and '.join(files)} are there, not a script")
    file = f"{case}{TALK}"
    new = case_of_file(file)
    if new is None or new.text != case or "/" in case:
        raise UsageError(f"--case {quote(case)}: must be a number such as 7, or a name such as a-7")
    return file


def _talk_lines(rules: TalkRules) -> list[str]:
    """Return the lines of a suite.toml with these rules."""
    lines = ["[talk]", f"framing = {toml_value(rules.framing.value)}"]
    if rules.transport is not Transport.STDIO:
        lines.append(f"transport = {toml_value(rules.transport.value)}")
    methods = [each["method"] for each in rules.ignore if isinstance(each, dict)]
    tables = [f"{{ method = {toml_value(method)} }}" for method in map(str, methods)]
    return [*lines, f"ignore = [{', '.join(tables)}]"] if tables else lines


def _format_command(words: tuple[str, ...]) -> str:
    return escape_nonprintable(shell_line(words))
