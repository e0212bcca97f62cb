"""Rows of destinations: `destinations.destination` and `destinations.delivery`. Credentials are encrypted."""

# ruff: noqa: S608 - names of columns are ours; values are bound

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.destinations.decision import AdClick, DeliveryStep, LastSent
from command_api.kernel.container import Container
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt, keyed_hash
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_ids, wrapped_keys
from schemas.base import Money
from schemas.events.destinations import AdPlatform
from schemas.http.destinations import DeliveryKind

PROCESS: Final = "destinations:deliver"
"""The process manager; its timeouts are deliveries."""
_CREDENTIALS: Final = "destination-credentials"


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """A delivery that is not finished, with its destination. `step`: none as long as it is not prepared."""

    id: UUID
    destination_id: UUID
    website_id: UUID
    conversion_id: UUID
    platform: AdPlatform
    attempts: int
    credentials_sealed: str | None = field(repr=False)
    credentials_hash: str
    is_refused: bool
    paused_until: datetime | None
    prepared_at: datetime | None
    step: DeliveryStep | None
    page_url: str


def seal_credentials(
    settings: Settings, destination_id: UUID, credentials: Mapping[str, str]
) -> tuple[str | None, str]:
    """The credentials as they are stored, and their hash; none: there are none."""
    if not credentials:
        return None, ""
    key, text = derived_key(settings, _CREDENTIALS), json.dumps(credentials, sort_keys=True)
    return encrypt(key, text, f"{_CREDENTIALS}:{destination_id}"), keyed_hash(key, text)


def open_credentials(settings: Settings, delivery: StoredDelivery) -> dict[str, str]:
    """Raises `DecryptionError`."""
    purpose = f"{_CREDENTIALS}:{delivery.destination_id}"
    opened: dict[str, str] = json.loads(
        decrypt(derived_key(settings, _CREDENTIALS), delivery.credentials_sealed or "", purpose)
    )
    return opened


def unfinished(container: Container, ids: Sequence[UUID]) -> list[StoredDelivery]:
    """The deliveries of these ids that are not finished, in the order of their decisions."""
    rows = container.select(_UNFINISHED, list(ids))
    steps = _steps(container, [(row[2], row[12:]) for row in rows])
    return [_delivery(row, step) for row, step in zip(rows, steps, strict=True)]


def last_sent(container: Container, delivery: StoredDelivery) -> LastSent | None:
    """Returns what the last delivery of the conversion said that was sent, or is in a file."""
    rows = container.select(_TOLD, delivery.destination_id, delivery.conversion_id)
    for step in _steps(container, [(delivery.website_id, row) for row in rows]):
        if step is not None:
            return LastSent(step.kind, step.event_name, step.occurred_at, step.value, step.click)
    return None


def is_sending_another(container: Container, delivery: StoredDelivery) -> bool:
    """Returns whether an earlier delivery of the conversion is being sent: its outcome is not known yet."""
    return bool(container.select(_SENDING, delivery.destination_id, delivery.conversion_id, delivery.id))


def begin(container: Container, delivery: StoredDelivery) -> None:
    """Begins to prepare: a later decision about the conversion makes another delivery, and waits no longer for this
    one."""
    container.execute(_BEGIN, delivery.id)


def prepare(container: Container, delivery: StoredDelivery, step: DeliveryStep, page_url: str, now: datetime) -> None:
    """Stores what is sent, before it is sent for the first time."""
    click = step.click
    clicked = (None, None, None) if click is None else (click.event_id, click.clicked_at, click.sealed)
    values = (step.kind, step.event_name, step.occurred_at, step.value.amount, step.value.currency, *clicked)
    container.execute(_PREPARE, now, *values, page_url, delivery.id)


def pause(container: Container, destination_id: UUID, until: datetime) -> None:
    """Lets no call of the destination be made before."""
    container.execute(_PAUSE, until, destination_id)


def _delivery(row: Sequence[Any], step: DeliveryStep | None) -> StoredDelivery:
    id_, destination_id, website_id, conversion_id, platform, attempts, sealed, hash_, *more = row[:12]
    is_refused, paused_until, prepared_at, page_url = more
    return StoredDelivery(
        id_,
        destination_id,
        website_id,
        conversion_id,
        AdPlatform(platform),
        attempts,
        sealed,
        hash_,
        is_refused,
        paused_until,
        prepared_at,
        step,
        page_url or "",
    )


def _steps(container: Container, rows: Sequence[tuple[UUID, Sequence[Any]]]) -> list[DeliveryStep | None]:
    """Returns what `_STEP` of these rows says, each with its website; click ids are opened, where there is a key."""
    sealed = [Sealed(website_id, row[5], row[7]) for website_id, row in rows if row[7]]
    wrapped: dict[UUID, str] = {}
    if sealed:
        with container.pool.connection() as connection:
            wrapped = wrapped_keys(connection, key_ids(one.text for one in sealed))
    keys = VisitorKeys(container.settings)
    return [_step(row, keys, website_id, wrapped) for website_id, row in rows]


def _step(row: Sequence[Any], keys: VisitorKeys, website_id: UUID, wrapped: Mapping[UUID, str]) -> DeliveryStep | None:
    kind, event_name, occurred_at, value, currency, event_id, clicked_at, text = row
    if kind is None:
        return None
    ids = keys.open(Sealed(website_id, event_id, text), wrapped) if text else None
    click = None if event_id is None else AdClick(event_id, clicked_at, text, ids)
    return DeliveryStep(DeliveryKind(kind), event_name, occurred_at, Money(amount=value, currency=currency), click)


_STEP: Final[LiteralString] = (
    "d.kind, d.event_name, d.occurred_at, d.value, d.currency, d.click_event_id, d.clicked_at, d.click_sealed"
)
_UNFINISHED: Final[LiteralString] = (
    "SELECT d.id, d.destination_id, d.website_id, d.conversion_id, t.platform, d.attempts, t.credentials_sealed,"
    f" t.credentials_hash, t.is_refused, t.paused_until, d.prepared_at, d.page_url, {_STEP}"
    " FROM destinations.delivery AS d JOIN destinations.destination AS t ON t.destination_id = d.destination_id"
    " WHERE d.id = ANY(%s) AND d.state IN ('new', 'ready') ORDER BY d.number"
)
_TOLD: Final[LiteralString] = (
    f"SELECT {_STEP} FROM destinations.delivery AS d WHERE d.destination_id = %s AND d.conversion_id = %s"
    " AND d.state IN ('sent', 'in_file') ORDER BY d.number DESC LIMIT 1"
)
_SENDING: Final[LiteralString] = (
    "SELECT 1 FROM destinations.delivery WHERE destination_id = %s AND conversion_id = %s AND state = 'ready'"
    " AND id <> %s"
)
_BEGIN: Final[LiteralString] = "UPDATE destinations.delivery SET state = 'ready' WHERE id = %s AND state = 'new'"
_PREPARE: Final[LiteralString] = (
    "UPDATE destinations.delivery SET prepared_at = %s, kind = %s, event_name = %s, occurred_at = %s,"
    " value = %s, currency = %s, click_event_id = %s, clicked_at = %s, click_sealed = %s, page_url = %s"
    " WHERE id = %s AND kind IS NULL"
)
_PAUSE: Final[LiteralString] = (
    "UPDATE destinations.destination SET paused_until = greatest(paused_until, %s) WHERE destination_id = %s"
)
