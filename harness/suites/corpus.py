"""The corpus on disk: the one module that reads suites and cases.

A suite's folder, or its packed file, is listed once, and a case is read when it is about to run:
a suite of any size fits in memory. What is wrong with a case is a value. Source: docs/suites.md.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from harness.jsonfast import decode
from harness.jsontext import Fault, Json
from harness.judging.comparison import Comparison, PlaceRule
from harness.judging.comparison_words import WordError, schema_in_file
from harness.records import Case, InputKind, InvalidCase
from harness.suites.bundled import schemas_folder
from harness.suites.content import content_of
from harness.suites.naming import (
    PACKED_FILE,
    CaseName,
    case_file,
    case_order,
    looks_like_case_file,
    natural,
    selects,
)
from harness.suites.policy import SuiteSettings, SuiteTomlError, parse_suite_toml
from harness.words import quoted, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.suites.packed import PackedCase
    from harness.suites.packfile import PackedFile
    from harness.suites.positions import Position

__all__ = [
    "SETTINGS_FILE",
    "BrokenCase",
    "CorpusError",
    "Flaw",
    "Found",
    "Loaded",
    "Suite",
    "bytes_of",
    "content_in",
    "UnreadableSuite",
    "find_all",
    "find_suites",
    "label_of",
    "load_case",
    "packed_case",
    "read_case",
    "read_orphan",
    "read_settings",
    "read_suite",
    "settings_text",
]

SETTINGS_FILE: Final = "suite.toml"
_FIXED_NAMES: Final = (SETTINGS_FILE, PACKED_FILE)
_MORE: Final = 65_536  # bytes at a time of what a file has beyond the size that it says
_SIGN: Final = b'"x-'  # in the bytes of every schema that says something of comparing
_NAME: Final = 60  # characters of a name in a message


class CorpusError(Exception):
    """A folder that is no suite, or a suite that cannot be used at all; the message says why."""


class UnreadableSuite(CorpusError):
    """A folder or a file that the system does not let us read."""


class Flaw(Enum):
    """What is wrong with a case that is broken."""

    ORPHAN = "orphan"
    SAME_NAME = "same-name"
    UNREADABLE = "unreadable"
    NOT_JSON = "not-json"
    BAD_LINE = "bad-line"  # of a packed suite


class BrokenCase(Exception):
    """Why a case cannot be used: the message says it whole; then what kind of flaw it is, in which
    file of the suite, and where there (None: the whole file)."""

    def __init__(self, reason: str, flaw: Flaw, file: str, position: Position | None = None):
        super().__init__(reason)
        self.flaw = flaw
        self.file = file
        self.position = position


class Loaded(NamedTuple):
    """A case, and the values of its input; of a raw one, which nobody parses, there are none."""

    case: Case
    given: list[Json]


class Found(NamedTuple):
    """A suite that was found: its name, which no other of the same run has; its folder; and the
    argument that means just this suite on a command line."""

    name: str
    folder: Path
    argument: str


class Suite(NamedTuple):
    """A suite whose folder was listed: its settings, and the names of the files of every case; or
    the packed file that holds them all. `faults` are sentences on what is wrong in the folder, and
    is nobody's case."""

    name: str
    folder: Path
    settings: SuiteSettings
    files: Mapping[CaseName, tuple[str, ...]]  # in natural order of the cases
    faults: tuple[str, ...] = ()
    packed: PackedFile | None = None

    @property
    def names(self) -> Collection[CaseName]:
        """Its cases, broken ones too, in natural order. Those of a packed suite are not kept, but
        read again whenever they are gone through."""
        return tuple(self.files) if self.packed is None else self.packed


def find_all(arguments: Sequence[str], bundled: Path, *, inputs: bool = False) -> list[Found]:
    """The suites that all arguments mean, each folder once, in order. Two of one name get as much
    of their paths in front as tells them apart. `inputs` and errors: as `find_suites`."""
    found: dict[str, tuple[Path, str]] = {}  # by absolute path
    lengths: dict[str, int] = {}  # how many steps at the end of that path make the name
    for argument in arguments:
        in_bundle = _root(argument, bundled)[2]
        for name, folder in find_suites(argument, bundled, inputs=inputs):
            path = os.path.abspath(folder)
            found.setdefault(path, (folder, name if in_bundle else str(folder)))
            lengths.setdefault(path, name.count("/") + 1)
    names = _distinct(lengths)
    return [Found(names[path], folder, argument) for path, (folder, argument) in found.items()]


