"""The zoo: real programs, each with one vice, judged by the real command line over real pipes.

The table says what each vice gets; README.md says why, and what real programs have it. Every run is
one xtest under `keeper.py`, which sees what xtest itself cannot: its own memory, and what is left.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

import pytest

HERE: Final = Path(__file__).resolve().parent
TOP: Final = HERE.parent.parent

AT_ONCE: Final = 6  # runs of xtest; most of them wait
PATIENCE_S: Final = 120  # until a run of xtest counts as hung; nothing is measured by it
SLACK_S: Final = 1.0  # past its limit, at most
# xtest holds 24 MiB when it has nothing to do. The kernel counts what it has waited for, too: no
# vice may hold more than this, and no limit on memory here is higher.
PEAK_MIB: Final = 80


class Vice(NamedTuple):
    """One row of the zoo: a program, the verdict it gets in a suite, and what its message says."""

    program: str
    verdict: str
    suite: str = "patient"
    says: str = ""


ZOO: Final = (
    Vice("honest", "passed"),
    # The clock.
    Vice("silent", "silent", "brisk"),
    Vice("stalls-after-half-a-value", "stalled", "brisk"),
    Vice("answers-then-sleeps", "stalled", "brisk"),
    Vice("answers-byte-by-byte-for-ever", "stalled", "brisk"),
    Vice("clears-its-throat", "stalled", "brisk"),
    Vice("floods-standard-error", "silent", "brisk"),
    Vice("closes-stdout-and-lives-on", "stalled", "brisk"),
    Vice("closes-everything-and-lives-on", "silent", "brisk"),
    Vice("stops-itself", "silent", "brisk"),
    Vice("ignores-sigterm", "silent", "brisk"),
    Vice("keeps-its-own-input-open", "silent", "brisk"),
    Vice("is-traced-by-its-parent", "silent", "brisk"),
    # The other limits.
    Vice("floods-valid-json", "output-limit"),
    Vice("floods-without-newline", "output-limit"),
    Vice("floods-from-a-grandchild", "output-limit"),
    Vice("fills-the-cap-to-the-byte", "passed"),
    Vice("prints-one-byte-past-the-cap", "output-limit"),
    Vice("spins", "cpu-limit"),
    Vice("spins-without-its-main-thread", "cpu-limit"),
    Vice("execs-itself-for-ever", "cpu-limit"),
    Vice("eats-memory", "memory-limit"),
    Vice("eats-memory-without-its-main-thread", "memory-limit"),
    Vice("hides-memory-in-a-file", "crashed", says="SIGXFSZ"),
    Vice("writes-a-huge-file", "crashed", says="SIGXFSZ"),
    Vice("forks-many", "process-limit"),
    # Its input.
    Vice("never-reads", "passed", "large"),
    Vice("closes-stdin-at-once", "passed", "large"),
    Vice("answers-before-reading", "passed", "large"),
    Vice("daemon-keeps-its-input", "passed", "large"),
    Vice("goes-by-dev-stdin-and-stdout", "passed", "large"),
    # How it ends.
    Vice("answers-then-crashes", "crashed", says="SIGSEGV"),
    Vice("crashes-after-half-a-value", "crashed", says="SIGSEGV"),
    Vice("kills-its-own-group", "crashed", says="SIGKILL"),
    Vice("right-answer-exit-3", "exit-status", says="3"),
    Vice("right-answer-exit-255", "exit-status", says="255"),
    Vice("wrong-answer-exit-3", "differs"),
    Vice("exits-after-half-a-value", "malformed", says="cut short at byte 7"),
    Vice("suspends-itself", "passed"),
    # What it leaves behind.
    Vice("grandchild-keeps-the-pipe", "passed"),
    Vice("grandchild-answers-too-late", "too-few"),
    Vice("daemonises", "passed"),
    Vice("daemonises-without-a-trace", "passed"),
    Vice("daemonises-without-its-main-thread", "passed"),
    Vice("leaves-a-stopped-daemon", "passed"),
    Vice("flees-from-session-to-session", "passed"),
    Vice("never-waits-for-its-children", "passed"),
    # What it prints.
    Vice("answers-nothing", "too-few"),
    Vice("answers-twice", "too-many"),
    Vice("answers-in-floats", "differs"),
    Vice("answers-on-standard-error", "too-few"),
    Vice("answers-with-pauses", "passed"),
    Vice("forgets-to-flush", "too-few"),
    Vice("prints-invalid-utf-8", "malformed", says="byte 5"),
    Vice("prints-nul-bytes", "malformed", says="byte 1"),
    Vice("prints-a-bom", "malformed", says="byte 0"),
    Vice("prints-utf-16", "malformed", says="byte 0"),
    Vice("prints-nan", "malformed", says="byte 4"),
    Vice("prints-infinity", "malformed", says="byte 5"),
    Vice("prints-duplicate-keys", "malformed", says="byte 13"),
    Vice("prints-a-lone-surrogate", "malformed", says="byte 5"),
    Vice("prints-two-values-on-a-line", "passed"),
    Vice("prints-crlf", "passed"),
    Vice("prints-no-final-newline", "passed"),
    Vice("prints-trailing-garbage", "malformed", says="byte 6"),
    Vice("prints-a-partial-number-at-the-end", "malformed", says="cut short at byte 6"),
    Vice("prints-colours", "malformed", says="byte 0"),
    Vice("prompts", "malformed", says="byte 0"),
    Vice("nests-10000-deep", "differs", says="/2"),
    Vice("nests-100000-deep", "malformed", says="byte 10000"),
    Vice("prints-a-million-digits", "differs", says="/2"),
    Vice("prints-ten-thousand-values", "too-many"),
    Vice("depends-on-the-environment", "too-few"),
    Vice("writes-to-the-terminal", "passed"),
    Vice("writes-escape-sequences", "malformed", says="byte 12"),
    Vice("replaces-its-own-executable", "passed"),
    # What cannot be started.
    Vice("not-executable", "not-started", says="is not executable"),
    Vice("has-a-bad-interpreter", "not-started", says="/no/such/interpreter"),
    Vice("has-windows-line-ends", "not-started", says="Windows line end in its first line"),
    Vice("has-no-interpreter-line", "not-started", says='"#!"'),
    Vice("is-empty", "not-started"),
    Vice("is-a-folder", "not-started", says="is a folder"),
    Vice("is-its-own-target", "not-started", says="too many levels of symbolic links"),
    Vice("is-not-there", "not-started", says="no such"),
)

# Those that need a compiler: the sources are in C because no script can do this.
COMPILED: Final = (
    Vice("dereferences-null", "crashed", says="SIGSEGV"),
    Vice("overflows-the-stack", "crashed", says="SIGSEGV"),
    Vice("fails-an-assertion", "crashed", says="SIGABRT"),
    Vice("maps-past-the-end-of-its-file", "crashed", says="SIGBUS"),
    Vice("never-leaves-its-vfork", "silent", "brisk"),
    Vice("flees-at-full-speed", "passed"),
)

# What ends a program that does nothing about it. Source: signal(7).
FATAL: Final = (
    *("SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE"),
    *("SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT"),
    *("SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR", "SIGSYS"),
    *("SIGRTMIN", "SIGRTMAX"),
)
SIGNALLED: Final = "dies-of-the-signal-it-reads"

# Each has a test of its own: they are not judged, or not twice alike.
SPECIAL: Final = {
    *(SIGNALLED, "is-any-of-them", "forbids-its-own-execution", "renames-itself"),
    *("interrupts-its-parent", "interrupts-its-parent-again-and-again"),
    *("terminates-its-parent", "kills-its-parent"),
}


# `patient` gives time enough and little of all else, `brisk` little time, `large` much input.
SUITES: Final = ("patient", "brisk", "large")


class Order(NamedTuple):
    """One run of xtest: a program, a suite, and how many cases at once."""

    program: str
    suite: str
    jobs: int


class Seen(NamedTuple):
    """What became of one run of xtest."""

    status: int  # its exit status; negative: the signal that ended it
    hung: bool
    peak_mib: float
    left: list[str]  # the processes that outlived it
    events: list[dict[str, Any]]
    console: str

    @property
    def judged(self) -> dict[str, dict[str, Any]]:
        """The events that judge, by case."""
        return {event["case"]: event for event in self.events if event["event"] == "judged"}

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts, by case."""
        return {case: event["verdict"] for case, event in self.judged.items()}


