"""Finding the record on which the process itself dies: a child process takes them one by one and says which it is at.

`find_culprit` runs in the worker after three starts without a step; `main` is the child. The child reads the records
from its standard input, so it sees exactly what the worker saw, and writes nothing anywhere.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final

from infra.log import StoredRecord
from projectors.engine import failpoints
from projectors.engine.dedup import NothingKnown
from projectors.engine.positions import Key
from projectors.engine.projection import Batch, Catalogue, ClickHouseProjection
from projectors.engine.read_model import ReadModel, Rows
from schemas import envelope

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
    name, topic, partition = arguments
    catalogue: Catalogue = import_module(CATALOGUE).CATALOGUE
    projection = catalogue.projections[name]
    for line in sys.stdin:
        offset, key, value, headers = json.loads(line)
        named = tuple((header, bytes.fromhex(text)) for header, text in headers)
        record = StoredRecord(topic, int(partition), offset, 0, bytes.fromhex(key), bytes.fromhex(value), named)
        sys.stdout.write(f"{offset}\n")
        sys.stdout.flush()
        failpoints.touch(record.value)
        if isinstance(projection, ClickHouseProjection):
            projection.makers[topic]([record], NothingKnown(), Batch())
        else:
            _try_handler(projection, record)
    return 0


def _try_handler(model: ReadModel, record: StoredRecord) -> None:
    """Runs the handler; what it would write goes nowhere, and what it raises is the worker's business."""
    with suppress(Exception):
        enveloped = envelope.decode(record.value, record.headers)
        handler = model.handlers.get(type(enveloped.event))
        if handler is not None:
            handler(_Nowhere(), enveloped.event)


class _Nowhere(Rows):
    """Takes every write and keeps none."""

    def __init__(self) -> None:
        self.position = self.offset = 0

    def put(self, **values: object) -> None:
        """Nothing."""

    def update(self, where: Mapping[str, object], **values: object) -> None:
        """Nothing."""

    def add(self, where: Mapping[str, object], **differences: int) -> None:
        """Nothing."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
