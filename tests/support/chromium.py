"""Control Debian's headless Chromium over a pipe, as far as tests of a page need it.

A pytest plugin. No library: the DevTools protocol is JSON with a zero byte after each message, on
two descriptors (--remote-debugging-pipe). Source: chromedevtools.github.io/devtools-protocol.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.debian import need

_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--mute-audio"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--disable-extensions"),
)


@pytest.fixture(scope="session", name="browser")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    need("chromium")
    with closing(Browser(tmp_path_factory.mktemp("profile"))) as browser:
        yield browser


class Browser:
    """A browser with a profile of its own."""

    def __init__(self, profile: Path) -> None:
        # The browser reads on descriptor 3 and writes on 4; only a shell puts pipes just there.
        its_in, self._out = _pipe()
        self._in, its_out = _pipe()
        script = f'exec "$@" 3<&{its_in} 4>&{its_out} {its_in}<&- {its_out}>&-'
        command = ["chromium", *_FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        # Ended by `close`.
        self._process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "-c", script, "bash", *command, "about:blank"],
            pass_fds=(its_in, its_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile)},
        )
        os.close(its_in)
        os.close(its_out)
        self._pending = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        try:
            self.call("Browser.close")
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._in)
            os.close(self._out)

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Send a command and return its result; events that arrive meanwhile go to `events`."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params}
        message |= {"sessionId": session} if session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> dict[str, Any]:
        """Return the next event of this name in a tab, or an earlier one not yet returned."""
        while True:
            for event in self.events:
                if event["method"] == method and event.get("sessionId") == session:
                    self.events.remove(event)
                    return event
            self.events.append(self._message())

    @contextmanager
    def tab(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> Iterator[Tab]:
        """An empty tab of this size."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        tab.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab.call("Emulation.setEmulatedMedia", features=[scheme])
        yield tab
        self.call("Target.closeTarget", targetId=target)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "the browser has gone"
            self._pending += chunk
        message, _, self._pending = self._pending.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors are none of the first ones."""
    low = os.pipe()
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20) for descriptor in low]
    for descriptor in low:
        os.close(descriptor)
    return high[0], high[1]


class Tab:
    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to the tab and return its result."""
        return self._browser.call(method, self._session, **params)

    def open(self, address: str) -> None:
        """Load a page, and wait until all of it is there."""
        self.call("Page.navigate", url=address)
        self._browser.wait_for("Page.loadEventFired", self._session)

    def value(self, expression: str) -> Any:
        """Evaluate an expression of JavaScript, awaiting a promise."""
        done = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str, code: int = 0) -> None:
        """Press a key, and let it go."""
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        shared = {"key": key, "windowsVirtualKeyCode": code or ord(key[0].upper())}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def requests(self) -> list[str]:
        """Return the addresses that this tab requested, except data URLs."""
        requests = (event["request"] for event in self._events("Network.requestWillBeSent"))
        return [each["url"] for each in requests if not each["url"].startswith("data:")]

    def complaints(self) -> list[str]:
        """Return the errors, warnings and output in the console."""
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [str(event) for kind in kinds for event in self._events(kind)]

    def _events(self, method: str) -> list[dict[str, Any]]:
        """Return the parameters of the events of this name."""
        self.value("1")  # whatever came before the answer has been read
        return [
            event["params"]
            for event in self._browser.events
            if event.get("method") == method and event.get("sessionId") == self._session
        ]
