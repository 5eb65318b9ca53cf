"""The names of subjects."""

from __future__ import annotations

from support.golden import Golden

from harness.model.events import Event, RunStarted
from harness.model.subject import SubjectInfo
from harness.project.identity import rename_subjects, shown_names


def test_a_subject_has_its_shortest_unambiguous_name(golden: Golden) -> None:
    def shown(names: list[str]) -> str:
        found = shown_names(SubjectInfo(name, ()) for name in names)
        assert list(found) == names
        return " | ".join(found.values())

    golden.table("short_names.txt", shown)


def test_a_title_is_shown_with_the_name_only_where_it_is_ambiguous() -> None:
    titles = {"a": "Müller, Jörg", "b": "Ng", "c": "Ng", "d": "", "e": "d"}
    shown = shown_names(SubjectInfo(name, (), title=title) for name, title in titles.items())
    assert [*shown.values()] == ["Müller, Jörg", "Ng (b)", "Ng (c)", "d", "d (e)"]


def test_a_renamed_subject_keeps_its_name_as_id() -> None:
    subjects = (SubjectInfo("a", (), title="Ng"), SubjectInfo("b", ()))
    event: Event = RunStarted("1", "", (), 0, 1, subjects=subjects)
    for _ in range(2):
        event = rename_subjects(event, {"a": "Ng", "Ng": "Ng 1.0"})
    assert isinstance(event, RunStarted)
    assert [(each.name, each.id) for each in event.subjects] == [("Ng 1.0", "a"), ("b", "")]
