"""List a suite's folder, or its packed file, and read its suite.toml. Source: docs/suites.md.

Only names are kept, so that a suite of any size fits in memory; cases.py reads the cases.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import UsageError, os_reason
from harness.files import read_regular, schemas_folder
from harness.judging.annotations import with_schema_rules
from harness.judging.comparison_parser import ComparisonError, schema_in_file
from harness.judging.rules import tolerance_conflict
from harness.model.case_names import (
    CONFIG_FILE,
    PACKED_FILE,
    SETTINGS_FILE,
    CaseName,
    as_patterns,
    case_of_file,
    case_order,
    input_name,
    natural,
)
from harness.model.comparison import FILE_URI, PlaceRule
from harness.model.suite_info import GradingRule, SuiteInfo
from harness.suites.inheritance import (
    SettingsError,
    SettingsFile,
    deciding_file,
    inherited_folders,
    merged_settings,
    own_settings,
    settings_files,
)
from harness.suites.packed import PackedFile
from harness.suites.settings import (
    SuiteSettings,
    index_of,
    override_comparison,
    unmatched_patterns,
)
from harness.suites.shared_files import shared_files, unmatched_files
from harness.suites.strays import Strays, find_strays, likely_name, stray_messages, why_misnamed
from harness.text import escape_nonprintable, quote
from harness.tomlio.tables import TomlError

_ANNOTATION: Final = b'"x-'  # in the bytes of every schema with rules for comparing


class CorpusError(UsageError):
    """A folder that is not a suite, or a suite that cannot be used."""


class UnreadableSuite(CorpusError):
    """A folder or file that cannot be read."""


class Suite(NamedTuple):
    """A suite: its settings, and the files of each case or the packed file that holds them all.

    `faults` are messages about files that belong to no case, `sources` the files of its settings,
    `strays` the entries of its folder that are not read.
    """

    name: str
    folder: Path
    settings: SuiteSettings
    files: Mapping[CaseName, tuple[str, ...]]  # in natural order of the cases
    faults: tuple[str, ...] = ()
    packed: PackedFile | None = None
    sources: tuple[SettingsFile, ...] = ()
    strays: Strays = Strays({}, ())

    @property
    def names(self) -> Collection[CaseName]:
        """Its cases, broken ones too: in natural order, or in that of the lines of a packed suite,
        which are read on each pass."""
        return tuple(self.files) if self.packed is None else self.packed

    @property
    def name_texts(self) -> Iterator[str]:
        """The texts of its names, which those of a packed suite are read from."""
        packed = self.packed
        return (name.text for name in self.files) if packed is None else packed.name_texts()

    @property
    def shared_files(self) -> list[str]:
        """The paths of files that programs may read: of the suite, and of all its cases."""
        packed = self.packed.files if self.packed is not None else ()
        args = (word for command in self.settings.commands for word in command)
        commands = (escape(word) for word in args if not os.path.isabs(word))
        return shared_files(self.folder, (*self.settings.file_patterns, *packed, *commands))


def read_suite(name: str, folder: Path, *, inputs: bool = False) -> Suite:
    """Return the suite in a folder; with `inputs`, a folder without cases is a suite of its inputs.

    Inputs are its files *-in.json, or else all its files *.json except outputs and schemas. Raises
    CorpusError. Source: docs/compare.md.
    """
    with corpus_errors():
        entries = os.listdir(folder)
        sources = settings_files(folder)
        settings = _load_settings(sources, folder)
        packed = PackedFile(folder / PACKED_FILE) if PACKED_FILE in entries else None
    files = files_by_case(entries)
    if inputs and packed is None and not files:
        suite = _suite_of_inputs(name, folder, settings, entries)._replace(sources=sources)
        used = {file for files in suite.files.values() for file in files}
        strays = _find_strays(folder, settings, sources, set(entries) - used)
        return suite._replace(strays=strays, faults=(*stray_messages(strays),))
    if packed is not None and files:
        one = escape_nonprintable(next(iter(files.values()))[0])
        raise CorpusError(
            f"{escape_nonprintable(str(folder))}: cases both in {PACKED_FILE} and in files ({one});"
            " keep one of the two"
        )
    names = files if packed is None else packed
    with corpus_errors():
        _check_case_rules(settings, sources, names)
    others = [entry for entry in entries if case_of_file(entry) is None]
    strays = _find_strays(folder, settings, sources, others, packed, has_cases=bool(names))
    faults = (
        *stray_messages(strays),
        *_unmatched_rules(own_settings(sources), names),
        *_unmatched_files(folder, SETTINGS_FILE, settings.file_patterns),
        *_unmatched_files(folder, PACKED_FILE, packed.files if packed is not None else ()),
    )
    if not names:
        raise CorpusError(
            "; ".join((f"{escape_nonprintable(str(folder))}: no cases in this folder", *faults))
        )
    return Suite(name, folder, settings, files, faults, packed, sources, strays)


def files_by_case(
    entries: Iterable[str], case_of: Callable[[str], CaseName | None] = case_of_file
) -> dict[CaseName, tuple[str, ...]]:
    """Return the files of each case in a folder with these entries, in natural order of cases."""
    files: dict[CaseName, list[str]] = {}
    for entry in sorted(entries):
        case = case_of(entry)
        if case is not None:
            files.setdefault(case, []).append(entry)
    return {case: tuple(files[case]) for case in sorted(files, key=case_order)}


def _suite_of_inputs(
    name: str, folder: Path, settings: SuiteSettings, entries: Sequence[str]
) -> Suite:
    visible = [each for each in entries if each.endswith(".json") and not each.startswith(".")]
    schemas = (settings.input, settings.output)
    inputs = [file for file in visible if file.endswith("-in.json")]
    inputs = inputs or [
        file for file in visible if not file.endswith("-out.json") and file not in schemas
    ]
    if not inputs:
        raise CorpusError(f"{escape_nonprintable(str(folder))}: no inputs in this folder")

    def case_of(file: str) -> CaseName:
        return input_name(file.removesuffix("-in.json").removesuffix(".json"))

    return Suite(name, folder, settings, files_by_case(inputs, case_of))


@contextmanager
def corpus_errors() -> Iterator[None]:
    """Turn errors of the system and of suite.toml into CorpusErrors."""
    try:
        yield
    except OSError as problem:
        where = escape_nonprintable(str(problem.filename))
        raise UnreadableSuite(f"{where}: {os_reason(problem)}") from None
    except TomlError as problem:
        raise CorpusError(str(problem)) from problem


def read_settings(folder: Path) -> SuiteSettings:
    """Return the settings of a suite, with the schemas that they name.

    Raises OSError and TomlError.
    """
    return _load_settings(settings_files(folder), folder)


def collect_suite_info(suites: Iterable[Suite]) -> tuple[SuiteInfo, ...]:
    """Return the description of each suite for the first event of a run, without `selected`."""
    return tuple(
        SuiteInfo(
            suite=name,
            folder=str(suite.folder),
            title=suite.settings.title,
            program=suite.settings.program,
            points=suite.settings.grading.points,
            visibility=suite.settings.grading.visibility,
            worth=_grading_rules(suite),
            cases=len(suite.names),
        )
        for name, suite in {suite.name: suite for suite in suites}.items()
    )


def _load_settings(sources: Sequence[SettingsFile], folder: Path) -> SuiteSettings:
    """Return settings with the rules of the output schema and the schemas in other files."""
    settings = merged_settings(sources)
    comparison = settings.comparison
    with _errors_at(sources, "", 0, "input"):
        _schema_text(settings.input, folder, "input:")
    with _errors_at(sources, "", 0, "output"):
        schema = _schema_text(settings.output, folder, "output:")
        # Most schemas have no rules for comparing, and need not be parsed.
        if _ANNOTATION in schema:
            comparison = with_schema_rules(comparison, schema, settings.output)
    places = []
    for number, place in enumerate(comparison.at):
        with _errors_at(sources, "compare.at", number, "schema"):
            places.append(_with_schema(place, folder))
    rules = []
    for number, rule in enumerate(settings.rules):
        entries = dict(rule.compare or ())
        with _errors_at(sources, "cases", number, "compare"):
            if "at" in entries:
                entries["at"] = tuple(_with_schema(place, folder) for place in entries["at"])
                rule = rule._replace(compare=tuple(entries.items()))
        rules.append(rule)
    comparison = comparison._replace(at=tuple(places))
    return settings._replace(comparison=comparison, rules=tuple(rules))


def _check_case_rules(
    settings: SuiteSettings, sources: Sequence[SettingsFile], names: Iterable[CaseName]
) -> None:
    """Raise SettingsError if some cases have a comparison that is not decidable."""
    rules = settings.rules
    index, has_rules = index_of(rules), any(rule.compare for rule in rules)
    combinations = {
        tuple(number for number in index.numbers(name) if rules[number].compare)
        for name in (names if has_rules else ())
    }
    for numbers in sorted(combinations):
        comparison = settings.comparison
        for number in numbers:
            comparison = override_comparison(comparison, settings.rules[number])
            with _errors_at(sources, "cases", number, "compare"):
                if problem := tolerance_conflict(comparison):
                    raise ComparisonError(f"[[cases]] number {number + 1}: compare: {problem}")


@contextmanager
def _errors_at(
    sources: Sequence[SettingsFile], table: str, number: int, key: str
) -> Iterator[None]:
    """Turn an error of a comparison into one at a key of a suite's settings."""
    try:
        yield
    except ComparisonError as problem:
        file, number = deciding_file(sources, table, number, key) or (sources[-1], 0)
        place = (file.located(table), number, key)
        raise SettingsError(TomlError(str(problem), place), file) from None


