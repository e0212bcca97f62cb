"""Insights of a website, and dismissed ones; and who wanted it by mail (see `decisions`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from schemas.base import DomainEvent
from schemas.events.insights import (
    Evidence,
    Insight,
    InsightAbout,
    InsightDismissed,
    InsightsDigestChosen,
    InsightsGenerated,
)
from schemas.http.insights import digest_id, insights_id

InOrder = Callable[..., list[DomainEvent]]


def insight_history(in_order: InOrder, website: UUID, account: UUID, erased: UUID) -> list[DomainEvent]:
    about = {"website_id": website, "account_id": account, "silence": "not_configured"}
    told = (_insight("share:country:DE", "Germany"), _insight("week:clicks", None))
    return [
        *in_order(
            insights_id(website),
            (InsightsGenerated, {**about, "last_day": date(2026, 5, 16), "insights": told}),
            (InsightsGenerated, {**about, "last_day": date(2026, 5, 17), "insights": told[1:]}),
            (InsightDismissed, {"website_id": website, "account_id": account, "key": told[1].key, "reason": "Known."}),
        ),
        *in_order(
            digest_id(account),
            (InsightsDigestChosen, {"account_id": account, "every": "daily"}),
            (InsightsDigestChosen, {"account_id": account, "every": "weekly"}),
        ),
        *in_order(digest_id(erased), (InsightsDigestChosen, {"account_id": erased, "every": "daily"})),
    ]


def _insight(key: str, name: str | None) -> Insight:
    values: dict[str, Any] = {
        "insight_type": "growth",
        "topic": key.partition(":")[0],
        "metric": "clicks",
        "title": f"{name or 'Clicks'} up",
        "content": "2,412 clicks.",
        "told_by": "finder",
        "confidence": 0.97,
        "about": InsightAbout(dimension="country", value="DE", name=name) if name else None,
        "evidence": (Evidence(label="Clicks", value="2,412"),),
        "first_day": date(2026, 5, 10),
        "last_day": date(2026, 5, 16),
        "compared_first_day": date(2026, 4, 12),
        "compared_last_day": date(2026, 5, 9),
        "filters": {"timeRange": "custom", "from": "2026-05-10", "to": "2026-05-16"},
        "since": datetime(2026, 5, 17, 3, tzinfo=UTC),
    }
    return Insight(key=key, **values)