def find_suites(argument: str, bundled: Path, *, inputs: bool = False) -> list[tuple[str, Path]]:
    """The suites that an argument means, by name: a folder with cases, or all below it that have
    some; where there is no such folder, the bundled suite of that name. `inputs`: a folder that has
    no cases, but JSON files, is one, too. Raises CorpusError."""
    name, folder, _ = _root(argument, bundled)
    found = list(_below(name, folder))
    if not found and inputs and any(entry.name.endswith(".json") for entry in _listed(folder)):
        found = [(name, folder)]
    if not found:
        lone = "; nor is there a lone input, a file *.json in the folder itself" if inputs else ""
        raise CorpusError(
            f"{visible(argument)}: no cases in this folder or below it; a case is a pair of files"
            f" N-in.json and N-out.json, or a line of {PACKED_FILE}{lone}"
        )
    return found


def read_suite(name: str, folder: Path) -> Suite:
    """List a suite's folder and read its suite.toml. Raises CorpusError."""
    try:
        entries = os.listdir(folder)
        settings = read_settings(folder) if SETTINGS_FILE in entries else SuiteSettings()
        packed = _packed_file(folder) if PACKED_FILE in entries else None
    except OSError as problem:
        where = visible(str(problem.filename))
        raise UnreadableSuite(f"{where}: {_why(problem)}") from None
    except SuiteTomlError as problem:
        raise CorpusError(str(problem)) from None
    files: dict[CaseName, list[str]] = {}
    others = []
    for entry in entries:
        side = case_file(entry)
        if side is not None:
            files.setdefault(side.name, []).append(entry)
        else:
            others.append(entry)
    ordered = {case: tuple(sorted(files[case])) for case in sorted(files, key=case_order)}
    if packed is not None and files:
        one = visible(next(iter(ordered.values()))[0])
        raise CorpusError(
            f"{visible(str(folder))}: cases both in {PACKED_FILE} and in files ({one});"
            " a suite keeps them one way"
        )
    names = ordered if packed is None else packed
    faults = tuple(_faults(sorted(others, key=natural), settings, names))
    if not names:
        if SETTINGS_FILE in entries:
            faults += (f"its {SETTINGS_FILE} does not hold for the folders below it",)
        raise CorpusError("; ".join((f"{visible(str(folder))}: no cases in this folder", *faults)))
    return Suite(name, folder, settings, ordered, faults, packed)


def read_case(suite: Suite, name: CaseName, at: int | None = None) -> Case | InvalidCase:
    """Read one case: its bytes, and its expected values. A case that is broken says so itself. `at`
    is its place among the suite's names: of a packed suite all would have to be gone through."""
    try:
        return load_case(suite, name, at).case
    except BrokenCase as problem:
        return InvalidCase(suite.name, name.text, str(problem))


def load_case(suite: Suite, name: CaseName, at: int | None = None) -> Loaded:
    """The same for who wants to know more: also of what is wrong. Raises BrokenCase."""
    policy, kind, tags = suite.settings.policy_for(name)
    sides = _sides(suite, name, at)
    expected = _values(sides.expected, policy.comparison.allow)
    given = [] if kind is InputKind.RAW else _checked_input(sides.stdin)
    stdin, expected_text = sides.stdin.text, sides.expected.text
    case = Case(suite.name, name.text, stdin, expected_text, expected, kind, tags, policy)
    return Loaded(case, given)


def settings_text(folder: Path) -> bytes:
    """The bytes of a suite's suite.toml. Raises OSError."""
    file = folder / SETTINGS_FILE
    mode = os.stat(file).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # of a folder the system says more
        raise OSError(0, "not a regular file", str(file))  # a pipe would keep us waiting for ever
    return file.read_bytes()


def content_in(suite: Suite, name: CaseName, at: int) -> str:
    """The fingerprint of what a case holds, as `content_of` has it; empty: it cannot be read."""
    try:
        sides = _sides(suite, name, at)
    except BrokenCase:
        return ""
    return content_of(sides.stdin.text, sides.expected.text)


