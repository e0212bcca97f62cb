"""Codes of invites, and how many of an account's are open: rows of `accounts.invite_code`.

They are written in the transaction of the invite's events, which holds the store's lock: what is counted here holds.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts.codes import normalized
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.invite_codes import encrypt_code
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key, keyed_hash
from schemas.events.accounts import InviteCreated

MAX_OPEN: Final = 100
"""Invites of an account that are neither used up nor withdrawn nor expired."""


def code_hash(settings: Settings, code: str) -> bytes:
    return bytes.fromhex(keyed_hash(derived_key(settings, "invite"), normalized(code)))


def save(uow: UnitOfWork, created: InviteCreated, code: str) -> None:
    """Writes the code of a new invite down. Raises `CommandRejected` when the account has too many open ones."""
    invite_id, account_id, hashed = created.originator_id, created.account_id, code_hash(uow.settings, code)
    uow.cursor.execute(
        "INSERT INTO accounts.invite_code (invite_id, account_id, code_hash, code_sealed, open_until)"
        " VALUES (%s, %s, %s, %s, %s)",
        (invite_id, account_id, hashed, encrypt_code(uow.settings, invite_id, code), created.expires_at),
    )
    opened = uow.select("SELECT FROM accounts.invite_code WHERE account_id = %s AND open_until > now()", account_id)
    if len(opened) > MAX_OPEN:
        raise conflict("too_many_invites", f"An account has at most {MAX_OPEN} open invites. Revoke one first.")


def close(uow: UnitOfWork, invite_id: UUID) -> None:
    """Marks the code of an invite that was used up or withdrawn as not open."""
    uow.cursor.execute("UPDATE accounts.invite_code SET open_until = NULL WHERE invite_id = %s", (invite_id,))
