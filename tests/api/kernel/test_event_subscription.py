"""Event handlers on a real Postgres and log: exactly once, and a poison event blocks no other aggregate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, LiteralString
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import event_metadata, system_context
from command_api.kernel.event_subscription import EventSubscription
from command_api.kernel.leader_election import Connection, connect
from command_api.kernel.outbox_relay import record_of
from infra.kernel.log import Record
from infra.kernel.postgres.pool import required_url
from schemas.base import REGISTRY, DomainEvent
from schemas.envelope import STORED_COLUMNS
from schemas.events.partners import PartnerDeactivated
from schemas.events.websites import WebsiteConnected, WebsiteDisconnected
from schemas.topics import DOMAIN
from tests.support.command import World, command_world
from tests.support.stack import wait_for

__all__ = ["command_world"]


@dataclass
class Recorder:
    """A handler that writes down each event, and refuses those of `refused` aggregates."""

    name: str = field(default_factory=lambda: f"recorder-{uuid4().hex[:8]}")
    event_names: tuple[str, ...] = (WebsiteConnected.NAME, WebsiteDisconnected.NAME)
    refused: set[UUID] = field(default_factory=set)

    def handle(self, connection: Connection, event: Any) -> None:
        connection.execute(
            "INSERT INTO recorded VALUES (%s, %s, %s)", (self.name, event.originator_id, event.originator_version)
        )
        if event.originator_id in self.refused:
            raise ValueError("not this one")


@dataclass
class Subscribed:
    """A running subscription, and the log that it reads."""

    world: World
    handler: Recorder

    def publish(self, *events: DomainEvent, value: bytes | None = None) -> list[Record]:
        """Stores the events and relays them to topic `domain`; `value`: with these bytes instead of their own."""
        last = self.world.core.store.append(events)
        rows = self.world.postgres.execute(
            f"SELECT {STORED_COLUMNS} FROM events.stored_events WHERE notification_id > %s ORDER BY 1",
            ((last or 0) - len(events),),
        ).fetchall()
        records = [record_of(row) for row in rows]
        if value is not None:
            records = [Record(each.topic, each.key, value, each.headers) for each in records]
        self.world.log.publish(records).result(10)
        return records

    def recorded(self) -> list[tuple[UUID, int]]:
        """In commit order, once the subscription has read everything."""
        place = "SELECT next_offset FROM engine.position WHERE projection = %s"
        end = self.world.log.end_offset(DOMAIN.name, 0)
        wait_for(lambda: self.world.count(place, self.handler.name) == end, "the subscription")
        query = "SELECT aggregate, version FROM recorded WHERE name = %s ORDER BY ctid"
        return self.world.postgres.execute(query, (self.handler.name,)).fetchall()

    def letters(self, *aggregates: UUID) -> dict[tuple[str, str], int]:
        """The dead letters of these aggregates by reason and state: a new subscription reads the other tests' too."""
        query = """SELECT reason, state, count(*) FROM engine.dead_letter
            WHERE projection = %s AND key = ANY(%s) GROUP BY reason, state"""
        keys = [str(aggregate).encode() for aggregate in aggregates]
        rows = self.world.postgres.execute(query, (self.handler.name, keys)).fetchall()
        return {(reason, state): count for reason, state, count in rows}

    def retry(self) -> None:
        change = "UPDATE engine.dead_letter SET retry_requested_at = now() WHERE projection = %s AND reason <> 'parked'"
        self.world.postgres.execute(change, (self.handler.name,))


@pytest.fixture
def subscribed(command_world: World) -> Iterator[Subscribed]:
    made = Subscribed(command_world, Recorder())
    with running(made):
        yield made


@contextmanager
def running(subscribed: Subscribed) -> Iterator[None]:
    world, handler, stop = subscribed.world, subscribed.handler, Event()
    columns: LiteralString = "name text, aggregate uuid, version int, UNIQUE (name, aggregate, version)"
    world.postgres.execute("CREATE TABLE IF NOT EXISTS recorded (" + columns + ")")
    subscription = EventSubscription(world.log, world.core.keyring, handler)
    url = required_url(world.settings)

    def work() -> None:
        with connect(url, handler.name) as connection:
            subscription.run(connection, stop)

    thread = Thread(target=work)
    thread.start()
    try:
        wait_for(
            lambda: world.count("SELECT count(*) FROM engine.position WHERE projection = %s", handler.name),
            "the position",
        )
        yield
    finally:
        stop.set()
        thread.join(10)


