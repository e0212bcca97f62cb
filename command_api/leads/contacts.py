"""Addresses of people without an account: kept sealed beside what they have with us, and mailed links that prove them.

An address's id is worked out from its keyed hash, so the same address meets its own history; the address itself is
forgotten as soon as that history ends, or when nobody confirmed it (`infra.expiry`).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.leads.addresses import mailbox, spelled
from infra import contacts
from infra.contacts import Kind
from infra.identity import Pool, hashed
from infra.mail import unqueue
from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings
from schemas.identity import contact_id

CONFIRM_WITHIN: Final = timedelta(days=7)
_WAITING: Final = "FROM ops.contact WHERE kind = 'early_access' AND place IS NULL"
_FIRST: Final = f"SELECT id {_WAITING} ORDER BY held_until IS NOT NULL, created_at, id LIMIT 1"
"""Who confirmed the address before all others."""


@dataclass(frozen=True, slots=True)
class Contact:
    email: str
    name: str | None


class Contacts:
    """Thread-safe."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        self._settings = settings
        self._pool = pool
        self._hashing = derived_key(settings, "email")

    def id_of(self, kind: Kind, email: str) -> UUID:
        """A subscription is of an address; a place of early access is of a mailbox, however its address is written."""
        text = mailbox(email) if kind == "early_access" else spelled(email)
        return contact_id(kind, keyed_hash(self._hashing, text))

    def mailbox_of(self, email: str) -> str:
        """Names the mailbox in limits of mails, without the address."""
        return keyed_hash(self._hashing, mailbox(email))

    def keep(self, cursor: Cursor[Any], kind: Kind, contact: UUID, email: str, name: str | None, at: datetime) -> None:
        """Writes the address down, in the transaction of its event; `at` is the event's time, which orders the line."""
        cursor.execute(
            "INSERT INTO ops.contact (id, kind, email_sealed, name_sealed, created_at) VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT (id) DO UPDATE SET email_sealed = excluded.email_sealed, name_sealed = excluded.name_sealed",
            (
                contact,
                kind,
                contacts.sealed(self._settings, contact, "email", email),
                contacts.sealed(self._settings, contact, "name", name) if name else None,
                at,
            ),
        )

    def confirmed(self, cursor: Cursor[Any], contact: UUID) -> None:
        """Its owner proved the address: links of it prove it no more, and it stays."""
        cursor.execute("UPDATE ops.contact SET confirmed_at = now(), held_until = NULL WHERE id = %s", (contact,))
        cursor.execute("DELETE FROM auth.contact_link WHERE contact_id = %s", (contact,))

    def forget(self, cursor: Cursor[Any], contact: UUID) -> None:
        """Address, links, and mails that wait for or went to it."""
        cursor.execute("DELETE FROM ops.contact WHERE id = %s", (contact,))
        cursor.execute("DELETE FROM auth.contact_link WHERE contact_id = %s", (contact,))
        unqueue(cursor, contact)

    def find(self, contact: UUID) -> Contact | None:
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT email_sealed, name_sealed FROM ops.contact WHERE id = %s", (contact,)
            ).fetchone()
        if row is None:
            return None
        name = contacts.opened(self._settings, contact, "name", row[1]) if row[1] is not None else None
        return Contact(contacts.opened(self._settings, contact, "email", row[0]), name)

    def place(self, cursor: Cursor[Any], contact: UUID, place: int) -> None:
        """They wait for early access no longer."""
        cursor.execute("UPDATE ops.contact SET place = %s WHERE id = %s", (place, contact))

    def hold(self, cursor: Cursor[Any], contact: UUID, until: datetime | None) -> None:
        """None: for good."""
        cursor.execute("UPDATE ops.contact SET held_until = %s WHERE id = %s", (until, contact))

    def is_held(self, cursor: Cursor[dict[str, Any]], contact: UUID) -> bool:
        """Whether the address still waits to be confirmed; it does until this transaction ends."""
        row = cursor.execute(
            "SELECT 1 FROM ops.contact WHERE id = %s AND held_until IS NOT NULL FOR SHARE", (contact,)
        ).fetchone()
        return row is not None

    def held_too_long(self, at: datetime, most: int) -> list[UUID]:
        """Whose hour is over; those in line first, so that none of them gets a place."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT id FROM ops.contact WHERE held_until <= %s ORDER BY place IS NOT NULL, held_until, id LIMIT %s",
                (at, most),
            )
            return [row[0] for row in rows]

    def first_in_line(self) -> UUID | None:
        """Who waits longest for a place of early access."""
        with self._pool.connection() as connection:
            row = connection.execute(_FIRST).fetchone()
        return row[0] if row is not None else None

    def still_first(self, cursor: Cursor[dict[str, Any]], contact: UUID | None) -> bool:
        """Whether that is so in the transaction as well (none: that nobody waits)."""
        row = cursor.execute(_FIRST).fetchone()
        return (row["id"] if row is not None else None) == contact

    def line(self, cursor: Cursor[dict[str, Any]]) -> int:
        """How many stand in it, as the transaction sees them. Transactions with events run one after the other."""
        row = cursor.execute(f"SELECT count(*) AS line {_WAITING}").fetchone()
        return int(row["line"]) if row is not None else 0

    def new_link(self, cursor: Cursor[Any], contact: UUID) -> str:
        """The secret of a link that proves the address; for one week, once."""
        code = secrets.token_urlsafe(32)
        cursor.execute(
            "INSERT INTO auth.contact_link (token_hash, contact_id, expires_at) VALUES (%s, %s, now() + %s)",
            (hashed(code), contact, CONFIRM_WITHIN),
        )
        return code

    def linked(self, kind: Kind, code: str) -> UUID | None:
        """Whose link it is; none when it was used, is too old, is for another thing, or was never given."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT contact_id FROM auth.contact_link AS l JOIN ops.contact AS c ON c.id = l.contact_id"
                " WHERE token_hash = %s AND expires_at > now() AND kind = %s",
                (hashed(code), kind),
            ).fetchone()
        return row[0] if row is not None else None
