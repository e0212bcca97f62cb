"""The capacity model: from a load to brokers, partitions, processes, shards, disk and cost. Pure.

Every part is sized for the peak at `UTILISATION` of its measured throughput, and doubled where one machine may be lost.
The figures were measured on one small machine (docs/benchmarks.md); larger cores do more, networks between machines
cost more. So the result is a first plan to be measured, not a promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from infra.ops.capacity.measured import (
    CLICKHOUSE_ROW,
    INGEST_BATCH,
    INGEST_SINGLE,
    INSERT_MS,
    KAFKA_EVENT,
    LOG_BYTES,
    PROJECTOR,
    ROLLUP_SHARE,
    TABLE_BYTES,
)
from projectors.engine.clickhouse_worker import MAX_INTERVAL_S
from schemas.topics import CLICKS

DAY_S: Final = 86_400
UTILISATION: Final = 0.6
"""The used share of the measured throughput: the rest is for catching up after an outage, and for what was not
measured."""
MERGE_SPACE: Final = 1.5
"""Disk of ClickHouse for each byte of data: merges write a part before they drop the old ones."""
MIN_BROKERS: Final = 3
MIN_REPLICAS: Final = 2
CORES_A_BROKER: Final = 4
CORES_A_SHARD: Final = 16
DISK_A_BROKER: Final = 4 << 40
DISK_A_SHARD: Final = 8 << 40
INSERTS_A_SECOND: Final = 1 / MAX_INTERVAL_S
"""The inserts a second of one busy partition."""
PARTITIONS_A_PROCESS: Final = 2
"""The partitions of a process of projectors, so that the others share the work of one that was lost."""
OTHER_CORES: Final = 8
"""Two command services, two query services, two gateways and Postgres with a standby: they follow people,
not events."""


@dataclass(frozen=True)
class Load:
    """`peak`: events of the busiest second for each of the mean one. `batch`: events in a request. `days`: how long the
    log and the raw table are kept. `replicas`: copies in Kafka."""

    events_per_day: float
    peak: float = 3.0
    batch: int = 1
    days: int = 395
    replicas: int = 3


@dataclass(frozen=True)
class Prices:
    """The prices of a core for an hour, and of a GiB of disk for a month, in any currency."""

    core_hour: float = 0.04
    gib_month: float = 0.10


@dataclass(frozen=True)
class CapacityPlan:
    """The capacity that a load needs. Disk in bytes, all copies included; `cores` of everything; `month`: cost of a
    month."""

    mean_per_s: float
    peak_per_s: float
    ingest: int
    brokers: int
    partitions: int
    projectors: int
    shards: int
    clickhouse_replicas: int
    log_disk: int
    clickhouse_disk: int
    cores: int
    month: float
    warnings: tuple[str, ...]


def plan(load: Load, prices: Prices) -> CapacityPlan:
    """Raises `ValueError` for a load that is none."""
    if load.events_per_day <= 0 or load.peak < 1 or load.batch < 1 or load.days < 1 or load.replicas < 1:
        raise ValueError("Events, batch, days and replicas must be positive, and the peak at least 1.")
    mean = load.events_per_day / DAY_S
    peak = mean * load.peak
    events = load.events_per_day * load.days
    log_disk = ceil(events * LOG_BYTES.value * load.replicas)
    rows_disk = ceil(events * TABLE_BYTES.value * (1 + ROLLUP_SHARE) * MERGE_SPACE)
    ingest = max(2, _parts(peak, _ingest_per_core(load.batch)))
    busy = _parts(peak, PROJECTOR.value)
    projectors = max(2, busy)
    partitions = CLICKS.partitions * ceil(busy * PARTITIONS_A_PROCESS / CLICKS.partitions)
    kafka_cores = peak * KAFKA_EVENT.value * load.replicas / 1e6 / UTILISATION
    brokers = max(MIN_BROKERS, load.replicas, ceil(kafka_cores / CORES_A_BROKER))
    for_disk = ceil(log_disk / DISK_A_BROKER)
    insert_cores = (peak * CLICKHOUSE_ROW.value / 1e6 + partitions * INSERTS_A_SECOND * INSERT_MS / 1000) / UTILISATION
    shards = max(1, ceil(insert_cores / CORES_A_SHARD), ceil(rows_disk / DISK_A_SHARD))
    copies = max(MIN_REPLICAS, load.replicas - 1)
    cores = ingest + projectors + ceil(kafka_cores) + ceil(insert_cores) * copies + OTHER_CORES
    gib = (log_disk + rows_disk * copies) / (1 << 30)
    return CapacityPlan(
        mean_per_s=mean,
        peak_per_s=peak,
        ingest=ingest,
        brokers=max(brokers, for_disk),
        partitions=partitions,
        projectors=projectors,
        shards=shards,
        clickhouse_replicas=copies,
        log_disk=log_disk,
        clickhouse_disk=rows_disk * copies,
        cores=cores,
        month=cores * prices.core_hour * 730 + gib * prices.gib_month,
        warnings=tuple(_warnings(load, partitions, is_disk_decisive=for_disk > brokers)),
    )


def _parts(peak: float, per_part: float) -> int:
    return ceil(peak / (per_part * UTILISATION))


def _ingest_per_core(batch: int) -> float:
    """A request costs what its first event costs beside its events; both are measured at 1 and at 1,000 events."""
    single, event = 1 / INGEST_SINGLE.value, 1 / INGEST_BATCH.value
    return batch / (single - event + batch * event)


def _warnings(load: Load, partitions: int, is_disk_decisive: bool) -> list[str]:
    texts = []
    if partitions > CLICKS.partitions:
        texts.append(
            f"A new installation has {CLICKS.partitions} partitions of {CLICKS.name}: `althing partitions raise "
            f"{CLICKS.name} {partitions}` lets so many processes of projectors share the work."
        )
    if is_disk_decisive:
        texts.append(
            f"The disk decides the number of brokers ({DISK_A_BROKER >> 40} TiB each): larger disks, or Kafka's tiered "
            "storage, need fewer."
        )
    if load.replicas < MIN_BROKERS:
        texts.append("With fewer than three copies in Kafka, the loss of one broker stops writes or loses data.")
    return texts
