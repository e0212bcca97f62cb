"""`GET /api/platform/websites/movers`: which partners, pages, sources, countries and links earned more or less.

The money of a period until now beside as much of the period before (`money_periods`), of all websites of the account or
of one. One statement answers for all of them and all dimensions: rows of conversions alone have money. Of each website
and dimension it returns the values with the largest difference; each day's money is then converted at its rate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.domain.exchange_rates import RateBook
from infra.domain.visits import dimensions, tables
from query_api.analytics.breakdown import NOT_SET, names_of
from query_api.analytics.money_periods import Compared, MoneyPeriod, compared, slots
from query_api.analytics.query_plan import seconds
from query_api.analytics.websites_summary import MAX_WEBSITES, Currency, read_book, usual_currency
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import Row, live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.money import exact_json
from query_api.kernel.postgres_reader import PostgresReader
from schemas import instants
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["analytics"])

DIMENSIONS: Final = ("partner", "page", "source", "country", "link")
MAX_ROWS: Final = 10
"""Of a dimension; the statement returns as many of each website."""


class Mover(ResponseModel):
    """A value of a dimension at a website. Revenue of pending and approved conversions, by the day of the sale."""

    website_id: UUID
    domain: str
    value: str = Field(description="As in filters; empty: none")
    label: str
    revenue: Amount
    previous: Amount
    difference: Amount = Field(description="revenue − previous")
    conversions: int
    previous_conversions: int
    from_: date = Field(alias="from")
    to: date
    compared_from: date
    compared_to: date


class DimensionMovers(ResponseModel):
    """The values with the largest differences, in either direction."""

    by: str
    rows: list[Mover]


class LackingRate(ResponseModel):
    """Values that cannot be compared in the answer's currency."""

    currency: str
    websites: int
    lacking: date = Field(description="The first day without a rate")


class Movers(ResponseModel):
    """The largest changes of money."""

    currency: str
    period: MoneyPeriod
    dimensions: list[DimensionMovers]
    not_converted: list[LackingRate]


@router.get("/api/platform/websites/movers", response_model=Movers, dependencies=[READS_OWN_WRITES])
def get_movers(
    response: Response,
    context: Context,
    scope: CallerScope,
    period: MoneyPeriod = MoneyPeriod.WEEK,
    currency: Currency = "",
    website_id: Annotated[UUID | None, Query(alias="websiteId", description="Without it all websites")] = None,
) -> Response:
    """What moved the money of a period, by partner, page, source, country and link."""
    websites = scope.oldest_websites(MAX_WEBSITES)[0] if website_id is None else [scope.website(website_id)]
    now, report_currency = datetime.now(UTC), currency or usual_currency(websites)
    found = _read(context, response, websites, period, now)
    book = read_book(scope, report_currency, websites, now)
    moved, lacking = _moved(websites, found, book)
    answer = Movers(
        currency=report_currency,
        period=period,
        dimensions=[DimensionMovers(by=by, rows=_rows(scope.reader, by, moved[by], book.quote)) for by in DIMENSIONS],
        not_converted=lacking,
    )
    return exact_json(answer, response)


@dataclass(frozen=True, slots=True)
class _MoversPart:
    """Websites of one calendar."""

    spans: Compared
    slots: Sequence[tuple[datetime, date]]
    websites: Sequence[Website]


@dataclass(frozen=True, slots=True)
class _Moved:
    """A value with its money in the answer's currency."""

    website: Website
    value: str
    after: int
    before: int
    counts: tuple[int, int]
    spans: Compared


def _read(
    context: Context, response: Response, websites: Sequence[Website], period: MoneyPeriod, now: datetime
) -> list[tuple[_MoversPart, list[Row]]]:
    """The rows of each part."""
    calendars: dict[tuple[datetime, ...], tuple[Compared, list[tuple[datetime, date]]]] = {}
    members: defaultdict[tuple[datetime, ...], list[Website]] = defaultdict(list)
    for website in websites:
        spans = compared(period, website.zone, now)
        cut = slots(website.zone, [spans])
        edges = tuple(start for start, _ in cut)
        calendars[edges] = spans, cut
        members[edges].append(website)
    parts = [_MoversPart(*calendars[edges], each) for edges, each in members.items()]
    if not parts:
        return []
    [rows] = context.read(response, _statement(parts))
    by_part: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_part[int(row["part"])].append(row)
    return [(part, by_part[n]) for n, part in enumerate(parts)]


