"""The identity and rights of an analyst: roles, tokens of ClickHouse clients, websites, and the names behind ids.

Everything is read from Postgres at each statement, under row-level security for that person, so a token that is
revoked, a role that is taken away and a website that is removed count at once. Roles are read where they are decided
(`lookup.role_holder`), not from a read model, which follows the log. Connections are the query service's kind
(`ROLE`): they own nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection

from infra.domain.sql_access.views import MAX_NAMED, Rows, Scope
from infra.kernel.postgres.pool import row_values
from infra.kernel.security.sessions import Pool

ROLES: Final = frozenset(("analyst", "admin"))
ROLE: Final = "query_reader"
TOKEN_PREFIX: Final = "sql_"  # noqa: S105 - how tokens begin, not one


@dataclass(frozen=True, slots=True)
class Analyst:
    """An account that may run statements. An admin sees how many rows a statement read, and no more websites."""

    account_id: UUID
    email: str
    is_admin: bool


def set_reader_role(connection: Connection[Any]) -> None:
    """Gives a new connection the reader's rights, permanently."""
    connection.execute(f"SET ROLE {ROLE}".encode())
    connection.commit()


@contextmanager
def reader_transaction(pool: Pool, analyst: Analyst) -> Iterator[Connection[Any]]:
    """A transaction under row-level security for this account. Raises `psycopg.Error` when Postgres is unavailable."""
    with pool.connection() as connection:
        _read_for(connection, str(analyst.account_id))
        yield connection


def analyst_of_token(pool: Pool, name: str, token: str) -> Analyst | None:
    """The analyst who owns this token, if `name` is that account's email address and it still has the role."""
    if not token.startswith(TOKEN_PREFIX):
        return None
    with pool.connection() as connection:
        row = connection.execute(_BY_HASH, (token_hash(token),)).fetchone()
        if row is None:
            return None
        token_id, account_id, touch = row_values(row)
        _read_for(connection, str(account_id))
        person = connection.execute(_PERSON, (account_id,)).fetchone()
        if person is None:
            return None
        email, roles = row_values(person)
        if not ROLES & set(roles) or name.strip().lower() != str(email).lower():
            return None
        if touch:
            connection.execute(_TOUCH, (token_id,))
    return Analyst(account_id, str(email), "admin" in roles)


def token_hash(token: str) -> bytes:
    """The stored form of a token: it has 240 random bits, so a plain hash is enough."""
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def scope(pool: Pool, analyst: Analyst) -> Scope:
    """Returns what this person may see now: the websites of the account, whatever roles it has."""
    with reader_transaction(pool, analyst) as connection:
        websites = dict(map(row_values, connection.execute(_WEBSITES, {"account": analyst.account_id}).fetchall()))
        tables = tuple(row_values(row)[0] for row in connection.execute(_TABLES).fetchall())

    def named(table: str) -> Rows:
        with reader_transaction(pool, analyst) as connection:
            values = {"account": analyst.account_id, "most": MAX_NAMED + 1}
            return [row_values(row) for row in connection.execute(_NAMED[table], values).fetchall()]

    kept_from = max((day for day in websites.values() if day is not None), default=None)
    return Scope(analyst.email, frozenset(websites), named, tables, kept_from=kept_from)


def _read_for(connection: Connection[Any], reader: str) -> None:
    connection.execute("SELECT set_config('app.reader', %s, true)", (reader,))


_BY_HASH: Final[LiteralString] = (
    "SELECT id, account_id, coalesce(last_used_at < now() - interval '1 minute', true) AS touch FROM sql.token"
    " WHERE token_hash = %s AND revoked_at IS NULL AND expires_at > now()"
)
_TOUCH: Final[LiteralString] = "UPDATE sql.token SET last_used_at = now() WHERE id = %s"
_PERSON: Final[LiteralString] = (
    # The roles are the write side's: no record in the log gives anybody one.
    "SELECT a.email, h.roles FROM lookup.role_holder AS h JOIN read.accounts AS a ON a.id = h.account_id"
    " WHERE h.account_id = %s AND a.disabled_at IS NULL AND a.erased_at IS NULL"
)
_WEBSITES: Final[LiteralString] = (
    "SELECT id, (SELECT max(e.before) FROM read.event_expiries AS e WHERE e.website_id = w.id)"
    " FROM read.websites AS w WHERE deleted_at IS NULL AND account_id = %(account)s"
)
_TABLES: Final[LiteralString] = (
    "SELECT DISTINCT t.name || '__g' || b.generation FROM engine.build AS b JOIN engine.projection AS p"
    " ON p.name = b.name CROSS JOIN LATERAL (VALUES (b.name), ('duplicates')) AS t (name) WHERE b.dropped_at IS NULL"
    " AND p.kind <> 'postgres' ORDER BY 1"
)
_NAMED: Final[Mapping[str, LiteralString]] = {
    "websites": (
        "SELECT id, domain, timezone, currency, coalesce((SELECT max(e.before) FROM read.event_expiries AS e"
        " WHERE e.website_id = w.id), '1970-01-01')::text FROM read.websites AS w WHERE deleted_at IS NULL"
        " AND account_id = %(account)s ORDER BY id LIMIT %(most)s"
    ),
    "partners": "SELECT id, name, slug FROM read.partners ORDER BY id LIMIT %(most)s",
    "links": (
        "SELECT l.id, l.website_id, l.partner_id, l.slug, l.destination FROM read.links AS l JOIN read.websites AS w"
        " ON w.id = l.website_id WHERE l.deleted_at IS NULL AND w.deleted_at IS NULL"
        " AND w.account_id = %(account)s ORDER BY l.id LIMIT %(most)s"
    ),
}
