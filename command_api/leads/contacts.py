"""Addresses of people without an account: kept sealed beside what they have with us, and mailed links that prove them.

An address's id is worked out from its keyed hash, so the same address meets its own history; the address itself is
forgotten as soon as that history ends.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal
from uuid import UUID

from psycopg import Cursor

from infra.identity import Pool, hashed
from infra.sealing import derived_key, keyed_hash, seal, unseal
from infra.settings import Settings
from schemas.identity import contact_id

Kind = Literal["newsletter", "early_access"]
CONFIRM_WITHIN: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Contact:
    email: str
    name: str | None


class Contacts:
    """Thread-safe."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        self._pool = pool
        self._sealing = derived_key(settings, "contact")
        self._hashing = derived_key(settings, "email")
        self._stopping = derived_key(settings, "unsubscribe")

    def id_of(self, kind: Kind, email: str) -> UUID:
        return contact_id(kind, keyed_hash(self._hashing, email.strip().casefold()))

    def keep(self, cursor: Cursor[Any], kind: Kind, contact: UUID, email: str, name: str | None) -> None:
        """Writes the address down, in the transaction of its event."""
        cursor.execute(
            "INSERT INTO ops.contact (id, kind, email_sealed, name_sealed) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (id) DO UPDATE SET email_sealed = excluded.email_sealed, name_sealed = excluded.name_sealed",
            (
                contact,
                kind,
                seal(self._sealing, email, f"contact-email:{contact}"),
                seal(self._sealing, name, f"contact-name:{contact}") if name else None,
            ),
        )

    def forget(self, cursor: Cursor[Any], contact: UUID) -> None:
        cursor.execute("DELETE FROM ops.contact WHERE id = %s", (contact,))
        cursor.execute("DELETE FROM auth.contact_link WHERE contact_id = %s", (contact,))

    def find(self, contact: UUID) -> Contact | None:
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT email_sealed, name_sealed FROM ops.contact WHERE id = %s", (contact,)
            ).fetchone()
        return self.opened(contact, row[0], row[1]) if row is not None else None

    def opened(self, contact: UUID, email_sealed: str, name_sealed: str | None) -> Contact:
        name = unseal(self._sealing, name_sealed, f"contact-name:{contact}") if name_sealed is not None else None
        return Contact(unseal(self._sealing, email_sealed, f"contact-email:{contact}"), name)

    def new_link(self, cursor: Cursor[Any], contact: UUID) -> str:
        """The secret of a link that proves the address; for one week, once."""
        code = secrets.token_urlsafe(32)
        cursor.execute(
            "INSERT INTO auth.contact_link (token_hash, contact_id, expires_at) VALUES (%s, %s, now() + %s)",
            (hashed(code), contact, CONFIRM_WITHIN),
        )
        return code

    def linked(self, code: str) -> UUID | None:
        """Whose link it is; none when it was used, is too old, or was never given."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT contact_id FROM auth.contact_link WHERE token_hash = %s AND expires_at > now()", (hashed(code),)
            ).fetchone()
        return row[0] if row is not None else None

    def use_links(self, cursor: Cursor[Any], contact: UUID) -> None:
        """Links of the address prove it no more."""
        cursor.execute("DELETE FROM auth.contact_link WHERE contact_id = %s", (contact,))

    def stop_token(self, contact: UUID) -> str:
        """What stops the mails to an address, from every mail for ever: it proves nothing else."""
        return f"{contact.hex}.{keyed_hash(self._stopping, contact.hex)[:32]}"

    def stopped_by(self, token: str) -> UUID | None:
        """Whose mails the token stops."""
        text, _, proof = token.partition(".")
        try:
            contact = UUID(hex=text)
        except ValueError:
            return None
        expected = self.stop_token(contact)
        return contact if secrets.compare_digest(expected.encode(), f"{contact.hex}.{proof}".encode()) else None