def _with_schema(rule: PlaceRule, folder: Path) -> PlaceRule:
    if rule.schema is None:
        return rule
    name, _, fragment = rule.schema.file.partition("#")
    text = _schema_text(name, folder, "[compare]") if name else rule.schema.text.encode()

    def read(uri: str) -> bytes | None:
        file = uri.removeprefix(FILE_URI)
        candidates = (
            schema_bytes(referenced_file(file, each), each)
            for each in (folder / os.path.dirname(name), folder)
        )
        return next((data for data in candidates if data is not None), None)

    return rule._replace(schema=schema_in_file(text, name, fragment, read))


def _schema_text(name: str, folder: Path, where: str) -> bytes:
    """Return the schema that a key names, or b"" if it names none. Raises ComparisonError."""
    text = schema_bytes(name, folder) if name else b""
    if text is None:
        raise ComparisonError(
            f"{where} no schema {quote(name)} in the suite's folder or bundled with xtest"
        )
    return text


def find_schema(name: str, folder: Path) -> Path | None:
    """Return the file of a schema in the folder of a suite, or else a bundled one, or None."""
    for file in (folder / name, schemas_folder() / name):
        if os.path.isfile(file):  # reading a pipe might never end
            return file
    return None


def referenced_file(uri: str, folder: Path) -> str:
    """Return the name of the file that a schema in a folder means by a URI: its path, or its last
    part, since nothing is fetched from a network."""
    last = uri.replace(":", "/").rpartition("/")[2]
    names = (uri if ":" not in uri else last, last, f"{last}.schema.json")
    return next((each for each in names if find_schema(each, folder) is not None), last)


