"""Decodes a fetched batch of kafka-python's consumer at once, as `StoredRecord`, because it is cheaper.

kafka-python decodes record by record into two objects of its own; converting them took 8 us a record. It also does
not report that a broker answered with nothing, so readers at the end had to request the end offset each second. And
each poll that ends without records left an exception that holds itself and every caller's variables. This hooks into
`kafka.consumer.fetcher` 3.0 at three places (the class that unpacks a fetched partition, the handling of a response,
and the wait for one), so the dependency is pinned below 3.1 and `tests/contract/log/test_log.py` runs against a real
broker. Checksums are verified per batch; batches of transaction markers are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kafka import KafkaConsumer
from kafka.consumer.fetcher import Fetcher
from kafka.errors import CorruptRecordError
from kafka.future import Future
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.util import decode_varint
from kafka.structs import TopicPartition

from infra.kernel.log.port import Headers, StoredRecord
from infra.kernel.log.signature import HEADER, Signer


def decode_in_batches(consumer: KafkaConsumer, signer: Signer | None) -> None:
    """Makes `consumer.poll` give `StoredRecord`, their signatures checked."""
    consumer._fetcher.PartitionRecords = type("_SignedRecords", (_Records,), {"signer": signer})


def note_answers(consumer: KafkaConsumer, note: Callable[[], None]) -> None:
    """Calls `note`, on the consumer's own thread, for every fetch response without an error: the broker leads the
    partition, and the log contains the requested offset."""
    take = consumer._fetcher._handle_fetch_response

    def taking(node: Any, offsets: Any, sent_at: float, answer: Any) -> None:
        take(node, offsets, sent_at, answer)
        partitions = (partition for topic in answer.responses for partition in topic.partitions)
        if not getattr(answer, "error_code", 0) and not any(partition.error_code for partition in partitions):
            note()

    consumer._fetcher._handle_fetch_response = taking


def wait_without_errors(consumer: KafkaConsumer) -> None:
    """Lets an empty `consumer.poll` end without `KafkaTimeoutError`. The consumer catches it, but first stores it where
    its traceback leads: only the garbage collector frees it, with the records that its callers had read."""
    fetcher = consumer._fetcher
    fetcher._net = _Net(fetcher._net, fetcher._manager.wait_for)


class _Net:
    """The consumer's network, which waits in its own way for a response."""

    def __init__(self, net: Any, wait_for: Callable[..., object]) -> None:
        self._net, self._wait_for = net, wait_for

    def run(self, task: Callable[..., object], *arguments: Any) -> Any:
        return self._net.run(self._wait if task == self._wait_for else task, *arguments)

    async def _wait(self, response: Future, timeout_ms: float) -> None:
        ended = Future()

        def end(_result: object = None) -> None:
            if not ended.is_done:
                ended.success(None)

        response.add_both(end)
        timer = self._net.call_later(timeout_ms / 1000, end)
        try:
            await ended
        finally:
            self._net.cancel(timer)


class _Records(Fetcher.PartitionRecords):  # type: ignore[misc]  # kafka-python has no types
    """The records of one partition in one answer of the broker."""

    signer: Signer | None = None

    def _unpack_records(self, tp: TopicPartition, records: Any, *_deserializers: object) -> Iterator[StoredRecord]:
        last: DefaultRecordBatch | None = None
        while (batch := records.next_batch()) is not None:
            last = batch
            if self.check_crcs and not batch.validate_crc():
                raise CorruptRecordError(f"the batch of {tp} at offset {batch.base_offset} has a wrong checksum")
            if batch.magic != 2:
                raise CorruptRecordError(f"the batch of {tp} at offset {batch.base_offset} is of before Kafka 0.11")
            self.leader_epoch = batch.leader_epoch
            if batch.is_control_batch:
                self.next_fetch_offset = batch.next_offset
                continue
            for record in _decoded(batch, tp.topic, tp.partition, self.signer):
                self.next_fetch_offset = record.offset + 1
                yield record
        if last is not None:
            self.next_fetch_offset = last.next_offset
        self.drain()


def _decoded(batch: DefaultRecordBatch, topic: str, partition: int, signer: Signer | None) -> list[StoredRecord]:
    batch._maybe_uncompress()
    buffer, at = bytes(batch._buffer), batch._pos
    base, first = batch.base_offset, batch.first_timestamp
    append_time = batch.max_timestamp if batch.timestamp_type == batch.LOG_APPEND_TIME else None
    records: list[StoredRecord] = []
    is_signed = signer is not None  # until `signer` has looked
    ends: list[tuple[int, bytes]] = []
    for _ in range(batch.records_count):
        length, at = _varint(buffer, at)
        end = at + length
        time_delta, at = _varint(buffer, at + 1)  # one byte of attributes, unused
        offset_delta, at = _varint(buffer, at)
        size, at = _varint(buffer, at)
        key = value = b""
        if size > 0:
            key = buffer[at : at + size]
            at += size
        size, at = _varint(buffer, at)
        if size > 0:
            value = buffer[at : at + size]
            at += size
        headers: Headers = ()
        if at + 1 == end and buffer[at] == 0:
            at = end
        else:
            headers, at = _headers(buffer, at)
            if headers and headers[-1][0] == HEADER:
                ends.append((len(records), headers[-1][1]))
                headers = headers[:-1]
        if at != end:
            raise CorruptRecordError(f"the record {topic}[{partition}]@{base + offset_delta} has a wrong length")
        moment = first + time_delta if append_time is None else append_time
        records.append(StoredRecord(topic, partition, base + offset_delta, moment, key, value, headers, is_signed))
    return records if signer is None else signer.checked(records, ends)


def _headers(buffer: bytes, at: int) -> tuple[Headers, int]:
    count, at = _varint(buffer, at)
    headers = []
    for _ in range(count):
        size, at = _varint(buffer, at)
        name = buffer[at : at + size].decode()
        at += size
        size, at = _varint(buffer, at)
        headers.append((name, buffer[at : at + size] if size > 0 else b""))
        at += max(size, 0)
    return tuple(headers), at


def _varint(buffer: bytes, at: int) -> tuple[int, int]:
    """A signed number and the position after it; most need one byte or two."""
    low = buffer[at]
    if low < 0x80:
        return (low >> 1) ^ -(low & 1), at + 1
    high = buffer[at + 1]
    if high < 0x80:
        both = (low & 0x7F) | high << 7
        return (both >> 1) ^ -(both & 1), at + 2
    number: tuple[int, int] = decode_varint(buffer, at)
    return number