def read_orphan(suite: Suite, name: CaseName) -> Case | None:
    """A case that has only an input so far, as one that expects nothing; None: it has more, or the
    input is broken."""
    files = suite.files.get(name, ())
    policy, kind, tags = suite.settings.policy_for(name)
    if len(files) != 1 or not files[0].endswith("-in.json"):
        return None
    try:
        stdin = bytes_of(str(suite.folder), files[0])
        if kind is not InputKind.RAW:
            _checked_input(_Side(files[0], stdin, files[0]))
    except BrokenCase:
        return None
    return Case(suite.name, name.text, stdin, b"", [], kind, tags, policy)


def label_of(suite: Suite, name: CaseName) -> str:
    """What stands in front of -in.json and -out.json in the names of a case's files, with the zeros
    that its name is without. The case has to be one that could be read."""
    return suite.files[name][0].removesuffix("-in.json")


# Finding suites.


def _root(argument: str, bundled: Path) -> tuple[str, Path, bool]:
    """The folder that an argument means, its name, and whether it is a bundled one."""
    if argument and os.path.isdir(argument):
        path = os.path.abspath(argument)
        return os.path.basename(path) or path, Path(argument), False
    steps = Path(argument).parts
    if steps and not os.path.isabs(argument) and ".." not in steps:
        if os.path.isdir(bundled / argument):
            return "/".join(steps), bundled / argument, True
    raise CorpusError(_not_found(argument, bundled))


# Who forgets the sign gives the words of a command as suites.
_BEHIND: Final = "; a program under test stands behind --"
_DATA: Final = (".json", ".jsonl", ".toml", ".md", ".txt")  # of files that are no programs


def _may_be_program(argument: str) -> bool:
    """Whether a file that was given as a suite is rather the program under test."""
    is_data = Path(argument).suffix in _DATA
    return not is_data and ("/" in argument or os.access(argument, os.X_OK))


def _not_found(argument: str, bundled: Path) -> str:
    file = Path(argument)
    if os.path.isfile(argument):
        side = case_file(file.name)
        how = f" {visible(str(file.parent))}" if side or file.name == PACKED_FILE else ""
        how += f" --case {side.name.text}" if side else ""
        hint = how and f": xtest run{how}"
        if not how and _may_be_program(argument):
            hint = f"{_BEHIND}: xtest run SUITE -- {visible(argument)}"
        return f"{visible(argument)}: a file; a suite is a folder{hint}"
    known = sorted(entry.name for entry in bundled.iterdir()) if os.path.isdir(bundled) else []
    # Imported here: for faults only. pylint: disable=import-outside-toplevel
    from difflib import get_close_matches

    from harness.lookup import find_program
    from harness.suites.nearby import near_folder

    folder = near_folder(argument)
    near = get_close_matches(argument, known, n=1) if folder is None else [visible(folder)]
    hint = f"did you mean {near[0]}?" if near else f"these are: {', '.join(known) or 'none'}"
    what = f"{visible(argument)}: " if argument else 'the empty name "": '
    is_program = not near and argument and "/" not in argument and find_program(argument)
    behind = _BEHIND if is_program else ""
    return f"{what}no such folder, and no bundled suite of that name ({hint}){behind}"


