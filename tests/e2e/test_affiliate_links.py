"""`/t.js` on affiliate links that stand in the pages already: recognised, counted with their place, given the click id
while they are followed, and counted when they are seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext, Page

from schemas import topics
from schemas.click_id import LENGTH, event_id
from schemas.click_id_links import with_click_id
from schemas.networks import NETWORKS, NetworkKind
from tests.e2e.conftest import Publisher
from tests.support.ingest_service import IngestService, Site, Tail, running_ingest

LINKS: Final = {
    "admitad": "https://ad.admitad.com/g/abc123/?ulp=https%3A%2F%2Fshop.example%2Fshoes",
    "adtraction": "https://track.adtraction.com/t/t?a=1&as=2&t=2&tk=1&url=https://shop.example/?p=2",
    "affise": "https://brand.g2afse.com/click?pid=1&offer_id=2",
    "amazon": "https://www.amazon.co.uk/dp/B000000001?tag=trail-21",
    "awin": "https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&clickref=&ued=https%3A%2F%2Fshop.example%2F",
    "booking": "https://www.booking.com/hotel/is/borg.html?aid=1#rooms",
    "cj": "https://www.anrdoezrs.net/click-1-2?url=https%3A%2F%2Fshop.example%2F",
    "clickbank": "https://hop.clickbank.net/?affiliate=me&vendor=them",
    "daisycon": "https://lt45.net/c/?si=1&li=2&wi=3&ws=&dl=shoes",
    "digistore24": "https://www.digistore24.com/redir/1/me/",
    "ebay": "https://www.ebay.de/itm/1?mkcid=1&campid=5",
    "firstpromoter": "https://software.example/?fpr=me",
    "flexoffers": "https://track.flexlinkspro.com/g.ashx?foid=1&trid=2",
    "impact": "https://brand.pxf.io/c/1/2/3?u=https%3A%2F%2Fshop.example%2F",
    "kwanko": "https://action.metaffiliation.com/trk.php?mclic=P1",
    "maxbounty": "https://www.mb103.com/lnk.asp?o=1&c=2&a=3",
    "pap": "https://software.example/pricing?a_aid=me#plans",
    "partnerize": "https://prf.hn/click/camref:1/destination:https://shop.example/?a=1",
    "partnerstack": "https://brand.grsm.io/me",
    "rakuten": "https://click.linksynergy.com/deeplink?id=a*b&mid=1&murl=https%3A%2F%2Fshop.example%2F",
    "refersion": "https://shop.example/?rfsn=1.abc",
    "scaleo": "https://brand.scaletrk.com/click?o=1&a=2",
    "shareasale": "https://shareasale.com/r.cfm?b=1&u=2&m=3&urllink=shop.example&afftrack=",
    "skimlinks": "https://go.skimresources.com/?id=1X2&url=https%3A%2F%2Fshop.example",
    "sovrn": "https://redirect.viglink.com/?key=1&u=https%3A%2F%2Fshop.example",
    "tapfiliate": "https://shop.example/?tap_a=1-2&tap_s=3-4",
    "tradedoubler": "https://clk.tradedoubler.com/click?p=1&a=2&url=https://shop.example/",
    "tradetracker": "https://tc.tradetracker.net/?c=1&m=2&a=3&r=&u=%2Fshoes",
    "travelpayouts": "https://tp.media/r?marker=1&p=2",
    "tune": "https://brand.go2cloud.org/aff_c?offer_id=1&aff_id=2",
    "webgains": "https://track.webgains.com/click.html?wgcampaignid=1&wgprogramid=2",
}
"""A link of each network that is recognised by its address."""
BY_ADDRESS: Final = [one.slug for one in NETWORKS.values() if one.hosts or one.marks]
NAMED: Final = {
    one.slug: f'<a data-network="{one.slug}" href="https://{one.slug}.tracks.example/c?o=1">{one.name}</a>'
    for one in NETWORKS.values()
    if one.slug not in LINKS and one.kind is not NetworkKind.GENERIC
}
AWIN: Final = '<a id="awin" href="https://www.awin1.com/cread.php?awinmid=1&amp;awinaffid=2">Awin</a>'
EMPTY: Final = "localStorage.althing_q == '[]'"
FOLLOWED: Final = """async () => {
  const found = [];
  addEventListener("click", event => { found.push(event.target.href); event.preventDefault(); });
  for (const link of document.querySelectorAll("a")) {
    const before = link.getAttribute("href");
    link.click();
    do await new Promise(done => setTimeout(done)); while (localStorage.althing_q != "[]");
    if (link.getAttribute("href") != before) throw new Error("changed: " + before);
  }
  return found;
}"""
"""Follows every link of the page, one after the other, and gives the addresses that a browser would have gone to."""


@pytest.fixture(scope="module")
def tracking() -> Iterator[IngestService]:
    with running_ingest() as ingest_service:
        yield ingest_service


@pytest.fixture
def site(tracking: IngestService) -> Site:
    return tracking.add_site("127.0.0.1", link_click_ids=True)


@pytest.fixture
def errors(context: BrowserContext) -> Iterator[list[str]]:
    """Uncaught errors of the pages: there are none, whatever happens to the script."""
    found: list[str] = []
    context.on("weberror", lambda error: found.append(str(error.error)))
    yield found
    assert found == []


def script(tracking: IngestService, site: Site) -> str:
    return f'<script async src="{tracking.url}/t.js" data-site="{site.site_key}"></script>'


def ready(page: Page, publisher: Publisher, path: str = "/shoes") -> None:
    """Opens the page, and waits for the answer to its page view."""
    with page.expect_response("**/track") as answer:
        page.goto(publisher.url + path)
    answer.value.finished()
    page.wait_for_function(EMPTY)


def in_order(log: Tail, count: int) -> list[dict[str, Any]]:
    """The next events, in the order in which the page sent them; the log has several partitions."""
    return sorted(log.take(count), key=lambda event: event["occurred_at"])


def test_the_links_of_the_test_are_those_of_the_table() -> None:
    assert sorted(LINKS) == sorted(BY_ADDRESS)


@pytest.mark.usefixtures("errors")
def test_each_networks_links_get_the_click_id_while_they_are_followed(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    links = {slug: f'<a href="{href.replace("&", "&amp;")}">{slug}</a>' for slug, href in LINKS.items()} | NAMED
    publisher.html = f"<!doctype html><h2>Best</h2>{script(tracking, site)}{''.join(links.values())}"
    page = context.new_page()
    with tracking.tail(topics.CLICKS) as log:
        ready(page, publisher)
        followed = page.evaluate(FOLLOWED)
        events = {event.get("placement", ""): event for event in log.take(1 + len(links))}
    for number, (slug, went) in enumerate(zip(links, followed, strict=True), start=1):
        event, parameter = events[f"Best · {number}"], NETWORKS[slug].click_id
        href = LINKS.get(slug, f"https://{slug}.tracks.example/c?o=1")
        assert json.loads(event["props"])["network"] == slug and event["path"] == "/shoes"
        if not parameter:
            assert went == href and "click_id" not in event
            continue
        assert event["event_id"] == str(event_id(event["click_id"])), slug
        empty = f"&{parameter}="
        tagged = with_click_id(href, parameter).replace("{click_id}", event["click_id"])
        assert went == tagged and went.count(event["click_id"]) == 1 and empty + "&" not in went, slug
    assert len({event["click_id"] for event in events.values() if "click_id" in event}) == sum(
        1 for slug in links if NETWORKS[slug].click_id
    )


SHOP: Final = "https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&clickref="
MIDDLE: Final = """() => {
  const link = document.getElementById("awin");
  let went;
  addEventListener("auxclick", () => { went = link.href; }, { once: true });
  link.dispatchEvent(new MouseEvent("auxclick", { button: 1, bubbles: true, composed: true }));
  link.target = "_blank";
  return went;
}"""


@pytest.mark.usefixtures("errors")
def test_a_click_counts_once_and_arrives_with_its_id_however_it_is_made(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    publisher.html = f"<!doctype html><h2>Best</h2>{script(tracking, site)}{AWIN}"
    context.route("https://www.awin1.com/**", lambda route: route.fulfill(body="<title>Shop</title>"))
    page = context.new_page()
    ready(page, publisher)
    with tracking.tail(topics.CLICKS) as log:
        middle = page.evaluate(MIDDLE)
        [click] = log.take(1)
        assert middle == SHOP + click["click_id"]
        page.wait_for_function(EMPTY)
        with context.expect_page() as opened:
            page.click("#awin")
        opened.value.wait_for_url("https://www.awin1.com/**")
        [click] = log.take(1)
        assert opened.value.url == SHOP + click["click_id"]
        assert page.get_attribute("#awin", "href") == "https://www.awin1.com/cread.php?awinmid=1&awinaffid=2"
        page.wait_for_function(EMPTY)
        page.evaluate("document.getElementById('awin').target = ''")
        page.focus("#awin")
        page.keyboard.press("Enter")
        page.wait_for_url("https://www.awin1.com/**")
        [click] = log.take(1)
        assert page.url == SHOP + click["click_id"]
        assert (click["type"], click["placement"]) == ("click", "Best · 1") and len(click["click_id"]) == LENGTH
        assert log.now() == []


@pytest.mark.usefixtures("errors")
def test_without_the_setting_a_click_is_counted_and_the_link_stays(
    tracking: IngestService, publisher: Publisher, context: BrowserContext
) -> None:
    site, page = tracking.add_site("127.0.0.1"), context.new_page()
    publisher.html = f"<!doctype html><h2>Best</h2>{script(tracking, site)}{AWIN}"
    with tracking.tail(topics.CLICKS) as log:
        ready(page, publisher)
        assert page.evaluate(FOLLOWED) == ["https://www.awin1.com/cread.php?awinmid=1&awinaffid=2"]
        [_, click] = in_order(log, 2)
    assert "click_id" not in click and json.loads(click["props"])["url"] == "www.awin1.com/cread.php"


OTHERS: Final = """<h2>Best
  shoes</h2><a href="https://prf.hn/click/camref:1">1</a><a href="https://prf.hn/click/camref:2">2</a>
