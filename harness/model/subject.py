"""Declare a program under test."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final, NamedTuple

from harness.model.case_names import WITHOUT, CaseName, Match, selects
from harness.model.sessions import SessionKind


class WorkspaceMode(Enum):
    """The fate of files that a run writes into its working folder."""

    PRIVATE = "private"  # they are gone after the run, and no other run sees them
    SHARED = "shared"  # they stay, and all runs see them


class StartFolder(Enum):
    """The folder in which a program of a subject's `programs` starts."""

    PROGRAM = "program"  # the folder that holds it
    FOLDER = "folder"  # that of the subject


class ExecutionContext(NamedTuple):
    """The working folder of a program and its environment."""

    folder: str  # an absolute path
    environment: tuple[tuple[str, str], ...] = ()  # added to that of the caller, or replacing it
    keeps_files: bool = False  # that a run writes into its folder: runs share it
    above: str = ""  # the subject's folder, if the working folder is below it
    # A bare name is a program in the folder or on PATH, and none of those that come with xtest.
    is_own: bool = False

    @property
    def own_folder(self) -> str:
        """The folder with everything that belongs to the subject."""
        return self.above or self.folder


class SkipRule(NamedTuple):
    """One `[[subjects.NAME.skip]]` table: cases that the subject does not claim, and why.

    A case must match each criterion that is set.
    """

    reason: str
    link: str = ""
    suite: str = ""
    match: Match = ()
    tag: str = ""

    def takes(self, name: CaseName, tags: tuple[str, ...]) -> bool:
        if self.match and not selects(self.match, name):
            return False
        if self.tag.startswith(WITHOUT):
            return self.tag.removeprefix(WITHOUT) not in tags
        return self.tag in (*tags, "")

    def __str__(self) -> str:
        return f"{self.reason}, {self.link}" if self.link else self.reason


class BuildFailure(NamedTuple):
    """Why the build of a subject failed, in one line, the last lines that it printed, and the
    number of all.

    It is shown by the first event, unless a machine of a cluster ran the build.
    """

    reason: str
    output: tuple[str, ...] = ()
    lines: int = 0
    is_shown: bool = True
    is_lasting: bool = True  # it fails again while nothing changes; not for want of processes


# The message of the runs of such a subject; the first event says why.
NOT_BUILT: Final = "its program was not built"


class Subject(NamedTuple):
    """A program under test: its name in reports, and its command as written."""

    name: str
    command: tuple[str, ...]
    context: ExecutionContext | None = None  # of a subject of an xtest.toml
    limits: tuple[tuple[str, float], ...] = ()  # override the suite's
    fault: str = ""  # why it cannot be run
    depends: tuple[str, ...] | None = None  # absolute globs on its parts; None if unknown
    session: SessionKind | None = None  # how one of its processes answers several cases
    may_skip: bool = False  # in a session of the protocol
    skip: tuple[SkipRule, ...] = ()  # those for the suite that it runs on
    build_failure: BuildFailure | None = None  # `fault` is its reason
    title: str = ""  # the name in reports, if not `name`

    @property
    def shown(self) -> str:
        """Its name for people."""
        return self.title or self.name


class SubjectInfo(NamedTuple):
    """A subject of a run, as the first event describes it."""

    name: Annotated[str, "The name in reports."]
    command: Annotated[tuple[str, ...], "The command line."]
    version: Annotated[str, "The `version` in xtest.toml, or the output of the command there."] = ""
    commit: Annotated[str, "The Git commit of its folder."] = ""
    committed: Annotated[str, "The time of this commit (RFC 3339)."] = ""
    programs: Annotated[
        tuple[str, ...], "The files that its commands start, if they exist: absolute paths."
    ] = ()
    build_failure: Annotated[str, "Why its build failed, if it did: its cases did not run."] = ""
    build_output: Annotated[
        tuple[str, ...], "The last lines that the failed build printed, at most 50."
    ] = ()
    title: Annotated[str, "The `title` in xtest.toml."] = ""
    id: Annotated[str, "The name in xtest.toml, if `name` is the title."] = ""
