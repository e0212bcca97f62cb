"""How a decided event travels in topic `domain`: the stored bytes as they are, and in headers what decodes them.

The relay writes it, projectors and policies read it. Both sides use these two functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol
from uuid import UUID

import orjson
from pydantic import ValidationError

import schemas.events  # noqa: F401 - fills the registry
from schemas.base import (
    ERASED,
    REGISTRY,
    DomainEvent,
    UnknownEvent,
    personal_fields,
    subject_of,
    upcast,
    validated,
)
from schemas.message_ids import CAUSATION_ID, COMMAND_ID, CORRELATION_ID, NO_IDS, Headers, MessageIds, ids_of

ENCRYPTED_PREFIX: Final = "enc:"
"""What an encrypted `Personal` value starts with in stored bytes."""

STORED_COLUMNS: Final = (
    "notification_id, originator_id, originator_version, topic, state, command_id, correlation_id, causation_id"
)
"""Of `events.stored_events`: what becomes a record."""
StoredRow = tuple[int, UUID, int, str, bytes, UUID | None, str | None, str | None]


class UndecodableEvent(ValueError):
    """This code cannot read the record as an event; the message gives the reason."""


class NewerEvent(UndecodableEvent):
    """A newer version of the program wrote the event: this one does not know its name, its version or a field."""


@dataclass(frozen=True, slots=True)
class Enveloped:
    """One decided event as it came from the log."""

    event: DomainEvent
    position: int
    """Place in commit order: the event store's notification id (`X-Position: domain@N`)."""
    ids: MessageIds = NO_IDS


class Decrypt(Protocol):
    """How encrypted personal values are opened (implemented by `infra.kernel.security.subject_keys`)."""

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:
        """The plain text, or `[erased]` when the subject's key is gone."""
        ...


def headers(
    name: str, version: int, position: int, aggregate_id: UUID, aggregate_version: int, ids: MessageIds = NO_IDS
) -> Headers:
    """Headers of a `domain` record; its key is the aggregate id's text, its value the stored state."""
    return (
        ("event", name.encode()),
        ("version", b"%d" % version),
        ("position", b"%d" % position),
        ("aggregate", str(aggregate_id).encode()),
        ("aggregate_version", b"%d" % aggregate_version),
        *(((COMMAND_ID, str(ids.command_id).encode()),) if ids.command_id is not None else ()),
        *(((CORRELATION_ID, ids.correlation_id.encode()),) if ids.correlation_id else ()),
        *(((CAUSATION_ID, ids.causation_id.encode()),) if ids.causation_id else ()),
    )


def stored_headers(row: StoredRow) -> Headers:
    """Headers of the `domain` record of a row of the event store (`STORED_COLUMNS`)."""
    position, aggregate_id, aggregate_version, topic, _, command_id, correlation_id, causation_id = row
    name, _, version = topic.rpartition(".v")
    ids = MessageIds(command_id, correlation_id or "", causation_id or "")
    return headers(name, int(version), position, aggregate_id, aggregate_version, ids)


def position_of(record_headers: Headers) -> int:
    """The commit position of a `domain` record. Raises `UndecodableEvent` when it has none."""
    for name, value in record_headers:
        if name == "position":
            return int(value)
    raise UndecodableEvent("the record has no position header")


def is_known(record_headers: Headers) -> bool:
    """Whether this code knows the event that the headers name."""
    return dict(record_headers).get("event", b"").decode(errors="replace") in REGISTRY


def decode(value: bytes, record_headers: Headers, decrypt: Decrypt | None = None) -> Enveloped:
    """The event in a `domain` record, brought to its current version.

    `decrypt(subject_id, field, text)` opens `Personal` values; without it they read `[erased]`.
    Raises `UndecodableEvent`, of what a newer version wrote `NewerEvent`.
    """
    found = dict(record_headers)
    try:
        name, version = found["event"].decode(), int(found["version"])
        aggregate, position = UUID(found["aggregate"].decode()), int(found["position"])
        state: dict[str, Any] = orjson.loads(value)
        event_class, state = upcast(name, version, state)
        open_personal(event_class, aggregate, state, decrypt)
        state["originator_id"] = aggregate
        state["originator_version"] = int(found["aggregate_version"])
        return Enveloped(validated(event_class, state), position, ids_of(record_headers))
    except UnknownEvent as error:
        raise NewerEvent(str(error)) from error
    except (KeyError, ValidationError, orjson.JSONDecodeError, UnicodeDecodeError, ValueError) as error:
        raise UndecodableEvent(f"{type(error).__name__}: {error}") from error


def open_personal(
    event_class: type[DomainEvent], aggregate_id: UUID, state: dict[str, Any], decrypt: Decrypt | None
) -> None:
    """Replaces encrypted values in `state` (in place) by their plain text, or by `[erased]` without a key."""
    for field in personal_fields(event_class):
        text = state.get(field)
        if isinstance(text, str) and text.startswith(ENCRYPTED_PREFIX):
            # Only here: an event from before the field was personal may not name its person.
            subject_id = subject_of(event_class, aggregate_id, state)
            state[field] = decrypt(subject_id, field, text) if decrypt else ERASED
