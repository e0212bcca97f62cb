"""What one request may look up: few names whatever it sends, in one statement, and only while its client waits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from infra.kernel.http.request_limits import Message
from ingest import app as ingest_app
from ingest.app import App
from ingest.context import IngestContext
from ingest.directory import directory as subject
from ingest.directory.directory import MAX_NEGATIVE, CustomDomainEntry, Directory, DirectoryListing, SourceLane
from ingest.directory.request_lookups import MAX_LOOKUPS, RequestLookups
from ingest.endpoints.track import MAX_NAMES
from ingest.errors import Unavailable
from ingest.service import pools
from schemas.custom_domains import PROBE
from tests.support.ingest_in_process import KEY, SECRET_KEY, SLUG, WEBSITE, KeepingLog, ingest_context

UNKNOWN = 9_000
STATEMENTS_OF_A_LOOKUP = 2
"""What is not there is looked up again once the read models are current."""
KINDS = ("link", "partner", "site")


@dataclass
class Source:
    """Has nothing. Notes the names of each look-up; answers once `answers` is set."""

    asked: list[Sequence[str]] = field(default_factory=list)
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)
    is_stopped: bool = False

    def __post_init__(self) -> None:
        self.answers.set()

    @property
    def names(self) -> set[str]:
        return {name for names in self.asked for name in names}

    async def lookup(self, _kind: str, names: Sequence[str]) -> DirectoryListing:
        self.asked.append(names)
        self.was_asked.set()
        try:
            await self.answers.wait()
        except asyncio.CancelledError:
            self.is_stopped = True
            raise
        return DirectoryListing()

    async def progress(self, _kind: str) -> tuple[int, int]:
        return 1, 1


@dataclass
class Answer:
    """To one request. `client_leaves`: makes its client leave."""

    status: int = 0
    body: bytes = b""
    client_leaves: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Ingest:
    """With a website, a link and a partner in memory. `of_requests`, `of_events`: the sources of the two lanes."""

    def __init__(self, is_known: bool = True) -> None:
        self.of_requests, self.of_events = Source(), Source()
        self.context: IngestContext = ingest_context(KeepingLog())
        before = self.context.directory
        of_events = SourceLane(self.of_events.lookup, self.of_events.progress)
        directory = Directory(self.of_requests.lookup, (), self.of_requests.progress, of_events)
        directory.replace(before._index, before._read_at if is_known else 0.0)
        self.context.directory = directory

    @property
    def lookups(self) -> int:
        return len(self.of_requests.asked) + len(self.of_events.asked)

    @property
    def names(self) -> set[str]:
        return self.of_requests.names | self.of_events.names

    async def send(
        self, path: str, content: object = None, key: str = "", answer: Answer | None = None, **headers: str
    ) -> Answer:
        answer = answer or Answer()
        app = App()
        app.context = self.context
        target, _, query = path.partition("?")
        sent = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", **headers}
        if key:
            sent["authorization"] = f"Bearer {key}"
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET" if content is None else "POST",
            "path": target,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": ("192.0.2.1", 1),
        }
        parts: list[Message] = [{"type": "http.request", "body": msgspec.json.encode(content) if content else b""}]

        async def receive() -> Message:
            if parts:
                return parts.pop()
            await answer.client_leaves.wait()
            return {"type": "http.disconnect"}

        async def respond(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
            else:
                answer.body += message["body"]

        await app(scope, receive, respond)
        return answer


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "POLL_INTERVAL_S", 0.0)


def events_that_name(kind: str, count: int = UNKNOWN) -> list[dict[str, str]]:
    return [{"type": "a", kind: f"{kind}-{number}"} for number in range(count)]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_batch_looks_up_twenty_unknown_names_in_one_statement(kind: str) -> None:
    ingest = Ingest()
    answer = await ingest.send("/track", [*events_that_name(kind), {"type": "good"}], KEY)
    assert answer.status == 202 and answer.json["accepted"] == 1
    assert ingest.lookups == STATEMENTS_OF_A_LOOKUP and len(ingest.names) == MAX_LOOKUPS
    codes = [one["code"] for one in answer.json["rejected"]]
    unknown = "unknown_key" if kind == "site" else f"unknown_{kind}"
    assert codes == [unknown] * MAX_LOOKUPS + ["not_looked_up"] * (UNKNOWN - MAX_LOOKUPS)
    assert [one["index"] for one in answer.json["rejected"]] == list(range(UNKNOWN))


async def test_kinds_share_what_a_request_may_look_up() -> None:
    ingest = Ingest()
    mixed = [event for group in zip(*(events_that_name(kind, 100) for kind in KINDS), strict=True) for event in group]
    assert (await ingest.send("/track", mixed, KEY)).status == 400
    assert len(ingest.names) == MAX_LOOKUPS and ingest.lookups <= len(KINDS) * STATEMENTS_OF_A_LOOKUP


async def test_events_that_name_nothing_unknown_count_beside_those_that_do() -> None:
    ingest = Ingest()
    known = [{"type": "a"}, {"type": "a", "link": SLUG}, {"type": "a", "partner": "partner"}]
    answer = await ingest.send("/track", [*known, *events_that_name("partner", 50), *known], SECRET_KEY)
    assert answer.status == 202 and answer.json["accepted"] == 6


async def test_a_batch_without_a_key_tries_few_and_looks_up_no_more() -> None:
    ingest = Ingest()
    answer = await ingest.send("/track", events_that_name("site"))
    assert answer.status == 401 and len(ingest.names) == MAX_NAMES
    ingest = Ingest()
    events = [{"type": "a", "site": KEY}, *events_that_name("site"), *events_that_name("link", 500)]
    answer = await ingest.send("/track", events)
    assert answer.json["accepted"] == 1 and len(ingest.names) == MAX_LOOKUPS


async def test_events_with_keys_of_their_own_count_beside_others() -> None:
    events = [{"type": "a", "site": "pk_nobody"}, {"type": 5}, {"type": "a", "site": KEY}, {"type": "a"}]
    answer = await Ingest().send("/track", events)
    assert answer.status == 202 and answer.json["accepted"] == 1
    assert [one["code"] for one in answer.json["rejected"]] == ["unknown_key", "bad_type", "missing_key"]
    answer = await Ingest().send("/track", events, SECRET_KEY)
    assert answer.json["accepted"] == 2
    assert [one["code"] for one in answer.json["rejected"]] == ["unknown_key", "bad_type"]
    alone = await Ingest().send("/track", {"type": "a", "site": "pk_nobody"}, SECRET_KEY)
    assert (alone.status, alone.json["code"]) == (401, "unknown_key")


def single_requests() -> Iterator[tuple[str, object, str]]:
    """Every kind of request that can name something unknown, with all the unknown names that it can have."""
    click = "0" * 40
    report = {"txid": "t", "amount": 1, "currency": "USD", "coupon": "NOBODYS", "click_id": click, "visitor_id": "v"}
    yield "/track", {"type": "a", "link": "x", "partner": "y", "site": "pk_x", "click_id": click}, KEY
    yield "/track", {"type": "a", "link": "x", "partner": "y", "site": "pk_x"}, ""
    yield f"/t.gif?site={KEY}&link=x&partner=y&click_id={click}", None, ""
    yield "/t.gif?site=pk_x&link=x&partner=y", None, ""
    yield "/go/x", None, ""
    yield "/track/sale", report, SECRET_KEY
    yield "/track/sale", {**report, "site": "pk_x"}, ""
    yield "/track/lead", report, "sk_x"
    yield f"/postback?token=pb_x&partner=y&coupon=NOBODYS&txid=1&click_id={click}", None, ""
    yield f"/postback?token={SECRET_KEY}&txid=1&coupon=NOBODYS&amount=1", None, ""
    yield "/postback?preset=nobodys&txid=1", None, ""
    yield f"/track/conversions/{UUID(int=7)}", None, SECRET_KEY
    yield f"/track/conversions/{UUID(int=7)}", None, "sk_x"
    yield "/internal/domain-check?domain=nobodys.example", None, ""
    yield "/t.js?site=pk_x", None, ""


@pytest.mark.parametrize(("path", "content", "key"), list(single_requests()))
async def test_no_other_request_looks_up_more_than_three_names(path: str, content: object, key: str) -> None:
    ingest = Ingest()
    answer = await ingest.send(path, content, key)
    assert answer.status
    assert len(ingest.names) <= 3 and ingest.lookups <= 3 * STATEMENTS_OF_A_LOOKUP


def test_every_route_is_among_them() -> None:
    tried = {ingest_app.endpoint_of(path.partition("?")[0]) for path, _, _ in single_requests()}
    routes = {*ingest_app._ROUTES, *(prefix.rstrip("/") for prefix, _, _ in ingest_app._PREFIXES)}
    without_names = {"/livez", "/readyz", "/metrics", PROBE, "/sites"}
    assert routes - without_names == tried


@pytest.mark.parametrize("host", ["go.nobodys.example", "192.0.2.7", "a" * 300])
async def test_an_unknown_host_is_not_looked_up(host: str) -> None:
    ingest = Ingest()
    await ingest.send("/nothing", None, host=host)
    assert ingest.lookups == 0


@pytest.mark.parametrize("path", ["/nothing", "/go/nothing", "/"])
async def test_a_path_under_a_custom_domain_is_one_name_at_most(path: str) -> None:
    ingest, host = Ingest(), "go.own.example"
    ingest.context.directory.domains[host] = CustomDomainEntry(uuid4(), host, WEBSITE, True)
    answer = await ingest.send(path, None, host=host)
    assert answer.status in (404, 503) and len(ingest.names) == (path != "/")


async def test_a_name_is_looked_up_once_for_all_events_and_requests_that_name_it() -> None:
    ingest = Ingest()
    event = {"type": "a", "partner": "nobody", "link": "nothing"}
    for _ in range(5):
        answer = await ingest.send("/track", [event] * 500, KEY)
        assert {one["code"] for one in answer.json["rejected"]} == {"unknown_link"}
    assert ingest.lookups == 2 * STATEMENTS_OF_A_LOOKUP


async def test_names_that_nobody_has_take_bounded_memory() -> None:
    ingest = Ingest()
    directory = ingest.context.directory
    for number in range(2 * MAX_NEGATIVE):
        directory._missing.put(("partner", str(number)), (0.0, None))
    assert len(directory._missing) <= MAX_NEGATIVE
    old = Ingest(is_known=False)
    for number in range(20):
        await old.send(f"/go/wrong-{number}")
    assert old.lookups and not old.context.directory._replaced


@pytest.mark.parametrize(
    ("path", "content", "key"),
    [
        ("/track", events_that_name("partner"), KEY),
        ("/track", {"type": "a"}, "pk_x"),
        (f"/t.gif?site={KEY}&link=x", None, ""),
        ("/go/x", None, ""),
        ("/track/sale", {"txid": "t"}, "sk_x"),
        ("/postback?token=pb_x&txid=1&partner=y", None, ""),
        (f"/track/conversions/{UUID(int=7)}", None, "sk_x"),
    ],
)
async def test_a_lookup_ends_when_the_client_leaves(path: str, content: object, key: str) -> None:
    ingest, answer = Ingest(), Answer()
    was_asked = asyncio.Event()
    for source in (ingest.of_requests, ingest.of_events):
        source.answers.clear()
        source.was_asked = was_asked
    task = asyncio.create_task(ingest.send(path, content, key, answer))
    await was_asked.wait()
    answer.client_leaves.set()
    await task
    await asyncio.sleep(0)
    assert answer.status == 0 and ingest.lookups == 1
    assert ingest.of_requests.is_stopped or ingest.of_events.is_stopped
    assert ingest.context.costs._debts, "who leaves has caused the look-up all the same"


async def test_nobody_waits_behind_what_events_name() -> None:
    """Redirects, keys and honest events, while the look-ups of many batches hang."""
    ingest = Ingest()
    ingest.of_events.answers.clear()
    batches = [
        asyncio.create_task(ingest.send("/track", events_that_name(kind, 100), KEY)) for kind in KINDS for _ in range(9)
    ]
    await ingest.of_events.was_asked.wait()
    assert (await ingest.send("/go/nothing")).status == 404
    assert (await ingest.send(f"/go/{SLUG}")).status == 302
    assert (await ingest.send("/track", {"type": "a"}, "pk_nobodys")).status == 401
    assert (await ingest.send("/track", {"type": "a", "link": SLUG, "partner": "partner"}, KEY)).status == 202
    assert not all(task.done() for task in batches)
    ingest.of_events.answers.set()
    await asyncio.gather(*batches)


@pytest.fixture
def clock_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit is refilled while a test runs, however long a busy machine takes for it."""
    monkeypatch.setattr("ingest.limits.rate_limits.monotonic", lambda: 1_000.0)


