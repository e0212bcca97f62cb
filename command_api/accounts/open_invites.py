"""Codes of invites, and how many of an account's are open: rows of `auth.invite_code`.

They are written in the transaction of the invite's events, which holds the store's lock: what is counted here holds.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.decision import conflict
from infra.invite_codes import sealed
from infra.settings import Settings
from schemas.events.accounts import InviteCreated

MAX_OPEN: Final = 100
"""Invites of an account that are neither used up nor withdrawn nor expired."""


def keep(
    cursor: Cursor[dict[str, Any]], settings: Settings, created: InviteCreated, code: str, code_hash: bytes
) -> None:
    """Writes the code of a new invite down. Raises `Refused` when the account has too many open ones."""
    cursor.execute(
        "INSERT INTO auth.invite_code (invite_id, account_id, code_hash, code_sealed, open_until)"
        " VALUES (%s, %s, %s, %s, %s)",
        (
            created.originator_id,
            created.account_id,
            code_hash,
            sealed(settings, created.originator_id, code),
            created.expires_at,
        ),
    )
    opened = cursor.execute(
        "SELECT FROM auth.invite_code WHERE account_id = %s AND open_until > now()", (created.account_id,)
    ).rowcount
    if opened > MAX_OPEN:
        raise conflict("too_many_invites", f"An account has at most {MAX_OPEN} open invites. Withdraw one first.")


def close(cursor: Cursor[dict[str, Any]], invite_id: UUID) -> None:
    """The invite was used up or withdrawn."""
    cursor.execute("UPDATE auth.invite_code SET open_until = NULL WHERE invite_id = %s", (invite_id,))
