"""Signatures of records: what is covered, what a forger can try, and how runs are cut."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock

import pytest
from kafka.record.memory_records import MemoryRecords
from kafka.structs import TopicPartition
from msgspec.structs import replace as changed

from infra.kernel.config.settings import Settings
from infra.kernel.log import Record, StoredRecord
from infra.kernel.log.kafka_append import Appender
from infra.kernel.log.kafka_fetches import _decoded
from infra.kernel.log.signature import HEADER, RUN_BYTES, Signer, runs, split
from schemas.topics import CLICKS, CONVERSIONS

OURS = Signer(Settings(master_key="ab" * 32))
OTHERS = Signer(Settings(master_key="cd" * 32))


def records(count: int) -> list[Record]:
    rng = random.Random(count)
    return [
        Record(CLICKS.name, rng.randbytes(4), rng.randbytes(rng.randrange(60)), (("h", rng.randbytes(8)),) * (n % 3))
        for n in range(count)
    ]


def stored(sent: Sequence[Record], partition: int = 1, topic: str = CLICKS.name) -> list[StoredRecord]:
    """As they are decoded: taken for signed until they are checked."""
    return [
        StoredRecord(topic, partition, offset, 0, each.key, each.value, each.headers, is_signed=True)
        for offset, each in enumerate(sent)
    ]


def verdicts(found: list[StoredRecord], ends: Sequence[tuple[int, bytes]], signer: Signer = OURS) -> str:
    return "".join("s" if record.is_signed else "-" for record in signer.checked(found, ends))


def test_what_was_signed_is_known_again_and_only_with_the_same_key() -> None:
    sent = records(5)
    _, signature = OURS.header(CLICKS.name, 1, sent)
    assert len(signature) == 34
    assert verdicts(stored(sent), [(4, signature)]) == "sssss"
    assert verdicts(stored(sent), [(4, signature)], OTHERS) == "-----"
    assert verdicts(stored(sent), []) == "-----"


@pytest.mark.parametrize("index", range(5))
def test_no_byte_of_a_signed_record_can_be_changed(index: int) -> None:
    sent = records(5)
    _, signature = OURS.header(CLICKS.name, 1, sent)
    target = stored(sent)[index]
    for other in (
        changed(target, key=target.key + b"x"),
        changed(target, value=target.value + b"x"),
        changed(target, key=target.key + target.value[:1], value=target.value[1:]),
        changed(target, headers=(*target.headers, ("more", b""))),
        changed(target, headers=(("h", b"other"),)),
    ):
        found = stored(sent)
        if (other.key, other.value, other.headers) != (target.key, target.value, target.headers):
            found[index] = other
            assert verdicts(found, [(4, signature)]) == "-----"


def test_records_cannot_be_moved_left_out_added_or_swapped() -> None:
    sent = records(4)
    _, signature = OURS.header(CLICKS.name, 1, sent)
    assert verdicts(stored(sent, partition=2), [(3, signature)]) == "----"
    assert verdicts(stored(sent, topic=CONVERSIONS.name), [(3, signature)]) == "----"
    assert verdicts(stored(sent[1:]), [(2, signature)]) == "---"
    assert verdicts(stored([*sent[:2], sent[3]]), [(2, signature)]) == "---"
    assert verdicts(stored([sent[1], sent[0], *sent[2:]]), [(3, signature)]) == "----"
    forged = records(7)[6]
    assert verdicts(stored([forged, *sent]), [(4, signature)]) == "-ssss"
    assert verdicts(stored([*sent, forged]), [(3, signature)]) == "ssss-"
    assert verdicts(stored([*sent[:2], forged, *sent[2:]]), [(4, signature)]) == "-----"


def test_a_signature_never_reaches_into_the_run_before_it_and_nonsense_covers_nothing() -> None:
    sent = records(6)
    first, second = OURS.header(CLICKS.name, 1, sent[:3])[1], OURS.header(CLICKS.name, 1, sent[3:])[1]
    assert verdicts(stored(sent), [(2, first), (5, second)]) == "ssssss"
    whole = OURS.header(CLICKS.name, 1, sent)[1]
    assert verdicts(stored(sent), [(2, first), (5, whole)]) == "sss---"
    for nonsense in (b"", b"\x00\x00" + bytes(32), b"\xff\xff" + bytes(32), bytes(33), first[:-1]):
        assert verdicts(stored(sent), [(2, nonsense), (5, second)]) == "---sss"


def test_runs_cover_every_record_once_and_stay_small() -> None:
    sent = [Record(CLICKS.name, b"k", b"v" * 1000, (("h", b"12345678"),)) for _ in range(300)]
    sent[100] = changed(sent[100], is_signed=False)
    sent[200] = changed(sent[200], value=b"v" * 500_000)
    cut = runs(sent)
    assert [begin for begin, _, _ in cut] == [0, *(end for _, end, _ in cut)][:-1] and cut[-1][1] == 300
    assert (100, 101) in [(begin, end) for begin, end, _ in cut]
    assert all(size <= RUN_BYTES for begin, end, size in cut if end - begin > 1)


def test_the_header_is_taken_off_and_nothing_else() -> None:
    assert split((("h", b"1"), (HEADER, b"2"))) == ((("h", b"1"),), b"2")
    assert split((("h", b"1"),)) == ((("h", b"1"),), None)
    assert split(()) == ((), None)


def test_what_the_producer_puts_into_batches_is_judged_record_by_record_by_the_consumer() -> None:
    """kafka-python's own batches, of calls of all sizes, some records larger than a run; a few must stay unsigned."""
    rng = random.Random(3)
    batches: dict[Any, deque[Any]] = defaultdict(deque)
    nothing = Mock()
    accumulator = Mock(_batches=batches, _tp_lock=lambda _place: nullcontext())
    config = {"compression_attrs": 3, "batch_size": 256 * 1024}
    appender = Appender(Mock(_accumulator=accumulator, _sender=nothing, config=config), OURS)
    sent: list[Record] = []
    for count in (1, 1, 700, 3, 50, 1, 2000, 40):
        sizes = [rng.choice([0, 10, 450, 4000]) if rng.random() < 0.995 else 300_000 for _ in range(count)]
        call = [
            Record(CLICKS.name, b"k", rng.randbytes(size), (("h", b"1"),) * (size % 3), is_signed=rng.random() < 0.99)
            for size in sizes
        ]
        appender.append(call, [1] * count, nothing, nothing)
        sent += call
    found: list[StoredRecord] = []
    for batch in batches[TopicPartition(CLICKS.name, 1)]:
        batch.records.close()
        found += _decoded(MemoryRecords(bytes(batch.records.buffer())).next_batch(), CLICKS.name, 1, OURS)
    assert not all(record.is_signed for record in sent)
    assert [(each.value, each.headers, each.is_signed) for each in found] == [
        (each.value, each.headers, each.is_signed) for each in sent
    ]
