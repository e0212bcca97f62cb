"""The page views that every system gets, and how each API takes them. Pure."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tests.bench.paced_sender import request
from tests.support.user_agents import BROWSER, IPAD, IPHONE

DOMAIN: Final = "shop.example"
VISITS_AT_ONCE: Final = 400
VIEWS_OF_VISIT: Final = 4
_AGENTS: Final = ((BROWSER, "1920x1080"), (IPHONE, "390x844"), (IPAD, "820x1180"))
_REFERRERS: Final = ("", "https://www.google.com/", "https://news.example/today", "https://blog.example/shoes")


@dataclass(frozen=True, slots=True)
class PageView:
    """One page view of a browser."""

    id: str
    path: str
    referrer: str
    address: str
    user_agent: str
    screen: str

    @property
    def url(self) -> str:
        return f"https://{DOMAIN}{self.path}"

    @property
    def title(self) -> str:
        return f"Page {self.path}"


def page_view(number: int, path: str = "") -> PageView:
    """The view with this number; always the same one, but for its id. Visits overlap: the next view of a visitor comes
    so many events later as there are visits at once."""
    visits, place = divmod(number, VISITS_AT_ONCE * VIEWS_OF_VISIT)
    visitor = visits * VISITS_AT_ONCE + place % VISITS_AT_ONCE
    chosen = random.Random(visitor)
    user_agent, screen = chosen.choice(_AGENTS)
    address = f"{chosen.randrange(20, 100)}.{chosen.randrange(256)}.{chosen.randrange(256)}.{chosen.randrange(1, 255)}"
    page = int(400 * random.Random(number).random() ** 3)
    referrer = chosen.choice(_REFERRERS)
    return PageView(str(uuid.uuid4()), path or f"/p/{page}", referrer, address, user_agent, screen)


def althing_request(url: str, site_key: str, view: PageView) -> bytes:
    """As the script in the page sends it, through a proxy."""
    return request(url, {"Authorization": f"Bearer {site_key}", **_of_browser(view)}, orjson.dumps(_althing(view)))


def althing_batch(url: str, secret_key: str, views: Sequence[PageView]) -> bytes:
    """As a server sends what it collected."""
    body = [{**_althing(view), "ip": view.address, "user_agent": view.user_agent} for view in views]
    return request(url, {"Authorization": f"Bearer {secret_key}", "User-Agent": BROWSER}, orjson.dumps(body))


def plain_request(url: str, key: str, view: PageView) -> bytes:
    return request(url, {"Authorization": f"Bearer {key}", **_of_browser(view)}, orjson.dumps(_plain(view)))


def plain_batch(url: str, key: str, views: Sequence[PageView]) -> bytes:
    body = [{**_plain(view), "ip": view.address, "user_agent": view.user_agent} for view in views]
    return request(url, {"Authorization": f"Bearer {key}", "User-Agent": BROWSER}, orjson.dumps(body))


def umami_request(url: str, website: str, view: PageView) -> bytes:
    """As the script in the page sends it, through a proxy that knows the country. Umami has no ids of events."""
    payload = {
        "website": website,
        "hostname": DOMAIN,
        "url": view.path,
        "referrer": view.referrer,
        "title": view.title,
        "screen": view.screen,
        "language": "en-US",
    }
    headers = {**_of_browser(view), "CF-IPCountry": "DE"}
    return request(url, headers, orjson.dumps({"type": "event", "payload": payload}))


def _of_browser(view: PageView) -> dict[str, str]:
    return {"User-Agent": view.user_agent, "X-Forwarded-For": view.address}


def _althing(view: PageView) -> Mapping[str, Any]:
    return {"type": "pageview", "id": view.id, "url": view.url, "referrer": view.referrer, "title": view.title}


_plain = _althing
"""The plain service takes the same fields."""
