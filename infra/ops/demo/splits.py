"""The demonstration's splits: one whose winner is certain and whose weights shift to it, and one with too few sales.

Their visits are planned beside those of `infra.ops.demo.plan`, from seeds of their own, so that these stay as they are.
The publisher's own server reports the clicks and names the variant of each, as docs/tracking-api.md says. A second run
adds nothing: links are found by their slugs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from ipaddress import IPv4Network
from typing import Any, Final
from uuid import UUID

import httpx

from infra.ops.demo import plan
from infra.ops.demo.members import Done

USUAL_EVENTS: Final = 300_000
"""Events of a demonstration of which `DemoSplit.clicks` are so many."""
_AGENT: Final = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
)


@dataclass(frozen=True, slots=True)
class DemoVariant:
    """A side of a split, which as many visitors get as the others. `converts`: sales for each click."""

    name: str
    partner: str
    page: str
    converts: float


@dataclass(frozen=True, slots=True)
class DemoSplit:
    """A link of a website with variants. `clicks`: a day; `shifts`: whether its weights follow its results."""

    domain: str
    slug: str
    page: str
    clicks: int
    shifts: bool
    variants: tuple[DemoVariant, ...]


SPLITS: Final = (
    DemoSplit(
        "vpn-review.demo.example",
        "vpn-review-offer",
        "/deals",
        44,
        True,
        (
            DemoVariant("Start page", "demo-northguard", "/", 0.030),
            DemoVariant("Autumn deal", "demo-northguard", "/autumn-deal", 0.075),
        ),
    ),
    DemoSplit(
        "learn-online.demo.example",
        "learn-online-where-to-begin",
        "/best-online-courses",
        4,
        False,
        (
            DemoVariant("Coursebay", "demo-coursebay", "/", 0.035),
            DemoVariant("Draftwell", "demo-draftwell", "/students", 0.025),
        ),
    ),
)


def of_website(domain: str) -> tuple[DemoSplit, ...]:
    """The splits of a website."""
    return tuple(split for split in SPLITS if split.domain == domain)


def visits(website: plan.DemoWebsite, *, today: datetime, events: int, seed: int) -> Iterator[plan.DemoVisit]:
    """Visits to the splits of a website in the days before `today`, as many as fit to `events` events in all."""
    for split in of_website(website.domain):
        for back in range(plan.DAYS - 1, 0, -1):
            day = (today - timedelta(days=back)).date()
            wanted = split.clicks * events / USUAL_EVENTS
            for place in range(int(wanted) + (_seeded(seed, split.slug, day).random() < wanted % 1)):
                # Of its own: whether a sale has come by now must not change the visits after it.
                rng = _seeded(seed, split.slug, day, place)
                start = datetime.combine(day, time(rng.randrange(24), rng.randrange(60), rng.randrange(60)), UTC)
                yield _visit(rng, website, split, start, today)


def _seeded(*parts: object) -> random.Random:
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - a demonstration, not a secret


def _visit(
    rng: random.Random, website: plan.DemoWebsite, split: DemoSplit, start: datetime, today: datetime
) -> plan.DemoVisit:
    number = rng.randrange(len(split.variants))
    variant, visitor = split.variants[number], f"demo-{rng.getrandbits(48):012x}"
    country = rng.choice(sorted(website.countries))
    address = IPv4Network(plan.NETWORKS[country])[rng.randrange(1 << 12, 1 << 14)]
    shared = {"visitor_id": visitor, "session_id": visitor + "-1", "ip": str(address), "user_agent": _AGENT}
    clicked = start + timedelta(seconds=rng.randrange(8, 160))
    view = {"type": "pageview", "url": f"https://{split.domain}{split.page}", "referrer": "https://www.google.com/"}
    click: dict[str, Any] = {"type": "click", "link": split.slug, "partner": variant.partner, "referrer": ""}
    click |= {"props": {"route": f"variant {number + 1}"}}
    partner = replace(plan.partner_of(variant.partner), converts=variant.converts)
    return plan.DemoVisit(
        (_stamped(rng, {**view, **shared}, start), _stamped(rng, {**click, **shared}, clicked)),
        plan.sale_of(rng, website, partner, visitor, clicked, today),
    )


def _stamped(rng: random.Random, event: dict[str, Any], moment: datetime) -> dict[str, Any]:
    return {"id": str(UUID(int=rng.getrandbits(128), version=4)), "occurred_at": moment.isoformat(), **event}


def link_body(split: DemoSplit, website_id: str, partner_ids: dict[str, str]) -> dict[str, Any]:
    """The link with its variants, of equal weights. `partner_ids`: by slug."""
    variants = [
        {
            "destination": f"https://{variant.partner}.example{variant.page}",
            "weight": 1,
            "name": variant.name,
            "partnerId": partner_ids[variant.partner],
        }
        for variant in split.variants
    ]
    first = split.variants[0].partner
    return {"websiteId": website_id, "partnerId": partner_ids[first], "slug": split.slug, "variants": variants}


async def let_weights_follow(app: httpx.AsyncClient, website_id: str, domain: str, done: Done) -> None:
    """Turns the shifting of weights by results on where it is wanted."""
    links = {
        row["slug"]: row
        for row in (await done(app.get("/api/platform/links", params={"websiteId": website_id}))).json()
    }
    for split in of_website(domain):
        if split.shifts and split.slug in links:
            path = f"/api/platform/links/{links[split.slug]['id']}/split/shifting"
            await done(app.put(path, json={"isOn": True}))
