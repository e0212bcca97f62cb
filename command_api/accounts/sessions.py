"""Rows of sessions: opens a session, ends all of an account. Ended rows are kept for a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model
from infra.kernel.security.client_info import Client
from infra.kernel.security.sessions import OpenedSession, open_session, revoke_sessions


@dataclass(frozen=True, slots=True)
class SignInResult:
    """A completed sign-in."""

    account: model.Account
    session: OpenedSession
    position: int | None


def open_platform_session(
    cursor: Cursor[Any], account: model.Account, session_id: UUID, client: Client
) -> OpenedSession:
    """Opens a session in the caller's transaction."""
    return open_session(
        cursor.connection,
        account_id=account.id,
        session_id=session_id,
        email=account.email,
        name=account.name,
        public_name=account.public_name,
        roles=[role.value for role in account.roles],
        user_agent_family=client.device,
        country=client.country,
        browser=client.is_browser,
    )


def end_all(cursor: Cursor[Any], account_id: UUID, keep: UUID | None = None) -> None:
    """Ends an account's sessions except `keep`, its website sessions and its login challenges."""
    revoke_sessions(cursor.connection, account_id, keep)
    cursor.execute(
        "UPDATE accounts.website_session SET revoked_at = now() WHERE account_id = %s AND revoked_at IS NULL",
        (account_id,),
    )
    cursor.execute("DELETE FROM accounts.login_ticket WHERE account_id = %s", (account_id,))
