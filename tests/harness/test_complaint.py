"""What is quoted of standard error: the line that says why, bounded and visible."""

from __future__ import annotations

import pytest

from harness.judging.complaint import complaint, has_windows_line_ends

NODE = b"""node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './nothing'
Require stack:
- /tmp/t.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
}

Node.js v20.20.2
"""
JAVA = b"""Exception in thread "main" java.lang.RuntimeException: outer
\tat Main.main(Main.java:3)
Caused by: java.lang.IllegalStateException: inner
\tat Main.main(Main.java:2)
"""
RUST = b"""thread 'main' panicked at src/main.rs:2:5:
boom
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
GO = b"panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:4 +0x2c\nexit status 2\n"
ENV = "/usr/bin/env: ‘python3\\r’: No such file or directory\n/usr/bin/env: use -[v]S\n"


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        (b"", ""),
        (b" \n\n", ""),
        (b"why\n", "ends: why"),
        (b"Traceback (most recent call last):\n  File 1\nKeyError: 'x'\n\n", "ends: KeyError: 'x'"),
        (NODE, "says: Error: Cannot find module './nothing'"),
        (JAVA, "says: Caused by: java.lang.IllegalStateException: inner"),
        (RUST, "says: thread 'main' panicked at src/main.rs:2:5: boom"),
        (GO, "says: panic: boom"),
        (b"Error:\n", "ends: Error:"),
        (ENV.encode(), "says: /usr/bin/env: ‘python3\\r’: No such file or directory"),
        (b"no errors so far\nbad \x1b[2J\xff\n", "ends: bad \\x1b[2J\\xff"),
        (b"x" * 9_999, f"ends: {'x' * 199}…"),
    ],
)
def test_the_line_that_says_why_is_quoted(stderr: bytes, said: str) -> None:
    assert complaint(stderr) == (f"; its standard error {said}" if said else "")


@pytest.mark.parametrize(
    ("stderr", "has"),
    [
        (ENV.encode(), True),
        (b"env: 'python3\\r': No such file or directory\n", True),
        (b"a.sh: 2: foo\r: not found\n", True),
        (b"a.sh: line 2: $'foo\\r': command not found\n", True),
        (b"env: 'python4': No such file or directory\r\n", False),
        (b"", False),
    ],
)
def test_windows_line_ends_are_known_by_what_was_not_found(stderr: bytes, has: bool) -> None:
    assert has_windows_line_ends(stderr) is has
