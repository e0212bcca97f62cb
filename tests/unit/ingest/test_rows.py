"""What ingest writes is a tracked event without its defaults; what it accepts has every property of the column list."""

import msgspec

from ingest.rows import PROPERTIES, EventRow, SentEvent, encode_row
from schemas.tracking import SUBS, TrackedEvent


def test_an_encoded_row_is_a_tracked_event_without_its_defaults() -> None:
    row = EventRow(
        "0190b0b0-0000-7000-8000-000000000001",
        "0190b0b0-0000-7000-8000-000000000002",
        "pageview",
        "2026-01-01 00:00:00.000",
        received_at="2026-01-01 00:00:00.001",
        visitor=2**64 - 1,
        title='quote " and ümlaut',
    )
    encoded = encode_row(row)
    assert b"utm_source" not in encoded and b"link_id" not in encoded
    event = msgspec.json.decode(encoded, type=TrackedEvent)
    assert (event.visitor, event.title, event.origin) == (2**64 - 1, 'quote " and ümlaut', "server")


def test_the_order_of_sent_fields_is_fixed() -> None:
    """The hash of a repeated event is of its fields in this order: it must not change between versions."""
    assert PROPERTIES[:10] == SUBS
    before = ("click_id", "link", "partner")
    after = ("value", "currency", "props", "ip", "user_agent", "sent_at", "hash", "view", "ad_params", "consent", "gpc")
    assert SentEvent.__struct_fields__[9:] == (*before, *PROPERTIES, *after)
