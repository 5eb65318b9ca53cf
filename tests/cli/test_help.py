"""The help of xtest as a whole."""

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
