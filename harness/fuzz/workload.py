"""Run inputs that were made, and shrink those that show something: a workload of the engine.

An item is a range of inputs, or one input to shrink. Source: docs/howto/fuzz.md.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from harness.engine.units import Source
from harness.engine.workload import ResultFacts, Share, Timeout, Workload, WorkOptions
from harness.fuzz.causes import Cause
from harness.fuzz.items import RECORDS, FuzzResult, FuzzSettings, Item
from harness.fuzz.making import make_inputs
from harness.fuzz.mutation import InputMaker
from harness.fuzz.source import FuzzSource
from harness.fuzz.trials import CASE, Context
from harness.model.case import Policy
from harness.model.case_names import input_name
from harness.model.event_lines import LineFormat
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import require_start
from harness.project.targets import Target

_LINES: Final = LineFormat[FuzzResult]("a result of fuzzing", 1, {"fuzzed": FuzzResult})


class FuzzWorkload(Workload[Item, FuzzResult]):
    """Made inputs of one suite, for its targets."""

    remedy = "inputs are missing"

    def __init__(
        self,
        targets: Sequence[Target],
        sandbox: Sandbox | None,
        settings: FuzzSettings,
        maker: InputMaker,
    ) -> None:
        self.targets = tuple(targets)
        self.sandbox = sandbox
        self.settings: Final = settings
        self.maker = maker

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("maker", "policy", "sandbox")
        } | {"sandbox": None}

    @cached_property
    def maker(self) -> InputMaker:
        settings = self.settings
        suite = self.targets[0].suite
        return make_inputs(suite, settings.seed, is_invalid=settings.is_invalid).maker

    @cached_property
    def policy(self) -> Policy:
        policy, _ = self.targets[0].suite.settings.policy_for(input_name(CASE))
        return policy._replace(checker=())

    def prepare(self, _items: Iterable[Item], _options: WorkOptions) -> None:
        # Made once, before the workers are forked.
        _ = self.maker, self.policy

    def source(self, items: Iterator[Item], share: Share) -> Source[FuzzResult]:
        context = Context(
            self.targets,
            self.settings,
            self.policy,
            in_sandbox=self.sandbox is not None,
            workspaces=share.workspaces,
        )
        return FuzzSource(context, self.maker, items)

    def pack(self, results: Sequence[FuzzResult]) -> Iterable[bytes]:
        return map(RECORDS.pack, results)

    def unpack(self, message: bytes) -> Sequence[FuzzResult]:
        return [RECORDS.unpack(message)]

    def key(self, item: Item) -> Hashable:
        return item.start

    def facts(self, result: FuzzResult) -> ResultFacts:
        # A shrink repeats what a range of inputs has shown.
        is_missed = _is_unseen(result) or result.unjudged or result.note
        is_repeated = result.is_unsettled and is_missed
        timeout = Timeout(self.targets[0].suite.name) if is_repeated else None
        return ResultFacts(result.start, timeout=timeout)

    def shares_folder(self, result: FuzzResult) -> bool:
        return result.shares_folder

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        for subject in {target.subject for target in targets}:
            require_start(subject)
        super().place(targets, sandbox)

    def kind_of(self, item: Item) -> Hashable:
        return item.cause is None

    def write_item(self, item: Item) -> Any:
        cause = item.cause and (item.cause.groups, *item.cause[1:])
        return item.start, item.inputs, b64encode(item.stdin).decode(), cause

    def read_item(self, written: Any) -> Item:
        start, inputs, stdin, cause = written
        if cause is not None:
            groups, kinds, place, change = cause
            cause = Cause(tuple(map(tuple, groups)), tuple(kinds), place, change)
        return Item(start, inputs, b64decode(stdin), cause)

    def write_result(self, result: FuzzResult) -> str:
        return _LINES.line(result).rstrip()

    def read_result(self, item: Item | None, line: str) -> FuzzResult:
        result = _LINES.parse(line)
        if item is None or result.start != item.start:
            raise ValueError("inputs that were not asked for")
        runs = set(range(len(self.settings.lanes)))
        for found in result.found:
            groups, kinds = found.cause.groups, found.cause.kinds
            if len(groups) != len(kinds) or not groups or not runs.issuperset(chain(*groups)):
                raise ValueError("a cause that concerns other runs")
            outputs = result.details.outputs if result.details is not None else groups
            if len(outputs) != len(groups):
                raise ValueError("other outputs than those of the cause")
        return result

    def fault(self, item: Item, message: str) -> FuzzResult:
        return FuzzResult(item.start, note=message)


def _is_unseen(result: FuzzResult) -> bool:
    """Return whether fresh processes did not show what was to be shrunk."""
    return bool(result.found) and not result.inputs
