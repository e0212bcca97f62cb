"""The edge's fast record is the vocabulary's record, field by field."""

from uuid import UUID

import msgspec

from ingest.rows import Row, encode_row
from schemas.tracking import TrackedEvent


def test_row_mirrors_the_tracked_event() -> None:
    ours = {field.name: field for field in msgspec.structs.fields(Row)}
    theirs = TrackedEvent.model_fields
    assert list(ours) == list(theirs)
    for name, field in theirs.items():
        mine = ours[name]
        assert mine.required == field.is_required(), name
        if not field.is_required():
            wanted = str(field.default) if isinstance(field.default, UUID) else field.default
            assert mine.default == wanted and type(mine.default) is type(wanted), name


def test_an_encoded_row_is_a_tracked_event_without_its_defaults() -> None:
    row = Row(
        "0190b0b0-0000-7000-8000-000000000001",
        "0190b0b0-0000-7000-8000-000000000002",
        "pageview",
        "2026-01-01 00:00:00.000",
        "2026-01-01 00:00:00.001",
        visitor=2**64 - 1,
        title='quote " and ümlaut',
    )
    encoded = encode_row(row)
    assert b"utm_source" not in encoded and b"link_id" not in encoded
    event = TrackedEvent.model_validate_json(encoded)
    assert (event.visitor, event.title, event.origin) == (2**64 - 1, 'quote " and ümlaut', "server")
