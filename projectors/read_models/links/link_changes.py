"""`read.link_changes`: when a tracked link began to lead elsewhere, by version; version 1 is its creation."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.links import LinkCreated, LinkUpdated

LINK_CHANGES: Final = ReadModel(
    name="link_changes",
    version=1,
    columns=(
        "link_id uuid",
        "version int",
        "website_id uuid not null",
        "at timestamptz not null",
        "position bigint not null",
    ),
    key=("link_id", "version"),
    readers=OWN_WEBSITES,
    indexes=("website_id, at",),
)


@LINK_CHANGES.on(LinkCreated)
def created(rows: Rows, event: LinkCreated) -> None:
    _put(rows, event, event.website_id)


@LINK_CHANGES.on(LinkUpdated)
def updated(rows: Rows, event: LinkUpdated) -> None:
    if event.destination is None and event.routing is None:
        return
    first = rows.get(link_id=event.originator_id, version=1)
    if first is not None:
        _put(rows, event, first["website_id"])


def _put(rows: Rows, event: LinkCreated | LinkUpdated, website_id: UUID) -> None:
    rows.put(
        link_id=event.originator_id,
        version=event.originator_version,
        website_id=website_id,
        at=event.timestamp,
        position=rows.position,
    )
