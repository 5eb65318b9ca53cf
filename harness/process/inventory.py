"""List what a subject in a sandbox can see: an inventory of paths, and what is hidden in them.

A subject sees the system's programs and libraries, its working folder, its program with the
interpreter, the files that its command and its `depends` name, and what the user shows. Suites,
results files and .git stay hidden even in a visible folder. Links and #! lines in a subject's own
folders, which its author may have written, lead only into these and to installed programs.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Final, NamedTuple

from harness.files import find_executable, is_in, open_regular
from harness.process.spawn import shebang

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
)
_ETC: Final = (
    *("R", "alternatives", "java*", "ld.so.cache", "localtime", "mono", "passwd"),
    *("pki/tls/openssl.cnf", "ssl/openssl.cnf"),  # node ends if it cannot read it
)
_VARIABLES: Final = ("LANG", "LANGUAGE", "PATH", "TERM", "TZ")  # and LC_*
TEMPORARY_VARIABLES: Final = ("HOME", "TMPDIR")  # name the temporary folder
_BROAD: Final = (
    *("/", "/boot", "/etc", "/home", "/media", "/mnt", "/opt"),
    *("/root", "/run", "/srv", "/tmp", "/var", "/var/tmp"),
)
_OF_KERNEL: Final = ("/dev", "/proc", "/sys")  # each sandbox has its own, or none
_SHARED_MEMORY: Final = "/dev/shm"
_PACKAGES: Final = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
# Folders of programs, and what is beside them in an installation: of one program, or of many with a
# version manager such as pyenv, rbenv or asdf, whose shims run them.
_INSTALLATIONS: Final = {
    **dict.fromkeys(("bin", "sbin"), ("lib", "lib64", "pyvenv.cfg")),
    "shims": ("versions", "installs"),
}
_INTERPRETERS: Final = 8  # links and #! lines that are followed from a program
_RESULTS: Final = b'{"event":"run-started"', b'{"event":"fest-started"'


class Exposure(NamedTuple):
    """Paths that the caller shows, paths that no subject may see, and the paths that subjects are
    made of, by their working folder."""

    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    dependencies: Mapping[str, Sequence[str]] = MappingProxyType({})


class Inventory(NamedTuple):
    """The absolute paths that decide what a subject can see, parents first.

    The deepest path decides; at the same path, hiding does.
    """

    paths: tuple[tuple[str, bool], ...]  # True: visible

    def is_visible(self, path: str) -> bool:
        """Return whether the deepest path that holds this one is visible."""
        return next((visible for each, visible in reversed(self.paths) if is_in(path, each)), False)


def inventory_of(
    argv: tuple[str, ...], folder: str, exposure: Exposure, own: str = ""
) -> Inventory:
    """Return what the subject with this command and working folder can see.

    `own` is its folder if that is above the working folder.
    """
    own = own or folder
    hidden = [os.path.realpath(path) for path in exposure.hidden]
    program = os.path.join(folder, argv[0])
    # A broad working folder is not shown as the subject's own; the folder of its program is.
    is_in_broad = _is_broad(own) and not os.path.isabs(argv[0])
    links = _LinkPolicy(os.path.dirname(program) if is_in_broad else own, exposure.shown)
    visible = [*_spellings(exposure.shown), *filter(os.path.exists, SYSTEM), *etc_files()]
    visible += _spellings(filter(links.may_follow, exposure.dependencies.get(own, ())))
    if not _is_broad(own):
        visible += _spellings([own])
    files = list(_program_files(program, folder, links))
    if os.path.dirname(program) == os.path.dirname(sys.executable):
        files.append(_PACKAGES)  # a bundled program
    paths = (os.path.join(folder, word) for word in argv[1:] if word)
    files += filter(links.may_follow, paths)
    visible += _needed(_spellings(filter(_is_stored, files)), hidden)
    hidden += map(os.path.realpath, _repositories([*visible, *hidden]))
    hidden += (os.path.realpath(file) for each in visible for file in _results_files(each))
    return _arrange(dict.fromkeys(visible), dict.fromkeys(hidden), set(_spellings([own])))


class _LinkPolicy:
    """The possible targets of links and #! lines in a subject's `own` folder: this folder, what is
    shown, and installed programs, by their folder or by PATH."""

    def __init__(self, own: str, shown: Iterable[str]) -> None:
        path = filter(os.path.isabs, os.get_exec_path())
        installed = (*SYSTEM, "/opt", *path, sys.prefix, sys.base_prefix)
        self._installed = [*_spellings((*installed, *shown))]
        self._own = [
            each
            for each in _spellings([own])
            if not _is_broad(each) and not any(is_in(each, other) for other in self._installed)
        ]

    def may_follow(self, path: str, named_in: str = "") -> bool:
        """Return whether a subject may see a path that the caller names, or that is `named_in` a
        file. In the subject's folder, it may be a link."""
        absolute, real = os.path.abspath(path), os.path.realpath(path)
        if not self._is_own(absolute) and not (named_in and self._is_own(named_in)):
            return True
        return (
            self._is_own(real)
            or any(is_in(each, folder) for each in (absolute, real) for folder in self._installed)
            or _is_python(real)
        )

    def _is_own(self, path: str) -> bool:
        return any(is_in(path, each) for each in self._own)


