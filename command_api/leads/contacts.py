"""Addresses of people without an account: stored encrypted, with emailed links that confirm them.

An address's id is derived from its keyed hash, so the same address finds its own stream. The address is deleted when
that stream ends or nobody confirms it (`infra.ops.jobs.retention`).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.reader import AggregateReader
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.contacts import Kind, decrypt_field, encrypt_field, mailbox
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import unqueue
from infra.kernel.security.encryption import derived_key, keyed_hash
from infra.kernel.security.sessions import hashed

CONFIRM_WITHIN: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ContactDetails:
    """The decrypted address and name of a person without an account."""

    email: str
    name: str | None


def mailbox_of(settings: Settings, email: str) -> str:
    """Returns a key of the mailbox for email limits, without the address."""
    return keyed_hash(derived_key(settings, "email"), mailbox(email))


def linked(reader: AggregateReader, kind: Kind, code: str) -> UUID | None:
    """Returns the contact of a link; `None` if it is used, expired, of another kind or unknown."""
    rows = reader.select(
        "SELECT contact_id FROM leads.contact_link AS l JOIN leads.contact AS c ON c.id = l.contact_id"
        " WHERE token_hash = %s AND expires_at > now() AND kind = %s",
        hashed(code),
        kind,
    )
    return rows[0][0] if rows else None


def find(uow: UnitOfWork, contact: UUID) -> ContactDetails | None:
    rows = uow.select("SELECT email_sealed, name_sealed FROM leads.contact WHERE id = %s", contact)
    if not rows:
        return None
    [(email, name)] = rows
    return ContactDetails(
        decrypt_field(uow.settings, contact, "email", email),
        decrypt_field(uow.settings, contact, "name", name) if name is not None else None,
    )


def keep(
    uow: UnitOfWork,
    kind: Kind,
    contact: UUID,
    email: str,
    name: str | None,
    *,
    site_id: UUID | None = None,
    account_id: UUID | None = None,
) -> None:
    """Stores the address; the command's time orders the line. `site_id`, `account_id`: whose list it is on."""
    uow.cursor.execute(
        "INSERT INTO leads.contact (id, kind, email_sealed, name_sealed, created_at, site_id, account_id)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (id) DO UPDATE SET email_sealed = excluded.email_sealed, name_sealed = excluded.name_sealed",
        (
            contact,
            kind,
            encrypt_field(uow.settings, contact, "email", email),
            encrypt_field(uow.settings, contact, "name", name) if name else None,
            uow.context.at,
            site_id,
            account_id,
        ),
    )


def new_link(uow: UnitOfWork, contact: UUID) -> str:
    """Creates the secret of a link that confirms the address once, within a week."""
    code = secrets.token_urlsafe(32)
    uow.cursor.execute(
        "INSERT INTO leads.contact_link (token_hash, contact_id, expires_at) VALUES (%s, %s, now() + %s)",
        (hashed(code), contact, CONFIRM_WITHIN),
    )
    return code


def confirmed(uow: UnitOfWork, contact: UUID) -> None:
    """Marks the address as confirmed: its links are consumed and it is kept."""
    uow.cursor.execute("UPDATE leads.contact SET confirmed_at = now(), held_until = NULL WHERE id = %s", (contact,))
    uow.cursor.execute("DELETE FROM leads.contact_link WHERE contact_id = %s", (contact,))


def forget(uow: UnitOfWork, contact: UUID) -> None:
    """Deletes the address, its links and its emails."""
    uow.cursor.execute("DELETE FROM leads.contact WHERE id = %s", (contact,))
    uow.cursor.execute("DELETE FROM leads.contact_link WHERE contact_id = %s", (contact,))
    unqueue(uow.cursor, contact)


def place(uow: UnitOfWork, contact: UUID, place: int) -> None:
    """Stores the place; the person leaves the line."""
    uow.cursor.execute("UPDATE leads.contact SET place = %s WHERE id = %s", (place, contact))


def hold(uow: UnitOfWork, contact: UUID, until: datetime | None) -> None:
    """Sets the deadline; `None` removes it."""
    uow.cursor.execute("UPDATE leads.contact SET held_until = %s WHERE id = %s", (until, contact))


def is_held(uow: UnitOfWork, contact: UUID) -> bool:
    """Returns whether the address is unconfirmed; stable until the transaction ends."""
    held = "SELECT 1 FROM leads.contact WHERE id = %s AND held_until IS NOT NULL FOR SHARE"
    return uow.cursor.execute(held, (contact,)).fetchone() is not None


def first_in_line(uow: UnitOfWork) -> UUID | None:
    """Returns the first in line for early access: who confirmed the address first. Stable after an append."""
    rows = uow.select(f"SELECT id {_WAITING} ORDER BY coalesce(confirmed_at, created_at), created_at, id LIMIT 1")
    return rows[0][0] if rows else None


def line(uow: UnitOfWork) -> int:
    """Returns the length of the line. Stable after an append."""
    return int(uow.select(f"SELECT count(*) {_WAITING}")[0][0])


_WAITING: Final[LiteralString] = (
    "FROM leads.contact WHERE kind = 'early_access' AND place IS NULL AND held_until IS NULL"
)
"""An address that nobody confirmed is not in line."""
