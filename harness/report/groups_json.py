"""Who agrees with whom, as one JSON object: what `xtest compare --format json` prints.

Pure: groups, counts and what was said go in. Its schema is schemas/compare.schema.json; docs are
docs/compare.md.
"""

from __future__ import annotations

from typing import Any

from harness.eventlines import evidence_json
from harness.report.groups import Compared
from harness.several.contrast import Said, Separating, Separation
from harness.words import visible

__all__ = ["comparison_json"]


def comparison_json(compared: Compared) -> dict[str, Any]:
    """All of it as one object; subjects are meant by their numbers, from 0."""
    agreement = compared.agreement
    everyone = range(agreement.subjects)
    return {
        "subjects": [
            {"name": visible(name), "fell_short": dict(sorted(counted.items()))}
            for name, counted in zip(compared.subjects, agreement.shortfalls, strict=True)
        ],
        "reference": 0 if compared.has_reference else None,
        "inputs": agreement.inputs,
        "alike": agreement.alike,
        "all_fell_short": agreement.in_vain,
        "agreement": [
            {"subjects": [one, other], "alike": agreement.together(one, other)}
            for one in everyone
            for other in everyone
            if one < other
        ],
        "groups": [
            {"groups": [list(group) for group in groups], "inputs": number}
            for groups, number in agreement.ranked()
        ],
        "separating": [_separating_json(of) for of in compared.separating],
        "shown": [_shown_json(shown) for shown in compared.shown],
        "problems": [
            {"where": visible(problem.where), "message": visible(problem.message)}
            for problem in compared.problems
        ],
        "interrupted": compared.interrupted,
    }


def _separating_json(of: Separating) -> dict[str, Any]:
    return {
        "suite": visible(of.suite),
        "case": visible(of.case),
        "bytes": of.size,
        "groups": [list(group) for group in of.groups],
    }


def _shown_json(shown: Separation) -> dict[str, Any]:
    stdin = evidence_json(shown.said[0].evidence)["stdin"]
    return {
        "suite": visible(shown.of.suite),
        "case": visible(shown.of.case),
        "input": stdin,
        "answers": [_said_json(said) for said in shown.said],
        "repeat": [visible(word) for word in shown.repeat],
    }


def _said_json(said: Said) -> dict[str, Any]:
    evidence = evidence_json(said.evidence)
    answer: dict[str, Any] = {
        "subjects": list(said.members),
        "fell_short": said.fell_short,
        "ending": said.ending,
        "stdout": evidence["stdout"],
        "stderr": evidence["stderr"],
    }
    if said.beside is not None:
        told = ("differences", "differences_total")
        answer |= {"beside": said.beside, **{name: evidence[name] for name in told}}
    return answer
