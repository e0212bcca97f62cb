"""What is pushed and what is waited for: the live stream, `X-Wait-For`, delivery, and engines that are down."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from infra.kernel.config.settings import Settings
from infra.kernel.security.sessions import revoke_session, revoke_sessions
from projectors.schema import create_schema
from query_api.analytics.live import routes as live_routes
from query_api.analytics.live.hub import MAX_OF_ONE_ACCOUNT
from query_api.analytics.live.snapshot import read
from query_api.app import create_app
from query_api.kernel.clickhouse_reader import ClickHouseReader
from query_api.kernel.postgres_reader import PostgresReader
from schemas.tracking import Suspicion
from tests.support.clickhouse import start_clickhouse
from tests.support.engines import Engine, engine_folder
from tests.support.query import Person, QueryService, event, serving, this_moment
from tests.support.stack import wait_for

Event = tuple[str, dict[str, Any]]


class Stream:
    """The events of a live stream, read one by one."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.comments = 0

    def next(self) -> Event | None:
        """The next event; none at the stream's end."""
        name = ""
        for line in self._lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith(":"):
                self.comments += 1
            elif line.startswith("data: "):
                return name, json.loads(line.removeprefix("data: "))
        return None

    def until(self, wanted: Any) -> dict[str, Any]:
        """The first data for which `wanted` holds."""
        while True:
            found = self.next()
            assert found is not None, "the stream ended"
            if wanted(found[1]):
                return found[1]


@contextmanager
def live(service: QueryService, website: UUID, person: Person) -> Iterator[Stream]:
    with service.stream(f"/api/platform/analytics/live?websiteId={website}", person) as answer:
        assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/event-stream")
        yield Stream(answer.iter_lines())


def advance(service: QueryService) -> None:
    """As the projector does after rows became readable."""
    [[offset]] = service.postgres.execute(
        "SELECT next_offset + 1 FROM engine.position WHERE projection = 'events' AND generation = 1"
        " AND topic = 'clicks' AND partition = 0"
    ).fetchall()
    service.advance("events", "clicks", 0, offset, 0)


def test_a_click_is_pushed_to_everybody_who_watches(query_service: QueryService) -> None:
    ada = query_service.person()
    website, other = query_service.website(ada), query_service.website(ada)
    partner = query_service.partner("Acme")
    now = datetime.now(UTC)
    query_service.events([event(website, now - timedelta(minutes=9), "pageview", visitor=7, path="/old")])
    with live(query_service, website, ada) as first, live(query_service, website, ada) as second:
        for stream in (first, second):
            snapshot = stream.next()
            assert snapshot is not None and snapshot[0] == "snapshot"
            data = snapshot[1]
            assert set(data) == {"asOf", "activeVisitors", "perMinute", "recent", "top"}
            assert len(data["perMinute"]) == 31 and sum(one["events"] for one in data["perMinute"]) == 1
            assert data["activeVisitors"] == 0 and [one["path"] for one in data["recent"]] == ["/old"]
        with live(query_service, other, ada) as third:
            third.next()
            now = datetime.now(UTC)
            query_service.events(
                [
                    event(website, now, visitor=1, partner_id=partner, country="DE", device="mobile", source="x"),
                    event(website, now, visitor=2, is_bot=True, bot_reason="crawler"),
                ]
            )
            advance(query_service)
            for stream in (first, second):
                # What the four statements of one look find may differ; the next look has all.
                data = stream.until(lambda data: sum(one["events"] for one in data["perMinute"]) == 2)
                assert data["activeVisitors"] == 1
                newest = data["recent"][0]
                assert len(data["recent"]) == 2
                assert set(newest) == {"id", "type", "at", "country", "device", "path", "partnerName", "source"}
                assert (newest["type"], newest["partnerName"], newest["country"]) == ("click", "Acme", "DE")


def test_the_last_30_minutes_by_page_source_place_and_event(
    query_service: QueryService, query_settings: Settings
) -> None:
    website, now = query_service.website(query_service.person()), datetime.now(UTC)
    minute = timedelta(minutes=1)
    query_service.events(
        [
            *(
                event(website, now - at * minute, "pageview", visitor=at, path=f"/{at % 2}", source="x", country="IS")
                for at in range(1, 6)
            ),
            event(website, now - minute, "pageview", visitor=1, path="/1", source="", country="DE"),
            event(website, now - minute, visitor=9, path="", source="x", country="IS"),
            event(website, now - minute, "pageview", visitor=8, path="/bot", is_bot=True, bot_reason="crawler"),
            event(website, now - 31 * minute, "pageview", visitor=7, path="/old"),
        ]
    )
    clickhouse = ClickHouseReader(query_settings, dict)
    top = read(clickhouse, cast(PostgresReader, None), website, now).top
    clickhouse.close()
    assert [(one.value, one.visitors, one.events) for one in top.page] == [("/1", 3, 4), ("/0", 2, 2)]
    assert [(one.value, one.visitors, one.events) for one in top.source] == [("x", 6, 6), ("", 1, 1)]
    assert [(one.value, one.visitors, one.events) for one in top.country] == [("IS", 6, 6), ("DE", 1, 1)]
    assert [(one.value, one.visitors, one.events) for one in top.event] == [("pageview", 5, 6), ("click", 1, 1)]