def _is_python(path: str) -> bool:
    """Return whether a file is the interpreter of a Python installation, to which environments
    link."""
    folder, name = os.path.split(path)
    library = os.path.join(glob.escape(os.path.dirname(folder)), "lib", "python3*", "os.py")
    return name.startswith("python") and bool(glob.glob(library))


def _needed(files: Iterable[str], hidden: Sequence[str]) -> Iterator[str]:
    """Yield what the files of a command need: their folders, or only the files."""
    for file in files:
        folder = file if os.path.isdir(file) else _folder_of(file)
        real = os.path.realpath(folder)
        if not _is_broad(folder) and not any(is_in(real, each) for each in hidden):
            yield folder
        elif folder != file:
            yield file


def _arrange(visible: Iterable[str], hidden: Iterable[str], writable: Container[str]) -> Inventory:
    """Sort paths, find the hidden ones behind links, and leave out what changes nothing.

    A writable folder stays in the list, even in one that is visible, too.
    """
    paths = dict.fromkeys(visible, True)
    for shown in list(paths):
        real = os.path.realpath(shown)
        for path in hidden:
            if is_in(path, real):
                paths[shown + path[len(real) :]] = False
    arranged = Inventory(())
    for path, is_visible in sorted(paths.items()):
        if is_visible != arranged.is_visible(path) or (is_visible and path in writable):
            arranged = Inventory((*arranged.paths, (path, is_visible)))
    return arranged


def kept_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the caller that subjects in a sandbox inherit."""
    return {
        name: value
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith("LC_")
    }


def etc_files() -> Iterator[str]:
    """Yield the files and folders in /etc that programs need."""
    for pattern in _ETC:
        yield from glob.glob(f"/etc/{pattern}")


def _spellings(paths: Iterable[str]) -> Iterator[str]:
    """Yield each path as it is written, and as it is without links."""
    for path in paths:
        yield os.path.abspath(path)
        yield os.path.realpath(path)


def _is_broad(folder: str) -> bool:
    """Return whether a folder is too broad to be shown to a subject, such as a home folder."""
    folder = os.path.abspath(folder)
    home = os.path.expanduser("~")
    is_of_all = folder in _BROAD or os.path.dirname(folder) == "/home"
    return is_of_all or is_in(home, folder) or _is_of_kernel(folder)


def _is_stored(path: str) -> bool:
    """Return whether a path exists, and is not one of the kernel's, such as /dev/stdin."""
    return os.path.exists(path) and not any(map(_is_of_kernel, _spellings([path])))


def _is_of_kernel(path: str) -> bool:
    return any(is_in(path, each) for each in _OF_KERNEL) and (
        path == _SHARED_MEMORY or not is_in(path, _SHARED_MEMORY)
    )


def _folder_of(file: str) -> str:
    """Return the folder that a program needs: its own, or the whole installation above."""
    folder = os.path.dirname(file)
    above = os.path.dirname(folder)
    contents = _INSTALLATIONS.get(os.path.basename(folder), ())
    is_installation = any(os.path.exists(os.path.join(above, name)) for name in contents)
    return above if is_installation and not _is_broad(above) else folder


def _program_files(program: str, folder: str, links: _LinkPolicy) -> Iterator[str]:
    """Yield a program, the links that lead to it, and the interpreters that it names."""
    named_in = ""
    for _ in range(_INTERPRETERS):
        if not links.may_follow(program, named_in):
            return
        yield program
        named_in = os.path.abspath(program)
        if os.path.islink(program):
            program = os.path.join(os.path.dirname(program), os.readlink(program))
            continue
        interpreter = _interpreter(program)
        if not interpreter:
            return
        program = os.path.join(folder, interpreter)


def _interpreter(program: str) -> str:
    words = os.fsdecode(shebang(program)).split()
    if not words:
        return ""
    if os.path.basename(words[0]) != "env":
        return words[0]
    name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    return name if "/" in name else find_executable(name) or ""


def _repositories(paths: Iterable[str]) -> Iterator[str]:
    """Yield the .git in each of these folders, and in those above."""
    above: set[str] = set()
    for path in paths:
        while path not in above:
            above.add(path)
            path = os.path.dirname(path)
    for folder in sorted(above):
        if os.path.lexists(os.path.join(folder, ".git")):
            yield os.path.join(folder, ".git")


def _results_files(folder: str) -> Iterator[str]:
    """Yield the results files directly in a folder."""
    for path in glob.glob(os.path.join(glob.escape(folder), "*.jsonl")):
        with suppress(OSError), open_regular(path) as file:
            if file.read(max(map(len, _RESULTS))).startswith(_RESULTS):
                yield path
