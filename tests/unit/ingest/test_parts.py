"""Rates, group commit, refusals, directory, the script, and lines of access logs."""

import asyncio
import gzip
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from infra.kernel.log import LogUnavailable, Position, Record
from ingest.app import endpoint_of
from ingest.directory.directory import (
    CustomDomainEntry,
    Directory,
    DirectoryListing,
    KeyRow,
    LinkRow,
    PartnerRow,
    WebsiteRow,
)
from ingest.directory.refresh import load_copy, save_copy
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import PageLine
from ingest.importing.access_log import LineReader, Reason
from ingest.limits.rate_limits import Bucket, SiteRateLimits
from ingest.metrics import Counters, exposition
from ingest.publish_retries import PublishRetries
from ingest.rejection_log import RejectionLog, without_secrets
from ingest.script import SOURCE, built_script
from ingest.steps import publish
from ingest.steps.identify_site import bearer, check_origin
from ingest.steps.publish import ENOUGH, GATHER_S, IN_FLIGHT, MAX_UNACKED_BYTES, Publisher, _fail
from ingest.visitors.sealing import TextSealing
from schemas.tracking import Outcome

PATIENCE_S = 60.0


class HeldLog:
    """A log that acknowledges when the test says so."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[Record], Future[list[Position]]]] = []

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        future: Future[list[Position]] = Future()
        self.calls.append((list(records), future))
        return future

    def partitions(self, _topic: str) -> int:
        return 4

    def acknowledge(self) -> None:
        self.calls.pop(0)[1].set_result([])

    def fail(self) -> None:
        self.calls.pop(0)[1].set_exception(LogUnavailable("away"))


def a_record(value: bytes = b"{}") -> Record:
    return Record("clicks", b"key", value)


async def settle() -> None:
    """Until the batch that gathers has left, and what was said of it has arrived."""
    await asyncio.sleep(2 * GATHER_S)
    for _ in range(5):
        await asyncio.sleep(0)


def sizes_of(log: HeldLog) -> list[int]:
    return [len(records) for records, _ in log.calls]


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come")


def test_a_bucket_gives_its_rate_and_its_burst() -> None:
    bucket = Bucket(rate=10, burst=5)
    assert [bucket.wait(1, now=100.0) for _ in range(5)] == [0.0] * 5
    wait = bucket.wait(1, now=100.0)
    assert 0 < wait <= 0.1 + 1e-6
    assert bucket.wait(1, now=100.0 + wait + 1e-6) == 0.0
    assert bucket.wait(6, now=1000.0) > 0 and bucket.wait(5, now=1000.0) == 0.0


def test_rates_are_per_website_and_say_how_long_to_wait() -> None:
    rates = SiteRateLimits(rate=1, largest_batch=20)
    first, second = uuid4(), uuid4()
    rates.take(first, 20)
    with pytest.raises(EventRejected) as caught:
        rates.take(first, 20)
    assert (caught.value.status, caught.value.outcome) == (429, Outcome.THROTTLED)
    assert 1 <= caught.value.retry_after <= 20
    rates.take(second, 20)


async def test_requests_share_an_acknowledgement_and_none_is_answered_before_it() -> None:
    log, counters = HeldLog(), Counters()
    publisher = Publisher(log, counters, 100)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    waiting = [publisher.submit([a_record()]) for _ in range(3)]
    await settle()
    assert len(log.calls) == 1 and len(log.calls[0][0]) == 3
    assert not any(future.done() for future in waiting) and publisher.unacked == 3
    log.acknowledge()
    await settle()
    assert all(future.done() and future.exception() is None for future in waiting)
    assert (publisher.unacked, counters.published) == (0, 3)


async def test_batches_gather_while_others_are_on_their_way() -> None:
    log = HeldLog()
    publisher = Publisher(log, Counters(), 1000)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    for _ in range(IN_FLIGHT):
        publisher.submit([a_record()])
        await settle()
    last = [publisher.submit([a_record()]) for _ in range(7)]
    await settle()
    assert len(log.calls) == IN_FLIGHT
    log.acknowledge()
    await settle()
    assert len(log.calls[-1][0]) == 7
    while log.calls:
        log.acknowledge()
        await settle()
    assert all(future.done() for future in last)


async def test_a_lone_event_leaves_at_once_and_those_that_follow_leave_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(publish, "GATHER_S", 0.5)
    monkeypatch.setattr(publish, "QUIET_S", PATIENCE_S)
    log = HeldLog()
    publisher = Publisher(log, Counters(), 1000)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    publisher.submit([a_record()])
    await asyncio.sleep(0)
    assert sizes_of(log) == [1]
    for _ in range(7):
        publisher.submit([a_record()])
        await asyncio.sleep(0)
    assert sizes_of(log) == [1], "less than `GATHER_S` has passed"
    await until(lambda: sizes_of(log) == [1, 7])


@pytest.mark.parametrize(("quiet_s", "more"), [(0.2, 7), (PATIENCE_S, ENOUGH)])
async def test_events_leave_earlier_when_no_other_follows_and_when_they_are_enough(
    quiet_s: float, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "GATHER_S", PATIENCE_S)
    log = HeldLog()
    publisher = Publisher(log, Counters(), 1000)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    publisher.submit([a_record()])
    await until(lambda: sizes_of(log) == [1])
    monkeypatch.setattr(publish, "QUIET_S", quiet_s)
    for _ in range(more):
        publisher.submit([a_record()])
    assert sizes_of(log) == [1]
    await until(lambda: sizes_of(log) == [1, more])


async def test_records_without_a_place_of_their_own_go_to_the_next_partition_after_so_many() -> None:
    log = HeldLog()
    publisher = Publisher(log, Counters(), 10**6)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    places = []
    for count in (1, publish.SAME_PARTITION_RECORDS, 1, 1):
        publisher.submit([a_record()] * count)
        await settle()
        log.acknowledge()
        places.append(publisher.partition)
    assert places == [1, 1, 2, 2]


async def test_too_much_unacknowledged_work_is_refused_at_once() -> None:
    publisher = Publisher(HeldLog(), Counters(), 10)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    publisher.submit([a_record()] * 8)
    with pytest.raises(Unavailable) as caught:
        publisher.submit([a_record()] * 3)
    assert caught.value.code == "busy" and caught.value.retry_after >= 1
    publisher.submit([a_record()] * 2)


async def test_what_gathers_is_bounded_in_bytes_too() -> None:
    publisher = Publisher(HeldLog(), Counters(), 1_000_000)  # type: ignore[arg-type]  # stands in for the real one
    publisher.submit([a_record(bytes(MAX_UNACKED_BYTES + 1))])
    with pytest.raises(Unavailable) as caught:
        publisher.submit([a_record()])
    assert caught.value.code == "busy"


async def test_what_was_refused_while_it_gathered_is_not_published_later() -> None:
    log, counters = HeldLog(), Counters()
    publisher = Publisher(log, counters, 100, answer_s=PATIENCE_S)  # type: ignore[arg-type]  # stands in for the real one
    for _ in range(IN_FLIGHT):
        publisher.submit([a_record()])
        await settle()
    late = publisher.submit([a_record(b"late")])
    assert publisher._gathering is not None
    _fail(publisher._gathering, "as its timer does")
    with pytest.raises(Unavailable):
        await late
    for _ in range(IN_FLIGHT):
        log.acknowledge()
        await settle()
    assert not log.calls and (publisher.unacked, publisher.unacked_bytes) == (0, 0)
    assert counters.publish_failures == 1


async def test_a_log_that_fails_fails_the_requests() -> None:
    log, counters = HeldLog(), Counters()
    publisher = Publisher(log, counters, 100, answer_s=PATIENCE_S)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    failed = publisher.submit([a_record()])
    await settle()
    log.fail()
    with pytest.raises(Unavailable):
        await failed
    assert counters.publish_failures == 1


async def test_a_log_that_is_silent_fails_the_requests() -> None:
    publisher = Publisher(HeldLog(), Counters(), 100, answer_s=0.05)  # type: ignore[arg-type]  # stands in for the real one
    with pytest.raises(Unavailable) as caught:
        await asyncio.wait_for(publisher.submit([a_record()]), PATIENCE_S)
    assert caught.value.code == "log_unavailable"


async def test_while_the_log_is_silent_requests_are_refused_at_once() -> None:
    log = HeldLog()
    publisher = Publisher(log, Counters(), 100, answer_s=PATIENCE_S)  # type: ignore[arg-type]  # stands in for the real one
    publisher.submit([a_record()])
    await settle()
    publisher._answer_s = 0.05
    await until(lambda: time.monotonic() - publisher._sent_at[0] > 0.05)
    with pytest.raises(Unavailable) as caught:
        publisher.submit([a_record()])
    assert caught.value.code == "log_unavailable"
    log.acknowledge()
    await settle()
    assert publisher.submit([a_record()]) is not None


async def test_equal_refusals_become_one_record_without_secrets() -> None:
    log, counters = HeldLog(), Counters()
    refusals = RejectionLog(log, counters, TextSealing())  # type: ignore[arg-type]  # it publishes; nothing else is asked
    website = uuid4()
    for _ in range(1000):
        refusals.add(invalid("bad_json", "no"), "track", website_id=website, key_kind="site", sample=b"sk_abc me@x.org")
    refusals.add(invalid("bad_json", "no"), "track")
    refusals.flush()
    values = [json.loads(record.value) for record in log.calls[0][0]]
    mine = [value for value in values if value["website_id"] == str(website)]
    assert sum(value["count"] for value in mine) == 1000 and len(mine) <= 2
    assert "abc" not in mine[0]["sample"] and "me@x" not in mine[0]["sample"]
    assert counters.outcomes["track", "invalid"] == 1001


async def test_requests_that_can_be_replayed_are_kept_one_by_one_and_within_bounds() -> None:
    """Whole, but for what is secret or about a person: half a value would be read as another one."""
    log, counters, website = HeldLog(), Counters(), uuid4()
    refusals = RejectionLog(log, counters, TextSealing())  # type: ignore[arg-type]  # it publishes; nothing else is asked
    sent = {"txid": "T-1", "payout": "12,50", "sub1": "a b", "click_id": "0AbC", "offer": "pb_1x", "src": "me@x.org"}
    personal = {"customer_id": "c-1", "ip": "192.0.2.1", "Token": "t", "password": "p", "ref": "https://x.example/?q=1"}
    for number in range(60):
        request = {**sent, **personal, "txid": f"T-{number}"}
        refusals.add(invalid("unknown_partner", "no"), "/postback", website_id=website, request=request)
    refusals.add(invalid("unknown_partner", "no"), "/postback", website_id=website, request={"txid": "x" * 5_000})
    refusals.add(invalid("unknown_partner", "no"), "/postback", request=sent)
    refusals.flush()
    values = [json.loads(record.value) for record in log.calls[0][0]]
    kept = [json.loads(value["request"]) for value in values if "request" in value]
    assert [one["txid"] for one in kept] == [f"T-{number}" for number in range(50)]
    assert kept[0] == {"txid": "T-0", "payout": "12,50", "sub1": "a b", "click_id": "0AbC"}
    assert sum(value["count"] for value in values) == 62
    refusals.add(invalid("unknown_partner", "no"), "/postback", website_id=website, request={"txid": "x" * 5_000})
    refusals.add(invalid("unknown_partner", "no"), "/postback", website_id=website, request={"txid": "later"})
    refusals.flush()
    assert [json.loads(record.value).get("request") for record in log.calls[1][0]] == [None, '{"txid":"later"}']


async def test_refusals_are_bounded() -> None:
    counters = Counters()
    refusals = RejectionLog(HeldLog(), counters, TextSealing())  # type: ignore[arg-type]  # it publishes; nothing else is asked
    for _ in range(5100):
        refusals.add(invalid("x", "no"), "track", website_id=uuid4())
    assert counters.refusals_lost == 100


@pytest.mark.parametrize(
    ("sample", "hidden"),
    [
        ("Authorization: Bearer sk_secret123", "secret123"),
        ("token=pb_hidden&x=1", "hidden"),
        ('{"token": "opaque"}', "opaque"),
        ("https://x.example/p?email=a&id=77", "77"),
        ("ip 203.0.113.9", "203.0"),
        ('{"user_agent":"Mozilla/5.0 Firefox"}', "Firefox"),
        ('{"visitor_id":"user-42"}', "user-42"),
        ("2001:db8:1:2:3:4:5:6", "db8"),
    ],
)
def test_samples_hide_what_is_secret_or_personal(sample: str, hidden: str) -> None:
    assert hidden not in without_secrets(sample)


async def test_clicks_that_wait_survive_the_end_of_the_process(tmp_path: Path) -> None:
    log = HeldLog()
    publisher = Publisher(log, Counters(), 100)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    spool = tmp_path / "clicks.spool"
    first = PublishRetries(publisher, Counters(), spool)
    records = [Record("clicks", b"k", b'{"a":"\xc3\xbc"}', (("h", b"\x00\xff"),), 5)]
    first.add(records[0])
    await first.stop()
    assert spool.stat().st_mode & 0o777 == 0o600
    second = PublishRetries(publisher, Counters(), spool)
    second.start()
    assert second.waiting == 1
    await second.stop()
    third = PublishRetries(publisher, Counters(), spool)
    third.start()
    assert list(third._kept) == records
    await third.stop()


async def test_clicks_of_an_earlier_process_are_sent_again_by_one_later_process_only(tmp_path: Path) -> None:
    """The projector remembers ids for a time; the file could lie there for longer."""
    log, spool = HeldLog(), tmp_path / "clicks.spool"
    publisher = Publisher(log, Counters(), 100)  # type: ignore[arg-type]  # stands in for the real one
    first = PublishRetries(publisher, Counters(), spool)
    first.add(a_record())
    await first.stop()
    second = PublishRetries(publisher, Counters(), spool)
    second.start()
    await until(lambda: bool(log.calls))
    assert spool.exists(), "it is not safe yet"
    log.acknowledge()
    await until(lambda: not spool.exists())
    await second.stop()


def test_strangers_cannot_make_up_endpoints() -> None:
    paths = ("/track", "/go/slug", "/track/conversions/1", '/x"} 1\n', "/track/x")
    assert [endpoint_of(path) for path in paths] == ["/track", "/go", "/track/conversions", "/", "/"]


async def test_a_key_that_was_looked_up_goes_with_the_next_reading_that_does_not_have_it() -> None:
    website = WebsiteRow(uuid4(), "own.example", "EUR")
    row = KeyRow(website.id, sha256(b"sk_short").hexdigest(), "secret", ())
    there = [DirectoryListing((website,), (row,))]

    async def lookup(_kind: str, _names: Sequence[str]) -> DirectoryListing:
        return there[0]

    directory = Directory(lookup)
    directory.replace(DirectoryListing((website,)), time.time())
    assert await directory.key("sk_short") is not None
    there[0] = DirectoryListing()
    directory.replace(None, time.time())
    assert await directory.key("sk_short") is None and directory.websites


async def test_what_is_looked_up_stands_until_the_next_reading_and_then_as_it_was_read() -> None:
    listing = a_listing()
    row, website = listing.links[0], listing.websites[0]
    moved, other = replace(row, destination="https://moved.example/"), replace(row, id=uuid4(), slug="other", code=7)

    async def lookup(_kind: str, slugs: Sequence[str]) -> DirectoryListing:
        return DirectoryListing((website,), (), (moved if row.slug in slugs else other,), listing.partners)

    directory = Directory(lookup)
    index = directory.prepared(listing)
    directory.replace(index, time.time())
    assert directory.links is index.links and directory.keys is index.keys, "made before, on another thread"
    read = await directory.link(row.slug)
    directory.replace(None, 0.0)  # too old to be believed: the source is asked
    found, more = await directory.link(row.slug), await directory.link(other.slug)
    assert found is not None and found.destination == "https://moved.example/" and more is not None
    assert directory.links_by_id[str(row.id)] is found and directory.links_by_code[7] is more
    directory.replace(None, time.time())
    assert await directory.link(row.slug) is read and directory.links_by_id[str(row.id)] is read
    assert other.slug not in directory.links and 7 not in directory.links_by_code


async def test_a_click_whose_end_nobody_knows_is_kept_too(tmp_path: Path) -> None:
    log, counters = HeldLog(), Counters()
    publisher = Publisher(log, counters, 100)  # type: ignore[arg-type]  # it publishes; nothing else is asked
    retries = PublishRetries(publisher, counters, tmp_path / "clicks.spool")
    first, second = a_record(b"1"), a_record(b"2")
    retries.watch(publisher.submit([first]), first)
    await settle()
    log.fail()
    await settle()
    assert (retries.waiting, counters.clicks_retried) == (1, 1)
    retries.watch(publisher.submit([second]), second)
    await retries.stop()
    assert len((tmp_path / "clicks.spool").read_bytes().splitlines()) == 2


def a_listing() -> DirectoryListing:
    website, partner = WebsiteRow(uuid4(), "own.example", "EUR"), uuid4()
    return DirectoryListing(
        (website,),
        (KeyRow(website.id, "ab" * 32, "site", ("https://own.example",)),),
        (LinkRow(uuid4(), "deal", 5, website.id, partner, "https://x.example/{click_id}", (("sub1", "a"),), True),),
        (PartnerRow(partner, str(partner), "acme", "Acme", "voluum", 45, True),),
        (CustomDomainEntry(uuid4(), "go.own.example", website.id, True),),
    )


def test_the_copy_of_the_directory_comes_back_and_is_private(tmp_path: Path) -> None:
    path, listing = tmp_path / "data" / "ingest-directory.json", a_listing()
    save_copy(path, listing, 1234.5)
    assert load_copy(path) == (listing, 1234.5)
    before = json.loads(path.read_bytes())
    del before["domains"]
    path.write_text(json.dumps(before))
    assert load_copy(path) == (replace(listing, domains=()), 1234.5)  # of the version before domains
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("{broken")
    assert load_copy(path) is None
    assert load_copy(tmp_path / "none") is None


async def test_an_unknown_key_is_looked_up_once_and_a_silent_source_is_not_a_no() -> None:
    asked: list[str] = []
    silent = False

    async def lookup(kind: str, _names: Sequence[str]) -> DirectoryListing:
        asked.append(kind)
        if silent:
            raise Unavailable("postgres_unavailable", "away")
        return DirectoryListing()

    directory = Directory(lookup)
    assert await directory.key("pk_unknown") is None
    assert await directory.key("pk_unknown") is None
    assert asked == ["key"]
    silent = True
    with pytest.raises(Unavailable):
        await directory.key("pk_other")
    directory.replace(a_listing(), time.time())
    link = await directory.link("deal")
    assert link is not None and not link.is_gone and link.website.domain == "own.example"
    directory.replace(a_listing(), time.time() - 25 * 3600)
    with pytest.raises(Unavailable):
        await directory.link("deal")


async def test_what_is_too_old_to_be_believed_is_not_believed_when_the_source_says_no() -> None:
    async def lookup(_kind: str, _names: Sequence[str]) -> DirectoryListing:
        return DirectoryListing()

    website, digest = WebsiteRow(uuid4(), "own.example", "EUR"), sha256(b"sk_revoked").hexdigest()
    listing = replace(a_listing(), websites=(website,), keys=(KeyRow(website.id, digest, "secret", ()),), links=())
    directory = Directory(lookup)
    directory.replace(listing, time.time())
    assert await directory.key("sk_revoked") is not None
    directory.replace(listing, time.time() - 25 * 3600)
    assert await directory.key("sk_revoked") is None
    directory.replace(a_listing(), time.time() - 25 * 3600)
    assert await directory.link("deal") is None


async def test_a_link_of_a_switched_off_partner_is_gone() -> None:
    async def lookup(_kind: str, _names: Sequence[str]) -> DirectoryListing:
        return DirectoryListing()

    directory, listing = Directory(lookup), a_listing()
    off = PartnerRow(listing.partners[0].id, listing.partners[0].id_text, "acme", "Acme", "", 45, False)
    directory.replace(DirectoryListing(listing.websites, listing.keys, listing.links, (off,)), time.time())
    link = await directory.link("deal")
    assert link is not None and link.is_gone


@pytest.mark.parametrize(
    ("origins", "headers", "allowed"),
    [
        (("https://own.example",), {b"origin": b"https://own.example"}, True),
        (("https://own.example",), {b"origin": b"https://OWN.example"}, True),
        (("https://own.example",), {b"origin": b"http://own.example"}, False),
        (("own.example",), {b"origin": b"http://own.example"}, True),
        (("*.own.example",), {b"origin": b"https://a.own.example"}, True),
        (("*.own.example",), {b"origin": b"https://evilown.example"}, False),
        (("https://own.example",), {b"referer": b"https://own.example/page?x"}, True),
        (("https://own.example",), {b"origin": b"null"}, False),
        (("https://own.example",), {}, False),
    ],
)
def test_a_key_is_used_from_its_origins_alone(origins: Any, headers: dict[bytes, bytes], allowed: bool) -> None:
    from ingest.directory.directory import KeyEntry

    key = KeyEntry(WebsiteRow(uuid4(), "own.example", "USD"), "site", origins)
    if allowed:
        check_origin(key, headers)
    else:
        with pytest.raises(EventRejected) as caught:
            check_origin(key, headers)
        assert (caught.value.status, caught.value.outcome) == (403, Outcome.ORIGIN_NOT_ALLOWED)


def test_a_bearer_token_is_read_or_refused() -> None:
    assert bearer({}) == ""
    assert bearer({b"authorization": b"bearer  sk_1 "}) == "sk_1"
    for value in (b"Basic abc", b"Bearer ", b"sk_1"):
        with pytest.raises(EventRejected) as caught:
            bearer({b"authorization": value})
        assert caught.value.status == 401


def test_metrics_are_prometheus_text() -> None:
    counters = Counters()
    counters.outcomes["track", "accepted"] += 3
    text = exposition(counters, {"unacked": 1.0}).decode()
    assert 'althing_ingest_outcomes_total{endpoint="track",outcome="accepted"} 3' in text
    assert "althing_ingest_unacked 1\n" in text


def test_the_script_is_small_and_keeps_its_strings() -> None:
    plain, packed, _ = built_script("https://a-long-name-for-track.some-company.example")
    assert b'"https://a-long-name-for-track.some-company.example/t.js"' in plain
    assert len(packed) <= 4096 and gzip.decompress(packed) == plain
    assert b"//" not in plain.replace(b"://", b"")
    assert b"aff_click_id=" in plain and b"Retry-After" in plain and b" \\u00b7 " in plain
    assert b"|awin clickref awin1.com tidd.ly zenaps.com|" in plain and b"|refersion subid ?rfsn|" in plain
    assert SOURCE.name == "t.js"


LINE = '203.0.113.9 - bob [17/May/2015:10:05:03 +0200] "{request}" {status} 12 "{referrer}" "Mozilla/5.0 \\"x\\""'


def a_line(request: str = "GET / HTTP/1.1", status: str = "200", referrer: str = "-") -> bytes:
    return LINE.format(request=request, status=status, referrer=referrer).encode()


def test_a_page_line() -> None:
    page = LineReader().read(a_line("GET /blog/?page=2 HTTP/1.1", referrer="https://x.example/"))
    assert isinstance(page, PageLine)
    assert (page.address, page.target, page.referrer) == ("203.0.113.9", "/blog/?page=2", "https://x.example/")
    assert page.at.isoformat() == "2015-05-17T08:05:03+00:00" and page.user_agent == 'Mozilla/5.0 "x"'


@pytest.mark.parametrize(
    "target",
    ["/", "/a", "/a/", "/a.html", "/a.htm", "/a.php", "/a.b/c", "/a?x=b.png", "/?f=x.css", "http://h.example/a"],
)
def test_addresses_of_pages_are_pages(target: str) -> None:
    assert isinstance(LineReader().read(a_line(f"GET {target} HTTP/1.0")), PageLine)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (a_line("HEAD / HTTP/1.1"), Reason.NOT_GET),
        (a_line("POST /a.png HTTP/1.1", status="404"), Reason.NOT_GET),
        (a_line("GET /a.png HTTP/1.1", status="404"), Reason.STATUS),
        (a_line(status="301"), Reason.STATUS),
        (a_line("GET /a.png HTTP/1.1"), Reason.ASSET),
        (a_line("GET /a.html.gz?x=/ HTTP/1.1", status="304"), Reason.ASSET),
        (a_line("GET /.htaccess HTTP/1.1"), Reason.ASSET),
        (a_line("-"), Reason.MALFORMED),
        (a_line("\\x16\\x03 x y z"), Reason.MALFORMED),
        (a_line()[:-1], Reason.MALFORMED),
        (a_line().replace(b"May", b"Mai"), Reason.MALFORMED),
        (a_line().replace(b"17/", b"32/"), Reason.MALFORMED),
        (b"", Reason.MALFORMED),
        (b"\xff\xfe\x00", Reason.MALFORMED),
    ],
)
def test_lines_that_are_no_pages(line: bytes, reason: Reason) -> None:
    assert LineReader().read(line) is reason


@pytest.mark.parametrize("status", ["200", "206", "299", "304"])
def test_statuses_of_pages(status: str) -> None:
    assert isinstance(LineReader().read(a_line(status=status)), PageLine)
