"""The demonstration's listings: a few websites for sale by one seller, one of them with measured traffic.

The seller is a separate account, because an admin cannot approve their own listing. A second run adds nothing:
listings are found by their titles, and an interrupted run is continued.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

import httpx

from infra.ops.demo import plan
from infra.ops.demo.members import Done
from infra.ops.demo.pictures import picture
from schemas.zones import ZoneInfo

FOR_SALE: Final = plan.DemoWebsite(
    "inbox-tools.demo.example",
    "America/New_York",
    "USD",
    0.05,
    0.25,
    ("demo-mailbeacon", "demo-draftwell", "demo-pixelkiln", "demo-ledgerly"),
    ("/", "/newsletter-tools", "/mailbeacon-review", "/writing-for-inboxes"),
    {"US": 0.62, "CA": 0.16, "GB": 0.14, "AU": 0.08},
)


@dataclass(frozen=True, slots=True)
class DemoListing:
    """An invented website for sale; money in whole dollars."""

    title: str
    domain: str
    niche: str
    description: str
    asking_price: int
    monthly_revenue: int
    monthly_profit: int
    monthly_traffic: int
    years_established: float


MEASURED: Final = DemoListing(
    "Inbox tools compared (demo)",
    FOR_SALE.domain,
    "software",
    "Reviews of newsletter and writing tools. Its traffic and revenue are tracked here: compare them with the claims."
    " An invented website of the demonstration.",
    asking_price=0,
    monthly_revenue=0,
    monthly_profit=0,
    monthly_traffic=0,
    years_established=2.5,
)
"""Its figures are calculated from its traffic (`with_figures`)."""

LISTINGS: Final = (
    DemoListing(
        "Private browsing guides (demo)", "private-browsing.demo.example", "vpn",
        "Guides to VPN services for travelers, in plain words. Sixty articles, a newsletter with 4,000 readers, no"
        " employees. An invented website of the demonstration.",
        58_000, 2_150, 1_780, 41_000, 5.0,
    ),
    DemoListing(
        "Small servers, honest tests (demo)", "small-servers.demo.example", "hosting",
        "Speed tests of small hosting plans, repeated every month by a script that goes with the website. An invented"
        " website of the demonstration.",
        31_500, 1_240, 1_020, 18_500, 3.5,
    ),
    DemoListing(
        "Saving for people in their twenties (demo)", "first-savings.demo.example", "finance",
        "Articles and three calculators about saving, read mostly from search. The calculators are linked by four"
        " schools. An invented website of the demonstration.",
        96_000, 3_400, 3_050, 120_000, 7.0,
    ),
    DemoListing(
        "Courses worth their price (demo)", "worthy-courses.demo.example", "education",
        "Reviews of online courses by people who finished them. A young website that grows and needs an editor."
        " An invented website of the demonstration.",
        7_900, 260, 190, 3_200, 1.0,
    ),
    DemoListing(
        "Gear for small kitchens (demo)", "small-kitchens.demo.example", "ecommerce",
        "Tests of kitchen gear for small apartments, with our own photos. Most of the revenue comes in November"
        " and December. An invented website of the demonstration.",
        22_000, 900, 640, 26_000, 4.0,
    ),
)  # fmt: skip


async def put_up_for_sale(
    app: httpx.AsyncClient, client: httpx.AsyncClient, listings: Iterable[DemoListing], website_id: str, done: Done
) -> int:
    """Drafts, submits and approves what is not there yet; how many of them are. `client`: the seller's;
    `website_id`: the one of `FOR_SALE`."""
    rows = (await done(client.get("/api/marketplace/my/listings?limit=200"))).json()
    mine, count = {row["title"]: row for row in rows}, 0
    for listing in listings:
        count += 1
        row, images = mine.get(listing.title), []
        if row is not None and row["status"] == "draft":
            images = (await done(client.get(f"/api/marketplace/listings/{row['id']}"))).json()["images"]
        if row is None:
            fields = _fields(listing, website_id if listing.domain == FOR_SALE.domain else None)
            row = (await done(client.post("/api/marketplace/listings", json=fields))).json()
        page = f"/api/marketplace/listings/{row['id']}"
        if row["status"] == "draft":
            for chart in (False, True)[len(images) :]:
                drawn = picture(listing.title.removesuffix(" (demo)"), listing.domain, chart=chart)
                await done(client.post(f"{page}/images", content=drawn, headers={"Content-Type": "image/png"}))
            row = (await done(client.post(f"{page}/submit"))).json()
        if row["status"] == "in_review":
            edition = row["edition"] if "edition" in row else (await done(client.get(page))).json()["edition"]
            approve = f"/api/admin/marketplace/listings/{row['id']}/approve"
            await done(app.post(approve, json={"edition": edition}))
    return count


def with_figures(listing: DemoListing, visits: Iterable[plan.DemoVisit], today: datetime) -> DemoListing:
    """The listing with figures a little above what the visits to `FOR_SALE` come to a month, as sellers have it."""
    zone, commission = ZoneInfo(FOR_SALE.timezone), {one.slug: one.commission for one in plan.PARTNERS}
    this_month, people, money = today.astimezone(zone).strftime("%Y-%m"), Counter[str](), Counter[str]()
    for visit in visits:
        month = datetime.fromisoformat(visit.events[0]["occurred_at"]).astimezone(zone).strftime("%Y-%m")
        if month < this_month and "Googlebot" not in visit.events[0]["user_agent"]:
            people[month] += 1
            if visit.sale is not None and visit.sale["status"] in ("pending", "approved"):
                money[month] += round(visit.sale["amount"] * commission[_partner(visit)] / 100)
    whole = sorted(people)[1:] or sorted(people)  # the first of them was hardly measured from its first day
    traffic = round(1.08 * sum(people[month] for month in whole) / max(1, len(whole)))
    revenue = round(1.12 * sum(money[month] for month in whole) / max(1, len(whole)) / 100)
    profit = round(0.85 * revenue)
    return replace(
        listing,
        monthly_traffic=traffic,
        monthly_revenue=revenue,
        monthly_profit=profit,
        asking_price=max(500, 30 * profit),
    )


def _partner(visit: plan.DemoVisit) -> str:
    link = next(event["link"] for event in reversed(visit.events) if event["type"] == "click")
    return next(slug for slug in FOR_SALE.partners if plan.link_slug(FOR_SALE, slug) == link)


def _fields(listing: DemoListing, website_id: str | None) -> dict[str, Any]:
    values = asdict(listing)
    names = ("title", "niche", "description")
    figures = ("asking_price", "monthly_revenue", "monthly_profit", "monthly_traffic", "years_established")
    return {
        **{name: values[name] for name in names},
        **{_camel(name): values[name] for name in figures},
        "websiteUrl": f"https://{listing.domain}/",
        "websiteId": website_id,
    }


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.title() for other in others)
