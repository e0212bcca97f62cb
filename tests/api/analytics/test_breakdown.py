"""`breakdown`: for random histories, every metric by every dimension is what a plain count over visits gives, whether
its days are built, half built or not built at all; and its columns add up to the overview."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest

from infra.domain.visits.dimensions import COLUMNS, NAMES, VARIANT
from infra.domain.visits.tables import table
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.ops.audit.built_visits import audit_built_visits
from infra.ops.audit.expired_events import Expired
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits import builder as visit_builder
from projectors.visits.builder import VisitBuilder
from query_api.analytics.breakdown import MAX_BESIDE
from query_api.analytics.breakdown_metrics import METRICS
from query_api.analytics.rewrites import MAX_SOLD
from schemas.zones import ZoneInfo
from tests.support.engines import wait_until
from tests.support.query import Person, QueryService, conversion, event, own_tables, serving
from tests.support.rounds import first_of

ZONES = ("Europe/Berlin", "Asia/Kathmandu", "UTC", "Australia/Lord_Howe")
FIRST = datetime(2026, 3, 21, tzinfo=UTC)
"""A Saturday: one whole week, and days before and after it."""
DAYS = 10
Row = dict[str, Any]
BROUGHT = ("source", "channel", "referrer_host", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term")
UTC_ZONE = ZoneInfo("UTC")
NO_ID = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def query_service(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[QueryService]:
    """Over databases of its own: builder and audit read every website."""
    with own_tables(embedded_postgres, embedded_clickhouse) as settings, serving(settings) as service:
        yield service


class Measured:
    """A website with random visits, and the same counted by hand."""

    def __init__(self, service: QueryService, seed: int, events: int = 400) -> None:
        self.service, self.chance = service, random.Random(seed)
        self.of_pages = random.Random(seed + 1)
        """A second one, so that the first gives the same days as ever."""
        self.of_routes = random.Random(seed + 2)
        self.zone = ZoneInfo(ZONES[seed % len(ZONES)])
        self.owner: Person = service.person()
        self.website: UUID = service.website(self.owner, self.zone.key)
        self.partner = service.partner("Acme")
        self.rows: list[Row] = []
        self.add(events)

    def add(self, events: int) -> None:
        """More events, anywhere in the days."""
        rows = [self._row() for _ in range(events)]
        for offset, row in enumerate(rows, len(self.rows)):
            row["_offset"] = offset
        self.rows += rows
        self.service.events(rows)

    def _row(self) -> Row:
        chance = self.chance
        at = FIRST + timedelta(milliseconds=chance.randrange(DAYS * 86_400_000))
        dims = {
            "country": chance.choice(["DE", "FR", "ZZ"]),
            "device": chance.choice(["desktop", "mobile"]),
            "source": chance.choice(["google", "newsletter", ""]),
            "channel": chance.choice(["search", "direct"]),
            "utm_campaign": chance.choice(["spring", "a,b", "-x", "(none)", ""]),
            "sub1": chance.choice(["a", "b,c", ""]),
            "path": chance.choice(["/", "/a", "/b|c", "/ü", ""]),
            "hostname": self.of_pages.choice(["shop.example", "blog.example", ""]),
            "language": chance.choice(["de", "en", ""]),
            "placement": chance.choice(["top", ""]),
        }
        if chance.random() < 0.15:
            earned = {"d_pending": 1, "c_pending": chance.randrange(1, 5000), "entry_page": chance.choice(["/in", ""])}
            more = {"partner_id": str(self.partner), "coupon": chance.choice(["SAVE", ""])}
            more["props"] = self.route()
            return conversion(self.website, at, visitor=chance.randrange(0, 9), **dims, **earned, **more)
        kind = chance.choice(["click", "pageview", "pageview", "signup", "link.impression"])
        if kind == "click":
            dims |= {"partner_id": str(self.partner), "origin": chance.choice(["redirect", "script"])}
            dims["flags"] = self.of_pages.choice(["page", ""]) if dims["origin"] == "redirect" else ""
        is_bot = chance.random() < 0.1
        bot = {"is_bot": True, "bot_reason": "crawler"} if is_bot else {}
        session = chance.choice([0, 0, 7, 8])
        props: Row = {"props": '{"plan":"pro"}' if chance.random() < 0.3 else self.route()}
        if kind == "link.impression":
            props["value"] = chance.choice([1, 10])
        return event(self.website, at, kind, visitor=chance.randrange(0, 9), session=session, **dims, **bot, **props)

    def route(self) -> str:
        """What a click, and a conversion of it, has of the link's rules; a custom event may have the like."""
        name = self.of_routes.choice(("variant 1", "variant 12", "rule 1", "variant 0", "/variant 1", ""))
        return json.dumps({"route": name}) if name else ""

    def get(self, call: str, **query: Any) -> Any:
        filters = [("filter", text) for text in query.pop("filter", ())]
        address = urlencode([("websiteId", self.website), *query.items(), *filters])
        answer = self.service.get(f"/api/platform/analytics/{call}?{address}", self.owner)
        assert answer.status_code == 200, answer.text
        return answer.json(parse_float=Decimal)

    def visits(self) -> list[Row]:
        """The rows as reports see them: with pages and sources of their visits."""
        by_visitor: dict[Any, list[Row]] = defaultdict(list)
        seen: list[Row] = []
        for row in self.rows:
            at = moment(row)
            whole = {**dict.fromkeys(BROUGHT, ""), **row, "at": at, "visit": None, "is_entry": 0, "bounce": 0, "s": 0}
            seen.append(whole)
            if row["type"] == "conversion":
                whole["exit_page"] = row["path"]
                whole.setdefault("entry_page", "")
                continue
            who = row["visitor"] or row["event_id"]
            by_visitor[at.date(), bool(row.get("is_bot")), who].append(whole)
        for key, events in by_visitor.items():
            events.sort(key=lambda row: (row["at"], UUID(row["event_id"]).int))
            place_visits(key, events)
        return seen


