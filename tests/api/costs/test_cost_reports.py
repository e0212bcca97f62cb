"""Cost and profit in reports: for random histories and costs, every part is what books by hand say, to the cent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

from infra.domain.visits.dimensions import NAMES
from infra.kernel.config.settings import Settings
from projectors.visits import builder as visit_builder
from tests.api.analytics.test_breakdown import Measured, Row, build_all, restarted, value
from tests.support.query import QueryService, conversion, event, own_tables, serving
from tests.support.rounds import first_of

FIRST, LAST = date(2026, 3, 22), date(2026, 3, 29)
NO_ID = UUID(int=0)
CONDITIONS = {
    "source": "source",
    "campaign": "utm_campaign",
    "term": "utm_term",
    "content": "utm_content",
    "link": "link_id",
    "placement": "placement",
}


@pytest.fixture(scope="module")
def query_service(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[QueryService]:
    """Over databases of its own: the builder of visits reads every website."""
    with own_tables(embedded_postgres, embedded_clickhouse) as settings, serving(settings) as service:
        yield service


@dataclass(frozen=True)
class Spent:
    """One entry, as the log tells it; `sign` -1: it was removed."""

    first: date
    last: date
    cents: int
    of: Mapping[str, str]
    sign: int = 1
    id: UUID = NO_ID

    def row(self, website: UUID) -> Row:
        of = {"link_id" if name == "link" else name: text for name, text in self.of.items()}
        at = "2026-04-01 00:00:00.000"
        place = {"_topic": "domain", "_partition": 0, "_offset": 0}
        days = {"first": str(self.first), "last": str(self.last)}
        money = {"amount": self.sign * self.cents, "currency": "USD"}
        return {"website_id": str(website), "cost_id": str(self.id), "changed_at": at, **days, **of, **money, **place}

    def parts(self) -> Iterator[tuple[date, int]]:
        """Equal parts; the first days have one cent more."""
        days = (self.last - self.first).days + 1
        whole, rest = divmod(abs(self.cents), days)
        for number in range(days):
            part = whole + (number < rest)
            yield self.first + timedelta(days=number), self.sign * (part if self.cents >= 0 else -part)


class Books:
    """What each visit and click of a website cost."""

    def __init__(self, measured: Measured, spent: Iterable[Spent]) -> None:
        self.zone = measured.zone
        self.rows = [row for row in measured.visits() if not row.get("is_bot")]
        self.costs: list[tuple[Row, int]] = []
        cells: dict[tuple[date, tuple[tuple[str, str], ...]], int] = defaultdict(int)
        for entry in spent:
            for day, part in entry.parts():
                cells[day, tuple(sorted(entry.of.items()))] += part
        for (day, of), cents in cells.items():
            self._spread(day, dict(of), cents)

    def _spread(self, day: date, of: Mapping[str, str], cents: int) -> None:
        units = self._units(day, of)
        if not units:
            begin = datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)
            named = {CONDITIONS[name]: text for name, text in of.items()}
            alone = {"type": "", "occurred_at": begin.strftime("%Y-%m-%d %H:%M:%S"), "at": begin, **named}
            self.costs.append((alone, cents))
            return
        before = 0
        for number, row in enumerate(units, 1):
            until = (2 * abs(cents) * number + len(units)) // (2 * len(units))
            self.costs.append((row, (until - before) * (1 if cents > 0 else -1)))
            before = until

    def _units(self, day: date, of: Mapping[str, str]) -> list[Row]:
        rows = [
            row
            for row in self.rows
            if row["type"] != "conversion"
            and row["at"].astimezone(self.zone).date() == day
            and all(str(row.get(CONDITIONS[name], "")) == text for name, text in of.items())
        ]
        rows.sort(key=by_time)
        if {"link", "placement"} & of.keys():
            return [row for row in rows if row["type"] == "click"]
        visits: dict[Any, Row] = {}
        for row in rows:
            if row["visit"] is None and row["type"] not in ("click", "pageview"):
                continue
            visit = row["visit"] or row["event_id"]
            if visit not in visits or (row["type"] == "click" and visits[visit]["type"] != "click"):
                visits[visit] = row
        return sorted(visits.values(), key=by_time)

    def by(
        self, *dimensions: str, first: date = FIRST, last: date = LAST, keep: Callable[[Row], bool] = lambda _: True
    ) -> dict[tuple[str, ...], tuple[int, int]]:
        """Cents of cost and revenue of each value in a range of days."""
        found: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])

        def add(row: Row, number: int, cents: int) -> None:
            if first <= row["at"].astimezone(self.zone).date() <= last and keep(row):
                found[tuple(value(row, name, self.zone) for name in dimensions)][number] += cents

        for row, cents in self.costs:
            add(row, 0, cents)
        for row in self.rows:
            if row["type"] == "conversion":
                add(row, 1, row.get("c_pending", 0))
        return {values: (cost, earned) for values, (cost, earned) in found.items()}


def by_time(row: Row) -> tuple[datetime, int]:
    return row["at"], UUID(row["event_id"]).int


def random_costs(measured: Measured, count: int = 14) -> list[Spent]:
    """Of all shapes and lengths, refunds and removals among them, also for traffic that there is not."""
    chance, spent = measured.chance, list[Spent]()
    for _ in range(count):
        first = FIRST + timedelta(days=chance.randrange(-4, 9))
        last = first + timedelta(days=chance.choice([0, 0, 1, 6, 30]))
        values = {
            "source": chance.choice(["google", "newsletter", "nowhere"]),
            "campaign": chance.choice(["spring", "a,b", "-x", "never seen"]),
            "placement": "top",
        }
        of = {name: text for name, text in values.items() if chance.random() < 0.4}
        entry = Spent(first, last, chance.choice([1, 7, 99, 1_000, 12_345, 999_999, -250]), of, id=uuid4())
        spent.append(entry)
        if chance.random() < 0.2:
            spent.append(replace(entry, sign=-1))
    return spent


def entered(service: QueryService, measured: Measured, spent: Iterable[Spent]) -> None:
    service.events([one.row(measured.website) for one in spent], "cost_changes__g1")


def cents(amount: Any) -> int:
    return int(Decimal(str(amount)) * 100)


def shown(row: Mapping[str, Any]) -> tuple[int, int, int]:
    return cents(row["cost"]), cents(row["revenue"]), cents(row["profit"])


def expected(found: Mapping[tuple[str, ...], tuple[int, int]]) -> dict[tuple[str, ...], tuple[int, int, int]]:
    return {values: (cost, earned, earned - cost) for values, (cost, earned) in found.items() if cost or earned}


def check(measured: Measured, books: Books, *by: str, keep: Any = None, **query: Any) -> None:
    span = {"timeRange": "custom", "from": FIRST, "to": LAST, "compare": "none", "limit": query.pop("limit", 1000)}
    found = measured.get("breakdown", by=",".join(by), **span, **query)
    wanted = expected(books.by(*by, keep=keep) if keep else books.by(*by))
    said = {tuple(row["values"][name] for name in by): shown(row) for row in found["rows"]}
    assert {values: row for values, row in said.items() if row[0] or row[1]} == wanted, by
    totals = tuple(sum(row[number] for row in wanted.values()) for number in range(3))
    assert shown(found["totals"]) == totals, by


@pytest.mark.parametrize("seed", first_of(1, 2, 5))
def test_every_report_has_the_costs_and_the_profit_of_the_books(
    query_service: QueryService, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", 1)
    measured = Measured(query_service, seed)
    spent = random_costs(measured)
    entered(query_service, measured, spent)
    books = Books(measured, spent)
    names = (*NAMES, "prop:plan")
    for name in names[seed % 2 :: 2]:
        check(measured, books, name)
    build_all(restarted(query_service))
    for name in names[1 - seed % 2 :: 2]:
        check(measured, books, name)
    check(measured, books, "page", limit=100)  # traffic and the rest are read by two statements
    check(measured, books, "utm_campaign", limit=100, sort="-visitors")
    check(measured, books, "page", "device")
    check(measured, books, "utm_campaign", "source")
    check(measured, books, "page", filter=["device:is:mobile"], keep=lambda row: row.get("device") == "mobile")
    check(
        measured,
        books,
        "source",
        filter=["utm_campaign:is:spring"],
        keep=lambda row: row.get("utm_campaign") == "spring",
    )


def test_a_page_by_profit_a_series_and_the_comparison_add_up(query_service: QueryService) -> None:
    measured = Measured(query_service, 3)
    spent = random_costs(measured)
    entered(query_service, measured, spent)
    books = Books(measured, spent)
    span = {"timeRange": "custom", "from": FIRST, "to": LAST}
    whole = measured.get("breakdown", by="page,device", sort="profit", limit=1000, **span)
    profits = [row["profit"] for row in whole["rows"]]
    assert profits == sorted(profits) and profits[0] < 0
    rows: list[Row] = []
    cursor: str | None = ""
    while cursor is not None:
        page = measured.get("breakdown", by="page,device", sort="profit", limit=4, cursor=cursor, **span)
        rows += page["rows"]
        cursor = page["nextCursor"]
    assert rows == whole["rows"]
    days = measured.get("breakdown/series", metric="cost", **span)
    by_day = {str(FIRST + timedelta(days=n)): FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)}
    assert {point["date"]: cents(point["values"][""]) for point in days} == {
        text: books.by(first=day, last=day).get((), (0, 0))[0] for text, day in by_day.items()
    }
    two = {"timeRange": "custom", "from": LAST - timedelta(days=1), "to": LAST}
    hours = measured.get("breakdown/series", metric="profit", by="source", values="google", **two)
    of_google = books.by("source", first=LAST - timedelta(days=1)).get(("google",), (0, 0))
    assert sum(cents(point["values"]["google"]) for point in hours) == of_google[1] - of_google[0]
    later = {"timeRange": "custom", "from": date(2026, 3, 26), "to": LAST}
    compared = measured.get("breakdown", by="utm_campaign", metrics="cost,profit", limit=1000, **later)
    before = books.by("utm_campaign", last=date(2026, 3, 25))
    for row in compared["rows"]:
        assert cents(row["previous"]["cost"]) == before.get((row["values"]["utm_campaign"],), (0, 0))[0]
    assert cents(compared["totals"]["previous"]["cost"]) == sum(cost for cost, _ in before.values())


def test_ratios_are_null_without_their_divisor_and_a_cost_without_traffic_is_a_row(query_service: QueryService) -> None:
    measured = Measured(query_service, 4, events=0)
    noon = datetime(2026, 3, 24, 12, tzinfo=UTC)
    site, clicked = measured.website, {"visitor": 5, "source": "google", "utm_campaign": "spring", "path": "/a"}
    query_service.events([
        event(site, noon, "pageview", **{**clicked, "_offset": 1}),
        event(site, noon, "click", **{**clicked, "_offset": 2}),
        event(site, noon, "pageview", visitor=6, path="/free", source="newsletter", _offset=3),
        conversion(site, noon, d_pending=1, c_pending=1_500, _offset=4, **clicked),
    ])  # fmt: skip
    day = noon.date()
    entered(query_service, measured, [
        Spent(day, day, 1_000, {"campaign": "spring"}, id=uuid4()),
        Spent(day, day, 300, {"campaign": "unseen", "source": "bing"}, id=uuid4()),
    ])  # fmt: skip
    span = {"timeRange": "custom", "from": day, "to": day, "compare": "none"}
    names = ("cost", "profit", "roi", "roas", "cost_per_click", "cost_per_conversion", "break_even_epc", "clicks")

    def rows(by: str) -> dict[str, tuple[Any, ...]]:
        found = measured.get("breakdown", by=by, metrics=",".join(names), **span)["rows"]
        return {
            row["values"][by]: tuple(float(x) if (x := row[name]) is not None else None for name in names)
            for row in found
        }

    assert rows("source") == {
        "google": (10, 5, 50, 1.5, 10, 10, 10, 1),
        "newsletter": (0, 0, None, None, None, None, None, 0),
        "bing": (3, -3, -100, 0, None, None, None, 0),
    }
    assert rows("page")["/a"][:2] == (10, 5) and rows("page")[""][:2] == (3, -3)
    file = query_service.get(
        f"/api/platform/analytics/breakdown.csv?websiteId={site}&by=source&metrics=cost,roi&timeRange=custom"
        f"&from={day}&to={day}&sort=source",
        measured.owner,
    )
    assert file.text.splitlines() == ["source,cost,roi", "bing,3.00,-100.0", "google,10.00,50.0", "newsletter,0.00,"]


def test_an_answer_says_how_costs_were_spread(query_service: QueryService) -> None:
    measured = Measured(query_service, 4, events=20)
    day = date(2026, 3, 24)

    def spread(by: str, **more: Any) -> list[str]:
        span = {"timeRange": "custom", "from": day, "to": day, "compare": "none"}
        found: list[str] = measured.get("breakdown", by=by, **{**span, **more})["costSpread"]
        return found

    assert spread("source") == [] == spread("source", sort="-profit", metrics="cost,roi")
    entered(query_service, measured, [Spent(day, day, 1_000, {"source": "google"}, id=uuid4())])
    assert spread("source") == []
    assert spread("device") == ["traffic"] == spread("source", filter=["device:is:mobile"])
    assert spread("device", metrics="clicks") == []
    entered(query_service, measured, [Spent(day, day + timedelta(days=2), 300, {"source": "google"}, id=uuid4())])
    assert spread("source") == ["days"]
    assert spread("source", to=day + timedelta(days=2)) == []
    assert spread("page") == ["days", "traffic"]