def schema_bytes(name: str, folder: Path) -> bytes | None:
    """Return a schema beside the suite or else bundled, or None if there is none."""
    file = find_schema(name, folder)
    with suppress(OSError):
        return None if file is None else read_regular(file)
    return None


def _find_strays(
    folder: Path,
    settings: SuiteSettings,
    sources: Sequence[SettingsFile],
    entries: Iterable[str],
    packed: PackedFile | None = None,
    *,
    has_cases: bool = False,
) -> Strays:
    patterns = (*settings.file_patterns, *(packed.files if packed is not None else ()))
    files = [os.path.relpath(file, folder) for file in shared_files(folder, patterns)]
    places = (place.schema.file for place in settings.comparison.at if place.schema is not None)
    schemas = (settings.input, settings.output, *(file.partition("#")[0] for file in places))
    args = (word for command in settings.commands for word in command)
    named = (*files, *filter(None, (*schemas, *args)))
    texts = [source.text for source in sources]
    strays = find_strays(folder, sorted(entries, key=natural), named, texts, has_cases=has_cases)
    return strays._replace(faults=strays.faults | _strays_above(folder))


def _strays_above(folder: Path) -> dict[str, str]:
    """Return misnamed settings files in the folders that the suite inherits from."""
    strays = {}
    for above in inherited_folders(folder):
        for entry in sorted(os.listdir(above)):
            if likely_name(entry) in (SETTINGS_FILE, CONFIG_FILE):
                strays[os.path.relpath(above / entry, folder)] = why_misnamed(above, entry)
    return strays


def _unmatched_rules(own: SuiteSettings, cases: Collection[CaseName]) -> Iterator[str]:
    """Yield messages for patterns of the suite's own file that have no effect."""
    matches = [rule.match for rule in own.rules] + [rule.match for rule in own.known]
    patterns = [pattern for match in matches for pattern in as_patterns(match)]
    for pattern in unmatched_patterns(patterns, cases) if cases else ():
        yield f"{SETTINGS_FILE}: match = {quote(pattern)} matches no case"


def _unmatched_files(folder: Path, where: str, patterns: Iterable[str]) -> Iterator[str]:
    for _, message in unmatched_files(folder, patterns):
        yield f"{where}: {message}"


def _grading_rules(suite: Suite) -> tuple[GradingRule, ...]:
    settings = suite.settings
    counts: Counter[int] = Counter()  # of cases, by the identity of the rule that sets their points
    if any(rule.points is not None for rule in settings.rules):
        counts.update(id(settings.deciding_rule(name, "points")) for name in suite.names)
    return tuple(
        GradingRule(
            rule.match, rule.points, rule.visibility, counts[id(rule)], bool(rule.all_or_nothing)
        )
        for rule in settings.rules
        if (rule.points, rule.visibility) != (None, None) or rule.all_or_nothing
    )
