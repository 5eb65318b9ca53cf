"""Check that a machine can run subjects: files, programs and protections.

Files are those of the machine where xtest was started, or are sent.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import Final, NamedTuple

from harness.cluster.shipping import SAME_PATHS, Archive, PathMapping, Shipment, pack
from harness.errors import Refused, UsageError
from harness.files import TooManyFiles, cache_folder
from harness.model.subject import Subject
from harness.process.sandbox import Sandbox, find_sandbox
from harness.process.system import SYSTEM
from harness.project.builds import BuildStep
from harness.project.program_lookup import cannot_start, require_start
from harness.project.targets import Target
from harness.results.file_digests import FileDigests, FolderContent, covered_files, file_listing
from harness.results.fingerprint import FingerprintContext, parts_of
from harness.suites.loading import Suite
from harness.text import escape_nonprintable

_UNKNOWN: Final = "too many files"  # in place of a digest
_REMEDY: Final = "name the files that subjects need, with depends in xtest.toml"


class _Folder(NamedTuple):
    """A file or folder, which of its files count, and their digest."""

    path: str
    kind: FolderContent
    digest: str


class SharedFolders(NamedTuple):
    """The folder where xtest was started, and the files that suites and subjects are made of.

    Files with the paths `written` do not count: xtest writes them. A worker uses the files of the
    `shipment` in place of its own.
    """

    current: str
    folders: tuple[_Folder, ...]
    written: tuple[str, ...]
    kept: tuple[str, ...]  # programs that every machine has on its own
    shipment: Shipment | None = None

    def enter(self, sandbox: Sandbox | None) -> PathMapping:
        """Go to the current folder of the user, and return where files are.

        Raises UsageError if files differ here.
        """
        mapping = SAME_PATHS if self.shipment is None else self.shipment.unpack(sandbox)
        try:
            os.chdir(mapping.path(self.current))
        except OSError as problem:
            path = escape_nonprintable(self.current)
            raise UsageError(f"{path}: {problem.strerror}; workers need the same files") from None
        if self.shipment is None:
            with closing(FileDigests(cache_folder(os.environ), self.written)) as digests:
                for folder in self.folders:
                    if _digest(digests, folder.path, folder.kind) != folder.digest:
                        raise DifferentFiles(folder.path, folder.kind)
        return mapping

    def ship(
        self, folders: Iterable[str], builds: Sequence[BuildStep]
    ) -> tuple[SharedFolders, Archive]:
        """Return folders with a shipment, and its archive, which also has the `folders`, and all
        files of the folders of `builds`. Raises UsageError."""
        files: dict[str, str] = {}
        sources = [_Folder(step.context.folder, FolderContent.PROGRAM, "") for step in builds]
        for folder in (*self.folders, *dict.fromkeys(sources)):
            path = escape_nonprintable(folder.path)
            if folder.digest == _UNKNOWN:
                raise UsageError(f"--ship: {path}: too many files, or files too large; {_REMEDY}")
            for name in covered_files(folder.path, folder.kind, self.written):
                file = os.path.join(folder.path, name) if name else folder.path
                files[os.path.abspath(file)] = file
        moved = [os.path.abspath(folder.path) for folder in (*self.folders, *sources)]
        shipment, archive = pack(files, moved, self.kept, [self.current, *folders])
        shipment = shipment._replace(builds=tuple(builds))
        shipped = SharedFolders(self.current, self.folders, self.written, self.kept, shipment)
        return shipped, archive


class DifferentFiles(UsageError):
    """A file or folder differs from the user's."""

    def __init__(self, path: str, kind: FolderContent) -> None:
        super().__init__(f"{escape_nonprintable(path)}: differs; workers need the same files")
        self.path = path
        self.kind = kind
        self.listing = file_listing(path, kind)


def shared_folders_of(
    suites: Iterable[Suite],
    subjects: Iterable[Subject],
    depends: tuple[str, ...],
    written: tuple[str, ...],
) -> SharedFolders:
    """Return what workers need to have, with digests of the files here."""
    context = FingerprintContext((), depends, os.environ, {})
    parts = {(str(suite.folder), FolderContent.SUITE): None for suite in suites}
    kept = []
    for subject in subjects:
        for path, kind in parts_of(subject, context):
            if _is_of_system(path):
                kept.append(os.path.abspath(path))
            else:
                parts[path, kind] = None
    with closing(FileDigests(cache_folder(os.environ), written)) as digests:
        folders = [_Folder(path, kind, _digest(digests, path, kind)) for path, kind in parts]
    return SharedFolders(os.getcwd(), tuple(folders), written, tuple(kept))


def _digest(digests: FileDigests, path: str, kind: FolderContent) -> str:
    try:
        return digests.of(path, kind=kind)
    except TooManyFiles:
        return _UNKNOWN


def _is_of_system(path: str) -> bool:
    """Return whether a file is a program or in a folder of programs, which machines have on their
    own."""
    folders = [sysconfig.get_path("scripts"), *os.environ.get("PATH", "").split(os.pathsep)]
    of_system, place = set(map(os.path.realpath, filter(None, folders))), os.path.realpath(path)
    return place in of_system or os.path.dirname(place) in of_system


class MachineNeeds:
    """Requirements on a machine that runs targets: files, programs and protections."""

    def __init__(
        self, targets: Collection[Target], folders: SharedFolders, sandbox: Sandbox | None
    ) -> None:
        subjects = {target.subject.name: target.subject for target in targets}.values()
        suites = {target.suite.name: target.suite for target in targets}.values()
        self._folders = folders
        # A program that is missing on this machine, too, is reported as a verdict.
        self._subjects = [each for each in subjects if not (each.fault or cannot_start(each))]
        self._required = [
            (each.name, one) for each in suites for one in each.settings.sandbox.require
        ]
        self._sandbox = sandbox

    def prepare_machine(self) -> tuple[PathMapping, Sandbox | None]:
        """Go to the folder of the user; return where files are, and the sandbox of this machine.

        Raises UsageError with what is missing here.
        """
        mapping = self._folders.enter(self._sandbox)
        for subject in map(mapping.subject, self._subjects):
            if not subject.fault:
                require_start(subject)
        sandbox, promised = self._sandbox, set(SYSTEM.protections())
        if sandbox is not None:
            local_sandbox = find_sandbox(sandbox.kind, mapping.exposure(sandbox.exposure))
            if isinstance(local_sandbox, Refused):
                raise UsageError(local_sandbox.reason)
            sandbox = local_sandbox
            promised.update(local_sandbox.protections)
        for suite, protection in self._required:
            if protection not in promised:
                raise UsageError(f"{suite}: its suite.toml requires {protection.value}")
        return mapping, sandbox
