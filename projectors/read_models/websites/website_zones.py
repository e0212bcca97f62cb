"""`read.website_zones`: which time zone each website was in since when: months that are over keep the one they had."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.base import DomainEvent
from schemas.events.websites import WebsiteConnected, WebsiteUpdated

WEBSITE_ZONES: Final = ReadModel(
    name="website_zones",
    version=1,
    columns=(
        "website_id uuid",
        "since timestamptz not null",
        "timezone text not null",
        "position bigint not null",
    ),
    key=("website_id", "since"),
    readers=OWN_WEBSITES,
)


@WEBSITE_ZONES.on(WebsiteConnected)
def connected(rows: Rows, event: WebsiteConnected) -> None:
    _put(rows, event, event.timezone)


@WEBSITE_ZONES.on(WebsiteUpdated)
def updated(rows: Rows, event: WebsiteUpdated) -> None:
    if event.timezone is not None:
        _put(rows, event, event.timezone)


def _put(rows: Rows, event: DomainEvent, timezone: str) -> None:
    rows.put(website_id=event.originator_id, since=event.timestamp, timezone=timezone, position=rows.position)