class Zoo:
    """The programs and the suites, copied to where nothing is lost when they are changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        self.suites = folder / "suites"
        shutil.copytree(HERE / "programs", self.programs)
        # Not among the sources: tools that pack them would stumble over it.
        (self.programs / "is-its-own-target").symlink_to("is-its-own-target")
        shutil.copytree(HERE / "suites", self.suites)
        _add_generated_suites(self.suites)
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._runs: dict[Order, Future[Seen]] = {}

    def begin(self, order: Order) -> Future[Seen]:
        """Run this, unless it runs already."""
        if order not in self._runs:
            alone = order.jobs == 1 and order.suite in SUITES
            self._runs[order] = self._pool.submit(self.run, order, ["--case", "1"] * alone)
        return self._runs[order]

    def run(
        self,
        order: Order,
        options: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        under: Sequence[str] = (),
    ) -> Seen:
        """Run xtest, now, under the keeper."""
        place = Path(mkdtemp(dir=self.folder))
        report, results = place / "report.json", place / "results.jsonl"
        xtest = [sys.executable, "-m", "harness", "run", str(self.suites / order.suite)]
        xtest += ["--results", str(results), f"-j{order.jobs}", *options]
        xtest += ["--", str(self.programs / order.program)]
        keeper = [sys.executable, "-I", str(HERE / "keeper.py"), str(report), str(PATIENCE_S)]
        done = subprocess.run(
            [*under, *keeper, *xtest],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * PATIENCE_S,
            check=True,
            env=_environment(place) | (environment or {}),
        )
        lines = results.read_text(encoding="ascii").splitlines() if results.exists() else []
        events = [json.loads(line) for line in lines]
        return Seen(**json.loads(report.read_bytes()), events=events, console=done.stdout)

    def close(self) -> None:
        """Wait for what still runs."""
        self._pool.shutdown(cancel_futures=True)


def _environment(place: Path) -> dict[str, str]:
    """Ours; `python3` is this Python, xtest is this checkout's, and files go to this folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(TOP), "TMPDIR": str(place)}


