"""Install the built wheel into a fresh environment, and run `xtest` in an empty folder.

A script of tox's `wheel` environment, not a pytest module: check.py DIST VENV EMPTY.
"""

import subprocess
import sys
from pathlib import Path


def main(dist: Path, environment: Path, empty: Path) -> None:
    """Exit with the status of the first step that failed."""
    (wheel,) = dist.glob("*.whl")
    scripts = environment / "bin"
    empty.mkdir()
    _step(str(scripts / "python"), "-m", "pip", "install", "--quiet", str(wheel), folder=empty)
    # An eighth of the cases is some of every suite; the tests run all of them.
    _step(str(scripts / "xtest"), "demo", "--check", "--shard", "1/8", folder=empty)
    # What the page is made of travels in the wheel, too.
    page = ("run", "xrules", "--case", "10", "--report", "html=/dev/null")
    _step(str(scripts / "xtest"), *page, folder=empty)
    if list(empty.iterdir()):
        sys.exit(f"xtest left something behind: {list(empty.iterdir())}")


def _step(*command: str, folder: Path) -> None:
    print("+", *command, flush=True)
    status = subprocess.run(command, cwd=folder, check=False).returncode
    if status != 0:
        sys.exit(status)


if __name__ == "__main__":
    main(*(Path(word).absolute() for word in sys.argv[1:]))
