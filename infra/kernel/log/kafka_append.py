"""Appends whole calls to kafka-python's producer, with one callback per call and batch, because it is cheaper.

`KafkaProducer.send` makes two futures, three locks and two log strings per record (13-18 us; 57-77,000 records/s).
Here a call's records go into the producer's own batches under one lock per partition, and each batch reports once.
This uses internals of `kafka.producer` 3.0 (the accumulator's batches), so the dependency is pinned below 3.1 and
`tests/contract/log/test_log.py` runs against a real broker. When a broker demands that a batch is split, which the
topic settings rule out, nothing is reported and the caller's deadline fails the call: never a wrong position.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from time import time
from typing import Any

from kafka import KafkaProducer
from kafka.producer.producer_batch import ProducerBatch
from kafka.record.memory_records import MemoryRecordsBuilder
from kafka.structs import TopicPartition

from infra.kernel.log.kafka_records import write
from infra.kernel.log.port import Headers, LogUnavailable, Position, Record
from infra.kernel.log.signature import SIGNATURE_BYTES, Signer, runs

OnSuccess = Callable[[list[Position]], None]
OnFailure = Callable[[Exception], None]
_Part = tuple[ProducerBatch, int, list[int]]


class Appender:
    """Puts calls into one producer. `append` is not thread-safe: its owner holds a lock around it."""

    def __init__(self, producer: KafkaProducer, signer: Signer | None) -> None:
        self._signer = signer
        self._accumulator = producer._accumulator
        self._sender = producer._sender
        self._settings = producer.config
        self._topics: set[str] = set()

    def append(self, records: Sequence[Record], partitions: Sequence[int], done: OnSuccess, failed: OnFailure) -> None:
        """Hands the records over; then, on the producer's own thread, `done` or `failed` is called once."""
        parts = self._send(records, partitions)
        reports = count(1)  # counts in one step: parts may be reported on the caller's and the sender's thread at once
        positions: list[Position | None] = [None] * len(records)
        error: Exception | None = None

        def report(topic_partition: TopicPartition, first: int, places: list[int], result: tuple[Any, ...]) -> None:
            nonlocal error
            base, _, errors = result
            if errors is not None:
                error = errors(0)
            elif base < 0:  # stored by an earlier attempt that the broker no longer remembers the place of
                error = LogUnavailable("stored at an unknown place")
            else:
                topic, partition = topic_partition
                for offset, place in enumerate(places, base + first):
                    positions[place] = Position(topic, partition, offset)
            if next(reports) == len(parts):
                if error is None:
                    done(positions)  # type: ignore[arg-type]  # every place is filled by now
                else:
                    failed(error)

        for batch, first, places in parts:
            batch.produce_future.add_callback(report, batch.topic_partition, first, places)

    def _send(self, records: Sequence[Record], partitions: Sequence[int]) -> list[_Part]:
        by_place: dict[tuple[str, int], list[int]] = defaultdict(list)
        for index, record in enumerate(records):
            by_place[record.topic, partitions[index]].append(index)
        parts: list[_Part] = []
        wake = False
        for (topic, partition), indexes in by_place.items():
            if topic not in self._topics:
                self._sender.add_topic(topic)
                self._topics.add(topic)
            wake |= self._fill(TopicPartition(topic, partition), records, indexes, parts)
        if wake:
            self._sender.wakeup()
        return parts

    def _fill(self, place: TopicPartition, records: Sequence[Record], indexes: list[int], parts: list[_Part]) -> bool:
        """Appends to the partition's open batch and to new ones; returns whether the sender must wake up.

        Records that are signed together go into one batch, next to each other.
        """
        accumulator, now = self._accumulator, int(time() * 1000)
        mine = [records[index] for index in indexes]
        pieces = [(begin, end, size, self._headers(place, mine[begin:end])) for begin, end, size in runs(mine)]
        accumulator._appends_in_progress.increment()
        try:
            with accumulator._tp_lock(place):
                waiting = accumulator._batches[place]
                batch = waiting[-1] if waiting else self._new_batch(place)
                first, taken = batch.records.next_offset(), 0
                for begin, end, size, last_headers in pieces:
                    if not self._has_room(batch, size):
                        if begin > taken:
                            parts.append((batch, first, indexes[taken:begin]))
                        batch = self._new_batch(place)
                        first, taken = 0, begin
                    write(batch.records, mine[begin:end], now, last_headers)
                parts.append((batch, first, indexes[taken:]))
                return len(waiting) > 1 or first == 0 or batch.records.is_full()
        finally:
            accumulator._appends_in_progress.decrement()

    def _headers(self, place: TopicPartition, run: Sequence[Record]) -> Headers:
        """Returns the headers of the run's last record, with the signature of the run."""
        last = run[-1]
        if self._signer is None or not last.is_signed:
            return last.headers
        return (*last.headers, self._signer.header(place.topic, place.partition, run))

    def _has_room(self, batch: ProducerBatch, size: int) -> bool:
        """Returns whether `size` more bytes fit into the batch; any single run fits into an empty one."""
        records = batch.records
        if records._closed:
            return False
        is_fresh: bool = records.next_offset() == 0
        return is_fresh or records.size_in_bytes() + size + SIGNATURE_BYTES <= int(records._batch_size)

    def _new_batch(self, place: TopicPartition) -> ProducerBatch:
        settings, accumulator = self._settings, self._accumulator
        builder = MemoryRecordsBuilder(2, settings["compression_attrs"], settings["batch_size"])
        batch = ProducerBatch(place, builder)
        accumulator._batches[place].append(batch)
        accumulator._incomplete.add(batch)
        return batch
