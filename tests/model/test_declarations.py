"""Hold schemas and pages to the declarations in harness/model and harness/delivery."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from schema_files import load_schema
from support.golden import compare_with_file
from support.xtest import TOP

from harness.delivery.registry import Delivery
from harness.model.event_lines import member_of
from harness.model.events import (
    DependsOnOrder,
    RunEnded,
    RunFingerprint,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.limits import MIB, Limit, Limits, Usage, scale_times, with_room_for
from harness.model.protection import Protection
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo, Visibility
from harness.model.verdict import Verdict
from harness.tomlio.tables import POSITIVE_INTEGER, POSITIVE_NUMBER

DEFINITIONS: dict[str, dict[str, Any]] = load_schema("common")["$defs"]
ENUMERATIONS = {
    "verdict": [verdict.value for verdict in Verdict],
    "failure": [each.value for each in Verdict if each.subject_ran and each is not Verdict.PASSED],
    "delivery": [delivery.value for delivery in Delivery],
    "visibility": [visibility.value for visibility in Visibility],
}


def schema_file(name: str) -> Path:
    return TOP / "schemas" / f"{name}.schema.json"


def raw_schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(schema_file(name).read_bytes())
    return schema


def compare_schema(item: pytest.Item, name: str, schema: Any) -> None:
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    compare_with_file(item, schema_file(name), text)


def test_the_shared_schema_is_generated_from_the_declarations(
    request: pytest.FixtureRequest,
) -> None:
    schema = load_schema("common")
    for name, names in ENUMERATIONS.items():
        schema["$defs"][name]["enum"] = names
    schema["$defs"]["limits"]["properties"] = {each.value: limit_schema(each) for each in Limit}
    compare_schema(request.node, "common", schema)


def test_the_schema_of_results_lists_exit_codes_and_fingerprint_members() -> None:
    parts = load_schema("results")["$defs"]
    assert parts["run-ended"]["properties"]["exit"]["enum"] == [code.value for code in ExitCode]
    assert tuple(parts["basis"]["properties"]) == RunFingerprint._fields


DESCRIBED = {
    "run-started": RunStarted,
    "about": SuiteInfo,
    "subject": SubjectInfo,
    "judged": RunResult,
    "depends-on-order": DependsOnOrder,
    "sessions-ended": SessionsEnded,
    "run-ended": RunEnded,
}


def test_the_runs_of_a_report_have_the_members_of_judged_events(
    request: pytest.FixtureRequest,
) -> None:
    schema, judged = raw_schema("report"), raw_schema("results")["$defs"]["judged"]
    members = json.dumps(
        {key: value for key, value in judged["properties"].items() if key != "event"}
    )
    elsewhere = json.loads(members.replace('"#/$defs/', '"results.schema.json#/$defs/'))
    run = schema["$defs"]["run"]
    run["properties"] = {"outcome": run["properties"]["outcome"], **elsewhere}
    run["required"] = ["outcome", *(name for name in judged["required"] if name != "event")]
    compare_schema(request.node, "report", schema)


MEMBERS: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"$ref": "common.schema.json#/$defs/count"},
    tuple[str, ...]: {"$ref": "common.schema.json#/$defs/texts"},
    tuple[Verdict, ...]: {"type": "array", "items": {"$ref": "common.schema.json#/$defs/verdict"}},
}


def described(record: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the members whose fields have a description: name, description and type."""
    for field, hint in get_type_hints(record, include_extras=True).items():
        for note in getattr(hint, "__metadata__", ()):
            if isinstance(note, str):
                yield member_of(hint).name or field, note, get_args(hint)[0]


def test_described_members_of_results_are_generated(request: pytest.FixtureRequest) -> None:
    schema = raw_schema("results")
    for name, record in DESCRIBED.items():
        for member, description, kind in described(record):
            schema["$defs"][name]["properties"][member] = {
                "description": description.replace("`", ""),
                **MEMBERS[kind],
            }
    compare_schema(request.node, "results", schema)


def limit_schema(limit: Limit) -> dict[str, str]:
    default = Limits().value_of(limit)
    description = limit.description.replace("`", "")
    if default is not None:
        description = f"{description[:-1]}; {default:g} if not set."
    kind = "positive-count" if limit.is_integer else "amount"
    return {"description": description, "$ref": f"#/$defs/{kind}"}


def test_limits_are_the_same_in_records_and_schema() -> None:
    assert Limits._fields == tuple(limit.value for limit in Limit)
    assert set(Usage._fields) < set(Limits._fields)
    assert DEFINITIONS["limits"]["additionalProperties"] is False
    for kind, value_type in (("amount", POSITIVE_NUMBER), ("positive-count", POSITIVE_INTEGER)):
        assert DEFINITIONS[kind].items() >= value_type.schema.items()


def limit_row(limit: Limit) -> str:
    default = Limits().value_of(limit)
    shown = "" if default is None else f" ({default:g})"
    return f"| `{limit.value}`{shown} | {limit.enforcement} |"


@pytest.mark.parametrize(
    "page, head, rows",
    [
        ("verdicts", "verdict | meaning", [f"| `{e.value}` | {e.description} |" for e in Verdict]),
        ("running", "limit | enforced by", [limit_row(limit) for limit in Limit]),
    ],
)
def test_tables_of_declarations_are_generated(
    request: pytest.FixtureRequest, page: str, head: str, rows: list[str]
) -> None:
    path, head = TOP / "docs" / f"{page}.md", f"| {head} |\n|---|---|\n"
    before, _, rest = path.read_text(encoding="utf-8").partition(head)
    _, end, after = rest.partition("\n\n")
    table = head + "\n".join(rows)
    compare_with_file(request.node, path, f"{before}{table}{end}{after}")


def test_protections_are_the_same_in_enum_and_page() -> None:
    page = (TOP / "docs" / "running.md").read_text(encoding="utf-8")
    for each in Protection:
        assert f"| `{each.value}`: {each.description} |" in page


def test_a_limit_is_exceeded_by_more_than_it_allows() -> None:
    assert Limits(cpu_s=1.9).is_exceeded(Limit.CPU, 2)
    assert not Limits(cpu_s=2).is_exceeded(Limit.CPU, 2)
    assert not any(Limits().is_exceeded(limit, 2) for limit in (Limit.CPU, Limit.OUTPUT))


def test_the_default_limit_of_output_is_at_least_twice_the_expected_output() -> None:
    default = Limits()
    assert with_room_for(default, 8 * MIB) is default
    assert with_room_for(default, 21 * MIB + 1).output_mib == 43
    declared = Limits(output_mib=8)
    assert with_room_for(declared, 21 * MIB) is declared


def test_a_factor_scales_the_times_that_are_limited() -> None:
    assert scale_times(Limits(wall_s=2, cpu_s=1, processes=4), 3) == Limits(6, None, 3, processes=4)