def _add_generated_suites(suites: Path) -> None:
    """`large`: as `patient`, with 3 MiB of white space behind each input. `signals`: case N says N.
    `all-...`: a case for each vice of a suite, which says its name."""
    _write_suite(
        suites / "large",
        like=suites / "patient",
        cases={f"{n}": '"honest"\n' + "[]\n{}" + " " * (3 << 20) for n in (1, 2, 3)},
    )
    _write_suite(
        suites / "signals",
        like=suites / "patient",
        cases={str(int(signal.Signals[name])): f"{int(signal.Signals[name])}\n" for name in FATAL},
    )
    for suite in SUITES:
        text = (suites / suite / "1-in.json").read_text(encoding="ascii")
        names = [vice.program for vice in _neighbours(suite)]
        _write_suite(
            suites / f"all-{suite}",
            like=suites / suite,
            cases={f"{name}-1": text.replace("honest", name) for name in names},
        )


def _write_suite(folder: Path, like: Path, cases: dict[str, str]) -> None:
    folder.mkdir()
    shutil.copy(like / "suite.toml", folder)
    for name, stdin in cases.items():
        (folder / f"{name}-in.json").write_text(stdin, encoding="ascii")
        (folder / f"{name}-out.json").write_text("1 2 3\n", encoding="ascii")


def _neighbours(suite: str) -> Iterable[Vice]:
    """The vices that can live beside each other in one suite."""
    return [vice for vice in ZOO if vice.suite == suite and vice.verdict != "not-started"]


def _limits(suite: str) -> dict[str, float]:
    source = "patient" if suite == "large" else suite
    text = (HERE / "suites" / source / "suite.toml").read_text(encoding="utf-8")
    limits: dict[str, float] = tomllib.loads(text)["limits"]
    return limits


@pytest.fixture(name="zoo", scope="module")
def _zoo(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Zoo]:
    """The zoo, in which everything that was selected is running already; what waits most first."""
    zoo = Zoo(tmp_path_factory.mktemp("zoo"))
    calls = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    orders = dict.fromkeys(_order(*call["each"]) for call in calls if "each" in call)
    for order in sorted(orders, key=_works):
        zoo.begin(order)
    yield zoo
    zoo.close()


def _works(order: Order) -> bool:
    """Whether a run does more than wait for a clock."""
    return not order.suite.endswith("brisk")


def _order(vice: Vice, jobs: int) -> Order:
    """The run in which a vice is seen: alone, or among all of its suite, eight at once."""
    if jobs == 1 or vice.verdict == "not-started":
        return Order(vice.program, vice.suite, jobs)
    return Order("is-any-of-them", f"all-{vice.suite}", jobs)


def _event_of(zoo: Zoo, vice: Vice, jobs: int) -> dict[str, Any]:
    """The event that judges a vice."""
    order = _order(vice, jobs)
    return (
        zoo.begin(order)
        .result()
        .judged["1" if order.program == vice.program else f"{vice.program}-1"]
    )


ALL: Final = pytest.mark.parametrize(
    "each", [pytest.param((vice, n), id=f"{vice.program}-j{n}") for vice in ZOO for n in (1, 8)]
)
ALONE: Final = pytest.mark.parametrize(
    "each", [pytest.param((vice, 1), id=vice.program) for vice in ZOO]
)
ONE_OR_EIGHT: Final = pytest.mark.parametrize("jobs", [1, 8], ids=["j1", "j8"])


