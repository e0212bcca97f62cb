"""Snapshots: stored states of long streams, so that a load folds only the events since.

A snapshot is a cache. It is written after a load outside of a transaction that folded `INTERVAL` events or more, so it
follows from committed events alone; only the code that wrote it reads it: its topic has a hash of all code. Deleting
snapshots changes no result.

If the events contain personal data, the state is encrypted with that person's key, so that an erased person's snapshot
cannot be read. A stream with personal data of several persons has no snapshot: what several people write into is
short. If they contain what is sealed for visitors of websites, the state is sealed with the newest key
that opened one of them: an erasure, which takes the person out of the keys of all their events, makes the snapshot
unreadable with them, also one that is being written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module
from typing import Any, Final, Generic, TypeVar, get_type_hints
from uuid import UUID

import orjson
import structlog
from eventsourcing.persistence import StoredEvent
from pydantic import TypeAdapter

from command_api.kernel.decision import Evolve
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.config.paths import PACKAGES
from infra.kernel.security.subject_keys import Keyring, SubjectErased
from schemas.base import ERASED, DomainEvent, personal_fields
from schemas.evolution import Evolution

State = TypeVar("State")

INTERVAL: Final = 50

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(slots=True)
class Fold(Generic[State]):
    """The state of an aggregate after the events that `add` was called with. `persons`: whose data they contain, `None`
    for a person whom an event does not name. `text_key`: the newest one that opened a sealed value of the events, 0:
    none did. `count`: events since the snapshot, which `add` counts."""

    evolve: Evolve[State]
    state: State | None = None
    version: int = 0
    persons: set[UUID | None] = field(default_factory=set)
    text_key: int = 0
    count: int = 0

    def add(self, event: DomainEvent, text_key: int = 0) -> None:
        """Raises `UnexpectedEvent`."""
        self.state = self.evolve(self.state, event)
        self.version = event.originator_version
        self.text_key = max(self.text_key, text_key)
        self.count += 1
        if any(getattr(event, name) not in (None, ERASED) for name in personal_fields(type(event))):
            self.persons.add(getattr(event, type(event).SUBJECT))


def topic_of(evolve: Evolve[Any]) -> str:
    """The topic of snapshots of the function's states: its name and a hash of the code."""
    return f"{evolve.__module__}.{_name_of(evolve)}@{code_hash()}"


@cache
def _name_of(evolve: Evolve[Any]) -> str:
    """Returns the name under which its module has it."""
    if not isinstance(evolve, Evolution):
        return evolve.__qualname__
    return next(name for name, value in vars(import_module(evolve.__module__)).items() if value is evolve)


def encode(aggregate_id: UUID, fold: Fold[Any], keyring: Keyring) -> StoredEvent | None:
    """The snapshot of the fold's state, or `None` if there must be none."""
    person, *others = fold.persons or {None}
    if others or (person is None and fold.persons):
        return None
    adapter = _adapter(fold.evolve)
    text = adapter.dump_json(fold.state).decode()
    if adapter.validate_json(text) != fold.state:
        log.warning("snapshot_inexact", topic=topic_of(fold.evolve))
        return None
    if person is not None:
        try:
            text = keyring.encrypt(person, _field(aggregate_id), text)
        except SubjectErased:
            return None
    if fold.text_key:
        leaf, bound = leaf_of_stream(aggregate_id), _field(aggregate_id).encode()
        sealed = keyring.seal(fold.text_key, leaf, text.encode(), bound)
        if sealed is None:
            return None
        text = sealed.decode()
    content = orjson.dumps({"person": person, "text_key": fold.text_key, "state": text})
    return StoredEvent(aggregate_id, fold.version, topic_of(fold.evolve), content)


def decode(stored: StoredEvent, evolve: Evolve[State], keyring: Keyring) -> Fold[State] | None:
    """The fold to continue from, or `None` for a snapshot of an erased person."""
    content = orjson.loads(stored.state)
    text, persons = content["state"], set[UUID | None]()
    if content["text_key"]:
        opened = keyring.unseal(text, _field(stored.originator_id).encode())
        if opened is None:
            return None
        text = opened.decode()
    if content["person"] is not None:
        person = UUID(content["person"])
        text = keyring(person, _field(stored.originator_id), text)
        persons.add(person)
    if text == ERASED:
        return None
    state = _adapter(evolve).validate_json(text)
    return Fold(evolve, state, stored.originator_version, persons, content["text_key"])


def _field(aggregate_id: object) -> str:
    """Binds the encrypted state to its aggregate."""
    return f"snapshot:{aggregate_id}"


@cache
def _adapter(evolve: Evolve[State]) -> TypeAdapter[State]:
    state: type[State] = evolve.state if isinstance(evolve, Evolution) else get_type_hints(evolve)["return"]
    return TypeAdapter(state)


@cache
def code_hash() -> str:
    """The hash of the code's files. To be called when the process starts."""
    paths = (path for folder in _CODE for path in (PACKAGES / folder).rglob("*.py"))
    digest = sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(PACKAGES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


_CODE: Final = ("schemas", "infra/kernel", "infra/domain", "command_api")
"""The code that a state can depend on: an import rule keeps everything else out."""
