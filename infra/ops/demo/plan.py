"""The content of the demonstration: three websites, eight partners, and the traffic of 90 days between them.

Pure and seeded: the same seed and day give the same events with the same ids, so running the demonstration twice on
one data directory adds nothing. Nothing here talks to anything; `infra.ops.demo.run` sends it through the public API.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from ipaddress import IPv4Network
from typing import Any, Final
from uuid import UUID

from schemas.tracking import IMPRESSION
from schemas.zones import ZoneInfo

DAYS: Final = 90

BROKEN: Final = ("hosting-compare.demo.example", "demo-hostfjord", timedelta(days=9))
"""Something to find: for so long this partner has not reported the sales of this website."""
PRAISED: Final = ("learn-online.demo.example", "https://www.youtube.com/", 0.3, timedelta(days=8))
"""Something to find: for so long this part of the website's visits has come from one more place."""


@dataclass(frozen=True, slots=True)
class DemoPartner:
    """An invented program. `price`: typical sale in minor units; `converts`: sales for each click."""

    slug: str
    name: str
    commission: float
    price: int
    converts: float
    cookie_days: int
    network: str


MARK: Final = "demo.example"
"""Ends the addresses of everything that the demonstration makes. Nobody can own it (RFC 2606)."""


@dataclass(frozen=True, slots=True)
class DemoWebsite:
    """An invented publisher. `share`: its part of all traffic; `growth`: change of daily visits over the 90 days."""

    domain: str
    timezone: str
    currency: str
    share: float
    growth: float
    partners: tuple[str, ...]
    pages: tuple[str, ...]
    countries: dict[str, float]


@dataclass(frozen=True, slots=True)
class DemoVisit:
    """One visit: its events in the tracking API's own shape, and the sale that came of it, if one did."""

    events: tuple[dict[str, Any], ...]
    sale: dict[str, Any] | None


PARTNERS: Final = (
    DemoPartner("demo-northguard", "Northguard VPN (demo)", 35.0, 5_900, 0.040, 30, "impact"),
    DemoPartner("demo-hostfjord", "Hostfjord Hosting (demo)", 25.0, 9_900, 0.030, 60, "everflow"),
    DemoPartner("demo-keyshelf", "Keyshelf Passwords (demo)", 30.0, 3_600, 0.045, 30, "awin"),
    DemoPartner("demo-draftwell", "Draftwell Editor (demo)", 20.0, 11_900, 0.025, 45, "partnerstack"),
    DemoPartner("demo-ledgerly", "Ledgerly Accounting (demo)", 15.0, 24_000, 0.015, 90, "tradedoubler"),
    DemoPartner("demo-coursebay", "Coursebay Learning (demo)", 12.5, 7_900, 0.035, 30, "digistore24"),
    DemoPartner("demo-pixelkiln", "Pixelkiln Design (demo)", 22.5, 14_900, 0.020, 30, "flexoffers"),
    DemoPartner("demo-mailbeacon", "Mailbeacon Newsletter (demo)", 30.0, 4_900, 0.030, 60, "default"),
)

PRIVATE_PARTNER: Final = DemoPartner("demo-kelpworks", "Kelpworks Outdoor (demo)", 8.0, 12_900, 0.02, 30, "awin")
"""The marketer's own, with a link and no traffic yet."""

WEBSITES: Final = (
    DemoWebsite(
        "vpn-review.demo.example",
        "America/New_York",
        "USD",
        0.52,
        0.35,
        ("demo-northguard", "demo-keyshelf", "demo-hostfjord", "demo-mailbeacon"),
        ("/", "/best-vpn", "/vpn-for-streaming", "/northguard-review", "/password-managers", "/deals"),
        {"US": 0.46, "GB": 0.13, "CA": 0.09, "DE": 0.08, "AU": 0.06, "IN": 0.06, "NL": 0.05, "FR": 0.04, "IS": 0.03},
    ),
    DemoWebsite(
        "hosting-compare.demo.example",
        "Europe/Berlin",
        "EUR",
        0.31,
        -0.10,
        ("demo-hostfjord", "demo-northguard", "demo-pixelkiln", "demo-draftwell"),
        ("/", "/webhosting-vergleich", "/managed-wordpress", "/hostfjord-test", "/domain-kaufen"),
        {"DE": 0.55, "NL": 0.10, "FR": 0.08, "PL": 0.07, "GB": 0.06, "ES": 0.05, "IT": 0.05, "SE": 0.04},
    ),
    DemoWebsite(
        "learn-online.demo.example",
        "Asia/Kolkata",
        "USD",
        0.17,
        0.60,
        ("demo-coursebay", "demo-draftwell", "demo-ledgerly", "demo-mailbeacon"),
        ("/", "/best-online-courses", "/coursebay-review", "/accounting-for-freelancers", "/writing-tools"),
        {"IN": 0.48, "US": 0.20, "GB": 0.08, "BR": 0.08, "JP": 0.06, "AU": 0.05, "ES": 0.05},
    ),
)

