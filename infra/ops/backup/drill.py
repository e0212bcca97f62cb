"""The restore drill: restores a backup into a separate directory, starts it, audits it, counts rows, and deletes it.

A backup is proven only by a restore. The copy runs beside the stack on its own ports and engines, without access to
mail servers or resolvers.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import psycopg

from infra.kernel.config.paths import PACKAGES
from infra.kernel.config.secret_handover import handed_over
from infra.kernel.config.settings import FILE_SUFFIX, SECRET_NAMES, Settings
from infra.kernel.observability import stack_state
from infra.kernel.security.encryption import master_key
from infra.ops.backup import BackupError, history, manifest
from infra.ops.backup.creation import BackupProgress
from infra.ops.backup.manifest import Manifest
from infra.ops.backup.restore import restore
from infra.ops.stack.ports import free_ports
from infra.ops.stack.tools import ALTHING, launched

START_S: Final = 300.0
STOP_S: Final = 60.0
AUDIT_S: Final = 3600.0
_SERVICES: Final = ("command", "projectors")
_NOWHERE: Final = "127.0.0.1:9"


@dataclass(frozen=True)
class DrillResult:
    """The result of a drill. `differences` is empty when the backup is good."""

    manifest: Manifest
    seconds: float
    checked: int
    differences: tuple[str, ...]


def drill(settings: Settings, source: Path, progress: BackupProgress | None = None) -> DrillResult:
    """Restores `source` and checks that everything is there. Raises `BackupError` when it cannot be restored.

    The result is recorded in the stack's own `operations.backup`, either way.
    """
    reporter = progress or BackupProgress()
    backup_id = manifest.read(source).id
    began = time.monotonic()
    folder = Path(mkdtemp(prefix="althing-drill-"))
    try:
        copy = Settings(data_dir=folder / "data", host="127.0.0.1")
        made = restore(source, copy, master_key(settings).hex(), reporter)
        reporter.begin("audit", None)
        with running(copy.data_dir) as environment:
            checked, differences = compare(environment, made)
        result = DrillResult(made, time.monotonic() - began, checked, differences)
        history.note_drill(settings, backup_id, "; ".join(differences))
        return result
    except BackupError as error:
        history.note_drill(settings, backup_id, str(error))
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(data_dir: Path) -> Iterator[Mapping[str, str]]:
    """The copy's engines with relay, policies and projectors; the environment that reaches them."""
    ours = {row.metadata["name"] for row in fields(Settings)} | {f"{name}{FILE_SUFFIX}" for name in SECRET_NAMES}
    port, tracking_port = free_ports(2)
    environment = {name: value for name, value in os.environ.items() if name not in ours} | {
        "ALTHING_DATA_DIR": str(data_dir),
        "ALTHING_PORT": str(port),
        "ALTHING_TRACKING_PORT": str(tracking_port),
        "ALTHING_DNS_RESOLVERS": _NOWHERE,
        "ALTHING_CANARY": "0",
        "ALTHING_LOG": (data_dir / "log.kind").read_text().strip(),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(PACKAGES), os.environ.get("PYTHONPATH")))),
    }
    command = [*ALTHING, "up", "--only", ",".join(_SERVICES)]
    with (data_dir / "drill.log").open("w+") as output:
        process = subprocess.Popen(
            launched(command, death_signal=signal.SIGTERM),
            env=environment,
            cwd=data_dir,  # away from any `.env` that names servers which are not the copy's
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + START_S
            while not _is_up(data_dir):
                if process.poll() is not None or time.monotonic() > deadline:
                    output.seek(0)
                    said = output.read()[-500:].strip()
                    raise BackupError(f"The restored copy did not start (code {process.poll()}): {said}")
                time.sleep(0.2)
            yield {**environment, **stack_state.running_environment(data_dir)}
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _is_up(data_dir: Path) -> bool:
    stack = stack_state.read(data_dir)
    if stack is None or not stack_state.is_running(stack):
        return False
    states = {row.name: row.state for row in stack.processes}
    return all(states.get(name) == "running" for name in _SERVICES)


def compare(environment: Mapping[str, str], made: Manifest) -> tuple[int, tuple[str, ...]]:
    """Returns how many things were compared, and what is wrong."""
    audited = _audit(environment)
    differences = [f"audit: {audited[kind]} {kind}" for kind in ("missing", "duplicate", "wrong") if audited[kind]]
    with psycopg.connect(environment["POSTGRES_URL"], autocommit=True, connect_timeout=5) as connection:
        for table, expected in made.counts.items():
            row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()  # noqa: S608 - own text
            count = row[0] if row else 0
            # What the log holds from after the snapshot may be decided in the copy: rows may be added, never lacking.
            if count < expected:
                differences.append(f"{table} has {count:,} rows instead of {expected:,}")
    return sum(audited["checked"].values()), tuple(differences)


def _audit(environment: Mapping[str, str]) -> dict[str, Any]:
    try:
        with handed_over(environment, SECRET_NAMES) as (variables, descriptors):
            done = subprocess.run(
                [*ALTHING, "audit", "--json", "--timeout", "300"],
                env=variables,
                pass_fds=descriptors,
                cwd=environment["ALTHING_DATA_DIR"],
                capture_output=True,
                text=True,
                timeout=AUDIT_S,
                check=False,
            )
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise BackupError(f"The restored copy could not be audited: {error}") from error
    if "error" in report:
        raise BackupError(f"The restored copy could not be audited: {report['error']}")
    return report
