"""The names of subjects."""

from __future__ import annotations

from support.golden import Golden

from harness.project.identity import short_names


def test_a_subject_is_shown_as_short_as_no_other_one(golden: Golden) -> None:
    def shown(names: list[str]) -> str:
        found = short_names(names)
        assert list(found) == names
        return " | ".join(found.values())

    golden.table("short_names.txt", shown)
