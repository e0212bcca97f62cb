"""The finder on the demonstration: what was planted in it is named."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from command_api.insights.finder import find
from command_api.insights.history import DAYS, Day, History
from infra.ops.demo import plan
from schemas.zones import ZoneInfo

TODAY = datetime(2026, 5, 17, 15, 30, tzinfo=UTC)
EVENTS = 300_000
"""As many as `althing demo` makes; fewer are quicker, where they are enough."""

Count = Counter[tuple[date, str]]


def history_of(website: plan.DemoWebsite, events: int) -> History:
    """The website's whole days before today, counted as the rollups count them."""
    zone, last = ZoneInfo(website.timezone), TODAY.astimezone(ZoneInfo(website.timezone)).date() - timedelta(days=1)
    clicks, sources = Count(), Count()
    pageviews: Counter[date] = Counter()
    bots: Counter[date] = Counter()
    sales: Count = Counter()
    for visit in plan.visits(website, today=TODAY, events=events, seed=1):
        for event in visit.events:
            day = datetime.fromisoformat(event["occurred_at"]).astimezone(zone).date()
            if "Googlebot" in event["user_agent"]:
                bots[day] += event["type"] == "click"
            elif event["type"] == "click":
                clicks[day, event["link"]] += 1
            elif event["type"] == "pageview":
                pageviews[day] += 1
                sources[day, urlsplit(event["referrer"]).hostname or "(none)"] += 1
        if visit.sale is not None and visit.sale["status"] in ("pending", "approved"):
            sold = datetime.fromisoformat(visit.sale["occurred_at"]).astimezone(zone).date()
            link = next(event["link"] for event in reversed(visit.events) if event["type"] == "click")
            sales[sold, link] += 1
    days = [last - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]

    partners = {
        link: [Day(clicks=clicks[day, link], conversions=sales[day, link]) for day in days]
        for link in sorted({link for _, link in clicks})
    }
    places = {
        place: [Day(pageviews=sources[day, place]) for day in days] for place in sorted({place for _, place in sources})
    }
    total = [
        Day(
            clicks=sum(of[index].clicks for of in partners.values()),
            pageviews=pageviews[day],
            conversions=sum(of[index].conversions for of in partners.values()),
            bot_clicks=bots[day],
        )
        for index, day in enumerate(days)
    ]
    return History(last, website.currency, total, {"partner": partners, "source": places})


def found_in(domain: str, events: int = EVENTS // 3) -> dict[str, str]:
    [website] = [site for site in plan.WEBSITES if site.domain == domain]
    return {finding.key: finding.type for finding in find(history_of(website, events))}


def test_a_partner_that_reports_no_sales_any_more_is_named() -> None:
    domain, partner, _ = plan.BROKEN
    [website] = [site for site in plan.WEBSITES if site.domain == domain]
    assert found_in(domain, EVENTS) == {f"rate:{plan.link_slug(website, partner)}": "warning"}


def test_a_place_that_sends_many_more_is_named() -> None:
    told = found_in("learn-online.demo.example")
    assert told.pop("share:source:www.youtube.com") == "growth"
    assert is_slow_growth(told), told


def test_websites_without_planted_changes_have_only_growth_insights() -> None:
    told = found_in("vpn-review.demo.example")
    assert is_slow_growth(told), told


def is_slow_growth(told: dict[str, str]) -> bool:
    """What two of the websites have by plan (`DemoWebsite.growth`): nothing else may be said of them."""
    return set(told.values()) <= {"growth"} and all(key.startswith(("level:", "week:")) for key in told)
