"""`GET /api/platform/open-items`: what waits for the account: conversions to decide, and payouts that are overdue.

Of all websites, in one currency. A pending commission is converted at the rate of its sale's day, as in revenue; what
partners owe now at today's rate, as a balance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.exchange_rates import RateBook
from query_api.analytics.websites_summary import MAX_WEBSITES, Currency, usual_currency
from query_api.conversions.payouts import balances_of
from query_api.kernel.authorization import Website
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.postgres_reader import PostgresReader
from query_api.operations.exchange_rates import rate_book
from schemas.days import FIRST_DAY, local_day
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["conversions"], dependencies=[READS_OWN_WRITES])

OVERDUE_AFTER_DAYS: Final = 30
_PENDING: Final = """
SELECT website_id, date_bin('15 minutes', occurred_at, timestamptz '2000-01-01 00:00+00') AS quarter,
    count(*) AS count, sum(commission) AS amount, min(occurred_at) AS oldest
FROM read.conversions WHERE website_id = ANY(%s) AND status = 'pending' GROUP BY 1, 2"""
"""A day of any zone begins with a quarter of an hour."""


class OpenAmount(ResponseModel):
    """Money that waits for something."""

    count: int = Field(description="Conversions that are pending; partners that owe")
    amount: Amount = Field(description="What has a rate, in the answer's currency")
    not_converted: list[Amount] = Field(description="What has none")
    not_converted_count: int


class OpenOfWebsite(ResponseModel):
    """The same of one website, in its currency."""

    website_id: UUID
    domain: str
    pending: int
    pending_amount: Amount
    oldest_pending: datetime | None
    owed: Amount
    overdue_partners: int
    overdue: Amount


class OpenItems(ResponseModel):
    """What waits for a decision, and what partners should have paid."""

    currency: str
    pending: OpenAmount
    owed: OpenAmount = Field(description="Payable and not paid")
    overdue: OpenAmount = Field(description=f"Of it, payable for more than {OVERDUE_AFTER_DAYS} days")
    websites: list[OpenOfWebsite] = Field(description="Those with anything open")


@router.get("/api/platform/open-items")
def get_open_items(scope: CallerScope, currency: Currency = "") -> OpenItems:
    """Pending conversions and open payouts of all websites."""
    websites, now = scope.oldest_websites(MAX_WEBSITES)[0], datetime.now(UTC)
    currency = currency or usual_currency(websites)
    pending = _pending(scope.reader, websites)
    first = min((day for each in pending.values() for day in each), default=now.date())
    codes = {website.currency for website in websites}
    book = rate_book(scope.reader, currency, codes, max(first, FIRST_DAY), now.date())
    balances = balances_of(scope.reader, websites, now)
    waiting, owed, overdue = _OpenSum(book), _OpenSum(book), _OpenSum(book)
    found = []
    for website in websites:
        today = local_day(website.zone, now)
        of_website = pending.get(website.id, {})
        for day, (count, amount, _) in of_website.items():
            waiting.add(website.currency, day, amount, count)
        open_amounts = [one.open for one in balances[website.id].by_partner.values() if one.open]
        late = [sum(one.aged[1:]) for one in balances[website.id].by_partner.values()]
        late = [amount for amount in late if amount]
        owed.add(website.currency, today, sum(open_amounts), len(open_amounts))
        overdue.add(website.currency, today, sum(late), len(late))
        if of_website or open_amounts:
            found.append(_website(website, of_website, sum(open_amounts), late))
    return OpenItems(
        currency=currency, pending=waiting.total(), owed=owed.total(), overdue=overdue.total(), websites=found
    )


_Days = dict[date, tuple[int, int, datetime]]
"""By day of the sale: number, commission, and the oldest one."""


def _pending(reader: PostgresReader, websites: Sequence[Website]) -> dict[UUID, _Days]:
    zones = {website.id: website.zone for website in websites}
    found: defaultdict[UUID, _Days] = defaultdict(dict)
    for row in reader.rows(_PENDING, (list(zones),)):
        days, day = found[row["website_id"]], local_day(zones[row["website_id"]], row["quarter"])
        count, amount, oldest = days.get(day, (0, 0, row["oldest"]))
        days[day] = count + row["count"], amount + int(row["amount"]), min(oldest, row["oldest"])
    return found


def _website(website: Website, pending: _Days, owed: int, late: Sequence[int]) -> OpenOfWebsite:
    def amount(minor: int) -> Amount:
        return Amount(amount=minor, currency=website.currency)

    return OpenOfWebsite(
        website_id=website.id,
        domain=website.domain,
        pending=sum(count for count, _, _ in pending.values()),
        pending_amount=amount(sum(each for _, each, _ in pending.values())),
        oldest_pending=min((oldest for _, _, oldest in pending.values()), default=None),
        owed=amount(owed),
        overdue_partners=len(late),
        overdue=amount(sum(late)),
    )


class _OpenSum:
    """Adds amounts in one currency, and apart what has no rate."""

    def __init__(self, book: RateBook) -> None:
        self._book = book
        self._count = self._lacking = self._amount = 0
        self._apart: defaultdict[str, int] = defaultdict(int)

    def add(self, currency: str, day: date, amount: int, count: int) -> None:
        worth = self._book.converted(amount, currency, day)
        if worth is None:
            self._apart[currency] += amount
            self._lacking += count
        else:
            self._amount += worth
        self._count += count

    def total(self) -> OpenAmount:
        return OpenAmount(
            count=self._count,
            amount=Amount(amount=self._amount, currency=self._book.quote),
            not_converted=[Amount(amount=amount, currency=code) for code, amount in sorted(self._apart.items())],
            not_converted_count=self._lacking,
        )
