"""The log port on real engines: publish, acknowledge, read back. Baseline: kafka-python's own `send` and `poll`."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Semaphore

import psycopg
from kafka import KafkaConsumer, KafkaProducer
from kafka.structs import TopicPartition

from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, Position, Record
from infra.kernel.log.kafka_log import BATCH_BYTES, KafkaLog
from infra.kernel.log.limits import partition_of
from infra.kernel.log.postgres_log import PostgresLog
from schemas.topics import CLICKS
from tests.bench import Figure
from tests.support.engines import ROOT, engine_folder, start_kafka, start_postgres, wait_until

COMMAND = "python -m tests.bench log"
RECORDS = 50_000
BATCH = 500
SINGLES = 10_000
OUTSTANDING = 256
VALUE_BYTES = 330
"""About what a click with its enrichment takes."""


def run() -> list[Figure]:
    return [*_kafka(), *_postgres()]


def _kafka() -> list[Figure]:
    with engine_folder("bench-log") as folder:
        engine = start_kafka(folder)
        try:
            settings = Settings(kafka_bootstrap_servers=engine.address)
            log = KafkaLog(settings, linger_ms=5)
            log.create_topics()
            wait_until(log.ready, 30, "Kafka")
            records = _records()
            sent, sent_cpu = _sent_by_kafka_python(engine.address, records)
            publish, publish_cpu = _batches(log, records)
            single, p50, p99 = _singles(log, records)
            read, read_cpu = _read(log)
            polled, polled_cpu = _polled_by_kafka_python(engine.address, log.end_offset(CLICKS.name, 0))
            log.close()
        finally:
            engine.stop()
    send, poll = "KafkaProducer.send", "KafkaConsumer.poll"
    return [
        _figure(f"Kafka: publish, calls of {BATCH}", publish, "records/s", sent, send),
        _figure("Kafka: CPU of a record published in such a call", publish_cpu, "us", sent_cpu, send),
        _figure(f"Kafka: publish, calls of 1, {OUTSTANDING} at once", single, "records/s"),
        _figure("Kafka: acknowledgement of such a call, p50 (linger 5 ms)", p50, "ms"),
        _figure("Kafka: acknowledgement of such a call, p99", p99, "ms"),
        _figure("Kafka: read one partition", read, "records/s", polled, poll),
        _figure("Kafka: CPU of a record read", read_cpu, "us", polled_cpu, poll),
    ]


def _postgres() -> list[Figure]:
    with engine_folder("bench-log") as folder:
        engine = start_postgres(folder)
        try:
            with psycopg.connect(engine.address) as connection:
                connection.execute(Path(ROOT / "infra/ops/migrations/postgres/0415_log.sql").read_text())
            log = PostgresLog(Settings(postgres_url=engine.address))
            log.create_topics()
            records = _records()
            publish, _ = _batches(log, records)
            single, p50, p99 = _singles(log, records)
            read, _ = _read(log)
            log.close()
        finally:
            engine.stop()
    return [
        _figure(f"Log on Postgres: publish, calls of {BATCH}", publish, "records/s"),
        _figure(f"Log on Postgres: publish, calls of 1, {OUTSTANDING} at once", single, "records/s"),
        _figure("Log on Postgres: acknowledgement of such a call, p50", p50, "ms"),
        _figure("Log on Postgres: acknowledgement of such a call, p99", p99, "ms"),
        _figure("Log on Postgres: read one partition", read, "records/s"),
    ]


def _figure(name: str, value: float, unit: str, baseline: float | None = None, baseline_name: str = "") -> Figure:
    figure = Figure(name=name, value=_rounded(value), unit=unit, command=COMMAND)
    if baseline is not None:
        figure["baseline"], figure["baseline_name"] = _rounded(baseline), baseline_name
    return figure


def _rounded(value: float) -> float:
    return round(value, 2) if value < 100 else round(value)


def _records() -> list[Record]:
    rng = random.Random(1)
    parts = [rng.randbytes(VALUE_BYTES // 2) + b"a" * (VALUE_BYTES - VALUE_BYTES // 2) for _ in range(500)]
    headers = (("h", b"12345678"),)
    return [Record(CLICKS.name, rng.randbytes(16), rng.choice(parts), headers) for _ in range(RECORDS)]


def _batches(log: Log, records: Sequence[Record]) -> tuple[float, float]:
    """Records a second, and microseconds of CPU for one."""
    log.publish(records[:BATCH]).result(10)
    started, cpu = time.perf_counter(), time.process_time()
    calls = [log.publish(records[start : start + BATCH]) for start in range(0, len(records), BATCH)]
    for call in calls:
        call.result(30)
    passed, used = time.perf_counter() - started, time.process_time() - cpu
    return len(records) / passed, used / len(records) * 1e6


def _singles(log: Log, records: Sequence[Record]) -> tuple[float, float, float]:
    """Records a second, and milliseconds to the acknowledgement: p50, p99."""
    turns, times = Semaphore(OUTSTANDING), []
    started = time.perf_counter()
    for record in records[:SINGLES]:
        turns.acquire()
        sent = time.perf_counter()

        def done(_: Future[list[Position]], sent: float = sent) -> None:
            times.append(time.perf_counter() - sent)
            turns.release()

        log.publish([record]).add_done_callback(done)
    for _ in range(OUTSTANDING):
        turns.acquire()
    passed = time.perf_counter() - started
    times.sort()
    return SINGLES / passed, times[SINGLES // 2] * 1000, times[SINGLES * 99 // 100] * 1000


def _read(log: Log) -> tuple[float, float]:
    source, end, count = log.source(CLICKS.name, 0), log.end_offset(CLICKS.name, 0), 0
    source.read(1, 5)
    source.seek(0)
    started, cpu = time.perf_counter(), time.process_time()
    while count < end:
        count += len(source.read(10_000, 1.0))
    passed, used = time.perf_counter() - started, time.process_time() - cpu
    source.close()
    return count / passed, used / count * 1e6


def _sent_by_kafka_python(address: str, records: Sequence[Record]) -> tuple[float, float]:
    producer = KafkaProducer(
        bootstrap_servers=address, compression_type="lz4", linger_ms=5, batch_size=BATCH_BYTES, metrics_enabled=False
    )
    producer.partitions_for(CLICKS.name)
    started, cpu = time.perf_counter(), time.process_time()
    futures = [
        producer.send(r.topic, r.value, r.key, list(r.headers), partition_of(r.key, CLICKS.partitions)) for r in records
    ]
    for future in futures:
        future.get(30)
    passed, used = time.perf_counter() - started, time.process_time() - cpu
    producer.close()
    return len(records) / passed, used / len(records) * 1e6


def _polled_by_kafka_python(address: str, end: int) -> tuple[float, float]:
    consumer = KafkaConsumer(
        bootstrap_servers=address, enable_auto_commit=False, metrics_enabled=False, max_partition_fetch_bytes=4_194_304
    )
    place = TopicPartition(CLICKS.name, 0)
    consumer.assign([place])
    consumer.seek(place, 0)
    consumer.poll(5000, max_records=1)
    consumer.seek(place, 0)
    started, cpu, count = time.perf_counter(), time.process_time(), 0
    while count < end:
        count += len(consumer.poll(1000, max_records=10_000).get(place, ()))
    passed, used = time.perf_counter() - started, time.process_time() - cpu
    consumer.close()
    return count / passed, used / count * 1e6
