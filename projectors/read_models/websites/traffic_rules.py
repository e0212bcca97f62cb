"""`read.traffic_rules`: what events of a period count as, by rule. The projection `events` is built by them."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.websites import WebsiteTrafficRemarked, WebsiteTrafficRemarkUndone

TRAFFIC_RULES: Final = ReadModel(
    name="traffic_rules",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "since timestamptz not null",
        "until timestamptz not null",
        "mark text not null",
        "conditions jsonb not null",
        "note text not null",
        "position bigint not null",
        "created_at timestamptz not null",
        "undone_at timestamptz",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
)


@TRAFFIC_RULES.on(WebsiteTrafficRemarked)
def remarked(rows: Rows, event: WebsiteTrafficRemarked) -> None:
    rows.put(
        id=event.rule_id,
        website_id=event.originator_id,
        since=event.since,
        until=event.until,
        mark=str(event.mark),
        conditions=event.conditions.model_dump(mode="json", exclude_none=True),
        note=event.note,
        position=rows.position,
        created_at=event.timestamp,
        undone_at=None,
    )


TRAFFIC_RULES.follows(WebsiteTrafficRemarkUndone, at="undone_at", of="rule_id")
