"""Which identities open which account: linking, unlinking, and whose an identity is.

An identity belongs to one account; an account may have several. Linking needs the password again, and a code where
there is a second factor; an account without a password proves itself by having signed in within ten minutes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import mails, model
from command_api.accounts.credentials import RECENT
from command_api.accounts.desk import Decision, Desk, Proof
from command_api.accounts.half_signed_in import ProvenIdentity
from command_api.accounts.sessions import end_all
from command_api.decision import Asked, conflict, missing
from infra.client import Client
from infra.identity import Principal
from infra.identity_providers import configured, label_of, sealed_label
from infra.mail import queue
from infra.problems import Problem
from infra.sealing import derived_key, keyed_hash
from schemas.uuid7 import uuid7

_SEPARATOR: Final = "\x1f"


class Links:
    """Thread-safe."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._core = desk.core
        self._key = derived_key(desk.core.settings, "linked-sign-in-subject")

    def owner(self, identity: ProvenIdentity) -> UUID | None:
        """Whose account the identity opens."""
        with self._core.pool.connection() as connection:
            row = connection.execute(
                "SELECT account_id FROM auth.linked_sign_in WHERE subject_hash = %s", (self.subject_hash(identity),)
            ).fetchone()
        return row[0] if row else None

    def prove(self, person: Principal, proof: Proof, client: Client) -> None:
        """Raises `Problem` 403 as `Desk.prove`, and `sign_in_again`."""
        if self._desk.password_hash(person.account_id) is not None:
            self._desk.prove(person, proof, client)
            return
        if not self._is_recent(person.session_id):
            raise Problem(403, "sign_in_again", "Please sign out, sign in again, and then link within ten minutes.")
        self._desk.prove_factor(self._desk.account(person.account_id), proof, client, person)

    def link(self, person: Principal, identity: ProvenIdentity, client: Client) -> int | None:
        """Links it to the account of the person, who is told by mail; once linked it does nothing.

        Raises `Refused` when it opens another account.
        """

        def decide() -> Decision:
            if self.owner(identity) == person.account_id:
                return [], None
            account = self._desk.account(person.account_id)
            events, rows = self.to_link(identity, account.id, account.version, Asked(datetime.now(UTC), account.id))

            def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
                assert rows is not None  # noqa: S101 - linking always has a row
                rows(cursor, position)
                self._tell(cursor, account, identity.method, linked=True)

            return events, also

        return self._desk.write(decide, person.account_id, client)

    def to_link(self, identity: ProvenIdentity, account_id: UUID, version: int, asked: Asked) -> Decision:
        """The event that follows `version`, and the row. Raises `Refused` when the identity opens another account."""
        if self.owner(identity) is not None:
            label = label_of(identity.method)
            raise conflict("linked_elsewhere", f"This {label} sign-in already belongs to an account.")
        subject, link_id = self.subject_hash(identity), uuid7()
        sealed = sealed_label(self._core.settings, str(link_id), identity.email or identity.name)

        def rows(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute(
                "INSERT INTO auth.linked_sign_in (id, subject_hash, account_id, provider, label_sealed)"
                " VALUES (%s, %s, %s, %s, %s)",
                (link_id, subject, account_id, identity.method, sealed),
            )

        return model.link_sign_in(account_id, version, identity.method, subject, asked), rows

    def unlink(self, person: Principal, link_id: UUID, client: Client) -> int | None:
        """Ends the account's other sessions, too. Raises `Refused`: missing, or the last way in."""

        def decide() -> Decision:
            account = self._desk.account(person.account_id)  # before the rows: who is later writes in vain
            rows = self._rows(account.id)
            if link_id not in rows:
                raise missing("linked sign-in")
            provider, subject = rows[link_id]
            usable = configured(self._core.settings)
            others = [name for other, (name, _) in rows.items() if other != link_id and name in usable]
            has_password = self._desk.password_hash(account.id) is not None
            asked = Asked(datetime.now(UTC), account.id)
            events = model.unlink_sign_in(
                account, provider, subject, other_way_in=has_password or bool(others), asked=asked
            )

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                cursor.execute("DELETE FROM auth.linked_sign_in WHERE id = %s", (link_id,))
                end_all(cursor, account.id, person.session_id)
                self._tell(cursor, account, provider, linked=False)

            return events, also

        return self._desk.write(decide, person.account_id, client)

    def subject_hash(self, identity: ProvenIdentity) -> str:
        return keyed_hash(self._key, _SEPARATOR.join((identity.method, identity.issuer, identity.subject)))

    def _rows(self, account_id: UUID) -> dict[UUID, tuple[str, str]]:
        with self._core.pool.connection() as connection:
            found = connection.execute(
                "SELECT id, provider, subject_hash FROM auth.linked_sign_in WHERE account_id = %s", (account_id,)
            )
            return {row[0]: (row[1], row[2]) for row in found}

    def _tell(self, cursor: Cursor[Any], account: model.Account, provider: str, *, linked: bool) -> None:
        settings = self._core.settings
        label = label_of(provider)
        letter = mails.sign_in_changed(account.email, account.id, settings.app_url, label, linked=linked)
        queue(cursor, settings, letter)

    def _is_recent(self, session_id: UUID) -> bool:
        with self._core.pool.connection() as connection:
            row = connection.execute(
                "SELECT 1 FROM auth.session WHERE id = %s AND created_at > now() - %s", (session_id, RECENT)
            ).fetchone()
        return row is not None
