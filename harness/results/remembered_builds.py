"""Remember builds, so that none is repeated while nothing has changed since it succeeded.

A build is up to date while everything in its folder, what it made included, is as it was after the
build, and so are its command and environment. Source: docs/subjects.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Final

from harness.files import TooManyFiles, cache_folder, output_files
from harness.model.subject import Subject
from harness.process.inventory import is_in
from harness.project.builds import BuildStep
from harness.project.program_lookup import dependency_files, find_program
from harness.results.file_digests import FileDigests, FolderContent, hash_of
from harness.results.fingerprint import lasting_environment
from harness.results.store import Entry, Space, Store, StoreError
from harness.version import VERSION

_SPACE: Final = Space("builds", "1")


class RememberedBuilds:
    """The builds that succeeded in a sandbox of the kind `sandbox`, or without one if it is "".

    They are those of `subjects`, by name; xtest writes the files `written`.
    """

    def __init__(
        self, subjects: Mapping[str, Subject], written: Iterable[str], sandbox: str
    ) -> None:
        self._subjects = subjects
        self._written = (*filter(None, written), *output_files())
        self._sandbox = sandbox
        self._cache = cache_folder(os.environ)

    def outdated(self, steps: Sequence[BuildStep]) -> list[BuildStep]:
        """Return the builds that must run."""
        up_to_date = set[BuildStep]()
        with suppress(StoreError), closing(Store(self._cache)) as store:
            for step, (key, digest) in self._entries(steps):
                if store.get(_SPACE, key) == digest:
                    up_to_date.add(step)
        return [step for step in steps if step not in up_to_date]

    def remember(self, steps: Sequence[BuildStep]) -> None:
        """Note that these builds have succeeded just now."""
        entries = [entry for _, entry in self._entries(steps)]
        if entries:
            with suppress(StoreError), closing(Store(self._cache)) as store:
                store.put(_SPACE, entries)

    def _entries(self, steps: Sequence[BuildStep]) -> Iterator[tuple[BuildStep, Entry]]:
        """Yield a key and the present content for each build, unless its files are too many."""
        with closing(FileDigests(self._cache, self._written)) as digests:
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
            found = os.stat(os.path.join(context.folder, program))
            program = f"{program} {found.st_size} {found.st_mtime_ns}"
        command = step.command, program
        return hash_of((VERSION, command, context, variables, self._sandbox))