@pytest.mark.usefixtures("clock_stands")
async def test_a_website_that_names_many_unknown_ones_delays_no_others_new_partner() -> None:
    ingest = Ingest()
    directory = ingest.context.directory
    for number in range(10):
        await ingest.send("/track", [{"type": "a", "partner": f"{number}-{n}"} for n in range(100)], KEY)
    assert len(ingest.names) <= 2 * MAX_LOOKUPS + 5
    alone = await ingest.send("/track", {"type": "a", "partner": "one-more"}, KEY)
    assert (alone.status, alone.json["code"]) == (429, "not_looked_up")
    gif = await ingest.send(f"/t.gif?site={KEY}&partner=one-more")
    assert gif.status == 429
    others = await directory.find_all([("partner", "new")], uuid4(), RequestLookups())
    assert not others and "new" in ingest.names


async def test_while_the_directory_is_not_known_nothing_is_called_unknown_that_was_not_looked_up() -> None:
    ingest = Ingest(is_known=False)
    names = [("partner", str(number)) for number in range(MAX_LOOKUPS + 1)]
    with pytest.raises(Unavailable):
        await ingest.context.directory.find_all(names, uuid4(), RequestLookups())


@pytest.mark.usefixtures("clock_stands")
async def test_a_request_itself_gets_try_again_above_the_rate() -> None:
    ingest = Ingest()
    for number in range(subject.LOOKUPS_PER_S):
        await ingest.send(f"/go/wrong-{number}")
    with suppress(Unavailable):
        for number in range(500):
            await ingest.context.directory.link(f"other-{number}")
        raise AssertionError("no limit was reached")
    assert (await ingest.send("/track", {"type": "a"}, "pk_x")).status == 401, "keys are looked up beside links"


def test_the_connections_of_look_ups_sites_reports_and_keys_are_not_the_same() -> None:
    made = pools("postgresql://nowhere")
    assert len({id(one._pool) for one in made}) == len(made) == 5
