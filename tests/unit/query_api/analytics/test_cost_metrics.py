"""Metrics of cost: their values, how they sort, their names in emails; and other reports read no costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from query_api.analytics import cost_shapes, statement
from query_api.analytics.breakdown_metrics import COST, METRICS, counters_of
from query_api.analytics.cost_shapes import BITS, CostDays, Costs, CostShape, CostSpread
from query_api.analytics.query_plan import Plan, RowPage, TrafficSelection
from query_api.analytics.ranges import BucketKind, Range
from query_api.analytics.reports import metrics as report_metrics
from query_api.analytics.visit_rows import VisitRows
from schemas.zones import ZoneInfo

ROW = {"c_pending": 1_000, "c_approved": 500, "cost": 1_200, "clicks": 7, "pending": 1, "approved": 2}
DAYS = tuple(datetime(2026, 4, 1, tzinfo=UTC) + timedelta(days=number) for number in range(4))
SPENT = Costs((CostShape(BITS["campaign"], {"campaign": ("spring",)}),), ((date(2026, 4, 1), date(2026, 4, 2)),))
RANGE = Range(ZoneInfo("UTC"), BucketKind.DAY, DAYS)


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("cost", Decimal("12.00"), "$12.00"),
        ("profit", Decimal("3.00"), "$3.00"),
        ("roi", 25.0, "25.00%"),
        ("roas", 1.25, "1.25"),
        ("cost_per_click", Decimal("1.71"), "$1.71"),
        ("cost_per_conversion", Decimal("4.00"), "$4.00"),
        ("break_even_epc", Decimal("1.71"), "$1.71"),
    ],
)
def test_each_metric_has_one_definition(metric: str, value: object, text: str) -> None:
    assert METRICS[metric].figure(ROW, "USD") == value
    assert report_metrics.text_of(metric, value, "USD") == text


def test_a_ratio_without_divisor_is_null_and_a_dash() -> None:
    ratios = ("roi", "roas", "cost_per_click", "cost_per_conversion", "break_even_epc")
    assert [METRICS[name].figure({}, "USD") for name in ratios] == [None] * 5
    assert report_metrics.text_of("roi", None, "USD") == "–"
    assert [METRICS[name].figure({}, "USD") for name in ("cost", "profit")] == [Decimal("0.00")] * 2


def test_a_loss_is_below_zero() -> None:
    lost = {**ROW, "cost": 6_000}
    assert METRICS["profit"].figure(lost, "USD") == Decimal("-45.00")
    assert METRICS["roi"].figure(lost, "USD") == -75.0


def test_costs_are_counted_for_metrics_of_cost_alone() -> None:
    assert COST not in counters_of(["clicks", "revenue"])
    assert COST in counters_of(["roi"]) and {"c_pending", "c_approved"} <= {*counters_of(["roi"])}


def test_a_report_reads_costs_only_if_it_shows_them_and_there_are_any() -> None:
    known = TrafficSelection("", visits=VisitRows("", {}, {date(2026, 4, 2): 5}, {}), costs=SPENT)
    plan = Plan(known, RANGE, ("page",), counters_of(["profit"]), page=RowPage("profit"), limit=10)
    read = statement.report(plan)
    assert "{cost_changes:Identifier}" in read.sql and read.parameters["cost_2_campaign"] == ["spring"]
    without = [
        replace(plan, counters=counters_of(["clicks"]), page=RowPage("clicks")),
        replace(plan, selection=replace(known, costs=cost_shapes.NO_COSTS)),
    ]
    assert all("cost_changes" not in statement.report(each).sql for each in without)


def test_the_days_of_costs_are_whole_local_ones() -> None:
    zone = ZoneInfo("Europe/Berlin")
    evening = datetime(2026, 3, 28, 20, tzinfo=UTC)
    hours = Range(zone, BucketKind.HOUR, (evening, evening + timedelta(hours=24)))
    days = CostDays.of(hours)
    assert (days.first, days.last) == (date(2026, 3, 28), date(2026, 3, 29))
    assert (days.start, days.end) == (datetime(2026, 3, 27, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
    assert [int(days.start.timestamp()), int(datetime(2026, 3, 28, 23, tzinfo=UTC).timestamp())] == days.starts


@pytest.mark.parametrize(
    ("costs", "by", "spread"),
    [
        (Costs(), ("page",), ()),
        (Costs((CostShape(BITS["campaign"]),)), ("utm_campaign",), ()),
        (Costs((CostShape(BITS["campaign"]),)), ("page",), (CostSpread.TRAFFIC,)),
        (Costs((CostShape(BITS["campaign"]), CostShape(0))), ("utm_campaign",), (CostSpread.TRAFFIC,)),
        (Costs((CostShape(BITS["campaign"] | BITS["source"]),)), ("utm_campaign", "source"), ()),
        (Costs((CostShape(BITS["link_id"]),), cut=True), ("link",), (CostSpread.DAYS,)),
        (
            Costs((CostShape(BITS["link_id"]),), several=True),
            ("link", "weekday_hour"),
            (CostSpread.DAYS, CostSpread.TRAFFIC),
        ),
    ],
)
def test_what_is_coarser_than_the_question_is_spread(costs: Costs, by: tuple[str, ...], spread: object) -> None:
    assert costs.spread(by) == spread
