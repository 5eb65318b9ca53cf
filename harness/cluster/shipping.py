"""Send the files of suites and subjects to workers, which use them in place of their own.

On a worker, an absolute path is that path below the folder of the unpacked archive, so relative
paths keep their meaning.
"""

from __future__ import annotations

import gzip
import os
import re
import secrets
import tarfile
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Final, NamedTuple

from harness.cluster.archives import unpacked
from harness.errors import Refused, UsageError, usage_errors
from harness.files import open_regular
from harness.model.case_names import PACKED_FILE
from harness.model.subject import BuildFailure, ExecutionContext, Subject
from harness.options.builds import TerminalBuilds
from harness.process.inventory import Exposure
from harness.process.sandbox import Sandbox, find_sandbox
from harness.project.builds import BuildStep, run_builds
from harness.project.targets import Target
from harness.suites.loading import Suite
from harness.suites.packed import PackedFile
from harness.text import escape_nonprintable

_MOST: Final = 1  # GiB of all files
_SEPARATORS: Final = re.compile("([=:])")


class Shipment(NamedTuple):
    """An archive for a run, and the absolute paths that it has.

    It has everything at and below the paths `moved`, except the paths `kept`, and it has `folders`.
    Files that `builds` make are not in it.
    """

    digest: str
    run: str
    moved: tuple[str, ...]
    kept: tuple[str, ...]
    folders: tuple[str, ...]
    builds: tuple[BuildStep, ...] = ()

    def unpack(self, sandbox: Sandbox | None) -> PathMapping:
        """Unpack the archive on this machine, and build what is built, once, in a sandbox of the
        same kind if there is one. Raises UsageError."""
        root, failures = unpacked(self.digest, self.run, partial(self._build, sandbox))
        return PathMapping(root, self, failures)

    def _build(self, sandbox: Sandbox | None, root: str) -> dict[str, str]:
        """Return why builds failed, by subject."""
        moved = PathMapping(root, self)
        if self.builds and sandbox is not None:
            local_sandbox = find_sandbox(sandbox.kind, moved.exposure(sandbox.exposure))
            if isinstance(local_sandbox, Refused):
                raise UsageError(f"--sandbox: {local_sandbox.reason}")
            sandbox = local_sandbox
        steps = [
            step._replace(
                command=tuple(map(moved.text, step.command)), context=moved.context(step.context)
            )
            for step in self.builds
        ]
        failures = run_builds(
            steps, TerminalBuilds(details=True), parallel=os.cpu_count() or 1, sandbox=sandbox
        )
        return {name: failure.reason.replace(root, "") for name, failure in failures.items()}


class PathMapping(NamedTuple):
    """Maps paths of the machine where xtest was started to this machine; has the reasons why builds
    failed, by subject."""

    root: str
    shipment: Shipment | None
    failures: Mapping[str, str] = MappingProxyType({})

    def path(self, path: str) -> str:
        """Return the path here of a path on the machine where xtest was started."""
        if self.shipment is None or not os.path.isabs(path):
            return path
        normal = os.path.normpath(path)
        # The longest path above decides.
        moved, kept = (
            max((len(each) for each in paths if f"{normal}/".startswith(f"{each}/")), default=0)
            for paths in (self.shipment.moved, self.shipment.kept)
        )
        has_it = 0 < moved >= kept or normal in self.shipment.folders
        return f"{self.root}{normal}" if has_it else path

    def text(self, text: str) -> str:
        """Return a word of a command, or a variable, with the paths here."""
        whole = self.path(text)
        return whole if whole != text else "".join(map(self.path, _SEPARATORS.split(text)))

    def subject(self, subject: Subject) -> Subject:
        """Return a subject with command and folder here, and a fault if its build failed."""
        command = tuple(map(self.text, subject.command))
        if subject.context is None:
            return subject._replace(command=command)
        context = self.context(subject.context)
        placed = subject._replace(command=command, context=context)
        fault = self.failures.get(subject.name, "")
        if subject.fault or not fault:
            return placed
        return placed._replace(fault=fault, build_failure=BuildFailure(fault, is_shown=False))

    def context(self, context: ExecutionContext) -> ExecutionContext:
        variables = tuple((name, self.text(value)) for name, value in context.environment)
        return context._replace(
            folder=self.path(context.folder),
            above=self.path(context.above),
            environment=variables,
        )

    def suite(self, suite: Suite) -> Suite:
        """Return a suite whose files are here. Raises UsageError."""
        folder = Path(self.path(str(suite.folder)))
        packed = suite.packed
        if packed is not None and self.shipment is not None:
            with usage_errors(suite.name):
                packed = PackedFile(folder / PACKED_FILE)
        return suite._replace(folder=folder, packed=packed)

    def target(self, target: Target) -> Target:
        """Return a target whose suite and subject are here. Raises UsageError."""
        return target._replace(suite=self.suite(target.suite), subject=self.subject(target.subject))

    def exposure(self, exposure: Exposure) -> Exposure:
        """Return the paths here that subjects see, and that they do not."""
        parts = {
            self.path(folder): [self.path(each) for each in paths]
            for folder, paths in exposure.dependencies.items()
        }
        shown, hidden = (tuple(map(self.path, each)) for each in exposure[:2])
        return Exposure(shown, hidden, parts)


SAME_PATHS: Final = PathMapping("", None)


class Archive(NamedTuple):
    """An open file to send, with its size and digest."""

    file: IO[bytes]
    size: int
    digest: str

    def part(self, offset: int, size: int) -> bytes:
        return os.pread(self.file.fileno(), size, offset)


def pack(
    files: Mapping[str, str], moved: Iterable[str], kept: Iterable[str], folders: Iterable[str]
) -> tuple[Shipment, Archive]:
    """Write an archive of files: the path of each here, by its absolute name there.

    Raises UsageError.
    """
    # pylint: disable-next=consider-using-with  # open as long as workers come
    written = TemporaryFile()
    folders = tuple(folders)
    left = _MOST << 30
    with (
        gzip.GzipFile("", "wb", 1, written, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for folder in sorted(set(folders) - {"/"}):
            entry = tarfile.TarInfo(folder.lstrip("/"))
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for name, path in sorted(files.items()):
            left -= _add(archive, name, path)
            if left < 0:
                raise UsageError(f"--ship: suites and subjects have more than {_MOST} GiB")
    written.seek(0)
    digest = file_digest(written, "sha256").hexdigest()
    shipment = Shipment(digest, secrets.token_hex(8), tuple(moved), tuple(kept), folders)
    return shipment, Archive(written, os.fstat(written.fileno()).st_size, digest)


def _add(archive: tarfile.TarFile, name: str, path: str) -> int:
    with usage_errors(f"--ship: {escape_nonprintable(path)}"), open_regular(path) as content:
        status = os.fstat(content.fileno())
        entry = tarfile.TarInfo(name.lstrip("/"))
        entry.size, entry.mode = status.st_size, status.st_mode & 0o777
        entry.mtime = int(status.st_mtime)
        archive.addfile(entry, content)
    return entry.size
