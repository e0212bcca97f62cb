"""Finds the record that crashes the process: a child process applies the records one by one and prints each offset.

`find_culprit` runs in the worker after three starts without a step and starts `module`, whose `main` calls `run` with
the registry. The child reads the records from its standard input, so it gets exactly the worker's records, and stores
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from infra.kernel.config.secret_handover import environment, handed_over
from infra.kernel.config.settings import SECRET_NAMES
from infra.kernel.log import StoredRecord
from infra.kernel.postgres.memory_rows import MemoryRows
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine import failpoints
from projectors.engine.dedup import NullDedupIndex
from projectors.engine.projection import Batch, ClickHouseProjection, Registry
from projectors.engine.read_model import ReadModel
from schemas import envelope

TIMEOUT_S: Final = 120.0


def find_culprit(module: str, key: WorkerKey, records: Sequence[StoredRecord], known: frozenset[int]) -> int | None:
    """Returns the offset of the first record that crashes a process; None when no record does."""
    lines = [
        json.dumps([r.offset, r.key.hex(), r.value.hex(), [[name, value.hex()] for name, value in r.headers]])
        for r in records
        if r.offset not in known
    ]
    command = [sys.executable, "-m", module, key.projection, key.topic, str(key.partition)]
    try:
        with handed_over(environment(), SECRET_NAMES) as (variables, descriptors):
            done = subprocess.run(
                command,
                input="\n".join(lines).encode(),
                stdout=subprocess.PIPE,
                env=variables,
                pass_fds=descriptors,
                timeout=TIMEOUT_S,
                check=False,
            )
        output, failed = done.stdout, done.returncode != 0
    except subprocess.TimeoutExpired as error:
        output, failed = error.stdout or b"", True
    reached = output.split()
    return int(reached[-1]) if failed and reached else None


def run(registry: Registry, arguments: Sequence[str]) -> int:
    """The child: prints each offset before it applies the record."""
    name, topic, partition = arguments
    projection = registry.projections[name]
    for line in sys.stdin:
        offset, key, value, headers = json.loads(line)
        named = tuple((header, bytes.fromhex(text)) for header, text in headers)
        record = StoredRecord(topic, int(partition), offset, 0, bytes.fromhex(key), bytes.fromhex(value), named)
        sys.stdout.write(f"{offset}\n")
        sys.stdout.flush()
        failpoints.touch(record.value)
        if isinstance(projection, ClickHouseProjection):
            projection.transforms[topic]([record], NullDedupIndex(), Batch())
        else:
            _try_handler(projection, record)
    return 0


def _try_handler(model: ReadModel, record: StoredRecord) -> None:
    """Runs the handler without storing its writes; the worker handles its exceptions."""
    with suppress(Exception):
        enveloped = envelope.decode(record.value, record.headers)
        handler = model.handlers.get(type(enveloped.event))
        if handler is not None:
            handler(MemoryRows(model.key), enveloped.event)
