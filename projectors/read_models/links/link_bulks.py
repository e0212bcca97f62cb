"""`read.link_bulks`: changes of many links, how far they are; `read.link_bulk_outcomes`: the outcome of each link."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.event_table import stored
from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.links import LinkBulkAdvanced, LinkBulkCancelled, LinkBulkStarted
from schemas.events.websites import WebsiteDisconnected

LINK_BULKS: Final = ReadModel(
    name="link_bulks",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "change jsonb not null",
        "links int not null",
        "done int not null default 0",
        "changed int not null default 0",
        "failed int not null default 0",
        # running, finished or cancelled.
        "state text not null",
        "started_by uuid",
        "started_at timestamptz not null",
        "ended_at timestamptz",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, started_at",),
)
LINK_BULK_OUTCOMES: Final = ReadModel(
    name="link_bulk_outcomes",
    version=1,
    columns=(
        "bulk_id uuid",
        "link_id uuid",
        "website_id uuid not null",
        # Empty: it was changed.
        "code text not null default ''",
        "message text not null default ''",
    ),
    key=("bulk_id", "link_id"),
    readers=OWN_WEBSITES,
    indexes=("website_id",),
)


@LINK_BULKS.on(LinkBulkStarted)
def started(rows: Rows, event: LinkBulkStarted) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        change=stored({"change": event.change})["change"],
        links=len(event.link_ids),
        state="running",
        started_by=event.actor_id,
        started_at=event.timestamp,
    )


@LINK_BULKS.on(LinkBulkAdvanced)
def advanced(rows: Rows, event: LinkBulkAdvanced) -> None:
    bulk = {"id": event.originator_id}
    rows.add(bulk, changed=len(event.changed), failed=len(event.failures))
    end = {"state": "finished", "ended_at": event.timestamp} if event.is_finished else {}
    rows.update(bulk, done=event.done, **end)


LINK_BULKS.follows(LinkBulkCancelled, at="ended_at", state="cancelled")


@LINK_BULKS.on(WebsiteDisconnected)
def owner_erased(rows: Rows, event: WebsiteDisconnected) -> None:
    """Blanks the owner's texts."""
    if event.owner_erased:
        rows.update({"website_id": event.originator_id}, change={})


@LINK_BULK_OUTCOMES.on(LinkBulkAdvanced)
def decided(rows: Rows, event: LinkBulkAdvanced) -> None:
    common = {"bulk_id": event.originator_id, "website_id": event.website_id}
    for one in event.changed:
        rows.put(**common, link_id=one.link_id, code="", message="")
    for failure in event.failures:
        rows.put(**common, link_id=failure.link_id, code=failure.code, message=failure.message)


@LINK_BULK_OUTCOMES.on(WebsiteDisconnected)
def texts_erased(rows: Rows, event: WebsiteDisconnected) -> None:
    """Blanks the messages, which may name destinations."""
    if event.owner_erased:
        rows.update({"website_id": event.originator_id}, message="")
