"""Find, open and write files, and use standard streams.

A file is opened without waiting for the other end of a pipe, and written atomically: content goes
to a hidden file in the same folder, which then replaces the target. The permissions of a replaced
file are kept, and symbolic links are followed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import EISDIR
from functools import cache
from glob import escape, has_magic, iglob
from io import BufferedReader
from itertools import repeat
from pathlib import Path
from typing import BinaryIO, Final, Literal, TextIO

MOST_FILES: Final = 100_000  # that are digested or found in one folder, which takes a second
_BEGINNING: Final = 4_096  # bytes of a file that show what it is
LONGEST_FILE_NAME: Final = 255  # bytes, the limit of Linux's file systems
# The folder may be shared by machines, and a process lives on one of them.
_PART_PREFIX: Final = f".xtest-{os.uname().nodename}-"


class TooManyFiles(Exception):
    """A folder has too many files, or files too large, to be searched or digested."""


def found_instead(path: str) -> str:
    """Return the end of a message that names a file of a missing file's name in a folder below,
    where archives unpack to, or of this name but for its case and ending; or ""."""
    above, name = os.path.split(path)
    here = os.path.join(escape(above), "")
    below = iglob(os.path.join(here, "*", escape(name)))
    beside = (
        each
        for each in sorted(iglob(f"{here}*"))
        if os.path.splitext(os.path.basename(each))[0].lower() == name.lower()
    )
    similar = next((each for each in (*sorted(below), *beside) if os.path.isfile(each)), "")
    return f"; found {similar}" if similar else ""


def matching_paths(pattern: str, most_files: int = MOST_FILES) -> Iterator[str]:
    """Yield each path that matches a glob, in which `**` stands for any number of folders.

    `**` enters a folder once, whatever links lead to it; for glob.glob, two links to the folder
    that they are in stand for 2 ** 40 folders. Raises TooManyFiles.
    """
    seen = set[str]()
    for path in _matching_paths(pattern, repeat(None, most_files)):
        if path not in seen:
            if len(seen) == most_files:
                raise TooManyFiles
            seen.add(path)
            yield path


def _matching_paths(pattern: str, budget: Iterator[None]) -> Iterator[str]:
    # A name with ** beside other characters is like one with *.
    above, *rest = re.split(r"(?<![^/])\*\*(?:/|\Z)", pattern, maxsplit=1)
    if not rest:
        if has_magic(pattern) and os.path.lexists(pattern):
            yield pattern  # a path with the characters of globs
        yield from iglob(pattern, include_hidden=True)
        return
    is_last = pattern == f"{above}**"
    below = "*" if is_last else rest[0]
    for top in iglob(above, include_hidden=True) if above else [""]:
        for folder in _folders_below(top, budget):
            if is_last and folder == top:
                yield top
            yield from _matching_paths(os.path.join(escape(folder), below), budget)


def _folders_below(top: str, budget: Iterator[None]) -> Iterator[str]:
    """Yield a folder and those below, each once, in a fixed order."""
    seen = set()
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder or os.curdir)
            with os.scandir(folder or os.curdir) as entries:
                names = sorted(
                    (each.name for each in entries if is_folder_entry(each)), reverse=True
                )
        except OSError:
            continue
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        if next(budget, budget) is budget:
            raise TooManyFiles
        yield folder
        waiting += (os.path.join(folder, name) for name in names)


def is_folder_entry(entry: os.DirEntry[str]) -> bool:
    # DirEntry.is_dir raises an error for a link that leads to itself.
    return os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir()


def folder_of_glob(pattern: str) -> str:
    """Return the deepest existing folder that contains every possible match of a glob."""
    folder = os.path.abspath(pattern)
    while has_magic(folder) or not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return os.path.realpath(folder)


def atomic_write(
    path: Path, parts: Iterable[bytes], is_earlier: Callable[[bytes], bool] = lambda _: True
) -> None:
    """Create or replace a file that a person named, perhaps by a link.

    `is_earlier` returns from the beginning of a file whether it is an earlier output, which may be
    replaced; an empty file may always be. Raises OSError, and then leaves the old file as it is.
    """
    target = Path(os.path.realpath(path))
    write_in(target.parent, target.name, parts, is_earlier)


def write_in(
    folder: Path,
    name: str,
    parts: Iterable[bytes],
    is_earlier: Callable[[bytes], bool] = lambda _: True,
) -> None:
    """Create or replace a file below a folder, whose name xtest chose, as `atomic_write` does.

    Folders above the file are created. Nothing is written through a link below `folder`, even if it
    was put there just now. Raises OSError.
    """
    _remove_leftovers(folder)
    *above, name = name.split("/")
    descriptor = _open_folder_below(folder, above)
    try:
        mode = _mode_of_replaced(descriptor, name, is_earlier)
        part = temporary_path(Path(name)).name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = open(os.open(part, flags, 0o666, dir_fd=descriptor), "wb")
        try:
            with file:
                file.writelines(parts)
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            # A link that was put there meanwhile is replaced, not followed.
            os.replace(part, name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
        except BaseException:  # also when interrupted
            with suppress(OSError):
                os.unlink(part, dir_fd=descriptor)
            raise
    finally:
        os.close(descriptor)


def check_replaced(path: str, is_earlier: Callable[[bytes], bool]) -> None:
    """Raise OSError if a file that a person named may not be replaced."""
    target = os.path.realpath(path)
    if os.path.isfile(target):
        with open_regular(target) as file:
            _check_earlier(file.read(_BEGINNING), is_earlier)


def _open_folder_below(folder: Path, names: Sequence[str]) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = os.open(folder, flags)
    for name in names:
        outer = descriptor
        try:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=outer)
            descriptor = os.open(name, flags | os.O_NOFOLLOW, dir_fd=outer)
        except NotADirectoryError:
            raise OSError(0, f"{name} in it is a link, or not a folder; remove it") from None
        finally:
            os.close(outer)
    return descriptor


def _mode_of_replaced(folder: int, name: str, is_earlier: Callable[[bytes], bool]) -> int | None:
    """Return the permissions of a file to replace, or None if it does not exist."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise OSError(0, f"{name} in it is a link; remove it")
    _check_regular(status, name)
    with suppress(PermissionError):  # then it is replaced without having been read
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, dir_fd=folder), "rb") as file:
            _check_earlier(file.read(_BEGINNING), is_earlier)
    return stat.S_IMODE(status.st_mode)


