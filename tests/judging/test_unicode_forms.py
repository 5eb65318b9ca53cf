"""Unicode normal forms of long texts."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judging.strings import Form, normal_form

FORMS: list[Form] = ["NFC", "NFD", "NFKC", "NFKD"]
# Marks of several classes, precomposed letters, Hangul, ligatures.
LETTERS = "a\u0300\u0323\u0327\u0345é\u1e69ﬁ\uac01\u1100\u1161\u0f77"


@given(st.sampled_from(FORMS), st.text(st.sampled_from(LETTERS) | st.characters(codec="utf-8")))
def test_a_long_text_has_the_normal_form_of_the_standard_library(form: Form, text: str) -> None:
    # Long enough for our own sorting; "|" keeps the texts apart.
    repeated = "|".join([text] * (1_001 // (len(text) + 1) + 1)) + "|é"
    assert normal_form(form, repeated * 2) == normalize(form, repeated * 2)


@pytest.mark.parametrize("form", FORMS)
def test_a_long_run_of_marks_takes_linear_time(form: Form) -> None:
    # By insertion, this would take hours.
    text = "a" + "\u0300\u0323" * 300_000
    marks = "\u0323" * 300_000 + "\u0300" * 300_000
    assert normal_form(form, text) == normalize(form, "a" + marks)
