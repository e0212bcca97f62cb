"""How events are stored: named and versioned, personal fields encrypted, old versions read as the newest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar, cast
from uuid import UUID, uuid4

import orjson
import pytest
from eventsourcing.persistence import StoredEvent

from command_api.kernel.event_store import EventMapper, name_and_version
from command_api.kernel.outbox_relay import record_of
from infra.kernel.security.subject_keys import Keyring
from schemas.base import ERASED, REGISTRY, DomainEvent, Personal
from schemas.envelope import decode, position_of
from schemas.events.accounts import AccountRegistered
from schemas.events.partners import PartnerRegistered, Terms
from schemas.message_ids import NO_IDS, MessageIds

NOW = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)


class Ring:
    """Turns texts around; knows one person."""

    def __init__(self, subject: UUID) -> None:
        self.subject = subject

    def encrypt(self, _subject_id: UUID, field: str, text: str) -> str:
        return f"enc:{field}:{text[::-1]}"

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:  # noqa: ARG002 - the names of `Decrypt`
        return text.rpartition(":")[2][::-1] if subject_id == self.subject else ERASED

    def unseal(self, _sealed: str, _bound: bytes) -> bytes | None:
        return None


def mapper(subject: UUID) -> EventMapper:
    return EventMapper(cast(Keyring, Ring(subject)))


def registered() -> AccountRegistered:
    return AccountRegistered(
        originator_id=uuid4(), originator_version=1, timestamp=NOW, email="a@b.example", name="Ada", way="setup"
    )


def test_personal_fields_are_encrypted_and_opened_again() -> None:
    event = registered()
    stored = mapper(event.originator_id).to_stored_event(event)
    assert stored.topic == "account.registered.v1"
    assert b"a@b.example" not in stored.state and b"Ada" not in stored.state
    assert orjson.loads(stored.state)["email"] == "enc:email:elpmaxe.b@a"
    assert mapper(event.originator_id).to_domain_event(stored) == event


def test_without_the_key_personal_fields_read_erased() -> None:
    event = registered()
    stored = mapper(event.originator_id).to_stored_event(event)
    erased = mapper(uuid4()).to_domain_event(stored)
    assert isinstance(erased, AccountRegistered)
    assert (erased.email, erased.name, erased.way) == (ERASED, ERASED, "setup")


def test_text_in_an_event_of_another_aggregate_is_encrypted_with_the_authors_key() -> None:
    class NoteWritten(DomainEvent):
        """A member wrote a note on an object of another account."""

        NAME: ClassVar[str] = "test.note_written"
        SUBJECT: ClassVar[str] = "author_id"
        author_id: UUID
        text: Personal[str]

    try:
        note = NoteWritten(originator_id=uuid4(), originator_version=1, timestamp=NOW, author_id=uuid4(), text="Hello")
        stored = mapper(note.author_id).to_stored_event(note)
        assert b"Hello" not in stored.state
        assert mapper(note.author_id).to_domain_event(stored) == note
        forgotten = mapper(note.originator_id).to_domain_event(stored)
        assert isinstance(forgotten, NoteWritten) and forgotten.text == ERASED
    finally:
        del REGISTRY[NoteWritten.NAME]


def test_a_store_without_a_keyring_stores_nothing_personal() -> None:
    with pytest.raises(RuntimeError):
        EventMapper(None).to_stored_event(registered())


def test_an_old_version_reads_as_the_newest() -> None:
    state = {
        "timestamp": NOW.isoformat(),
        "name": "Good",
        "slug": "good",
        "base_url": "https://g.example",
        "commission": 12.5,
    }
    stored = StoredEvent(uuid4(), 1, "partner.registered.v1", orjson.dumps(state))
    event = EventMapper(None).to_domain_event(stored)
    assert isinstance(event, PartnerRegistered)
    assert event.terms == Terms(rate_bp=1250)


def test_the_relayed_record_decodes_to_the_same_event() -> None:
    event = registered()
    stored = mapper(event.originator_id).to_stored_event(event)
    ids = MessageIds(uuid4(), "request-1", "report-1")
    row = (77, event.originator_id, stored.originator_version, stored.topic, stored.state)
    record = record_of((*row, ids.command_id, ids.correlation_id, ids.causation_id))
    assert record.value == stored.state
    assert record.key == str(event.originator_id).encode()
    assert position_of(record.headers) == 77
    found = decode(record.value, record.headers, Ring(event.originator_id))
    assert (found.event, found.position, found.ids) == (event, 77, ids)
    old = record_of((*row, None, None, None))
    assert old.headers == record.headers[:-3]
    assert decode(old.value, old.headers, Ring(event.originator_id)).ids == NO_IDS


@pytest.mark.parametrize(
    ("topic", "found"), [("a.b.v1", ("a.b", 1)), ("a.very.v12", ("a.very", 12)), ("x.v.v2", ("x.v", 2))]
)
def test_names_and_versions(topic: str, found: tuple[str, int]) -> None:
    assert name_and_version(topic) == found
