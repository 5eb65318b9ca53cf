"""Mutants of correct outputs: which there are, and what they print."""

from __future__ import annotations

from support.golden import Golden

from harness.authoring.mutants import (
    MUTATORS,
    Mutant,
    OutputText,
    ReferenceOutput,
    mutants_of,
    mutated_values,
    reference_output,
    swap_case,
)
from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode
from harness.model.judgement import MISSING


def outputs_of(*texts: str) -> list[ReferenceOutput]:
    return [reference_output(decode(text.encode()).values, 0) for text in texts]


def find(what: str, outputs: list[ReferenceOutput], where: str = "") -> Mutant:
    (found,) = [each for each in mutants_of(outputs) if (each.where, each.what) == (where, what)]
    return found


VALUES = """
    null false true 0 -1 10 -2.5 1.0 1e2 1.5e1 0.0e0 2.0 1e999 -3.75 2147483647 2147483648
    9007199254740992 9007199254740993
    "" "a" "ab" "aB\u00e9" "n\u00e9" "-10" "0" "007" "+1" "\u00b2" "12" "9007199254740993"
    [] [1] [1,2] [1,2,3] [1,2,1,3] ["b",10,"a",9] [[1,[2]],3] {} {"a":1} {"a":[1]}
"""


def test_every_mutator_of_a_value(golden: Golden) -> None:
    values = decode(VALUES.encode()).values
    text = ""
    for what, mutate in MUTATORS.items():
        text += f"{what}\n"
        for value in values:
            mutated = mutate(value)
            shown = "(nothing)" if mutated is MISSING else encode(mutated)
            if shown != encode(value):
                text += f"    {encode(value)} => {shown}\n"
    golden("value_mutators.txt", text)
    long = decode(b"1" * 5_000 + b" " + b"1" * 400).values  # beyond int() and float()
    assert MUTATORS["plus 1"](long[0]) is long[0]
    assert MUTATORS["beyond 2^53 rounded to a double"](long[1]) == long[1]


def test_other_values_for_a_place_are_neighbours_and_the_simplest_of_each_type() -> None:
    simplest = ["null", "false", "true", "0", '""', '"a"', "[]", "{}"]
    for text, neighbours in {"5": ["6", "4"], "1.5": ["0", "0"], '"b"': ['"bx"']}.items():
        (value,) = decode(text.encode()).values
        assert [encode(other) for other in mutated_values(value)] == [*neighbours, *simplest]
    assert "null" not in [encode(other) for other in mutated_values(None)]
    assert '["a"]' in [encode(other) for other in mutated_values([])]
    assert [swap_case(text) for text in ("winner", "7")] == ["WINNER", "7_"]


def test_every_mutant_of_some_outputs(golden: Golden) -> None:
    suites = {
        "whole outputs": outputs_of("1 2 3", "3", "3"),
        "members": outputs_of('{"ok": false, "n": 1, "m": 2} 5', "[]", '{"ok": true}'),
        "words": outputs_of('"red"', '"blue"', '"red"', "null"),
        "elements": outputs_of('["a", 1, 2]', '["b", 3, 4]'),
        "lists": outputs_of("[[1, 2], []]", "[[3]]"),
    }
    left_out = MUTATORS.keys() - {"removed", "true and false swapped"}
    text = ""
    for name, outputs in suites.items():
        shown = " | ".join(
            each.printed.text.decode().replace("\n", " ").strip() for each in outputs
        )
        text += f"# {name}: {shown}\n"
        for mutant in mutants_of(outputs):
            is_of_whole = not mutant.where and name != "whole outputs"
            if is_of_whole or mutant.what in left_out:
                continue
            printed = [output.text.decode() for output in mutant.outputs.values()]
            shown = " | ".join(each.replace("\n", " ").strip() for each in printed)
            why = f"  ({mutant.unchanged_reason})" if mutant.unchanged_reason else ""
            text += f"{mutant.where or '(whole)'}  {mutant.what}: {shown}{why}\n"
    golden("mutants.txt", text)


def test_latin_1_is_printed_if_it_can_encode_the_text() -> None:
    outputs = outputs_of('"é"', '"√"')
    latin = find("prints Latin-1", outputs)
    assert latin.outputs[0].text == b'"\xe9"\n'
    assert latin.outputs[1] == outputs[1].printed


def test_exit_statuses_change() -> None:
    outputs = [reference_output([], 0), reference_output([], 255)]
    for what, statuses in (
        ("always exits with 0", [0, 0]),
        ("always exits with 1", [1, 1]),
        ("exits with a status one higher", [1, 0]),
    ):
        assert [find(what, outputs).outputs[number].status for number in (0, 1)] == statuses


def test_only_a_few_distinct_values_are_mistaken_for_each_other() -> None:
    many = outputs_of(*map(str, range(9)))
    assert not [each for each in mutants_of(many) if each.what == "1 for 0"]
    assert [each for each in mutants_of(many[:8]) if each.what == "1 for 0"]


def test_neighbours_are_swapped_only_where_both_are() -> None:
    apart = find("swapped with /y", outputs_of('{"x": 1}', '{"y": 2}', "3"), "/x")
    assert (apart.outputs, apart.unchanged_reason) == ({}, "")
    mixed = outputs_of('{"p": {"x": 1, "y": 2}} [{"p": {"x": 1}}, 7] {"p": [1]}', '{"p": 3}')
    swapped = find("swapped with /y", mixed, "/*/p/x")
    text = b'{"p":{"x":2,"y":1}}\n[{"p":{"x":1}},7]\n{"p":[1]}\n'
    assert swapped.outputs == {0: OutputText(text, 0)}
