"""Start a process with pipes, in a session of its own, or explain why the system refuses.

The child leads its own session and process group, so that the group can be killed at once. The
kernel enforces limits on it and on the children that it starts.
"""

from __future__ import annotations

import codecs
import errno
import math
import os
import resource
import select
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Final, NamedTuple

from harness.errors import MACHINE_LIMITS, NO_PROCESS, os_reason
from harness.files import found_instead, open_regular
from harness.model.limits import MIB, Limits
from harness.model.transcript import Job, NotStarted, PrivateFolder
from harness.process.backend import CLOSED
from harness.process.system import SYSTEM
from harness.text import space_hint

# To open a folder that this process need not be able to read, where the system allows it.
SEARCHED_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
_SMALLEST_PIPE: Final = select.PIPE_BUF  # bytes that every pipe takes, however many there are
_PIPE_BYTES: Final = 65_536  # that an empty pipe usually takes
# How files begin that other systems or programs run.
_FOREIGN: Final = (
    (b"\x7fELF", "is a binary for another processor or system"),
    (b"MZ", "is a program for Windows"),
    (b"\xcf\xfa\xed\xfe", "is a program for macOS"),
    (b"PK\x03\x04", "is an archive (if it is a .jar, run it with java -jar)"),
)
_NEVER_HERE: Final = tuple(magic for magic, _ in _FOREIGN[1:])
_JAVA_CLASS: Final = b"\xca\xfe\xba\xbe"
_INTERPRETERS: Final = {".py": "python3", ".js": "node", ".rb": "ruby", ".pl": "perl", ".sh": "sh"}


class Child(NamedTuple):
    """A started process and the non-blocking parent's ends of its pipes.

    `written` bytes of its input are in the pipe already; `stdin` is CLOSED if that is all of it.
    Where the system has no pidfds, `pidfd` is CLOSED. `mark` is in its environment, which its
    children inherit.
    """

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    written: int
    mark: bytes


def encode_environment(variables: Iterable[tuple[str, str]]) -> dict[bytes, bytes]:
    """Return variables as the system takes them."""
    return {os.fsencode(name): os.fsencode(value) for name, value in variables}


def spawn(job: Job, environment: Mapping[bytes, bytes], mark: bytes) -> Child | NotStarted:
    """Start a job, whose command has a path as its first word, or return the reason why the system
    refuses."""
    stdin = None if job.is_fed else job.stdin
    try:
        (child_stdin, to_stdin), *outputs = _open_pipes(3)
    except OSError as problem:
        return _refusal(problem, job.argv[0])
    (from_stdout, child_stdout), (from_stderr, child_stderr) = outputs
    if stdin is None or len(stdin) > _SMALLEST_PIPE:
        os.set_blocking(to_stdin, False)
    os.set_blocking(from_stdout, False)
    os.set_blocking(from_stderr, False)
    try:
        # Before the start: a program that finds its input in the pipe never waits for it.
        written = os.write(to_stdin, stdin[:_PIPE_BYTES]) if stdin else 0
        if stdin is not None and written == len(stdin):
            os.close(to_stdin)
            to_stdin = CLOSED
        pid = _spawn(job, environment, mark, (child_stdin, child_stdout, child_stderr))
        return Child(pid, SYSTEM.open_exit(pid), to_stdin, from_stdout, from_stderr, written, mark)
    except (OSError, ValueError) as problem:
        for descriptor in (to_stdin, from_stdout, from_stderr):
            if descriptor != CLOSED:
                os.close(descriptor)
        return _refusal(problem, job.argv[0])
    finally:
        for descriptor in (child_stdin, child_stdout, child_stderr):
            os.close(descriptor)


def _open_pipes(number: int) -> list[tuple[int, int]]:
    pipes: list[tuple[int, int]] = []
    try:
        for _ in range(number):
            pipes.append(os.pipe())
    except OSError:
        for descriptor in chain.from_iterable(pipes):
            os.close(descriptor)
        raise
    return pipes


