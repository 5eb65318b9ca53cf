"""The zoo: real programs, each with one vice, judged by the real command line over real pipes.

The tables of README.md declare the verdicts. Each xtest runs under `keeper.py`, which measures its
memory and finds the processes that it leaves behind.
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

import pytest
from support.debian import need, pass_over
from support.suites import parse_settings, read_events, write_suite
from support.xtest import HIDES_PROC, XTEST, clean_environment, without_linux

from harness.errors import Refused
from harness.model.protection import SandboxKind
from harness.process.inventory import Exposure
from harness.process.sandbox import find_sandbox
from harness.process.system import SYSTEM

HERE: Final = Path(__file__).resolve().parent

AT_ONCE: Final = 6  # runs of xtest; most of them wait
PATIENCE_S: Final = 120  # after which a run of xtest counts as hung
# xtest takes 24 MiB when it has nothing to do. The kernel also counts the processes that it waited
# for: no program may take more than this, and no memory limit here is higher.
PEAK_MIB: Final = 80


_ROW: Final = re.compile(
    r"^\| `([a-z0-9-]+)` \|.*\| ([a-z-]+) \|[^|]*?(?:message: `([^`|]+)`)? \|$", re.MULTILINE
)


class Vice(NamedTuple):
    """A program of the zoo, its verdict in a suite, and a part of the message."""

    program: str
    verdict: str
    suite: str
    message: str


def _read_vices() -> Iterator[tuple[str, Vice]]:
    """Yield the section and the content of each row of the tables in README.md."""
    page = (HERE / "README.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for program, verdict, message in _ROW.findall(section):
            suite = "large" if title == "Its input" else "patient"
            # In half a second, that program uses more than `patient` allows, on a fast machine.
            is_greedy = program == "flees-at-full-speed"
            suite = "brisk" if is_greedy or verdict in ("silent", "stalled") else suite
            yield title, Vice(program, verdict, suite, message)


_SECTIONS: Final = (
    "In C",
    "With the portable back end",
    "With processes as macOS shows them",
    "Without `/proc` and psutil",
)
COMPILED, PORTABLE, MACOS, BLIND = (
    tuple(vice for title, vice in _read_vices() if title == section) for section in _SECTIONS
)
ZOO: Final = tuple(vice for title, vice in _read_vices() if title not in _SECTIONS)

# The signals that do not end a program by default. Source: signal(7).
HARMLESS: Final = {
    *("SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGWINCH")
}
FATAL: Final = [each for each in signal.Signals if each.name not in HARMLESS]
SIGNALLED: Final = "dies-of-the-signal-it-reads"

# In a sandbox: a program, a suite and its verdict there.
SANDBOXED: Final = (
    ("honest", "patient", "passed"),
    ("interrupts-its-parent", "brisk", "silent"),
    ("terminates-its-parent", "brisk", "silent"),
    ("kills-its-parent", "patient", "exit-status"),
    ("reads-the-expected-output", "patient", "exit-status"),
    ("reads-a-token", "patient", "exit-status"),
    ("writes-to-the-kernel", "patient", "exit-status"),
    ("nests-a-user-namespace", "patient", "exit-status"),
    ("writes-beside-itself", "patient", "exit-status"),
    ("reads-the-environment-of-its-parent", "patient", "exit-status"),
    ("right-answer-exit-137", "patient", "exit-status"),
    ("answers-then-crashes", "patient", "crashed"),
)

# Each has a test of its own: it gets no verdict, or not the same one twice, or one in a sandbox.
SPECIAL: Final = {
    *(SIGNALLED, "is-any-of-them", "forbids-its-own-execution", "renames-itself"),
    *("interrupts-its-parent", "interrupts-its-parent-again-and-again"),
    *("terminates-its-parent", "kills-its-parent", "inherits-descriptors"),
    "hides-memory-in-many-files",
    *({program for program, _, _ in SANDBOXED} - {vice.program for vice in ZOO}),
}


# `patient` has long clocks and low other limits, `brisk` short clocks, `large` a large input.
SUITES: Final = ("patient", "brisk", "large")


class ZooRun(NamedTuple):
    """One run of xtest: a program, a suite, and how many cases at once."""

    program: str
    suite: str
    jobs: int


class Seen(NamedTuple):
    """The observations of one run of xtest."""

    status: int  # its exit status; negative: the signal that ended it
    hung: bool
    peak_mib: float
    left: list[str]  # the processes that outlived it
    events: list[dict[str, Any]]
    console: str

    @property
    def judged(self) -> dict[str, dict[str, Any]]:
        return {event["case"]: event for event in self.events if event["event"] == "judged"}

    @property
    def verdicts(self) -> dict[str, str]:
        return {case: event["verdict"] for case, event in self.judged.items()}


class Zoo:
    """Copies of the programs and the suites, which the runs may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        self.suites = folder / "suites"
        shutil.copytree(HERE / "programs", self.programs)
        # Not in the repository, where it would break tools that pack files.
        (self.programs / "is-its-own-target").symlink_to("is-its-own-target")
        shutil.copytree(HERE / "suites", self.suites)
        _add_generated_suites(self.suites)
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._runs: dict[ZooRun, Future[Seen]] = {}

    def begin(self, order: ZooRun) -> Future[Seen]:
        if order not in self._runs:
            alone = order.jobs == 1 and order.suite in SUITES
            self._runs[order] = self._pool.submit(self.run, order, ["--case", "1"] * alone)
        return self._runs[order]

    def run(
        self,
        order: ZooRun,
        options: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        under: Sequence[str] = (),
        within: Sequence[str] = (),
    ) -> Seen:
        """Run xtest with the keeper under a command, or xtest alone within one."""
        place = Path(mkdtemp(dir=self.folder))
        place.chmod(0o777)
        report, results = place / "report.json", place / "results.jsonl"
        xtest = [*XTEST, "run", str(self.suites / order.suite)]
        xtest += ["--results", str(results), f"-j{order.jobs}", "--no-retry-timeouts"]
        xtest += ["--no-give-up", *options, "--", str(self.programs / order.program)]
        keeper = [sys.executable, "-I", str(HERE / "keeper.py"), str(report), str(PATIENCE_S)]
        done = subprocess.run(
            [*under, *keeper, *within, *xtest],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * PATIENCE_S,
            check=True,
            env=clean_environment(place, TMPDIR=str(place), **(environment or {})),
        )
        observed = json.loads(report.read_bytes())
        return Seen(**observed, events=read_events(results), console=done.stdout)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def _add_generated_suites(suites: Path) -> None:
    """Write `large`, which is `patient` with 3 MiB of white space after each input; `signals`, in
    which case N reads N; `all-SUITE`, in which each case reads the name of a program; `brief-SUITE`
    likewise, with less time; and `blind-SUITE` without the limits that need samples."""

    def write(name: str, like: str, stdin: Mapping[str, str]) -> None:
        settings = (suites / like / "suite.toml").read_text(encoding="ascii")
        write_suite(suites / name, {case: (stdin[case], "1 2 3\n") for case in stdin}, settings)

    write("large", "patient", dict.fromkeys("123", '"honest"\n' + "[]\n{}" + " " * (3 << 20)))
    numbers = (str(int(number)) for number in FATAL)
    write("signals", "patient", {number: f"{number}\n" for number in numbers})
    for suite in SUITES:
        text = (suites / suite / "1-in.json").read_text(encoding="ascii")
        names = (vice.program for vice in _neighbours(suite))
        cases = {f"{name}-1": text.replace("honest", name) for name in names}
        write(f"all-{suite}", suite, cases)
        for kind, removed in (("brief", "(?!)"), ("blind", "(?m)^(memory_mib|processes) .*\n")):
            write(f"{kind}-{suite}", suite, cases)
            settings = suites / f"{kind}-{suite}" / "suite.toml"
            rest = re.sub(removed, "", settings.read_text("ascii"))
            settings.write_text(rest.replace("wall_s = 60", "wall_s = 20"), "ascii")


