"""Makes the archive of Kafka's classes with which it starts in half the CPU time: once, after its jars were fetched.

`python -m infra.ops.stack.engines.kafka_archive`, as `make` does: a broker of its own is started and ended again, and
Java writes down what it had loaded (class data sharing). Java itself ignores an archive that does not fit.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.kernel.config.settings import SettingsError
from infra.ops.stack.engines import kafka
from infra.ops.stack.ports import free_ports
from infra.ops.stack.secret_file import made
from infra.ops.stack.tools import KAFKA_ARCHIVE, launched

_PATIENCE_S = 180.0


def main() -> int:
    """Always returns 0: without the archive Kafka only starts more slowly; the reason is printed."""
    KAFKA_ARCHIVE.unlink(missing_ok=True)
    with TemporaryDirectory(prefix="althing-kafka-") as folder:
        try:
            make(Path(folder), KAFKA_ARCHIVE)
        except (OSError, SettingsError, subprocess.SubprocessError, TimeoutError) as error:
            sys.stdout.write(f"Kafka starts more slowly: its classes could not be archived: {error}\n")
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
