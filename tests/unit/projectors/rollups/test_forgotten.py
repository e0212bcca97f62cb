"""Rows of visitors who were forgotten."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import orjson

from infra.kernel.log import StoredRecord
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.security.text_keys import TextKey
from ingest.rows import EventRow
from ingest.visitors.sealing import TextSealing
from projectors.engine.dedup import NullDedupIndex
from projectors.engine.projection import Batch
from projectors.rollups import conversion_rows, event_rows, refusal_rows
from projectors.rollups.event_rules import EventRules
from projectors.rollups.forgotten import Erasure
from schemas.click_id import event_id
from schemas.topics import CLICKS, REJECTED

SITE, OTHER = uuid4(), uuid4()
NOW = datetime(2026, 11, 20, 12)  # noqa: DTZ001 - as rows have it
CLICK = "0HnVWCQjrs5vPNBVLnnFqI2oCYqA6QtQ0ikK5cD"
ERASURE = Erasure(NOW, 0, bytes(32), frozenset({7}), frozenset({70}), frozenset({event_id(CLICK)}), frozenset())
PERSONAL = {"title": "Hello, Njal", "props": '{"who":"Njal"}', "sub1": "njal", "city": "Oslo", "region": "Oslo"}


def event_row(**changes: Any) -> dict[str, Any]:
    at = f"{NOW - timedelta(hours=1):%Y-%m-%d %H:%M:%S}.000"
    kept = {"website_id": str(SITE), "event_id": str(uuid4()), "type": "pageview", "path": "/offers", "country": "NO"}
    return {**kept, "occurred_at": at, "received_at": at, "visitor": 7, "session": 70, **PERSONAL, **changes}


def rows_of(*sent: dict[str, Any], erasures: Sequence[Erasure] = (ERASURE,)) -> list[dict[str, Any]]:
    rules = EventRules(forgotten={SITE: erasures}, websites=frozenset({SITE}))
    batch = Batch(parameters=rules)
    records = [StoredRecord(CLICKS.name, 0, place, 0, b"k", orjson.dumps(each), ()) for place, each in enumerate(sent)]
    event_rows.to_rows(records, NullDedupIndex(), batch)
    assert batch.bad == []
    return [orjson.loads(line) for line in batch.rows]


def test_a_row_keeps_what_happened_and_loses_the_person() -> None:
    sent = event_row()
    [left] = rows_of(sent)
    assert not PERSONAL.keys() & left.keys()
    for name in ("event_id", "type", "path", "country", "occurred_at", "received_at", "website_id"):
        assert left[name] == sent[name]
    assert left["visitor"] not in (0, 7)
    assert left["session"] not in (0, 70)


def test_visitors_and_sessions_are_as_many_as_before() -> None:
    first, second, third = rows_of(event_row(), event_row(), event_row(session=71))
    assert first["visitor"] == second["visitor"] == third["visitor"]
    assert first["session"] == second["session"] != third["session"]


def test_other_erasures_give_other_pseudonyms() -> None:
    other = Erasure(NOW, 0, b"s" * 32, ERASURE.visitors, frozenset(), frozenset(), frozenset())
    [[one], [two]] = rows_of(event_row()), rows_of(event_row(), erasures=[other])
    assert one["visitor"] != two["visitor"]


def test_a_session_without_its_visitor_is_the_persons() -> None:
    [left] = rows_of(event_row(visitor=8))
    assert "title" not in left
    [unknown] = rows_of(event_row(visitor=0))
    assert unknown["visitor"] == 0, "nobody stays nobody"


def test_what_is_sent_later_is_a_new_visit() -> None:
    later = f"{NOW + timedelta(seconds=1):%Y-%m-%d %H:%M:%S}.000"
    sent = event_row(received_at=later, occurred_at=later)
    [left] = rows_of(sent)
    assert {name: left[name] for name in sent} == sent


def test_a_click_is_the_persons_at_any_time_and_its_id_follows_no_more() -> None:
    later = f"{NOW + timedelta(days=1):%Y-%m-%d %H:%M:%S}.000"
    click = {"type": "click", "click_id": CLICK, "event_id": str(event_id(CLICK)), "visitor": 9, "session": 0}
    [left] = rows_of(event_row(received_at=later, **click))
    assert "click_id" not in left
    assert left["event_id"] != str(event_id(CLICK))


def test_the_route_of_a_link_is_no_persons() -> None:
    [left] = rows_of(event_row(origin="redirect", props='{"route":"fallback"}'))
    assert left["props"] == '{"route":"fallback"}'


def test_others_and_other_websites_stay_as_they_are() -> None:
    for sent in (event_row(visitor=8, session=80), event_row(website_id=str(OTHER))):
        [left] = rows_of(sent)
        assert {name: left[name] for name in sent} == sent


def test_an_erasure_of_what_another_has_left_finds_it() -> None:
    [once] = rows_of(event_row())
    again = Erasure(NOW, 0, b"s" * 32, frozenset({once["visitor"]}), frozenset(), frozenset(), frozenset())
    [twice] = rows_of(event_row(), erasures=[ERASURE, again])
    assert twice["visitor"] not in (7, once["visitor"])


def test_conversions_of_the_person_keep_what_they_count() -> None:
    sale = uuid4()
    erasure = Erasure(NOW, 0, bytes(32), frozenset({7}), frozenset(), frozenset(), frozenset({sale}))
    rules = EventRules(forgotten={SITE: [erasure]}, websites=frozenset({SITE}))
    money = {"value": 4999, "currency": "USD", "c_pending": 500, "d_pending": 1, "coupon": "SAVE", "path": "/offers"}
    made = {"website_id": SITE, "conversion_id": sale, "type": "conversion", "visitor": 7, "click_id": CLICK, **money}
    route = '{"route":"variant 2"}'
    left = conversion_rows.without_person({**made, **PERSONAL, "props": route}, rules)
    assert {name: left[name] for name in money} == money
    assert left["props"] == route, "which rule or variant its click took says nothing of the person"
    assert not (PERSONAL.keys() - {"props"} | {"click_id"}) & left.keys()
    assert left["visitor"] != 7
    other = {**made, "conversion_id": uuid4()}
    assert conversion_rows.without_person(other, rules) == other


def test_a_sample_that_named_the_person_is_gone() -> None:
    known = uuid4()
    batch = Batch(parameters=frozenset({known}))
    refusals = [refusal(known), refusal(uuid4())]
    records = [
        StoredRecord(REJECTED.name, 0, place, 0, b"k", orjson.dumps(each), ()) for place, each in enumerate(refusals)
    ]
    refusal_rows.to_rows(records, NullDedupIndex(), batch)
    rows = [orjson.loads(line) for line in batch.rows]
    assert [row["sample"] for row in rows] == ["", "txid ORDER-1"]
    assert [row["request"] for row in rows] == ["", "txid=ORDER-1"]


def refusal(id_: UUID) -> dict[str, Any]:
    at = f"{NOW:%Y-%m-%d %H:%M:%S}.000"
    names = {"code": "amount_conflict", "message": "Another amount.", "endpoint": "/track/sale"}
    return {
        "id": str(id_),
        "at": at,
        "outcome": "invalid",
        "sample": "txid ORDER-1",
        "request": "txid=ORDER-1",
        **names,
    }


KEY = TextKey(50, {"": os.urandom(16)})


def sealed_row(**changes: Any) -> bytes:
    """A record as ingest writes it."""
    made = msgspec.convert(event_row(**changes), EventRow)
    return TextSealing(KEY).event(made, SITE.bytes)


def rows_with(erasure: Erasure, key: TextKey | None, *values: bytes) -> list[dict[str, Any]]:
    """The rows of sealed records, opened by the key as it is now."""
    rules = EventRules(forgotten={SITE: [erasure]}, websites=frozenset({SITE}))
    texts = TextReader(lambda _: {key.number: key} if key is not None else {})
    batch = Batch(parameters=rules, texts=texts)
    keys = [orjson.loads(value)["event_id"].encode() for value in values]
    records = [
        StoredRecord(CLICKS.name, 0, place, 0, *each, ()) for place, each in enumerate(zip(keys, values, strict=True))
    ]
    event_rows.to_rows(records, NullDedupIndex(), batch)
    assert batch.bad == []
    return [orjson.loads(line) for line in batch.rows]


def test_a_row_has_the_texts_of_its_record_and_the_number_of_the_key() -> None:
    [made] = rows_with(ERASURE, KEY, sealed_row(visitor=8, session=80))
    assert {name: made[name] for name in PERSONAL} == PERSONAL
    assert made["_text_key"] == KEY.number


def test_the_key_decides_what_came_before_an_erasure() -> None:
    """Ingest takes a moment to have the next key: what it seals until then cannot be opened, and is the person's."""
    later = f"{NOW + timedelta(seconds=1):%Y-%m-%d %H:%M:%S}.000"
    earlier = f"{NOW - timedelta(seconds=1):%Y-%m-%d %H:%M:%S}.000"
    with_key = replace(ERASURE, last_key=KEY.number)
    [still] = rows_with(with_key, None, sealed_row(received_at=later))
    assert still["visitor"] not in (0, 7)
    [new] = rows_with(replace(ERASURE, last_key=KEY.number - 1), KEY, sealed_row(received_at=earlier))
    assert (new["visitor"], new["title"]) == (7, PERSONAL["title"])


def test_a_build_is_the_same_whether_a_text_can_still_be_opened_or_not() -> None:
    click = {"type": "click", "click_id": CLICK, "event_id": str(event_id(CLICK))}
    routed = {**click, "origin": "redirect", "props": '{"route":"fallback"}'}
    erasure = replace(ERASURE, last_key=KEY.number)
    for sent in ({}, click, routed, {**click, "visitor": 0, "session": 0}):
        value = sealed_row(**sent)
        assert rows_with(erasure, KEY, value) == rows_with(erasure, None, value)
