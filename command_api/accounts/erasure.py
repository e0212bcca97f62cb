"""Being forgotten: the key of a person's data is deleted, and with it what every log, table and replay knew.

In one transaction: what names the account ends (address, websites and their keys, invites, sessions), rows of its
secrets and mails go, and the key becomes a tombstone. What stays are ids, amounts and times.

Another part of the product that keeps something of an account's adds a `Leaving` to `PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import invites, model
from command_api.accounts.administration import keep_an_admin
from command_api.accounts.desk import Decision, Desk, Proof
from command_api.accounts.sessions import end_all
from command_api.core import Core
from command_api.decision import Asked, missing
from command_api.domains.desk import ending
from command_api.marketplace.desk import leaving as leave_marketplace
from command_api.store import Conflict
from command_api.websites import model as websites
from infra.client import Client
from infra.identity import Principal
from schemas.base import DomainEvent

Leaving = Callable[[Core, UUID, Asked], Decision]
"""What ends with an account: its events, and rows to change beside them."""


def erase(desk: Desk, person: Principal, proof: Proof, client: Client) -> int | None:
    """Erases the account. Raises `Problem` 403 as `Desk.prove`, `Refused` for the last admin."""
    desk.prove(person, proof, client)
    return _forget(desk, person.account_id, client)


def erase_again(desk: Desk) -> int:
    """Erases those who were erased after the backup that this installation was restored from (`ops.to_erase`), before
    anybody is answered; how many. Safe to be killed: who is done is taken off the list afterwards."""
    waiting = _ids(desk.core, "SELECT account_id FROM ops.to_erase")
    for account_id in waiting:
        account = desk.core.store.load(account_id, model.evolve)
        if account is not None and not account.erased:
            # An admin was not the last one then, and must not come back because of that now.
            _forget(desk, account_id, Client(), may_be_last_admin=True)
        desk.core.keyring.erase(account_id)
        with desk.core.pool.connection() as connection:
            connection.execute("DELETE FROM ops.to_erase WHERE account_id = %s", (account_id,))
    return len(waiting)


def _forget(desk: Desk, account_id: UUID, client: Client, *, may_be_last_admin: bool = False) -> int | None:
    def decide() -> Decision:
        asked = Asked(datetime.now(UTC), account_id)
        account = desk.account(account_id)
        if account.erased:
            raise missing("account")
        guard = desk.guard(account.email)
        claim = desk.core.store.load(guard, model.evolve_email)
        erased = model.erase(account, asked)
        parts = [part(desk.core, account_id, asked) for part in PARTS]
        events = [event for part, _ in parts for event in part]

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            for _, rows in parts:
                if rows is not None:
                    rows(cursor, position)
            if may_be_last_admin:
                cursor.execute("DELETE FROM auth.admin WHERE account_id = %s", (account_id,))
                cursor.execute("DELETE FROM auth.role_holder WHERE account_id = %s", (account_id,))
            else:
                keep_an_admin(cursor, model.evolve(account, erased[0]))
            end_all(cursor, account_id)
            for statement in _FORGET:
                cursor.execute(statement, {"account": account_id})

        return [*events, *model.release_email(account, claim, guard, asked), *erased], also

    position = desk.write(decide, account_id, client)
    desk.core.keyring.erase(account_id)  # also what this process remembers
    return position


def _websites(core: Core, account_id: UUID, asked: Asked) -> Decision:
    ids = _ids(core, "SELECT website_id FROM policy.website WHERE account_id = %s", account_id)
    events: list[DomainEvent] = []
    for website_id in ids:
        website = core.store.load(website_id, websites.evolve)
        if website is not None and not website.disconnected:
            events += websites.disconnect(website, asked, owner_erased=True)
    drop: LiteralString = "DELETE FROM policy.website WHERE account_id = %s RETURNING website_id"

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        _drop_all(cursor, drop, account_id, ids)
        for statement in _OF_WEBSITES:
            cursor.execute(statement, (list(ids),))

    return events, also


def _invites(core: Core, account_id: UUID, asked: Asked) -> Decision:
    ids = _ids(core, "SELECT invite_id FROM auth.invite_code WHERE account_id = %s", account_id)
    events: list[DomainEvent] = []
    for invite_id in ids:
        events += invites.revoke(core.store.load(invite_id, invites.evolve), asked)
    drop: LiteralString = "DELETE FROM auth.invite_code WHERE account_id = %s RETURNING invite_id"
    return events, lambda cursor, _: _drop_all(cursor, drop, account_id, ids)


def _drop_all(cursor: Cursor[dict[str, Any]], sql: LiteralString, account_id: UUID, known: set[UUID]) -> None:
    """Raises `Conflict` when something came in the meantime: it must end as well."""
    dropped = {next(iter(row.values())) for row in cursor.execute(sql, (account_id,))}
    if dropped - known:
        raise Conflict("new belongings")


def _domains(core: Core, account_id: UUID, asked: Asked) -> Decision:
    return ending(core, "account_id", account_id, asked)


PARTS: Final[list[Leaving]] = [_websites, _domains, _invites, leave_marketplace]

_OF_WEBSITES: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM policy.coupon WHERE website_id = ANY(%s)",
    "DELETE FROM policy.refused_report WHERE website_id = ANY(%s)",
)

_FORGET: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM auth.credential WHERE account_id = %(account)s",
    "DELETE FROM auth.second_factor WHERE account_id = %(account)s",
    "DELETE FROM auth.recovery_code WHERE account_id = %(account)s",
    "DELETE FROM auth.login_ticket WHERE account_id = %(account)s",
    "DELETE FROM auth.linked_sign_in WHERE account_id = %(account)s",
    "DELETE FROM auth.handoff_code WHERE link_account = %(account)s",
    "DELETE FROM auth.one_time_link WHERE account_id = %(account)s",
    "DELETE FROM auth.session WHERE account_id = %(account)s",
    "DELETE FROM auth.website_session WHERE account_id = %(account)s",
    "DELETE FROM auth.idempotency WHERE account_id = %(account)s",
    "DELETE FROM policy.insight_digest WHERE account_id = %(account)s",
    "DELETE FROM auth.sql_token WHERE account_id = %(account)s",
    "UPDATE ops.forum_member SET handle = NULL WHERE account_id = %(account)s",
    "DELETE FROM ops.forum_act WHERE account_id = %(account)s",
    "DELETE FROM ops.forum_read WHERE account_id = %(account)s",
    "DELETE FROM ops.forum_follower WHERE account_id = %(account)s",
    "DELETE FROM ops.notification WHERE account_id = %(account)s",
    "DELETE FROM ops.digest WHERE account_id = %(account)s",
    "DELETE FROM ops.saved_query WHERE account_id = %(account)s",
    "UPDATE ops.sql_statement SET text = '', message = '' WHERE account_id = %(account)s",
    # The log's lock is held: a mail that a slow server is taking at this moment is not waited for (`infra.expiry`).
    "DELETE FROM ops.mail WHERE id IN (SELECT id FROM ops.mail WHERE account_id = %(account)s FOR UPDATE SKIP LOCKED)",
    "INSERT INTO auth.subject_key (subject_id, erased_at) VALUES (%(account)s, now())"
    " ON CONFLICT (subject_id) DO UPDATE SET key_wrapped = NULL, erased_at = now()",
)


def _ids(core: Core, sql: LiteralString, *values: UUID) -> set[UUID]:
    with core.pool.connection() as connection:
        return {row[0] for row in connection.execute(sql, values)}
