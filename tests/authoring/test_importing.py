"""The registry of `xtest import`: its formats are those of the help and of the documentation."""

from __future__ import annotations

from support.xtest import TOP

from harness.authoring.importing.problem import parse_settings, tolerance_of
from harness.authoring.importing.registry import IMPORTERS, documented_formats
from harness.cli.import_suite import command


def test_the_documentation_has_the_table_of_formats() -> None:
    assert documented_formats() in (TOP / "docs" / "import.md").read_text()


def test_the_help_names_every_format() -> None:
    assert all(name in (command.help or "") for name in IMPORTERS)


def test_settings_of_a_problem_package_are_read_by_their_dotted_keys() -> None:
    text = (
        "name: A # b\nlimits:\n  time_limit: 2\n  memory: 64\nvalidator_flags: 'x'\n"
        "keywords:\n- a\n- b\n"
    )
    assert parse_settings(text) == {
        "name": "A",
        "limits": "",
        "limits.time_limit": "2",
        "limits.memory": "64",
        "validator_flags": "x",
        "keywords": "- a - b",
    }


def test_flags_of_the_default_validator_are_a_tolerance() -> None:
    both = "compare.numbers = { absolute = 1e-4, relative = 1e-4 }"
    assert tolerance_of("float_tolerance 1e-4 case_sensitive") == ((both,), "")
    for listed in ('[float_tolerance, "1e-4"]', "- float_tolerance - '1e-4'"):
        assert tolerance_of(listed) == ((both,), "")
    absolute = "compare.numbers = { absolute = 1.0e-6 }"
    assert tolerance_of("float_absolute_tolerance 1.e-6") == ((absolute,), "")
    assert tolerance_of("space_change_sensitive") == ((), "space_change_sensitive")
