"""Run the cases of a Python program in forks of one process that has imported its libraries.

One run of the program lists its imports. Source: docs/sessions.md.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Final

from harness.errors import Refused
from harness.files import find_executable, open_regular
from harness.model.limits import MIB
from harness.model.subject import ExecutionContext
from harness.model.transcript import Job, NotStarted
from harness.process.loop import run_one
from harness.process.spawn import shebang, working_in
from harness.process.system import SYSTEM
from harness.process.zygote.client import ScriptCommand, Zygote, start_zygote
from harness.text import quote

_PYTHON: Final = re.compile(r"python(3(\.\d+)?)?")
_OPTIONS: Final = re.compile("-[BEIOPSsu]+")  # the zygote has them, too, and behaves accordingly
_VARIABLES: Final = re.compile(  # that the zygote has, too; an interpreter ignores PYTHON_VERSION
    "(?!PYTHON).*|PYTHON(_.*|DONTWRITEBYTECODE|HASHSEED|IOENCODING|NOUSERSITE|PYCACHEPREFIX"
    "|SAFEPATH|UNBUFFERED|UTF8)",
    re.DOTALL,
)
_IMPORT: Final = re.compile(rb"import time: +\d+ \| +\d+ \| +(\S+)$", re.MULTILINE)
_SCRIPT_BYTES: Final = 16 * MIB
_PRELOAD_S: Final = 30.0  # after which importing the libraries is given up
_NOT_PYTHON: Final = Refused(
    "its command must be python3 with a script, or a script whose #! line names python"
)


def start_fork_session(
    job: Job, environment: Mapping[str, str], *, in_sandbox: bool = False
) -> Zygote | Refused:
    """Start a zygote for a command, or return a sentence that says why forks could not be faithful.

    `job` is the plain run of a case: the program runs once with its input and limits, so that its
    imports are known. `environment` is that of the caller. Both take seconds, in which nothing else
    is watched.
    """
    if not SYSTEM.has_namespaces:
        return Refused(f"forked processes need Linux; this is the {SYSTEM.name} back end")
    if in_sandbox:
        return Refused("a sandbox is in use, and forked processes would be outside it")
    context = job.context if job.context is not None else ExecutionContext(".")
    variables = {**environment, **dict(job.variables), **dict(context.environment)}
    refused = _foreign_variable(variables)
    command = refused or _parse_command(job.argv, context.folder, variables.get("PATH"))
    if isinstance(command, Refused):
        return command
    modules = _imports(command, job, environment)
    if isinstance(modules, Refused):
        return modules
    inside = (
        working_in(context.folder) if job.private is None else job.private.entered(context.folder)
    )
    return start_zygote(command, modules, variables, inside, _PRELOAD_S)


def _parse_command(argv: tuple[str, ...], folder: str, path: str | None) -> ScriptCommand | Refused:
    """Return how an interpreter runs the script of a command in a folder, or why none does."""
    command = _split_command(argv, folder, path)
    if isinstance(command, Refused):
        return command
    for option in command.interpreter[1:]:
        if not _OPTIONS.fullmatch(option):
            return Refused(f"the option {quote(option)} of python changes how the program runs")
    if not command.script:
        return _NOT_PYTHON
    if shebang(os.path.join(folder, command.program)):
        return Refused(
            f"{command.program} is itself a script; write the path of an interpreter"
            " (python3 -c 'import sys; print(sys.executable)')"
        )
    script = os.path.join(folder, command.script[0])
    try:
        with open_regular(script) as source:
            # The interpreter also runs folders, archives and compiled files.
            is_source = b"\0" not in source.read(_SCRIPT_BYTES)
    except OSError as problem:
        return Refused(f"{script}: {(problem.strerror or 'cannot be read').lower()}")
    return command if is_source else Refused(f"{script} is not Python source")


def _split_command(argv: tuple[str, ...], folder: str, path: str | None) -> ScriptCommand | Refused:
    """Split a command into an interpreter with options, and a script with arguments."""
    program, *rest = argv
    if _is_python(program):
        length = next((i for i, word in enumerate(rest) if word[:1] != "-"), len(rest))
        return ScriptCommand(program, (program, *rest[:length]), tuple(rest[length:]))
    words = _interpreter_words(os.fsdecode(shebang(os.path.join(folder, program))).strip())
    if not words or not _is_python(words[0]):
        return _NOT_PYTHON
    interpreter = find_executable(words[0], (path or "").split(os.pathsep)) or words[0]
    return ScriptCommand(interpreter, tuple(words), argv)


def _is_python(program: str) -> bool:
    return _PYTHON.fullmatch(os.path.basename(program)) is not None


def _interpreter_words(line: str) -> list[str]:
    """Return the interpreter and its options in a first line, which may use env to find it.

    The kernel passes everything after the interpreter as one word, which `env -S` splits.
    """
    words = line.split(None, 1)
    if not words or os.path.basename(words[0]) != "env":
        return words
    rest = words[1] if len(words) > 1 else ""
    if not rest.startswith("-S"):
        return [rest] if rest else []
    try:
        return shlex.split(rest.removeprefix("-S"))
    except ValueError:
        return []


def _foreign_variable(variables: Mapping[str, str]) -> Refused | None:
    """Return why the environment changes how Python runs the program, or None."""
    for name, value in variables.items():
        if value and not _VARIABLES.fullmatch(name):
            return Refused(
                f"the variable {name} of its environment changes how Python runs the program"
            )
    return None


def _imports(
    command: ScriptCommand, job: Job, environment: Mapping[str, str]
) -> list[str] | Refused:
    """Run the program once; return the modules that it imports, or why it does not start."""
    options = ("-X", "importtime", *command.interpreter[1:])
    learning = job._replace(argv=(command.program, *options, *command.script))
    transcript = run_one(learning, environment)
    if isinstance(transcript.ending, NotStarted):
        return Refused(transcript.ending.reason)
    # The program may print such lines itself: a module __main__ runs a program when imported.
    modules = [
        name
        for name in map(os.fsdecode, _IMPORT.findall(transcript.stderr))
        if "__main__" not in name.split(".")
    ]
    return modules or Refused(f"{command.program} lists no imports (-X importtime)")