@ALL
def test_a_vice_gets_its_verdict(zoo: Zoo, each: tuple[Vice, int]) -> None:
    vice, _ = each
    event = _event_of(zoo, *each)
    assert event["verdict"] == vice.verdict
    assert vice.says in event["message"]


@ALL
def test_a_vice_is_over_within_its_limit_and_a_second(zoo: Zoo, each: tuple[Vice, int]) -> None:
    vice, _ = each
    event = _event_of(zoo, *each)
    _assert_in_time(vice, event)


@ALONE
def test_a_vice_leaves_nothing_behind(zoo: Zoo, each: tuple[Vice, int]) -> None:
    assert zoo.begin(_order(*each)).result().left == []


@ALONE
def test_a_vice_takes_no_memory_of_xtest(zoo: Zoo, each: tuple[Vice, int]) -> None:
    assert zoo.begin(_order(*each)).result().peak_mib <= PEAK_MIB


@ALONE
def test_a_vice_does_not_disturb_the_end_of_xtest(zoo: Zoo, each: tuple[Vice, int]) -> None:
    vice, _ = each
    seen = zoo.begin(_order(*each)).result()
    assert not seen.hung
    assert seen.events[-1]["event"] == "run-ended"
    assert seen.status == (0 if vice.verdict == "passed" else 1)


@pytest.mark.parametrize("suite", SUITES)
def test_all_at_once_take_no_memory_and_leave_nothing_behind(zoo: Zoo, suite: str) -> None:
    seen = zoo.begin(Order("is-any-of-them", f"all-{suite}", 8)).result()
    assert set(seen.verdicts) == {f"{vice.program}-1" for vice in _neighbours(suite)}
    assert (seen.hung, seen.left) == (False, [])
    assert seen.peak_mib <= PEAK_MIB


@ONE_OR_EIGHT
@pytest.mark.parametrize("name", FATAL)
def test_a_fatal_signal_is_a_crash_that_has_its_name(zoo: Zoo, name: str, jobs: int) -> None:
    seen = zoo.begin(Order(SIGNALLED, "signals", jobs)).result()
    event = seen.judged[str(int(signal.Signals[name]))]
    assert (event["verdict"], event["signal"]) == ("crashed", name)
    assert name in event["message"]


def test_no_signal_is_left_out() -> None:
    """Those that are not fatal are ignored, or stop or continue: three tests of their own."""
    harmless = {"SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"}
    harmless |= {"SIGURG", "SIGWINCH"}
    assert {entry.name for entry in signal.Signals} == {*FATAL, *harmless}


def test_the_environment_of_xtest_is_the_programs_too(zoo: Zoo) -> None:
    order = Order("depends-on-the-environment", "patient", 1)
    seen = zoo.run(order, ["--case", "1"], {"ZOO_HOME": "here"})
    assert seen.verdicts == {"1": "passed"}


def test_a_program_does_not_reach_the_terminal_that_xtest_has(zoo: Zoo) -> None:
    ours, terminal = pty.openpty()
    # The first terminal that the leader of a session opens is the one of the session.
    words = 'exec 3<>"$0"; echo "it is here" >/dev/tty; exec "$@"'
    under = ["setsid", "sh", "-c", words, os.ttyname(terminal)]
    seen = zoo.run(Order("writes-to-the-terminal", "patient", 1), ["--case", "1"], {}, under)
    assert seen.verdicts == {"1": "passed"}
    assert os.read(ours, 4096) == b"it is here\r\n"
    os.close(terminal)
    os.close(ours)


def test_what_a_program_prints_does_not_act_on_a_terminal(zoo: Zoo) -> None:
    seen = zoo.begin(Order("writes-escape-sequences", "patient", 1)).result()
    assert "[2J" in seen.console
    assert not set("\x1b\x07") & set(seen.console)


@pytest.mark.parametrize(
    ("program", "says"),
    [("forbids-its-own-execution", "is not executable"), ("renames-itself", "no such file")],
)
def test_what_a_run_does_to_its_program_the_next_run_meets(
    zoo: Zoo, program: str, says: str
) -> None:
    seen = zoo.run(Order(program, "patient", 1))
    assert seen.verdicts == {"1": "passed", "2": "not-started", "3": "not-started"}
    assert says in seen.judged["2"]["message"]


