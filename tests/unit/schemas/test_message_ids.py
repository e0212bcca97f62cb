"""Ids in the headers of records, and the ids of records that have no such headers."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from schemas import envelope
from schemas.click_id import event_id
from schemas.message_ids import NO_IDS, Headers, MessageIds, correlation_of, ids_of, message_id
from schemas.topics import CLICKS, CONVERSIONS
from schemas.tracking import ConversionReported

AGGREGATE = uuid4()
CLICK = "0" * 39


def headers(ids: MessageIds) -> Headers:
    return envelope.headers("account.erased", 1, 7, AGGREGATE, 3, ids)


@pytest.mark.parametrize(
    "ids", [NO_IDS, MessageIds(uuid4(), "request-1", message_id(AGGREGATE, 2)), MessageIds(correlation_id="chain")]
)
def test_ids_are_headers_as_far_as_they_are_known(ids: MessageIds) -> None:
    assert ids_of(headers(ids)) == ids
    assert headers(ids)[:5] == headers(NO_IDS)
    assert envelope.decode(b'{"timestamp":"2026-01-01T00:00:00Z"}', headers(ids)).ids == ids


def test_a_malformed_command_id_makes_the_record_undecodable() -> None:
    broken = (*headers(NO_IDS), ("command_id", b"none"))
    with pytest.raises(envelope.UndecodableEvent):
        envelope.decode(b'{"timestamp":"2026-01-01T00:00:00Z"}', broken)


def test_a_tracked_event_is_its_own_correlation_id() -> None:
    key = str(uuid4())
    assert correlation_of(CLICKS.name, key.encode(), (("h", b"12345678"),)) == key
    assert correlation_of(CLICKS.name, key.encode(), (("correlation_id", b"chain"),)) == "chain"
    assert correlation_of(CONVERSIONS.name, key.encode(), ()) == ""


@pytest.mark.parametrize("click_id", ["", CLICK])
def test_a_report_continues_the_chain_of_the_click_that_it_names(click_id: str) -> None:
    now = "2026-01-01 00:00:00.000"
    report = ConversionReported(
        report_id=UUID(int=1),
        conversion_id=uuid4(),
        website_id=uuid4(),
        kind="sale",
        event="sale",
        txid="1",
        reported_by="sale",
        occurred_at=now,
        received_at=now,
        click_id=click_id,
    )
    assert report.correlation_id == str(event_id(CLICK) if click_id else UUID(int=1))
