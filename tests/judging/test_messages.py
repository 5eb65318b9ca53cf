"""Messages about errors in texts, differences, hints and standard error: golden tables."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden
from support.tables import comparison_of

from harness.jsonio.fast import decode
from harness.judging.array_diff import aligned_differences
from harness.judging.equality import differences
from harness.judging.explanation import (
    difference_text,
    fault_text,
    has_windows_line_ends,
    stderr_summary,
)
from harness.judging.hints import stream_hint
from harness.model.comparison import Comparison
from harness.text import escape_nonprintable


def explain(text: bytes, *, printed: bool = True) -> str:
    values, fault = decode(text)
    assert fault is not None, text
    return fault_text(text, fault, values=len(values), printed=printed)


def first_difference(pair: tuple[str, str]) -> str:
    expected, actual = (decode(text.encode()).values for text in pair)
    found = next(differences(expected, actual, Comparison()))
    return difference_text(found, alone=len(expected) <= 1 and len(actual) <= 1)


def hint(example: tuple[str, ...]) -> str:
    expected, actual = (decode(text.encode()).values for text in example[:2])
    comparison = comparison_of(*example[2:])
    found = tuple(aligned_differences(expected, actual, comparison))
    assert found
    return stream_hint(expected, actual, comparison, found)


def test_an_error_in_a_text_is_explained(golden: Golden) -> None:
    golden.table("faults.txt", explain)


def test_a_file_gets_no_hints_about_programs() -> None:
    for text in (b"Hello you", b"[1"):
        assert "(" not in explain(text, printed=False).partition("):")[2]
    assert "(JSON has no comments)" in explain(b"# one", printed=False)


@given(
    st.one_of(
        st.binary(max_size=80),
        st.text('[]{}",:\\ \n-+0.1eEtrufalsnNo\x1b\u202eé', max_size=60).map(str.encode),
        st.integers(1, 3_000).map(lambda number: b'{"' + b"k\xc3\xa9" * number + b'": 1, ' * 2),
    )
)
def test_a_message_about_any_text_is_short_and_printable(text: bytes) -> None:
    if decode(text).fault is not None:
        message = explain(text)
        assert len(message) <= 600
        assert escape_nonprintable(message) == message


def test_a_difference_is_explained(golden: Golden) -> None:
    golden.table("differences.txt", first_difference)


def test_a_hint_explains_all_differences(golden: Golden) -> None:
    golden.table("hints.txt", hint)


def test_the_cause_in_standard_error_is_summarized(golden: Golden) -> None:
    golden.table("stderr_summary.txt", stderr_summary)
    assert stderr_summary(b"x" * 9_999).endswith(f": {'x' * 199}…")


def test_windows_line_ends_are_recognized(golden: Golden) -> None:
    golden.table("windows_line_ends.txt", lambda s: str(has_windows_line_ends(s)))
