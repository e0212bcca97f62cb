"""`read.link_changes`: every change of a tracked link, by version; version 1 is its creation."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from infra.kernel.postgres.event_table import stored
from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.base import DomainEvent
from schemas.events.links import LinkCreated, LinkUpdated
from schemas.events.websites import WebsiteDisconnected

LINK_CHANGES: Final = ReadModel(
    name="link_changes",
    version=3,
    columns=(
        "link_id uuid",
        "version int",
        "website_id uuid not null",
        "at timestamptz not null",
        "position bigint not null",
        "actor_id uuid",
        "is_redirected boolean not null default true",
        "partner_id uuid",
        "bulk_id uuid",
        "fields jsonb not null default '{}'",
        "shift jsonb",
        "restores int",
    ),
    key=("link_id", "version"),
    readers=OWN_WEBSITES,
    indexes=("website_id, at",),
)
"""`is_redirected`: it leads elsewhere since; `partner_id`: the new partner, if it changed; `bulk_id`: the change of
many links that it belongs to; `fields`: the new values; `shift`: the decision about the weights of its split by
results; `restores`: the version of the change before which they were as they are since."""

_SHOWN: Final = frozenset(
    {"partner_id", "destination", "routing", "subs", "coupon", "is_active", "tags", "folder", "is_archived", "shifting"}
)


@LINK_CHANGES.on(LinkCreated)
def created(rows: Rows, event: LinkCreated) -> None:
    _put(rows, event, event.website_id, is_redirected=True, partner_id=event.partner_id)


@LINK_CHANGES.on(LinkUpdated)
def updated(rows: Rows, event: LinkUpdated) -> None:
    first = rows.get(link_id=event.originator_id, version=1)
    if first is not None:
        redirects = (event.destination, event.routing, event.partner_id)
        is_redirected = any(value is not None for value in redirects)
        _put(
            rows,
            event,
            first["website_id"],
            is_redirected=is_redirected,
            partner_id=event.partner_id,
            bulk_id=event.bulk_id,
            shift=stored(event.shift.model_dump(mode="json")) if event.shift is not None else None,
            restores=event.restores,
        )


@LINK_CHANGES.on(WebsiteDisconnected)
def owner_erased(rows: Rows, event: WebsiteDisconnected) -> None:
    """Blanks the owner's texts and figures."""
    if event.owner_erased:
        rows.update({"website_id": event.originator_id}, fields={}, shift=None)


def _put(rows: Rows, event: DomainEvent, website_id: UUID, **columns: Any) -> None:
    rows.put(
        link_id=event.originator_id,
        version=event.originator_version,
        website_id=website_id,
        at=event.timestamp,
        position=rows.position,
        actor_id=event.actor_id,
        fields=stored(event.model_dump(mode="json", include=set(_SHOWN), exclude_none=True)),
        **columns,
    )