def _moved(
    websites: Sequence[Website], found: Sequence[tuple[_MoversPart, list[Row]]], book: RateBook
) -> tuple[Mapping[str, list[_Moved]], list[LackingRate]]:
    """The values by dimension, and the currencies that cannot be converted."""
    by_id = {str(website.id): website for website in websites}
    moved: defaultdict[str, list[_Moved]] = defaultdict(list)
    without: defaultdict[str, dict[UUID, date]] = defaultdict(dict)
    for part, rows in found:
        days = {seconds(start): day for start, day in part.slots}
        begins = seconds(part.spans.now.start)
        for row in rows:
            website, sums, lacking = by_id[row["website"]], [0, 0], None
            for edge, amount in zip(row["edges"], row["amounts"], strict=True):
                worth = book.converted(int(amount), website.currency, days[int(edge)])
                if worth is None:
                    lacking = min(days[int(edge)], lacking or date.max)
                else:
                    sums[int(edge) >= begins] += worth
            if lacking is not None:
                first = without[website.currency].get(website.id, date.max)
                without[website.currency][website.id] = min(first, lacking)
                continue
            counts = int(row["counted"]), int(row["counted_before"])
            moved[row["dimension"]].append(_Moved(website, row["value"], sums[1], sums[0], counts, part.spans))
    return moved, [
        LackingRate(currency=code, websites=len(each), lacking=min(each.values()))
        for code, each in sorted(without.items())
    ]


def _rows(reader: PostgresReader, by: str, moved: Sequence[_Moved], currency: str) -> list[Mover]:
    """The largest differences, in either direction."""
    in_order = sorted(
        (one for one in moved if one.after != one.before),
        key=lambda one: (-abs(one.after - one.before), one.website.domain, one.value),
    )[:MAX_ROWS]
    names = names_of(reader, by, {one.value for one in in_order})

    def amount(minor: int) -> Amount:
        return Amount(amount=minor, currency=currency)

    return [
        Mover.model_validate(
            {
                "website_id": one.website.id,
                "domain": one.website.domain,
                "value": one.value,
                "label": names.get(one.value, one.value) or NOT_SET,
                "revenue": amount(one.after),
                "previous": amount(one.before),
                "difference": amount(one.after - one.before),
                "conversions": one.counts[0],
                "previous_conversions": one.counts[1],
                "from": one.spans.now.first,
                "to": one.spans.now.last,
                "compared_from": one.spans.previous.first,
                "compared_to": one.spans.previous.last,
            }
        )
        for one in in_order
    ]


_VALUES: Final = ", ".join(f"('{name}', {dimensions.expression(name)})" for name in DIMENSIONS)


def _statement(parts: Sequence[_MoversPart]) -> clickhouse_reader.Query:
    """The values with the largest differences by part, website and dimension, with their money by slot."""
    selects, bound = [], dict[str, Any]()
    for n, part in enumerate(parts):
        spans = part.spans
        bound[f"sites{n}"] = [str(website.id) for website in part.websites]
        bound[f"edges{n}"] = [seconds(start) for start, _ in part.slots[:-1]]
        bound[f"start{n}"], bound[f"end{n}"] = seconds(spans.now.start), seconds(spans.now.end)
        bound[f"earlier{n}"], bound[f"until{n}"] = seconds(spans.previous.start), seconds(spans.previous.end)
        bound["limit"] = MAX_ROWS
        selects.append(_of_part(n))
    return clickhouse_reader.Query(" UNION ALL ".join(selects), bound)


def _of_part(n: int) -> str:
    def between(start: str, end: str) -> str:
        return f"(t.occurred_at >= {instants.bound(f'{start}{n}')} AND t.occurred_at < {instants.bound(f'{end}{n}')})"

    is_now = f"edge >= {{start{n}:UInt32}}"
    by_slot = (
        "SELECT toString(t.website_id) AS website, v.1 AS dimension, v.2 AS value,"  # noqa: S608 - own text
        f" roundDown(toUnixTimestamp(t.occurred_at), {{edges{n}:Array(UInt32)}}) AS edge,"
        " sum(toInt128(t.c_pending) + toInt128(t.c_approved)) AS amount, sum(t.d_pending + t.d_approved) AS count"
        f" FROM {live_table(tables.CONVERSION_EVENTS)} AS t ARRAY JOIN [{_VALUES}] AS v"
        f" WHERE t.website_id IN {{sites{n}:Array(UUID)}} AND NOT t.is_bot"
        f" AND ({between('start', 'end')} OR {between('earlier', 'until')})"
        " GROUP BY website, dimension, value, edge"
    )
    return (
        f"SELECT {n} AS part, website, dimension, value,"  # noqa: S608 - own text
        " groupArray(edge) AS edges, groupArray(toString(amount)) AS amounts,"
        f" sumIf(count, {is_now}) AS counted, sumIf(count, NOT {is_now}) AS counted_before,"
        f" abs(sumIf(amount, {is_now}) - sumIf(amount, NOT {is_now})) AS moved"
        f" FROM ({by_slot}) GROUP BY website, dimension, value HAVING moved <> 0"
        " ORDER BY moved DESC, value LIMIT {limit:UInt32} BY website, dimension"
    )