def _neighbours(suite: str) -> Iterable[Vice]:
    """Return the programs that can run beside each other in one suite."""
    return [vice for vice in ZOO if vice.suite == suite and vice.verdict != "not-started"]


@pytest.fixture(name="zoo", scope="module")
def _zoo(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Zoo]:
    """A zoo in which all selected runs have been started, those that mostly wait first."""
    zoo = Zoo(tmp_path_factory.mktemp("zoo"))
    here = [item for item in request.session.items if item.path == request.path]
    calls = [item.callspec.params for item in here if hasattr(item, "callspec")]
    orders = dict.fromkeys(_order(*call["each"]) for call in calls if "each" in call)
    for order in sorted(orders, key=lambda order: not order.suite.endswith("brisk")):
        zoo.begin(order)
    yield zoo
    zoo.close()


def _order(vice: Vice, jobs: int) -> ZooRun:
    """Return the run of a program: alone, or with all of its suite, eight at once."""
    if jobs == 1 or vice.verdict == "not-started":
        return ZooRun(vice.program, vice.suite, jobs)
    return ZooRun("is-any-of-them", f"all-{vice.suite}", jobs)


ONE_OR_EIGHT: Final = pytest.mark.parametrize("jobs", [1, 8], ids=["j1", "j8"])


@pytest.mark.parametrize(
    "each", [pytest.param((vice, n), id=f"{vice.program}-j{n}") for vice in ZOO for n in (1, 8)]
)
def test_a_vice_gets_its_verdict(zoo: Zoo, each: tuple[Vice, int]) -> None:
    vice, order = each[0], _order(*each)
    case = "1" if order.program == vice.program else f"{vice.program}-1"
    event = zoo.begin(order).result().judged[case]
    assert event["verdict"] == vice.verdict
    assert vice.message in event["message"]
    _assert_not_before_limit(vice, event)


