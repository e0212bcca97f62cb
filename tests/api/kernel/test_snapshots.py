"""Snapshots on a real Postgres: long streams are loaded from few events, and nothing depends on a snapshot."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import StoredEvent
from psycopg import Rollback

from command_api.accounts import model
from command_api.kernel import snapshots
from command_api.kernel.decision import event_metadata, system_context
from command_api.kernel.event_store import EventMapper
from command_api.kernel.snapshots import INTERVAL
from schemas.base import ERASED
from schemas.events.accounts import AccountRenamed, SignedIn
from tests.support.command import World, command_world
from tests.support.people import Member, member

__all__ = ["command_world"]
LONG = 1_000
SNAPSHOTS = "SELECT count(*) FROM events.snapshots WHERE originator_id = %s"


@pytest.fixture
def mapped(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The events that loads read."""
    read: list[object] = []
    opened = EventMapper.opened

    def counted(mapper: EventMapper, stored: Any) -> Any:
        read.append(stored)
        return opened(mapper, stored)

    monkeypatch.setattr(EventMapper, "opened", counted)
    return read


def load(world: World, ada: Member) -> model.Account:
    account = world.core.store.load(UUID(ada.id), model.evolve)
    assert account is not None
    return account


def rename(world: World, ada: Member, name: str) -> None:
    version = len(world.events(ada.id))
    event = AccountRenamed(**event_metadata(UUID(ada.id), version, system_context()), name=name)
    world.core.store.append([event])


def with_long_stream(world: World) -> Member:
    """A member whose stream has the sign-ins of older versions."""
    ada = member(world)
    account_id, version, context = UUID(ada.id), len(world.events(ada.id)), system_context()
    world.core.store.append(
        [
            SignedIn(**event_metadata(account_id, number, context), session_id=account_id, method="password")
            for number in range(version, LONG)
        ]
    )
    return ada


def test_a_long_stream_is_loaded_from_few_events(command_world: World, mapped: list[object]) -> None:
    ada = with_long_stream(command_world)
    mapped.clear()
    whole = load(command_world, ada)
    assert len(mapped) == LONG == whole.version
    mapped.clear()
    assert load(command_world, ada) == whole and mapped == []
    for number in range(INTERVAL + 10):
        rename(command_world, ada, f"Ada {number}")
        mapped.clear()
        account = load(command_world, ada)
        assert (account.name, account.version) == (f"Ada {number}", LONG + number + 1)
        assert 1 <= len(mapped) <= INTERVAL
    assert len(mapped) == 10 and command_world.count(SNAPSHOTS, ada.id) == 1


def test_a_snapshot_may_be_deleted_or_of_other_code(
    command_world: World, mapped: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = with_long_stream(command_world)
    whole = load(command_world, ada)
    command_world.postgres.execute("TRUNCATE events.snapshots")
    mapped.clear()
    assert load(command_world, ada) == whole and len(mapped) == LONG
    with monkeypatch.context() as changed:
        changed.setattr(snapshots, "code_hash", lambda: "of another version")
        mapped.clear()
        assert load(command_world, ada) == whole and len(mapped) == LONG
        mapped.clear()
        assert load(command_world, ada) == whole and mapped == []
    # Both versions run side by side: each replaces what it cannot read.
    assert load(command_world, ada) == whole and len(mapped) == LONG
    assert command_world.count(SNAPSHOTS, ada.id) == 1


def load_uncommitted(world: World, ada: Member) -> model.Account:
    """The account as a transaction sees it that renamed it and rolls back."""
    account_id, account = UUID(ada.id), None
    with suppress(Rollback), world.core.store.transaction() as transaction:
        transaction.append([AccountRenamed(**event_metadata(account_id, LONG, system_context()), name="Never")])
        account = transaction.load(account_id, model.evolve)
        raise Rollback
    assert account is not None and (account.name, account.version) == ("Never", LONG + 1)
    return account


def test_what_is_not_committed_is_in_no_snapshot(command_world: World, mapped: list[object]) -> None:
    ada = with_long_stream(command_world)
    uncommitted = load_uncommitted(command_world, ada)
    assert command_world.count(SNAPSHOTS, ada.id) == 0
    whole = load(command_world, ada)
    assert whole.version == LONG and whole.name != "Never"
    mapped.clear()
    assert load_uncommitted(command_world, ada) == uncommitted and len(mapped) == 1
    assert load(command_world, ada) == whole


def test_an_older_snapshot_replaces_no_newer_one(command_world: World) -> None:
    """A slow load stores its snapshot after a faster one."""
    ada = with_long_stream(command_world)
    load(command_world, ada)
    [older] = stored(command_world, ada)
    command_world.postgres.execute("UPDATE events.snapshots SET originator_version = originator_version + 1")
    [newer] = stored(command_world, ada)
    recorder: Any = command_world.core.store.recorder
    with recorder.datastore.get_connection() as connection:
        recorder.save_snapshot(connection.cursor(), StoredEvent(UUID(ada.id), *older))
    assert stored(command_world, ada) == [newer]


def test_an_erased_person_is_in_no_snapshot(command_world: World) -> None:
    ada = with_long_stream(command_world)
    account = load(command_world, ada)
    [(_, _, state)] = stored(command_world, ada)
    assert account.email.encode() not in state and account.name.encode() not in state
    assert ada.call("POST", "/api/platform/erase", json={"password": ada.password}).status_code == 204
    for _ in range(2):
        erased = load(command_world, ada)
        assert erased.erased and (erased.email, erased.name) == (ERASED, ERASED)
    [(version, _, state)] = stored(command_world, ada)
    assert version == LONG + 1 and ERASED.encode() in state


def stored(world: World, ada: Member) -> list[Any]:
    columns = "SELECT originator_version, topic, state FROM events.snapshots WHERE originator_id = %s"
    return world.postgres.execute(columns, (ada.id,)).fetchall()
