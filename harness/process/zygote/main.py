"""Import modules, then fork a process for each run of a Python program that imports them.

Started by harness.process.zygote.client in the program's own interpreter, any CPython from 3.7 on:

    python3 [OPTIONS] main.py SCRIPT [ARGUMENTS]

Descriptor 3 is a socket. Its first message has the modules to import; the answer is "+", or says
why a forked process could differ from a real start. Each further message is the mark of a run, with
the descriptors of its standard streams and of a pipe whose first byte lets the program begin.
The answer is the number of the process, which is then a child of the other side.

It imports few modules, because every one of them is in the programs, too.
"""

from __future__ import annotations

import sys

_AT_START = frozenset(sys.modules)
# Whether sys.path begins with the folder of the script; the second flag is of Python 3.11.
_HAS_FOLDER = not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))
if __name__ == "__main__" and _HAS_FOLDER:
    del sys.path[0]  # the folder of this file

# pylint: disable=wrong-import-position  # those above must come before any import from a file
import atexit
import builtins
import gc
import os
from _frozen_importlib_external import PathFinder, SourceFileLoader
from _signal import SIG_IGN, SIGINT, default_int_handler, signal  # type: ignore[import-not-found]
from _socket import CMSG_SPACE, socket

try:  # not ctypes, which takes ten times as long to import
    from _ctypes import call_function, dlopen, dlsym

    _LIBRARY = dlopen(None, 0)  # type: ignore[arg-type]  # None is this program
    _PRCTL, _FFLUSH = dlsym(_LIBRARY, "prctl"), dlsym(_LIBRARY, "fflush")
except (ImportError, OSError):  # an interpreter that cannot call C
    _PRCTL = _FFLUSH = 0

TYPE_CHECKING = False  # as type checkers know it from the module typing
if TYPE_CHECKING:
    from types import ModuleType, TracebackType

_FOLDER = os.getcwd()
_CONTROL = 3
_DESCRIPTORS = 4  # of a request
_MOST_BYTES = 1 << 20
_INT_BYTES = 4
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4  # <linux/prctl.h>
_SIGKILL = 9
_MOST_STATUS = 255
_ENV_START = 47  # the field of /proc/PID/stat, counted after the name
_LIBRARIES: set[str] = set()  # the modules that were imported before the fork
_STATUS: list[int] = []  # that of a program which ended without an exception, or by SystemExit


def _prctl(option: int, value: int) -> None:
    if _PRCTL:
        call_function(_PRCTL, (option, value, 0, 0, 0))


def _main_module(script: str) -> ModuleType:
    """Return the module __main__ as the interpreter makes it for a script."""
    module = type(sys)("__main__")
    file = os.path.join(os.getcwd(), script) if sys.version_info >= (3, 9) else script
    vars(module).update(
        __annotations__={},
        __builtins__=builtins,
        __cached__=None,
        __file__=file,
        __loader__=SourceFileLoader("__main__", file),
    )
    return module


def _is_library(file: str) -> bool:
    """Return whether a file belongs to the standard library or to an installed package."""
    standard = os.path.dirname(os.__file__) + os.sep
    return file.startswith(standard) or "/site-packages/" in file or "/dist-packages/" in file


def _is_preloadable(top: str) -> bool:
    """Return whether a top-level module is built in or belongs to a library."""
    if top in sys.modules or top in sys.builtin_module_names:
        return True
    spec = PathFinder.find_spec(top)
    if spec is None:
        return False
    places = list(spec.submodule_search_locations or [spec.origin or ""])
    return all(_is_library(f"{place}/") for place in places)


def _preload(names: list[str], folder: str) -> str:
    """Import the modules that belong to libraries; return why this is not faithful, or ""."""
    for name in names:
        if name in sys.modules or not _is_preloadable(name.partition(".")[0]):
            continue
        try:
            __import__(name)
        except ImportError:
            continue  # the program catches it, or fails in its own process
        except BaseException as problem:  # pylint: disable=broad-exception-caught  # of any library
            reason = f"importing {name} raises {type(problem).__name__} outside the program"
            return _foreign_module(folder) or reason
        if len(os.listdir("/proc/self/task")) > 1:
            return f"importing {name} starts threads, which a fork does not copy"
    sys.stdout.flush()
    return _foreign_module(folder)


def _foreign_module(folder: str) -> str:
    """Return why an imported module is, or hides, one of the program's own, or ""."""
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name in _AT_START or name == "__main__" or not isinstance(file, str):
            continue
        if not _is_library(file):
            return f"a library imports {name} from outside the libraries: {file}"
        own = PathFinder.find_spec(name, [folder]) if "." not in name else None
        if own is not None and own.has_location:
            return f"{own.origin} hides the module {name} of a library"
    return ""


def _keep_libraries() -> None:
    """Keep the libraries in memory until the process of a run ends: never deallocate them.

    That would touch, and thus copy, all of their memory: ten times the work of a short run. A cycle
    that the collector ignores refers to them.
    """
    _LIBRARIES.update(name for name in sys.modules if name != "__main__")
    kept: list[object] = [sys.modules[name] for name in _LIBRARIES]
    kept.append(kept)
    gc.collect()
    gc.freeze()


def _end_run() -> None:
    """End the process of a run as the interpreter would, but without freeing what it need not.

    The last function of atexit. If it returns, as after an exception, the interpreter does the
    same and frees everything.
    """
    for name in _LIBRARIES - _AT_START:
        sys.modules.pop(name, None)
    if not _STATUS:
        return
    try:
        _flush()
        for name in [name for name in sys.modules if name not in _AT_START]:
            del sys.modules[name]
        del sys.modules["__main__"]
        gc.collect()  # objects of the program may print as they go
        _flush()
    except BaseException:  # pylint: disable=broad-exception-caught  # of any replaced stream
        return
    if _FFLUSH:
        call_function(_FFLUSH, (0,))
    os._exit(_STATUS[0])  # pylint: disable=protected-access  # instead of freeing everything


