"""The contract of the log port, held by both implementations against real engines.

`contract`: one test, run for Kafka and for Postgres. The last part kills and freezes the engine under the log.
"""

from __future__ import annotations

import gc
import random
import signal
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import Any

import psycopg
import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.kernel.log import (
    Log,
    LogUnavailable,
    OffsetOutOfRange,
    Position,
    Record,
    RecordTooLarge,
    StoredRecord,
    kafka_source,
)
from infra.kernel.log.kafka_log import KafkaLog
from infra.kernel.log.kafka_source import KafkaSource
from infra.kernel.log.limits import MAX_RECORD_BYTES, partition_of
from infra.kernel.log.postgres_log import PostgresLog
from schemas import topics
from tests.support.engines import Engine, engine_folder, start_kafka, start_postgres, wait_until

CLICKS, DOMAIN = topics.CLICKS.name, topics.DOMAIN.name


@dataclass
class Backend:
    """One engine with its topics created, and how to open a log on it."""

    engine: Engine
    open: Callable[..., Log]


@pytest.fixture(scope="module", params=["kafka", "postgres"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    with engine_folder(request.param) as folder:
        start = start_kafka if request.param == "kafka" else start_postgres
        engine = start(folder)
        try:
            yield _prepared(engine)
        finally:
            engine.stop()


def _prepared(engine: Engine) -> Backend:
    if engine.name == "Kafka":
        settings = Settings(kafka_bootstrap_servers=engine.address)
        backend = Backend(engine, lambda **options: KafkaLog(settings, **options))
    else:
        with psycopg.connect(engine.address) as connection:
            connection.execute((ROOT / "infra/ops/migrations/postgres/0415_log.sql").read_text())
        settings = Settings(postgres_url=engine.address)
        backend = Backend(engine, lambda **options: PostgresLog(settings, **options))
    log = backend.open()
    try:
        log.create_topics()
    finally:
        log.close()
    return backend


@pytest.fixture
def log(backend: Backend) -> Iterator[Log]:
    opened = backend.open(delivery_timeout_s=60)
    yield opened
    opened.close()


def record(value: bytes, key: bytes = b"k", topic: str = CLICKS, **more: Any) -> Record:
    return Record(topic=topic, key=key, value=value, **more)


def test_what_is_published_is_read_back_whole(log: Log) -> None:
    sent = Record(CLICKS, b"\x00key", b"\xffvalue", (("event", b"x"), ("version", b"1")), 1_700_000_000_123)
    [position] = log.publish([sent]).result(60)
    [found] = read_from(log, position, 1)
    assert found == StoredRecord(
        CLICKS, position.partition, position.offset, 1_700_000_000_123, b"\x00key", b"\xffvalue", sent.headers
    )
    assert str(position) == f"clicks[{position.partition}]@{position.offset}"


def test_the_key_alone_decides_the_partition_and_a_given_one_wins(log: Log) -> None:
    keys = [random.Random(seed).randbytes(seed % 40) for seed in range(200)]
    positions = log.publish([record(b"v", key) for key in keys]).result(60)
    assert [p.partition for p in positions] == [partition_of(key, topics.CLICKS.partitions) for key in keys]
    assert len({p.partition for p in positions}) == topics.CLICKS.partitions
    forced = log.publish([record(b"v", b"k", partition=1), record(b"v", b"k", partition=0)]).result(60)
    assert [p.partition for p in forced] == [1, 0]


def test_positions_name_each_record_of_a_large_mixed_call(log: Log) -> None:
    rng = random.Random(7)
    records = [
        record(b"%06d" % n + rng.randbytes(rng.randrange(400)), rng.randbytes(16), rng.choice([CLICKS, DOMAIN]))
        for n in range(5_000)
    ]
    positions = log.publish(records).result(60)
    assert len(set(positions)) == len(records)
    stored = read_all(log, {(p.topic, p.partition) for p in positions})
    for sent, position in zip(records, positions, strict=True):
        found = stored[position]
        assert (found.topic, found.key, found.value) == (sent.topic, sent.key, sent.value)


def test_calls_of_one_thread_keep_their_order_and_offsets_never_repeat(log: Log) -> None:
    start = log.end_offset(DOMAIN, 0)
    calls = [log.publish([record(b"%d" % n, topic=DOMAIN)]) for n in range(500)]
    offsets = [call.result(60)[0].offset for call in calls]
    assert offsets == sorted(set(offsets))
    assert log.end_offset(DOMAIN, 0) == offsets[-1] + 1
    values = [found.value for found in read_from(log, Position(DOMAIN, 0, start), 500)]
    assert values == [b"%d" % n for n in range(500)]


def test_one_request_returns_the_ends_of_many_partitions(log: Log) -> None:
    places = [(topic.name, partition) for topic in topics.ALL for partition in range(topic.partitions)]
    before = log.end_offsets(places)
    assert before == {place: log.end_offset(*place) for place in places}
    written = log.publish([record(b"%d" % n) for n in range(100)]).result(60)
    after = dict(before)
    for position in written:
        place = position.topic, position.partition
        after[place] = max(after[place], position.offset + 1)
    assert log.end_offsets(iter(places)) == after
    assert log.end_offsets([]) == {}
    with pytest.raises(LogUnavailable, match=r"clicks\[(99\]|0\] and \d+ more)"):
        log.end_offsets([*places, (CLICKS, 99)])


def test_many_threads_publish_at_once_and_nothing_is_lost_or_doubled(backend: Backend) -> None:
    more = {"linger_ms": 2} if backend.engine.name == "Kafka" else {}
    logs = [backend.open(delivery_timeout_s=60, **more) for _ in range(2)]
    ends = ends_of(logs[0])
    try:
        with ThreadPoolExecutor(8) as pool:

            def publish(worker: int) -> list[Position]:
                calls = [
                    logs[worker % 2].publish(
                        [record(b"%d:%d:%d" % (worker, n, m), b"%d" % m) for m in range(n % 7 + 1)]
                    )
                    for n in range(200)
                ]
                return [position for call in calls for position in call.result(60)]

            positions = [position for found in pool.map(publish, range(8)) for position in found]
        assert len(set(positions)) == len(positions)
        stored = read_all(logs[0], set(ends), ends)
        assert sorted(r.value for r in stored.values()) == sorted(
            b"%d:%d:%d" % (worker, n, m) for worker in range(8) for n in range(200) for m in range(n % 7 + 1)
        )
        assert set(stored) == set(positions)
    finally:
        for opened in logs:
            opened.close()


def test_a_source_starts_at_the_given_offset_and_seeks_both_ways(log: Log) -> None:
    positions = log.publish([record(b"%d" % n, topic=DOMAIN) for n in range(50)]).result(60)
    first = positions[0].offset
    source = log.source(DOMAIN, 0, first + 10)
    try:
        assert [r.value for r in read(source, 5)] == [b"10", b"11", b"12", b"13", b"14"]
        source.seek(first)
        assert [r.value for r in read(source, 50)] == [b"%d" % n for n in range(50)]
        source.seek(first + 49)
        assert [r.value for r in read(source, 1)] == [b"49"]
        source.seek(0)
        assert read(source, 1)[0].offset == 0
    finally:
        source.close()


def test_a_reader_at_the_end_waits_and_is_woken_by_the_next_record(log: Log) -> None:
    source = log.source(DOMAIN, 0, log.end_offset(DOMAIN, 0))
    try:
        assert source.read(10, 0.2) == []
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(source.read, 10, 30.0)
            log.publish([record(b"wake", topic=DOMAIN)]).result(60)
            assert [r.value for r in waiting.result(60)] == [b"wake"]
    finally:
        source.close()


def test_what_a_caller_holds_is_freed_after_a_read_without_records(log: Log) -> None:
    source = log.source(DOMAIN, 0, log.end_offset(DOMAIN, 0))

    class Held: ...

    def read() -> weakref.ref[Held]:
        held = Held()
        assert source.read(10, 0.02) == []
        return weakref.ref(held)

    read()  # connects
    gc.disable()
    try:
        assert [read()() for _ in range(5)] == [None] * 5
    finally:
        gc.enable()
        source.close()


def test_an_offset_that_the_log_does_not_hold_is_a_loud_error(log: Log) -> None:
    source = log.source(DOMAIN, 0, log.end_offset(DOMAIN, 0) + 1_000)

    def read_often() -> None:
        for _ in range(20):
            assert source.read(10, 1.0) == []

    try:
        with pytest.raises(OffsetOutOfRange):
            read_often()
    finally:
        source.close()


def test_the_largest_record_passes_and_one_byte_more_is_refused_before_sending(log: Log) -> None:
    overhead = 88 + 1
    noise = random.Random(1).randbytes(MAX_RECORD_BYTES - overhead)
    [position] = log.publish([record(noise)]).result(60)
    assert read_from(log, position, 1)[0].value == noise
    ends = ends_of(log)
    with pytest.raises(RecordTooLarge):
        log.publish([record(b"small"), record(noise + b"x")]).result(60)
    assert ends_of(log) == ends, "a call with a record that is too large stores nothing"


def test_an_empty_call_is_done_at_once_and_a_foreign_topic_is_refused(log: Log) -> None:
    assert log.publish([]).result(0) == []
    with pytest.raises(ValueError, match="not a topic"):
        log.publish([record(b"v", topic="other")])
    with pytest.raises(ValueError, match=f"no partition {topics.MAX_PARTITIONS}"):
        log.publish([record(b"v", partition=topics.MAX_PARTITIONS)])


def test_creating_the_topics_again_changes_nothing_and_an_open_log_is_ready(log: Log) -> None:
    [position] = log.publish([record(b"kept")]).result(60)
    log.create_topics()
    assert read_from(log, position, 1)[0].value == b"kept"
    wait_until(lambda: log.ready(1.0), 60, "the log to be ready")


def test_a_closed_log_refuses_and_close_waits_for_what_was_handed_over(backend: Backend) -> None:
    log = backend.open()
    calls = [log.publish([record(b"last")]) for _ in range(100)]
    log.close()
    assert all(call.result(0) for call in calls)
    with pytest.raises(LogUnavailable):
        log.publish([record(b"after")]).result(1)


def test_the_waiting_bytes_are_bounded(backend: Backend) -> None:
    log = backend.open(max_buffered_bytes=100_000, delivery_timeout_s=3)
    try:
        backend.engine.send_signal(signal.SIGSTOP)
        calls = [log.publish([record(bytes(10_000))]) for _ in range(50)]
        refused = [call for call in calls if call.done() and isinstance(call.exception(), LogUnavailable)]
        assert len(refused) >= 40
    finally:
        backend.engine.send_signal(signal.SIGCONT)
        log.close()


@pytest.mark.timeout(420)  # starts the engine again
def test_a_log_opened_while_the_engine_is_down_starts_and_then_works(backend: Backend) -> None:
    backend.engine.kill()
    log = backend.open(delivery_timeout_s=120)
    short = backend.open(delivery_timeout_s=1)
    source = log.source(CLICKS, 0)
    try:
        assert not log.ready()
        assert isinstance(short.publish([record(b"lost")]).exception(60), LogUnavailable)
        with pytest.raises(LogUnavailable):
            source.read(1, 0.1)
        with pytest.raises(LogUnavailable):
            log.end_offset(CLICKS, 0)
        early = log.publish([record(b"early", partition=0)])
        backend.engine.start()
        [position] = early.result(120)
        source.seek(position.offset)
        assert [r.value for r in read(source, 1)] == [b"early"]
    finally:
        source.close()
        log.close()
        short.close()


@pytest.mark.timeout(420)  # starts the engine again
def test_kill_9_of_the_engine_loses_no_acknowledged_record_and_keeps_the_order(backend: Backend) -> None:
    log = backend.open(delivery_timeout_s=2)
    source = log.source(DOMAIN, 0, log.end_offset(DOMAIN, 0))
    acknowledged: list[bytes] = []
    sent = 0
    read_back: list[bytes] = []
    try:
        for _ in range(2):
            calls: list[tuple[bytes, Future[list[Position]]]] = []
            for n in range(400):
                value = b"%d" % sent
                calls.append((value, log.publish([record(value, topic=DOMAIN)])))
                sent += 1
                if n == 200:
                    backend.engine.kill()
            acknowledged += [value for value, call in calls if call.exception(60) is None]
            backend.engine.start()
            wait_until(lambda: succeeds(log), 60, "the log to take records again")
        wait_until(log.ready, 60, "the log to be ready")
        read_back = [r.value for r in read_to(source, log.end_offset(DOMAIN, 0))]
    finally:
        source.close()
        log.close()
    assert set(acknowledged) <= set(read_back)
    first_seen = list(dict.fromkeys(value for value in read_back if value.isdigit()))
    assert first_seen == sorted(first_seen, key=int)


def test_a_frozen_engine_fails_the_call_within_its_deadline(backend: Backend) -> None:
    log = backend.open(delivery_timeout_s=4)
    try:
        log.publish([record(b"warm")]).result(60)
        backend.engine.send_signal(signal.SIGSTOP)
        call = log.publish([record(b"frozen")])
        assert not call.done(), "publish must not wait for the engine"
        assert isinstance(call.exception(60), LogUnavailable)
        assert not log.ready(0.2)
        backend.engine.send_signal(signal.SIGCONT)
        wait_until(lambda: succeeds(log), 60, "the log to take records again")
    finally:
        backend.engine.send_signal(signal.SIGCONT)
        log.close()


def test_a_reader_at_the_end_notices_that_the_engine_hangs_and_goes_on_afterwards(backend: Backend) -> None:
    log = backend.open(delivery_timeout_s=60)
    [last] = log.publish([record(b"last", partition=0)]).result(60)
    source = log.source(CLICKS, 0, last.offset)
    try:
        assert [r.value for r in read(source, 1)] == [b"last"]
        assert source.read(10, 0.2) == []
        backend.engine.send_signal(signal.SIGSTOP)
        wait_until(lambda: given_by(source) is None, 60, "the reader to notice")
        backend.engine.send_signal(signal.SIGCONT)
        log.publish([record(b"next", partition=0)]).result(60)
        wait_until(lambda: given_by(source) == [b"next"], 60, "the reader to go on")
    finally:
        backend.engine.send_signal(signal.SIGCONT)
        source.close()
        log.close()


def given_by(source: Any) -> list[bytes] | None:
    """What it gives now; none while the engine is away."""
    try:
        return [r.value for r in source.read(10, 0.2)]
    except LogUnavailable:
        return None


@pytest.mark.parametrize("backend", ["kafka"], indirect=True)  # statements of Postgres either answer or fail
def test_a_broker_that_answers_with_nothing_need_not_be_asked_whether_it_is_there(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each empty answer to a fetch counts; one also reports records behind the end."""
    log = backend.open()
    source = log.source(DOMAIN, 0, log.end_offset(DOMAIN, 0))
    assert isinstance(source, KafkaSource)
    try:
        assert source.read(1, 0.2) == []
        monkeypatch.setattr(kafka_source, "_CONTACT_S", 3600)
        before = source._last_contact
        wait_until(lambda: source.read(1, 0.2) == [] and source._last_contact > before, 60, "an answer to be noted")
        source.seek(log.end_offset(DOMAIN, 0) + 1_000)
        with pytest.raises(OffsetOutOfRange):
            wait_until(lambda: source.read(1, 0.2) != [], 60, "the error")
    finally:
        source.close()
        log.close()


def test_a_topic_with_other_partitions_is_refused(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    wider = tuple(topics.Topic(t.name, t.partitions + (t is topics.REJECTED), t.key, t.holds) for t in topics.ALL)
    monkeypatch.setattr(topics, "ALL", wider)
    monkeypatch.setattr(topics, "BY_NAME", {t.name: t for t in wider})
    log = backend.open()
    try:
        if backend.engine.name == "Postgres":
            with psycopg.connect(backend.engine.address) as connection:
                connection.execute("INSERT INTO log.partition (topic, partition) VALUES ('rejected', 7)")
        with pytest.raises(RuntimeError, match="Topic rejected has"):
            log.create_topics()
    finally:
        log.close()
        if backend.engine.name == "Postgres":
            with psycopg.connect(backend.engine.address) as connection:
                connection.execute("DELETE FROM log.partition WHERE partition = 7")


def test_partitions_are_added_and_every_open_log_can_write_to_them_at_once(backend: Backend) -> None:
    """Last in this file: the partitions stay."""
    open_before, wider = backend.open(), 2 * topics.CLICKS.partitions
    try:
        assert open_before.publish([record(b"v")]).exception(60) is None
        assert open_before.partitions(CLICKS) == topics.CLICKS.partitions
        other = backend.open()
        try:
            assert other.create_topics({CLICKS: wider})[CLICKS] == wider
            assert other.create_topics()[CLICKS] == wider, "nobody knows of a smaller number"
            with pytest.raises(RuntimeError, match=f"Topic clicks has {wider} partitions, not {wider // 2}"):
                other.create_topics({CLICKS: wider // 2})
        finally:
            other.close()
        [placed] = open_before.publish([record(b"v", partition=wider - 1)]).result(60)
        wait_until(lambda: succeeds(open_before) and open_before.partitions(CLICKS) == wider, 90, "the new number")
        assert placed.partition == wider - 1, "a writer does not have to know the number"
        assert open_before.end_offset(CLICKS, wider - 1) == 1
        [found] = read_from(open_before, placed, 1)
        assert found.partition == wider - 1
    finally:
        open_before.close()


def succeeds(log: Log) -> bool:
    return log.publish([record(b"probe", topic=DOMAIN)]).exception(30) is None


def ends_of(log: Log) -> dict[tuple[str, int], int]:
    return log.end_offsets((CLICKS, p) for p in range(topics.CLICKS.partitions))


def read(source: Any, count: int) -> list[StoredRecord]:
    found: list[StoredRecord] = []
    deadline = monotonic() + 60
    while len(found) < count and monotonic() < deadline:
        try:
            found += source.read(count - len(found), 1.0)
        except LogUnavailable:
            continue
    assert len(found) == count
    return found


def read_from(log: Log, position: Position, count: int) -> list[StoredRecord]:
    source = log.source(position.topic, position.partition, position.offset)
    try:
        return read(source, count)
    finally:
        source.close()


def read_to(source: Any, end: int) -> list[StoredRecord]:
    found: list[StoredRecord] = []
    while not found or found[-1].offset < end - 1:
        found += read(source, 1)
    return found


def read_all(
    log: Log, places: set[tuple[str, int]], start: dict[tuple[str, int], int] | None = None
) -> dict[Position, StoredRecord]:
    found: dict[Position, StoredRecord] = {}
    by_place: dict[tuple[str, int], Sequence[StoredRecord]] = defaultdict(list)
    for topic, partition in places:
        begin, end = (start or {}).get((topic, partition), 0), log.end_offset(topic, partition)
        by_place[topic, partition] = read_from(log, Position(topic, partition, begin), end - begin)
        found |= {Position(topic, partition, r.offset): r for r in by_place[topic, partition]}
    return found
