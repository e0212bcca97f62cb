"""The event log: every service appends to it and reads from it. The interface is in `infra.kernel.log.port`."""

from __future__ import annotations

from infra.kernel.config.settings import Settings
from infra.kernel.log.port import Headers as Headers
from infra.kernel.log.port import Log as Log
from infra.kernel.log.port import LogSource as LogSource
from infra.kernel.log.port import LogUnavailable as LogUnavailable
from infra.kernel.log.port import OffsetOutOfRange as OffsetOutOfRange
from infra.kernel.log.port import Position as Position
from infra.kernel.log.port import Record as Record
from infra.kernel.log.port import RecordTooLarge as RecordTooLarge
from infra.kernel.log.port import StoredRecord as StoredRecord
from infra.kernel.log.port import TopicPartition as TopicPartition
from infra.kernel.log.port import describe_partitions as describe_partitions


def open_log(settings: Settings, *, linger_ms: int = 0, delivery_timeout_s: float = 10.0) -> Log:
    """Opens the log of the settings (`ALTHING_LOG`, `KAFKA_BOOTSTRAP_SERVERS`, `POSTGRES_URL`), which signs
    published records.

    Without a master key, as in tools that only read, it does not sign, and treats no record as signed. `linger_ms`:
    how long the producer waits to fill a batch; 0 for the relay, a few ms for ingest. `delivery_timeout_s`: after
    this long an unacknowledged publish fails with `LogUnavailable`.
    """
    from infra.kernel.log.signature import Signer

    signer = Signer.of(settings)
    if settings.log == "postgres":
        from infra.kernel.log.postgres_log import PostgresLog

        return PostgresLog(settings, signer, delivery_timeout_s=delivery_timeout_s)
    from infra.kernel.log.kafka_log import KafkaLog

    return KafkaLog(settings, signer, linger_ms=linger_ms, delivery_timeout_s=delivery_timeout_s)