def place_visits(key: Any, events: list[Row]) -> None:
    """Cuts one visitor's day into visits, as docs/analytics-api.md defines them."""
    page, host, session, session_host = "", "", 0, ""
    before: datetime | None = None
    visits: list[list[Row]] = []
    for row in events:
        is_page = row.get("origin") != "redirect" or row.get("flags") == "page" or row.get("placement")
        own, own_host = row.get("session", 0), row["hostname"] if is_page else ""
        if is_page and row["path"]:
            page, host = row["path"], row["hostname"]
        is_new = before is None or row["at"] - before > timedelta(minutes=30)
        if own and session and own != session:
            is_new = is_new or not own_host or not session_host or own_host == session_host
        if is_new:
            visits.append([])
        if own:
            session, session_host = own, own_host
        before = row["at"]
        row["path"], row["hostname"] = page, host
        visits[-1].append(row)
    for number, visit in enumerate(visits):
        first, last = visit[0], visit[-1]
        brought = {name: first[name] for name in BROUGHT}
        for row in visit:
            row.update(brought, entry_page=first["path"], exit_page=last["path"])
            row["visit"] = (*key, number) if row["visitor"] else None
        if first["visitor"]:
            is_bounce = [row["type"] for row in visit if row["type"] != "link.impression"] == ["pageview"]
            first.update(
                is_entry=1, bounce=int(is_bounce), s=int(last["at"].timestamp()) - int(first["at"].timestamp())
            )


def moment(row: Row) -> datetime:
    return datetime.fromisoformat(row["occurred_at"] + "+00:00")


