"""The error object, as a value."""

from __future__ import annotations

from harness.jsontext import PROGRAM_DEPTH, Decoder, Fault
from xtests.refusal import (
    EVERYTHING,
    Kind,
    Offset,
    Pointer,
    Refused,
    element,
    incomplete,
    malformed,
)


def test_the_kinds_are_those_of_the_contract() -> None:
    assert {kind.value for kind in Kind} == {
        "malformed-json",
        "incomplete-input",
        "invalid-spec",
        "illegal-move",
    }


def test_a_place_among_the_values_is_printed_as_a_pointer() -> None:
    refusal = Refused(Kind.ILLEGAL_MOVE, Pointer("/2"), "why")
    assert refusal.error_object() == {
        "error": {"kind": "illegal-move", "at": "/2", "message": "why"}
    }


def test_a_place_in_the_text_is_printed_as_a_byte_even_where_it_is_0() -> None:
    refusal = Refused(Kind.MALFORMED_JSON, Offset(0), "why")
    assert refusal.error_object() == {
        "error": {"kind": "malformed-json", "at": {"byte": 0}, "message": "why"}
    }


def test_pointers_are_built_element_by_element() -> None:
    assert element(element(element(EVERYTHING, 0), 12), 3) == "/0/12/3"


def test_a_refusal_reads_as_its_message() -> None:
    assert str(Refused(Kind.INVALID_SPEC, Pointer("/0"), "why")) == "why"


def test_a_fault_of_the_text_keeps_its_offset() -> None:
    refusal = malformed(Fault(7, "a value expected, found 'x'"))
    assert refusal.kind is Kind.MALFORMED_JSON
    assert refusal.at == 7
    assert refusal.message == "a value expected, found 'x', at byte 7 of the input"


def test_a_value_cut_off_is_at_the_length_of_the_text() -> None:
    decoder = Decoder(PROGRAM_DEPTH)
    decoder.feed(b' [22,90,"C')
    decoder.close()
    assert decoder.fault is not None
    refusal = malformed(decoder.fault)
    assert refusal.at == 10
    assert refusal.message == "the text ends inside a string, at byte 10 of the input"


def test_a_missing_value_is_at_the_place_where_it_belongs() -> None:
    refusal = incomplete(1, "a turn")
    assert refusal.kind is Kind.INCOMPLETE_INPUT
    assert refusal.at == "/1"
    assert refusal.message == "a turn expected at /1, but the input ends there"
