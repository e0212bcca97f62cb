"""The rows that the command service would have written beside the events that a test stored itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from infra.domain.payout_files import PURPOSE
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.rows import Row
from infra.kernel.security.encryption import derived_key, encrypt
from infra.kernel.security.subject_keys import open_keyring
from infra.ops.audit.beside_events.comparison import audit_rows_beside_events, folded
from infra.ops.audit.beside_events.fold import OneOf

PICTURES: Final = {sha256(body).hexdigest(): body for body in (b"first picture", b"second picture", b"third picture")}
"""Contents by the hash that events of a history name."""
PICTURE_HASHES: Final = tuple(PICTURES)
PAYOUT_FILE: Final = b"%PDF-1.7 advice"


def wrong_rows(settings: Settings, tables: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """How many rows of the tables (beginnings of their names) the audit compares with the events, and what it finds
    wrong with them. Of people whom a test puts beside the command service, other tables have no rows."""
    monkeypatch.setattr("infra.ops.audit.report.EXAMPLES", 10_000)
    report = audit_rows_beside_events(settings)
    compared = sum(count for name, count in report.checked.items() if name.removeprefix("rows of ").startswith(tables))
    return compared, [what for _, check, what in report.examples if check.startswith(tables)]


def write_rows_beside_events(settings: Settings, postgres: psycopg.Connection[Any]) -> None:
    """Writes the rows that follow from the stored events; what follows from nothing has some value."""
    with open_keyring(settings) as keyring, postgres.transaction():
        postgres.execute("SET LOCAL session_replication_role = replica")  # in any order
        foldings, people = folded(postgres, keyring)
        for person in people.erased:
            keyring.erase_with(postgres, person)
        for folding in foldings:
            for table in folding.fold.tables:
                for row in folding.tables[table.name].rows.values():
                    values = {name: _right_value(value) for name, value in row.items()}
                    for written in _WRITTEN.get(table.name, _as_it_is)(settings, values):
                        _insert(postgres, table.name, written)


def _right_value(value: Any) -> Any:
    if not isinstance(value, OneOf):
        return value
    return value.values[0] if value.values else "erased"


def _insert(postgres: psycopg.Connection[Any], table: str, values: Row) -> None:
    columns = {name: (kind, is_needed) for name, kind, is_needed in postgres.execute(_COLUMNS, (table,))}
    given = {name: value for name, value in values.items() if name in columns}
    given |= {
        name: _SOME[kind]() for name, (kind, is_needed) in columns.items() if is_needed and given.get(name) is None
    }
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(*table.split(".")),
        sql.SQL(", ").join(map(sql.Identifier, given)),
        sql.SQL(", ").join([sql.Placeholder()] * len(given)),
    )
    postgres.execute(statement, list(given.values()))


def _as_it_is(_: Settings, row: Row) -> list[Row]:
    return [row]


def _picture(_: Settings, row: Row) -> list[Row]:
    return [{**row, "body": PICTURES[row["hash"]]}]


def _file(_: Settings, row: Row) -> list[Row]:
    """A file that shows a picture of its site."""
    body = f'<img src="images/{PICTURE_HASHES[0]}.webp">'.encode()
    return [{**row, "security_policy": "", "body": body, "etag": sha256(b"\0" + body).hexdigest()[:32]}]


def _payout_file(settings: Settings, row: Row) -> list[Row]:
    key, text = derived_key(settings, PURPOSE), b64encode(PAYOUT_FILE).decode()
    return [{**row, "sealed": encrypt(key, text, f"{PURPOSE}:{row['payout_id']}")}]


def _recovery_codes(_: Settings, row: Row) -> list[Row]:
    account_id, unused = row["account_id"], row["codes"] - row["used"]
    return [
        {"account_id": account_id, "number": number, "used_at": None if number < unused else "2026-05-17 10:00Z"}
        for number in range(row["codes"])
    ]


_WRITTEN: Final[Mapping[str, Callable[[Settings, Row], list[Row]]]] = {
    "marketplace.listing_image": _picture,
    "social.post_image": _picture,
    "publishing.site_file": _file,
    "conversions.payout_file": _payout_file,
    "accounts.recovery_code": _recovery_codes,
    "accounts.second_factor": lambda _, row: [{**row, "secret_sealed": "sealed"}],
    "leads.contact": lambda _, row: [{**row, "confirmed_at": "2026-05-17 10:00Z" if row["is_confirmed"] else None}],
}
"""What a row in memory is in the table, where that is something else."""
_SOME: Final[Mapping[str, Callable[[], Any]]] = {
    "text": lambda: uuid4().hex,
    "uuid": uuid4,
    "bytea": lambda: uuid4().bytes,
    "integer": lambda: 1,
    "smallint": lambda: 1,
    "bigint": lambda: 1,
    "timestamp with time zone": lambda: "2026-05-17 10:00Z",
}
"""Some value of each type, unique where a table may demand it."""
_COLUMNS: Final = """
SELECT attname, format_type(atttypid, NULL), attnotnull AND NOT atthasdef AND attidentity = '' FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"""
