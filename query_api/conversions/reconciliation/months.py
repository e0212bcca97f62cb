"""A partner's month: totals of both sides and of what was paid, and the differences that explain the gaps. Pure.

sales by both sides, payouts -> `PartnerBooks` -> `reconcile` -> `ReconciledMonth`. In every month:
tracked - reported = the differences of sales, and reported - paid = paid_short - paid_over + not yet due.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

from infra.domain.payout_matching import Paid
from query_api.conversions.reconciliation.sales import (
    DifferenceReason,
    MonthDifference,
    PartnerSources,
    Sale,
    difference,
)
from query_api.conversions.reconciliation.settlement import Owed, Settled, settle


@dataclass(frozen=True, slots=True)
class SaleGroup:
    """Sales with the same months and the same day since when they are due, added up: `sale` has their sums.

    `agrees`: both sides have each of them with the same worth; `digest`: of the others, a sum over sales, so that it is
    the same however they are grouped."""

    sale: Sale
    due_on: date | None
    agrees: bool
    count: int = 1
    digest: int = 0


@dataclass(frozen=True, slots=True)
class PartnerBooks:
    """All sales and payouts of a partner; `groups` as compared by `sources`."""

    sources: PartnerSources
    groups: tuple[SaleGroup, ...]
    settled: Mapping[str, Settled]

    @property
    def months(self) -> list[str]:
        """Every month with a sale or a payout, in order."""
        sides = (side for group in self.groups for side in (group.sale.tracked, group.sale.reported))
        return sorted({side.month for side in sides if side is not None} | self.settled.keys())


@dataclass(frozen=True, slots=True)
class MonthTotals:
    """A month in the website's currency. tracked - paid = the amounts of its differences + not_due."""

    month: str
    tracked: int
    reported: int
    is_reported: bool
    """The network reports the month; else `reported` is what was tracked."""
    settled: Settled
    differing: int
    """Sales that differ."""
    fingerprint: str
    """Changes with any of its sums and differing sales, and with nothing else."""

    @property
    def agrees(self) -> bool:
        """Returns whether nothing is open: both sides agree, and everything is paid."""
        settled = self.settled
        return not self.differing and not settled.short and not settled.over and not settled.not_due

    def is_closed(self, accepted: str | None) -> bool:
        """Returns whether it agrees, or its figures are those that were accepted."""
        return self.agrees or self.fingerprint == accepted


@dataclass(frozen=True, slots=True)
class ReconciledMonth:
    """A month with its differences."""

    totals: MonthTotals
    differences: tuple[MonthDifference, ...]


def partner_books(groups: Sequence[SaleGroup], payouts: Sequence[Paid], month_of_payouts: str) -> PartnerBooks:
    """Compares the sales of a partner, and settles what it owes by its payouts."""
    sources = PartnerSources(
        min((one.sale.tracked.month for one in groups if one.sale.tracked is not None), default=None),
        min((one.sale.reported.month for one in groups if one.sale.reported is not None), default=None),
    )
    compared = tuple(_compared(group, sources) for group in groups)
    owed = (
        Owed(group.sale.reported.month, group.due_on, group.sale.reported.worth)
        for group in compared
        if group.sale.reported is not None
    )
    return PartnerBooks(sources, compared, settle(owed, payouts, month_of_payouts))


def month_totals(books: PartnerBooks, month: str) -> MonthTotals:
    """The month's sums."""
    groups = [group for group in books.groups if group.sale.in_month(month)]
    differing = [group for group in groups if not group.agrees]
    tracked = sum(one.sale.tracked.worth for one in groups if one.sale.tracked and one.sale.tracked.month == month)
    reported = sum(one.sale.reported.worth for one in groups if one.sale.reported and one.sale.reported.month == month)
    settled, digest = books.settled.get(month, Settled()), sum(group.digest for group in differing)
    sums = (month, tracked, reported, settled.paid, settled.short, settled.over, digest)
    return MonthTotals(
        month=month,
        tracked=tracked,
        reported=reported,
        is_reported=books.sources.is_reported(month),
        settled=settled,
        differing=sum(group.count for group in differing),
        fingerprint=sha256(json.dumps([str(one) for one in sums]).encode()).hexdigest(),
    )


def reconcile(books: PartnerBooks, month: str, sales: Iterable[Sale]) -> ReconciledMonth:
    """The month and its differences. `sales`: its sales one by one; those that agree may be left out."""
    totals = month_totals(books, month)
    found = [difference(books.sources.compared(sale), month) for sale in sales]
    return ReconciledMonth(
        totals, (*(one for one in found if one is not None), *differences_of_payouts(totals.settled))
    )


def differences_of_payouts(settled: Settled) -> list[MonthDifference]:
    """Returns the amounts that were paid short, or over."""
    short = [MonthDifference(DifferenceReason.PAID_SHORT, settled.short)] if settled.short else []
    return short + ([MonthDifference(DifferenceReason.PAID_OVER, -settled.over)] if settled.over else [])


def _compared(group: SaleGroup, sources: PartnerSources) -> SaleGroup:
    """The group with both sides, where one of them holds for both: then it agrees."""
    sale = sources.compared(group.sale)
    if sale is group.sale:
        return group
    return SaleGroup(sale, group.due_on, agrees=True, count=group.count)
