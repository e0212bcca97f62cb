"""What leads to a website's visitor is stored sealed: readable by key, and by nobody once the person is erased."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID, uuid4

import orjson
import pytest
from eventsourcing.persistence import StoredEvent
from pydantic import BaseModel

from command_api.kernel.event_store import EventMapper, name_and_version
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.config.paths import ROOT
from infra.kernel.security.encryption import DecryptionError
from schemas import envelope
from schemas.base import (
    ERASED,
    REGISTRY,
    DomainEvent,
    Frozen,
    Sealed,
    UnknownEvent,
    sealed_fields,
    sealed_with_names,
    upcast,
    validated,
)
from tests.support.text_keys import KeysInMemory

SAMPLES = ROOT / "schemas" / "samples"
SEALED_EVENTS = sorted(name for name, event in REGISTRY.items() if sealed_fields(event))
CONVERSION = uuid4()
VISITOR = "7777777777"
WORDS = (VISITOR, "click-njal", "sub-njal", "region-njal", "city-njal", "customer-njal", "unread-njal")


def sample(name: str) -> DomainEvent:
    """The event as its golden sample has it, with a word in each of its sealed fields whose value is there."""
    event_class = REGISTRY[name]
    state = orjson.loads((SAMPLES / f"{name}.v{event_class.VERSION}.json").read_bytes())
    if "reported" in event_class.model_fields:
        state["reported"] = orjson.loads((SAMPLES / "conversion.report_merged.v1.json").read_bytes())["reported"]
    for path in sealed_fields(event_class):
        holder: Any = state
        for part in path[:-1]:
            if holder is not None:
                holder = holder.setdefault(part, {}) if part == "visit" else holder.get(part)
        if holder is not None:
            holder[path[-1]] = words_of(path[-1])
    return validated(event_class, {**state, "originator_id": CONVERSION, "originator_version": 3})


def words_of(name: str) -> Any:
    if name == "visitor":
        return int(VISITOR)
    word = f"{name.removesuffix('_id').removesuffix('s')}-njal"
    return {"sub1": word} if name == "subs" else {"status": word} if name == "unread" else word


def read(stored: StoredEvent, keys: KeysInMemory | None) -> tuple[DomainEvent, bool]:
    """The event as readers of the log decode it, and whether it is whole."""
    name, version = name_and_version(stored.topic)
    headers = envelope.headers(name, version, 1, CONVERSION, stored.originator_version)
    found = envelope.decode(stored.state, headers, keys.opener() if keys is not None else None)
    assert found.event == EventMapper(None, keys.opener() if keys is not None else None).to_domain_event(stored)
    return found.event, found.is_whole


def plain_values(event: BaseModel) -> dict[tuple[str, ...], Any]:
    """The values of the sealed fields that are there."""
    found = {}
    for path in sealed_fields(type(event)):
        value: Any = event
        for name in path:
            value = getattr(value, name) if value is not None else None
        if value is not None:
            found[path] = value
    return found


@pytest.mark.parametrize("name", SEALED_EVENTS)
def test_what_leads_to_a_person_is_in_no_stored_event_until_the_key_opens_it(name: str) -> None:
    event, keys = sample(name), KeysInMemory(7)
    assert [word for word in WORDS if word in event.model_dump_json()], "nothing would be sealed"
    stored = EventMapper(None).to_stored_event(event, keys.key(7))
    assert not [word for word in WORDS if word.encode() in stored.state]
    assert read(stored, keys) == (event, True)
    assert EventMapper(None, keys.opener()).opened(stored) == (event, 7)


def defaults_of(event: DomainEvent) -> dict[tuple[str, ...], Any]:
    """What the sealed fields read as once the person is erased."""
    defaults, with_names = sealed_fields(type(event)), sealed_with_names(type(event))
    names = words_of("unread")
    return {path: dict.fromkeys(names, ERASED) if path in with_names else default for path, default in defaults.items()}


@pytest.mark.parametrize("name", SEALED_EVENTS)
def test_of_an_erased_person_every_other_value_stays(name: str) -> None:
    event, keys = sample(name), KeysInMemory(7)
    stored = EventMapper(None).to_stored_event(event, keys.key(7))
    keys.erase(7, leaf_of_stream(uuid4()))
    assert read(stored, keys) == (event, True), "another person was erased"
    keys.erase(7, leaf_of_stream(CONVERSION))
    erased, is_whole = read(stored, keys)
    assert not is_whole
    assert EventMapper(None, keys.opener()).opened(stored) == (erased, 0)
    defaults = defaults_of(event)
    assert plain_values(erased) == {path: defaults[path] for path in plain_values(event)}
    clear = event.model_dump(mode="json")
    assert envelope.take_sealed(type(event), clear)
    left = erased.model_dump(mode="json")
    envelope.take_sealed(type(event), left)
    with_names = sealed_with_names(type(event))
    for path, default in defaults.items():
        holder: Any = left
        for part in path[:-1]:
            holder = holder[part] if holder is not None else None
        if holder is not None:
            assert holder[path[-1]] == default
            if path not in with_names:
                del holder[path[-1]]
    assert left == clear


@pytest.mark.parametrize("name", SEALED_EVENTS)
def test_events_of_before_and_of_a_store_without_a_key_are_in_clear(name: str) -> None:
    event = sample(name)
    stored = EventMapper(None).to_stored_event(event)
    assert "sealed" not in orjson.loads(stored.state)
    assert read(stored, None) == (event, True)


def test_an_event_with_nothing_of_a_person_has_no_sealed_member() -> None:
    event_class = REGISTRY["conversion.approved"]
    state = orjson.loads((SAMPLES / "conversion.approved.v1.json").read_bytes())
    state["facts"]["attribution"] = None
    event = validated(event_class, {**state, "originator_id": CONVERSION, "originator_version": 3})
    stored = EventMapper(None).to_stored_event(event, KeysInMemory(7).key(7))
    assert "sealed" not in orjson.loads(stored.state)


def test_a_later_event_is_sealed_with_the_next_key() -> None:
    keys = KeysInMemory(7, 8)
    keys.erase(7, leaf_of_stream(CONVERSION))
    event = sample("conversion.report_merged")
    assert read(EventMapper(None).to_stored_event(event, keys.key(8)), keys) == (event, True)


def test_sealed_values_open_in_their_own_event_alone() -> None:
    keys = KeysInMemory(7)
    stored = EventMapper(None).to_stored_event(sample("conversion.attributed"), keys.key(7))
    for aggregate_id, version in ((uuid4(), 3), (CONVERSION, 4)):
        moved = StoredEvent(aggregate_id, version, stored.topic, stored.state)
        with pytest.raises(DecryptionError):
            EventMapper(None, keys.opener()).to_domain_event(moved)


@pytest.mark.parametrize("sealed", ['"sealed":"x"', '"sealed":"AAAA"', '"sealed":7', '"sealed":null'])
def test_a_member_that_nobody_sealed_is_refused(sealed: str) -> None:
    value = (SAMPLES / "conversion.approved.v1.json").read_bytes().rstrip()[:-1] + f",{sealed}}}".encode()
    headers = envelope.headers("conversion.approved", 1, 1, CONVERSION, 3)
    with pytest.raises(envelope.UndecodableEvent):
        envelope.decode(value, headers, KeysInMemory(7).opener())


def test_a_key_that_is_lost_reads_like_an_erased_person() -> None:
    stored = EventMapper(None).to_stored_event(sample("conversion.attributed"), KeysInMemory(7).key(7))
    assert read(stored, KeysInMemory(8))[1] is False


def test_a_program_of_before_takes_a_sealed_event_for_a_newer_one() -> None:
    stored = EventMapper(None).to_stored_event(sample("conversion.attributed"), KeysInMemory(7).key(7))
    event_class, state = upcast("conversion.attributed", 1, orjson.loads(stored.state))
    with pytest.raises(UnknownEvent, match="sealed"):
        validated(event_class, {**state, "originator_id": CONVERSION, "originator_version": 3})


def test_every_sealed_field_has_a_default_and_no_event_has_the_name_of_the_member() -> None:
    assert {"conversion.recorded", "conversion.restated", "conversion.assigned"} <= set(SEALED_EVENTS)
    for name, event_class in REGISTRY.items():
        assert envelope.SEALED not in event_class.model_fields, name
        if sealed_fields(event_class):
            assert name.startswith("conversion."), "the leaf is that of a conversion"
            assert set(map(repr, sealed_fields(event_class).values())) <= {"''", "{}", "0"}, name


def test_what_is_in_a_collection_cannot_be_sealed() -> None:
    class Told(Frozen):
        who: Sealed[str] = ""

    class Listed(Frozen):
        LIMIT: ClassVar[int] = 1
        told: tuple[Told, ...] = ()
        one: Told | None = None

    with pytest.raises(TypeError, match="collection"):
        sealed_fields(Listed)


def test_a_stale_copy_of_the_newest_key_loses_no_value() -> None:
    """An erasure begins a key, so the newest one opens for everybody; if it did not, the values would be in clear."""
    keys, event = KeysInMemory(7), sample("conversion.attributed")
    keys.erase(7, leaf_of_stream(CONVERSION))
    stored = EventMapper(None).to_stored_event(event, keys.key(7))
    assert read(stored, keys) == (event, True)


def test_aggregates_have_leaves_of_their_own() -> None:
    assert len({leaf_of_stream(UUID(int=number)) for number in range(1_000)}) == 1_000
