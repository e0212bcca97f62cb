"""The oracle's own books: the expected value of every public number.

Plain arithmetic over the history, independent of the product: this module imports none of its modules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, reset_tzpath  # noqa: TID251 - the oracle imports nothing of the product

from tests.oracle.history import SUBS, Decision, Event, Filter, Follow, History, Report, Site
from tests.oracle.sales import Origin, Sale, origin_of, sale_of, time_of, worth

reset_tzpath(())  # the pinned tzdata, as everywhere
OPEN = ("pending", "approved")


@dataclass
class Figures:
    """Of any selection: sums in minor units of the website's currency."""

    clicks: int = 0
    pageviews: int = 0
    revenue: int = 0
    back: int = 0
    by_status: Counter[str] = field(default_factory=Counter)

    @property
    def conversions(self) -> int:
        return self.by_status["pending"] + self.by_status["approved"]


class Books:
    """The transactions of one website after all that was sent; `decide` follows what persons decide.

    `told`: the times of the sales whose reports name none.
    """

    def __init__(self, history: History, site: Site, told: Mapping[str, datetime]) -> None:
        self.history, self.site, self.zone = history, site, ZoneInfo(site.zone)
        self.sales = {
            txid: sale_of(history, site, txid, reports, time_of(site, reports) or told[txid])
            for txid, reports in reports_of(site).items()
        }

    def decide(self, decision: Decision) -> bool:
        """Whether the decision is possible; then it is made."""
        sale = self.sales[decision.txid]
        if sale.status in ("rejected", "reversed"):
            return False
        if decision.action == "approve":
            sale.status = "approved"
        elif decision.action == "reject":
            sale.status = "rejected"
        else:
            sale.reverse(self.part(decision))
        return True

    def part(self, decision: Decision) -> int:
        """Minor units that a reversal takes back; 0: all that is left."""
        sale = self.sales[decision.txid]
        part = sale.amount * decision.part // 100
        return part if 1 <= part < sale.amount - sale.back_amount else 0

    def figures(self, first: date, last: date, filters: Sequence[Filter] = ()) -> Figures:
        """Of a range of local days."""
        found = Figures()
        for _, what in self._selected(first, last, filters):
            _count(found, what)
        return found

    def by_program(self, first: date, last: date, filters: Sequence[Filter] = ()) -> dict[int, Figures]:
        """Of each partner that is not without a click or a conversion."""
        found: dict[int, Figures] = {}
        for origin, what in self._selected(first, last, filters):
            if origin.program is not None:
                _count(found.setdefault(origin.program, Figures()), what)
        return found

    def by_country(self, first: date, last: date, filters: Sequence[Filter] = ()) -> dict[str, Figures]:
        """Of each country that anything came from."""
        found: dict[str, Figures] = {}
        for origin, what in self._selected(first, last, filters):
            _count(found.setdefault(origin.country, Figures()), what)
        return found

    def by_variant(self, first: date, last: date, filters: Sequence[Filter] = ()) -> dict[str, Figures]:
        """Of each variant of a split; empty: of none."""
        found: dict[str, Figures] = {}
        for origin, what in self._selected(first, last, filters):
            _count(found.setdefault(origin.variant, Figures()), what)
        return found

    def costs(self, first: date, last: date) -> Counter[tuple[str, int | None]]:
        """Minor units by the source and the link that they were spent for, in a range of local days. Each cost is in
        equal parts for its days, of which the first ones have one unit more."""
        found = Counter[tuple[str, int | None]]()
        for spent in self.site.spent:
            if spent.ends == "removed":
                continue
            amount = worth(spent.amount if spent.corrected is None else spent.corrected, spent.currency, self.site)
            days = (spent.last - spent.first).days + 1
            whole, rest = divmod(abs(amount), days)
            parts = [whole + (number < rest) for number in range(days)]
            within = sum(
                part for number, part in enumerate(parts) if first <= spent.first + timedelta(days=number) <= last
            )
            found[spent.source, spent.link] += within if amount > 0 else -within
        return found

    def earned(self, first: date, last: date) -> Counter[str]:
        """Revenue by source, in a range of local days."""
        found = Counter[str]()
        for origin, what in self._selected(first, last, ()):
            if isinstance(what, Sale) and what.status in OPEN:
                found[origin.source] += what.net
        return found

    def by_origin(self) -> dict[tuple[str, ...], Figures]:
        """Of all time, by country and sub ids."""
        found: dict[tuple[str, ...], Figures] = {}
        for origin, what in self._all():
            key = (origin.country, *(origin.subs.get(name, "") for name in SUBS))
            _count(found.setdefault(key, Figures()), what)
        return found

    def _selected(
        self, first: date, last: date, filters: Sequence[Filter]
    ) -> Iterator[tuple[Origin, Event | Follow | Sale]]:
        for origin, what in self._all():
            is_in = what.at is not None and first <= what.at.astimezone(self.zone).date() <= last
            if is_in and all(_is_wanted(one, origin) for one in filters):
                yield origin, what

    def _all(self) -> Iterator[tuple[Origin, Event | Follow | Sale]]:
        calls: list[Event | Follow] = [*self.site.events, *self.site.follows]
        for call in calls:
            yield origin_of(self.site, call), call
        for sale in self.sales.values():
            if sale.program is not None:
                yield sale.origin, sale


def reports_of(site: Site) -> dict[str, list[Report]]:
    """The reports of each transaction in the order of receipt, those that were sent again once."""
    found: dict[str, list[Report]] = {}
    for call in site.calls:
        if isinstance(call, Report) and call not in (known := found.setdefault(call.txid, [])):
            known.append(call)
    return found


def _count(found: Figures, what: Any) -> None:
    if isinstance(what, Sale):
        found.by_status[what.status] += 1
        found.revenue += what.net if what.status in OPEN else 0
        found.back += what.back
    elif what.link is None:
        found.pageviews += 1
    else:
        found.clicks += 1


def _is_wanted(one: Filter, origin: Origin) -> bool:
    if one.name == "country":
        value = "" if origin.country == "ZZ" else origin.country
    elif one.name == "partner":
        value = "" if origin.program is None else str(origin.program)
    else:
        value = origin.subs.get(one.name, "")
    return (not one.wanted or value in one.wanted) and value not in one.unwanted
