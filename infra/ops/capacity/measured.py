"""The measured figures that the capacity model is made of, each with its place in `docs/benchmarks.md`.

A test compares them with what the benches recorded last, so that neither is changed alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Measured:
    """`value` in the bench's own unit; `subject` and `figure` name it in `docs/benchmarks.json`."""

    value: float
    subject: str
    figure: str


INGEST_SINGLE: Final = Measured(12_419, "ingest", "single events, acknowledged by Kafka")
"""Events that one core of ingest takes in a second, one a request."""
INGEST_BATCH: Final = Measured(87_919, "ingest", "batches of 1000, acknowledged by Kafka")
"""The same in batches of 1,000."""
PROJECTOR: Final = Measured(64_486, "projector", "projector with all rollups, ids chosen by clients, each looked up")
"""Rows a second of one process of projectors, ClickHouse beside it."""
TABLE_BYTES: Final = Measured(40.7, "projector", "bytes per event in ClickHouse, raw table")
ROLLUP_SHARE: Final = 0.13
"""The rollups' bytes for each byte of the raw table: 45.9 bytes an event with all of them, in the same bench."""
CLICKHOUSE_ROW: Final = Measured(22.9, "cost", "drain: clickhouse")
"""Microseconds of a core for each row in large inserts, rollups and merges included."""
INSERT_MS: Final = 70.0
"""Milliseconds of a core for each insert beside its rows: eight views plan and write their parts."""
KAFKA_EVENT: Final = Measured(8.6, "cost", "batches of 1,000 at 5,000/s, without ids: kafka")
"""Microseconds of a core for each event that a broker stores and gives out, on one broker."""
LOG_BYTES: Final = Measured(92.5, "cost", "bytes of an event in Kafka's log")
"""Compressed, mostly in batches."""