def test_exactly_the_last_30_minutes_are_counted(query_service: QueryService, query_settings: Settings) -> None:
    """Wherever in a minute the clock stands; visitors are those of exactly the last five minutes."""
    website = query_service.website(query_service.person())
    millisecond, clickhouse = timedelta(milliseconds=1), ClickHouseReader(query_settings, dict)
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=2)
    begin, offsets = minute - timedelta(minutes=40), range(0, 40 * 60_000, 20_000)
    moments = [begin + offset * millisecond for offset in offsets]
    query_service.events([event(website, at, "pageview", visitor=number) for number, at in enumerate(moments, 1)])
    reader = cast(PostgresReader, None)  # no partner is named
    for shift in (0, 1, -1, -20_000, -20_001):
        now = minute + shift * millisecond
        found = read(clickhouse, reader, website, now)
        since = now - timedelta(minutes=30)
        assert sum(one.events for one in found.per_minute) == sum(since <= at for at in moments), now
        assert found.active_visitors == sum(now - timedelta(minutes=5) <= at for at in moments), now
        assert (len(found.per_minute), found.per_minute[0].minute) == (31, since.replace(second=0, microsecond=0))
    clickhouse.close()


def test_a_stream_ends_with_its_session(query_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_routes, "RECHECK_S", 0.2)
    monkeypatch.setattr(live_routes, "HEARTBEAT_S", 0.05)
    service = QueryService("", query_settings)
    ada = service.person()
    website = service.website(ada)
    is_allowed, looked_up = live_routes._is_allowed, threading.Event()

    def look_up(*given: Any) -> bool | None:
        allowed = is_allowed(*given)
        looked_up.set()
        return allowed

    def revoke_later() -> None:
        looked_up.wait(20)
        revoke_session(service.postgres, ada.session_id)

    monkeypatch.setattr(live_routes, "_is_allowed", look_up)
    with TestClient(create_app(query_settings)) as app:
        later = threading.Thread(target=revoke_later)
        later.start()
        answer = app.get(f"/api/platform/analytics/live?websiteId={website}", headers=ada.headers)  # ends automatically
        later.join()
        assert answer.status_code == 200 and looked_up.is_set()
        assert answer.text.count("event: snapshot") == 1 and ": still here" in answer.text


@pytest.mark.parametrize("by_another", [False, True])
def test_signing_out_ends_the_streams(
    query_settings: Settings, monkeypatch: pytest.MonkeyPatch, by_another: bool
) -> None:
    monkeypatch.setattr(live_routes, "RECHECK_S", 3600.0)
    service = QueryService("", query_settings)
    ada = service.person()
    website = service.website(ada)
    application = create_app(query_settings)
    with TestClient(application) as app:

        def sign_out() -> None:
            wait_for(lambda: application.state.live_hub._watched, "the stream to begin")
            wait_for(lambda: application.state.services.positions.version is not None, "notifications to be heard")
            if by_another:
                revoke_sessions(service.postgres, ada.account_id, except_for=uuid4())
            else:
                revoke_session(service.postgres, ada.session_id)

        later = threading.Thread(target=sign_out)
        later.start()
        answer = app.get(f"/api/platform/analytics/live?websiteId={website}", headers=ada.headers)  # ends automatically
        later.join()
        assert answer.status_code == 200 and answer.text.count("event: snapshot") == 1
        assert app.get(f"/api/platform/analytics/live?websiteId={website}", headers=ada.headers).status_code == 401


def test_a_stream_goes_on_after_a_restart(query_settings: Settings) -> None:
    with serving(query_settings) as service:
        assert service.process is not None
        ada = service.person()
        website = service.website(ada)
        with live(service, website, ada) as stream:
            assert stream.next() is not None
            service.process.stop()
            assert stream.next() is None, "the stream is ended, not cut: a browser reconnects automatically"
        service.events([event(website, this_moment(), visitor=1, path="/meanwhile")])
        service.process.start()
        again = replace(ada, headers={**ada.headers, "Last-Event-ID": "1"})
        with live(service, website, again) as stream:
            found = stream.next()
            assert found is not None and found[0] == "snapshot"
            assert [one["path"] for one in found[1]["recent"]] == ["/meanwhile"]


