"""Collect what the site shows of each case: the answers of all subjects, side by side.

Bounded: texts are cut, and outputs are left out once their sum reaches a budget.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case import Case, CaseInfo
from harness.model.case_names import natural
from harness.model.events import Event, Excerpt, Judged
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.suites.cases import read_case
from harness.suites.loading import CorpusError, read_suite
from harness.text import escape_nonprintable, first_bytes, shell_line, shorten

_TEXT: Final = 2_000  # characters of an input or output
_MESSAGE: Final = 300
_BUDGET: Final = 64 * 1024 * 1024  # characters of all outputs


class SiteCase(NamedTuple):
    """A case: what suite.toml says about it, its texts, and the answer of each subject.

    An answer has the keys `m` (message), `o` (output), `k` (known failure) and `x` (command).
    """

    info: CaseInfo
    tags: tuple[str, ...]
    texts: tuple[str, str]  # input and expected output, as far as they are known
    answers: dict[str, dict[str, str]]


class CaseAnswers:
    """The cases of all suites, from one pass through the events."""

    def __init__(self) -> None:
        self._cases: dict[str, dict[str, SiteCase]] = {}
        self._left = _BUDGET

    def noting(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield all events, and keep what the site shows of the runs among them."""
        for event in events:
            if isinstance(event, Judged):
                self._add(event)
            yield event

    def of(self, suite: str) -> dict[str, SiteCase]:
        """Return the cases of a suite in natural order."""
        cases = self._cases.get(suite, {})
        return {name: cases[name] for name in sorted(cases, key=natural)}

    def _add(self, event: Judged) -> None:
        cases = self._cases.setdefault(event.suite, {})
        case = cases.get(event.case) or SiteCase(CaseInfo(), (), ("", ""), {})
        case = case._replace(info=event.info or case.info, tags=event.tags or case.tags)
        seen = event.evidence
        if seen is not None and not any(case.texts):
            case = case._replace(texts=(_text(seen.stdin), _text(seen.expected)))
        if event.verdict is not Verdict.PASSED and event.subject not in case.answers:
            case.answers[event.subject] = self._answer(event)
        cases[event.case] = case

    def _answer(self, event: Judged) -> dict[str, str]:
        answer = {"m": shorten(event.message, _MESSAGE)}
        if event.delivery != Delivery.PLAIN.value:
            answer["m"] = f"({event.delivery}) {answer['m']}"
        if event.known is not None:
            answer["k"] = escape_nonprintable(event.known.reason)
        if event.repeat:
            answer["x"] = shell_line(event.repeat)
        seen = event.evidence
        if seen is not None and event.verdict is not Verdict.NOT_STARTED and self._left > 0:
            answer["o"] = _text(seen.stdout)
            self._left -= len(answer["o"])
        return answer


def case_texts(about: SuiteInfo | None, cases: Mapping[str, SiteCase]) -> dict[str, SiteCase]:
    """Return the cases with the texts of their files, if this machine has the suite."""
    texts: dict[str, tuple[str, str]] = {}
    with suppress(CorpusError, OSError):
        folder = (about.folder if about is not None else "") or os.devnull
        suite = read_suite(about.suite if about is not None else "", Path(folder))
        for at, name in enumerate(suite.names):
            if name.text in cases and not any(cases[name.text].texts):
                case = read_case(suite, name, at)
                if isinstance(case, Case):
                    sides = (case.stdin, case.expected_text)
                    texts[name.text] = _text_of(sides[0]), _text_of(sides[1])
    return {name: case._replace(texts=texts.get(name, case.texts)) for name, case in cases.items()}


def _text(excerpt: Excerpt) -> str:
    return _cut(excerpt.data, excerpt.total)


def _text_of(data: bytes) -> str:
    return _cut(data, len(data))


def _cut(data: bytes, total: int) -> str:
    kept = first_bytes(data, _TEXT)
    text = kept.decode("utf-8", "backslashreplace").removesuffix("\n")
    shown = "\n".join(map(escape_nonprintable, text.split("\n")))[:_TEXT]
    return shown if len(kept) == total else f"{shown} ... ({total:,} bytes)"


def entry_of(case: SiteCase, subjects: Iterable[str]) -> list[Any]:
    """Return the details of a case for the script, with the answers by number of the subject."""
    numbers = {subject: number for number, subject in enumerate(subjects)}
    answers = {numbers[name]: answer for name, answer in case.answers.items() if name in numbers}
    info = [*map(escape_nonprintable, case.info)]
    return [info, [*map(escape_nonprintable, case.tags)], [*case.texts], answers]
