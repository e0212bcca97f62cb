"""Makes the archive of Kafka's classes with which it starts in half the CPU time: once, after its jars were fetched.

`python -m infra.stack.engines.kafka_archive`, as `make` does: a broker of its own is started and ended again, and Java
writes down what it had loaded (class data sharing). Java itself ignores an archive that does not fit.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.settings import SettingsError
from infra.stack.engines import kafka
from infra.stack.ports import free_ports
from infra.stack.secret_file import made
from infra.stack.tools import KAFKA_ARCHIVE, launched

_PATIENCE_S = 180.0


def main() -> int:
    """Always 0: without the archive Kafka only takes longer to start; the reason is said."""
    KAFKA_ARCHIVE.unlink(missing_ok=True)
    with TemporaryDirectory(prefix="althing-kafka-") as folder:
        try:
            make(Path(folder), KAFKA_ARCHIVE)
        except (OSError, SettingsError, subprocess.SubprocessError, TimeoutError) as error:
            sys.stdout.write(f"Kafka will take longer to start, its classes could not be archived: {error}\n")
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
