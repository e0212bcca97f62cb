"""Encodes decided events for topic `domain`: the stored bytes as they are, and in headers what decodes them.

The relay writes it, projectors and policies read it. Both sides use these two functions.

Values of `Sealed` fields that are not at their defaults are not in the state itself: its member `"sealed"` has them, as
base64 of a JSON object of values by path (`facts.attribution.click_id`), sealed for the event's aggregate and bound to
its version. A program that does not know the member takes the event for a newer one. An event without the member has
its values in clear: it has none, or it is of before.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    sealed_fields,
    sealed_with_names,
    subject_of,
    upcast,
    validated,
)
from schemas.message_ids import CAUSATION_ID, COMMAND_ID, CORRELATION_ID, NO_IDS, Headers, MessageIds, ids_of

ENCRYPTED_PREFIX: Final = "enc:"
"""The beginning of an encrypted `Personal` value in stored bytes."""

SEALED: Final = "sealed"
"""Member of a state with the values of its `Sealed` fields."""

STORED_COLUMNS: Final = (
    "notification_id, originator_id, originator_version, topic, state, command_id, correlation_id, causation_id"
)
"""The columns of `events.stored_events` that become a record."""
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
    is_whole: bool = True
    """False: it has sealed values that were not opened, because the person is erased or no key was given."""


class Decrypt(Protocol):
    """Opens encrypted personal values (implemented by `infra.kernel.security.subject_keys`)."""

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:
        """The plain text, or `[erased]` when the subject's key is gone."""
        ...

    def unseal(self, sealed: str, bound: bytes) -> bytes | None:
        """Returns the value that was sealed and bound to `bound`, or none when the person is erased."""
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
    """Returns whether this code knows the event that the headers name."""
    return dict(record_headers).get("event", b"").decode(errors="replace") in REGISTRY


def decode(value: bytes, record_headers: Headers, decrypt: Decrypt | None = None) -> Enveloped:
    """The event in a `domain` record, brought to its current version.

    `decrypt(subject_id, field, text)` opens `Personal` values; without it they read `[erased]`, and what is sealed
    reads as its default. Raises `UndecodableEvent`, of what a newer version wrote `NewerEvent`.
    """
    by_name = dict(record_headers)
    try:
        name, version = by_name["event"].decode(), int(by_name["version"])
        aggregate, position = UUID(by_name["aggregate"].decode()), int(by_name["position"])
        aggregate_version = int(by_name["aggregate_version"])
        state: dict[str, Any] = orjson.loads(value)
        is_whole = open_sealed(state, aggregate, aggregate_version, decrypt)
        event_class, state = upcast(name, version, state)
        open_personal(event_class, aggregate, state, decrypt)
        state["originator_id"] = aggregate
        state["originator_version"] = aggregate_version
        return Enveloped(validated(event_class, state), position, ids_of(record_headers), is_whole)
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


def take_sealed(event_class: type[DomainEvent], state: dict[str, Any]) -> dict[str, Any]:
    """Takes the values of `Sealed` fields out of `state` (in place) and returns them by path; those at their defaults
    stay."""
    taken: dict[str, Any] = {}
    with_names = sealed_with_names(event_class)
    for path, default in sealed_fields(event_class).items():
        holder = _holder(state, path)
        if holder is not None and path[-1] in holder and holder[path[-1]] != default:
            value = taken[".".join(path)] = holder.pop(path[-1])
            if path in with_names:
                holder[path[-1]] = dict.fromkeys(value, ERASED)
    return taken


def open_sealed(state: dict[str, Any], aggregate_id: UUID, version: int, decrypt: Decrypt | None) -> bool:
    """Puts sealed values back into `state` (in place), which is of the version that was stored. Returns false if there
    are some and they stay closed."""
    if SEALED not in state:
        return True
    sealed = state.pop(SEALED)
    if not isinstance(sealed, str):
        raise ValueError(f"{SEALED} is no text")
    opened = decrypt.unseal(sealed, sealed_for(aggregate_id, version)) if decrypt is not None else None
    if opened is None:
        return False
    for path, value in orjson.loads(opened).items():
        put_back(state, path, value)
    return True


def put_back(state: dict[str, Any], path: str, value: Any) -> None:
    """Puts one value that `take_sealed` has taken into `state`."""
    names = tuple(path.split("."))
    holder = _holder(state, names)
    if holder is None:
        raise ValueError(f"there is no {path} that its sealed value could be put into")
    holder[names[-1]] = value


def sealed_for(aggregate_id: UUID, version: int) -> bytes:
    """Returns the bytes that the sealed values of an event are bound to."""
    return f"{aggregate_id}@{version}".encode()


def _holder(state: Any, path: tuple[str, ...]) -> dict[str, Any] | None:
    """The object with the last name of the path; none: an optional value is not there."""
    for name in path[:-1]:
        state = state.get(name) if isinstance(state, Mapping) else None
    return state if isinstance(state, dict) else None
