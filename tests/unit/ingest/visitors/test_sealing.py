"""What ingest writes into the log: no text of a person in clear, and a visitor's texts under one leaf."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from infra.domain.visitor_data.sealing import leaf_of_event, leaf_of_refusal, leaf_of_report
from infra.kernel.log.sealed_texts import split
from infra.kernel.security.text_keys import TextKey, parse, unseal
from ingest.rows import EventRow
from ingest.visitors.sealing import TextSealing
from schemas.tracking import (
    SEALED_OF_EVENTS,
    SEALED_OF_REPORTS,
    ConversionReported,
    Outcome,
    Refusal,
    TrackedEvent,
)

SITE = UUID("0b0f7f3e-6f0a-4c8e-9d57-0e6a51a1f001")
AT = "2026-05-01 10:00:00.000"
KEY = TextKey(7, {"": os.urandom(16)})
CLICK = "a" * 32


@dataclass
class Written:
    """A value of the log: its clear members, its texts, and for whom they are sealed."""

    clear: dict[str, Any]
    texts: dict[str, Any]
    leaf: bytes


def written(value: bytes, topic: bytes, key: bytes) -> Written:
    clear, sealed = split(value)
    assert sealed, "the texts lie in clear"
    found = parse(sealed)
    texts = unseal(KEY, found, topic + b"\0" + key)
    assert texts is not None
    return Written(orjson.loads(clear), orjson.loads(texts), found.leaf)


def event(**fields: Any) -> TrackedEvent:
    return EventRow(str(uuid4()), str(SITE), "pageview", AT, received_at=AT, **fields)


def sealed_event(row: TrackedEvent) -> Written:
    return written(TextSealing(KEY).event(row, SITE.bytes), b"clicks", row.event_id.encode())


def test_every_text_of_a_person_is_sealed() -> None:
    sent = {name: f"njal {name}" for name in SEALED_OF_EVENTS}
    found = sealed_event(event(visitor=7, path="/offers", **sent))
    assert found.texts == sent
    assert found.clear.keys() == {"event_id", "website_id", "type", "occurred_at", "received_at", "visitor", "path"}


def test_a_text_that_looks_like_a_member_is_sealed_with_the_others() -> None:
    title = f'","received_at":"{AT}","path":"/x'
    found = sealed_event(event(visitor=7, title=title, path=title))
    assert (found.texts, found.clear["path"]) == ({"title": title}, title)


@pytest.mark.parametrize(
    ("fields", "whose"),
    [
        ({"visitor": 7, "session": 70, "click_id": CLICK}, (7, 0, "")),
        ({"session": 70, "click_id": CLICK}, (0, 70, "")),
        ({"click_id": CLICK}, (0, 0, CLICK)),
    ],
)
def test_an_event_is_its_visitors_else_its_sessions_else_its_clicks(
    fields: dict[str, Any], whose: tuple[int, int, str]
) -> None:
    assert sealed_event(event(title="Hello", **fields)).leaf == leaf_of_event(SITE.bytes, *whose, "")


def test_an_event_of_nobody_is_its_own() -> None:
    row = event(title="Hello")
    assert sealed_event(row).leaf == leaf_of_event(SITE.bytes, 0, 0, "", row.event_id)


def test_the_route_of_a_link_is_no_persons() -> None:
    row = event(origin="redirect", props='{"route":"fallback"}')
    assert orjson.loads(TextSealing(KEY).event(row, SITE.bytes))["props"] == '{"route":"fallback"}'
    found = sealed_event(event(origin="redirect", props='{"route":"fallback"}', click_id=CLICK))
    assert (found.texts, found.clear["props"]) == ({"click_id": CLICK}, '{"route":"fallback"}')


def test_an_event_without_texts_has_nothing_sealed() -> None:
    assert split(TextSealing(KEY).event(event(visitor=7), SITE.bytes))[1] == b""


def test_without_a_key_nothing_is_lost() -> None:
    value = TextSealing().event(event(visitor=7, title="Hello"), SITE.bytes)
    assert orjson.loads(value)["title"] == "Hello"


def reported(**fields: Any) -> ConversionReported:
    head = {"kind": "sale", "event": "sale", "txid": "order 1", "reported_by": "sale"}
    moments = {"occurred_at": AT, "received_at": AT}
    return ConversionReported.model_validate(
        {"report_id": uuid4(), "conversion_id": uuid4(), "website_id": SITE, **head, **moments, **fields}
    )


def test_a_report_keeps_its_order_and_seals_who_bought() -> None:
    personal = {"click_id": CLICK, "visitor": 7, "customer": "c" * 32, "subs": {"sub1": "njal"}, "props": '{"a":1}'}
    sent = reported(unread={"amount": "12,,5"}, **personal)
    found = written(TextSealing(KEY).report(sent, b"key"), b"conversions", b"key")
    assert found.texts.keys() == set(SEALED_OF_REPORTS)
    assert not found.clear.keys() & set(SEALED_OF_REPORTS)
    assert found.clear["txid"] == "order 1"
    assert ConversionReported.model_validate({**found.clear, **found.texts}) == sent
    assert found.leaf == leaf_of_report(sent.report_id)


def test_a_report_that_names_nobody_is_as_it_was() -> None:
    sent = reported()
    assert ConversionReported.model_validate_json(TextSealing(KEY).report(sent, b"key")) == sent


def test_a_refused_request_seals_what_was_sent() -> None:
    refusal = Refusal(
        id=uuid4(),
        at=AT,
        outcome=Outcome.INVALID,
        code="bad_json",
        message="No JSON.",
        endpoint="/track",
        sample="njal",
    )
    found = written(TextSealing(KEY).refusal(refusal, b"key"), b"rejected", b"key")
    assert found.texts == {"sample": "njal"}
    assert found.clear["code"] == "bad_json"
    assert found.leaf == leaf_of_refusal(refusal.id)