def _flush() -> None:
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        if stream is not None:
            stream.flush()


def _mark_address() -> int:
    """Return where the mark of a run is in the memory that /proc shows as the environment."""
    with open("/proc/self/environ", "rb") as environment:
        offset = (b"\0" + environment.read()).index(b"\0XTEST_RUN=")
    with open("/proc/self/stat", "rb") as stat:
        return int(stat.read().rpartition(b")")[2].split()[_ENV_START]) + offset


def _set_mark(mark: bytes, address: int) -> None:
    """Replace the mark in the environment of this process, also where /proc shows it."""
    name, _, value = mark.partition(b"=")
    os.environb[name] = value
    memory = os.open("/proc/self/mem", os.O_WRONLY)
    os.pwrite(memory, mark, address)
    os.close(memory)


def _fork_orphan(numbers: tuple[int, int]) -> bytes | None:
    """Fork a process that has no living parent, so that the subreaper above adopts it.

    Return its number, or an error with a leading "-"; None in the process itself. `numbers` is a
    pipe for the number.
    """
    middle = os.fork()
    if not middle:
        child = 0
        try:
            child = os.fork()
            if not child:
                return None
            os.write(numbers[1], b"%d" % child)
        except OSError as problem:
            os.write(numbers[1], f"-{problem}".encode())
        os._exit(0)  # pylint: disable=protected-access  # nothing is flushed twice
    os.waitpid(middle, 0)
    return os.read(numbers[0], 256)


def _serve(control: socket, address: int) -> None:
    """Answer requests; return only in the process of a run, when its program may begin."""
    numbers = os.pipe()
    while True:
        mark, ancillary, _, _ = control.recvmsg(256, CMSG_SPACE(_DESCRIPTORS * _INT_BYTES))
        if not mark:
            os._exit(0)  # pylint: disable=protected-access  # the other side has ended
        data = b"".join(item[2] for item in ancillary)
        received = [
            int.from_bytes(data[at : at + _INT_BYTES], sys.byteorder)
            for at in range(0, len(data), _INT_BYTES)
        ]
        try:
            answer = _fork_orphan(numbers)
        except OSError as problem:
            answer = f"-{problem}".encode()
        if answer is None:
            _begin(mark, address, received)
            for descriptor in (*numbers, *received):
                os.close(descriptor)
            control.close()
            return
        for descriptor in received:
            os.close(descriptor)
        control.send(answer)


def _begin(mark: bytes, address: int, received: list[int]) -> None:
    """Make this process that of a run, and wait until the program may begin."""
    os.setsid()
    os.chdir(_FOLDER)  # mounted again since the last run that wrote to it
    _prctl(_PR_SET_DUMPABLE, 1)
    _set_mark(mark, address)
    *streams, gate = received
    if not os.read(gate, 1):
        os._exit(0)  # pylint: disable=protected-access  # the run is not awaited
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    signal(SIGINT, default_int_handler)
    reseed = getattr(sys.modules.get("numpy.random"), "seed", None)
    if reseed is not None:  # `random` reseeds itself after a fork
        reseed()


def _fork_runs() -> None:
    """Prepare this process, and fork runs; return only in the process of a run."""
    signal(SIGINT, SIG_IGN)  # Ctrl-C is for the other side
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    script = sys.argv[1]
    del sys.argv[0]
    if sys.version_info >= (3, 10):
        sys.orig_argv.remove(__file__)
    control = socket(fileno=_CONTROL)
    atexit.register(_end_run)  # the first, and so the last that is called
    names = control.recv(_MOST_BYTES).decode("utf-8", "surrogateescape")
    folder = os.path.dirname(os.path.realpath(script))
    if _HAS_FOLDER:
        sys.path.insert(0, folder)
    sys.modules["__main__"] = _main_module(script)
    fault = _preload(names.split(), folder)
    _keep_libraries()
    control.send(fault.encode("utf-8", "surrogateescape") or b"+")
    address = _mark_address()
    # Runs cannot trace this process or reopen its descriptors. Nor can it read its own /proc.
    _prctl(_PR_SET_DUMPABLE, 0)
    _serve(control, address)
    # A new one, which the collector does not ignore.
    sys.modules["__main__"] = _main_module(script)


def _run_program(names: dict[str, object]) -> None:
    with open(sys.argv[0], "rb") as source:
        code = compile(source.read(), str(names["__file__"]), "exec", dont_inherit=True)
    exec(code, names)  # pylint: disable=exec-used  # a program, as the interpreter runs it
    # As the interpreter does, before atexit.
    names.pop("__file__", None)
    names.pop("__cached__", None)


def _report(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    """Report an exception of the program without the frame of this file."""
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    value.__traceback__ = trace
    _PROGRAM_HOOK[0](kind, value, trace)


_PROGRAM_HOOK = [sys.excepthook]

if __name__ == "__main__":
    _fork_runs()
    # The interpreter ends the program: it prints an exception, flushes and sets the exit status.
    try:
        _run_program(vars(sys.modules["__main__"]))
        _STATUS.append(0)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int) and 0 <= stop.code <= _MOST_STATUS:
            _STATUS.append(stop.code or 0)
        raise
    except BaseException:
        _PROGRAM_HOOK[0] = sys.excepthook
        sys.excepthook = _report
        raise
