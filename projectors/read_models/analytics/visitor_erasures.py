"""`read.visitor_erasures`: who was forgotten, as pseudonyms. The projections `events` and `refusals` follow it."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.analytics import VisitorForgotten

VISITOR_ERASURES: Final = ReadModel(
    name="visitor_erasures",
    version=2,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "named_by text not null",
        "salt text not null",
        "visitors numeric(20)[] not null",
        "sessions numeric(20)[] not null",
        "clicks uuid[] not null",
        "conversions uuid[] not null",
        "refusals uuid[] not null",
        "counts jsonb not null",
        "erased_by uuid",
        "erased_at timestamptz not null",
        "position bigint not null",
        "last_text_key bigint not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, position",),
)


@VISITOR_ERASURES.on(VisitorForgotten)
def forgotten(rows: Rows, event: VisitorForgotten) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        named_by=event.named_by,
        salt=event.salt,
        visitors=list(event.visitors),
        sessions=list(event.sessions),
        clicks=list(event.clicks),
        conversions=list(event.conversions),
        refusals=list(event.refusals),
        counts=dict(event.counts),
        erased_by=event.actor_id,
        erased_at=event.timestamp,
        position=rows.position,
        last_text_key=event.last_text_key,
    )
