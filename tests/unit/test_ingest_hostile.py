"""Hostile bodies in small steps, fair turns, and what refusals cost an address."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from time import thread_time, time
from uuid import uuid4

import pytest

from infra.countries import open_places
from infra.http_guard import Message
from infra.log import Log, Position, Record
from infra.settings import Settings
from ingest.app import App
from ingest.conversion_keys import ConversionKeys
from ingest.counters import Counters
from ingest.datacentres import read_datacentres
from ingest.decisions import Decisions
from ingest.directory import Directory, KeyRow, Listing, Website
from ingest.edge import Edge
from ingest.key_uses import KeyUses
from ingest.lookup import lookup_in
from ingest.postgres import Postgres
from ingest.rates import SiteRates
from ingest.refusals import Refusals
from ingest.refused import Refused
from ingest.retries import Retries
from ingest.steps import decode
from ingest.steps.decode import MAX_EVENTS, Body, Reading
from ingest.steps.pseudonymise import Hasher, Salts
from ingest.steps.publish import Publisher
from ingest.suspicion import Limits, Suspicions
from ingest.tolls import BURST_S, MAX_ADDRESSES, Tolls
from ingest.turns import MAX_OF_OWNER, Turns
from tests.support.hostile import ATTACKS, LINES, Attack, array_of

MOST_S = 0.02
KEY = "pk_attacked"
REQUESTS = {name: attack for name, attack in ATTACKS.items() if "transfer-encoding" not in attack.headers}


@pytest.fixture(autouse=True)
def little_to_collect() -> Iterator[None]:
    """As in the service: what the process already holds is nothing for the collector to look at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    yield
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()


@pytest.mark.parametrize("part", [b"{}", b"1", b"[]", b'""', b'{"a":1}', b"null"])
def test_too_many_parts_are_refused_before_any_of_them_is_decoded(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "decode_one", lambda _: pytest.fail("a part was decoded"))
    for body, kind in ((array_of(part), b""), ((part + b"\n") * (MAX_EVENTS + 1), LINES.encode())):
        with pytest.raises(Refused) as caught:
            list(Reading(body, kind).steps())
        assert (caught.value.status, caught.value.code) == (413, "too_large")


def test_the_start_of_a_packed_body_is_unpacked_alone() -> None:
    attack = ATTACKS["gzip of {}, no key"]
    body = Body(attack.body, b"gzip")
    assert len(body.start(1000)) == 1000
    assert body.whole() == array_of(b"{}")


def test_one_slice_a_round_and_every_owner_in_turn() -> None:
    order: list[str] = []

    async def work(turns: Turns, owner: str, slices: int) -> None:
        turn = turns.begin(owner)
        for _ in range(slices):
            await turn.next()
            order.append(owner)
        turn.end()

    async def scene() -> None:
        turns = Turns()
        await asyncio.gather(*(work(turns, "busy", 5) for _ in range(4)), work(turns, "quiet", 2))
        assert turns.granted == 22

    asyncio.run(scene())
    assert order.index("quiet") <= 1, "another's first slice comes after one slice of the busy one"
    assert [place for place, owner in enumerate(order) if owner == "quiet"][1] <= 4
    assert len(order) == 22


def test_batches_of_one_owner_are_bounded() -> None:
    async def scene() -> None:
        turns = Turns()
        waiting = [asyncio.ensure_future(turns.begin("one").next()) for _ in range(MAX_OF_OWNER + 1)]
        await asyncio.wait(waiting)
        refused = [task for task in waiting if task.exception() is not None]
        assert len(refused) == 1 and getattr(refused[0].exception(), "status", 0) == 429

    asyncio.run(scene())


def test_refusals_cost_their_address_and_no_other() -> None:
    tolls = Tolls(rate=10)
    for _ in range(10 * BURST_S):
        tolls.charge("192.0.2.1")
    tolls.check("192.0.2.1")
    tolls.charge("192.0.2.1", 5.0)
    with pytest.raises(Refused) as caught:
        tolls.check("192.0.2.1")
    assert (caught.value.status, caught.value.code) == (429, "address_throttled") and caught.value.retry_after >= 1
    tolls.check("192.0.2.2")
    tolls.charge("2001:db8::1", 1000.0)
    with pytest.raises(Refused):
        tolls.check("2001:db8::2")
    tolls.check("2001:db8:0:1::1")


def test_the_table_of_addresses_is_bounded_and_keeps_the_worst() -> None:
    tolls = Tolls(rate=10)
    tolls.charge("192.0.2.1", 1000.0)
    for number in range(2 * MAX_ADDRESSES):
        tolls.charge(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(tolls._debts) <= MAX_ADDRESSES
    with pytest.raises(Refused):
        tolls.check("192.0.2.1")


@pytest.mark.parametrize("attack", REQUESTS.values(), ids=REQUESTS)
def test_no_hostile_request_occupies_the_loop_for_long(attack: Attack) -> None:
    assert min(longest_occupation(attack) for _ in range(2)) < MOST_S


def longest_occupation(attack: Attack) -> float:
    """CPU seconds of the longest callback while the whole request is answered, publishing included."""
    longest = 0.0
    run = asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        nonlocal longest
        began = thread_time()
        run(handle)
        longest = max(longest, thread_time() - began)

    async def scene() -> int:
        edge = an_edge()
        app = App()
        app.edge = edge
        headers = [(name.encode(), value.encode()) for name, value in attack.headers.items()]
        path, _, query = attack.path.replace("{key}", KEY).partition("?")
        scope = {
            "type": "http",
            "method": attack.method,
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
            "client": ("192.0.2.1", 1),
        }
        statuses: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": attack.body}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await app(scope, receive, send)
        return statuses[0]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asyncio.Handle, "_run", measured)
        assert asyncio.run(scene()) < 600
    return longest


class KeepingLog(Log):
    """Acknowledges at once."""

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        done: Future[list[Position]] = Future()
        done.set_result([Position(record.topic, 0, 0) for record in records])
        return done


def an_edge() -> Edge:
    """Ingest without its neighbours, which knows one website."""
    settings = Settings(site_rate=1_000_000)
    log, counters, postgres = KeepingLog(), Counters(), Postgres(None)
    directory = Directory(lookup_in(postgres))
    website = Website(uuid4(), "attacked.example", "USD")
    key = KeyRow(website.id, sha256(KEY.encode()).hexdigest(), "site", ())
    directory.replace(Listing((website,), (key,)), time())
    publisher = Publisher(log, counters, 20_000)
    return Edge(
        settings=settings,
        log=log,
        postgres=postgres,
        directory=directory,
        places=open_places(settings),
        hasher=Hasher(b"v" * 32, b"c" * 32, Salts()),
        click_key=b"k" * 32,
        rates=SiteRates(settings.site_rate, MAX_EVENTS),
        tolls=Tolls(1_000_000),
        turns=Turns(),
        publisher=publisher,
        retries=Retries(publisher, counters, Path("unused")),
        refusals=Refusals(log, counters),
        counters=counters,
        conversion_keys=ConversionKeys(postgres),
        decisions=Decisions(postgres),
        key_uses=KeyUses(directory, postgres),
        suspicions=Suspicions(Limits(settings.suspicious_clicks), read_datacentres()),
    )
