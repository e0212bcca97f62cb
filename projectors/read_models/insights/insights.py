"""`read.insights`: current and past insights of websites; `read.insight_digests`: accounts with an email digest."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES, own_account
from schemas.events.accounts import AccountErased
from schemas.events.insights import InsightDismissed, InsightsDigestChosen, InsightsGenerated
from schemas.events.websites import WebsiteDisconnected
from schemas.http.insights import insight_id

INSIGHTS: Final = ReadModel(
    name="insights",
    version=2,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "rank int not null",
        "insight jsonb not null",
        "told_at timestamptz not null",
        "is_open boolean not null",
        "closed_at timestamptz",
        "dismissed_reason text",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, is_open, rank",),
)

INSIGHT_DIGESTS: Final = ReadModel(
    name="insight_digests",
    version=1,
    columns=("account_id uuid", "every text not null"),
    key=("account_id",),
    readers=own_account("account_id"),
)


@INSIGHTS.on(InsightsGenerated)
def generated(rows: Rows, event: InsightsGenerated) -> None:
    """Insights of the previous run that this run does not report are over."""
    rows.update({"website_id": event.website_id, "is_open": True}, is_open=False, closed_at=event.timestamp)
    for rank, insight in enumerate(event.insights, start=1):
        rows.put(
            id=insight_id(event.website_id, insight.key),
            website_id=event.website_id,
            rank=rank,
            insight=insight.model_dump(mode="json"),
            told_at=event.timestamp,
            is_open=True,
            closed_at=None,
            dismissed_reason=None,
        )


@INSIGHTS.on(InsightDismissed)
def dismissed(rows: Rows, event: InsightDismissed) -> None:
    where = {"id": insight_id(event.website_id, event.key)}
    rows.update(where, is_open=False, closed_at=event.timestamp, dismissed_reason=event.reason)


@INSIGHTS.on(WebsiteDisconnected)
def disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    where = {"website_id": event.originator_id, "is_open": True}
    rows.update(where, is_open=False, closed_at=event.timestamp)


INSIGHT_DIGESTS.begins(InsightsDigestChosen)
INSIGHT_DIGESTS.follows(AccountErased, every="off")
