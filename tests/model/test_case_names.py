"""File names taken apart, natural order, and the patterns that select cases."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from support.golden import Golden

from harness.model.case_names import (
    CaseName,
    case_of_file,
    exact_texts,
    input_name,
    natural,
    parse_range,
    pattern_of,
    selects,
)
from harness.suites.strays import likely_name

NAMES = st.builds(
    CaseName,
    st.text(st.characters(exclude_characters="/\0"), max_size=6).filter(lambda t: t[:1] != "."),
    st.integers(0, 10**12),
)


def test_a_file_name_gives_its_case_and_side(golden: Golden) -> None:
    def described(file_name: str) -> str:
        case = case_of_file(file_name)
        if case is None:
            return "looks like a side" if likely_name(file_name) is not None else "another file"
        assert likely_name(file_name) is None
        return f"{'input' if file_name.endswith('-in.json') else 'output'} of {case}"

    golden.table("case_names.txt", described)


def test_natural_order_compares_numbers_by_value() -> None:
    long = "1" * 5_000  # more digits than int() takes
    ordered = ["", "1", "2", "10", "100", long, long + "0"]
    ordered += ["a", "a1", "a02", "a2", "a10", "a10b", "b", "٣"]
    assert sorted(reversed(ordered), key=natural) == ordered


@given(st.text(max_size=8), st.text(max_size=8))
def test_natural_order_is_total(left: str, right: str) -> None:
    """Only equal texts have equal keys, and any two keys can be compared."""
    assert (natural(left) == natural(right)) == (left == right)
    assert (natural(left) < natural(right)) != (natural(left) >= natural(right))


def test_a_range_is_one_number_or_two(golden: Golden) -> None:
    golden.table("ranges.txt", lambda text: str(parse_range(text)))


def test_a_pattern_is_a_range_or_a_glob(golden: Golden) -> None:
    texts = ("7", "40", "bad-7", "bad-40", "7-40", "game*one")
    cases = [input_name(text) for text in texts]

    def selected(pattern: str) -> str:
        return " ".join(case.text for case in cases if selects(pattern, case))

    golden.table("selected.txt", selected)


PATTERNS = st.text("a07-*?[] ~,!", max_size=6) | NAMES.map(pattern_of)


@given(PATTERNS, NAMES | st.text("a07-*?[] ~,!", min_size=1, max_size=6).map(input_name))
@example("07", CaseName("", 7))
def test_an_exact_pattern_matches_only_the_case_with_its_text(pattern: str, name: CaseName) -> None:
    texts = exact_texts(pattern)
    assert name.text in (exact_texts(pattern_of(name)) or (name.text,))
    assert selects(pattern_of(name), name)
    assert selects(name.text, name)
    if texts is not None:
        assert selects(pattern, name) == (name.text in texts)


@given(NAMES, st.booleans())
def test_a_name_survives_being_a_file_name(name: CaseName, is_input: bool) -> None:
    """The file that a name's text makes is a side of just that case."""
    file_name = f"{name.text}-{'in' if is_input else 'out'}.json"
    assert case_of_file(file_name) == name
