"""One sale, one answer: `ingest.conversion_key` remembers each reported conversion, so a repeat gets the same id and
another amount is refused. Only a convenience of the edge: what counts is decided by the attribution policy, on the
same id, so while Postgres is away reports are taken all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final
from uuid import UUID

from ingest.postgres import Postgres


class Verdict(Enum):
    """What the edge does with a report."""

    FIRST = "first"
    """Publish it and answer 202."""
    AGAIN = "again"
    """Its first report may not have reached the log: publish it again under the first report's id and answer 202."""
    KNOWN = "known"
    """Answer 200 with the same id; only a change of status is published."""
    CONFLICT = "conflict"
    """The same sale with another amount: 409."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict, and the id of the report that was first."""

    verdict: Verdict
    report_id: UUID


_INSERT: Final = """
INSERT INTO ingest.conversion_key (conversion_id, website_id, amount, currency, first_report_id)
VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING first_report_id
"""
_AMOUNT_LATER: Final = """
UPDATE ingest.conversion_key SET amount = %s, currency = %s, first_report_id = %s, acked = false
WHERE conversion_id = %s AND amount IS NULL RETURNING first_report_id
"""
_READ: Final = "SELECT amount, currency, first_report_id, acked FROM ingest.conversion_key WHERE conversion_id = %s"
_ACK: Final = "UPDATE ingest.conversion_key SET acked = true WHERE conversion_id = %s AND first_report_id = %s"


class ConversionKeys:
    """The table, asked by at most two short statements per report."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def claim(
        self,
        conversion_id: UUID,
        website_id: UUID,
        amount: int | None,
        first_amount: int | None,
        currency: str,
        report_id: UUID,
    ) -> Claim:
        """Enters the report, or tells how it stands to the first one. Raises `Unavailable`.

        `amount`: what the report says (none: nothing); `first_amount`: what it counts as when it is the first.
        """
        new = (conversion_id, website_id, first_amount, currency, report_id)
        if await self._postgres.rows(_INSERT, new):
            return Claim(Verdict.FIRST, report_id)
        if amount is not None and await self._postgres.rows(
            _AMOUNT_LATER, (amount, currency, report_id, conversion_id)
        ):
            return Claim(Verdict.FIRST, report_id)
        known_amount, known_currency, first_id, acked = (await self._postgres.rows(_READ, (conversion_id,)))[0]
        if amount is not None and (amount, currency) != (known_amount, known_currency):
            return Claim(Verdict.CONFLICT, first_id)
        return Claim(Verdict.KNOWN if acked else Verdict.AGAIN, first_id)

    async def acknowledged(self, conversion_id: UUID, report_id: UUID) -> None:
        """The log has the report. Raises `Unavailable`, which does no harm: the next repeat is published again."""
        await self._postgres.rows(_ACK, (conversion_id, report_id))
