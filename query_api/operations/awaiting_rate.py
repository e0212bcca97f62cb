"""Sales that wait for an exchange rate, by pair of currencies.

A report whose currency has no rate is kept by the attribution and decided when a rate comes; so is a conversion whose
click came, but whose commission cannot be converted. Every statement joins the websites, whose rows row-level security
filters.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic import Field

from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

MAX_PAIRS: Final = 100
MAX_NAMED: Final = 5


class AwaitingRate(ResponseModel):
    """Sales in `currency` on websites that count in `quote`. They count as soon as a rate is recorded."""

    currency: str | None = Field(description="Null: a currency of a partner's terms")
    quote: str
    sales: int
    amount: Amount | None = Field(description="Of all of them, as reported; null: only payouts were reported")
    since: datetime = Field(description="When the first of them was reported")
    transactions: list[str] = Field(description=f"The oldest ones, {MAX_NAMED} at most")
    websites: int


def awaiting_rate(reader: PostgresReader, website_id: UUID | None = None) -> list[AwaitingRate]:
    """Returns the waiting conversions that the reader may see, of this website or of all; the oldest first."""
    rows = reader.rows(_WAITING, {"website": website_id, "named": MAX_NAMED, "most": MAX_PAIRS})
    return [_of(row) for row in rows]


def _of(row: dict[str, Any]) -> AwaitingRate:
    amount = Amount(amount=row["total"], currency=row["lacking"]) if row["total"] is not None else None
    return AwaitingRate(
        currency=row["lacking"],
        quote=row["quote"],
        sales=row["sales"],
        amount=amount,
        since=row["since"],
        transactions=row["transactions"],
        websites=row["websites"],
    )


_WAITING: Final = """
WITH report AS (
    SELECT DISTINCT ON (a.conversion_id) a.conversion_id, a.website_id, w.currency AS quote, a.txid, a.kept_at,
        CASE WHEN a.payout_currency <> w.currency THEN a.payout_currency
             WHEN a.currency <> w.currency THEN a.currency END AS lacking,
        CASE WHEN a.currency <> w.currency AND coalesce(a.payout_currency, a.currency) = a.currency THEN a.amount
             END AS amount
    FROM conversions.awaiting_exchange_rate AS a JOIN read.websites AS w ON w.id = a.website_id
    WHERE w.deleted_at IS NULL AND (%(website)s::uuid IS NULL OR a.website_id = %(website)s)
    ORDER BY a.conversion_id, (a.currency IS NULL AND a.payout_currency IS NULL), a.number
), waiting AS (
    SELECT * FROM report
    UNION ALL
    SELECT c.id, c.website_id, w.currency, c.txid, p.received_at, nullif(c.currency, w.currency),
        CASE WHEN c.currency <> w.currency THEN c.amount END
    FROM conversions.pending_attribution AS p JOIN read.conversions AS c ON c.id = p.conversion_id
    JOIN read.websites AS w ON w.id = c.website_id
    WHERE p.needs_rate AND w.deleted_at IS NULL
        AND (%(website)s::uuid IS NULL OR c.website_id = %(website)s)
        AND NOT EXISTS (SELECT FROM report WHERE report.conversion_id = c.id)
)
SELECT lacking, quote, count(*) AS sales, sum(amount)::bigint AS total, min(kept_at) AS since,
    (array_agg(txid ORDER BY kept_at, txid))[1:%(named)s] AS transactions, count(DISTINCT website_id) AS websites
FROM waiting GROUP BY lacking, quote ORDER BY since, lacking, quote LIMIT %(most)s
"""
