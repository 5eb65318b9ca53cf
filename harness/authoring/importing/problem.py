"""Import problem packages of programming contests. Source: the problem package format (Kattis).

xtest compares JSON values: answers such as numbers, one or more to a line, are imported, other
texts are not.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

from harness.authoring.importing import records
from harness.authoring.project_files import toml_value

_SECRET: Final = "secret"
_HIDDEN: Final = 'visibility = "hidden"'
_VALIDATORS: Final = ("output_validators", "output_validator")
_GROUP_FILES: Final = ("testdata.yaml", "test_group.yaml")
_PASS_FAIL: Final = ("", "pass-fail", "default")  # types and validations that mean no more
_TIME_FILE: Final = ".timelimit"
_INI: Final = "domjudge-problem.ini"
# Files beside an input that change how its case is run.
_RUN_FILES: Final = {
    ".args": "has arguments for the program",
    ".files": "has files to read",
    ".interaction": "is a conversation",
}
_FLAGS: Final = ("validator_flags", "output_validator_flags", "output_validator_args")
# Keys of problem.yaml that say nothing of how a program is run or judged.
_TEXTS: Final = {
    "name", "uuid", "author", "authors", "credits", "source", "source_url", "license",
    "rights_owner", "keywords", "problem_format_version", "languages", "allow_file_writing",
    "constants", "embargo_until", "version",
}  # fmt: skip
_LIMITS: Final = {"time_limit": "wall_s", "memory": "memory_mib", "output": "output_mib"}
_INI_LINE: Final = re.compile(r"""^\s*([\w-]+)\s*=\s*(["']?)(.*?)\2\s*$""", re.MULTILINE)
_FLOAT_DEFAULT: Final = "float_tolerance 1e-7"
_DEFAULT_COMPARE: Final = ("", "compare", "float")  # the default validator, by DOMjudge's names
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")


Settings = dict[str, str]

_LINE: Final = re.compile(r"( *)([A-Za-z_][\w.-]*) *:(?: +(.*)|)")
_TABLE: Final = re.compile(r"\{([^{}\[\]]*)\}")
_BLOCK: Final = re.compile(r"[|>][-+0-9]*")  # begins a text of several lines
_UNCLOSED: Final = re.compile(r"\[[^\]]*|\{[^}]*")
_COMMENT: Final = re.compile(r"(^|\s)#.*$")
_TOLERANCE: Final = re.compile(
    r"float_(absolute_|relative_|)tolerance[= ]+([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"
)
_LIST: Final = re.compile(r"""[][,"']|(?:^|\s)-(?=\s)""")  # what YAML writes around elements
# Flags without a counterpart that are true of xtest anyway.
_CASE_FLAG: Final = re.compile(r"\bcase_sensitive\b")


def _read(source: Path) -> records.Imported:
    """Yield *.in with *.ans of a package, or of a folder of its data.

    A package whose answers only its own programs can judge is not imported.
    """
    is_package = (source / "problem.yaml").exists() or (source / "data").is_dir()
    top = source if is_package else source.parent
    settings = _read_settings(top, top / "problem.yaml")
    if isinstance(settings, records.NotImported):
        yield settings
        return
    ini = _read_ini(top)
    reasons = list(_reasons_against(settings, ini, top))
    yield from (records.NotImported("problem.yaml", reason) for reason in reasons)
    if reasons:
        return
    yield from (
        records.NotImported("problem.yaml", f"cannot be read: {key}: {value}")
        for key, value in settings.items()
        if _UNCLOSED.fullmatch(value)
    )
    yield from _limits(settings, ini.get("timelimit", ""), top)
    groups = yield from _read_groups(source)
    flags = next((settings[key] for key in _FLAGS if key in settings), "")
    flags = flags or ini.get("special_compare_args", "")
    if not flags and ini.get("special_compare") == "float":
        flags = _FLOAT_DEFAULT
    for path, where in records.relative_files(source, "*.ans"):
        if not path.with_suffix(".in").exists():
            yield records.NotImported(where, "has no .in")
    yield from _read_cases(source, {"": flags, **groups})


def _read_settings(top: Path, path: Path) -> Settings | records.NotImported:
    data = records.file_content(top, path, path.name)
    if isinstance(data, records.NotImported):
        return {} if not path.exists() else data
    return parse_settings(data.decode(errors="replace"))


def _read_ini(top: Path) -> Settings:
    """Return the settings of DOMjudge, which it reads beside problem.yaml."""
    data = records.file_content(top, top / _INI, _INI)
    if isinstance(data, records.NotImported):
        return {}
    return {line[1]: line[3] for line in _INI_LINE.finditer(data.decode(errors="replace"))}


def _reasons_against(settings: Settings, ini: Settings, top: Path) -> Iterator[str]:
    """Yield why a package cannot be judged without its own programs."""
    kinds = f"{settings.get('type', '')} {settings.get('validation', '')}"
    if "interactive" in kinds or ini.get("special_run"):
        yield "interactive: its inputs are for an interactor, which xtest does not run"
    if "multi-pass" in kinds or settings.get("limits.validation_passes", "1") not in ("", "1"):
        yield "multi-pass: its program runs several times, on what a validator prints"
    if "submit-answer" in kinds:
        yield "submit-answer: there is no program to run"
    has_own = any(any((top / each).glob("*")) for each in _VALIDATORS)
    has_own = has_own and "default" not in kinds
    if "custom" in kinds or has_own or ini.get("special_compare", "") not in _DEFAULT_COMPARE:
        yield "custom output validator: its answers are not the only correct ones"


def _limits(settings: Settings, seconds: str, top: Path) -> records.Imported:
    """Yield the limits of the package, and the settings that have no counterpart."""
    whole = records.file_content(top, top / _TIME_FILE, "")
    if not seconds and isinstance(whole, bytes):
        seconds = whole.decode(errors="replace").strip()
    limits = {_LIMITS["time_limit"]: seconds} if _is_limit(seconds) else {}
    for key, value in settings.items():
        group, _, name = key.rpartition(".")
        if group == "limits" and name in _LIMITS and _is_limit(value):
            limits[_LIMITS[name]] = value
        elif key in ("type", "validation") and value in _PASS_FAIL:
            continue
        elif key.partition(".")[0] not in _TEXTS and key not in _FLAGS and value:
            if key != "limits.validation_passes":
                yield records.NotImported("problem.yaml", f"{key}: {value}")
    lines = [f"{name} = {value}" for name, value in limits.items()]
    if lines:
        yield records.SuiteLines(("[limits]", *lines))


def _is_limit(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and float(text) > 0


def _read_groups(source: Path) -> Generator[records.NotImported, None, dict[str, str]]:
    """Yield settings of folders that are not imported; return validator flags, by folder."""
    groups: dict[str, str] = {}
    for name in _GROUP_FILES:
        for path, where in records.relative_files(source, name):
            settings = _read_settings(source, path)
            if isinstance(settings, records.NotImported):
                yield settings._replace(where=where)
                continue
            for key, value in settings.items():
                if key in _FLAGS:
                    groups[where.rpartition("/")[0]] = value
                elif value:
                    yield records.NotImported(where, f"{key}: {value}")
    return groups


def _read_cases(source: Path, groups: dict[str, str]) -> records.Imported:
    own_name = source.resolve().name
    for path, where in records.relative_files(source, "*.in"):
        lost = next((why for end, why in _RUN_FILES.items() if path.with_suffix(end).exists()), "")
        stdin = records.file_content(source, path, where)
        answer = path.with_suffix(".ans")
        expected = records.file_content(
            source, answer if answer.exists() else path.with_suffix(".out"), where
        )
        if isinstance(stdin, records.NotImported):
            yield stdin
        elif isinstance(expected, records.NotImported):
            yield records.NotImported(where, "has no .ans or .out")
        elif lost:
            yield records.NotImported(where, lost)
        elif not records.is_json(expected):
            has_mark = expected.startswith(BOM_UTF8)
            note = "; it begins with a byte order mark" * has_mark
            yield records.NotImported(where, f"its answer is not a sequence of JSON values{note}")
        else:
            description, lines = yield from _own_settings(source, path, where, groups)
            yield records.ImportedCase(
                records.identity_of(where),
                stdin,
                expected,
                title=where,
                description=description,
                settings=(
                    *(() if records.is_json(stdin) else (records.RAW,)),
                    *((_HIDDEN,) if _SECRET in [*where.split("/")[:-1], own_name] else ()),
                    *lines,
                ),
                key=where,
            )


def _own_settings(
    source: Path, path: Path, where: str, groups: dict[str, str]
) -> Generator[records.NotImported, None, tuple[str, tuple[str, ...]]]:
    """Yield settings of a case that are not imported; return its description, and its lines of
    suite.toml."""
    flags = _flags_for(where, groups)
    advice: tuple[str, ...] = ()
    note = records.file_content(source, path.with_suffix(".desc"), where)
    description = note.decode(errors="replace").strip() if isinstance(note, bytes) else ""
    own = _read_settings(source, path.with_suffix(".yaml"))
    for key, value in ({} if isinstance(own, records.NotImported) else own).items():
        if key in _FLAGS:
            flags = value
        elif key == "hint" and value:
            advice = (f"hint = {toml_value(value)}",)
        elif key == "description":
            description = value
        elif value:
            yield records.NotImported(f"{where.removesuffix('.in')}.yaml", f"{key}: {value}")
    compare, unknown = tolerance_of(flags)
    if unknown:
        yield records.NotImported(where, f"the validator flags {unknown}")
    return description, (*compare, *advice)


def _flags_for(where: str, groups: dict[str, str]) -> str:
    """Return the flags of the nearest folder that sets them."""
    folder = where.rpartition("/")[0]
    while folder and folder not in groups:
        folder = folder.rpartition("/")[0]
    return groups.get(folder, "")


# The part of YAML that the settings of a package use: a key is on a line of its own, or inside the
# key above it or a table in braces, from which its name is dotted. Values are texts; lists and
# texts of several lines are kept as one text.


def parse_settings(text: str) -> Settings:
    """Return the values of a file by their dotted keys."""
    settings: Settings = {}
    around: list[tuple[int, str]] = []  # the indentation of each key around, and its name
    last = ""
    for line in text.splitlines():
        line = _COMMENT.sub("", line).rstrip()
        match = _LINE.fullmatch(line)
        if match is None:
            if last and line.strip() not in ("", "---", "..."):
                settings[last] = f"{settings[last]} {line.strip()}".strip()
            continue
        indent = len(match[1])
        while around and around[-1][0] >= indent:
            around.pop()
        around.append((indent, match[2]))
        last = ".".join(name for _, name in around)
        value = (match[3] or "").strip()
        inside = _TABLE.fullmatch(value)
        settings[last] = "" if inside or _BLOCK.fullmatch(value) else value.strip("'\"")
        for each in inside[1].split(",") if inside else ():
            key, _, value = each.partition(":")
            settings[f"{last}.{key.strip()}"] = value.strip().strip("'\"")
    return settings


def tolerance_of(flags: str) -> tuple[tuple[str, ...], str]:
    """Return the comparison that flags of the default validator ask for, and the flags left."""
    amounts: dict[str, str] = {}
    flags = _LIST.sub(" ", flags)
    for kind, amount in _TOLERANCE.findall(flags):
        for name in (kind.rstrip("_"),) if kind else ("absolute", "relative"):
            amounts[name] = amount
    left = " ".join(_CASE_FLAG.sub("", _TOLERANCE.sub("", flags)).split())
    if not amounts:
        return (), left
    table = ", ".join(f"{name} = {_toml_number(amount)}" for name, amount in amounts.items())
    return (f"compare.numbers = {{ {table} }}",), left


def _toml_number(amount: str) -> str:
    """Return a number as TOML spells it: with a digit after the point."""
    return re.sub(r"\.(?![0-9])", ".0", amount)


PROBLEM: Final = records.Importer(
    "problem",
    "a problem package of a programming contest (Kattis, ICPC), or a folder of its data",
    "an `.in` file with its `.ans` or `.out`, if the answer is a sequence of JSON values, such as"
    " numbers; cases in `secret` are [hidden](suites.md#grading). Limits and tolerances come from"
    " problem.yaml, domjudge-problem.ini and test groups; other settings are listed. Not imported:"
    " interactive and multi-pass packages, and those with their own output validator",
    "",
    _read,
)
