"""Answer the values of a case in reverse order: the program of languages/session-suite."""

from xtest_session import Skipped, serve


def mirror(values):
    if values[:1] == ["skip"]:
        raise Skipped("asked to skip")
    if values[:1] == ["fail"]:
        raise ValueError("asked to fail")
    return values[::-1]


serve(mirror, "mirror", version="1.0")