def _check_earlier(beginning: bytes, is_earlier: Callable[[bytes], bool]) -> None:
    if beginning.strip() and not is_earlier(beginning):
        raise OSError(0, "not an earlier output of its kind; remove it, or choose another file")


def open_descriptor(path: str | os.PathLike[str]) -> int:
    """Open a regular file for reading, and return its descriptor.

    Raises OSError for anything else: opening a pipe may wait for ever, a terminal may become that
    of this process, and a device may act when it is opened. Every file that another person or a
    subject may have put there is opened here.
    """
    # Ask before opening, for devices, and again afterwards, as the file may have been replaced.
    _check_regular(os.stat(path), path)
    return _checked(_open_at_once(path, os.O_RDONLY | os.O_CLOEXEC), path)


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading. Raises OSError, as `open_descriptor` does."""
    return open(open_descriptor(path), "rb")


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file. Raises OSError, as `open_descriptor` does."""
    with open_regular(path) as file:
        return file.read()


def open_to_write(path: str | os.PathLike[str], mode: Literal["wb", "ab"] = "wb") -> BinaryIO:
    """Open a file or a pipe for writing; a file is emptied unless the mode is "ab".

    Raises OSError for a pipe without a reader.
    """
    # pylint: disable-next=consider-using-with  # the caller closes it
    file = open(path, mode, opener=_open_at_once)
    os.set_blocking(file.fileno(), True)
    return file


def open_own(path: str | os.PathLike[str], flags: int, mode: int = 0o666) -> int:
    """Open or create a file of xtest's own for reading and writing; return its descriptor.

    Raises OSError for a link, and for anything but a regular file.
    """
    flags |= os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    return _checked(_open_at_once(path, flags, mode), path)


def copy_new(path: str, to: str) -> None:
    """Copy a regular file to one that does not exist. Raises OSError."""
    with open_regular(path) as file, open(open_own(to, os.O_CREAT | os.O_EXCL), "wb") as copy:
        shutil.copyfileobj(file, copy)


def _checked(descriptor: int, path: str | os.PathLike[str]) -> int:
    try:
        _check_regular(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(status: os.stat_result, path: str | os.PathLike[str]) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "not a regular file", os.fspath(path))


def _open_at_once(name: str | os.PathLike[str], flags: int, mode: int = 0o666) -> int:
    return os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY, mode)


