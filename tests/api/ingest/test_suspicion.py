"""Fake clicks through the real edge: kept, marked with a reason, and left out of the figures; honest crowds count."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from socket import inet_aton
from typing import Any

import httpx
import msgspec
import pytest

from ingest.bots.datacentres import read_datacentres
from schemas.topics import CLICKS
from schemas.tracking import Suspicion, TrackedEvent
from tests.support.ingest_service import IngestService, Site, running_ingest
from tests.support.query import QueryService
from tests.support.user_agents import BROWSER, IPHONE

Click = tuple[str, str]
"""Address and user agent."""

CHROMES = [BROWSER.replace("131", str(major)) for major in range(100, 140)]


@pytest.fixture(scope="module")
def proxied() -> Iterator[IngestService]:
    """Ingest behind a proxy that it trusts: here, the test."""
    with running_ingest(TRUSTED_PROXIES="127.0.0.1") as ingest_service:
        yield ingest_service


@pytest.fixture(scope="module")
def shop(proxied: IngestService) -> Site:
    return proxied.add_site("own.example")


def follow(ingest_service: IngestService, site: Site, clicks: Sequence[Click], **headers: str) -> list[dict[str, Any]]:
    """What the log holds of these clicks on one new link, sent over sixteen connections."""
    partner = ingest_service.add_partner(f"partner-{len(clicks)}-{abs(hash(clicks[0]))}")
    slug = ingest_service.add_link(site, partner, "https://shop.example/")

    async def send_all() -> None:
        limits = httpx.Limits(max_connections=16)
        waiting = iter(clicks)
        async with httpx.AsyncClient(base_url=ingest_service.url, timeout=60, limits=limits) as client:

            async def send() -> None:
                for address, agent in waiting:
                    forwarded = {"x-forwarded-for": address, "user-agent": agent, "accept-language": "de", **headers}
                    answer = await client.get(f"/go/{slug}", headers=forwarded)
                    assert answer.status_code == 302 and "shop.example" in answer.headers["location"]

            await asyncio.gather(*(send() for _ in range(16)))

    with ingest_service.tail(CLICKS) as tail:
        asyncio.run(send_all())
        found = tail.take(len(clicks))
    for row in found:
        msgspec.convert(row, TrackedEvent)
    return found


def reasons(rows: Sequence[dict[str, Any]]) -> Counter[str]:
    return Counter(row.get("bot_reason", "") for row in rows)


def test_two_thousand_clicks_of_one_address_are_not_two_thousand_people(
    proxied: IngestService, shop: Site, query_service: QueryService
) -> None:
    rows = follow(proxied, shop, [("198.51.100.7", CHROMES[number % 40]) for number in range(2000)])
    assert len(rows) == 2000 and all(row.get("is_bot", False) == bool(row.get("bot_reason")) for row in rows)

    ada = query_service.person()
    website = query_service.website(ada)
    places = ({"_topic": "clicks", "_partition": 0, "_offset": number} for number in range(2000))
    query_service.events(
        [{**row, "website_id": str(website), **place} for row, place in zip(rows, places, strict=True)]
    )

    def asked(call: str, **parameters: str) -> Any:
        more = "".join(f"&{name}={value}" for name, value in parameters.items())
        answer = query_service.get(f"/api/platform/analytics/{call}?websiteId={website}&timeRange=24h{more}", ada)
        assert answer.status_code == 200, answer.text
        return answer.json()

    counted = asked("overview")
    assert 1 <= counted["clicks"]["total"] <= 20 and counted["visitors"] <= 10
    total = counted["clicks"]["total"]
    assert asked("overview", bots="include")["clicks"]["total"] == 2000
    assert asked("overview", bots="only")["clicks"]["total"] == 2000 - total
    apart = asked("excluded-traffic")
    assert asked("kept-apart") == apart, "its former name"
    assert {one["kind"] for one in apart} == {"suspicious"} and sum(one["clicks"] for one in apart) == 2000 - total
    assert apart[0]["reason"] == Suspicion.CHANGING_AGENTS and apart[0]["visitors"] >= 30
    chosen = asked("overview", bots="only", reason=Suspicion.CHANGING_AGENTS)
    assert chosen["clicks"]["total"] == apart[0]["clicks"]
    outcomes = asked("delivery")["outcomes"]
    assert (outcomes["accepted"], outcomes["suspicious"]) == (total, 2000 - total)
    listed = asked("events", bots="only", of="clicks", limit="1")
    assert listed[0]["isBot"] and listed[0]["reason"] in set(Suspicion)
    for name in ("excluded-traffic", "kept-apart"):
        file = query_service.get(f"/api/platform/analytics/{name}.csv?websiteId={website}&timeRange=24h", ada)
        assert file.text.splitlines()[1].startswith("changing_agents,suspicious,")


def test_five_hundred_readers_of_a_newsletter_are_all_counted(proxied: IngestService, shop: Site) -> None:
    hosting = read_datacentres()
    homes = (f"{20 + number % 70}.{number % 251}.{number % 241}.9" for number in range(1000))
    readers = [home for home in homes if not hosting.holds(inet_aton(home))][:500]
    agents = [*CHROMES, IPHONE]
    crowd = [(home, agents[number % len(agents)]) for number, home in enumerate(readers)]
    assert reasons(follow(proxied, shop, crowd)) == {"": 500}


def test_fifty_people_of_one_office_are_all_counted(proxied: IngestService, shop: Site) -> None:
    agents = [*CHROMES[36:39], IPHONE, IPHONE.replace("17_5", "17_4"), BROWSER.replace("Linux", "Ubuntu; Linux")]
    office = [("203.0.113.44", agents[number % len(agents)]) for number in range(50)]
    assert reasons(follow(proxied, shop, office)) == {"": 50}


def test_a_hosting_company_and_headers_of_no_browser(proxied: IngestService, shop: Site) -> None:
    assert reasons(follow(proxied, shop, [("5.9.0.1", BROWSER)])) == {Suspicion.DATACENTRE_ADDRESS: 1}
    hints = {"sec-ch-ua": '"Chromium";v="120"', "sec-ch-ua-platform": '"Windows"'}
    assert reasons(follow(proxied, shop, [("24.0.0.1", BROWSER)], **hints)) == {Suspicion.INCOHERENT_HEADERS: 1}


def test_page_views_with_the_public_key_are_judged_and_those_of_a_server_are_not(proxied: IngestService) -> None:
    quiet = proxied.add_site("quiet.example")

    def sent(key: str, count: int, **headers: str) -> list[dict[str, Any]]:
        events = [{"type": "pageview", "visitor_id": f"made-up-{key}-{number}"} for number in range(count)]
        headers = {"authorization": f"Bearer {key}", "user-agent": BROWSER, **headers}
        with proxied.tail(CLICKS) as tail:
            answer = httpx.post(f"{proxied.url}/track", json=events, headers=headers, timeout=60)
            assert (answer.status_code, answer.json()["accepted"]) == (202, count)
            return tail.take(count)

    found = reasons(sent(quiet.site_key, 1000, **{"x-forwarded-for": "198.51.100.99"}))
    assert found == {"": 120, Suspicion.MANY_VISITORS: 880}
    assert reasons(sent(quiet.secret_key, 1000, **{"x-forwarded-for": "198.51.100.98"})) == {"": 1000}
