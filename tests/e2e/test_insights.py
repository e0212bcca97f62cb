"""A publisher sees what changed, why it is said, and the dashboard behind it: on the history of the demonstration."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from infra.ops.demo import plan
from schemas.zones import ZoneInfo
from tests.e2e.conftest import PATIENCE_S, connect, read, sign_in
from tests.support.stack import Stack, wait_for

DOMAIN = "told.example"
EVENTS = 60_000
BATCH = 1_500
MADE_FOR = datetime(2026, 5, 17, 18, 29, tzinfo=UTC)
"""The last minute of a day where the website is read."""
TITLE = "YouTube brings more of your page views"


def test_an_insight_shows_its_evidence_and_links_to_the_figures(
    admin_stack: Stack, page: Page, api: httpx.Client
) -> None:
    """Spec §1, §2."""
    [told] = [website for website in plan.WEBSITES if website.domain == plan.PRAISED[0]]
    site = connect(api, DOMAIN, timezone=told.timezone)
    views = page_views(told)
    for first in range(0, len(views), BATCH):
        sent = httpx.post(
            f"{admin_stack.tracking}/track",
            json=views[first : first + BATCH],
            headers={"Authorization": f"Bearer {site['secretKey']}", "X-Backfill": "true"},
            timeout=PATIENCE_S,
        )
        assert sent.status_code < 300 and not sent.json()["rejected"], sent.text

    def seen(**more: str) -> int:
        query = {"websiteId": site["id"], "timeRange": "90d", "bots": "include", "compare": "none", **more}
        return int(read(api, "/api/platform/analytics/overview", query)["pageviews"])

    wait_for(lambda: seen() == len(views), "all page views to be counted")
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/analytics?website={site['id']}")
    card = page.get_by_role("region", name="AI-Powered Insights")
    card.get_by_role("button", name="Generate New").click()
    expect(page.get_by_text("AI Insights Generated", exact=True).first).to_be_visible()
    expect(card.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(card.get_by_text("Rule-based text: AI is not configured.")).to_be_visible()
    card.get_by_role("button", name=f"Evidence of: {TITLE}").click()
    item = card.get_by_role("listitem").filter(has_text=TITLE)
    figure = int(item.locator("dd").first.inner_text().replace(",", ""))
    card.get_by_role("link", name=f"View details of: {TITLE}").click()
    expect(page).to_have_url(re.compile("f=is,source,YouTube"))
    found = re.search(r"from=([0-9-]+)&to=([0-9-]+)", page.url)
    assert found is not None
    days = {"timeRange": "custom", "from": found[1], "to": found[2]}
    assert seen(**days, source="YouTube", bots="exclude") == figure
    page.reload()
    card.scroll_into_view_if_needed()
    expect(card.get_by_role("heading", name=TITLE)).to_be_visible()


def page_views(website: plan.DemoWebsite) -> list[dict[str, Any]]:
    """As they are made for one certain day, moved to end now: what chance plants in them is the same on every day."""
    now, zone = datetime.now(UTC), ZoneInfo(website.timezone)
    moved = now.astimezone(zone).date() - MADE_FOR.astimezone(zone).date()
    views = []
    for visit in plan.visits(website, today=MADE_FOR, events=EVENTS, seed=2):
        for event in visit.events:
            at = datetime.fromisoformat(event["occurred_at"]) + moved
            if event["type"] == "pageview" and at < now:
                url = event["url"].replace(website.domain, DOMAIN)
                views.append({**event, "occurred_at": at.isoformat(), "url": url})
    return views
