"""One record of topic `clicks` as the projection checks it: `schemas.tracking.EVENT_COLUMNS` as strict types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Protocol, cast
from uuid import UUID

import msgspec

from schemas.tracking import EVENT_COLUMNS, FLAG, HASH, ID, LOW, NUMBER, TEXT, TIME, Column

_CHECKED: Final[Mapping[str, Any]] = {
    ID: UUID,
    TIME: datetime,
    HASH: Annotated[int, msgspec.Meta(ge=0)],
    NUMBER: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)],
    FLAG: bool,
    LOW: str,
    TEXT: str,
}
"""The conditions on a value for ClickHouse to accept it."""


class Row(Protocol):
    """The columns of a record that the projection itself reads; the record has every column."""

    event_id: UUID
    website_id: UUID
    type: str
    occurred_at: datetime
    received_at: datetime
    visitor: int
    session: int
    country: str
    is_bot: bool
    bot_reason: str
    click_id: str


def _field(column: Column) -> tuple[str, Any] | tuple[str, Any, Any]:
    checked = _CHECKED[column.type]
    if column.default is None:
        return column.name, checked
    return column.name, checked, UUID(column.default) if checked is UUID else column.default


STRUCT: Final = msgspec.defstruct("Row", map(_field, EVENT_COLUMNS), forbid_unknown_fields=True, gc=False)
decode_row: Final = cast("Callable[[bytes], Row]", msgspec.json.Decoder(STRUCT).decode)
"""Raises `msgspec.DecodeError`, `UnicodeDecodeError` and `RecursionError`."""