def _refusal(problem: OSError | ValueError, program: str) -> NotStarted:
    if isinstance(problem, OSError) and problem.errno in (*MACHINE_LIMITS, *NO_PROCESS):
        return NotStarted(os_reason(problem), by_machine=True)
    if isinstance(problem, ChildProcessError):
        return NotStarted(str(problem))  # of a launcher's fork
    return NotStarted(explain_not_started(program, problem))


def spawn_private(
    private: PrivateFolder, job: Job, environment: Mapping[bytes, bytes], mark: bytes
) -> Child | NotStarted:
    """Start a job in a private view of its folder, which the path of its command is relative to."""
    with ExitStack() as stack:
        try:
            stack.enter_context(private.entered(job.folder))
        except OSError as problem:
            return NotStarted(f"its folder {job.folder}: {(_reason(problem)).lower()}")
        return spawn(job, environment, mark)


def spawn_in(
    folder: str, job: Job, environment: Mapping[bytes, bytes], mark: bytes
) -> Child | NotStarted:
    """Start a job in another folder, which the path of its command is relative to.

    posix_spawn cannot change the folder, so this process does for a moment. A launcher (`env -C`, a
    shell) would cost an exec, and report a missing program by an exit status that the program
    itself might return.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(working_in(folder))
        except (OSError, ValueError) as problem:
            return NotStarted(f"its folder {folder}: {(_reason(problem)).lower()}")
        return spawn(job, environment, mark)


@contextmanager
def working_in(folder: str) -> Iterator[None]:
    """Change the working folder of this process for a moment."""
    current = os.open(".", SEARCHED_FOLDER | os.O_CLOEXEC)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(current)
        os.close(current)


def disable_core_files() -> None:
    """Disable core files for this process and everything it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def keep_standard_streams_open() -> None:
    """Open descriptors 0 to 2 if the caller closed them.

    A pipe with one of these numbers would be overwritten in the child.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _spawn(
    job: Job, environment: Mapping[bytes, bytes], mark: bytes, streams: tuple[int, int, int]
) -> int:
    launcher, rlimits = job.launcher, _rlimits_of(job.limits)
    if launcher.fork is not None:
        return launcher.fork(streams, mark, lambda pid: SYSTEM.limit(pid, rlimits))
    name, _, value = mark.partition(b"=")
    variables = {**encode_environment(launcher.environment.items()), **environment, name: value}
    descriptors: tuple[int, ...] = streams
    if launcher.log != CLOSED:
        descriptors = (*streams[:2], launcher.log, streams[2])
    argv = job.argv
    if job.port is not None:
        argv = tuple(word.replace("{port}", str(job.port)) for word in argv)
        variables[b"XTEST_PORT"] = b"%d" % job.port
    pid = launcher.within(lambda: SYSTEM.start(argv, variables, descriptors, rlimits))
    SYSTEM.limit(pid, rlimits)
    return pid


# Limits that the kernel enforces.


def _rlimits_of(limits: Limits) -> Mapping[int, int]:
    rlimits: dict[int, int] = {}
    if limits.cpu_s is not None:
        # A second line of defence in whole seconds: sampling ends the run before.
        rlimits[resource.RLIMIT_CPU] = math.ceil(limits.cpu_s) + 1
    if limits.open_files is not None:
        rlimits[resource.RLIMIT_NOFILE] = limits.open_files
    if limits.file_mib is not None:
        rlimits[resource.RLIMIT_FSIZE] = int(limits.file_mib * MIB)
    return rlimits


# Refusals.


def _reason(problem: OSError | ValueError) -> str:
    return (problem.strerror if isinstance(problem, OSError) else str(problem)) or "not reachable"


def explain_not_started(program: str, problem: OSError | ValueError) -> str:
    """Return the reason why the system refuses to execute a program."""
    if isinstance(problem, ValueError):
        return f"the command cannot be passed to the system: {problem}"
    try:
        mode = os.stat(program).st_mode
    except OSError as missing:
        reason = (missing.strerror or "cannot be read").lower()
        hint = space_hint(program)
        if not os.path.isabs(program):
            hint = hint or found_instead(program)
        return f"{program}: {reason}{_relative_to(program)}{hint}"
    where = f"{program}{_relative_to(program)}"
    if stat.S_ISDIR(mode):
        return f"{where} is a folder, not a program"
    if not stat.S_ISREG(mode):
        return f"{where} is not a regular file"
    if problem.errno == errno.EACCES and not mode & 0o111:
        return f"{where} is not executable (chmod +x {program})"
    return f"{where} {_explain_not_executed(program, problem)}"


def _relative_to(program: str) -> str:
    """Return the folder in which a relative path was looked up, as the end of a message."""
    if os.path.isabs(program):
        return ""
    try:
        return f" in {os.getcwd()}"
    except OSError:  # the folder was removed
        return ""


def _explain_not_executed(program: str, problem: OSError) -> str:
    words = shebang(program).strip(b" \t\n").replace(b"\t", b" ").split(b" ")
    interpreter = ascii(words[0].decode("utf-8", "replace"))[1:-1]
    if interpreter.endswith(r"\r"):
        fix = f"sed -i 's/\\r$//' {program}"
        return f"has a Windows line ending in its first line (fix: {fix})"
    if interpreter and problem.errno in (errno.ENOENT, errno.EACCES, errno.ENOTDIR):
        return f"names the interpreter {interpreter}, which cannot be run"
    before, fix = _before_shebang(program)
    if before:
        return f'has {before} before the "#!" of its first line{fix}'
    # In a sandbox, a refusal has only a status; ELF files may be refused for other reasons.
    if problem.errno == errno.ENOEXEC or _beginning(program).startswith(_NEVER_HERE):
        return _describe_content(program)
    return f"cannot be run: {(problem.strerror or 'the system refuses').lower()}"


def _describe_content(program: str) -> str:
    """Return what a file is that the system cannot execute."""
    beginning = _beginning(program)
    if not beginning:
        return "is empty"
    if program.endswith(".class") and beginning.startswith(_JAVA_CLASS):
        return "is a class of Java (run it with java -cp FOLDER NAME)"
    kind = next((kind for magic, kind in _FOREIGN if beginning.startswith(magic)), "")
    interpreter = _INTERPRETERS.get(os.path.splitext(program)[1])
    fix = f" (run it with {interpreter} {program})" if interpreter else ""
    return kind or f'is not a binary for this machine, and has no "#!" line{fix}'


def _before_shebang(program: str) -> tuple[str, str]:
    """Return what stands before "#!" in a script, so that the kernel does not see it, and how to
    fix it; empty texts if nothing does."""
    beginning = _beginning(program)
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "the byte-order mark of UTF-16", " (fix: save it as UTF-8)"
    if beginning.startswith(codecs.BOM_UTF8 + b"#!"):
        fix = f" (fix: sed -i '1s/^\\xEF\\xBB\\xBF//' {program})"
        return "a byte-order mark (BOM)", fix
    is_indented = beginning[:1].isspace() and beginning.lstrip().startswith(b"#!")
    return ("white space" if is_indented else ""), ""


def _beginning(program: str) -> bytes:
    try:
        with open_regular(program) as file:
            return file.read(256)
    except OSError:
        return b""


def is_shell_text(program: str) -> bool:
    """Return whether a file is text without a "#!" line: shells run what the kernel refuses."""
    try:
        with open_regular(program) as file:
            beginning = file.read(256)
    except OSError:
        return False
    return not beginning.startswith(b"#!") and b"\0" not in beginning


def shebang(program: str) -> bytes:
    """Return what follows "#!" in the first line of a script, or nothing if it has no such line."""
    try:
        with open_regular(program) as script:
            line = script.readline(256)
    except OSError:
        return b""
    return line[2:] if line.startswith(b"#!") else b""