def is_in(path: str, folder: str) -> bool:
    """Return whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def nearest(folder: str, name: str) -> str | None:
    """Return the nearest folder, this one or one above, that has an entry `name`, or None."""
    folders = (folder, *map(str, Path(folder).parents))
    return next((each for each in folders if os.path.lexists(os.path.join(each, name))), None)


# The schemas and suites that come with xtest: inside this package in a wheel, and at the top of an
# editable checkout.

_PACKAGE: Final = Path(__file__).resolve().parent
_PACKED: Final = _PACKAGE / "bundled_data"


def schemas_folder() -> Path:
    return _bundled("schemas")


def test_cases_folder() -> Path:
    return _bundled("test_cases")


def is_installed(suite: Path) -> bool:
    """Return whether the folder of a suite was installed with xtest."""
    return suite.is_relative_to(_PACKED)


def _bundled(name: str) -> Path:
    packed = _PACKED / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def find_executable(name: str, folders: Iterable[str] | None = None) -> str | None:
    """Return the path of a program in the first of the folders that has it, or None.

    The folders are those of PATH by default. For shutil.which, capabilities do not count.
    """
    if folders is None:
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and may_execute(path)), None)


def may_execute(path: str) -> bool:
    return os.access(path, os.X_OK, effective_ids=True)


def discard_stdout() -> None:
    """Send all further output of this process, and its buffered output, to /dev/null."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def discard_output() -> None:
    """Send all further and buffered output that goes to a terminal to /dev/null."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # it has no descriptor
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                os.dup2(null, stream.fileno())
    os.close(null)


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_size(stream: TextIO) -> os.terminal_size:
    """Return the columns and lines of a terminal; COLUMNS and LINES take precedence."""
    columns = lines = 0
    with suppress(OSError):  # the terminal has gone
        columns, lines = os.get_terminal_size(stream.fileno())
    # By itself, shutil asks only the interpreter's stdout, which may be a file, or detached.
    return shutil.get_terminal_size((columns or 80, lines or 24))


def temporary_path(path: Path) -> Path:
    """Return a hidden path beside another one that no other process uses."""
    return Path(os.path.abspath(path)).parent / f"{_PART_PREFIX}{os.getpid()}.part"


def write_new_files(files: Mapping[Path, bytes]) -> None:
    """Create files, all or none. Raises OSError: FileExistsError if one exists."""
    for folder in {Path(os.path.abspath(path)).parent for path in files}:
        _remove_leftovers(folder)
    parts = {
        path: temporary_path(path).with_suffix(f".{number}.part")
        for number, path in enumerate(files)
    }
    placed: list[Path] = []
    try:
        for path, data in files.items():
            with parts[path].open("xb") as file:
                file.write(data)
        for path, part in parts.items():
            # Unlike a rename, a link does not replace a file that was created meanwhile.
            try:
                os.link(part, path)
            except FileExistsError:
                raise
            except OSError:  # of a file system without links, such as that of a USB stick
                path.touch(exist_ok=False)
                placed.append(path)
                os.replace(part, path)
            else:
                placed.append(path)
    except BaseException:  # also when interrupted
        for path in placed:
            _remove(path)
        raise
    finally:
        for part in parts.values():
            _remove(part)


@cache
def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed processes from a folder; each folder is searched once."""
    for part in folder.glob(f"{_PART_PREFIX}*.part"):
        number = part.name.removeprefix(_PART_PREFIX).partition(".")[0]
        if number.isdecimal() and (int(number) == os.getpid() or not _is_alive(int(number))):
            _remove(part)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        pass
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def output_files() -> Iterator[str]:
    """Yield the paths of the files, pipes or terminals of standard output and standard error."""
    get_path: int | None = getattr(fcntl, "F_GETPATH", None)  # of macOS
    for stream in (1, 2):
        with suppress(OSError):  # it has none, or there is no /proc
            if get_path is None:
                yield os.readlink(f"/proc/self/fd/{stream}")
            else:
                yield os.fsdecode(fcntl.fcntl(stream, get_path, bytes(1024)).rstrip(b"\0"))


def cache_folder(environment: Mapping[str, str]) -> str:
    """Return $XTEST_CACHE, or the folder `xtest` in the user's folder for caches."""
    folder = environment.get("XTEST_CACHE")
    if folder:
        return folder
    caches = environment.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # the XDG Base Directory Specification ignores relative paths
        caches = os.path.expanduser("~/.cache")
    return os.path.join(caches, "xtest")
