"""The findings of `xtest doctor`, on imitations of other machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.process.diagnosis import control_groups, diagnose, user_namespaces


def imitate(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    return folder


def test_control_groups_count_memory_or_can_be_had(tmp_path: Path) -> None:
    process = imitate(tmp_path / "self", {"cgroup": "0::/u\n"})
    files = {"cgroup.controllers": "", "u/cgroup.procs": "", "u/cgroup.subtree_control": "memory"}
    mounts = imitate(tmp_path / "mounts", files)
    assert control_groups(process, mounts)[:2] == ("control groups", True)
    (mounts / "u/cgroup.subtree_control").write_text("", "ascii")
    assert control_groups(process, mounts).fix.startswith("systemd-run --user --scope")
    (mounts / "cgroup.controllers").unlink()
    assert control_groups(process, mounts).fix == "run xtest as root"


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
