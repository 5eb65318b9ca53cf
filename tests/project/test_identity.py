"""The names of subjects."""

from __future__ import annotations

from support.golden import Golden

from harness.project.identity import short_names


def test_a_subject_has_its_shortest_unambiguous_name(golden: Golden) -> None:
    def shown(names: list[str]) -> str:
        found = short_names(names)
        assert list(found) == names
        return " | ".join(found.values())

    golden.table("short_names.txt", shown)
