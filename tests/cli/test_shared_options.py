"""The options on how subjects run: which command takes which, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterator

import click

from harness.cli.registry import group

# By the names of their parameters.
SHARED = {
    "jobs": "-j",
    "wall": "--wall",
    "retry_timeouts": "--retry-timeouts",
    "sandbox": "--sandbox",
    "mode": "--sessions",
    "results": "--results",
    "resume": "--resume",
    "cluster": "--cluster",
}
RUN_NOTHING = {
    *("list", "lint", "record", "import", "pack", "unpack"),
    *("report", "history", "known", "init", "doctor"),
    *("schema", "completion", "fest report"),
}
ONE_INPUT = "it runs a program once"
RULES = "all teams must have the limits of suite.toml"
ALWAYS = "always, as an unrepeatable timeout would change scores"
NO_SESSION = "each program starts for each input, as its key says"
SAVED = "what it makes is a folder of files, not results"
NO_FILE = "it takes no --results"
NOT_TAKEN = {
    "run": {},
    "demo": {},
    "matrix": {},
    "compare": {},
    "accept": {
        "mode": "an expected output comes from a process of its own",
        "results": SAVED,
        "resume": NO_FILE,
        "cluster": "a person confirms each output",
    },
    "new": {
        "jobs": ONE_INPUT,
        "wall": "the case has the limit of the suite",
        "retry_timeouts": ONE_INPUT,
        "mode": ONE_INPUT,
        "results": SAVED,
        "resume": NO_FILE,
        "cluster": ONE_INPUT,
    },
    "selftest": {
        "results": "what it finds is printed",
        "resume": NO_FILE,
        "cluster": "it runs each case once; then only outputs are judged",
    },
    "fuzz": {"resume": "its results are findings; what ran without one is not in them"},
    "shrink": {"results": SAVED, "resume": NO_FILE},
    "fest run": {
        "wall": RULES,
        "retry_timeouts": ALWAYS,
        "mode": NO_SESSION,
        "resume": "always, with --results",
    },
    "fest check": {
        "wall": RULES,
        "retry_timeouts": ALWAYS,
        "mode": NO_SESSION,
        "results": "what it finds is printed",
        "resume": NO_FILE,
        "cluster": "a team checks one suite",
    },
    "fest chaffs": {
        "wall": RULES,
        "retry_timeouts": ALWAYS,
        "mode": NO_SESSION,
        "results": SAVED,
        "resume": NO_FILE,
        "cluster": "it runs one program",
    },
}


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {each}", own) for each, own in command.commands.items())
        else:
            yield name, command


def test_a_command_takes_each_shared_option_or_says_here_why_not() -> None:
    taken = {name: {each.name for each in command.params} for name, command in commands()}
    assert taken.keys() == RUN_NOTHING | NOT_TAKEN.keys()
    for name, options in taken.items():
        missing = SHARED.keys() - options
        assert missing == (SHARED.keys() if name in RUN_NOTHING else NOT_TAKEN[name].keys()), name
