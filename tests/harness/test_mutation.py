"""Which faults are put on answers, and what is printed then."""

from __future__ import annotations

from harness.care.mutation import Answer, Fault, answer, faults
from harness.jsonfast import decode


def answers(*texts: str) -> list[Answer]:
    """Right answers, each written as its values, with exit status 0."""
    return [answer(decode(text.encode()).values, 0) for text in texts]


def fault(what: str, right: list[Answer], where: str = "") -> Fault:
    """The one fault of that name at that place."""
    (found,) = [each for each in faults(right) if (each.where, each.what) == (where, what)]
    return found


def printed(what: str, *texts: str, where: str = "") -> list[str]:
    """What is printed with a fault, answer by answer; of those that have no such place, nothing."""
    found = fault(what, answers(*texts), where)
    return [found.put(number).text.decode() for number in found.answers]


def test_the_answer_as_a_whole_may_be_anothers() -> None:
    right = ("1 2", "3", "3")
    assert printed("always prints the most common answer", *right) == ["3\n"] * 3
    assert printed("always prints the first case's answer", *right) == ["1\n2\n"] * 3
    assert printed("prints the answer of the case before", *right) == ["3\n", "1\n2\n", "3\n"]


def test_values_of_the_stream_are_dropped_doubled_reordered_and_cut() -> None:
    expected = {
        "prints nothing": "",
        "prints an empty array only": "[]\n",
        "prints null only": "null\n",
        "the first value is dropped": "2\n3\n",
        "the second value is dropped": "1\n3\n",
        "the last value is dropped": "1\n2\n",
        "the first value comes twice": "1\n1\n2\n3\n",
        "the last value comes twice": "1\n2\n3\n3\n",
        "every value comes twice": "1\n1\n2\n2\n3\n3\n",
        "the first two values are swapped": "2\n1\n3\n",
        "the values come in reverse": "3\n2\n1\n",
        "every value is the first one again": "1\n1\n1\n",
        "all values come in one array": "[1,2,3]\n",
        "a null follows": "1\n2\n3\nnull\n",
        "stops after 1 value": "1\n",
        "stops after 2 values": "1\n2\n",
        "stops after 5 values": "1\n2\n3\n",
        "the last character is cut": "1\n2\n",
        "only the first half is printed": "1\n2",
        "a line for people comes first": "ready\n1\n2\n3\n",
        "printed as Latin-1": "1\n2\n3\n",
    }
    assert {what: printed(what, "1 2 3")[0] for what in expected} == expected


def test_a_text_that_latin_1_does_not_have_is_printed_as_it_is() -> None:
    right = answers('"é"', '"√"')
    latin = fault("printed as Latin-1", right)
    assert latin.put(0).text == b'"\xe9"\n'
    assert latin.put(1) == right[1].printed


def test_the_exit_status_may_be_another() -> None:
    right = [answer([], 0), answer([], 255)]
    for what, statuses in (
        ("the exit status is always 0", [0, 0]),
        ("the exit status is always 1", [1, 1]),
        ("the exit status is one more", [1, 0]),
    ):
        assert [fault(what, right).put(number).status for number in (0, 1)] == statuses


def test_a_fault_at_a_place_is_the_same_in_every_answer_that_has_it() -> None:
    right = ('{"ok": false}', "[]", '{"ok": true} 5')
    flipped = "false for true, true for false"
    assert fault(flipped, answers(*right), "/*/ok").answers == (0, 2)
    assert printed(flipped, *right, where="/*/ok") == ['{"ok":true}\n', '{"ok":false}\n5\n']


def test_a_member_may_be_left_out_or_called_otherwise() -> None:
    right = ('{"ok": false, "n": 1}',)
    assert printed("left out", *right, where="/*/ok") == ['{"n":1}\n']
    assert printed('called "OK"', *right, where="/*/ok") == ['{"OK":false,"n":1}\n']
    assert printed('called "OK"', '{"ok":1} 7', "7", where="/*/ok") == ['{"OK":1}\n7\n']


def test_whole_values_and_all_elements_are_not_left_out_a_second_time() -> None:
    places = {each.where for each in faults(answers("[1]", "[2, 3]")) if each.what == "left out"}
    assert places == set()
    places = {each.where for each in faults(answers('["a", 1]', '["b", 1]'))}
    assert places == {"", "/0", "/0/0", "/0/1"}


def test_of_few_values_each_is_taken_for_the_next() -> None:
    right = ('"red"', '"blue"', '"red"', "null")
    assert printed('"blue" for "red"', *right, where="/0") == ['"blue"\n'] * 3 + ["null\n"]
    assert printed('"red" for null', *right, where="/0")[3] == '"red"\n'
    assert printed('always "red"', *right, where="/0") == ['"red"\n'] * 4
    many = [str(number) for number in range(9)]
    assert not [each for each in faults(answers(*many)) if each.what == "1 for 0"]


def test_what_is_no_word_is_not_taken_for_another() -> None:
    right = ("[1]", "[]", "[]")
    assert printed("always []", *right, where="/0") == ["[1]\n", "[]\n", "[]\n"]
    assert fault("always []", answers(*right), "/0").alike == ""


def test_neighbours_of_one_kind_are_swapped() -> None:
    right = ('{"x": 1, "c": "A", "y": 2}', '{"x": 3, "c": "B"}')
    swapped = fault("swapped with /y", answers(*right), "/0/x")
    assert swapped.answers == (0,)
    assert swapped.put(0).text == b'{"x":2,"c":"A","y":1}\n'
    assert swapped.alike == "the two are equal in all answers (1 case)"
    assert printed("swapped with /1", "[1, 2]", "[3, 4]", where="/0/0") == ["[2,1]\n", "[4,3]\n"]


def test_neighbours_that_never_stand_together_are_not_swapped() -> None:
    right = answers('{"x": 1}', '{"y": 2}', "3")
    swapped = fault("swapped with /y", right, "/0/x")
    assert (swapped.answers, swapped.alike) == ((), "")
    mixed = answers('{"p": {"x": 1, "y": 2}}', '{"p": [5]}', '{"p": {"x": 3}}')
    assert fault("swapped with /y", mixed, "/0/p/x").answers == (0,)


def test_a_change_of_one_key_leaves_other_kinds_at_the_place_alone() -> None:
    right = ('{"p": {"x": 1, "y": 2}} [{"p": {"x": 1}}, 7] {"p": [1]}', '{"p": 3}')
    assert printed("swapped with /y", *right, where="/*/p/x") == [
        '{"p":{"x":2,"y":1}}\n[{"p":{"x":1}},7]\n{"p":[1]}\n'
    ]
    assert printed('called "X"', *right, where="/*/p/x") == [
        '{"p":{"X":1,"y":2}}\n[{"p":{"x":1}},7]\n{"p":[1]}\n'
    ]


def test_what_never_varies_is_told_by_the_fault_that_always_prints_it() -> None:
    right = answers('{"ok": true}', '{"ok": true}')
    assert fault("always true", right, "/0/ok").alike == (
        "nothing else stands there in any answer (2 cases)"
    )
    whole = fault("always prints the most common answer", right)
    assert whole.alike == "all answers are alike (2 cases)"


def test_the_same_answers_get_the_same_faults_in_the_same_order() -> None:
    right = answers('{"a": [1, 2], "b": "x"}', '{"a": [], "b": "y"} null')
    first, second = ([(each.where, each.what) for each in faults(right)] for _ in "ab")
    assert first == second
    assert len(set(first)) == len(first)


def test_without_answers_there_are_no_faults() -> None:
    assert not list(faults([]))
