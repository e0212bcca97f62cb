"""Click ids of advertising networks: found in an address, kept sealed where they may be, and nowhere else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from time import time
from typing import Any, cast
from urllib.parse import quote
from uuid import UUID

import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_id
from ingest.clock import DAY_MS, now_ms
from ingest.context import IngestContext
from ingest.directory.directory import Directory, DirectoryListing
from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable
from ingest.visitors import visitor_keys
from ingest.visitors.ad_click_ids import MAX_VALUE, ad_click_ids
from ingest.visitors.visitor_keys import BLOCK, VisitorKeyBlocks
from schemas.ad_click_ids import NETWORKS
from schemas.tracking import AD_IDS_NOT_KEPT
from tests.support.ingest_in_process import KEY, SECRET_KEY, SLUG, WEBSITE, KeepingLog, ingest_context, request

KEYS = VisitorKeys(Settings(master_key="5a" * 32))
ID = "Cj0KCQiA-plain_words"
PAGE = f"https://attacked.example/land?utm_source=ads&gclid={ID}&fbclid=IwAR1"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"


class Table:
    """`ingest.visitor_key`, and whether Postgres answers."""

    def __init__(self) -> None:
        self.wrapped: dict[UUID, str] = {}
        self.days: dict[UUID, date] = {}
        self.is_there = True
        self.erased: list[tuple[int, UUID, list[Decimal]]] = []

    async def rows(self, sql: str, params: Sequence[Any]) -> list[Any]:
        if not self.is_there:
            raise Unavailable("postgres_unavailable", "")
        if sql.startswith("SELECT"):
            return [row for row in self.erased if row[0] > params[0]]
        if sql.startswith("DELETE"):
            for id_ in params[0]:
                del self.wrapped[id_]
        else:
            ids, _websites, days, wrapped = params
            self.wrapped.update(zip(ids, wrapped, strict=True))
            self.days.update(zip(ids, days, strict=True))
        return []


class Scene:
    """Ingest of one website with a table of keys."""

    def __init__(self, *, keeps: bool = True, needs_consent: bool = False) -> None:
        self.log, self.table = KeepingLog(), Table()
        self.context: IngestContext = ingest_context(self.log)
        self.switch(keeps, needs_consent)
        self.context.visitor_keys = VisitorKeyBlocks(self.context.directory, cast(Postgres, self.table), KEYS)

    def switch(self, keeps: bool, needs_consent: bool = False) -> None:
        directory: Directory = self.context.directory
        website = replace(
            directory.websites[WEBSITE], keeps_ad_click_ids=keeps, ad_click_ids_need_consent=needs_consent
        )
        keys = {key: replace(one, website=website) for key, one in directory.keys.items()}
        links = {slug: replace(one, website=website) for slug, one in directory.links.items()}
        directory.replace(DirectoryListing((website,)), time())
        directory.keys.update(keys)
        directory.links.update(links)

    async def track(self, *events: Mapping[str, Any], key: str = KEY, **headers: str) -> None:
        body = json.dumps(list(events)).encode()
        sent = {"user-agent": CHROME, "authorization": f"Bearer {key}", **headers}
        assert await request(self.context, "/track", body, headers=sent) == 202

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(record.value) for record in self.log.records if record.topic == "clicks"]

    @property
    def kept(self) -> list[dict[str, str] | None]:
        """What each record keeps; nothing: an empty mapping."""
        return [
            KEYS.open(Sealed(WEBSITE, UUID(row["event_id"]), row["ad_ids"]), self.table.wrapped)
            if row.get("ad_ids")
            else {}
            for row in self.rows
        ]


def run(scene: Any) -> None:
    asyncio.run(scene)


VIEW = {"type": "pageview", "url": PAGE}
BOTH = {"gclid": ID, "fbclid": "IwAR1"}


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://a.example/", {}),
        ("/path?gclid=a", {"gclid": "a"}),
        ("https://a.example/?GCLID=a&sccid=b&Li_Fat_Id=c", {"gclid": "a", "ScCid": "b", "li_fat_id": "c"}),
        ("https://a.example/?x=1&amp;gclid=a", {"gclid": "a"}),
        ("https://a.example/?gclid=a%2Bb%3D%3D+c", {"gclid": "a+b==+c"}),
        ("https://a.example/?gclid=first&gclid=second", {"gclid": "first"}),
        ("https://a.example/?gclid=&fbclid=-&ttclid=%FF", {}),
        ("https://a.example/?xgclid=a&gclid2=b&next=%3Fgclid%3Dc", {}),
        ("https://a.example/#?gclid=a", {}),
        (f"https://a.example/?gclid={'a' * MAX_VALUE}", {"gclid": "a" * MAX_VALUE}),
        (f"https://a.example/?gclid={'a' * (MAX_VALUE + 1)}", {}),
        ("https://a.example/?" + "&".join(f"{name}=v-{name}" for name in NETWORKS), {n: f"v-{n}" for n in NETWORKS}),
    ],
)
def test_ids_are_read_as_they_were_sent(url: str, found: dict[str, str]) -> None:
    assert ad_click_ids(url) == found


def test_with_hash_routes_the_fragment_has_parameters_too() -> None:
    assert ad_click_ids("https://a.example/#/plan?gclid=a", with_fragment=True) == {"gclid": "a"}
    assert ad_click_ids("https://a.example/?gclid=-", "gclid=b&epik=c") == {"gclid": "b", "epik": "c"}


def test_what_an_erased_visitor_sends_later_has_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_keys, "SURVEY_S", 0.0)

    async def scene() -> None:
        made = Scene()
        await made.context.visitor_keys.fill()
        await made.track({**VIEW, "visitor_id": "gone"}, {**VIEW, "visitor_id": "kept"}, key=SECRET_KEY)
        gone, kept = [(row["visitor"], key_id(row["ad_ids"])) for row in made.rows]
        assert gone[1] is not None
        del made.table.wrapped[gone[1]]
        made.table.erased = [(7, WEBSITE, [Decimal(gone[0])])]
        await made.context.visitor_keys.fill()
        await made.track({**VIEW, "visitor_id": "gone"}, {**VIEW, "visitor_id": "kept"}, key=SECRET_KEY)
        assert made.kept == [None, BOTH, BOTH, BOTH]
        assert key_id(made.rows[3]["ad_ids"]) == kept[1], "nobody else's is another"

    run(scene())


def test_kept_ids_are_sealed_and_one_visitor_has_one_key_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_keys, "AHEAD_MS", 0)  # in the last hour of a day there are keys of the next as well

    async def scene() -> None:
        made = Scene()
        await made.context.visitor_keys.fill()
        assert len(made.table.wrapped) == BLOCK, "before anybody came"
        await made.track(VIEW, {**VIEW, "type": "signup"}, {"type": "pageview", "url": "https://attacked.example/"})
        await made.track({**VIEW, "visitor_id": "another"}, key=SECRET_KEY)
        await request(made.context, f"/go/{SLUG}?gclid={ID}", b"", "GET", {"user-agent": CHROME})
        assert made.kept == [BOTH, BOTH, {}, BOTH, {"gclid": ID}]
        ids = [key_id(row["ad_ids"]) for row in made.rows if row.get("ad_ids")]
        assert ids[0] == ids[1] == ids[3] != ids[2]
        for record in made.log.records:
            assert ID.encode() not in record.value and b"IwAR1" not in record.value

    run(scene())


@pytest.mark.parametrize(
    ("event", "headers", "needs_consent", "is_kept"),
    [
        (VIEW, {}, False, True),
        (VIEW, {"sec-gpc": "1"}, False, False),
        ({**VIEW, "gpc": True}, {}, False, False),
        ({**VIEW, "gpc": True, "consent": {"ads": True}}, {}, False, False),
        ({**VIEW, "consent": {"ads": False}}, {}, False, False),
        ({**VIEW, "consent": {"analytics": False}}, {}, False, True),
        (VIEW, {}, True, False),
        ({**VIEW, "consent": {"analytics": True}}, {}, True, False),
        ({**VIEW, "consent": {"ads": True}}, {}, True, True),
        ({**VIEW, "consent": {"ads": True}}, {"sec-gpc": "1"}, True, False),
        ({**VIEW, "occurred_at": "2020-01-01T00:00:00Z"}, {"x-backfill": "true"}, False, False),
    ],
)
def test_what_may_be_kept(event: dict[str, Any], headers: dict[str, str], needs_consent: bool, is_kept: bool) -> None:
    async def scene() -> None:
        made = Scene(needs_consent=needs_consent)
        await made.context.visitor_keys.fill()
        await made.track(event, key=SECRET_KEY, **headers)
        assert made.kept == [BOTH if is_kept else {}]
        assert "ad_ids_not_kept" not in made.rows[0].get("flags", ""), "that it may not is no failure"
        assert made.rows[0]["channel"] == "paid"

    run(scene())


def test_a_link_and_a_pixel_tell_no_consent() -> None:
    async def scene() -> None:
        for needs_consent in (False, True):
            made = Scene(needs_consent=needs_consent)
            await made.context.visitor_keys.fill()
            agent = {"user-agent": CHROME}
            await request(made.context, f"/t.gif?site={KEY}&url={quote(PAGE, safe='')}", b"", "GET", agent)
            await request(made.context, f"/go/{SLUG}?gclid={ID}", b"", "GET", agent)
            await request(made.context, f"/go/{SLUG}?gclid={ID}", b"", "GET", {**agent, "sec-gpc": "1"})
            assert made.kept == ([{}] * 3 if needs_consent else [BOTH, {"gclid": ID}, {}])

    run(scene())


def test_switched_off_nothing_is_kept_and_unused_keys_go() -> None:
    async def scene() -> None:
        made = Scene()
        await made.context.visitor_keys.fill()
        await made.track(VIEW)
        made.switch(False)
        await made.track(VIEW)
        await made.context.visitor_keys.fill()
        assert made.kept == [BOTH, {}]
        assert len(made.table.wrapped) == 1, "that of the visitor is left"

    run(scene())


def test_without_postgres_the_block_is_used_up_and_then_events_are_flagged() -> None:
    async def scene() -> None:
        made = Scene()
        await made.context.visitor_keys.fill()
        made.table.is_there = False
        await made.track(*({**VIEW, "visitor_id": str(n)} for n in range(BLOCK + 2)), key=SECRET_KEY)
        with pytest.raises(Unavailable):
            await made.context.visitor_keys.fill()
        flags = [row.get("flags", "") for row in made.rows]
        assert flags == [""] * BLOCK + [AD_IDS_NOT_KEPT] * 2 and made.kept == [BOTH] * BLOCK + [{}] * 2
        assert made.context.counters.ad_ids_not_kept == 2
        await request(made.context, f"/go/{SLUG}?gclid=a&page=/p", b"", "GET", {"user-agent": CHROME})
        assert made.rows[-1]["flags"] == f"page,{AD_IDS_NOT_KEPT}"
        made.table.is_there = True
        await made.context.visitor_keys.fill()
        await made.track({**VIEW, "visitor_id": "late"}, key=SECRET_KEY)
        assert made.kept[-1] == BOTH

    run(scene())


def test_a_busy_websites_blocks_grow_and_a_day_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        made = Scene()
        blocks, taken = made.context.visitor_keys, 0
        await blocks.fill()
        while blocks.key_of(WEBSITE, taken + 1, 0 + now) is not None:
            taken += 1
            if taken in (40, 150, 300):
                await blocks.fill()
        assert taken > 4 * BLOCK

        monkeypatch.setattr(visitor_keys, "MAX_A_DAY", taken)
        await blocks.fill()
        assert blocks.key_of(WEBSITE, 999_999, now) is None or len(made.table.wrapped) <= taken + BLOCK * 16

    now = now_ms()
    run(scene())


def test_the_next_day_has_keys_before_it_begins_and_unused_ones_go_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        made = Scene()
        blocks = made.context.visitor_keys
        monkeypatch.setattr(visitor_keys, "now_ms", lambda: at("2026-05-17T22:30"))
        await blocks.fill()
        assert set(made.table.days.values()) == {date(2026, 5, 17)}
        monkeypatch.setattr(visitor_keys, "SURVEY_S", 0.0)
        monkeypatch.setattr(visitor_keys, "now_ms", lambda: at("2026-05-17T23:30"))
        await blocks.fill()
        used = blocks.key_of(WEBSITE, 1, at("2026-05-17T23:59"))
        tomorrow = blocks.key_of(WEBSITE, 1, at("2026-05-18T00:00"))
        assert used is not None and tomorrow is not None and used.id != tomorrow.id
        assert (used.made_on, tomorrow.made_on) == (date(2026, 5, 17), date(2026, 5, 18))
        monkeypatch.setattr(visitor_keys, "now_ms", lambda: at("2026-05-18T00:01"))
        await blocks.fill()
        left = {id_ for id_ in made.table.wrapped if made.table.days[id_] == date(2026, 5, 17)}
        assert left == {used.id}
        await blocks.stop()
        assert made.table.wrapped.keys() == {used.id, tomorrow.id}

    def at(text: str) -> int:
        return DAY_MS * (date.fromisoformat(text[:10]).toordinal() - date(1970, 1, 1).toordinal()) + (
            int(text[11:13]) * 3_600_000 + int(text[14:]) * 60_000
        )

    run(scene())


def test_a_repeat_is_the_same_event_whatever_the_visitor_agreed_to() -> None:
    async def scene() -> None:
        made = Scene()
        await made.context.visitor_keys.fill()
        event = {"type": "pageview", "id": str(UUID(int=5)), "url": "https://attacked.example/?gclid=-"}
        await made.track({**event, "ad_params": f"gclid={ID}", "consent": {"ads": True}})
        await made.track({**event, "consent": {"ads": False}})
        first, second = (dict(record.headers) for record in made.log.records)
        assert first == second and made.kept == [{"gclid": ID}, {}]

    run(scene())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"/track?site={KEY}", b'{"type": "?", "url": "/land?gclid=%s"}' % ID.encode()),
        (f"/track?site={KEY}", b'{"type": "?", "ad_params": "gclid=%s&x"}' % ID.encode()),
        (f"/track?site={KEY}", b'{"type": "?", "url": "https://a.example/?gclid=%s"}' % ID.encode()),
        (f"/track?site={KEY}", b'{"type": "pageview", "url": "/land?gclid=%s", "x": ' % ID.encode()),
        (f"/track?site={KEY}", b'[{"type": "?", "url": "/land?a=1&gclid=%s"}, {"type": "x"}]' % ID.encode()),
    ],
)
def test_what_is_refused_shows_no_id(path: str, body: bytes) -> None:
    async def scene() -> None:
        made = Scene()
        await request(made.context, path, body, headers={"user-agent": CHROME})
        made.context.rejections.flush()
        assert made.log.records
        assert all(ID.encode() not in record.value for record in made.log.records)

    run(scene())


def test_a_refused_pixel_shows_no_id() -> None:
    async def scene() -> None:
        made = Scene()
        for url in (PAGE, f"/land?gclid={ID}"):
            sent = f"/t.gif?site={KEY}&type=%3F&url={quote(url, safe='')}&more={quote(f'?gclid={ID}', safe='')}"
            await request(made.context, sent, b"", "GET", {"user-agent": CHROME})
        made.context.rejections.flush()
        assert made.log.records and all(ID.encode() not in record.value for record in made.log.records)

    run(scene())
