"""Ending sessions: one, all others, or all of an account. The rows stay for a day and are shown no more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model
from command_api.accounts.desk import Decision, Desk
from command_api.decision import Asked, missing
from infra.client import Client
from infra.identity import Principal, revoke_session, revoke_sessions


def end_all(cursor: Cursor[Any], account_id: UUID, keep: UUID | None = None) -> None:
    """Ends an account's sessions but one, its website sessions and its half-finished sign-ins."""
    revoke_sessions(cursor.connection, account_id, keep)
    cursor.execute(
        "UPDATE auth.website_session SET revoked_at = now() WHERE account_id = %s AND revoked_at IS NULL", (account_id,)
    )
    cursor.execute("DELETE FROM auth.login_ticket WHERE account_id = %s", (account_id,))


def end_one(desk: Desk, person: Principal, session_id: UUID, client: Client) -> int | None:
    """Ends one of the person's own sessions. Raises `Refused` (missing) for any other."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        revoke_session(cursor.connection, session_id)

    def decide() -> Decision:
        with desk.core.pool.connection() as connection:
            row = connection.execute(
                "SELECT 1 FROM auth.session WHERE id = %s AND account_id = %s AND revoked_at IS NULL",
                (session_id, person.account_id),
            ).fetchone()
        if row is None:
            raise missing("session")
        account = desk.account(person.account_id)
        return model.sign_out(account, session_id=session_id, asked=Asked(datetime.now(UTC), person.account_id)), also

    return desk.write(decide, person.account_id, client)


def end_others(desk: Desk, person: Principal, client: Client) -> int | None:
    """Ends all of the person's sessions but the one that asks."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        end_all(cursor, person.account_id, person.session_id)

    def decide() -> Decision:
        return model.end_sessions(desk.account(person.account_id), Asked(datetime.now(UTC), person.account_id)), also

    return desk.write(decide, person.account_id, client)
