"""The findings of `xtest doctor`, on imitations of other machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.process.diagnosis import accounting, diagnose, user_namespaces

TOP = {"cgroup.controllers": ""}


def imitate(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    return folder


@pytest.mark.parametrize(
    ("groups", "mounted", "holds", "detail"),
    [
        ("0::/u\n", {**TOP, "u/cgroup.controllers": "cpu memory pids\n"}, True, "version 2"),
        ("0::/u\n", {**TOP, "u/cgroup.controllers": "cpu\n"}, False, "version 2, not"),
        (
            "4:memory:/m\n8:pids:/\n0::/\n",
            {"unified/cgroup.controllers": "", "memory/m/tasks": "", "pids/tasks": ""},
            *(True, "versions 1 and 2; version 1 counts"),
        ),
        ("4:memory:/\n8:pids:/\n", {"memory/tasks": "", "pids/tasks": ""}, True, "version 1;"),
        ("0::/\n", {}, False, "none"),
    ],
)
def test_control_groups_by_their_layout(
    tmp_path: Path, groups: str, mounted: dict[str, str], holds: bool, detail: str
) -> None:
    process = imitate(tmp_path / "self", {"cgroup": groups})
    (tmp_path / "mounts").mkdir()
    found = accounting(process, imitate(tmp_path / "mounts", mounted))
    assert found.holds is holds and found.detail.startswith(detail)
    assert bool(found.fix) is not holds


@pytest.mark.parametrize(
    ("settings", "holds"),
    [
        ({}, True),
        ({"user/max_user_namespaces": "100\n"}, True),
        ({"user/max_user_namespaces": "0\n"}, False),
        ({"kernel/unprivileged_userns_clone": "0\n"}, False),
        ({"kernel/apparmor_restrict_unprivileged_userns": "1\n"}, False),
    ],
)
def test_user_namespaces_by_the_settings_of_the_kernel(
    tmp_path: Path, settings: dict[str, str], holds: bool
) -> None:
    found = user_namespaces(imitate(tmp_path, settings))
    assert found.holds is holds
    assert found.fix.startswith("sysctl -w") is not holds


def test_everything_missing_has_a_way_to_get_it() -> None:
    findings = list(diagnose())
    assert all(finding.detail and (finding.holds or finding.fix) for finding in findings)