@pytest.mark.parametrize("each", [pytest.param((vice, 1), id=vice.program) for vice in ZOO])
def test_xtest_ends_properly_takes_no_memory_and_leaves_no_process(
    zoo: Zoo, each: tuple[Vice, int]
) -> None:
    vice, _ = each
    seen = zoo.begin(_order(*each)).result()
    assert (seen.hung, seen.left) == (False, [])
    assert seen.peak_mib <= PEAK_MIB
    assert seen.events[-1]["event"] == "run-ended"
    assert seen.status == (0 if vice.verdict == "passed" else 1)


@pytest.mark.parametrize("suite", SUITES)
def test_all_at_once_take_no_memory_and_leave_nothing_behind(zoo: Zoo, suite: str) -> None:
    seen = zoo.begin(ZooRun("is-any-of-them", f"all-{suite}", 8)).result()
    assert set(seen.verdicts) == {f"{vice.program}-1" for vice in _neighbours(suite)}
    assert (seen.hung, seen.left) == (False, [])
    assert seen.peak_mib <= PEAK_MIB


@pytest.fixture(name="public_zoo")
def _public_zoo() -> Iterator[Zoo]:
    """A zoo that every user can enter: pytest has its own folders for itself."""
    folder = Path(mkdtemp(prefix="zoo-"))
    zoo = Zoo(folder)
    subprocess.run(["chmod", "-R", "a+rwX", str(folder)], check=True)
    yield zoo
    zoo.close()
    shutil.rmtree(folder)


# Runs without control groups, and as an ordinary user, who has none either. This one can read what
# root can, because the Python may be root's own.
READS: Final = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
HIDES_GROUPS: Final = ("sh", "-c", 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', "sh")
ELSEWHERE: Final = {
    "without groups": ("unshare", "--mount", "--", *HIDES_GROUPS),
    "ordinary user": ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *READS, "--"),
}


