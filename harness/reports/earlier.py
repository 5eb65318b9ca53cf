"""Recognise earlier reports by how they begin, as nothing else may be replaced by a new one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

# By format, or by the ending of a file in a folder.
_BEGINNINGS: Final = {
    "junit": rb'<\?xml version="1\.0" encoding="UTF-8"\?>\s*<testsuites',
    "json": rb'\{\s*"(format|schemaVersion|tests|output)": ?',
    "csv": rb"subject,suite,|team,(case|submitted),",
    "markdown": rb"## xtest: |# Test fest\n",
    "html": rb'(?s)<!DOCTYPE html>.*<meta name="referrer" content="no-referrer">\n<link rel="icon"',
    "tap": rb"TAP version 13\n",
    "gradescope": rb'\{\s*"tests": ?\[',
    "github": rb"::",
    "css": rb":root \{\n  --paper",
    "js": rb"// Parts that the scripts|xtest\.",
    "svg": rb'<svg xmlns="http://www\.w3\.org/2000/svg" width="[0-9]+" height="20" role="img"',
}


def earlier_output(kind: str) -> Callable[[bytes], bool]:
    """Return a function that tells from its beginning whether a file is an earlier output.

    `kind` is the name of a format, or of a file in the folder of a report.
    """
    beginning = re.compile(_BEGINNINGS[kind.rpartition(".")[2]])
    return lambda text: beginning.match(text) is not None