def test_streams_are_bounded(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    address = f"/api/platform/analytics/live?websiteId={website}"
    with ExitStack() as streams:
        opened = [streams.enter_context(live(query_service, website, ada)) for _ in range(MAX_OF_ONE_ACCOUNT)]
        assert all(stream.next() is not None for stream in opened)
        refused = query_service.get(address, ada)
        assert refused.status_code == 429 and refused.headers["Retry-After"]

    def is_free_again() -> bool:
        with query_service.stream(address, ada) as answer:
            return bool(answer.status_code == 200)

    wait_for(is_free_again, "the streams to be given back")


def test_a_read_waits_for_the_write(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    position = 10**9 + time.time_ns() % 10**9
    path = f"/api/platform/websites/{website}/keys"

    another = replace_connection(query_service)
    another.postgres.execute("SELECT 1")  # connected: the read waits for two seconds, and for nothing but the write

    def project() -> None:
        for model in ("websites", "event_expiries", "website_keys"):
            another.advance(model, "domain", 0, 0, position)

    later = threading.Timer(0.2, project)
    later.start()
    answer = query_service.get(path, ada, headers={"X-Wait-For": f"domain@{position}"})
    assert answer.status_code == 200 and "X-Stale" not in answer.headers
    assert answer.headers["X-Position"] == f"domain@{position}"
    later.join()
    stale = query_service.get(path, ada, headers={"X-Wait-For": f"domain@{position + 1}"})
    assert stale.status_code == 200 and stale.headers["X-Stale"] == "1"
    bad = query_service.get(path, ada, headers={"X-Wait-For": "now"})
    assert bad.status_code == 400 and bad.json()["errors"][0]["field"] == "X-Wait-For"


def test_waiting_goes_on_while_the_listening_connection_is_lost(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    position = 3 * 10**9 + time.time_ns() % 10**9
    query_service.postgres.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'query positions'"
    )
    for model in ("websites", "event_expiries", "website_keys"):
        query_service.advance(model, "domain", 0, 0, position)
    answer = query_service.get(
        f"/api/platform/websites/{website}/keys", ada, headers={"X-Wait-For": f"domain@{position}"}
    )
    assert "X-Stale" not in answer.headers and answer.headers["X-Position"] == f"domain@{position}"


def test_a_read_waits_for_a_tracked_event(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    offset = 10**12
    query_service.advance("events", "clicks", 1, offset + 1, 0)
    path = f"/api/platform/analytics/overview?websiteId={website}"
    seen = query_service.get(path, ada, headers={"X-Wait-For": f"clicks[1]@{offset}"})
    assert "X-Stale" not in seen.headers
    missed = query_service.get(path, ada, headers={"X-Wait-For": f"clicks[1]@{offset + 1}"})
    assert missed.headers["X-Stale"] == "1"


def replace_connection(service: QueryService) -> QueryService:
    """The same service with a database connection of its own, for another thread."""
    return QueryService(service.address, service.settings)


def test_every_event_has_one_outcome(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    query_service.events(
        [
            event(website, now, visitor=1),
            event(website, now, "pageview", visitor=1),
            event(website, now, visitor=2, is_bot=True, bot_reason="crawler"),
            event(website, now, visitor=2, is_bot=True, bot_reason="prefetch"),
            event(website, now, visitor=2, is_bot=True, bot_reason="spam_referrer"),
            *(event(website, now, visitor=3, is_bot=True, bot_reason=reason) for reason in Suspicion),
        ]
    )
    again = {"website_id": str(website), "received_at": event(website, now)["received_at"], "first_offset": 1}
    place = {"_topic": "clicks", "_partition": 0, "_offset": 9}
    query_service.events(
        [{**again, "event_id": str(uuid4()), "is_conflict": conflict, **place} for conflict in (False, True)],
        "duplicates__g1",
    )
    refusal = {"website_id": str(website), "at": again["received_at"], "endpoint": "/track", "_topic": "rejected"}
    query_service.events(
        [
            {**refusal, "id": str(uuid4()), "outcome": "invalid", "code": "id_conflict", "message": "Other content."},
            {**refusal, "id": str(uuid4()), "outcome": "throttled", "code": "rate", "message": "Slower.", "count": 40},
        ],
        "refusals__g1",
    )
    for time_range, bucket, buckets in (("1h", "minute", 60), ("24h", "hour", 24), ("7d", "day", 7)):
        path = f"/api/platform/analytics/delivery?websiteId={website}&timeRange={time_range}"
        answer = query_service.get(path, ada)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["bucket"] == bucket and len(found["series"]) == buckets
        counted = {name: count for name, count in found["outcomes"].items() if count}
        assert counted == {
            "accepted": 2, "bot": 1, "prefetch": 1, "spam_referrer": 1, "suspicious": len(Suspicion), "duplicate": 1,
            "invalid": 1, "throttled": 40,
        }  # fmt: skip
        assert len(found["outcomes"]) == 13
        for name, count in found["outcomes"].items():
            assert sum(point[name] for point in found["series"]) == count
        assert {(one["code"], one["count"]) for one in found["refusals"]} == {("id_conflict", 1), ("rate", 40)}


def test_without_clickhouse_analytics_say_so_and_the_rest_goes_on(query_settings: Settings) -> None:
    with engine_folder("outage") as folder:
        store = start_clickhouse(folder)
        try:
            settings = replace(query_settings, clickhouse_url=store.settings.clickhouse_url)
            create_schema(settings)
            with serving(settings) as service:
                ada = service.person()
                website = service.website(ada)
                service.insert("links", {
                    "id": uuid4(), "slug": f"l{website.hex[:8]}", "code": website.int % 2**47, "website_id": website,
                    "partner_id": service.partner("Acme"), "destination": "https://partner.example/", "subs": "{}",
                    "is_active": True, "created_at": this_moment(),
                })  # fmt: skip
                service.events([event(website, this_moment(), visitor=1)])
                calls = [f"/api/platform/analytics/{one}?websiteId={website}" for one in ("overview", "clicks", "live")]
                assert service.get(calls[0], ada).status_code == 200
                _check_first_event_is_remembered(service, ada, store)
                store.send_signal(signal.SIGSTOP)
                _check_outage(service, ada, calls)
                store.send_signal(signal.SIGCONT)
                wait_for(lambda: service.get(calls[0], ada).status_code == 200, "analytics to come back")
                store.kill()
                _check_outage(service, ada, calls)
                store.start()
                wait_for(lambda: service.get(calls[0], ada).status_code == 200, "analytics to come back")
        finally:
            store.stop()


def _check_first_event_is_remembered(service: QueryService, ada: Person, store: Engine) -> None:
    """A website in use never looks as if nothing had come, though the store is away: what was last read stays."""
    path = "/api/platform/websites"
    unread = service.website(ada)
    before = service.get(path, ada)
    assert "X-Stale" not in before.headers
    assert {row["id"]: bool(row["firstEventAt"]) for row in before.json()}[str(unread)] is False
    store.send_signal(signal.SIGSTOP)
    try:
        meanwhile = service.get(path, ada)
    finally:
        store.send_signal(signal.SIGCONT)
    assert meanwhile.headers["X-Stale"] == "1" and meanwhile.json() == before.json()
    assert sum(row["firstEventAt"] is not None for row in meanwhile.json()) == 1


def _check_outage(service: QueryService, person: Person, calls: list[str]) -> None:
    for path in calls:
        answer = service.get(path, person)
        assert answer.status_code == 503 and answer.headers["Retry-After"] == "2"
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "analytics_unavailable"
    websites = service.get("/api/platform/websites", person)
    assert websites.status_code == 200 and len(websites.json()) == 2 and websites.headers["X-Stale"] == "1"
    [link] = service.get("/api/platform/links", person).json()
    assert link["clicks"] is None
    assert service.get("/api/platform/conversions", person).json() == []
    admins = service.get("/api/admin/projections/events", service.person("admin"))
    assert admins.status_code == 200 and admins.json()["rebuild"]["bytes"] is None
    assert service.get("/readyz").json()["parts"]["clickhouse"] == "failing"


def test_a_promoted_generation_is_read_at_once(query_service: QueryService) -> None:
    """Readers follow what Postgres says is live, and do not wait for the stable views."""
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    query_service.events([event(website, now, visitor=1)])
    query_service.command("CREATE TABLE traffic_15m__g2 AS traffic_15m__g1")

    def clicks() -> int:
        answer = query_service.get(f"/api/platform/analytics/overview?websiteId={website}", ada)
        return int(answer.json()["clicks"]["total"])

    def promote(generation: int) -> None:
        with query_service.postgres.transaction():
            query_service.postgres.execute(
                "UPDATE engine.projection SET live_generation = %s WHERE name = 'traffic_15m'", (generation,)
            )
            query_service.postgres.execute("SELECT pg_notify('projection_control', 'traffic_15m')")

    try:
        for _ in range(3):
            query_service.command(
                f"INSERT INTO traffic_15m__g2 SELECT * FROM traffic_15m__g1 WHERE website_id = toUUID('{website}')"
            )
        assert clicks() == 1
        promote(2)
        wait_for(lambda: clicks() == 3, "the new generation")
    finally:
        promote(1)
        wait_for(lambda: clicks() == 1, "the old generation")
        query_service.command("DROP TABLE traffic_15m__g2 SYNC")
