"""All commands: their summaries, and the completion of their options."""

from __future__ import annotations

import re

import click

from harness.cli.registry import group


def test_each_command_has_a_summary_that_begins_its_own_help() -> None:
    ctx = click.Context(group)
    commands = group.get_help(ctx).partition("--help")[2]
    shown = dict(re.findall(r"^  ([a-z]+) +(.*)$", commands, re.MULTILINE))
    assert list(shown) == group.list_commands(ctx)
    for name, summary in shown.items():
        command = group.get_command(ctx, name)
        assert command is not None and command.help is not None
        assert re.match(rf"{re.escape(summary)}[:.]", command.help)


# Values that only the user knows, and closed choices, which click completes.
NOT_COMPLETED = {
    *("audience", "by", "cluster", "deadline", "exit_status", "jobs", "limit", "link"),
    *("max_failures", "prefix", "reason", "repeat", "mode", "sample", "seed", "shard", "wall"),
    *("layout", "form", "sandbox", "shell", "workspace", "inputs", "seconds", "examples"),
    *("input_seed", "port"),
}


def test_every_value_of_an_option_is_completed() -> None:
    context = click.Context(group, resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
                continue
            own = vars(parameter)["_custom_shell_complete"]  # click has no public name
            completed = own or isinstance(parameter.type, click.Path)  # which completes files
            assert completed or parameter.name in NOT_COMPLETED, f"{name}: {parameter.name}"
