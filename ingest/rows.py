"""The events that a site sends, and the record that is written to the log, as msgspec structs: pydantic's own encoding
would cost more than the rest of the processing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from schemas.tracking import EVENT_COLUMNS, SEALED_OF_EVENTS, TrackedEvent

Text = str | int | None
NO_PROPS: Final = msgspec.Raw()
PROPERTIES: Final = tuple(column.name for column in EVENT_COLUMNS if column.is_sent)
"""Fields of an event whose text is kept as a column of the same name."""


class _SentHead(msgspec.Struct, omit_defaults=True):
    type: str
    id: str | None = None
    site: str | None = None
    occurred_at: str | int | None = None
    url: str | None = None
    referrer: str | None = None
    title: str | None = None
    visitor_id: Text = None
    session_id: Text = None
    click_id: str | None = None
    link: str | None = None
    partner: str | None = None


if TYPE_CHECKING:
    _SentProperties = _SentHead
else:
    _SentProperties = msgspec.defstruct(
        "_SentProperties", [(name, Text, None) for name in PROPERTIES], bases=(_SentHead,), omit_defaults=True
    )


class Consent(msgspec.Struct, omit_defaults=True):
    """The consent of a visitor, agreed (true) or refused (false), as far as the sender knows."""

    ads: bool | None = None
    analytics: bool | None = None


class SentEvent(_SentProperties, omit_defaults=True):
    """One event of `POST /track` as a site sends it; unknown fields are ignored. The order of the fields counts: the
    hash of a repeated event is of its text.

    `ad_params`: ad click ids that the script took out of `url`, `name=value&…`; `view`: the page view of an impression.

    `props` stays as it was sent until step validate: decoded, a body full of lists would take fifty times its size.
    """

    value: int | None = None
    currency: str | None = None
    props: msgspec.Raw = NO_PROPS
    ip: str | None = None
    user_agent: str | None = None
    sent_at: str | int | None = None
    hash: bool | None = None
    view: str | None = None
    ad_params: str | None = None
    consent: Consent | None = None
    gpc: bool | None = None


LAST_CLEAR: Final = "received_at"
"""The member of an encoded row behind which its personal texts begin: every row has it."""
FIRST_SEALED: Final = "props"
"""The first of the personal texts."""


def _text_fields() -> Iterator[tuple[str, Any] | tuple[str, Any, Any]]:
    yield LAST_CLEAR, str
    for name in sorted(SEALED_OF_EVENTS, key=lambda name: name != FIRST_SEALED):
        yield name, str, ""


def _clear_fields() -> Iterator[tuple[str, Any] | tuple[str, Any, Any]]:
    texts = {name for name, *_ in _text_fields()}
    for field in msgspec.structs.fields(TrackedEvent):
        if field.name not in texts:
            yield (field.name, field.type) if field.required else (field.name, field.type, field.default)


if TYPE_CHECKING:
    EventRow = TrackedEvent
else:
    # Fields by keyword come after the others, so that one cut separates what is sealed (`ingest.visitors.sealing`).
    _Texts = msgspec.defstruct("_Texts", _text_fields(), kw_only=True)
    EventRow = msgspec.defstruct("EventRow", _clear_fields(), bases=(_Texts,), omit_defaults=True)
    """`TrackedEvent` with its personal texts at the end."""

encode_row: Final = msgspec.json.Encoder().encode