NETWORKS: Final = {
    "US": "2.0.0.0/15", "GB": "2.96.0.0/13", "DE": "2.160.0.0/12", "FR": "2.4.0.0/14", "NL": "13.80.0.0/15",
    "CA": "3.96.0.0/14", "AU": "1.40.0.0/14", "IS": "82.221.0.0/17", "SE": "2.64.0.0/13", "BR": "15.228.0.0/15",
    "IN": "1.6.0.0/15", "JP": "1.66.0.0/15", "ES": "2.136.0.0/13", "IT": "2.32.0.0/12", "PL": "5.184.0.0/15",
}  # fmt: skip
"""Per country one network whose addresses the country database places there."""

_USER_AGENTS: Final = (
    (0.30, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
           "Safari/537.36"),
    (0.22, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
           "Version/18.6 Mobile/15E148 Safari/604.1"),
    (0.20, "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile "
           "Safari/537.36"),
    (0.10, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 "
           "Safari/605.1.15"),
    (0.08, "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"),
    (0.06, "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 "
           "Mobile/15E148 Safari/604.1"),
    (0.04, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
)  # fmt: skip

_REFERRERS: Final = (
    (0.42, "https://www.google.com/"),
    (0.20, ""),
    (0.08, "https://www.bing.com/"),
    (0.08, "https://www.reddit.com/r/privacy/"),
    (0.07, "https://www.youtube.com/"),
    (0.06, "https://duckduckgo.com/"),
    (0.05, "https://news.ycombinator.com/"),
    (0.04, "https://www.facebook.com/"),
)

_HOURS: Final = tuple(
    0.25 + math.exp(-(((hour - 20) / 4.5) ** 2)) + 0.7 * math.exp(-(((hour - 11) / 4.0) ** 2)) for hour in range(24)
)
_WEEKDAYS: Final = (1.06, 1.04, 1.02, 1.0, 0.94, 0.92, 1.02)
_EVENTS_A_VISIT: Final = 2.75

IMPRESSIONS_EVERY: Final = 20
"""One page view of so many reports which links were in view."""
PLACEMENTS: Final = (
    (0.55, "comparison table"),
    (0.30, "review box"),
    (0.15, "sidebar"),
)
"""The places of the links, and their part of the clicks; each is in view less often than the one before."""


def partner_of(slug: str) -> DemoPartner:
    """The partner with the slug."""
    return next(partner for partner in PARTNERS if partner.slug == slug)


def link_slug(website: DemoWebsite, partner_slug: str) -> str:
    """Slug of the demonstration's link from `website` to a partner."""
    return f"{website.domain.partition('.')[0]}-{partner_slug.removeprefix('demo-')}"


def visits(website: DemoWebsite, *, today: datetime, events: int, seed: int) -> Iterator[DemoVisit]:
    """Visits of the 90 days that end at `today`, oldest first, about `share * events` events in all."""
    zone = ZoneInfo(website.timezone)
    last_day = today.astimezone(zone).date()
    weights = [_weight(website, last_day - timedelta(days=back), back) for back in reversed(range(DAYS))]
    each = events * website.share / _EVENTS_A_VISIT / sum(weights)
    for index, weight in enumerate(weights):
        day = last_day - timedelta(days=DAYS - 1 - index)
        rng = random.Random(f"{seed}/{website.domain}/{day}")  # noqa: S311 - a demonstration, not a secret
        moments = sorted(_moment(rng, day, zone) for _ in range(round(each * weight)))
        yield from (_visit(rng, website, moment, today) for moment in moments if moment < today)


def _weight(website: DemoWebsite, day: date, back: int) -> float:
    trend = 1 + website.growth * (1 - back / DAYS)
    wave = 1 + 0.08 * math.sin(day.toordinal() / 9)
    return trend * wave * _WEEKDAYS[day.weekday()]


def _moment(rng: random.Random, day: date, zone: ZoneInfo) -> datetime:
    hour = rng.choices(range(24), _HOURS)[0]
    return datetime.combine(day, time(hour, rng.randrange(60), rng.randrange(60)), zone).astimezone(UTC)


def _visit(rng: random.Random, website: DemoWebsite, start: datetime, today: datetime) -> DemoVisit:
    country = _pick(rng, tuple((share, code) for code, share in website.countries.items()))
    agent, referrer = _pick(rng, _USER_AGENTS), _referrer(rng, website, start, today)
    address = IPv4Network(NETWORKS[country])[rng.randrange(1 << 12, 1 << 14)]
    visitor = f"demo-{rng.getrandbits(48):012x}"
    shared = {"visitor_id": visitor, "session_id": visitor + "-1", "ip": str(address), "user_agent": agent}
    moment, events = start, []
    for page in range(rng.choices((1, 2, 3, 4), (0.42, 0.30, 0.18, 0.10))[0]):
        url = f"https://{website.domain}{rng.choice(website.pages)}"
        if page == 0 and referrer == "" and rng.random() < 0.3:
            url += "?utm_source=newsletter&utm_medium=email&utm_campaign=demo-weekly"
        event = {"type": "pageview", "url": url, "referrer": referrer if page == 0 else "", **shared}
        events.append(_stamped(rng, event, moment))
        events += _impressions(website, events[-1], moment)
        moment += timedelta(seconds=rng.randrange(8, 160))
    sale = None
    for _ in range(rng.choices((0, 1, 2), (0.42, 0.44, 0.14))[0]):
        partner = rng.choices(website.partners, (5, 3, 2, 1))[0]
        link = link_slug(website, partner)
        click = {"type": "click", "link": link, "referrer": "", **shared}
        events.append({**_stamped(rng, click, moment), "placement": _placement(f"{visitor}/{link}")})
        if "Googlebot" not in agent:
            sale = sale_of(rng, website, partner_of(partner), visitor, moment, today) or sale
        moment += timedelta(seconds=rng.randrange(5, 90))
    return DemoVisit(tuple(event for event in events if event["occurred_at"] < today.isoformat()), sale)


def _impressions(website: DemoWebsite, view: dict[str, Any], moment: datetime) -> Iterator[dict[str, Any]]:
    """The links in view of a sampled page view. They have a seed of their own: the visits stay as they are."""
    rng = random.Random(f"impressions/{view['id']}")  # noqa: S311 - a demonstration, not a secret
    if rng.randrange(IMPRESSIONS_EVERY):
        return
    for place, (_, name) in enumerate(PLACEMENTS):
        if rng.random() < 1 - 0.25 * place:
            link = link_slug(website, rng.choices(website.partners, (5, 3, 2, 1))[0])
            seen = {"type": IMPRESSION, "link": link, "placement": name, "value": IMPRESSIONS_EVERY}
            rest = {key: view[key] for key in ("url", "visitor_id", "session_id", "ip", "user_agent")}
            yield _stamped(rng, {**rest, **seen}, moment + timedelta(seconds=1 + place))


def _placement(of: str) -> str:
    return _pick(random.Random(f"placement/{of}"), PLACEMENTS)  # noqa: S311 - a demonstration, not a secret


def _referrer(rng: random.Random, website: DemoWebsite, start: datetime, today: datetime) -> str:
    domain, praise, part, since = PRAISED
    usual = _pick(rng, _REFERRERS)
    return praise if website.domain == domain and today - start < since and rng.random() < part else usual


def _stamped(rng: random.Random, event: dict[str, Any], moment: datetime) -> dict[str, Any]:
    return {"id": str(UUID(int=rng.getrandbits(128), version=4)), "occurred_at": moment.isoformat(), **event}


def sale_of(
    rng: random.Random, website: DemoWebsite, partner: DemoPartner, visitor: str, clicked: datetime, now: datetime
) -> dict[str, Any] | None:
    """The sale that came of a click, if one did until `now`."""
    roll, delay = rng.random(), timedelta(minutes=rng.expovariate(1 / 700))
    amount = round(partner.price * math.exp(rng.gauss(0, 0.25)) / 100) * 100 - 1
    fate = rng.random()
    if roll >= partner.converts or clicked + delay >= now or delay > timedelta(days=partner.cookie_days):
        return None
    if (website.domain, partner.slug) == BROKEN[:2] and now - (clicked + delay) < BROKEN[2]:
        return None
    return {
        "visitor_id": visitor,
        "txid": f"DEMO-{rng.getrandbits(40):010X}",
        "amount": amount,
        "currency": website.currency,
        "occurred_at": (clicked + delay).isoformat(),
        "status": _status(fate, now - (clicked + delay)),
    }


def _status(fate: float, age: timedelta) -> str:
    """Partners decide after one to 23 days, mostly soon; some never do, and some reverse what they approved a week
    before."""
    decided_after = timedelta(days=1 + 22 * (1_000 * fate % 1) ** 2)
    if age < decided_after or fate > 0.97:
        return "pending"
    if fate > 0.86:
        return "rejected"
    return "reversed" if fate > 0.82 and age > decided_after + timedelta(days=7) else "approved"


def _pick(rng: random.Random, weighted: tuple[tuple[float, str], ...]) -> str:
    return rng.choices([value for _, value in weighted], [weight for weight, _ in weighted])[0]
