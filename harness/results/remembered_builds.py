"""Remember builds and their failures, so that none is repeated while nothing has changed since.

Nothing has changed while everything in its folder, what it made included, is as it was after the
build, and so are its command and environment; after a failure, its limits, too. Source:
docs/subjects.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Any, Final

from harness.files import TooManyFiles, cache_folder, is_in, output_files
from harness.model.subject import BuildFailure, Subject
from harness.project.builds import BuildStep
from harness.project.program_lookup import dependency_files, find_program
from harness.results.file_digests import DigestBounds, FileDigests, FolderContent
from harness.results.fingerprint import lasting_environment
from harness.results.store import Entry, Space, Store, StoreError, hash_of
from harness.version import VERSION

_SPACE: Final = Space("builds", "2")
_BOUNDS: Final = DigestBounds(bytes=8 << 30)  # more than a build may write by default
_DIGEST_BYTES: Final = 16


class RememberedBuilds:
    """The builds that ended in a sandbox of the kind `sandbox`, or without one if it is "".

    They are those of `subjects`, by name; xtest writes the files `written`.
    """

    def __init__(
        self, subjects: Mapping[str, Subject], written: Iterable[str], sandbox: str
    ) -> None:
        self._subjects = subjects
        self._written = (*filter(None, written), *output_files())
        self._sandbox = sandbox
        self._cache = cache_folder(os.environ)

    def results(self, steps: Sequence[BuildStep]) -> dict[BuildStep, BuildFailure | None]:
        """Return the failure, or None after a success, of each build that need not run."""
        results: dict[BuildStep, BuildFailure | None] = {}
        with suppress(StoreError), closing(Store(self._cache)) as store:
            for step, (key, digest) in self._entries(steps):
                value = store.get(_SPACE, key) or b""
                if value == digest:
                    results[step] = None
                elif value[:_DIGEST_BYTES] == digest:
                    limits, failure = _read_failure(value[_DIGEST_BYTES:])
                    if limits == list(step.limits):
                        results[step] = failure
        return results

    def remember(self, results: Mapping[BuildStep, BuildFailure | None]) -> None:
        """Note the failure, or None, of builds that have just ended."""
        lasting = [step for step, each in results.items() if each is None or each.is_lasting]
        entries = [
            (key, digest + _failure_bytes(step, results[step]))
            for step, (key, digest) in self._entries(lasting)
        ]
        if entries:
            with suppress(StoreError), closing(Store(self._cache)) as store:
                store.put(_SPACE, entries)

    def _entries(self, steps: Sequence[BuildStep]) -> Iterator[tuple[BuildStep, Entry]]:
        """Yield a key and the present content for each build, unless its files are too many."""
        with closing(FileDigests(self._cache, self._written, _BOUNDS)) as digests:
            for step in steps:
                with suppress(TooManyFiles):
                    folder = step.context.folder
                    subjects = [self._subjects[name] for name in step.subjects]
                    globs = (dependency_files(subject).values() for subject in subjects)
                    parts = dict.fromkeys(chain(*chain(*globs)))
                    outside = (each for each in parts if not is_in(each, folder))
                    content = [
                        digests.of(each, kind=FolderContent.BUILD) for each in (folder, *outside)
                    ]
                    yield step, (self._key(step), hash_of(content))

    def _key(self, step: BuildStep) -> bytes:
        context, variables = step.context, lasting_environment(os.environ)
        program = find_program(step.command[0], context) or ""
        with suppress(OSError):
            status = os.stat(os.path.join(context.folder, program))
            program = f"{program} {status.st_size} {status.st_mtime_ns}"
        command = step.command, program
        return hash_of((VERSION, command, context, variables, self._sandbox))


def _failure_bytes(step: BuildStep, failure: BuildFailure | None) -> bytes:
    return b"" if failure is None else json.dumps((step.limits, failure)).encode()


def _read_failure(value: bytes) -> tuple[list[Any], BuildFailure]:
    """Return the limits of a build that failed, and its failure."""
    limits, (reason, output, lines, *_) = json.loads(value)
    return limits, BuildFailure(reason, tuple(output), lines)
