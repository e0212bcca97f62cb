"""Authorization of reads. Every route that reads data of a website gets the website from here.

Everybody reads the websites of their account, an admin as well; others are answered with 404, so that ids cannot be
probed. The routes of admins (`/api/admin`) read all accounts, by `AdminScope`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from infra.kernel.http.problems import Problem
from infra.kernel.security.access_tokens import require_whole_account
from infra.kernel.security.sessions import Pool, Principal, require_admin
from query_api.kernel.postgres_reader import ADMIN, PostgresReader, Row
from schemas.zones import ZoneInfo

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AllAccounts:
    """The scope of an admin, for the routes of admins. `reader` returns rows of every account, but no drafts, views and
    queries of one account alone."""

    principal: Principal
    reader: PostgresReader


@dataclass(frozen=True, slots=True)
class Website:
    """A website that the principal may read."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    created_at: datetime
    expired_before: date | None = None
    """Single events of earlier UTC days were deleted."""

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of this website's days."""
        return ZoneInfo(self.timezone)


_COLUMNS: Final = ("id", "domain", "timezone", "currency", "created_at", "expired_before")
_WEBSITES: Final = (
    "SELECT id, domain, timezone, currency, created_at, (SELECT max(e.before) FROM read.event_expiries AS e"
    " WHERE e.website_id = w.id) AS expired_before{more} FROM read.websites AS w"
)
_VISIBLE: Final = "deleted_at IS NULL AND account_id = %(account)s"
_ONE: Final = f"{_WEBSITES.format(more='')} WHERE id = %(id)s AND {_VISIBLE}"
_ALL: Final = f"{_WEBSITES.format(more='')} WHERE {_VISIBLE} ORDER BY created_at, id"
_OLDEST: Final = (
    f"{_WEBSITES.format(more=', count(*) OVER () AS of_all')} WHERE {_VISIBLE} ORDER BY created_at, id LIMIT %(limit)s"
)


class AccountScope:
    """The data of one principal's account, whatever roles it has. `reader` returns only its rows, for any statement."""

    def __init__(self, pool: Pool, principal: Principal) -> None:
        self.principal = principal
        self.reader = PostgresReader.of_caller(pool, principal)
        self._pool = pool

    def website(self, website_id: UUID) -> Website:
        """The website. Raises `Problem` 404 if it does not exist or is outside of the scope."""
        return require_existing(self._read(_ONE, {"id": website_id}), "website")[0]

    def row(self, sql: str, id: UUID, what: str) -> Row:
        """The row of a website's `what`. Raises `Problem` 404 if it does not exist or is outside of the scope."""
        row = require_existing(self.reader.row(sql, (id,)), what)
        try:
            self.website(row["website_id"])
        except Problem as problem:
            raise not_found(what) from problem
        return row

    def websites(self) -> list[Website]:
        """Returns all websites of the scope, oldest first."""
        return self._read(_ALL, {})

    def oldest_websites(self, limit: int) -> tuple[list[Website], int]:
        """The oldest websites of the scope, and how many there are in all."""
        rows = self.reader.rows(_OLDEST, {"account": self.principal.account_id, "limit": limit})
        count = rows[0]["of_all"] if rows else 0
        return [Website(**{name: row[name] for name in _COLUMNS}) for row in rows], count

    def scope(self, website_id: UUID | None) -> list[UUID]:
        """Ids of the websites that a list may show: the given one, or all of the scope."""
        return [self.website(website_id).id] if website_id is not None else [one.id for one in self.websites()]

    def of_account(self, account_id: UUID) -> PostgresReader:
        """Reads for another account: only for what that account has agreed to show this principal."""
        require_whole_account(self.principal)
        return PostgresReader(self._pool, account_id)

    def all_accounts(self) -> AllAccounts:
        """Returns the scope of an admin: all accounts. Raises `Problem` 403."""
        require_admin(self.principal)
        return AllAccounts(self.principal, PostgresReader(self._pool, ADMIN))

    def _read(self, sql: str, values: dict[str, Any]) -> list[Website]:
        bound = {**values, "account": self.principal.account_id}
        return [Website(**row) for row in self.reader.rows(sql, bound)]


def require_existing(found: T | None, what: str) -> T:
    """Returns `found`. Raises `Problem` 404 if there is none."""
    if not found:
        raise not_found(what)
    return found


def not_found(what: str) -> Problem:
    """404, also for what belongs to another account: ids cannot be probed."""
    return Problem(404, "not_found", f"{what[:1].upper()}{what[1:]} not found.")
