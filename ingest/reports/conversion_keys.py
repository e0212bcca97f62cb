"""Idempotency of conversion reports: table `ingest.conversion_key` has each reported transaction.

A repeat gets the same id and is not published again; a different amount is rejected. This is only a convenience: the
attribution policy merges the reports by the same id, so reports are accepted while Postgres is unavailable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final
from uuid import UUID

from infra.domain.conversion_identity import candidates, chosen, shared_id
from ingest.directory.postgres import Postgres
from schemas.tracking import ConversionReported

CLICK_RANK: Final = 2
"""The rank of a click that a report with a secret names; one with the site key has 1."""
MAX_PUBLISHED: Final = 100
"""Recorded reports per transaction. Further ones are published each time and merged by the policy."""


class ReportHandling(Enum):
    """The handling of a report by ingest."""

    FIRST = "first"
    """The first stored report of its transaction: publish it and answer 202."""
    FURTHER = "further"
    """It may have new content: publish it and answer 200 with the same id."""
    KNOWN = "known"
    """The same report is in the log: answer 200 with the same id."""
    CONFLICT = "conflict"
    """Its amount differs from a report of at least the same rank, or it names another click than one of the same rank:
    publish it and answer 409."""


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The verdict on a report, and whether the log has it already. `conflict`: what it contradicts (`CONFLICTS`)."""

    verdict: ReportHandling
    is_published: bool = False
    conflict: str = ""


_INSERT: Final = """
INSERT INTO ingest.conversion_key
    (conversion_id, website_id, amount, currency, first_report_id, amount_rank, click_id, click_rank, shared_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING 1
"""
_BETTER: Final = """
UPDATE ingest.conversion_key SET amount = %s, currency = %s, amount_rank = %s
WHERE conversion_id = %s AND (amount IS NULL OR amount_rank < %s) RETURNING 1
"""
_BETTER_CLICK: Final = """
UPDATE ingest.conversion_key SET click_id = %s, click_rank = %s
WHERE conversion_id = %s AND (click_id IS NULL OR click_rank < %s) RETURNING 1
"""
_READ: Final = """
SELECT amount, currency, amount_rank, acked, %s = ANY (published), click_id, click_rank
FROM ingest.conversion_key WHERE conversion_id = %s
"""
_KNOWN: Final = """
SELECT k.conversion_id, coalesce(k.click_id, c.click_id, '') FROM ingest.conversion_key AS k
LEFT JOIN read.conversions AS c ON c.id = k.conversion_id
WHERE k.conversion_id = ANY(%s) OR k.shared_id = %s LIMIT 10
"""
_PUBLISHED: Final = """
UPDATE ingest.conversion_key SET acked = true, published =
    CASE WHEN %s = ANY (published) OR cardinality(published) >= %s THEN published ELSE published || %s::bytea END
WHERE conversion_id = %s
"""


class ConversionKeys:
    """The table; a report needs at most five short statements."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def resolve(self, reported: ConversionReported) -> UUID:
        """Returns the conversion that the report belongs to, as far as this table shows; the policy decides. Raises
        `Unavailable`."""
        sought = candidates(reported)
        if not sought.are_several:
            return reported.conversion_id
        rows = await self._postgres.rows(_KNOWN, ([*sought.ids], sought.shared_id))
        clicks: dict[UUID, str] = dict(rows)
        scoped = [identity for identity in clicks if identity not in sought.ids]
        existing = chosen(
            reported, sought, clicks.__contains__, lambda one, click: clicks.get(one) == click, lambda: scoped
        )
        return reported.conversion_id if existing is None else existing

    async def reserve(self, reported: ConversionReported) -> KeyVerdict:
        """Inserts the report or compares it with earlier ones. Raises `Unavailable`."""
        identity, rank, digest = reported.conversion_id, rank_of(reported), reported.report_id.bytes
        # What a reversal names may be a part of the sale, or its sender's own figure: it contradicts no amount.
        said = reported.amount if reported.status != "reversed" else None
        amount, currency = (said.amount, said.currency) if said is not None else (None, None)
        click, click_rank = reported.click_id or None, min(rank, CLICK_RANK)
        shared = shared_id(reported)
        new = (identity, reported.website_id, amount, currency, reported.report_id, rank, click, click_rank)
        if await self._postgres.rows(_INSERT, (*new, None if shared == identity else shared)):
            return KeyVerdict(ReportHandling.FIRST)
        if amount is not None:
            await self._postgres.rows(_BETTER, (amount, currency, rank, identity, rank))
        if click is not None:
            await self._postgres.rows(_BETTER_CLICK, (click, click_rank, identity, click_rank))
        (row,) = await self._postgres.rows(_READ, (digest, identity))
        known_amount, known_currency, known_rank, acked, is_known, known_click, known_click_rank = row
        disagrees = amount is not None and (amount, currency) != (known_amount, known_currency)
        # A network's different amount is stored and shown beside the shop's; the rest of its report counts.
        if disagrees and (reported.reported_by != "postback" or rank == known_rank):
            return KeyVerdict(ReportHandling.CONFLICT, is_known, "amount")
        if click is not None and click != known_click and click_rank == known_click_rank:
            return KeyVerdict(ReportHandling.CONFLICT, is_known, "click")
        if not acked:
            return KeyVerdict(ReportHandling.FIRST)
        return KeyVerdict(ReportHandling.KNOWN if is_known else ReportHandling.FURTHER, is_known)

    async def published(self, reported: ConversionReported) -> None:
        """Records that the log has the report. Raises `Unavailable`; a repeat is then published again."""
        digest = reported.report_id.bytes
        await self._postgres.rows(_PUBLISHED, (digest, MAX_PUBLISHED, digest, reported.conversion_id))


def rank_of(reported: ConversionReported) -> int:
    """The rank of the report's amount: the shop's server 3, a network 2, the public site key 1.

    The same order as `infra.domain.report_merging.amount_rank`.
    """
    if reported.key_kind == "site":
        return 1
    return 2 if reported.reported_by == "postback" else 3
