"""Ids that connect messages: which command made an event, and the request, click or event that it follows from.

They travel in the headers of records, never in payloads, and are ids only. Records from before them have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from schemas.topics import CLICKS

Headers = tuple[tuple[str, bytes], ...]
COMMAND_ID: Final = "command_id"
CORRELATION_ID: Final = "correlation_id"
CAUSATION_ID: Final = "causation_id"


@dataclass(frozen=True, slots=True)
class MessageIds:
    """The command that made a message, and the messages it follows from; empty: not known, or older than these ids.

    `correlation_id`: the same for everything that follows from one request or click. `causation_id`: the message that
    the command reacts to, a report's id or `message_id` of an event; empty when a person or a schedule sent it.
    """

    command_id: UUID | None = None
    correlation_id: str = ""
    causation_id: str = ""


NO_IDS: Final = MessageIds()


def message_id(aggregate_id: UUID, aggregate_version: int) -> str:
    """The id of a decided event: its place in its aggregate's history, which is known before it is stored."""
    return f"{aggregate_id}@{aggregate_version}"


def ids_of(record_headers: Headers) -> MessageIds:
    """The ids of a record of any topic, as far as its headers have them. Raises `ValueError` for a malformed one."""
    headers = dict(record_headers)
    command_id = headers.get(COMMAND_ID)
    return MessageIds(
        UUID(command_id.decode()) if command_id is not None else None,
        headers.get(CORRELATION_ID, b"").decode(),
        headers.get(CAUSATION_ID, b"").decode(),
    )


def correlation_of(topic: str, key: bytes, record_headers: Headers) -> str:
    """The correlation id of a record, for logs and traces; empty: it has none.

    A tracked event (topic `clicks`) begins a chain: its correlation id is its own id, which is the record's key, so
    that no header is needed.
    """
    for name, value in record_headers:
        if name == CORRELATION_ID:
            return value.decode("utf-8", "replace")
    return key.decode("utf-8", "replace") if topic == CLICKS.name else ""
