"""Record a session of the official Python client of MCP, and run it again: `python session.py`.

The client starts `xtest record` in place of the server. The recorded script must pass on the same
server, and fail on one that does something else: its tools name another time zone.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters  # pylint: disable=import-error  # see requirements.txt

SERVER = ["mcp-server-time", "--local-timezone"]


async def _converse(command: list[str]) -> None:
    async with Client(StdioServerParameters(command=command[0], args=command[1:])) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["get_current_time", "convert_time"]
        refused = await client.call_tool("get_current_time", {"timezone": "Nowhere/Else"})
        assert refused.is_error


def main() -> int:
    """Return the exit status: 0 if both runs end as they must."""
    with tempfile.TemporaryDirectory() as folder:
        suite = str(Path(folder, "recorded"))
        asyncio.run(_converse(["xtest", "record", suite, "--", *SERVER, "UTC"]))
        statuses = {
            zone: subprocess.call(["xtest", "run", "-q", suite, "--", *SERVER, zone])
            for zone in ("UTC", "Asia/Tokyo")
        }
    print(f"exit statuses: {statuses}")
    return 0 if statuses == {"UTC": 0, "Asia/Tokyo": 1} else 1


if __name__ == "__main__":
    sys.exit(main())
