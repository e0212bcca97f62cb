"""Reads the events once, folds them, and compares every row of the tables beside them, and every person's key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from command_api.kernel import inline_rebuild
from command_api.kernel.event_store import EventMapper
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.memory_rows import Difference, MemoryRows
from infra.kernel.security.encryption import DecryptionError, decrypt, derived_key
from infra.kernel.security.subject_keys import Keyring, open_keyring
from infra.ops.audit.beside_events.accounts import ACCOUNTS
from infra.ops.audit.beside_events.fold import Fold, KeptTable, Tables
from infra.ops.audit.beside_events.marketplace import MARKETPLACE
from infra.ops.audit.beside_events.people import PEOPLE
from infra.ops.audit.beside_events.publishing import PUBLISHING
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import Kind, Report
from infra.ops.audit.row_findings import report_difference
from schemas.base import ERASED, REGISTRY, DomainEvent, personal_fields
from schemas.envelope import ENCRYPTED_PREFIX
from schemas.events.accounts import AccountErased
from schemas.events.leads import InquiryErased

FOLDS: Final = (ACCOUNTS, MARKETPLACE, PEOPLE, PUBLISHING)
KEYS: Final = "auth.subject_key"
"""Keys of people: without theirs, all that is stored of them reads as erased."""
_ROWS_A_FETCH: Final = 500


@dataclass(frozen=True)
class _Folding:
    """A fold, and its rows so far."""

    fold: Fold
    tables: Tables

    @classmethod
    def of(cls, fold: Fold) -> _Folding:
        keys = {**fold.memory, **{table.name: table.key for table in fold.tables}}
        return cls(fold, {name: MemoryRows(key) for name, key in keys.items()})


@dataclass
class _People:
    """Who has personal data in events, and who was erased."""

    named: set[UUID] = field(default_factory=set)
    erased: set[UUID] = field(default_factory=set)

    def note(self, event: DomainEvent) -> None:
        """Takes an event whose personal fields are encrypted."""
        if isinstance(event, AccountErased | InquiryErased):
            self.erased.add(event.originator_id)
        texts = (getattr(event, name) for name in personal_fields(type(event)))
        if any(isinstance(text, str) and text.startswith(ENCRYPTED_PREFIX) for text in texts):
            self.named.add(getattr(event, type(event).SUBJECT))


def audit_rows_beside_events(settings: Settings) -> Report:
    """Compares every row. Reads events and rows in one snapshot: it may run beside live traffic."""
    report = Report()
    with inline_rebuild.open_connection(settings) as connection, open_keyring(settings) as keyring:
        if not exists(connection, "events.stored_events"):
            return report
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try:
                foldings, people = folded(connection, keyring)
            except ValueError as error:
                what = f"events cannot be read: {type(error).__name__}: {error}"
                report.found(Kind.WRONG, "event store", what)
                return report
            for folding in foldings:
                for table in folding.fold.tables:
                    _compare(connection, settings, table, folding.tables, report)
            _compare_keys(connection, settings, people, report)
    return report


def folded(connection: psycopg.Connection[Any], keyring: Keyring) -> tuple[list[_Folding], _People]:
    """What the stored events give. Raises `ValueError` for one that cannot be read."""
    foldings, people = [_Folding.of(fold) for fold in FOLDS], _People()
    for sealed, event in _events(connection, keyring):
        people.note(sealed)
        for folding in foldings:
            if (handler := folding.fold.handlers.get(type(event))) is not None:
                handler(folding.tables, event)
    for folding in foldings:
        folding.fold.at_end(folding.tables)
    return foldings, people


def _events(connection: psycopg.Connection[Any], keyring: Keyring) -> Iterator[tuple[DomainEvent, DomainEvent]]:
    """Each event that something is made of, with its personal fields encrypted, and opened where a fold uses it."""
    handled = {event_class for fold in FOLDS for event_class in fold.handlers}
    personal = {event_class for event_class in REGISTRY.values() if personal_fields(event_class)}
    names = {event_class.NAME for event_class in handled | personal | {AccountErased, InquiryErased}}
    sealed, opened = EventMapper(None), EventMapper(keyring)
    end = inline_rebuild.last_position(connection)
    for stored in inline_rebuild.stored_events(connection, names, 0, end):
        event = sealed.to_domain_event(stored)
        if type(event) not in handled or type(event) not in personal:
            yield event, event
            continue
        try:
            yield event, opened.to_domain_event(stored)
        except DecryptionError:  # the key is a finding of its own
            yield event, event.model_copy(update=dict.fromkeys(personal_fields(type(event)), ERASED))


def _compare(
    connection: psycopg.Connection[Any], settings: Settings, table: KeptTable, tables: Tables, report: Report
) -> None:
    if not exists(connection, table.name):
        return
    expected = dict(tables[table.name].rows)
    with connection.cursor("kept_rows", row_factory=dict_row) as cursor:
        cursor.itersize = _ROWS_A_FETCH
        cursor.execute(table.statement.encode())
        for found in cursor:
            row = table.read(settings, found)
            key = tuple(row[name] for name in table.key)
            wanted = expected.pop(key, None) or table.unlisted(tables, row)
            report.checked[f"rows of {table.name}"] += 1
            if wanted is not None:
                wanted = {name: wanted.get(name) for name in row}
            if wanted != row:
                report_difference(report, table.name, Difference(table.name, key, wanted, row), table.personal)
    for key, wanted in expected.items():
        if table.is_complete and not wanted.get("optional"):
            report_difference(report, table.name, Difference(table.name, key, wanted, None))


def _compare_keys(connection: psycopg.Connection[Any], settings: Settings, people: _People, report: Report) -> None:
    """A key that nothing was encrypted with yet is none too many: it is made before its event is stored. The row of an
    erased person stays, so that nobody gets a key under this id again."""
    wrapping, missing = derived_key(settings, "subject-keys"), people.named | people.erased
    for person, wrapped in connection.execute(_KEYS):
        missing.discard(person)
        report.checked[f"rows of {KEYS}"] += 1
        if wrapped is None and person not in people.erased:
            report.found(Kind.WRONG, KEYS, f"the key of {person} is deleted, and no event says so")
        elif wrapped is not None and person in people.erased:
            report.found(Kind.WRONG, KEYS, f"{person} is erased, but has a key")
        elif wrapped is not None and not _opens(wrapping, person, wrapped):
            report.found(Kind.WRONG, KEYS, f"the key of {person} cannot be opened")
    for person in missing:
        report.found(Kind.MISSING, KEYS, f"the row of {person} is lost")


def _opens(wrapping: bytes, person: UUID, wrapped: str) -> bool:
    try:
        decrypt(wrapping, wrapped, f"subject-key:{person}")
    except DecryptionError:
        return False
    return True


_KEYS: Final = "SELECT subject_id, key_wrapped FROM auth.subject_key"
