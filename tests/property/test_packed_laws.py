"""Laws of packed suites: what is packed is unpacked, whatever a file holds and is called."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.suites.naming import case_file
from harness.suites.packed import PackedCase, PackedError, line_of, name_in, parse_line

NUMBERS = st.from_regex(r"\A[0-9]{1,6}\Z")
# Every name that a file can have: bytes but for the slash and NUL, as Python's paths carry them.
PREFIXES = st.binary(min_size=1, max_size=100).map(
    lambda data: data.translate(None, b"/\0").decode("utf-8", "surrogateescape")
)
LABELS = st.one_of(
    NUMBERS,
    st.tuples(PREFIXES, NUMBERS).map("-".join).filter(lambda label: label[0] not in ".-"),
)
CONTENTS = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(str.encode),
    st.sampled_from([b"", b"\n", b"[1]\r\n", b'"\\ud83d\\ude00"', b"\xef\xbb\xbf1", b"1\x00"]),
)
CASES = st.builds(PackedCase, LABELS, CONTENTS, CONTENTS)


@given(CASES)
@settings(deadline=None)
def test_reading_after_writing_is_the_identity(case: PackedCase) -> None:
    """A line says its case, byte for byte, in one line of ASCII; its beginning says its name."""
    line = line_of(case)
    assert parse_line(line) == case
    assert line.isascii() and line.index(b"\n") == len(line) - 1
    side = case_file(f"{case.label}-in.json")
    assert side is not None and side.name == name_in(line) == case.name


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
@example(b'{"case":"1","in":{"text":"a"},"out":{"base64":"YQ=="}}')
@settings(deadline=None)
def test_whatever_a_line_holds_it_is_a_case_or_refused(line: bytes) -> None:
    """A line is read, or PackedError is raised; what is read is written and read the same."""
    try:
        case = parse_line(line)
    except PackedError:
        return
    assert parse_line(line_of(case)) == case
    assert name_in(line) == case.name


@given(CASES, st.data())
@settings(deadline=None)
def test_no_part_of_a_line_is_a_case(case: PackedCase, data: st.DataObject) -> None:
    """A line that was cut off is refused: it never passes for another case."""
    line = line_of(case).rstrip(b"\n")
    cut = data.draw(st.integers(0, len(line) - 1))
    try:
        parse_line(line[:cut])
    except PackedError:
        return
    raise AssertionError(f"accepted: {line[:cut]!r}")
