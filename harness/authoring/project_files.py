"""Make the files that `xtest init` writes: xtest.toml, and the schemas with which editors check it.

The xtest.toml is valid as it is, and with the comment signs removed. Schemas are copied into the
project, so that their path is the same on any machine, also offline. Source: docs/editors.md.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from harness.files import schemas_folder, write_in
from harness.model.case_names import CONFIG_FILE, SETTINGS_FILE

SCHEMAS_FOLDER: Final = ".xtest"
_SCHEMA_SUFFIX: Final = ".schema.json"
_PROGRAM_SCHEMAS: Final = ("-in", "-out")  # what the bundled programs read and print
_MOST_ON_ONE_LINE: Final = 3  # suites; more get a line each


def render_config(suites: Sequence[str], command: Sequence[str]) -> str:
    """Return the text of an xtest.toml; for empty arguments, it has examples in comments."""
    line = f"suites = {_format_suites(suites)}" if suites else '#suites = ["tests/cases"]'
    name = subject_name(command[0]) if command else "mine"
    sign = "" if command else "#"
    return _CONFIG_TEMPLATE.format(
        suites=line,
        head=f"{sign}[subjects.{toml_key(name)}]",
        command=f"{sign}command = {toml_list(command or ('python3', 'prog.py'))}",
    )


def subject_name(program: str) -> str:
    """Return a valid name for a subject, made from the name of its program."""
    base = program.rstrip("/").rpartition("/")[2]
    return re.sub("[^A-Za-z0-9_.+-]+", "-", base).lstrip(".+-")[:60] or "mine"


def _format_suites(words: Sequence[str]) -> str:
    if len(words) <= _MOST_ON_ONE_LINE:
        return toml_list(words)
    return "\n".join(("[", *(f"    {toml_value(word)}," for word in words), "]"))


def toml_list(words: Sequence[str]) -> str:
    return f"[{', '.join(map(toml_value, words))}]"


def toml_value(value: str | bool | Sequence[str]) -> str:
    # A JSON string is also a TOML string if U+007F is escaped, too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else toml_value(name)


_CONFIG_TEMPLATE: Final = """\
#:schema ./.xtest/xtest.schema.json
# The line above lets editors complete and check this file (docs/editors.md).

# The subjects (programs under test) of this project, for xtest (docs/subjects.md). xtest uses the
# nearest xtest.toml, in the current folder or above. Paths are relative to this file.

# The suites that `xtest run` and `xtest matrix` run by default: folders of cases, folders of such
# folders, or names of suites that come with xtest.
{suites}

# One table per subject. `xtest run --subject NAME` runs one; `xtest matrix` runs all of them.
{head}
# The program and its arguments. {{program}} stands for the program that the suite.toml of a suite
# names, {{suite}} for the name of the suite's folder, and {{suite_folder}} for its path.
{command}
# Its name in reports: any text.
#title = "Müller, Jörg"
# The folder it runs in; by default, the folder of this file.
#folder = "impl"
# (folders = "teams/*" in place of title, folder and known makes a subject of each such folder.)
# Globs on the files that it depends on, for --resume and --cached; by default, all in the folder.
#depends = ["src/**/*.py"]
# Environment variables to add to those of xtest.
#environment = {{ LANG = "C.UTF-8" }}
# Its language, for tables and reports.
#language = "Python"
# Its version, for results: a text, or a command that prints it.
#version = "1.0"
# A command to run once before the first case, in the same folder, and its time limit (600 s).
#build = ["make", "-s"]
#build_s = 60
# Limits that replace those of a suite.toml.
#limits = {{ wall_s = 20, memory_mib = 512 }}
# Words to select subjects by: --subject @reference
#tags = ["reference"]
# Globs on the names or paths of the suites that it serves; by default, all of them.
#suites = ["tests/cases/*"]
# The {{program}} for each suite, if it has several.
#programs = {{ "1-*" = "one/prog.py", "2-*" = "two/prog.py" }}
# How one process answers many cases; by default, each case gets a fresh process.
#session = "protocol"
# Accept that it skips cases in protocol sessions.
#may_skip = true
# The file of its known failures, which `xtest known` writes.
#known = "known/prog.toml"
# Cases that it does not claim to support: they are not run.
#skip = [{{ tag = "optional", reason = "not supported" }}]

# Settings of all suites here, with the keys of suite.toml.
#[defaults.limits]
#wall_s = 20
"""

# Schemas.


def format_names() -> list[str]:
    """Return the names of the file formats that have a schema."""
    names = (
        path.name.removesuffix(_SCHEMA_SUFFIX)
        for path in schemas_folder().glob(f"*{_SCHEMA_SUFFIX}")
    )
    return sorted(name for name in names if not name.endswith(_PROGRAM_SCHEMAS))


def format_schema(name: str) -> bytes:
    return (schemas_folder() / f"{name}{_SCHEMA_SUFFIX}").read_bytes()


def write_schemas() -> None:
    """Write the schemas of a project's files below the current folder. Raises OSError."""
    for name in (Path(CONFIG_FILE).stem, Path(SETTINGS_FILE).stem, "talk"):
        file = f"{SCHEMAS_FOLDER}/{name}{_SCHEMA_SUFFIX}"
        write_in(Path(), file, [format_schema(name)], lambda text: b'"$schema"' in text)


def schema_line(file: Path) -> str:
    """Return the comment by which editors find the schema of a TOML file, or "".

    The schema is looked up in the folder of the file and above.
    """
    folder = Path(os.path.abspath(file)).parent
    name = f"{file.stem}{_SCHEMA_SUFFIX}"
    for above in (folder, *folder.parents):
        if os.path.isfile(above / SCHEMAS_FOLDER / name):
            path = os.path.relpath(above / SCHEMAS_FOLDER / name, folder)
            return f"#:schema {path if path.startswith('../') else f'./{path}'}\n"
    return ""
