"""Postback tokens, which the owner of a website can read again: encrypted in `websites.postback_token` until they end.

Other keys are known by their hashes alone. A token can only report conversions; each time it is read is in the audit
log. An admin, who may manage keys of everybody, cannot read one.
"""

from __future__ import annotations

from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.container import Container
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites.keys import NewKey
from infra.kernel.config.settings import Settings
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.sessions import Principal
from schemas.events.websites import KeyKind

PURPOSE: Final = "postback-token"
_STORED: Final = (
    "SELECT t.sealed FROM websites.postback_token AS t JOIN lookup.website AS w ON w.website_id = t.website_id"
    " WHERE t.key_id = %s AND t.website_id = %s AND w.account_id = %s"
)

_NEWEST: Final[LiteralString] = (
    "SELECT key_id, sealed FROM websites.postback_token WHERE website_id = %s ORDER BY key_id DESC LIMIT 1"
)


def save(uow: UnitOfWork, website_id: UUID, *keys: NewKey) -> None:
    """Stores the postback tokens among `keys`, in the transaction of the event that issues them."""
    for key in keys:
        if key.kind is KeyKind.POSTBACK:
            uow.cursor.execute(
                "INSERT INTO websites.postback_token (key_id, website_id, sealed) VALUES (%s, %s, %s)",
                (key.id, website_id, encrypt(_key(uow.settings), key.text, f"{PURPOSE}:{key.id}")),
            )


def forget(uow: UnitOfWork, website_id: UUID, key_id: UUID | None = None) -> None:
    """Deletes a token, or all of the website."""
    uow.cursor.execute(
        "DELETE FROM websites.postback_token WHERE website_id = %s AND (%s::uuid IS NULL OR key_id = %s)",
        (website_id, key_id, key_id),
    )


def reveal(container: Container, person: Principal, client: Client, website_id: UUID, key_id: UUID) -> str:
    """The token, for the owner of the website only. Raises `CommandRejected` (missing)."""
    with container.pool.connection() as connection:
        row = connection.execute(_STORED, (key_id, website_id, person.account_id)).fetchone()
        if row is None:
            raise not_found("postback token")
        token = decrypt(_key(container.settings), row[0], f"{PURPOSE}:{key_id}")
        who = person.account_id
        entry = Entry("website.key_revealed", "done", who, who, website_id, {"key_id": str(key_id)})
        record(connection, entry, client)
    return token


def newest(container: Container, website_id: UUID) -> str | None:
    """The newest token of a website, to be used for it and shown to nobody; none: no token can be read again."""
    rows = container.select(_NEWEST, website_id)
    return decrypt(_key(container.settings), rows[0][1], f"{PURPOSE}:{rows[0][0]}") if rows else None


def _key(settings: Settings) -> bytes:
    return derived_key(settings, PURPOSE)