<section data-placement="sidebar"><a href="https://prf.hn/click/camref:3">3</a></section>
<a href="https://prf.hn/click/camref:4"><h3>Card</h3></a>
<a href="https://www.awin1.com/cread.php?clickref=mine">the author's own</a>
<a href="{go}" data-network="awin">ours</a><a href="/go/x" data-network="awin">ours</a>
<a href="https://other.example/" data-network="unknown">no network</a>
<a href="https://notawin1.com/">no network</a><a href="mailto:x@prf.hn">no page</a>
<a href="https://tracks.example/?a=1" data-subid="s5" data-partner="acme">named</a>
<svg><a href="https://prf.hn/x"><text>drawn</text></a></svg>"""


@pytest.mark.usefixtures("errors")
def test_where_a_link_stands_and_which_links_are_left_alone(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    tracking.add_partner("acme")
    page, html = context.new_page(), OTHERS.format(go=tracking.url + "/go/some-link")
    publisher.html = f"<!doctype html>{script(tracking, site)}{html}"
    with tracking.tail(topics.CLICKS) as log:
        ready(page, publisher)
        page.evaluate("document.querySelector('svg').remove()")
        followed = page.evaluate(FOLLOWED)
        _, *clicks = in_order(log, 7)
        assert log.now() == []
    assert [click["placement"] for click in clicks] == [
        "Best shoes · 1", "Best shoes · 2", "sidebar", "Card · 4", "Card · 1", "Card · 2",
    ]  # fmt: skip
    assert followed[4:10] == [
        "https://www.awin1.com/cread.php?clickref=mine", tracking.url + "/go/some-link", publisher.url + "/go/x",
        "https://other.example/", "https://notawin1.com/", "mailto:x@prf.hn",
    ]  # fmt: skip
    assert "click_id" not in clicks[4]
    assert followed[10] == f"https://tracks.example/?a=1&s5={clicks[5]['click_id']}" and clicks[5]["partner_id"]


@pytest.mark.usefixtures("errors")
def test_twice_in_the_page_it_works_once(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    page, again = context.new_page(), script(tracking, site)
    publisher.html = f"<!doctype html>{again}{again}{AWIN}"
    with tracking.tail(topics.CLICKS) as log:
        ready(page, publisher)
        [went] = page.evaluate(FOLLOWED)
        events = in_order(log, 2)
        assert [event["type"] for event in events] == ["pageview", "click"] and log.now() == []
    assert went.count("clickref=") == 1 and went.endswith(events[1]["click_id"])


POLICY: Final = """<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">"""


