"""`delivery_minute`: outcomes of the events that reached the log, per minute of arrival."""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import Rollup
from schemas.tracking import Suspicion

_SUSPICIONS: Final = ", ".join(f"'{reason}'" for reason in Suspicion)

DELIVERY: Final = Rollup(
    name="delivery_minute",
    version=2,
    columns=(
        "website_id UUID",
        "minute DateTime('UTC')",
        "outcome LowCardinality(String)",
        "events SimpleAggregateFunction(sum, UInt64)",
    ),
    partition_by="toYYYYMM(minute)",
    order_by="(website_id, minute, outcome)",
    period="toYYYYMM(minute)",
    select=(
        "SELECT website_id, toStartOfMinute(received_at) AS minute,\n"
        "  CAST(multiIf(bot_reason = 'prefetch', 'prefetch', bot_reason = 'spam_referrer', 'spam_referrer',\n"
        f"    bot_reason IN ({_SUSPICIONS}), 'suspicious', is_bot, 'bot', 'accepted'),\n"
        "    'LowCardinality(String)') AS outcome, count() AS events\n"
        "FROM {source} WHERE ({where}) AND type <> 'conversion' GROUP BY website_id, minute, outcome"
    ),
    keys=("website_id", "minute", "outcome"),
    sums=("events",),
)
