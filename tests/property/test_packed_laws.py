"""Laws of packed lines: every file and name survives a round trip."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from harness.model.case_names import CaseName, case_of_file, input_name
from harness.suites.packed import (
    PackedCase,
    PackedError,
    format_line,
    parse_line,
    peek_name,
    why_not_a_name,
)

NUMBERS = st.from_regex(r"\A[0-9]{1,6}\Z")
# File names: bytes without slash and NUL, as Python decodes paths.
PREFIXES = st.binary(min_size=1, max_size=100).map(
    lambda data: data.translate(None, b"/\0").decode("utf-8", "surrogateescape")
)
LABELS = st.one_of(
    NUMBERS,
    st.tuples(PREFIXES, NUMBERS)
    .map("-".join)
    .filter(lambda label: label[0] not in ".-" and not why_not_a_name(label)),
)
CONTENTS = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(str.encode),
    st.sampled_from([b"", b"\n", b"[1]\r\n", b'"\\ud83d\\ude00"', b"\xef\xbb\xbf1", b"1\x00"]),
)
CASES = st.builds(PackedCase, LABELS, CONTENTS, CONTENTS, st.none(), st.just(False))


@given(CASES)
def test_a_case_survives_a_round_trip(case: PackedCase) -> None:
    line = format_line(case)
    assert parse_line(line) == case
    assert line.isascii() and line.index(b"\n") == len(line) - 1
    assert case_of_file(f"{case.label}-in.json") == peeked(line) == case.name


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
@example(b'{"case":"1","in":{"text":"a"},"out":{"base64":"YQ=="}}')
def test_any_line_is_a_case_or_rejected(line: bytes) -> None:
    try:
        case = parse_line(line)
    except PackedError:
        return
    assert parse_line(format_line(case)) == case
    assert peeked(line) == case.name


def peeked(line: bytes) -> CaseName:
    return input_name(peek_name(line).decode("utf-8", "surrogateescape"))