def value(row: Row, dimension: str, zone: ZoneInfo) -> str:
    if dimension == "weekday_hour":
        local = moment(row).astimezone(zone)
        return f"{local.isoweekday()}-{local.hour}"
    if dimension == "event":
        return str(row["event_name"] if row["type"] == "conversion" else row["type"])
    if dimension == "prop:plan":
        return "pro" if "plan" in row.get("props", "") else ""
    if dimension == VARIANT:
        named = re.fullmatch(r'\{"route": "variant ([1-9]\d*)"\}', row.get("props", ""))
        return named[1] if named and row["type"] in ("click", "conversion") else ""
    found = str(row.get(COLUMNS[dimension], ""))
    return "" if found in (NO_ID, "ZZ") else found


def counted(rows: Iterable[Row], is_of_time: bool = False) -> Row:
    """The metrics of some rows by hand."""
    rows = list(rows)
    traffic = [row for row in rows if row["type"] != "conversion"]
    entries = sum(row["is_entry"] for row in traffic)
    visits = entries if is_of_time else len({row["visit"] for row in traffic if row["visit"]})
    views = sum(row["type"] == "pageview" for row in traffic)
    clicks = sum(row["type"] == "click" for row in traffic)
    seen = sum(row["value"] for row in traffic if row["type"] == "link.impression")
    sold, earned = sum(row.get("d_pending", 0) for row in rows), sum(row.get("c_pending", 0) for row in rows)
    return {
        "visitors": len({row["visitor"] for row in traffic if row["visitor"]}),
        "visits": visits,
        "pageviews": views,
        "clicks": clicks,
        "impressions": seen,
        "click_rate": round(Decimal(100 * clicks) / seen, 2) if seen else 0,
        "events": len(traffic),
        "conversions": sold,
        "revenue": Decimal(earned) / 100,
        "bounce_rate": round(Decimal(100 * sum(row["bounce"] for row in traffic)) / entries, 2) if entries else 0,
        "visit_duration": round(sum(row["s"] for row in traffic) / entries, 2) if entries else 0,
        "views_per_visit": round(views / visits, 2) if visits else 0,
    }


def shown(row: Mapping[str, Any]) -> Row:
    return {name: float(row[name]) for name in counted([])}


def approximately(found: Row) -> Any:
    """Averages are rounded to two decimals."""
    return pytest.approx({name: float(number) for name, number in found.items()}, abs=0.011)


def check(measured: Measured, dimension: str, first: date, last: date) -> None:
    rows = [row for row in measured.visits() if first <= row["at"].astimezone(measured.zone).date() <= last]
    rows = [row for row in rows if not row.get("is_bot") or row["type"] == "conversion"]
    by_value: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_value[value(row, dimension, measured.zone)].append(row)
    is_of_time = dimension == "weekday_hour"
    span = {"timeRange": "custom", "from": first, "to": last}
    found = measured.get("breakdown", by=dimension, limit=1000, compare="none", **span)
    expected = {name: counted(some, is_of_time) for name, some in by_value.items()}
    assert {row["values"][dimension]: shown(row) for row in found["rows"]}.keys() == expected.keys()
    for row in found["rows"]:
        assert shown(row) == approximately(expected[row["values"][dimension]]), (dimension, row["values"])
    assert shown(found["totals"]) == approximately(counted(rows, is_of_time))
    clicks = [row["clicks"] for row in found["rows"]]
    assert clicks == sorted(clicks, reverse=True)


@pytest.fixture
def builder(query_service: QueryService, monkeypatch: pytest.MonkeyPatch) -> VisitBuilder:
    """Builds small days, too."""
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", 1)
    return restarted(query_service)


def restarted(service: QueryService) -> VisitBuilder:
    """A builder that has not looked yet."""
    assert service.settings.postgres_url is not None
    return VisitBuilder(HttpClickHouse(service.settings), Ownership(service.settings.postgres_url))


