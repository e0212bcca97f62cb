"""The steps of one event: validate, enrich, pseudonymise, stamp; and who the client is."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from ipaddress import ip_network
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, convert

from infra.kernel.net.geoip import GeoIpDatabase
from ingest.clock import DAY_MS, log_text, parse_moment
from ingest.directory.directory import Directory, LinkEntry, PartnerRow, WebsiteRow
from ingest.endpoints.track import outcome_of
from ingest.errors import EventRejected
from ingest.event import LinkClick, SiteEvent
from ingest.links.routing import Route
from ingest.pipeline import Pipeline
from ingest.rows import SentEvent
from ingest.steps import click
from ingest.steps.enrich import enrich
from ingest.steps.pseudonymise import Hasher, Salts, pseudonymise
from ingest.steps.resolve_network import resolve_network
from ingest.steps.stamp import content_hash, event_id, event_time, require_kept, set_time, stamp
from ingest.steps.validate import validate
from ingest.visitors.request_context import (
    RequestContext,
    client_address,
    client_of,
    new_request,
    new_row,
    with_overrides,
)
from schemas import click_id
from schemas.tracking import HASH_HEADER, NO_ID_TEXT, Outcome, TrackedEvent, from_log_time, log_time
from tests.support.user_agents import BROWSER, IPHONE

NOW = 1_800_000_000_123
KEY = b"k" * 32
PLACES = GeoIpDatabase(None)


async def nothing(_kind: str, _names: Sequence[str]) -> Any:
    raise AssertionError("no look-up was expected")


WEBSITE = WebsiteRow(uuid4(), "own.example", "USD")
OTHER = WebsiteRow(uuid4(), "other.example", "USD")
PARTNER = PartnerRow(uuid4(), "", "acme", "Acme", "", 30, True)
LINK = LinkEntry(
    str(uuid4()), "deal", 77, WEBSITE, PARTNER.id_text, "https://x.example", (("sub1", "from-link"),), False
)
DIRECTORY = Directory(nothing)
OWNED = replace(OTHER, id=uuid4(), account_id=uuid4())
PRIVATE = replace(PARTNER, id_text=str(uuid4()), slug="private", account_id=OWNED.account_id)
DIRECTORY.partners["private"] = DIRECTORY.partners[PRIVATE.id_text] = PRIVATE
DIRECTORY.partners["acme"] = replace(PARTNER, id_text=str(PARTNER.id))
DIRECTORY.links["deal"] = DIRECTORY.links_by_id[LINK.id_text] = DIRECTORY.links_by_code[77] = LINK


def make_request(
    kind: str = "site", address: str = "1.2.3.4", agent: str = BROWSER, website: WebsiteRow = WEBSITE
) -> RequestContext:
    scope = {"client": (address, 1)}
    client = client_of(scope, {b"user-agent": agent.encode()}, (), PLACES)
    return new_request(website, kind, "script", client, NOW)


def refusal(sent: SentEvent, request: RequestContext | None = None) -> str:
    with pytest.raises(EventRejected) as caught:
        process(request or make_request(), sent)
    return caught.value.code


def begun(request: RequestContext, sent: SentEvent) -> SiteEvent:
    return SiteEvent(request, {}, sent, new_row(request))


def take(event: SiteEvent, *steps: Callable[..., None]) -> None:
    """Takes the event through the steps."""
    parts = SimpleNamespace(directory=DIRECTORY, click_key=KEY, places=PLACES)
    for step in Pipeline[SiteEvent]("test", *steps).bound(parts):
        step(event)


def validated(request: RequestContext, sent: SentEvent) -> TrackedEvent:
    event = begun(request, sent)
    validate(event, places=PLACES)
    return event.row


def enriched(request: RequestContext, sent: SentEvent) -> TrackedEvent:
    event = begun(request, sent)
    validate(event, places=PLACES)
    enrich(event, directory=DIRECTORY, click_key=KEY)
    return event.row


def stamped(request: RequestContext, sent: SentEvent) -> SiteEvent:
    event = begun(request, sent)
    validate(event, places=PLACES)
    set_time(event)
    stamp(event)
    return event


def process(request: RequestContext, sent: SentEvent) -> None:
    enriched(request, sent)
    event_time(request, sent.occurred_at)


@pytest.mark.parametrize("kind", ["pageview", "click", "sign_up", "a.b-c_9", "x" * 64])
def test_a_good_type_is_kept(kind: str) -> None:
    assert validated(make_request(), SentEvent(kind)).type == kind


@pytest.mark.parametrize("kind", ["", "Pageview", "a b", "x" * 65, "ü", "a\n", "a/b"])
def test_a_bad_type_is_refused(kind: str) -> None:
    assert refusal(SentEvent(kind)) == "bad_type"


def test_what_a_site_may_not_send() -> None:
    assert refusal(SentEvent("conversion")) == "reserved_type"
    assert refusal(SentEvent("x", ip="1.1.1.1")) == "override_not_allowed"
    assert refusal(SentEvent("x", user_agent="Googlebot")) == "override_not_allowed"
    assert refusal(SentEvent("x", value=10**15 + 1)) == "bad_value"
    assert refusal(SentEvent("x", value=-(2**70))) == "bad_value"
    assert refusal(SentEvent("x", currency="usd")) == "unknown_currency"
    assert refusal(SentEvent("x", url="javascript:x")) == "bad_url"
    assert refusal(SentEvent("x", link="nope")) == "unknown_link"
    assert refusal(SentEvent("x", link="deal"), make_request(website=OTHER)) == "unknown_link"
    assert refusal(SentEvent("x", partner="nope")) == "unknown_partner"
    assert refusal(SentEvent("x", partner="private"), make_request(website=OTHER)) == "unknown_partner"
    assert enriched(make_request(website=OWNED), SentEvent("x", partner="private")).partner_id == PRIVATE.id_text
    assert refusal(SentEvent("x", click_id="A" * 39)) == "forged_click_id"
    assert refusal(SentEvent("x", props=Raw(b'{"a":"%b"}' % (b"b" * 5000)))) == "props_too_large"


def test_link_click_id_and_partner_fill_the_record() -> None:
    text = click_id.mint(
        KEY, at=datetime.now(UTC), link_code=77, website_id=WEBSITE.id, country="IS", device="mobile", nonce=1
    )
    for sent in (SentEvent("x", link="deal"), SentEvent("x", link=LINK.id_text), SentEvent("x", click_id=text)):
        row = enriched(make_request(), sent)
        assert (row.link_id, row.partner_id, row.sub1) == (LINK.id_text, LINK.partner_id, "from-link")
    assert refusal(SentEvent("x", click_id=text), make_request(website=OTHER)) == "foreign_click_id"
    sent = convert({"type": "x", "partner": "ACME", "sub1": "own", "sub10": 5}, SentEvent)
    row = enriched(make_request(), sent)
    assert (row.partner_id, row.sub1, row.sub10) == (str(PARTNER.id), "own", "5")


def test_an_event_with_a_click_id_belongs_to_the_partner_of_the_time_of_the_click() -> None:
    def minted(at: int) -> str:
        moment = datetime.fromtimestamp(at / 1000, UTC)
        return click_id.mint(
            KEY, at=moment, link_code=78, website_id=WEBSITE.id, country="DE", device="desktop", nonce=1
        )

    before, until = str(uuid4()), NOW - 60_000
    moved = replace(LINK, slug="moved", code=78, former_partners=((before, until),))
    DIRECTORY.links["moved"] = DIRECTORY.links_by_code[78] = moved
    led = [enriched(make_request(), SentEvent("x", click_id=minted(at))).partner_id for at in (until - 1, until)]
    assert led == [before, moved.partner_id]
    assert enriched(make_request(), SentEvent("x", link="moved")).partner_id == moved.partner_id


def test_an_event_with_a_click_id_belongs_to_the_partner_of_the_variant_of_the_click() -> None:
    def minted(place: int | None) -> str:
        moment = datetime.fromtimestamp(NOW / 1000, UTC)
        values: dict[str, Any] = {"website_id": WEBSITE.id, "country": "DE", "device": "desktop", "nonce": 1}
        return click_id.mint(KEY, at=moment, link_code=79, partner_place=place, **values)

    first, second = str(uuid4()), str(uuid4())
    split = replace(LINK, slug="split", code=79, variant_partners=(first, second))
    DIRECTORY.links_by_code[79] = split
    led = [enriched(make_request(), SentEvent("x", click_id=minted(place))).partner_id for place in (1, 2, 0, 3, None)]
    assert led == [first, second, split.partner_id, split.partner_id, split.partner_id]
    assert [split.place_of(partner) for partner in (first, second, "", "gone")] == [1, 2, 0, None]
    assert LINK.place_of("") is None, "a link without variants of other partners"


def test_a_click_in_a_page_has_the_id_that_follows_from_its_click_id() -> None:
    def minted(code: int, nonce: int = 1) -> str:
        return click_id.mint(
            KEY, at=datetime.now(UTC), link_code=code, website_id=WEBSITE.id, country="IS", device="mobile", nonce=nonce
        )

    def made(sent: SentEvent, request: RequestContext | None = None) -> SiteEvent:
        event = begun(request or make_request(), sent)
        take(event, validate, enrich, set_time, stamp)
        return event

    text = minted(click_id.IN_PAGE)
    event = made(SentEvent("click", id=str(uuid4()), click_id=text))
    assert (event.row.event_id, event.row.click_id) == (str(click_id.event_id(text)), text)
    assert (event.row.link_id, event.row.partner_id) == (NO_ID_TEXT, NO_ID_TEXT)
    again = made(SentEvent("click", id=str(uuid4()), click_id=text))
    assert again.record_headers == event.record_headers != ()
    other = made(SentEvent("signup", click_id=text)), made(SentEvent("click", click_id=minted(77)))
    assert {one.row.event_id for one in other}.isdisjoint(str(click_id.event_id(one.row.click_id)) for one in other)
    assert refusal(SentEvent("click", click_id=text), make_request(website=OTHER)) == "foreign_click_id"


@pytest.mark.parametrize(
    ("kind", "website", "props", "partner"),
    [
        ("click", WEBSITE, b'{"network": "awin", "url": "www.awin1.com/x"}', "only"),
        ("link.impression", WEBSITE, b'{"network": "awin"}', "only"),
        ("signup", WEBSITE, b'{"network": "awin"}', NO_ID_TEXT),
        ("click", OTHER, b'{"network": "awin"}', NO_ID_TEXT),
        ("click", WEBSITE, b'{"network": "cj"}', NO_ID_TEXT),
        ("click", WEBSITE, b'{"network": "gone"}', NO_ID_TEXT),
        ("click", WEBSITE, b'{"network": ["awin"]}', NO_ID_TEXT),
        ("click", WEBSITE, b"{}", NO_ID_TEXT),
    ],
)
def test_a_network_is_the_partner_if_the_website_has_one_of_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, website: WebsiteRow, props: bytes, partner: str
) -> None:
    monkeypatch.setattr(DIRECTORY, "network_partners", {(WEBSITE.id, "awin"): "only", (WEBSITE.id, "cj"): ""})
    event = begun(make_request(website=website), SentEvent(kind, value=1, props=Raw(props)))
    take(event, validate, enrich, resolve_network)
    assert event.row.partner_id == partner


@pytest.mark.parametrize("value", [None, 0, -1, 1001, 10**15])
def test_an_impression_stands_for_a_bounded_number_of_page_views(value: int | None) -> None:
    event = begun(make_request("secret"), SentEvent("link.impression", value=value))
    validate(event, places=PLACES)
    with pytest.raises(EventRejected) as caught:
        resolve_network(event, directory=DIRECTORY)
    assert caught.value.code == "bad_value"


@pytest.mark.parametrize(
    ("kind", "every", "value", "counted"),
    [
        ("site", 10, 10, 10),
        ("site", 10, 3, 3),
        ("site", 10, 1_000, 10),
        ("site", 0, 1_000, 1),
        ("secret", 10, 1_000, 1_000),
    ],
)
def test_an_impression_by_public_key_stands_for_no_more_than_is_sampled(
    kind: str, every: int, value: int, counted: int
) -> None:
    website = replace(WEBSITE, link_impressions_every=every)
    event = begun(make_request(kind, website=website), SentEvent("link.impression", value=value))
    take(event, validate, enrich, resolve_network)
    assert event.row.value == counted


def test_bots_are_kept_and_flagged() -> None:
    request = make_request(agent="Mozilla/5.0 (compatible; Googlebot/2.1)")
    row = enriched(request, SentEvent("pageview"))
    assert (row.is_bot, row.bot_reason, row.device, outcome_of(row)) == (True, "crawler", "bot", Outcome.BOT)
    row = enriched(make_request(), SentEvent("pageview", referrer="http://semalt.com/"))
    assert outcome_of(row) is Outcome.SPAM_REFERRER


def test_a_page_in_an_app_of_a_network_comes_from_the_network() -> None:
    request = make_request(agent=f"{IPHONE} Instagram 337.0.3.23.54 (iPhone15,3; iOS 17_5; en_US)")
    row = enriched(request, SentEvent("pageview", url="https://own.example/a"))
    assert (row.source, row.channel, row.referrer_host) == ("Instagram", "social", "")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (b"", ("Instagram", "social", "instagram", "spring")),
        (b"sub1=a", ("Instagram", "social", "instagram", "spring")),
        (b"utm_source=letter&utm_medium=email", ("letter", "email", "letter", "")),
    ],
)
def test_a_click_has_the_utm_parameters_of_its_query_else_of_its_link(
    query: bytes, expected: tuple[str, str, str, str]
) -> None:
    utm = (("utm_campaign", "spring"), ("utm_medium", "social"), ("utm_source", "instagram"))
    request = make_request()
    scope: Any = {"query_string": query, "path": "/go/deal"}
    nowhere = Route("https://x.example", "")
    event = LinkClick(request, {b"host": b"t.example"}, "GET", scope, replace(LINK, utm=utm), nowhere, new_row(request))
    click.enrich(event)
    row = event.row
    assert (row.source, row.channel, row.utm_source, row.utm_campaign) == expected


@pytest.mark.parametrize(
    ("referrer", "host", "page"),
    [
        ("https://www.own.example/a?b", b"t.example", ("www.own.example", "/reviews/ü", "page")),
        ("https://spam.example/", b"t.example", ("own.example", "/reviews/ü", "page")),
        ("", b"t.example", ("own.example", "/reviews/ü", "page")),
        ("", b"go.own.example", ("go.own.example", "/reviews/ü", "page")),
        ("https://t.example/sites/x/", b"t.example", ("t.example", "/reviews/ü", "page")),
    ],
)
def test_a_click_that_names_its_page_is_on_a_host_of_the_website(
    referrer: str, host: bytes, page: tuple[str, str, str]
) -> None:
    request, nowhere = make_request(), Route("https://x.example", "")
    scope: Any = {"query_string": b"page=/reviews/%25c3%25bc?x", "path": "/go/deal"}
    headers = {b"host": host, b"referer": referrer.encode()}
    event = LinkClick(request, headers, "GET", scope, LINK, nowhere, new_row(request))
    click.enrich(event)
    assert (event.row.hostname, event.row.path, event.row.flags) == page


def test_overrides_describe_the_visitor() -> None:
    request = with_overrides(make_request("secret"), "2001:db8::1", IPHONE, PLACES)
    assert (request.client.address, request.client.agent.device) == ("2001:db8::1", "mobile")
    with pytest.raises(EventRejected) as caught:
        with_overrides(make_request("secret"), "localhost", None, PLACES)
    assert caught.value.code == "bad_ip"


def test_a_time_is_neither_in_the_future_nor_too_old() -> None:
    site, secret = make_request("site"), make_request("secret")
    assert event_time(site, None) == (NOW, False)
    assert event_time(site, NOW + 60_000) == (NOW + 60_000, False)
    assert event_time(site, NOW + 60_001) == (NOW, True)
    assert event_time(site, 4_102_444_800) == (NOW, True)
    assert event_time(site, NOW - DAY_MS) == (NOW - DAY_MS, False)
    assert event_time(secret, NOW - 30 * DAY_MS) == (NOW - 30 * DAY_MS, False)
    assert refusal(SentEvent("x", occurred_at=NOW - DAY_MS - 1), site) == "too_old"
    assert refusal(SentEvent("x", occurred_at=NOW - 30 * DAY_MS - 1), secret) == "too_old"
    assert refusal(SentEvent("x", occurred_at="1970-01-01T00:00:00Z"), secret) == "too_old"
    row = stamped(site, SentEvent("x", occurred_at=NOW + DAY_MS)).row
    assert (row.occurred_at, row.flags) == (row.received_at, "future_clamped")


def test_events_of_days_whose_events_have_expired_are_rejected() -> None:
    website = replace(make_request("secret").website, kept_from_ms=NOW - DAY_MS)
    require_kept(website, NOW - DAY_MS)
    with pytest.raises(EventRejected, match="are deleted") as caught:
        require_kept(website, NOW - DAY_MS - 1)
    assert (caught.value.outcome, caught.value.code) == (Outcome.TOO_OLD, "expired")


@pytest.mark.parametrize("kind", ["site", "secret"])
@pytest.mark.parametrize("wrong", [-40 * DAY_MS, -DAY_MS, -61_000, 61_000, 3 * DAY_MS])
def test_a_wrong_clock_is_corrected_by_what_it_reads_while_it_sends(kind: str, wrong: int) -> None:
    clock = NOW + wrong
    row = stamped(make_request(kind), SentEvent("x", occurred_at=clock - 5_000, sent_at=clock)).row
    assert (from_log_time(row.occurred_at), row.flags) == (from_log_time(log_text(NOW - 5_000)), "clock_corrected")
    as_text = SentEvent("x", occurred_at=iso(clock - 5_000), sent_at=iso(clock))
    assert stamped(make_request(kind), as_text).row.occurred_at == row.occurred_at
    waited = SentEvent("x", occurred_at=clock - 40 * DAY_MS, sent_at=clock)
    assert refusal(waited, make_request(kind)) == "too_old"


@pytest.mark.parametrize("sent_at", [NOW - 59_000, NOW + 59_000, "", "yesterday", -1, 10**15])
def test_a_clock_that_is_about_right_or_says_nothing_is_left_alone(sent_at: str | int) -> None:
    row = stamped(make_request(), SentEvent("x", occurred_at=NOW - 5_000, sent_at=sent_at)).row
    assert (row.occurred_at, row.flags) == (log_text(NOW - 5_000), "")


def iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()


FROM, TO = datetime(2001, 9, 10), datetime(2100, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone


@given(st.datetimes(FROM, TO, timezones=st.just(UTC)))
def test_moments_in_every_form_mean_the_same(moment: datetime) -> None:
    milliseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert parse_moment(moment.isoformat()) == milliseconds
    assert parse_moment(moment.isoformat()) == parse_moment(moment.replace(tzinfo=None).isoformat())
    assert log_text(parse_moment(moment.isoformat()))[:19] == log_time(moment)[:19]
    assert from_log_time(log_text(milliseconds)).tzinfo is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01T00:00:00Z",
        -1,
        10**15,
        "12:00",
        "9999-99-99",
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999Z",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_what_is_no_moment(text: str | int) -> None:
    with pytest.raises(EventRejected) as caught:
        parse_moment(text)
    assert caught.value.code == "bad_time"


@pytest.mark.parametrize("day", ["1970-03-01", "1971-06-15", "1972-12-31", "1973-03-04", "2026-01-31"])
def test_a_number_is_milliseconds_also_before_1973(day: str) -> None:
    seconds = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    assert parse_moment(seconds * 1000) == parse_moment(day) == parse_moment(seconds) == seconds * 1000


@pytest.mark.parametrize(
    ("props", "code"),
    [
        (b"[1]", "bad_props"),
        (b'"x"', "bad_props"),
        (b'{"a":1e400}', "bad_props"),
        (b'{"a":"\\ud800"}', "bad_json"),
        (b'{"a":"\xff"}', "bad_json"),
        (b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}", "bad_json"),
        (b'{"a":[' + b",".join([b"1e308"] * 5000) + b"]}", "props_too_large"),
    ],
)
def test_bad_props_are_refused_with_a_code(props: bytes, code: str) -> None:
    assert refusal(SentEvent("x", props=Raw(props))) == code


def test_props_are_kept_as_sent_and_hashed_in_one_order() -> None:
    first = SentEvent("x", id=str(uuid4()), props=Raw(b'{ "b": 1.50, "a": {"d": 1e5, "c": "\\u0041"} }'))
    second = SentEvent("x", id=first.id, props=Raw(b'{"a":{"c":"A","d":100000},"b":1.5}'))
    assert validated(make_request(), first).props == '{"b":1.5,"a":{"d":100000.0,"c":"A"}}'
    validated(make_request(), second)
    third = SentEvent("x", id=first.id, props=Raw(b'{"a":{"c":"A","d":1e5},"b":1.5}'))
    validated(make_request(), third)
    assert content_hash(first) == content_hash(third) != content_hash(second)


def test_ids_of_the_site_carry_a_hash_minted_ids_do_not() -> None:
    event = stamped(make_request(), SentEvent("x"))
    assert event.record_headers == ()
    assert UUID(event.row.event_id).version == 7
    event = stamped(make_request(), SentEvent("x", id="0190B0B0-0000-7000-8000-000000000001"))
    headers, row = event.record_headers, event.row
    assert row.event_id == "0190b0b0-0000-7000-8000-000000000001"
    assert headers[0][0] == HASH_HEADER and len(headers[0][1]) == 8


def test_the_hash_is_of_what_was_sent_not_of_how() -> None:
    named = SentEvent("x", id="1", site="pk_1", props=Raw(b'{"a":1,"b":2}'))
    same = named, SentEvent("x", id="1", props=Raw(b'{"b":2,"a":1}'))
    for sent in same:
        validated(make_request(), sent)
    assert content_hash(same[0]) == content_hash(same[1])
    assert content_hash(SentEvent("x", sent_at=1)) == content_hash(SentEvent("x", sent_at=2))
    assert content_hash(SentEvent("x", value=1)) != content_hash(SentEvent("x", value=2))


@pytest.mark.parametrize("text", ["", "x", "0190b0b0-0000-7000-8000", "0190b0b0-0000-7000-8000-00000000000g"])
def test_a_bad_id_is_refused(text: str) -> None:
    with pytest.raises(EventRejected) as caught:
        event_id(text)
    assert caught.value.code == "bad_id"


def hashed(request: RequestContext, sent: SentEvent, hasher: Hasher, at: int = NOW) -> TrackedEvent:
    event = begun(request, sent)
    event.occurred = at
    pseudonymise(event, hasher=hasher)
    return event.row


def test_a_visitor_is_one_by_day_website_address_and_browser() -> None:
    salts = Salts()
    hasher = Hasher(b"v" * 32, b"c" * 32, salts)
    today = date(1970, 1, 1) + timedelta(days=NOW // DAY_MS)
    salts.replace({today: b"a" * 32, today - timedelta(days=1): b"b" * 32})
    event = SentEvent("x")
    base = hashed(make_request(), event, hasher).visitor
    assert 0 < base < 2**64
    assert hashed(make_request(), event, hasher).visitor == base
    assert hashed(make_request(address="1.2.3.5"), event, hasher).visitor != base
    assert hashed(make_request(agent=IPHONE), event, hasher).visitor != base
    assert hashed(make_request(website=OTHER), event, hasher).visitor != base
    assert hashed(make_request(), event, hasher, NOW - DAY_MS).visitor != base
    salts.replace({today: b"n" * 32})
    assert hashed(make_request(), event, hasher).visitor != base

    named = SentEvent("x", visitor_id="u-1")
    known = hashed(make_request(), named, hasher).visitor
    assert hashed(make_request(address="9.9.9.9", agent=IPHONE), named, hasher, NOW - 9 * DAY_MS).visitor == known
    assert hashed(make_request(website=OTHER), named, hasher).visitor != known
    assert hashed(make_request(), SentEvent("x", visitor_id="u-1", session_id="s"), hasher).session != 0
    with pytest.raises(EventRejected):
        hashed(make_request(), SentEvent("x", visitor_id="v" * 300), hasher)


def test_backfilled_visitors_without_an_id_are_distinguished_by_the_day_of_the_event() -> None:
    """Their days' salts are deleted permanently."""
    salts = Salts()
    hasher = Hasher(b"v" * 32, b"c" * 32, salts)
    today = date(1970, 1, 1) + timedelta(days=NOW // DAY_MS)
    salts.replace({today: b"a" * 32, today - timedelta(days=1): b"b" * 32})
    midnight = NOW - NOW % DAY_MS
    by_day = [
        {
            hashed(make_request(), SentEvent("x"), hasher, midnight - days * DAY_MS + at).visitor
            for at in (0, DAY_MS - 1)
        }
        for days in range(40)
    ]
    assert all(len(visitors) == 1 for visitors in by_day)
    assert len(set.union(*by_day)) == 40
    other = hashed(make_request(address="1.2.3.5"), SentEvent("x"), hasher, midnight - 9 * DAY_MS).visitor
    assert other not in by_day[9]


def test_the_last_salt_goes_on_when_no_new_one_can_be_had() -> None:
    salts = Salts()
    passing = salts.of(NOW)
    assert salts.of(NOW + DAY_MS) == passing and len(passing) == 32
    today = date(1970, 1, 1) + timedelta(days=NOW // DAY_MS)
    salts.replace({today: b"a" * 32})
    assert salts.of(NOW + DAY_MS) == b"a" * 32


NETWORKS = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "address"),
    [
        ("9.9.9.9", "1.1.1.1", NETWORKS, "9.9.9.9"),
        ("10.0.0.1", "1.1.1.1", (), "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1", NETWORKS, "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1", NETWORKS, "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", NETWORKS, "1.1.1.1"),
        ("10.0.0.1", "1.1.1.1, garbage", NETWORKS, "10.0.0.1"),
        ("10.0.0.1", "", NETWORKS, "10.0.0.1"),
        ("2001:db8::5", "[2a00::1]:99", NETWORKS, "2a00::1"),
        ("10.0.0.1", "6.6.6.6\n1.1.1.1\n10.0.0.2", NETWORKS, "1.1.1.1"),
        ("::ffff:10.0.0.1", "::ffff:1.1.1.1", NETWORKS, "1.1.1.1"),
        ("::ffff:9.9.9.9", "1.1.1.1", (), "9.9.9.9"),
    ],
)
def test_forwarded_addresses_are_believed_of_trusted_proxies_only(
    peer: str, forwarded: str, trusted: Any, address: str
) -> None:
    lines = [(b"x-forwarded-for", line.encode()) for line in forwarded.split("\n") if line]
    assert client_address({"client": (peer, 1), "headers": lines}, trusted) == address
