"""The first xtest.toml of a project, as text: what `xtest init` writes.

Pure: suites and a command in, a commented file out, which the reader of config.py takes, also
with the comment signs removed; a test holds the two together. Source: docs/subjects.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

__all__ = ["first_config", "subject_name"]

_MANY: Final = 4  # suites that stand on lines of their own


def first_config(suites: Sequence[str], command: Sequence[str]) -> str:
    """A file with these suites and a subject with this command; of what there is none, an example
    stands in a comment."""
    found = f"suites = {_lines(suites)}" if suites else '#suites = ["tests/cases"]'
    name = subject_name(command[0]) if command else "mine"
    sign = "" if command else "#"
    return _TEXT.format(
        suites=found,
        head=f"{sign}[subjects.{_key(name)}]",
        command=f"{sign}command = {_list(command or ('python3', 'prog.py'))}",
    )


def subject_name(program: str) -> str:
    """A name for a subject, after its program: as much of it as a name may have."""
    base = program.rstrip("/").rpartition("/")[2]
    return re.sub("[^A-Za-z0-9_.+-]+", "-", base).lstrip(".+-")[:60] or "mine"


def _lines(words: Sequence[str]) -> str:
    if len(words) < _MANY:
        return _list(words)
    return "\n".join(("[", *(f"    {_text(word)}," for word in words), "]"))


def _list(words: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, words))}]"


def _text(word: str) -> str:
    # A text of TOML may be written as one of JSON; U+007F has to be escaped in addition.
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else f'"{name}"'


_TEXT: Final = """\
# The subjects of this project, for xtest (docs/subjects.md). xtest looks for this file in the folder
# that it is called from, and in those above it. Paths are relative to this file.

# What `xtest run` and `xtest matrix` take when they are told no suites: folders of cases, folders of
# such folders, or names of suites that come with xtest.
{suites}

# One table a subject. `xtest run --subject NAME` runs it; `xtest matrix` runs all of them.
{head}
# The program and its arguments, a text each. In them, {{program}} stands for the program that the
# suite.toml of a suite names, and {{suite}} for the name of the suite's folder.
{command}
# Where it runs; without this, the folder of this file.
#folder = "impl"
# Variables of its environment, beside those that xtest itself has.
#environment = {{ LANG = "C.UTF-8" }}
# For tables and reports.
#language = "Python"
# Run once before its first use, in the same folder; and the seconds that it may take (600).
#build = ["make", "-s"]
#build_s = 60
# What it may use, instead of what a suite.toml says.
#limits = {{ wall_s = 20, memory_mib = 512 }}
# Words by which several subjects are chosen: --subject @reference
#tags = ["reference"]
# The suites that it serves, as globs on their names or paths; without this, all of them.
#suites = ["tests/cases/*"]
"""
