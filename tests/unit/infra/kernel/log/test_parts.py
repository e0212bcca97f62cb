"""The parts of the log that need no engine: partitions, sizes, and decoding as kafka-python does it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_murmur2
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder
from kafka.record.util import encode_varint

from infra.kernel.log import Headers, Record, RecordTooLarge
from infra.kernel.log.kafka_append import Appender  # noqa: F401 - its imports from kafka-python must exist
from infra.kernel.log.kafka_fetches import _decoded
from infra.kernel.log.kafka_records import varint, write
from infra.kernel.log.limits import MAX_RECORD_BYTES, check_place, murmur2, partition_for, partition_of, size_of
from schemas import topics


@given(st.binary(max_size=70))
def test_murmur2_is_kafkas(key: bytes) -> None:
    assert murmur2(key) == kafka_murmur2(key)


@pytest.mark.parametrize(
    ("key", "hashed"), [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536)]
)
def test_murmur2_gives_the_values_of_kafkas_own_tests(key: bytes, hashed: int) -> None:
    assert murmur2(key) == hashed & 0xFFFFFFFF


@given(st.binary(max_size=40), st.integers(1, 64))
def test_a_key_has_one_partition_within_the_topic(key: bytes, partitions: int) -> None:
    assert 0 <= partition_of(key, partitions) < partitions
    assert partition_of(key, partitions) == partition_of(bytes(key), partitions)


def test_a_record_says_where_it_goes_or_the_topic_does() -> None:
    assert partition_for(Record("clicks", b"k", b"v", partition=3), 2) == 3, "it may be newer than the number"
    assert partition_for(Record("domain", b"anything", b"v"), 1) == 0
    assert partition_for(Record("clicks", b"k", b"v"), 8) == partition_of(b"k", 8)
    with pytest.raises(ValueError, match=f"no partition {topics.MAX_PARTITIONS}"):
        check_place(Record("clicks", b"k", b"v", partition=topics.MAX_PARTITIONS))
    with pytest.raises(ValueError, match="not a topic"):
        check_place(Record("others", b"k", b"v"))


@given(
    st.binary(max_size=100), st.binary(max_size=300), st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=9)))
)
def test_the_size_is_never_less_than_what_kafka_writes(
    key: bytes, value: bytes, headers: list[tuple[str, bytes]]
) -> None:
    builder = MemoryRecordsBuilder(2, 0, 1 << 20)
    assert builder.append(1, key, value, headers) is not None
    builder.close()
    assert size_of(Record("clicks", key, value, tuple(headers))) >= len(builder.buffer())


_TIMES = st.integers(1_699_999_990_000, 1_700_000_010_000) | st.integers(0, 1 << 42)
_HEADERS = st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=200)), max_size=3).map(tuple)


@given(
    st.lists(
        st.lists(
            st.tuples(st.binary(max_size=70), st.binary(max_size=20_000), _HEADERS, _TIMES), min_size=1, max_size=9
        ),
        min_size=1,
        max_size=3,
    ),
    _HEADERS,
)
def test_records_are_written_as_kafka_python_writes_them(
    runs: list[list[tuple[bytes, bytes, Headers, int]]], last_headers: Headers
) -> None:
    now_ms = 1_700_000_000_000
    ours, reference = MemoryRecordsBuilder(2, 0, 1 << 22), MemoryRecordsBuilder(2, 0, 1 << 22)
    for run in runs:
        write(ours, [Record("clicks", *record) for record in run], now_ms, last_headers)
        for index, (key, value, headers, at) in enumerate(run):
            reference.append(at or now_ms, key, value, last_headers if index == len(run) - 1 else headers)
        assert ours.next_offset() == reference.next_offset()
    ours.close()
    reference.close()
    assert bytes(ours.buffer()) == bytes(reference.buffer())


@given(st.integers(-(1 << 62), 1 << 62) | st.integers(-300, 20_000))
def test_a_varint_is_kafkas(number: int) -> None:
    reference = bytearray()
    encode_varint(number, reference.append)
    assert varint(number) == bytes(reference)


def test_a_record_above_the_limit_is_refused() -> None:
    with pytest.raises(RecordTooLarge):
        size_of(Record("clicks", b"", bytes(MAX_RECORD_BYTES)))


_TIMES = st.integers(0, 2**45)
_LISTED_HEADERS = st.lists(st.tuples(st.text(max_size=70), st.binary(max_size=70)), max_size=3)


@given(
    st.lists(
        st.tuples(_TIMES, st.binary(max_size=200), st.binary(max_size=200), _LISTED_HEADERS), min_size=1, max_size=20
    ),
    st.sampled_from([0, 3]),
)
def test_decoding_a_batch_gives_back_what_was_built(
    records: list[tuple[int, bytes, bytes, list[tuple[str, bytes]]]], compression: int
) -> None:
    builder = MemoryRecordsBuilder(2, compression, 1 << 20)
    for at, key, value, headers in records:
        builder.append(at, key, value, headers)
    builder.close()
    batch = MemoryRecords(bytes(builder.buffer())).next_batch()
    found = [(r.timestamp_ms, r.key, r.value, list(r.headers)) for r in _decoded(batch, "clicks", 2, None)]
    assert found == records
    again = MemoryRecords(bytes(builder.buffer())).next_batch()
    offsets = [record.offset for record in _decoded(again, "clicks", 2, None)]
    assert offsets == list(range(len(records)))
