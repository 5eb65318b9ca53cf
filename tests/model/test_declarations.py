"""Hold schemas and pages to the declarations in harness/model and harness/delivery."""

from __future__ import annotations

from typing import Any

import pytest
from schema_files import load_schema
from support.xtest import TOP

from harness.delivery.registry import DELIVERIES
from harness.model.events import RunFingerprint
from harness.model.exit_codes import ExitCode
from harness.model.limits import Limit, Limits
from harness.model.protection import Protection
from harness.model.suite_info import Visibility
from harness.model.verdict import Verdict
from harness.tomlio.tables import POSITIVE_INTEGER, POSITIVE_NUMBER

DEFINITIONS: dict[str, dict[str, Any]] = load_schema("common")["$defs"]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("verdict", [verdict.value for verdict in Verdict]),
        (
            "failure",
            [each.value for each in Verdict if each.subject_ran and each is not Verdict.PASSED],
        ),
        ("delivery", [delivery.value for delivery in DELIVERIES]),
        ("visibility", [visibility.value for visibility in Visibility]),
    ],
)
def test_the_shared_schema_lists_every_name(name: str, names: list[str]) -> None:
    assert DEFINITIONS[name]["enum"] == names


def test_the_schema_of_results_lists_exit_codes_and_fingerprint_members() -> None:
    parts = load_schema("results")["$defs"]
    assert parts["run-ended"]["properties"]["exit"]["enum"] == [code.value for code in ExitCode]
    assert tuple(parts["basis"]["properties"]) == RunFingerprint._fields


def limit_schema(limit: Limit, default: float | None) -> dict[str, str]:
    """Return the schema of a limit."""
    description = limit.description.replace("`", "")
    if default is not None:
        description = f"{description[:-1]}; {default:g} if not set."
    kind = "positive-count" if limit.is_integer else "amount"
    return {"description": description, "$ref": f"#/$defs/{kind}"}


def test_limits_are_the_same_in_records_schema_and_page() -> None:
    assert Limits._fields == tuple(limit.value for limit in Limit)
    page = (TOP / "docs" / "running.md").read_text(encoding="utf-8")
    properties = DEFINITIONS["limits"]["properties"]
    assert len(properties) == len(Limit)
    for limit in Limit:
        default = Limits().value_of(limit)
        assert properties[limit.value] == limit_schema(limit, default)
        shown = "" if default is None else f" ({default:g})"
        assert f"| `{limit.value}`{shown} | {limit.description} | " in page
    assert DEFINITIONS["limits"]["additionalProperties"] is False
    for kind, value_type in (("amount", POSITIVE_NUMBER), ("positive-count", POSITIVE_INTEGER)):
        assert DEFINITIONS[kind].items() >= value_type.schema.items()


def test_protections_are_the_same_in_enum_and_page() -> None:
    page = (TOP / "docs" / "running.md").read_text(encoding="utf-8")
    for each in Protection:
        assert f"| `{each.value}`: {each.description} |" in page


@pytest.mark.parametrize(
    ("limits", "limit", "exceeded"),
    [
        (Limits(cpu_s=2), Limit.CPU, False),
        (Limits(cpu_s=1.9), Limit.CPU, True),
        (Limits(), Limit.CPU, False),
        (Limits(), Limit.OUTPUT, False),
    ],
)
def test_a_limit_is_exceeded_by_more_than_it_allows(
    limits: Limits, limit: Limit, *, exceeded: bool
) -> None:
    assert limits.is_exceeded(limit, 2) == exceeded
