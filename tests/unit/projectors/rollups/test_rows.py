"""From records to rows: records of ingest go through unchanged; conversions follow from decided events."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import reduce
from typing import Any
from uuid import UUID, uuid5

import msgspec
import pytest

from command_api.conversions import decisions
from command_api.conversions import model as conversions
from command_api.kernel.decision import CommandContext
from command_api.kernel.event_store import EventMapper
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.log import StoredRecord
from projectors.engine.dedup import NullDedupIndex
from projectors.engine.projection import Batch
from projectors.rollups import conversion_rows, event_row, event_rows, refusal_rows
from projectors.rollups.event_rules import EventRules
from projectors.rollups.forgotten import Erasure
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionFacts,
    ConversionRecorded,
    ConversionReportConflicted,
    ConversionReversed,
    CounterDelta,
    VisitDetails,
)
from schemas.events.partners import Terms
from schemas.tracking import Refusal, TrackedEvent
from tests.support.projection_bench import PARTNER, WEBSITE, click, domain_record
from tests.support.text_keys import KeysInMemory

CONVERSION = UUID("0190a1b2-0000-7000-8000-00000000c001")
LINK = UUID("0190a1b2-0000-7000-8000-00000000cc01")
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def stored(value: bytes, offset: int = 5, **changes: Any) -> StoredRecord:
    return StoredRecord(changes.get("topic", "clicks"), 2, offset, 0, b"", value, tuple(changes.get("headers", ())))


def made(*values: bytes) -> Batch:
    batch = Batch()
    event_rows.to_rows([stored(value, offset) for offset, value in enumerate(values)], NullDedupIndex(), batch)
    return batch


def test_the_check_knows_the_same_fields_and_defaults_as_the_vocabulary() -> None:
    fields = {field.name: field for field in msgspec.structs.fields(refusal_rows.RefusalRow)}
    assert fields.keys() == Refusal.model_fields.keys()
    for name, field in fields.items():
        assert field.required == Refusal.model_fields[name].is_required(), name
        if not field.required:
            assert field.default == Refusal.model_fields[name].default, name


def test_a_record_without_its_defaults_is_checked_as_one_with_them() -> None:
    """And every column is checked: the record that ingest encodes has no other fields."""
    bare = {field.name: click(3)[field.name] for field in msgspec.structs.fields(TrackedEvent) if field.required}
    event = msgspec.convert(bare, TrackedEvent)
    whole = json.dumps({name: getattr(event, name) for name in TrackedEvent.__struct_fields__}).encode()
    assert event_row.decode_row(whole) == event_row.decode_row(msgspec.json.encode(event))
    assert event_row.STRUCT.__struct_fields__ == TrackedEvent.__struct_fields__


def test_good_bytes_pass_unchanged_with_their_place_appended() -> None:
    value = json.dumps(click(3), separators=(",", ":")).encode()
    (row,) = made(value).rows
    assert row == value[:-1] + b',"_topic":"clicks","_partition":2,"_offset":0}'
    (spaced,) = made(value + b" \n").rows
    assert json.loads(spaced) == json.loads(row)


def test_records_of_ingest_are_accepted() -> None:
    event = TrackedEvent(
        event_id=str(CONVERSION),
        website_id=str(WEBSITE),
        type="click",
        occurred_at="2026-11-20 10:00:00.123",
        received_at="2026-11-20 10:00:00.456",
        visitor=2**64 - 1,
        value=-(2**63),
        props='{"a": "\U0001f600"}',
    )
    whole = {name: getattr(event, name) for name in TrackedEvent.__struct_fields__}
    batch = made(msgspec.json.encode(event), json.dumps(whole).encode())
    assert (len(batch.rows), batch.offsets, batch.bad) == (2, [0, 1], [])


@pytest.mark.parametrize("at", ["1969-12-31 23:59:59.999", "2106-01-01 00:00:00.000", "2026-01-01 00:00:00.000Z"])
def test_times_that_clickhouse_cannot_hold_are_bad(at: str) -> None:
    batch = made(json.dumps(click(1, occurred_at=at)).encode())
    assert (batch.rows, [bad.reason for bad in batch.bad]) == ([], ["invalid"])


def facts(attribution: Attribution | None, currency: str = "EUR") -> ConversionFacts:
    return ConversionFacts(
        website_id=WEBSITE,
        kind="sale",
        event="purchase",
        txid="order-1",
        amount=Money(amount=4_990, currency=currency),
        occurred_at=AT,
        attribution=attribution,
    )


VISIT = VisitDetails(path="/best-vpn", entry_page="/", channel="email", utm_campaign="spring", placement="top")
CLICK = Attribution(
    by=AttributedBy.CLICK_ID,
    partner_id=PARTNER,
    link_id=LINK,
    click_id="c" * 39,
    clicked_at=AT,
    terms=Terms(rate_bp=1000),
    visitor=2**64 - 1,
    country="FR",
    device="mobile",
    source="google",
    subs={"sub1": "a", "other": "dropped"},
    coupon="SAVE10",
    route="variant 2",
    visit=VISIT,
)


def recorded(attribution: Attribution | None, currency: str = "EUR") -> ConversionRecorded:
    return ConversionRecorded(
        originator_id=CONVERSION,
        originator_version=1,
        timestamp=AT,
        facts=facts(attribution, currency),
        received_at=AT,
        reported_by="postback",
        change=CounterDelta(currency="EUR", pending=1, commission_pending=499),
    )


def test_a_recorded_sale_makes_a_row_under_its_clicks_dimensions() -> None:
    assert conversion_rows.row_of(recorded(CLICK)) == {
        "website_id": WEBSITE,
        "event_id": uuid5(CONVERSION, "1"),
        "type": "conversion",
        "occurred_at": "2026-11-20 12:00:00.000",
        "received_at": "2026-11-20 12:00:00.000",
        "visitor": 2**64 - 1,
        "country": "FR",
        "device": "mobile",
        "source": "google",
        "click_id": "c" * 39,
        "link_id": LINK,
        "partner_id": PARTNER,
        "sub1": "a",
        "coupon": "SAVE10",
        "props": '{"route":"variant 2"}',
        **VISIT.model_dump(),
        "value": 4_990,
        "currency": "EUR",
        "origin": "decision",
        "conversion_id": CONVERSION,
        "event_name": "purchase",
        "d_pending": 1,
        "d_approved": 0,
        "d_rejected": 0,
        "d_reversed": 0,
        "c_pending": 499,
        "c_approved": 0,
        "c_reversed": 0,
    }


def test_a_waiting_sale_makes_no_row() -> None:
    assert conversion_rows.row_of(recorded(None)) is None


def test_a_sale_in_another_currency_keeps_its_amount_and_its_currency() -> None:
    row = conversion_rows.row_of(recorded(CLICK, "USD"))
    assert row is not None
    assert (row["value"], row["currency"], row["c_pending"]) == (4_990, "USD", 499)


@pytest.mark.parametrize("parts", [(), (1,), (1_000, 500), (4_990,)])
@pytest.mark.parametrize("first", range(3))
def test_values_add_up_to_what_of_the_sale_stands_whenever_its_click_came(parts: tuple[int, ...], first: int) -> None:
    """`first`: how many parts were reversed before the click came."""
    events: list[DomainEvent] = [recorded(None, "USD")]
    state = conversions.evolve(None, events[0])
    asked, basis = CommandContext(AT), decisions.Basis({"USD": "0.9"})
    for number in range(len(parts) + 1):
        new: list[DomainEvent] = []
        if number == min(first, len(parts)):
            new += decisions.attribute(state, CLICK, basis, asked)
            state = reduce(conversions.evolve, new, state)
        if number < len(parts):
            new += decisions.reverse(state, "returned", parts[number], asked)
            state = reduce(conversions.evolve, new[-1:], state)
        events += new
    rows = [row for event in events if (row := conversion_rows.row_of(event)) is not None]
    if state.is_attributed:
        assert sum(row["value"] for row in rows) == 4_990 - sum(parts)
        assert {row["currency"] for row in rows} == {"USD"}
        assert sum(row["c_pending"] for row in rows) == (0 if sum(parts) == 4_990 else state.net_commission)
    else:
        assert rows == [] and sum(parts) == 4_990


def test_decisions_enter_as_signed_differences() -> None:
    approved = ConversionApproved(
        originator_id=CONVERSION,
        originator_version=2,
        timestamp=AT,
        facts=facts(CLICK),
        change=CounterDelta(currency="EUR", pending=-1, approved=1, commission_pending=-499, commission_approved=499),
    )
    reversed_part = ConversionReversed(
        originator_id=CONVERSION,
        originator_version=3,
        timestamp=AT,
        facts=facts(CLICK),
        amount=Money(amount=1_000, currency="EUR"),
        commission=Money(amount=100, currency="EUR"),
        whole=False,
        reason="returned",
        change=CounterDelta(currency="EUR", commission_approved=-100, commission_reversed=100),
    )
    first, second = conversion_rows.row_of(approved), conversion_rows.row_of(reversed_part)
    assert first is not None and second is not None
    assert (first["d_pending"], first["d_approved"], first["c_pending"], first["c_approved"]) == (-1, 1, -499, 499)
    assert first["value"] == 0
    assert (second["c_approved"], second["c_reversed"], second["value"]) == (-100, 100, -1_000)


def test_a_conflicting_report_makes_no_row() -> None:
    event = ConversionReportConflicted(
        originator_id=CONVERSION,
        originator_version=2,
        timestamp=AT,
        website_id=WEBSITE,
        report_id=LINK,
        amount=Money(amount=1, currency="EUR"),
        reported_by="sale",
    )
    assert conversion_rows.row_of(event) is None


def test_a_domain_record_that_the_relay_sent_twice_counts_once() -> None:
    record = domain_record(recorded(CLICK), 7)
    twice = [stored(record.value, offset, topic="domain", headers=record.headers) for offset in (10, 11)]
    batch = Batch(domain_position=6)
    conversion_rows.to_rows(twice, NullDedupIndex(), batch)
    assert (batch.offsets, batch.domain_position, batch.bad) == ([10], 7, [])
    again = Batch(domain_position=7)
    conversion_rows.to_rows(twice, NullDedupIndex(), again)
    assert again.offsets == []


def rows_of_sealed(keys: KeysInMemory, *, forgotten: bool) -> list[dict[str, Any]]:
    """What a projector that starts now makes of a decision that was sealed with key 7."""
    event, never = recorded(CLICK), datetime(2026, 1, 1)  # noqa: DTZ001 - as rows have it
    record = domain_record(event, 7)
    sealed = EventMapper(None).to_stored_event(event, KeysInMemory(7).key(7)).state
    assert CLICK.click_id.encode() in record.value
    assert CLICK.click_id.encode() not in sealed
    erasure = Erasure(never, 0, bytes(32), frozenset(), frozenset(), frozenset(), frozenset({CONVERSION}))
    rules = EventRules(forgotten={WEBSITE: [erasure] if forgotten else []})
    batch = Batch(parameters=rules, decrypt=keys.opener())
    found = stored(sealed, 1, topic="domain", headers=record.headers)
    conversion_rows.to_rows([found], NullDedupIndex(), batch)
    assert batch.bad == []
    return [json.loads(row) for row in batch.rows]


def test_a_sealed_decision_makes_the_row_of_its_click_until_the_person_is_erased() -> None:
    keys = KeysInMemory(7)
    [row] = rows_of_sealed(keys, forgotten=False)
    assert (row["click_id"], row["sub1"]) == (CLICK.click_id, CLICK.subs["sub1"])
    [known] = rows_of_sealed(keys, forgotten=True)
    keys.erase(7, leaf_of_stream(CONVERSION))
    [erased] = rows_of_sealed(keys, forgotten=False)
    assert erased["click_id"] == ""
    assert "sub1" not in erased
    assert erased["visitor"] == row["visitor"]
    assert rows_of_sealed(keys, forgotten=True) == [known], "a table without the person is the same with and without"


def test_a_domain_record_that_cannot_be_read_is_bad_only_if_it_matters() -> None:
    record = domain_record(recorded(CLICK), 8)
    headers = dict(record.headers)
    broken = stored(b"{", 1, topic="domain", headers=record.headers)
    names = enumerate((b"partner.removed", b"of.a_newer_version"), start=2)
    others = [headers | {"event": name, "position": b"%d" % (7 + offset)} for offset, name in names]
    records = [stored(b"{}", 2 + place, topic="domain", headers=tuple(o.items())) for place, o in enumerate(others)]
    batch = Batch()
    conversion_rows.to_rows([broken, *records], NullDedupIndex(), batch)
    assert [(bad.record.offset, bad.reason) for bad in batch.bad] == [(1, "undecodable"), (3, "newer_version")]


def test_a_field_of_a_newer_ingest_waits_for_newer_projectors() -> None:
    batch = made(json.dumps(click(1, of_a_newer_version="x")).encode())
    assert (batch.rows, [bad.reason for bad in batch.bad]) == ([], ["newer_version"])


@pytest.mark.parametrize(
    ("name", "value"),
    [("type", ""), ("type", "click\n"), ("type", "x" * 65), ("type", "Click"), ("country", "D"), ("country", "DE\n")],
)
def test_words_of_another_form_are_bad(name: str, value: str) -> None:
    batch = made(json.dumps(click(1, **{name: value})).encode())
    assert (batch.rows, [bad.reason for bad in batch.bad]) == ([], ["invalid"])
