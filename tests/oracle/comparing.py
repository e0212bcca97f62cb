"""Every public number of a website beside what the books say: the list, the figures by filter, analysts' tables.

Each function gives one line for each difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, Final

from tests.oracle.books import OPEN, Figures
from tests.oracle.history import SUBS, Filter
from tests.oracle.sales import major
from tests.oracle.world import Place, World

STATUSES: Final = ("pending", "approved", "rejected", "reversed")
_SUBS: Final = ", ".join(SUBS)


def conversions_differ(world: World, place: Place) -> list[str]:
    """The list as CSV, transaction by transaction."""
    rows = world.read_csv("/api/platform/conversions.csv", {"websiteId": place.id})
    said = {
        row["transaction"]: (
            row["status"],
            Fraction(row["amount"]),
            row["currency"],
            Fraction(row["commission"]),
            row["partner"],
            row["attribution"],
            row["keyKind"],
            int(row["conflicts"]),
            row["source"],
            datetime.fromisoformat(row["occurredAt"]),
        )
        for row in rows
    }
    expected = {
        txid: (
            sale.status,
            major(sale.amount, sale.currency),
            sale.currency,
            major(sale.net if sale.program is not None else 0, place.site.currency),
            place.history.programs[sale.program].name if sale.program is not None else "",
            sale.by,
            sale.key_kind,
            sale.conflicts,
            sale.origin.source,
            sale.at,
        )
        for txid, sale in place.books.sales.items()
    }
    return _compared(f"{place.site.domain} in the list", said, expected)


def figures_differ(world: World, place: Place, first: date, last: date, filters: Sequence[Filter] = ()) -> list[str]:
    """The five calls for a range of days and a selection."""
    currency, programs = place.site.currency, place.history.programs
    asked: dict[str, Any] = {"websiteId": place.id, "timeRange": "custom", "from": f"{first}", "to": f"{last}"}
    asked |= {one.name: _spelled(place, one) for one in filters}
    books = place.books.figures(first, last, filters)
    overview = world.read("/api/platform/analytics/overview", asked)
    clicks = world.read("/api/platform/analytics/clicks", asked)
    conversions = world.read("/api/platform/analytics/conversions", asked)
    partners = world.read("/api/platform/analytics/partners", asked)
    countries = world.read("/api/platform/analytics/geographic", asked)
    variants = world.read("/api/platform/analytics/breakdown", {**asked, "by": "variant", "compare": "none"})["rows"]
    said: dict[str, Any] = {
        "clicks": overview["clicks"]["total"],
        "page views": overview["pageviews"],
        "conversions": overview["conversions"]["total"],
        **{status: overview["conversions"][status] for status in STATUSES},
        "revenue": _fraction(overview["revenue"]["total"]),
        "reversed": _fraction(overview["revenue"]["reversed"]),
        "series of clicks": sum(row["clicks"] for row in clicks),
        "series of conversions": sum(row["total"] for row in conversions),
        "series of revenue": sum(_fraction(row["revenue"]) for row in clicks),
        "partners": {row["partnerName"]: _performance(row) for row in partners},
        "countries": {row["country"]: _performance(row) for row in countries},
        "variants": {row["values"]["variant"]: _performance(row) for row in variants if any(_performance(row))},
    }
    by_program = place.books.by_program(first, last, filters)
    revenue = major(books.revenue, currency)
    expected: dict[str, Any] = {
        "clicks": books.clicks,
        "page views": books.pageviews,
        "conversions": books.conversions,
        **{status: books.by_status[status] for status in STATUSES},
        "revenue": revenue,
        "reversed": major(books.back, currency),
        "series of clicks": books.clicks,
        "series of conversions": books.conversions,
        "series of revenue": revenue,
        "partners": {programs[program].name: _shown(found, currency) for program, found in by_program.items()},
        "countries": {
            country: _shown(found, currency)
            for country, found in place.books.by_country(first, last, filters).items()
            if found.clicks or found.conversions
        },
        "variants": {
            variant: shown
            for variant, found in place.books.by_variant(first, last, filters).items()
            if any(shown := _shown(found, currency))
        },
    }
    # The list of partners has all of the website; those that brought nothing do not matter here.
    for found in (said, expected):
        found["partners"] = {name: row for name, row in found["partners"].items() if any(row)}
    if filters:
        rows = world.read_csv("/api/platform/analytics/geographic.csv", asked)
        said["file of countries"] = {row["country"]: _performance(row) for row in rows}
        expected["file of countries"] = expected["countries"]
    return _compared(f"{place.site.domain} {first}..{last} {list(filters)}", said, expected)


def costs_differ(world: World, place: Place, first: date, last: date) -> list[str]:
    """Cost and profit of a range of days: by what was paid for, and in total whatever a report is by."""
    asked = {"websiteId": place.id, "timeRange": "custom", "from": f"{first}", "to": f"{last}", "compare": "none"}
    currency, spent, earned = place.site.currency, place.books.costs(first, last), place.books.earned(first, last)
    total, revenue = major(sum(spent.values()), currency), major(sum(earned.values()), currency)

    def report(by: str, **more: Any) -> dict[str, Any]:
        metrics = {"by": by, "metrics": "revenue,cost,profit,roi", "limit": 1000}
        found: dict[str, Any] = world.read("/api/platform/analytics/breakdown", {**asked, **metrics, **more})
        return found

    said, expected = dict[str, Any](), dict[str, Any]()
    for name in ("source", "link", "weekday_hour", "page,country"):
        found = report(name)
        said[f"total by {name}"] = [_fraction(found["totals"][metric]) for metric in ("cost", "profit")]
        said[f"sums by {name}"] = [
            sum((_fraction(row[metric]) for row in found["rows"]), Fraction(0)) for metric in ("cost", "profit")
        ]
        expected[f"total by {name}"] = expected[f"sums by {name}"] = [total, revenue - total]
        wrong = [row["values"] for row in found["rows"] if not _is_profit_right(row)]
        said[f"profit by {name}"], expected[f"profit by {name}"] = wrong, []
    # Where every cost is for a source, or every one for a link, each row has its own and no part of another.
    for by, is_every in (("source", all(of for of, _ in spent)), ("link", all(of is not None for _, of in spent))):
        if is_every:
            costs = {row["values"][by]: _fraction(row["cost"]) for row in report(by)["rows"]}
            said[f"cost by {by}"] = {of: cost for of, cost in costs.items() if cost}
            named = {(of if link is None else place.links[link]): cost for (of, link), cost in spent.items() if cost}
            expected[f"cost by {by}"] = {of: major(cost, currency) for of, cost in named.items()}
    days = world.read("/api/platform/analytics/breakdown/series", {**asked, "metric": "cost"})
    said["series of cost"] = sum((_fraction(point["values"][""]) for point in days), Fraction(0))
    expected["series of cost"] = total
    return _compared(f"{place.site.domain} {first}..{last} costs", said, expected)


def tables_differ(world: World, places: Sequence[Place]) -> list[str]:
    """What an analyst selects of all the websites: events, conversions and their changes, by country and sub ids."""
    ids = ", ".join(f"'{place.id}'" for place in places)
    of_them = f"website_id IN ({ids})"
    by_origin = {place.id: place.books.by_origin() for place in places}
    key = f"website_id, country, {_SUBS}"
    rows = world.select(
        f"SELECT {key}, type, count() FROM events WHERE {of_them} AND type <> 'conversion' AND NOT is_bot"
        f" GROUP BY {key}, type"
    )
    events = {tuple(row[:-1]): int(row[-1]) for row in rows}
    expected = {
        (website, *origin, name): count
        for website, books in by_origin.items()
        for origin, found in books.items()
        for name, count in (("click", found.clicks), ("pageview", found.pageviews))
        if count
    }
    wrong = _compared("selected events", events, expected)
    rows = world.select(f"SELECT website_id, variant, count() FROM clicks WHERE {of_them} AND NOT is_bot GROUP BY 1, 2")
    followed = Counter((place.id, str(one.variant or "")) for place in places for one in place.site.follows if one.at)
    followed.update((place.id, "") for place in places for one in place.site.events if one.link is not None)
    wrong += _compared("selected clicks by variant", {(row[0], row[1]): int(row[2]) for row in rows}, dict(followed))
    rows = world.select(
        f"SELECT conversion_id, {key}, source, variant, status, currency, partner_id,"
        f" toString(by_site_key), value, commission, commission_reversed,"
        f" toUnixTimestamp64Milli(occurred_at) FROM conversions WHERE {of_them}"
    )
    conversions = {row[0]: (*row[1:-4], *map(int, row[-4:])) for row in rows}
    standing = {
        place.conversions[txid]: (
            place.id,
            sale.origin.country,
            *(sale.origin.subs.get(name, "") for name in SUBS),
            sale.origin.source,
            sale.origin.variant,
            sale.status,
            sale.currency,
            place.partners[sale.program],
            "true" if sale.key_kind == "site" else "false",
            sale.amount - sale.back_amount,
            sale.net if sale.status in OPEN else 0,
            sale.back,
            round(sale.at.astimezone(UTC).timestamp() * 1000),
        )
        for place in places
        for txid, sale in place.books.sales.items()
        if sale.program is not None
    }
    wrong += _compared("selected conversions", conversions, standing)
    sums = ", ".join(f"sum(d_{status})" for status in STATUSES)
    rows = world.select(
        f"SELECT {key}, {sums}, sum(c_pending) + sum(c_approved), sum(c_reversed) FROM conversion_changes"
        f" WHERE {of_them} GROUP BY {key}"
    )
    width = len(SUBS) + 2
    changes = {tuple(row[:width]): tuple(map(int, row[width:])) for row in rows}
    totals = {
        (website, *origin): (*(found.by_status[status] for status in STATUSES), found.revenue, found.back)
        for website, books in by_origin.items()
        for origin, found in books.items()
    }
    # A conversion that was moved to another click leaves zeros behind.
    return wrong + _compared(
        "selected changes",
        {one: row for one, row in changes.items() if any(row)},
        {one: row for one, row in totals.items() if any(row)},
    )


def _compared(what: str, said: dict[Any, Any], expected: dict[Any, Any]) -> list[str]:
    return [
        f"{what}, {key}: {said.get(key)}, the books say {expected.get(key)}"
        for key in sorted({*said, *expected}, key=str)
        if said.get(key) != expected.get(key)
    ]


def _spelled(place: Place, one: Filter) -> str:
    """The filter as a person writes it: signs that mean something have a backslash before them."""

    def spelled(value: str) -> str:
        if not value:
            return "(none)"
        if one.name == "partner":
            return place.partners[int(value)]
        return "".join(f"\\{sign}" if sign in ",-( \\" else sign for sign in value)

    return ",".join([*map(spelled, one.wanted), *(f"-{spelled(value)}" for value in one.unwanted)])


def _performance(row: dict[str, Any]) -> tuple[int, int, Fraction]:
    return int(row["clicks"]), int(row["conversions"]), _fraction(row["revenue"])


def _shown(found: Figures, currency: str) -> tuple[int, int, Fraction]:
    return found.clicks, found.conversions, major(found.revenue, currency)


def _is_profit_right(row: dict[str, Any]) -> bool:
    """Whether profit and ROI are what revenue and cost of the row come to."""
    cost, revenue = _fraction(row["cost"]), _fraction(row["revenue"])
    roi = (
        row["roi"]
        if row["roi"] is None
        else abs(_fraction(row["roi"]) - (revenue - cost) / cost * 100) <= Fraction(1, 100)
    )
    return _fraction(row["profit"]) == revenue - cost and (roi is None if not cost else roi is True)


def _fraction(said: Any) -> Fraction:
    return Fraction(str(said)) if not isinstance(said, Fraction) else said
