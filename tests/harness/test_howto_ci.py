"""The page on CI: the steps of its jobs do what it says, in a repository as it describes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from runner_log import commands_in

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = (TOP / "docs/howto/ci.md").read_text(encoding="utf-8")
ACTIONS, SHARDS, GITLAB = re.findall("```yaml\n(.*?)```", PAGE, re.DOTALL)
(PLAIN,) = re.findall("```sh\n(.*?)```", PAGE, re.DOTALL)

MAKE = """#!/bin/sh
printf '#!/bin/sh\\nread x\\n[ $x = 3 ] && echo ::error::no >&2 || echo $((2 * x))\\n' > double
chmod +x double
"""


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """A repository with a suite of five cases, one of which its program fails, and what a job finds
    on PATH."""
    suite = tmp_path / "suites/double"
    suite.mkdir(parents=True)
    for number in range(1, 6):
        (suite / f"{number}-in.json").write_text(f"{number}\n", encoding="utf-8")
        (suite / f"{number}-out.json").write_text(f"{2 * number}\n", encoding="utf-8")
    bin_folder = tmp_path / ".venv/bin"
    bin_folder.mkdir(parents=True)
    xtest = f'#!/bin/sh\nexec {sys.executable} -m harness "$@"\n'
    # What is installed is this xtest, whatever is asked for.
    for name, text in (("xtest", xtest), ("make", MAKE), ("pip", "#!/bin/sh\n")):
        (bin_folder / name).write_text(text, encoding="utf-8")
        (bin_folder / name).chmod(0o755)
    return tmp_path


def run(command: str, repository: Path) -> subprocess.CompletedProcess[str]:
    """Run a step in the repository, as GitHub's runner does."""
    return subprocess.run(
        ["/bin/sh", "-e", "-c", command],
        cwd=repository,
        env={
            **os.environ,
            "PATH": f"{repository}/.venv/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(TOP),
            "GITHUB_WORKSPACE": str(repository),
            "GITHUB_STEP_SUMMARY": str(repository / "summary.md"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def steps(job: str, part: str = "") -> list[str]:
    """The commands of a job."""
    return re.findall(r"- run: (.*)", job.replace("${{ matrix.part }}", part))


def failures(repository: Path) -> list[str | None]:
    """The cases that fell short, by the JUnit report."""
    tree = ElementTree.parse(repository / "xtest.xml")
    return [case.get("name") for case in tree.iter("testcase") if case.find("failure") is not None]


def test_a_job_of_github_fails_and_tells_where(repository: Path) -> None:
    *before, last = [run(step, repository) for step in steps(ACTIONS)]
    assert [done.returncode for done in before] == [0, 0]
    assert last.returncode == 1
    (command,) = commands_in(last.stdout + last.stderr)
    assert command.properties == {
        **{"file": "suites/double/3-out.json", "line": "1"},
        **{"title": "too-few: suites/double/3"},
    }
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")
    assert failures(repository) == ["3"]
    assert (repository / "xtest.jsonl").stat().st_size > 0


def test_jobs_on_several_machines_come_to_the_whole(repository: Path) -> None:
    parts, whole = SHARDS.split("  whole:\n")
    for part in "1234":
        ended = [run(step, repository).returncode for step in steps(parts, part)]
        assert ended[:2] == [0, 0] and ended[2] in (0, 1)
    done = [run(step, repository) for step in steps(whole)][-1]
    assert (done.returncode, done.stderr) == (0, "")
    assert [command.name for command in commands_in(done.stdout)] == ["error"]
    assert failures(repository) == ["3"]
    assert "4 of 5" in (repository / "summary.md").read_text(encoding="utf-8")


def test_a_job_of_gitlab_leaves_a_junit_report(repository: Path) -> None:
    script, _ = GITLAB.split("  artifacts:\n")
    lines = re.findall(r"    - (.*)", script)
    assert [run(line, repository).returncode for line in lines] == [0, 0, 1]
    assert failures(repository) == ["3"]


def test_a_script_for_any_server_leaves_its_reports(repository: Path) -> None:
    # Its environment is there already.
    script = PLAIN.replace("python3 -m venv .venv\n", "")
    assert run(script, repository).returncode == 1
    assert failures(repository) == ["3"]
    assert (repository / "xtest.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")