def _below(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """The suites in a folder. One with cases is a suite, whatever is below it. One that only seems
    to be a suite is found, too, so that it is told of when it is read."""
    waiting = [(name, folder)]
    while waiting:
        name, folder = waiting.pop()
        entries = _listed(folder)
        has_cases = any(_is_of_cases(entry.name) for entry in entries)
        if has_cases or any(_is_sign_of_suite(entry.name) for entry in entries):
            yield name, folder
        if not has_cases:
            # Links to folders are not followed: one that leads upwards would have no end.
            waiting += [
                (f"{name.rstrip('/')}/{entry.name}", Path(entry.path))
                for entry in sorted(entries, key=lambda entry: natural(entry.name), reverse=True)
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
            ]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as problem:
        raise CorpusError(f"{visible(str(folder))}: {_why(problem)}") from None


def _is_of_cases(file_name: str) -> bool:
    return file_name == PACKED_FILE or case_file(file_name) is not None


def _is_sign_of_suite(file_name: str) -> bool:
    return file_name.lower() in _FIXED_NAMES or looks_like_case_file(file_name)


def _distinct(lengths: Mapping[str, int]) -> dict[str, str]:
    """A name for every absolute path: so many of its last steps, and more where two would be the
    same. Comes to an end, as whole paths differ."""
    lengths = dict(lengths)
    while True:
        names = {path: _last_steps(path, length) for path, length in lengths.items()}
        counts = Counter(names.values())
        alike = [path for path, name in names.items() if counts[name] > 1]
        if not alike:
            return names
        for path in alike:
            lengths[path] += 1


def _last_steps(path: str, length: int) -> str:
    return "/".join(Path(path).parts[-length:]).replace("//", "/")


# Reading a suite.


def _packed_file(folder: Path) -> PackedFile:
    # Imported where there is one: most suites are pairs of files.
    from harness.suites.packfile import PackedFile  # pylint: disable=import-outside-toplevel

    return PackedFile(folder / PACKED_FILE)


def read_settings(folder: Path) -> SuiteSettings:
    """What a folder's suite.toml says, with all that it names. Raises OSError, SuiteTomlError."""
    where = visible(str(folder / SETTINGS_FILE))
    settings = parse_suite_toml(settings_text(folder), where)
    try:
        return settings._replace(comparison=_whole(settings, folder))
    except WordError as problem:
        raise SuiteTomlError(f"{where}: {problem}") from None


def _whole(settings: SuiteSettings, folder: Path) -> Comparison:
    """The comparison of a suite with what stands in other files: what its output schema says, and
    the schemas that placeholders name."""
    comparison = settings.comparison
    contract = _schema_bytes(settings.output, folder) if settings.output else b""
    # Most schemas say nothing of comparing: they are not even parsed.
    if contract is not None and _SIGN in contract:
        from harness.judging.annotations import with_contract  # pylint: disable=import-outside-toplevel

        comparison = with_contract(comparison, contract, settings.output)
    if any(rule.schema is not None and rule.schema.file for rule in comparison.at):
        rules = (_with_schema(rule, folder) for rule in comparison.at)
        comparison = comparison._replace(at=tuple(rules))
    return comparison


def _with_schema(rule: PlaceRule, folder: Path) -> PlaceRule:
    if rule.schema is None or not rule.schema.file:
        return rule
    name, _, fragment = rule.schema.file.partition("#")
    text = _schema_bytes(name, folder)
    if text is None:
        said = "neither in the suite's folder nor bundled"
        raise WordError(f"[compare] no schema {quoted(name, _NAME)}, {said}")
    return rule._replace(schema=schema_in_file(text, name, fragment))


def _schema_bytes(name: str, folder: Path) -> bytes | None:
    """A schema by its file name: beside the suite, otherwise bundled; None: there is no such."""
    for place in (folder, schemas_folder()):
        file = place / name
        try:
            if file.is_file():  # a pipe would keep us for ever
                return file.read_bytes()
        except OSError:  # a name that is too long, for one
            pass
    return None


def _faults(
    entries: Sequence[str], settings: SuiteSettings, cases: Collection[CaseName]
) -> Iterator[str]:
    """What in a suite's folder was meant to say something, and says nothing."""
    schemas = (settings.input, settings.output)
    strays = [entry for entry in entries if looks_like_case_file(entry) and entry not in schemas]
    if strays:
        seem = "looks like a file of a case, and is none"
        if len(strays) > 1:
            seem = f"and {len(strays) - 1:,} more look like files of a case, and are none"
        yield (
            f"{quoted(strays[0], _NAME)} {seem}: these are named N-in.json and N-out.json,"
            " or prefix-N-in.json and prefix-N-out.json"
        )
    for entry in entries:
        if entry.lower() in _FIXED_NAMES and entry not in _FIXED_NAMES:
            yield f'"{entry}" is not read: the file is to be named {entry.lower()}'
    matches = [rule.match for rule in settings.rules] + [rule.match for rule in settings.known]
    for match in matches:
        if cases and not any(selects(match, case) for case in cases):
            yield f"{SETTINGS_FILE}: no case is meant by match = {quoted(match, _NAME)}"


# Reading a case.


class _Side(NamedTuple):
    """One side of a case as it was read, and what it is called in messages; its file, or the line
    of the packed file (from 1) that it stands in."""

    name: str
    text: bytes
    file: str
    line: int | None = None


class _Sides(NamedTuple):
    """Both sides of a case."""

    stdin: _Side
    expected: _Side


def _sides(suite: Suite, name: CaseName, at: int | None) -> _Sides:
    if suite.packed is not None:
        index = list(suite.packed).index(name) if at is None else at
        case = packed_case(suite.packed, index)
        line = f"{PACKED_FILE}, line {index + 1:,}:"
        return _Sides(
            _Side(f"{line} its input", case.stdin, PACKED_FILE, index + 1),
            _Side(f"{line} its output", case.expected, PACKED_FILE, index + 1),
        )
    folder = str(suite.folder)
    in_name, out_name = _pair(name, suite.files[name])
    return _Sides(
        _Side(in_name, bytes_of(folder, in_name), in_name),
        _Side(out_name, bytes_of(folder, out_name), out_name),
    )


def packed_case(packed: PackedFile, index: int) -> PackedCase:
    """The case in a line of a packed file, from 0. Raises BrokenCase."""
    from harness.suites.packed import PackedError  # pylint: disable=import-outside-toplevel
    from harness.suites.positions import Position  # pylint: disable=import-outside-toplevel

    try:
        return packed.read(index)
    except PackedError as problem:
        said = f"{PACKED_FILE}, line {index + 1:,} {problem}"
        raise BrokenCase(said, Flaw.BAD_LINE, PACKED_FILE, Position(index + 1, 1)) from None
    except OSError as problem:
        said = f"{PACKED_FILE}: {_why(problem)}"
        raise BrokenCase(said, Flaw.UNREADABLE, PACKED_FILE) from None


def _pair(name: CaseName, files: tuple[str, ...]) -> tuple[str, str]:
    """The files of a case's input and output."""
    if len(files) == 2 and files[0] == _partner(files[1]):
        return files[0], files[1]  # as it nearly always is: -in comes before -out
    inputs = [file for file in files if file.endswith("-in.json")]
    outputs = [file for file in files if file.endswith("-out.json")]
    for side in (inputs, outputs):
        if len(side) > 1:
            names = " and ".join(visible(file) for file in side)
            said = f"{names} both claim to be case {visible(name.text)}"
            raise BrokenCase(said, Flaw.SAME_NAME, side[1])
    # One of either side at most, and no two that belong together.
    said = f"{visible(files[0])} is an orphan: there is no {visible(_partner(files[0]))}"
    raise BrokenCase(said, Flaw.ORPHAN, files[0])


def _partner(file: str) -> str:
    if file.endswith("-in.json"):
        return file.removesuffix("in.json") + "out.json"
    return file.removesuffix("out.json") + "in.json"


def bytes_of(folder: str, name: str) -> bytes:
    """The bytes of a regular file in a suite's folder. Raises BrokenCase."""
    # Plain calls of the system: this is done twice for every case.
    try:
        # Without waiting: a pipe of this name would keep us for ever.
        descriptor = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise BrokenCase(f"{visible(name)}: not a regular file", Flaw.UNREADABLE, name)
            text = os.read(descriptor, status.st_size + 1)
            # One byte more was asked for than came: that was all, where a size is told at all.
            if len(text) != status.st_size or not text:
                while more := os.read(descriptor, _MORE):
                    text += more
            return text
        finally:
            os.close(descriptor)
    except OSError as problem:
        dangling = os.path.islink(f"{folder}/{name}")
        why = "a link that leads nowhere" if dangling else _why(problem)
        raise BrokenCase(f"{visible(name)}: {why}", Flaw.UNREADABLE, name) from None


def _checked_input(stdin: _Side) -> list[Json]:
    try:
        return _values(stdin)
    except BrokenCase as problem:
        hint = f'if that is meant, declare input = "raw" in {SETTINGS_FILE}'
        said = f"{problem}; {hint}"
        raise BrokenCase(said, problem.flaw, problem.file, problem.position) from None


def _values(side: _Side, allow: Collection[str] = ()) -> list[Json]:
    values, fault = decode(side.text, allow=allow)
    if fault is not None:
        raise _not_json(side, fault, len(values))
    return values


def _not_json(side: _Side, fault: Fault, values: int) -> BrokenCase:
    # Imported where something is wrong.
    from harness.judging.explain import fault_text  # pylint: disable=import-outside-toplevel
    from harness.suites.positions import Position, position_at  # pylint: disable=import-outside-toplevel

    said = fault_text(side.text, fault, values=values, printed=False)
    found = position_at(side.text, fault.offset)
    position = found if side.line is None else Position(side.line, 1)
    return BrokenCase(f"{visible(side.name)} is {said}", Flaw.NOT_JSON, side.file, position)


def _why(problem: OSError) -> str:
    return (problem.strerror or "cannot be read").lower()
