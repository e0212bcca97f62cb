"""Reads the events once, folds them, and compares every row of the tables beside them, and every person's key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast
from uuid import UUID

import orjson
import psycopg
from eventsourcing.persistence import StoredEvent
from psycopg.rows import dict_row

from command_api.kernel import inline_rebuild
from command_api.kernel.event_store import EventMapper, name_and_version
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.memory_rows import Difference, MemoryRows
from infra.kernel.security.encryption import DecryptionError, decrypt, derived_key
from infra.kernel.security.subject_keys import Keyring, open_keyring
from infra.ops.audit.beside_events.accounts import ACCOUNTS
from infra.ops.audit.beside_events.fold import KeptTable, TableFold, Tables
from infra.ops.audit.beside_events.marketplace import MARKETPLACE
from infra.ops.audit.beside_events.people import PEOPLE
from infra.ops.audit.beside_events.publishing import PUBLISHING
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.row_findings import report_difference
from schemas.base import REGISTRY, DomainEvent, personal_fields, upcast
from schemas.envelope import open_personal
from schemas.events.accounts import AccountErased
from schemas.events.leads import InquiryErased

FOLDS: Final = (ACCOUNTS, MARKETPLACE, PEOPLE, PUBLISHING)
KEYS: Final = "kernel.subject_key"
"""Keys of people: without theirs, all that is stored of them reads as erased."""
_ERASING: Final = (AccountErased, InquiryErased)
_ROWS_A_FETCH: Final = 500


@dataclass(frozen=True)
class _Folding:
    """A fold, and its rows so far."""

    fold: TableFold
    tables: Tables

    @classmethod
    def of(cls, fold: TableFold) -> _Folding:
        keys = {**fold.memory, **{table.name: table.key for table in fold.tables}}
        return cls(fold, {name: MemoryRows(key) for name, key in keys.items()})


@dataclass
class _People:
    """The people with personal data in events, and those who were erased. A `Decrypt` that decrypts nothing."""

    named: set[UUID] = field(default_factory=set)
    erased: set[UUID] = field(default_factory=set)

    def note(self, stored: StoredEvent) -> None:
        """Takes an event as it is stored: whose key its personal fields are encrypted with is read without any key."""
        name, version = name_and_version(stored.topic)
        event_class, state = upcast(name, version, orjson.loads(stored.state))
        aggregate_id = cast(UUID, stored.originator_id)
        if event_class in _ERASING:
            self.erased.add(aggregate_id)
        open_personal(event_class, aggregate_id, state, self)

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:  # noqa: ARG002 - a `Decrypt`
        """Notes the person."""
        self.named.add(subject_id)
        return text

    def unseal(self, text: str, bound: bytes) -> None:
        """Sealed values are left out."""


def audit_rows_beside_events(settings: Settings) -> AuditReport:
    """Compares every row. Reads events and rows in one snapshot: it may run beside live traffic."""
    report = AuditReport()
    with inline_rebuild.open_connection(settings) as connection, open_keyring(settings) as keyring:
        if not exists(connection, "events.stored_events"):
            return report
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try:
                foldings, people = folded(connection, keyring)
            except ValueError as error:
                what = f"events cannot be read: {type(error).__name__}: {error}"
                report.found(DefectKind.WRONG, "event store", what)
                return report
            for folding in foldings:
                for table in folding.fold.tables:
                    _compare(connection, settings, table, folding.tables, report)
            _compare_keys(connection, settings, people, report)
    return report


def folded(connection: psycopg.Connection[Any], keyring: Keyring) -> tuple[list[_Folding], _People]:
    """Folds the stored events into tables. Raises `ValueError` for one that cannot be read."""
    foldings, people = [_Folding.of(fold) for fold in FOLDS], _People()
    for stored, event in _events(connection, keyring):
        people.note(stored)
        for folding in foldings:
            if (handler := folding.fold.handlers.get(type(event))) is not None:
                handler(folding.tables, event)
    for folding in foldings:
        folding.fold.at_end(folding.tables)
    return foldings, people


def _events(connection: psycopg.Connection[Any], keyring: Keyring) -> Iterator[tuple[StoredEvent, DomainEvent]]:
    """Each event that something is made of: as stored, and with its personal fields opened where a fold uses them."""
    handled = {event_class for fold in FOLDS for event_class in fold.handlers}
    personal = {event_class for event_class in REGISTRY.values() if personal_fields(event_class)}
    names = {event_class.NAME for event_class in handled | personal | {*_ERASING}}
    erased, opened = EventMapper(None), EventMapper(keyring)
    end = inline_rebuild.last_position(connection)
    for stored in inline_rebuild.stored_events(connection, names, 0, end):
        event = erased.to_domain_event(stored)
        if type(event) in handled and type(event) in personal:
            with suppress(DecryptionError):  # the key is a finding of its own
                event = opened.to_domain_event(stored)
        yield stored, event


def _compare(
    connection: psycopg.Connection[Any], settings: Settings, table: KeptTable, tables: Tables, report: AuditReport
) -> None:
    if not exists(connection, table.name):
        return
    expected = dict(tables[table.name].rows)
    with connection.cursor("kept_rows", row_factory=dict_row) as cursor:
        cursor.itersize = _ROWS_A_FETCH
        cursor.execute(table.statement.encode())
        for stored in cursor:
            row = table.read(settings, stored)
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


def _compare_keys(
    connection: psycopg.Connection[Any], settings: Settings, people: _People, report: AuditReport
) -> None:
    """A key that nothing was encrypted with yet is none too many: it is made before its event is stored. The row of an
    erased person stays, so that nobody gets a key under this id again."""
    wrapping, missing = derived_key(settings, "subject-keys"), people.named | people.erased
    for person, wrapped in connection.execute(_KEYS):
        missing.discard(person)
        report.checked[f"rows of {KEYS}"] += 1
        if wrapped is None and person not in people.erased:
            report.found(DefectKind.WRONG, KEYS, f"the key of {person} is deleted, and no event says so")
        elif wrapped is not None and person in people.erased:
            report.found(DefectKind.WRONG, KEYS, f"{person} is erased, but has a key")
        elif wrapped is not None and not _opens(wrapping, person, wrapped):
            report.found(DefectKind.WRONG, KEYS, f"the key of {person} cannot be opened")
    for person in missing:
        report.found(DefectKind.MISSING, KEYS, f"the row of {person} is lost")


def _opens(wrapping: bytes, person: UUID, wrapped: str) -> bool:
    try:
        decrypt(wrapping, wrapped, f"subject-key:{person}")
    except DecryptionError:
        return False
    return True


_KEYS: Final = "SELECT subject_id, key_wrapped FROM kernel.subject_key"
