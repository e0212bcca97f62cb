"""Finding the record on which the process itself dies: a child process takes them one by one and says which it is at.

`find_culprit` runs in the worker after three starts without a step; `main` is the child. The child reads the records
from its standard input, so it sees exactly what the worker saw, and writes nothing anywhere.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from infra.log import StoredRecord

if TYPE_CHECKING:
    from projectors.engine.positions import Key

TIMEOUT_S: Final = 120.0
CATALOGUE: Final = "projectors.catalogue"


def find_culprit(key: Key, records: Sequence[StoredRecord], known: frozenset[int]) -> int | None:
    """The offset of the first record that ends a process, or none does."""
    lines = [
        json.dumps([r.offset, r.key.hex(), r.value.hex(), [[name, value.hex()] for name, value in r.headers]])
        for r in records
        if r.offset not in known
    ]
    command = [sys.executable, "-m", "projectors.engine.probe", key.projection, key.topic, str(key.partition)]
    try:
        done = subprocess.run(
            command, input="\n".join(lines).encode(), stdout=subprocess.PIPE, timeout=TIMEOUT_S, check=False
        )
        output, failed = done.stdout, done.returncode != 0
    except subprocess.TimeoutExpired as error:
        output, failed = error.stdout or b"", True
    reached = output.split()
    return int(reached[-1]) if failed and reached else None


def main(arguments: Sequence[str]) -> int:
    """The child: says each offset before it touches the record."""
    from projectors.engine.dedup import NothingKnown
    from projectors.engine.projection import Batch, Catalogue, ClickHouseProjection
    from schemas import envelope

    projection_name, topic, partition = arguments
    catalogue: Catalogue = import_module(CATALOGUE).CATALOGUE
    projection = catalogue.projections[projection_name]
    for line in sys.stdin:
        offset, key, value, headers = json.loads(line)
        record = StoredRecord(
            topic,
            int(partition),
            offset,
            0,
            bytes.fromhex(key),
            bytes.fromhex(value),
            tuple((name, bytes.fromhex(text)) for name, text in headers),
        )
        sys.stdout.write(f"{offset}\n")
        sys.stdout.flush()
        if isinstance(projection, ClickHouseProjection):
            projection.makers[topic]([record], NothingKnown(), Batch())
        else:
            try:
                envelope.decode(record.value, record.headers)
            except envelope.UndecodableEvent:
                continue
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