@pytest.mark.system
@pytest.mark.parametrize("under", ELSEWHERE.values(), ids=ELSEWHERE)
def test_verdicts_are_the_same_without_control_groups(
    public_zoo: Zoo, under: Sequence[str]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    attempt = [*under, "sh", "-c", '"$0" -c ""', sys.executable]
    if subprocess.run(attempt, check=False).returncode != 0:
        pytest.skip("not possible here")
    names = {vice.program: vice for vice in _neighbours("patient")}
    seen = public_zoo.run(ZooRun("is-any-of-them", "all-patient", 2), [], {}, under)
    assert seen.verdicts == {f"{name}-1": vice.verdict for name, vice in names.items()}
    assert seen.left == []
    assert {event.get("accounting") for event in seen.judged.values()} == {"proc"}


PORTABLE_ONLY: Final = pytest.mark.skipif(
    SYSTEM.has_namespaces, reason="takes a minute; a part of tox -e portable"
)


@pytest.mark.slow
@PORTABLE_ONLY
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("suite", SUITES)
def test_the_portable_back_end_gives_the_listed_verdicts(
    public_zoo: Zoo, suite: str, part: int
) -> None:
    vices = list(_neighbours(suite))[part::4]
    order = ZooRun("is-any-of-them", f"all-{suite}", 4)
    _assert_verdicts(public_zoo, order, vices, PORTABLE)


@pytest.mark.slow
@PORTABLE_ONLY
@pytest.mark.parametrize("suite", SUITES)
def test_with_processes_as_macos_shows_them_verdicts_are_as_listed(
    public_zoo: Zoo, suite: str
) -> None:
    order = ZooRun("is-any-of-them", f"brief-{suite}", 8)
    imitation = {"IMITATES": "macos"}
    _assert_verdicts(public_zoo, order, _neighbours(suite), PORTABLE + MACOS, variables=imitation)


# Its suite would be refused.
NEEDS_SAMPLES: Final = ("memory-limit", "process-limit")
TOO_LATE: Final = {"silent", "stalled"}


@pytest.mark.slow
@PORTABLE_ONLY
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts something over /proc")
@pytest.mark.parametrize("suite", SUITES)
def test_without_proc_the_portable_back_end_gives_the_listed_verdicts(
    public_zoo: Zoo, suite: str
) -> None:
    vices = [each for each in _neighbours(suite) if each.verdict not in NEEDS_SAMPLES]
    order = ZooRun("is-any-of-them", f"blind-{suite}", 8)
    seen = _assert_verdicts(public_zoo, order, vices, BLIND, within=HIDES_PROC)
    assert {event.get("accounting", "exit") for event in seen.judged.values()} == {"exit"}


def _assert_verdicts(
    zoo: Zoo,
    order: ZooRun,
    vices: Iterable[Vice],
    others: Iterable[Vice],
    *,
    within: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> Seen:
    wanted = {f"{vice.program}-1": vice.verdict for vice in vices}
    listed = {f"{vice.program}-1": vice.verdict for vice in others}
    environment = {**without_linux(), **(variables or {})}

    def run(jobs: int, names: Iterable[str]) -> Seen:
        options = [word for name in names for word in ("--case", name)]
        seen = zoo.run(order._replace(jobs=jobs), options, environment, within=within)
        assert set(seen.verdicts) == set(names), seen.console
        assert not seen.hung
        return seen

    seen = run(order.jobs, wanted)
    verdicts = seen.verdicts
    # Those that were too slow among the others run again alone.
    late = [
        name
        for name, verdict in verdicts.items()
        if verdict in TOO_LATE and verdict not in (wanted[name], listed.get(name))
    ]
    if late:
        verdicts |= run(1, late).verdicts
    # Whether a listed program is caught may depend on when a sample sees its processes.
    found = {name: listed[name] for name in wanted if verdicts[name] == listed.get(name)}
    assert verdicts == wanted | found
    return seen


@ONE_OR_EIGHT
@pytest.mark.parametrize("number", FATAL, ids=lambda number: number.name)
def test_a_fatal_signal_is_a_crash_that_has_its_name(
    zoo: Zoo, number: signal.Signals, jobs: int
) -> None:
    seen = zoo.begin(ZooRun(SIGNALLED, "signals", jobs)).result()
    event = seen.judged[str(int(number))]
    assert (event["verdict"], event["signal"]) == ("crashed", number.name)
    assert number.name in event["message"]


def test_a_program_inherits_the_environment_of_xtest(zoo: Zoo) -> None:
    order = ZooRun("depends-on-the-environment", "patient", 1)
    seen = zoo.run(order, ["--case", "1"], {"ZOO_HOME": "here"})
    assert seen.verdicts == {"1": "passed"}


def test_a_program_does_not_reach_the_terminal_that_xtest_has(zoo: Zoo) -> None:
    ours, terminal = pty.openpty()
    # The first terminal that the leader of a session opens is the one of the session.
    words = 'exec 3<>"$0"; echo "it is here" >/dev/tty; exec "$@"'
    under = ["setsid", "sh", "-c", words, os.ttyname(terminal)]
    seen = zoo.run(ZooRun("writes-to-the-terminal", "patient", 1), ["--case", "1"], {}, under)
    assert seen.verdicts == {"1": "passed"}
    assert os.read(ours, 4096) == b"it is here\r\n"
    os.close(terminal)
    os.close(ours)


def test_memory_without_a_process_counts_in_control_groups(zoo: Zoo) -> None:
    seen = zoo.run(ZooRun("hides-memory-in-many-files", "patient", 1), ["--case", "1"])
    counts = seen.judged["1"]["accounting"] in ("cgroup-v1", "cgroup-v2")
    assert seen.verdicts == {"1": "memory-limit" if counts else "passed"}


def test_descriptors_of_the_caller_do_not_reach_a_program(zoo: Zoo) -> None:
    under = ["sh", "-c", 'exec 9>"$0"; exec "$@"', str(zoo.folder / "nine")]
    seen = zoo.run(ZooRun("inherits-descriptors", "patient", 1), ["--case", "1"], {}, under)
    assert seen.verdicts == {"1": "exit-status"}
    assert not (zoo.folder / "nine").read_bytes()


def test_what_a_program_prints_does_not_act_on_a_terminal(zoo: Zoo) -> None:
    seen = zoo.begin(ZooRun("writes-escape-sequences", "patient", 1)).result()
    assert "[2J" in seen.console
    assert not set("\x1b\x07") & set(seen.console)


@pytest.mark.parametrize(
    ("program", "says"),
    [("forbids-its-own-execution", "is not executable"), ("renames-itself", "no such file")],
)
def test_what_a_run_does_to_its_program_affects_the_next_run(
    zoo: Zoo, program: str, says: str
) -> None:
    seen = zoo.run(ZooRun(program, "patient", 1))
    assert seen.verdicts == {"1": "passed", "2": "not-started", "3": "not-started"}
    assert says in seen.judged["2"]["message"]


@pytest.mark.parametrize(
    "program", ["interrupts-its-parent", "interrupts-its-parent-again-and-again"]
)
def test_a_program_that_interrupts_xtest_is_ctrl_c(zoo: Zoo, program: str) -> None:
    seen = zoo.run(ZooRun(program, "patient", 1), ["--case", "1"])
    assert seen.status == 130
    assert seen.events[-1] == seen.events[-1] | {"event": "run-ended", "interrupted": True}
    assert (seen.judged, seen.left) == ({}, [])


def test_a_program_that_terminates_xtest_does_not_outlive_it(zoo: Zoo) -> None:
    seen = zoo.run(ZooRun("terminates-its-parent", "patient", 1), ["--case", "1"])
    assert seen.status != 0
    assert (seen.judged, seen.left) == ({}, [])


def test_a_program_that_kills_a_worker_is_not_taken_for_one_that_passed(zoo: Zoo) -> None:
    seen = zoo.run(ZooRun("kills-its-parent", "patient", 1), ["--case", "1"])
    assert (seen.status, seen.verdicts, seen.left) == (2, {"1": "harness-fault"}, [])
    assert "a worker of xtest was killed by SIGKILL" in seen.judged["1"]["message"]


@pytest.fixture(name="sandbox", scope="module", params=list(SandboxKind))
def _sandbox(request: pytest.FixtureRequest) -> str:
    found = find_sandbox(request.param, Exposure())
    if isinstance(found, Refused):
        pass_over(found.reason)
    return f"--sandbox={request.param.value}"


@pytest.mark.system
@pytest.mark.parametrize(("program", "suite", "verdict"), SANDBOXED)
def test_in_a_sandbox_no_program_reaches_xtest(
    zoo: Zoo, sandbox: str, program: str, suite: str, verdict: str
) -> None:
    seen = zoo.run(ZooRun(program, suite, 1), ["--case", "1", sandbox], {"ZOO_TOKEN": "secret"})
    assert seen.verdicts == {"1": verdict}
    assert (seen.status, seen.left) == (verdict != "passed", [])


def test_without_a_sandbox_a_program_can_read_the_expected_output(zoo: Zoo) -> None:
    seen = zoo.run(ZooRun("reads-the-expected-output", "patient", 1), ["--case", "1"])
    assert seen.verdicts == {"1": "passed"}


@pytest.mark.system
@ONE_OR_EIGHT
@pytest.mark.parametrize("vice", COMPILED, ids=[vice.program for vice in COMPILED])
def test_a_compiled_vice_gets_its_verdict(zoo: Zoo, vice: Vice, jobs: int) -> None:
    compiler = need("gcc")
    program, source = zoo.programs / vice.program, HERE / "sources" / f"{vice.program}.c"
    if not program.exists():
        subprocess.run([compiler, "-O0", "-w", "-o", str(program), str(source)], check=True)
    seen = zoo.begin(ZooRun(vice.program, vice.suite, jobs)).result()
    assert set(seen.verdicts.values()) == {vice.verdict}
    for event in seen.judged.values():
        assert vice.message in event["message"]
        _assert_not_before_limit(vice, event)
    assert seen.left == []
    assert seen.peak_mib <= PEAK_MIB


def _assert_not_before_limit(vice: Vice, event: dict[str, Any]) -> None:
    source = HERE / "suites" / vice.suite.replace("large", "patient") / "suite.toml"
    limits = parse_settings(source.read_bytes()).limits
    if vice.verdict == "silent":
        assert event["wall_s"] >= limits.first_byte_s
    elif vice.verdict == "stalled":
        assert event["wall_s"] >= limits.wall_s
    elif vice.verdict == "cpu-limit":
        assert event["cpu_s"] > limits.cpu_s


def test_each_program_has_a_row() -> None:
    verdicts = {vice.program: vice.verdict for vice in ZOO}
    assert all(verdicts[vice.program] != vice.verdict for vice in PORTABLE + MACOS + BLIND)
    rows = {vice.program for vice in ZOO} - {"is-its-own-target", "is-not-there"}
    assert {entry.name for entry in (HERE / "programs").iterdir()} == rows | SPECIAL
    compiled = {vice.program for vice in COMPILED}
    assert {entry.stem for entry in (HERE / "sources").iterdir()} == compiled