@pytest.mark.parametrize("what", ["script blocked", "events blocked", "policy", "answer broken", "answer slow"])
@pytest.mark.usefixtures("errors")
def test_links_work_when_something_is_in_the_way(
    what: str, tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    page = context.new_page()
    cross = {"access-control-allow-origin": "*"}
    if what == "script blocked":
        context.route("**/t.js", lambda route: route.abort())
    elif what == "events blocked":
        context.route("**/track", lambda route: route.abort())
    elif what == "answer broken":
        context.route("**/track", lambda route: route.fulfill(status=202, headers=cross, body='{"links": 7'))
    elif what == "answer slow":
        context.route("**/track", lambda _: None)
    policy = POLICY if what == "policy" else ""
    publisher.html = f"<!doctype html>{policy}{script(tracking, site)}{AWIN}"
    context.route("https://www.awin1.com/**", lambda route: route.fulfill(body="<title>Shop</title>"))
    page.goto(publisher.url)
    if what != "script blocked":
        page.wait_for_function("typeof althing == 'function'")
    page.click("#awin")
    page.wait_for_url("https://www.awin1.com/cread.php?awinmid=1&awinaffid=2")


@pytest.mark.usefixtures("errors")
def test_a_script_that_comes_late_finds_the_page_as_it_is(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    page, held = context.new_page(), list[Any]()
    context.route("**/t.js", lambda route: held.append(route))
    publisher.html = f"<!doctype html>{script(tracking, site)}{AWIN}"
    page.goto(publisher.url, wait_until="commit")
    page.wait_for_selector("#awin")
    page.evaluate("addEventListener('click', event => event.preventDefault())")
    page.click("#awin")
    with tracking.tail(topics.CLICKS) as log:
        with page.expect_response("**/track"):
            held.pop().continue_()
        page.wait_for_function(EMPTY)
        page.click("#awin")
        assert [event["type"] for event in in_order(log, 2)] == ["pageview", "click"] and log.now() == []


LATER: Final = """() => {
  history.pushState({}, "", "/boots");
  document.body.insertAdjacentHTML("beforeend", '<h2>New</h2><a href="https://prf.hn/click/camref:9">9</a>');
  document.querySelector("#awin").remove();
}"""


@pytest.mark.usefixtures("errors")
def test_links_that_a_single_page_app_adds_later(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    page = context.new_page()
    publisher.html = f"<!doctype html><body>{script(tracking, site)}{AWIN}"
    with tracking.tail(topics.CLICKS) as log:
        ready(page, publisher)
        page.evaluate(LATER)
        page.wait_for_function(EMPTY)
        [went] = page.evaluate(FOLLOWED)
        *_, click = in_order(log, 3)
    assert (click["path"], click["placement"]) == ("/boots", "New · 1")
    assert went == "https://prf.hn/click/camref:9/pubref:" + click["click_id"]


@pytest.mark.usefixtures("errors")
def test_a_link_is_seen_once_when_half_of_it_is_in_view_for_a_second(
    tracking: IngestService, publisher: Publisher, context: BrowserContext
) -> None:
    site, page = tracking.add_site("127.0.0.1", link_impressions_every=1), context.new_page()
    below = '<div style="height: 5000px"></div><h2 id="end">End</h2><a href="https://prf.hn/click/camref:1">1</a>'
    publisher.html = f"<!doctype html><body><h2>Top</h2>{script(tracking, site)}{AWIN}{below}"
    with tracking.tail(topics.CLICKS) as log:
        page.goto(publisher.url + "/shoes")
        _, first = in_order(log, 2)
        page.evaluate("document.querySelector('#end').scrollIntoView()")
        [second] = log.take(1)
        page.evaluate("scrollTo(0, 0)")
        page.evaluate(LATER)
        page.evaluate("document.querySelector('#end').scrollIntoView()")
        later = {event.get("placement", event["type"]): event for event in log.take(3)}
    assert (first["type"], first["value"], first["placement"]) == ("link.impression", 1, "Top · 1")
    assert json.loads(first["props"]) == {"url": "www.awin1.com/cread.php", "network": "awin"}
    assert (second["placement"], second["path"]) == ("End · 1", "/shoes")
    assert later.keys() == {"pageview", "End · 1", "New · 1"} and later["End · 1"]["path"] == "/boots"
