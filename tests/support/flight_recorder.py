"""Java's flight recorder on the broker: what each of its files had not been forced to keep when the power failed."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from infra.ops.stack.tools import java

_RECORDED = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.FileForce"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
  <event name="jdk.FileWrite"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
</configuration>
"""


def tool(name: str) -> Path:
    """A program of the JDK whose `java` is used."""
    return Path(java() or "").resolve().with_name(name)


def recording(folder: Path) -> dict[str, str]:
    """Settings of a stack whose broker records every write and every `force` (fsync)."""
    settings = folder / "io.jfc"
    settings.write_text(_RECORDED)
    return {"JAVA_TOOL_OPTIONS": f"-XX:StartFlightRecording:settings={settings}"}


def dump(pid: int, to: Path) -> None:
    """Writes what was recorded until now."""
    command = [str(tool("jcmd")), str(pid), "JFR.dump", f"filename={to}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def unforced(dumped: Path) -> Mapping[str, int]:
    """By file: the bytes that were written to it after it had been forced for the last time."""
    command = [str(tool("jfr")), "print", "--json", "--events", "jdk.FileForce,jdk.FileWrite", str(dumped)]
    told = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    lost: dict[str, int] = defaultdict(int)
    for event in sorted(json.loads(told)["recording"]["events"], key=lambda event: event["values"]["startTime"]):
        path = event["values"]["path"]
        if path is None:  # not a file of the disk: a socket's or a pipe's
            continue
        if event["type"] == "jdk.FileWrite":
            lost[path] += event["values"]["bytesWritten"]
        else:
            lost[path] = 0
    return lost
