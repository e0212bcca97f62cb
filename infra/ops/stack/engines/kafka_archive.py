"""Makes the archive of Kafka's classes with which it starts in half the CPU time: a broker of its own is started and
ended again, and Java writes down what it had loaded (class data sharing). Java itself ignores an archive that does not
fit.

`python -m infra.ops.stack.engines.kafka_archive FILE`, as `make` does once after it fetched the jars. An installed
product makes it in its data directory, beside the running stack (`begin`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.kernel.config.paths import IS_INSTALLED, KAFKA_JARS, kafka_archive
from infra.kernel.config.settings import SettingsError
from infra.ops.stack.engines import kafka
from infra.ops.stack.ports import free_ports
from infra.ops.stack.secret_file import made
from infra.ops.stack.spec import log_file
from infra.ops.stack.tools import java, launched

DELAY_S: Final = 60.0
"""The processor's first minute belongs to the stack."""
_PATIENCE_S = 180.0


def main(arguments: list[str]) -> int:
    """`FILE [DELAY_S]`. Always returns 0: without the archive Kafka only starts more slowly; the reason is printed."""
    archive = Path(arguments[0])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # with the temporary folder removed
    os.nice(10)
    time.sleep(float(arguments[1]) if len(arguments) > 1 else 0.0)
    archive.unlink(missing_ok=True)
    with TemporaryDirectory(prefix="althing-kafka-") as folder:
        try:
            make(Path(folder), archive)
            _mark(archive).write_text(_origin())
        except (OSError, SettingsError, subprocess.SubprocessError, TimeoutError) as error:
            sys.stdout.write(f"Kafka starts more slowly: its classes could not be archived: {error}\n")
    return 0


def begin(data_dir: Path) -> subprocess.Popen[bytes] | None:
    """Makes the archive of an installed product in a process of low priority, unless the one of this Java and these
    jars is there. The process ends with the caller."""
    archive = kafka_archive(data_dir)
    mark = _mark(archive)
    if not IS_INSTALLED or (archive.exists() and mark.exists() and mark.read_text() == _origin()):
        return None
    command = [sys.executable, "-m", "infra.ops.stack.engines.kafka_archive", str(archive), str(DELAY_S)]
    log = log_file(data_dir, "kafka-archive")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(
            launched(command), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )


def make(folder: Path, archive: Path) -> None:
    """Raises `TimeoutError`, `OSError`, `SettingsError` or `subprocess.SubprocessError`."""
    port, controller_port = free_ports(2)
    spec = kafka.spec(folder, port, controller_port, made(), flush_each=False)
    spec.prepare()
    new, log = archive.with_suffix(".new"), folder / "kafka.log"
    program, *rest = spec.command
    with log.open("wb") as output:
        process = subprocess.Popen(
            launched([program, f"-XX:ArchiveClassesAtExit={new}", *rest]), stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not spec.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(f"the broker did not start: {log.read_text(errors='replace')[-500:]}")
            time.sleep(0.05)
        process.terminate()
        process.wait(_PATIENCE_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    new.replace(archive)


def _mark(archive: Path) -> Path:
    """The file that says of which Java and jars the archive is."""
    return archive.with_suffix(".origin")


def _origin() -> str:
    program = Path(java() or "").resolve()
    return "\n".join([f"{program} {program.stat().st_mtime_ns}", *sorted(jar.name for jar in KAFKA_JARS.glob("*.jar"))])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
