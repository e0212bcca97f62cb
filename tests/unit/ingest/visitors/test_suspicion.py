"""Which clicks and visitors are marked as suspicious, and which are not, with a clock that the test sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from ingest.bots.client_hints import headers_contradict_agent
from ingest.bots.datacentres import FILE, Datacentres, packed_address, read_datacentres
from ingest.bots.user_agents import parse_agent
from ingest.bounded_map import BoundedMap
from ingest.directory.directory import WebsiteRow
from ingest.visitors.request_context import Headers, RequestClient, new_request
from ingest.visitors.suspicion import AddressLimits, SuspicionDetector
from schemas.tracking import Suspicion, TrackedEvent
from tests.support.user_agents import BROWSER, IPHONE

NOW = 1_800_000_000_000
WEBSITE = WebsiteRow(uuid4(), "own.example", "USD")
LINK = str(uuid4())
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) {} Safari/537.36"
CHROMES = [WINDOWS.format(f"Chrome/{major}.0.0.0") for major in range(100, 140)]


LIMITS = AddressLimits()


class Detection:
    """The marker, and what is sent to it. Every visitor is an address with a user agent, unless one is named."""

    def __init__(self, limits: AddressLimits | None = LIMITS, datacentres: Datacentres | None = None) -> None:
        self.suspicions = SuspicionDetector(limits, datacentres or Datacentres(), b"k")
        self.marked: Counter[str] = Counter()
        self.people: set[int] = set()

    def send(
        self,
        at: float,
        address: str = "198.51.100.7",
        agent: str = BROWSER,
        kind: str = "click",
        link: str = LINK,
        *,
        headers: Headers | None = None,
        visitor: str = "",
        country: str = "DE",
        origin: str = "redirect",
        backfill: bool = False,
    ) -> str:
        """The reason that it is marked with."""
        now = NOW + round(at * 1000)
        client = RequestClient(address, agent, parse_agent(agent), country, "", "")
        request = new_request(WEBSITE, "site", origin, client, now, backfill=backfill)
        row = TrackedEvent(str(uuid4()), WEBSITE.id_text, kind, request.received, request.received, country=country)
        row.visitor = hash(visitor or (address, agent)) % 2**64
        if kind == "click":
            row.link_id = link
        self.suspicions.judge(request, headers or {}, row, is_named=bool(visitor))
        assert row.is_bot == bool(row.bot_reason)
        self.marked[row.bot_reason] += 1
        if not row.is_bot:
            self.people.add(row.visitor)
        return row.bot_reason


def addresses(count: int) -> Iterator[str]:
    """Addresses all over the Internet."""
    return (f"{20 + number % 70}.{number % 251}.{number % 241}.{number % 239}" for number in range(count))


def test_two_thousand_clicks_of_one_address_with_changing_browsers_are_a_handful() -> None:
    context = Detection()
    for number in range(2000):
        context.send(15 * number / 2000, agent=CHROMES[number % len(CHROMES)])
    assert context.marked[""] <= 10 and len(context.people) <= 10
    assert context.marked[Suspicion.CHANGING_AGENTS] >= 1990


def test_clicks_beyond_the_rate_are_marked_and_the_first_stay() -> None:
    context = Detection()
    reasons = [context.send(15 * number / 2000) for number in range(2000)]
    assert (
        reasons[:10] == [""] * 10 and context.send(400) == context.send(399) == ""
    )  # later it is anybody's address again, whatever the clock does
    assert context.marked[""] <= 80 and context.marked[Suspicion.RATE] >= 1920


def test_a_newsletter_is_no_attack() -> None:
    context = Detection()
    for number, address in enumerate(addresses(500)):
        context.send(10 * number / 500, address, CHROMES[number % len(CHROMES)])
    assert context.marked == {"": 500}


def test_fifty_people_behind_one_address_are_fifty_people() -> None:
    agents = [
        *(WINDOWS.format(f"Chrome/{major}.0.0.0") for major in (138, 139, 139, 139)),
        *(WINDOWS.format(f"Chrome/139.0.0.0 Edg/{major}.0.0.0") for major in (138, 139)),
        IPHONE,
        BROWSER,
    ]
    context = Detection()
    for person in range(50):
        for page in range(4):
            kind = "click" if page == 3 else "pageview"
            at = 240 * person / 50 + page * 3
            context.send(at, agent=agents[person % len(agents)], kind=kind, visitor=f"person-{person}", origin="script")
    assert context.marked == {"": 200} and len(context.people) == 50


def test_an_address_of_a_busy_phone_network_may_do_more() -> None:
    context = Detection()
    for number, address in enumerate(addresses(6000)):
        at = 60 * number / 6000
        context.send(at, address, CHROMES[number % len(CHROMES)])
        if number % 20 == 0:
            context.send(at, "203.0.113.9", CHROMES[number // 20 % len(CHROMES)])
    assert context.marked[""] >= 6290


def test_an_ipv6_subscriber_is_one_source_whatever_the_address() -> None:
    context = Detection()
    for number in range(400):
        context.send(10 * number / 400, f"2001:db8:1:2::{number:x}")
    assert context.marked[""] <= 80
    assert context.send(10, "2001:db8:9:2::1") == ""


def test_addresses_that_begin_alike_are_a_burst_of_their_network() -> None:
    context = Detection()
    for number in range(1000):
        context.send(30 * number / 1000, f"203.0.113.{number % 250}")
    assert context.marked[Suspicion.BURST] >= 700 and context.marked[""] >= 180


def test_many_links_and_many_visitors_of_one_address() -> None:
    context = Detection()
    for number in range(300):
        context.send(number / 20, link=str(UUID(int=number + 1)))
    assert context.marked[""] <= 80 and context.marked[Suspicion.MANY_LINKS] >= 220
    context = Detection()
    for number in range(2000):
        context.send(number / 100, kind="pageview", visitor=f"made-up-{number}", origin="script")
    assert len(context.people) <= 170 and context.marked[Suspicion.MANY_VISITORS] >= 1800


def test_one_batch_of_page_views_is_bounded_too() -> None:
    context = Detection()
    for _ in range(5000):
        context.send(0, kind="pageview", origin="script")
    assert context.marked == {"": 1200, Suspicion.RATE: 3800}


def test_a_named_visitor_is_not_in_three_countries_at_once() -> None:
    context = Detection()
    reasons = [
        context.send(at, address, visitor="ada", country=country, kind="pageview")
        for at, address, country in (
            (0, "20.1.1.1", "DE"), (60, "30.1.1.1", "US"), (90, "20.1.1.1", "DE"), (95, "40.1.1.1", "ZZ"),
            (100, "50.1.1.1", "BR"), (130, "30.1.1.1", "US"), (900, "50.1.1.1", "BR"),
        )
    ]  # fmt: skip
    assert reasons == ["", "", "", "", Suspicion.IMPOSSIBLE_SEQUENCE, "", ""]


def test_the_past_and_proxies_that_were_not_named_are_left_alone() -> None:
    context = Detection()
    for number in range(300):
        context.send(0, agent=CHROMES[number % 40], backfill=True)
        context.send(0, "10.0.0.3", CHROMES[number % 40], headers={b"x-forwarded-for": b"203.0.113.1"})
    assert context.marked == {"": 600}
    off = Detection(None)
    for number in range(300):
        off.send(0, agent=CHROMES[number % 40])
    assert off.marked == {"": 300}
    direct = Detection()
    for number in range(300):
        direct.send(0, "203.0.113.1", CHROMES[number % 40], headers={b"x-forwarded-for": b"198.51.100.1"})
    assert direct.marked[""] < 20  # anybody can send that header


def test_hosting_companies_are_known_by_their_addresses() -> None:
    known = read_datacentres()
    for address in ("3.5.140.2", "5.9.0.1", "159.89.0.1", "51.38.0.9", "34.64.4.1", "2a01:4f8::1", "2600:1f00::1"):
        packed = packed_address(address)
        assert packed is not None and known.holds(packed), address
    # a resolver, two content networks that carry private relays, home networks, a phone network
    for address in ("8.8.8.8", "1.1.1.1", "104.16.0.1", "91.0.0.1", "24.0.0.1", "172.58.0.1", "2003::1", "0.0.0.1"):
        packed = packed_address(address)
        assert packed is not None and not known.holds(packed), address
    context = Detection(datacentres=known)
    assert context.send(0, "5.9.0.1") == Suspicion.DATACENTRE_ADDRESS
    assert context.send(0, "5.9.0.1", kind="pageview", origin="pixel") == ""  # a mail program's server
    assert FILE.read_text().startswith("# Address ranges of hosting companies as of 20")
    assert packed_address("x") is None and packed_address("") is None


FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0"
CHROME_131 = b'"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"'


@pytest.mark.parametrize(
    ("agent", "headers", "is_https", "contradicts"),
    [
        (BROWSER, {b"sec-ch-ua": CHROME_131, b"sec-ch-ua-platform": b'"Linux"'}, True, False),
        (BROWSER, {b"sec-ch-ua": CHROME_131, b"sec-ch-ua-platform": b'"Windows"'}, True, True),
        (BROWSER, {b"sec-ch-ua": CHROME_131, b"sec-ch-ua-platform": b'"Fuchsia"'}, True, False),
        (BROWSER.replace("131", "120"), {b"sec-ch-ua": CHROME_131}, True, True),
        (IPHONE, {b"sec-ch-ua": CHROME_131}, True, True),
        (BROWSER, {}, True, True),
        (BROWSER, {}, False, False),
        (BROWSER, {b"accept-language": b"de"}, True, False),
        (BROWSER, {b"sec-fetch-mode": b"navigate"}, True, False),
        (BROWSER.replace("131", "80"), {}, True, False),
        (IPHONE, {}, True, False),
        (FIREFOX, {}, True, True),
        (FIREFOX, {}, False, False),
        (FIREFOX, {b"accept-language": b"de"}, True, False),
    ],
)
def test_headers_that_contradict_the_user_agent(
    agent: str, headers: dict[bytes, bytes], is_https: bool, contradicts: bool
) -> None:
    assert headers_contradict_agent(agent, headers, is_https) == contradicts


def test_what_is_remembered_is_bounded() -> None:
    recent: BoundedMap[int, int] = BoundedMap(100)
    for number in range(10_000):
        recent.put(number, number)
        assert len(recent) <= 100
    assert recent.get(9_999) == 9_999 and recent.get(0) is None
    for number in range(10_000, 10_200):  # what is used is not forgotten
        recent.put(number, number)
        assert recent.get(9_999) == 9_999
    context = Detection()
    context.suspicions = SuspicionDetector(LIMITS, Datacentres(), most=100)
    for number, address in enumerate(addresses(1000)):
        context.send(number, address, link=str(UUID(int=number)))
    kept = (context.suspicions._sources, context.suspicions._visitors, context.suspicions._on_links)
    assert [len(one) for one in kept] == [100, 100, 200]


def test_a_machine_is_not_marked_twice() -> None:
    context = Detection()
    client = RequestClient("5.9.0.1", "", parse_agent(""), "DE", "", "")
    request = new_request(WEBSITE, "site", "redirect", client, NOW)
    row = TrackedEvent("x", WEBSITE.id_text, "click", "", "", is_bot=True, bot_reason="crawler")
    context.suspicions.judge_redirect(request, {b"sec-ch-ua": CHROME_131}, True, row)
    assert row.bot_reason == "crawler"
