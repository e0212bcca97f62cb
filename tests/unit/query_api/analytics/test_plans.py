"""Rewrites of plans, one rule each, and the SQL that they come to."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

from infra.domain.visits.builds import VisitBuild
from query_api.analytics import rewrites, statement
from query_api.analytics.breakdown_metrics import COUNTERS as REPORT_COUNTERS
from query_api.analytics.breakdown_metrics import METRICS, MONEY, VISITOR_BOUND
from query_api.analytics.filters import ValueFilter
from query_api.analytics.metrics import CONVERSION_COUNTERS, COUNTERS, PERFORMANCE_COUNTERS, UNIQUES, Source
from query_api.analytics.query_plan import Plan, RowPage, TablePlan, TrafficSelection
from query_api.analytics.ranges import BucketKind, Range
from query_api.analytics.rewrites import LEADING_TRAFFIC, PAGE, SOURCES, rewritten
from query_api.analytics.visit_rows import DayRows, VisitRows
from schemas.zones import ZoneInfo

START = datetime(2026, 4, 1, tzinfo=UTC)
DAYS = tuple(START + timedelta(days=number) for number in range(4))
COUNTRY, DEVICE = ValueFilter("country", ("DE",), ()), ValueFilter("device", ("mobile",), ())


def build(day: date) -> VisitBuild:
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return VisitBuild(1, day, 7, (10, 0), midnight, midnight + timedelta(hours=23), {})


VISITS = VisitRows("", {date(2026, 4, day): build(date(2026, 4, day)) for day in (1, 2)}, {date(2026, 4, 3): 5}, {})


def range_in(zone: str) -> Range:
    return Range(ZoneInfo(zone), BucketKind.DAY, DAYS)


def report(*by: str, filters: tuple[ValueFilter, ...] = (), sorted_by: str = "clicks", zone: str = "UTC") -> Plan:
    return Plan(TrafficSelection("", filters, visits=VISITS), range_in(zone), by, page=RowPage(sorted_by), limit=10)


def test_the_cheapest_table_that_has_what_is_needed_answers() -> None:
    def source(names: tuple[str, ...], *filters: ValueFilter, of_partners: bool = False) -> Source:
        known = {*COUNTERS, *UNIQUES}
        counters = tuple(name for name in names if name in known)
        columns = tuple(name for name in names if name not in known)
        plan = TablePlan(TrafficSelection("", filters), range_in("UTC"), counters, columns, of_partners=of_partners)
        return rewrites.choose_table(plan).source

    partner, other = ValueFilter("partner", (str(uuid4()),), ()), ValueFilter("partner", (), (str(uuid4()),))
    none = ValueFilter("partner", (str(UUID(int=0)),), ())
    every, sold, of_partners = tuple(COUNTERS), tuple(CONVERSION_COUNTERS), ("partner_id", *PERFORMANCE_COUNTERS)
    assert source(every) is Source.TRAFFIC
    assert source(every, partner) is Source.RAW
    assert source(sold, partner) is Source.PARTNER
    assert source(sold, other) is Source.RAW
    assert source(sold, none) is Source.RAW
    assert source(every, COUNTRY) is Source.COUNTRY
    assert source(UNIQUES) is Source.VISITORS
    assert source(UNIQUES, COUNTRY) is Source.RAW
    assert source((*every, *UNIQUES)) is Source.RAW
    assert source(of_partners, of_partners=True) is Source.PARTNER
    assert source(of_partners, other, of_partners=True) is Source.PARTNER
    assert source(of_partners) is Source.RAW
    assert source(of_partners, COUNTRY, of_partners=True) is Source.RAW
    assert source(("country", "clicks")) is Source.COUNTRY
    assert source(("country", "clicks"), partner) is Source.RAW
    assert source(("country", "clicks"), COUNTRY, DEVICE) is Source.RAW
    for one in (partner, COUNTRY):
        assert source(("bot_reason",), one) is Source.RAW
        assert source(("type", "clicks"), one) is Source.RAW


def test_whole_days_are_read_from_builds_and_others_from_rows() -> None:
    plan = rewritten(report("page"), SOURCES)
    assert (plan.daily, [each.day.day for each in plan.builds], plan.rows) == (
        "page",
        [1, 2],
        DayRows(live=(DAYS[2].date(),)),
    )
    assert plan.reads_sales and plan.total is None


def test_filters_and_pairs_are_read_from_rows_and_everything_from_builds() -> None:
    filtered = rewritten(report("page", filters=(COUNTRY,)), SOURCES)
    assert (filtered.daily, filtered.builds, filtered.total, len(filtered.rows.whole)) == ("", (), None, 2)
    pairs = rewritten(report("page", "device"), SOURCES)
    assert pairs.daily == "" and len(pairs.rows.whole) == 2
    assert pairs.total is not None and (pairs.total.daily, len(pairs.total.builds)) == ("total", 2)


def test_parts_of_time_are_hours_or_quarters_by_the_zone() -> None:
    found = {zone: rewritten(report("weekday_hour", zone=zone), SOURCES).daily for zone in ("UTC", "Asia/Kathmandu")}
    assert found == {"UTC": "hour", "Asia/Kathmandu": "quarter"}


def test_conversions_alone_read_no_traffic() -> None:
    plan = rewritten(replace(report("page"), counters=("pending", "c_pending")), SOURCES)
    assert plan.reads_sales and not plan.builds and not plan.rows
    assert not rewritten(replace(report("page"), counters=("clicks",)), SOURCES).reads_sales


def test_what_is_distinct_is_counted_for_the_shown_rows_unless_they_are_sorted_by_it() -> None:
    late = {
        "many values": rewritten(report("page"), PAGE).late,
        "by visitors": rewritten(report("page", sorted_by="visitors"), PAGE).late,
        "few values": rewritten(report("device"), PAGE).late,
        "pairs": {*rewritten(report("page", "device"), PAGE).late},
        "filtered": rewritten(report("page", filters=(COUNTRY,)), PAGE).late,
    }
    of_all = {"many values": ("visitors",), "pairs": {"visits", "visitors"}}
    assert late == {**of_all, "by visitors": (), "few values": (), "filtered": ()}
    page = rewritten(report("page"), PAGE)
    assert page.limit == 11 and "visitors" not in page.counters


def test_a_page_by_visitors_is_led_by_more_values_with_bounds() -> None:
    plan = rewritten(rewritten(report("page", sorted_by="visitors"), PAGE), LEADING_TRAFFIC)
    assert plan.page is not None and (plan.page.sorted_by, plan.limit) == (VISITOR_BOUND, 33)
    assert VISITOR_BOUND in plan.counters and not {*plan.counters} & {"visitors", *MONEY}


def test_every_metric_is_made_of_counters_and_every_statement_reads_one_website() -> None:
    assert all({*metric.counters} <= {*REPORT_COUNTERS} for metric in METRICS.values())
    for plan in (report("page"), report("page", "device"), report("weekday_hour"), report("city", filters=(DEVICE,))):
        sql = statement.report(plan).sql
        tables = re.findall(r"FROM [\w{]", sql)
        assert len(tables) >= 3 and sql.count("website_id = {website:UUID}") == len(tables), sql