def connected(site: UUID, owner: UUID) -> WebsiteConnected:
    return WebsiteConnected(
        **event_metadata(site, 0, system_context()),
        account_id=owner,
        domain="shop.example",
        timezone="UTC",
        currency="USD",
    )


def disconnected(site: UUID) -> WebsiteDisconnected:
    return WebsiteDisconnected(**event_metadata(site, 1, system_context()))


def test_an_event_that_is_relayed_twice_is_handled_once(subscribed: Subscribed) -> None:
    site = uuid4()
    records = subscribed.publish(connected(site, subscribed.world.owner.account_id))
    subscribed.world.log.publish(records).result(10)
    assert [row for row in subscribed.recorded() if row[0] == site] == [(site, 1)]
    assert subscribed.letters(site) == {}


def test_a_poison_event_blocks_its_own_aggregate_only(subscribed: Subscribed) -> None:
    owner, poison, unreadable, good = subscribed.world.owner.account_id, uuid4(), uuid4(), uuid4()
    subscribed.handler.refused.add(poison)
    subscribed.publish(connected(poison, owner), disconnected(poison))
    subscribed.publish(connected(unreadable, owner), value=b"{")
    subscribed.publish(connected(good, owner))
    found = subscribed.recorded()
    assert (good, 1) in found
    assert not [row for row in found if row[0] in (poison, unreadable)]
    assert subscribed.letters(poison, unreadable, good) == {
        ("refused_by_handler", "open"): 1,
        ("parked", "open"): 1,
        ("undecodable", "open"): 1,
    }


def test_what_a_newer_version_wrote_waits_for_it(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older version of the handler meets two events that it does not know; the newer one handles one of them."""
    owner, site, partner = command_world.owner.account_id, uuid4(), uuid4()
    older = Subscribed(command_world, Recorder(event_names=(WebsiteDisconnected.NAME,)))
    with monkeypatch.context() as code:
        for unknown in (WebsiteConnected, PartnerDeactivated):
            code.delitem(REGISTRY, unknown.NAME)
        with running(older):
            older.publish(connected(site, owner), disconnected(site))
            older.publish(PartnerDeactivated(**event_metadata(partner, 0, system_context())))
            assert not [row for row in older.recorded() if row[0] in (site, partner)]
    assert older.letters(site) == {("newer_version", "open"): 1, ("parked", "open"): 1}
    assert older.letters(partner) == {("newer_version", "open"): 1}
    newer = Subscribed(command_world, Recorder(name=older.handler.name))
    with running(newer):
        wait_for(lambda: newer.letters(partner) == {("newer_version", "retried"): 1}, "the retry")
        assert newer.letters(site) == {("newer_version", "retried"): 1, ("parked", "retried"): 1}
        assert [row for row in newer.recorded() if row[0] in (site, partner)] == [(site, 1), (site, 2)]


def test_a_retried_dead_letter_is_handled_before_what_is_parked_behind_it(subscribed: Subscribed) -> None:
    owner, poison = subscribed.world.owner.account_id, uuid4()
    subscribed.handler.refused.add(poison)
    subscribed.publish(connected(poison, owner), disconnected(poison))
    subscribed.recorded()
    subscribed.retry()
    attempts = "SELECT attempts FROM engine.dead_letter WHERE projection = %s AND key = %s AND reason <> 'parked'"
    key = str(poison).encode()
    wait_for(lambda: subscribed.world.count(attempts, subscribed.handler.name, key) == 2, "the second attempt")
    assert subscribed.letters(poison) == {("refused_by_handler", "open"): 1, ("parked", "open"): 1}
    subscribed.handler.refused.clear()
    subscribed.retry()
    wait_for(lambda: ("parked", "retried") in subscribed.letters(poison), "the retry")
    assert subscribed.letters(poison) == {("refused_by_handler", "retried"): 1, ("parked", "retried"): 1}
    assert [row for row in subscribed.recorded() if row[0] == poison] == [(poison, 1), (poison, 2)]
