"""Snapshots: every state is read back as it was, and personal data only with its person's key."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import StoredEvent

import command_api
from command_api.accounts import model as accounts
from command_api.conversions import model as conversions
from command_api.kernel import snapshots
from command_api.kernel.event_store import EventMapper, fold
from command_api.kernel.snapshots import Fold
from command_api.marketplace import offers
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.security.subject_keys import Keyring, SubjectErased
from schemas.base import ERASED, DomainEvent
from schemas.events.accounts import AccountRegistered, AccountRenamed
from schemas.evolution import UnexpectedEvent
from tests.support.decisions import history
from tests.support.text_keys import KeysInMemory
from tests.unit.command_api.conversions.test_forgotten import WORDS as CONVERSION_WORDS
from tests.unit.command_api.conversions.test_forgotten import history as conversion_events


class Keys:
    """A keyring without Postgres."""

    def __init__(self) -> None:
        self.erased: set[UUID] = set()
        self.used: set[UUID] = set()

    def encrypt(self, subject: UUID, field: str, text: str) -> str:
        if subject in self.erased:
            raise SubjectErased
        self.used.add(subject)
        return f"enc:{subject}:{field}:{text[::-1]}"

    def __call__(self, subject: UUID, field: str, text: str) -> str:
        return ERASED if subject in self.erased else text.removeprefix(f"enc:{subject}:{field}:")[::-1]


class TextKeys(Keys):
    """The same, with text keys; `erase` reaches all that is opened from now on."""

    def __init__(self, *numbers: int) -> None:
        super().__init__()
        self.texts = KeysInMemory(*numbers)

    def unseal(self, sealed: str, bound: bytes) -> bytes | None:
        return self.texts.opener().unseal(sealed, bound)

    def seal(self, number: int, leaf: bytes, text: bytes, bound: bytes) -> bytes | None:
        return self.texts.opener().seal(number, leaf, text, bound)


def evolve_functions() -> list[Any]:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(command_api.__path__, "command_api.")
        if not found.ispkg
    ]
    return [
        function
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("evolve") and function.__module__ == module.__name__
    ]


def folds(events: list[DomainEvent], evolve: Callable[[Any, Any], Any]) -> list[tuple[UUID, Fold[Any]]]:
    """What the function makes of each aggregate that is its own, after every event."""
    streams = defaultdict(list)
    for event in events:
        streams[event.originator_id].append(event)
    found = []
    for aggregate_id, stream in streams.items():
        for length in range(1, len(stream) + 1):
            state = Fold(evolve)
            try:
                for event in stream[:length]:
                    state.add(event)
            except UnexpectedEvent:
                break
            found.append((aggregate_id, state))
    return found


def plain(_: object, __: object, text: str) -> str:
    return text


def registered(account_id: UUID, *names: str) -> list[DomainEvent]:
    common = {"originator_id": account_id, "timestamp": "2026-11-23T10:00:00Z"}
    first = AccountRegistered(**common, originator_version=1, email="ada@b.example", name="Ada", way="invite")
    return [
        first,
        *(
            AccountRenamed(**common, originator_version=version, name=name)
            for version, name in enumerate(names, start=2)
        ),
    ]


def folded(events: list[DomainEvent], evolve: Any) -> Fold[Any]:
    state = Fold(evolve)
    for event in events:
        state.add(event)
    return state


@pytest.mark.parametrize("evolve", evolve_functions(), ids=lambda each: f"{each.__module__}.{each.__qualname__}")
def test_every_state_is_read_back_as_it_was(evolve: Any) -> None:
    for aggregate_id, state in folds(history(cast(Any, plain)), evolve):
        keys = Keys()
        snapshot = snapshots.encode(aggregate_id, state, cast(Keyring, keys))
        if len(state.persons) > 1 or None in state.persons:
            assert snapshot is None
            continue
        assert snapshot is not None and keys.used == state.persons
        found = snapshots.decode(snapshot, evolve, cast(Keyring, keys))
        assert found is not None and found.count == 0
        assert (found.state, found.version, found.persons) == (state.state, state.version, state.persons)


def test_a_snapshot_is_continued_as_its_events_would_be() -> None:
    ada, keys = uuid4(), Keys()
    events = registered(ada, "Ada L.", "Ada Lovelace")
    snapshot = snapshots.encode(ada, folded(events[:2], accounts.evolve), cast(Keyring, keys))
    assert snapshot is not None
    mapper = EventMapper(cast(Keyring, keys))
    stored = [mapper.to_stored_event(event) for event in events]

    def select(topic: str) -> list[StoredEvent]:
        return [snapshot, stored[2]] if topic == snapshot.topic else stored

    whole = folded(events, accounts.evolve)
    loaded = fold(select, mapper, accounts.evolve)
    assert (loaded.state, loaded.version, loaded.persons, loaded.count) == (whole.state, 3, {ada}, 1)
    keys.erased.add(ada)
    loaded = fold(select, mapper, accounts.evolve)
    assert loaded.state is not None and (loaded.state.email, loaded.state.name) == (ERASED, ERASED)
    assert (loaded.persons, loaded.count) == (set(), 3)


def test_a_person_who_is_erased_gets_no_snapshot_and_their_remains_need_no_key() -> None:
    ada, keys = uuid4(), Keys()
    keys.erased.add(ada)
    assert snapshots.encode(ada, folded(registered(ada), accounts.evolve), cast(Keyring, keys)) is None
    blank = [event.model_copy(update={"email": ERASED, "name": ERASED}) for event in registered(ada)]
    assert snapshots.encode(ada, folded(blank, accounts.evolve), cast(Keyring, keys)) is not None
    assert keys.used == set()


def test_what_several_people_wrote_has_no_snapshot() -> None:
    several = [state for _, state in folds(history(cast(Any, plain)), offers.evolve) if len(state.persons) > 1]
    assert several
    assert snapshots.encode(uuid4(), several[-1], cast(Keyring, Keys())) is None


def test_other_code_reads_no_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = snapshots.topic_of(accounts.evolve)
    assert topic.startswith("command_api.accounts.model.evolve@") and topic == snapshots.topic_of(accounts.evolve)
    assert topic != snapshots.topic_of(accounts.evolve_email)
    monkeypatch.setattr(snapshots, "code_hash", lambda: "of another version")
    assert topic != snapshots.topic_of(accounts.evolve)


def conversion_history(keys: TextKeys, *numbers: int) -> list[StoredEvent]:
    """A sale, its person erased, and another report; each event sealed with the key of its number."""
    *events, forgotten = conversion_events()
    later = events[1].model_copy(update={"originator_version": 4})
    mapper = EventMapper(None)
    return [
        mapper.to_stored_event(event, keys.texts.key(number))
        for event, number in zip([*events, forgotten, later], numbers, strict=True)
    ]


def test_a_snapshot_of_sealed_values_is_as_unreadable_as_they_are() -> None:
    keys = TextKeys(7, 8)
    mapper = EventMapper(cast(Keyring, keys))
    stored = conversion_history(keys, 7, 7, 8, 8)
    sale = cast(UUID, stored[0].originator_id)

    def loaded(events: list[StoredEvent], snapshot: StoredEvent | None = None) -> Fold[Any]:
        def select(topic: str) -> list[StoredEvent]:
            rest = [
                each for each in events if snapshot is None or each.originator_version > snapshot.originator_version
            ]
            return [snapshot, *rest] if snapshot is not None and topic == snapshot.topic else events

        return fold(select, mapper, conversions.evolve)

    before = loaded(stored[:2])
    assert before.text_key == 7
    snapshot = snapshots.encode(sale, before, cast(Keyring, keys))
    assert snapshot is not None
    assert not [word for word in CONVERSION_WORDS if word.encode() in snapshot.state]
    assert loaded(stored, snapshot).state == loaded(stored).state
    assert loaded(stored[:2], snapshot).text_key == 7, "a snapshot that continues it is sealed as well"

    keys.texts.erase(7, leaf_of_stream(sale))
    assert snapshots.decode(snapshot, conversions.evolve, cast(Keyring, keys)) is None
    assert snapshots.encode(sale, before, cast(Keyring, keys)) is None, "it was loaded before the erasure"
    after = loaded(stored, snapshot)
    assert after.state is not None and after.state.is_forgotten
    assert after.text_key == 8, "what was reported later"
    assert snapshots.encode(sale, loaded(stored[:3]), cast(Keyring, keys)) is not None, "nothing of a person is left"