@pytest.mark.parametrize(
    "program", ["interrupts-its-parent", "interrupts-its-parent-again-and-again"]
)
def test_a_program_that_interrupts_xtest_is_ctrl_c(zoo: Zoo, program: str) -> None:
    seen = zoo.run(Order(program, "patient", 1), ["--case", "1"])
    assert seen.status == 130
    assert seen.events[-1] == seen.events[-1] | {"event": "run-ended", "interrupted": True}
    assert (seen.judged, seen.left) == ({}, [])


def test_a_program_that_terminates_xtest_does_not_outlive_it(zoo: Zoo) -> None:
    seen = zoo.run(Order("terminates-its-parent", "patient", 1), ["--case", "1"])
    assert seen.status != 0
    assert (seen.judged, seen.left) == ({}, [])


def test_a_program_that_kills_xtest_is_not_taken_for_one_that_passed(zoo: Zoo) -> None:
    """Nobody can prevent it who is the same user and in no sandbox; but it shows: by the status,
    and by results that begin and do not end."""
    seen = zoo.run(Order("kills-its-parent", "patient", 1), ["--case", "1"])
    assert seen.status == -signal.SIGKILL
    assert [event["event"] for event in seen.events] == ["run-started"]


def _debian(program: str) -> str:
    """The path of a program of Debian's; where it is missing one line says so, and where all must
    be there it is a failure."""
    found = shutil.which(program)
    if found is None and os.environ.get("XTEST_REQUIRE_SYSTEM") == "1":
        pytest.fail(f"{program} is missing, and XTEST_REQUIRE_SYSTEM=1 wants its part of the zoo")
    if found is None:
        pytest.skip(f"NOT TESTED: a part of the zoo needs {program} (.ci/setup installs it)")
    return found


@pytest.fixture(name="compiler", scope="module")
def _compiler() -> str:
    return _debian("gcc")


@pytest.fixture(name="sandbox", scope="module")
def _sandbox() -> str:
    _debian("bwrap")
    return "--sandbox"


@pytest.mark.system
@pytest.mark.parametrize(
    ("program", "suite", "verdict"),
    [
        ("interrupts-its-parent", "brisk", "silent"),
        ("terminates-its-parent", "brisk", "silent"),
        ("kills-its-parent", "patient", "too-few"),
    ],
)
def test_in_a_sandbox_no_program_reaches_xtest(
    zoo: Zoo, sandbox: str, program: str, suite: str, verdict: str
) -> None:
    seen = zoo.run(Order(program, suite, 1), ["--case", "1", sandbox])
    assert seen.verdicts == {"1": verdict}
    assert (seen.status, seen.left) == (1, [])


@pytest.mark.system
@ONE_OR_EIGHT
@pytest.mark.parametrize("vice", COMPILED, ids=[vice.program for vice in COMPILED])
def test_a_compiled_vice_is_met_like_the_others(
    zoo: Zoo, compiler: str, vice: Vice, jobs: int
) -> None:
    program, source = zoo.programs / vice.program, HERE / "sources" / f"{vice.program}.c"
    if not program.exists():
        subprocess.run([compiler, "-O0", "-w", "-o", str(program), str(source)], check=True)
    seen = zoo.begin(Order(vice.program, vice.suite, jobs)).result()
    assert set(seen.verdicts.values()) == {vice.verdict}
    for event in seen.judged.values():
        assert vice.says in event["message"]
        _assert_in_time(vice, event)
    assert seen.left == []
    assert seen.peak_mib <= PEAK_MIB


def _assert_in_time(vice: Vice, event: dict[str, Any]) -> None:
    """A clock falls after its time, and soon after; so it is with the processor's."""
    limits = _limits(vice.suite)
    wall_s = limits["first_byte_s"] if vice.verdict == "silent" else limits["wall_s"]
    assert event["wall_s"] <= wall_s + SLACK_S
    assert event["cpu_s"] <= limits.get("cpu_s", wall_s) + SLACK_S
    if vice.verdict in ("silent", "stalled"):
        assert event["wall_s"] >= wall_s
    if vice.verdict == "cpu-limit":
        assert event["cpu_s"] > limits["cpu_s"]


def test_each_program_has_a_row() -> None:
    rows = {vice.program for vice in ZOO} - {"is-its-own-target", "is-not-there"}
    assert {entry.name for entry in (HERE / "programs").iterdir()} == rows | SPECIAL
    assert {entry.stem for entry in (HERE / "sources").iterdir()} == {
        vice.program for vice in COMPILED
    }


def test_the_page_says_what_the_table_says() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|.*\| ([a-z-]+) \|[^|]*\|$", page, re.MULTILINE)
    assert rows == [(vice.program, vice.verdict) for vice in (*ZOO, *COMPILED)]
