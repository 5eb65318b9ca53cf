"""The quick road to the options of `xtest run`: it reads what click reads, or leaves that to it."""

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.commands.run import command
from harness.runs.options import RunOptions, quick_options


def read_by_click(words: list[str]) -> RunOptions | None:
    """What click makes of the words; None: it refuses them, or was asked for help."""
    try:
        context = command.make_context("run", list(words), resilient_parsing=False)
    except (click.ClickException, click.exceptions.Exit):
        return None
    return RunOptions(**context.params)


WORDS = st.sampled_from(
    [
        *("xtiles", "a b", "", "7", "-", "--", "-x", "--nonsense", "--check", "--sandbox", "-q"),
        *(
            "-v",
            "-qv",
            "--full",
            "--quiet",
            "--verbose",
            "--qui",
            "--case",
            "--case=7",
            "--case=",
            "-c7",
        ),
        *("-j", "-j2", "-j=2", "--jobs", "--jobs=0", "--jobs=512", "--jobs=99", "2", "02", "1_0"),
        *("--wall", "--wall=1.5", "--wall=1e1", "--wall=0", "--wall=-1", "--wall=nan", "1.5"),
        *("--deliver", "slow,cut", "--deliver=all", "--repeat", "--repeat=3", "--repeat=1000"),
        *("--tag", "--tag=a", "!b", "--shard", "1/2", "--shard=", "--failed", "--new", "--new=1"),
        *("--fail-fast", "--max-failures", "--max-failures=7", "--max-failures=0", "--fail"),
        *("--resume", "--cached", "--depends", "--depends=src", "--resume=1", "--res", "--cache"),
        *("--results", "out.jsonl", "--results=out.jsonl", "--results=", "\u0662", "+2", " 2"),
    ]
)


@settings(deadline=None, max_examples=400)
@given(st.lists(WORDS, max_size=5))
@example(["-j", "2", "a", "--case", "1", "--case", "2", "-q", "--results", "f"])
@example(["--case", "-q"])
@example(["-j=2"])
@example(["--jobs=\u0662"])
def test_the_quick_road_reads_what_click_reads(words: list[str]) -> None:
    quick = quick_options(words)
    if quick is not None:
        assert quick == read_by_click(words)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], RunOptions()),
        (["xtiles"], RunOptions(suites=("xtiles",))),
        (["-j2", "a", "b"], RunOptions(suites=("a", "b"), jobs=2)),
        (["a", "--jobs", "4", "--results=r"], RunOptions(suites=("a",), jobs=4, results="r")),
        (["--case", "1", "a", "--case", "bad-*"], RunOptions(("a",), ("1", "bad-*"))),
        (["--wall", "2.5", "--repeat=3", "-q"], RunOptions(wall=2.5, repeat=3, quiet=True)),
        (["--check", "--sandbox", "-v"], RunOptions(check=True, sandbox=True, verbose=True)),
        (["--full"], RunOptions(full=True)),
        (["--resume", "--results=r"], RunOptions(resume=True, results="r")),
        (["--cached"], RunOptions(cached=True)),
        (["--deliver", "slow,cut"], RunOptions(deliver="slow,cut")),
        (["--tag", "a", "--tag=!b"], RunOptions(tags=("a", "!b"))),
        (["--shard", "1/3", "--failed", "--new"], RunOptions(shard="1/3", failed=True, new=True)),
        (["--fail-fast", "--max-failures=2"], RunOptions(max_failures=2, fail_fast=True)),
    ],
)
def test_plain_lines_take_the_quick_road(words: list[str], options: RunOptions) -> None:
    assert quick_options(words) == options


@pytest.mark.parametrize(
    "words",
    [
        *(["--help"], ["-h"], ["--nonsense"], ["-qv"], ["--qui"], ["--case"], ["--case", "-q"]),
        *(["--jobs=0"], ["-j"], ["-j=2"], ["--jobs=x"], ["--wall=0"], ["--wall=1e1"], ["-"]),
        *(["--check=1"], ["--results="], ["--depends", "src"], ["--depends=src"], ["--resume=1"]),
    ],
)
def test_all_others_are_left_to_click(words: list[str]) -> None:
    assert quick_options(words) is None