@pytest.mark.parametrize("seed", first_of(1, 0))
def test_every_dimension_is_what_a_count_by_hand_gives(
    query_service: QueryService, builder: VisitBuilder, seed: int
) -> None:
    measured = Measured(query_service, seed)
    first, last = date(2026, 3, 22), date(2026, 3, 30)
    dimensions = (*NAMES, "prop:plan")
    for name in dimensions[seed::2]:
        check(measured, name, first, last)
    build_all(builder)
    assert built(query_service, 1, measured.website) == DAYS
    assert built(query_service, 7, measured.website) >= 1
    for name in dimensions[1 - seed :: 2]:
        check(measured, name, first, last)
    with Reader(query_service.settings) as clickhouse:  # it finds visits and counters in another way
        found = audit_built_visits(clickhouse, expired=Expired.read(query_service.postgres))
    assert found.is_clean and found.checked["builds of weeks"] >= 1, found.as_text()
    measured.add(30)  # each day's build is outdated, or a part of them
    for name in dimensions[::6]:
        check(measured, name, first, last)
    build_all(builder)
    builder.tidy()
    for name in dimensions[1::6]:
        check(measured, name, first, last)


def test_small_days_are_built_only_in_a_week_that_is_large_together(
    query_service: QueryService, builder: VisitBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = Measured(query_service, 3, events=60)
    of_website = f"WHERE website_id = '{measured.website}'"
    days = dict(query_service.rows(f"SELECT day, toInt64(sum(events)) FROM event_days {of_website} GROUP BY day"))
    weeks = Counter[date]()
    for day, events in days.items():
        weeks[monday(day)] += events
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", max(weeks.values()))
    build_all(builder)
    assert built(query_service, 1, measured.website) == 0
    least = max(weeks.values()) // 7
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", least)
    build_all(restarted(query_service))
    found = query_service.rows(f"SELECT DISTINCT day FROM {table('visit_builds')} {of_website} AND days = 1")
    wanted = {day for day, events in days.items() if events >= least or weeks[monday(day)] >= 7 * least}
    assert {day for (day,) in found} == wanted and 0 < len(wanted) < len(days)
    assert built(query_service, 7, measured.website) >= 1


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def test_replaced_builds_are_deleted_and_reports_stay(query_service: QueryService, builder: VisitBuilder) -> None:
    measured = Measured(query_service, 2, events=60)
    span = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-04-10", "by": "page"}
    build_all(builder)
    measured.add(20)
    build_all(builder)
    of_website = f"WHERE website_id = '{measured.website}'"
    stored = [
        f"SELECT uniqExact(build) FROM {table('visit_events')} {of_website}",
        *(
            f"SELECT uniqExact(build) FROM {table(name)} {of_website} AND days = {days}"
            for name in ("breakdown", "visit_builds")
            for days in (1, 7)
        ),
    ]
    assert [query_service.rows(count) for count in stored] == [[(2,)]] * 5
    before = measured.get("breakdown", **span)
    clickhouse, ownership = HttpClickHouse(query_service.settings), Ownership(query_service.settings.postgres_url or "")
    VisitBuilder(clickhouse, ownership, lambda: datetime.now(UTC) + timedelta(hours=1)).tidy()
    newest = "SELECT uniqExact(build) FROM (SELECT max(build) AS build FROM {} {} AND days = {} GROUP BY day)"
    wanted = [newest.format(table("visit_builds"), of_website, days) for days in (1, 1, 7, 1, 7)]
    wait_until(lambda: [*map(query_service.rows, stored)] == [*map(query_service.rows, wanted)], 20, "tidying")
    assert measured.get("breakdown", **span) == before


def build_all(builder: VisitBuilder) -> None:
    """A past day is built in the second round in which it rests."""
    for _ in range(3):
        builder.build()


def built(service: QueryService, days: int, website: UUID) -> int:
    [[found]] = service.rows(
        f"SELECT uniqExact(day) FROM {table('visit_builds')} WHERE website_id = '{website}' AND days = {days}"
    )
    return int(found)


def test_two_dimensions_search_sort_and_pages(query_service: QueryService) -> None:
    measured = Measured(query_service, 1)
    span = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-04-10"}
    whole = measured.get("breakdown", by="page,device", sort="-revenue", limit=1000, **span)
    assert [row["revenue"] for row in whole["rows"]] == sorted((row["revenue"] for row in whole["rows"]), reverse=True)
    for sort in ("-revenue", "page", "-bounce_rate", "visits"):
        whole = measured.get("breakdown", by="page,device", sort=sort, limit=1000, **span)
        rows: list[Row] = []
        cursor: str | None = ""
        while cursor is not None:
            page = measured.get("breakdown", by="page,device", sort=sort, limit=5, cursor=cursor, **span)
            rows += page["rows"]
            cursor = page["nextCursor"]
            assert page["totals"] == whole["totals"]
        assert rows == whole["rows"]
    found = measured.get("breakdown", by="page", search="/B|", **span)
    assert [row["values"]["page"] for row in found["rows"]] == ["/b|c"]
    found = measured.get("breakdown", by="partner", search="acm", **span)
    assert [row["label"] for row in found["rows"]] == ["Acme"]
    assert found["rows"][0]["values"] == {"partner": str(measured.partner)}


FILTERS: tuple[tuple[str, Callable[[Row], bool]], ...] = (
    (r"page:is:/b\|c|/ü", lambda row: row["path"] in ("/b|c", "/ü")),
    ("page:is_not:/|", lambda row: row["path"] not in ("/", "")),
    ("page:contains:B", lambda row: "b" in row["path"]),
    ("page:matches:/*", lambda row: row["path"].startswith("/")),
    ("page:matches:*%*", lambda _: False),
    ("utm_campaign:is:a,b", lambda row: row["utm_campaign"] == "a,b"),
    ("utm_campaign:is:-x|(none)", lambda row: row["utm_campaign"] in ("-x", "(none)")),
    ("source:is:", lambda row: row["source"] == ""),
    ("country:is:DE", lambda row: row["country"] == "DE"),
    ("country:contains:germ", lambda row: row["country"] == "DE"),
    ("entry_page:not_contains:a", lambda row: "a" not in row["entry_page"]),
    ("coupon:is:SAVE", lambda row: row.get("coupon") == "SAVE"),
    ("prop:plan:is:pro", lambda row: "plan" in row.get("props", "")),
    ("variant:is:12|1", lambda row: bool(value(row, VARIANT, UTC_ZONE))),
    ("variant:is_not:1", lambda row: value(row, VARIANT, UTC_ZONE) != "1"),
    ("partner:contains:acme", lambda row: "partner_id" in row),
    ("page:is:" + "x" * 2000, lambda _: False),
)


def test_filters_hold_in_every_call(query_service: QueryService, builder: VisitBuilder) -> None:
    measured = Measured(query_service, 2)
    span = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-04-10"}
    for turn in range(2):
        people = [row for row in measured.visits() if not row.get("is_bot")]
        for number, (text, keep) in enumerate(FILTERS, start=turn):
            expected = counted(row for row in people if keep(row))
            found = measured.get("breakdown", by="device", filter=[text], **span)["totals"]
            assert shown(found) == approximately(expected), text
            if number % 2:  # one of the others before the days are built, the other after
                overview = measured.get("overview", filter=[text], **span)
                assert overview["clicks"]["total"] == expected["clicks"], text
                assert overview["revenue"]["total"] == expected["revenue"], text
            else:
                points = measured.get("clicks", filter=[text], **span)
                assert sum(point["clicks"] for point in points) == expected["clicks"], text
        build_all(builder)
    both = measured.get("breakdown", by="device", filter=["page:is:/a", "country:is:DE"], **span)["totals"]
    people = [row for row in measured.visits() if not row.get("is_bot")]
    assert shown(both) == approximately(counted(r for r in people if r["path"] == "/a" and r["country"] == "DE"))


def test_used_dimensions_are_those_with_a_value_in_the_range(
    query_service: QueryService, builder: VisitBuilder
) -> None:
    measured = Measured(query_service, 4, events=0)
    day = datetime(2026, 3, 24, 12, tzinfo=UTC)
    query_service.events(
        [
            event(measured.website, day, utm_campaign="spring", language="de"),
            event(measured.website, day, sub9="of a bot", is_bot=True, bot_reason="crawler"),
            event(measured.website, day + timedelta(days=5), sub8="of another day"),
            conversion(measured.website, day, sub7="of a sale"),
        ]
    )
    span = {"timeRange": "custom", "from": "2026-03-23", "to": "2026-03-26"}
    for _ in range(2):
        assert measured.get("used-dimensions", **span) == ["utm_campaign", "language", "sub7"]
        assert measured.get("used-dimensions", country="IS", **span) == ["utm_campaign", "language", "sub7"]
        assert measured.get("used-dimensions", bots="only", **span) == ["sub9"]
        build_all(builder)
    assert built(query_service, 1, measured.website) >= 1


def test_the_variant_is_used_once_a_link_has_a_split(query_service: QueryService) -> None:
    measured = Measured(query_service, 4, events=0)
    link = {
        **{"website_id": measured.website, "partner_id": measured.partner, "destination": "https://acme.example"},
        **{"subs": "{}", "is_active": True, "created_at": FIRST},
    }
    query_service.insert("links", {**link, "id": uuid4(), "slug": "plain", "code": 901})
    assert measured.get("used-dimensions") == []
    split = json.dumps({"variants": [{"number": 1, "destination": "https://acme.example/a", "weight": 1}]})
    query_service.insert("links", {**link, "id": uuid4(), "slug": "split", "code": 902, "routing": split})
    assert measured.get("used-dimensions") == [VARIANT]


def test_columns_add_up_to_the_overview(query_service: QueryService) -> None:
    Measured(query_service, 4)  # another website: nothing of it counts
    measured = Measured(query_service, 3)
    span = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-04-10"}
    overview = measured.get("overview", **span)
    for name in NAMES:
        rows = measured.get("breakdown", by=name, limit=1000, metrics="clicks,revenue,conversions,pageviews", **span)[
            "rows"
        ]
        assert sum(row["clicks"] for row in rows) == overview["clicks"]["total"], name
        assert sum(row["pageviews"] for row in rows) == overview["pageviews"], name
        assert sum(row["conversions"] for row in rows) == overview["conversions"]["total"], name
        assert sum(row["revenue"] for row in rows) == overview["revenue"]["total"], name
        assert "visits" not in rows[0]


def test_series_add_up_to_the_report(query_service: QueryService, builder: VisitBuilder) -> None:
    measured = Measured(query_service, 1)
    span = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-04-10"}
    for _ in range(2):
        total = measured.get("breakdown", by="page", **span)["totals"]
        for metric in ("clicks", "visits", "revenue"):
            points = measured.get("breakdown/series", metric=metric, **span)
            assert sum(point["values"][""] for point in points) == total[metric]
        points = measured.get("breakdown/series", by="page", values=r"/a,/b|c,a\,b", metric="pageviews", **span)
        rows = measured.get("breakdown", by="page", **span)["rows"]
        for page in ("/a", "/b|c"):
            [expected] = [row["pageviews"] for row in rows if row["values"]["page"] == page]
            assert sum(point["values"][page] for point in points) == expected
        assert {point["values"]["a,b"] for point in points} == {0}
        build_all(builder)


@pytest.mark.parametrize(
    "report",
    [{"by": "page"}, {"by": "device"}, {"by": "page,device"}, {"by": "page", "filter": ["country:is:DE"]}],
    ids=["page", "device", "two dimensions", "with a filter"],
)
def test_the_comparison_has_the_same_values(query_service: QueryService, report: Row) -> None:
    measured = Measured(query_service, 0)
    query = {"timeRange": "custom", "from": "2026-03-29", "to": "2026-03-30", "limit": 2, **report}
    before = {"timeRange": "custom", "from": "2026-03-27", "to": "2026-03-28", "compare": "none", **report}
    found, earlier = measured.get("breakdown", **query), measured.get("breakdown", **before)
    by_values = {tuple(row["values"].values()): shown(row) for row in earlier["rows"]}
    assert len(found["rows"]) == 2
    for row in found["rows"]:
        assert shown(row["previous"]) == by_values.get(tuple(row["values"].values()), counted([]))
    assert shown(found["totals"]["previous"]) == shown(earlier["totals"])
    assert earlier["totals"]["previous"] is None


def test_the_comparison_of_more_values_than_are_read_at_once(query_service: QueryService) -> None:
    measured = Measured(query_service, 2, events=0)
    at, rows = datetime(2026, 3, 27, 12, tzinfo=UTC), MAX_BESIDE + 10
    sources = [event(measured.website, at, source=f"s{number}") for number in range(rows)]
    query_service.events([*sources, event(measured.website, at + timedelta(days=1), source="s7")])
    query = {"timeRange": "custom", "from": "2026-03-28", "to": "2026-03-28", "by": "source"}
    found = measured.get("breakdown", **query)
    assert [(row["label"], row["previous"]["events"]) for row in found["rows"]] == [("s7", 1)]
    assert found["totals"]["previous"]["events"] == rows


@pytest.mark.parametrize("every", first_of(3, 1))
def test_a_metric_is_the_same_alone_and_with_all_others(query_service: QueryService, every: int) -> None:
    """Each metric in one of the reports; for `make test-slow` in all of them."""
    measured = Measured(query_service, 3)
    span = {"timeRange": "custom", "from": "2026-03-22", "to": "2026-03-30", "limit": 1000}
    for turn, report in enumerate(({"by": "page"}, {"by": "weekday_hour"}, {"by": "page,device"})):
        whole = measured.get("breakdown", sort="page" if "page" in report["by"] else "weekday_hour", **report, **span)
        for number, metric in list(enumerate(METRICS, start=turn))[turn % every :: every]:
            sort = metric if number % 2 else "-clicks"  # sorted by the metric in one report, by clicks in the next
            alone = measured.get("breakdown", metrics=metric, sort=sort, **report, **span)
            assert {row["label"]: (row[metric], row["previous"][metric]) for row in alone["rows"]} == {
                row["label"]: (row[metric], row["previous"][metric]) for row in whole["rows"]
            }
            assert alone["totals"][metric] == whole["totals"][metric]


@pytest.mark.parametrize("often", [1, 4], ids=["the bounds tell", "they mislead"])
def test_the_most_visited_pages_come_first(query_service: QueryService, builder: VisitBuilder, often: int) -> None:
    """Pages with few visitors, who return `often`, and a page with more visitors, who come once."""
    measured = Measured(query_service, 2, events=0)
    days = [datetime(2026, 3, 21 + day, 12, tzinfo=UTC) for day in range(often)]
    few = [
        event(measured.website, day, visitor=100 * (page + 1) + visitor, path=f"/few/{page}")
        for page in range(7)
        for day in days
        for visitor in range(5 + page)
    ]
    many = [event(measured.website, days[0], visitor=5000 + visitor, path="/many") for visitor in range(13)]
    query_service.events([*few, *many])
    span = {"timeRange": "custom", "from": "2026-03-21", "to": "2026-03-30"}
    for _ in range(2):
        first = measured.get("breakdown", by="page", sort="-visitors", limit=1, **span)
        assert [(row["label"], row["visitors"]) for row in first["rows"]] == [("/many", 13)]
        assert first["totals"]["visitors"] == 13 + sum(range(5, 12))
        after = measured.get("breakdown", by="page", sort="-visitors", limit=2, cursor=first["nextCursor"], **span)
        assert [(row["label"], row["visitors"]) for row in after["rows"]] == [("/few/6", 11), ("/few/5", 10)]
        build_all(builder)


@pytest.mark.parametrize("more", [0, MAX_SOLD], ids=["few values are sold", "thousands are sold"])
def test_values_that_are_only_sold_have_their_place_in_every_page(query_service: QueryService, more: int) -> None:
    measured = Measured(query_service, 2, events=0)
    clicks = [
        event(
            measured.website,
            FIRST,
            "click",
            visitor=visitor + 1,
            sub1=f"sub-{number}",
            partner_id=str(measured.partner),
        )
        for number in (1, 3, 4)
        for visitor in range(number)
    ]
    sold = ["", "sub-1", "sub-2", "sub-4", "sub-9", *(f"sub-8-{number:05}" for number in range(more))]
    sales = [
        conversion(measured.website, FIRST, sub1=value, d_pending=1, c_pending=100, partner_id=str(measured.partner))
        for value in sold
    ]
    query_service.events([*clicks, *sales])
    clicked = {"sub-1": 1, "sub-3": 3, "sub-4": 4}
    query = {"timeRange": "custom", "from": "2026-03-20", "to": "2026-03-22", "by": "sub1", "compare": "none"}
    for metric, of in {"clicks": clicked, "visitors": clicked, "impressions": {}}.items():
        expected = sorted({*sold, *clicked}, key=lambda value: (-of.get(value, 0), value))[:8]
        rows: list[Row] = []
        cursor = None
        while len(rows) < len(expected):
            page = measured.get(
                "breakdown", sort=f"-{metric}", limit=2, **({"cursor": cursor} if cursor else {}), **query
            )
            rows += page["rows"]
            cursor = page["nextCursor"]
            assert page["totals"]["revenue"] == len(sold)
            assert page["totals"]["clicks"] == len(clicks)
        assert [row["values"]["sub1"] for row in rows[:8]] == expected
        for row in rows:
            value = row["values"]["sub1"]
            assert (row["clicks"], row["revenue"]) == (clicked.get(value, 0), int(value in sold))
    found = measured.get("breakdown", sort="-clicks", limit=100, search="SUB-9", **query)
    assert [(row["label"], row["revenue"]) for row in found["rows"]] == [("sub-9", 1)]


def test_a_file_has_the_same_rows(query_service: QueryService) -> None:
    measured = Measured(query_service, 0)
    query = (
        f"websiteId={measured.website}&timeRange=custom&from=2026-03-20&to=2026-04-10&by=page&metrics=clicks,revenue"
    )
    file = query_service.get(f"/api/platform/analytics/breakdown.csv?{query}", measured.owner)
    lines = file.text.split("\r\n")
    assert lines[0] == "page,clicks,revenue"
    rows = measured.get(
        "breakdown",
        timeRange="custom",
        **{"from": "2026-03-20", "to": "2026-04-10"},
        by="page",
        metrics="clicks,revenue",
    )["rows"]
    assert len(lines) - 2 == len(rows)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("by=weather", "entry_page"),
        ("by=page,device,os", "at most 2"),
        ("metrics=clicks,luck", "bounce_rate"),
        ("sort=-luck", "revenue"),
        ("filter=weather:is:sun", "weekday_hour"),
        ("filter=page:like:x", "not_contains"),
        ("filter=page", "DIMENSION:OPERATOR:VALUES"),
        ("filter=page:is:" + "x" * 3000, "2048"),
        ("cursor=nonsense", "cursor"),
        ("by=prop:a'b", "prop:NAME"),
    ],
)
def test_what_is_unknown_is_named_with_what_is_valid(query_service: QueryService, query: str, named: str) -> None:
    owner = query_service.person()
    website = query_service.website(owner)
    answer = query_service.get(f"/api/platform/analytics/breakdown?websiteId={website}&{query}", owner)
    assert answer.status_code == 400, answer.text
    assert named in answer.text


def test_reports_are_for_the_owner(query_service: QueryService) -> None:
    website = query_service.website(query_service.person())
    stranger = query_service.person()
    for path in ("breakdown", "breakdown.csv", "breakdown/series"):
        answer = query_service.get(f"/api/platform/analytics/{path}?websiteId={website}", stranger)
        assert answer.status_code == 404
