"""Reads of Postgres: every transaction sets the account that it reads for, and row-level security filters the rows.

The second layer behind `query_api.kernel.authorization`: a route without that check would still get no rows of another
account. Without an account there are no rows. The policies are created with the tables
(`projectors.read_models.row_policies`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from infra.kernel.security.sessions import Pool, Principal
from infra.kernel.text.hidden_characters import name_columns, show_names
from query_api.kernel.own_writes import wait_for_tables_of

ROLE: Final = "query_reader"
"""The role of the service's connections: it owns no table, so the policies apply to it."""

ADMIN: Final = "admin"
SERVICE: Final = "service"
MODERATOR: Final = "moderator:"
ANALYST: Final = "analyst:"
"""Before the account's id."""
WEBSITES: Final = "websites:"
"""Before the account's id and those of the websites."""

Row = dict[str, Any]


def take_role(connection: Connection[Any]) -> None:
    """Sets the reader's role on a new connection."""
    connection.execute(f"SET ROLE {ROLE}".encode())
    connection.commit()


class PostgresReader:
    """Reads for one account, for an admin, or for the service's own work. Thread-safe."""

    def __init__(self, pool: Pool, reads_for: UUID | str) -> None:
        self._pool = pool
        self._reads_for = str(reads_for)

    @classmethod
    def of_caller(cls, pool: Pool, principal: Principal) -> PostgresReader:
        """Returns a reader for the caller's account; for an access token of single websites, for these alone."""
        if principal.website_ids is None:
            return cls(pool, principal.account_id)
        ids = ",".join(sorted(str(website_id) for website_id in principal.website_ids))
        return cls(pool, f"{WEBSITES}{principal.account_id}:{ids}")

    @classmethod
    def of(cls, pool: Pool, principal: Principal) -> PostgresReader:
        """Returns a reader of what is open to all, and moderated: an admin reads everything, others the rows of their
        account and of no account."""
        return cls(pool, ADMIN) if principal.is_admin else cls.of_caller(pool, principal)

    @classmethod
    def of_service(cls, pool: Pool) -> PostgresReader:
        """Reads what belongs to no account."""
        return cls(pool, SERVICE)

    @classmethod
    def of_moderator(cls, pool: Pool, account_id: UUID) -> PostgresReader:
        """Reads for an account that also sees what moderation hides."""
        return cls(pool, f"{MODERATOR}{account_id}")

    @classmethod
    def of_analyst(cls, pool: Pool, account_id: UUID) -> PostgresReader:
        """Reads for an account that also sees what analysts share."""
        return cls(pool, f"{ANALYST}{account_id}")

    def rows(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement, in a transaction of its own; invisible characters in names are written out.
        Raises `psycopg.Error`."""
        wait_for_tables_of(sql)
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            with connection.pipeline():  # begin, name, read and commit go together: one way to the server and back
                connection.execute("SELECT set_config('app.reader', %s, true)", (self._reads_for,))
                cursor.execute(sql.encode(), values)
                connection.commit()
            rows: list[Row] = cursor.fetchall()
        names = name_columns(rows[0]) if rows else ()
        for row in rows if names else ():
            show_names(row, names)
        return rows

    def row(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None


def like(words: str | None) -> str | None:
    """A pattern for LIKE that finds the words as they are: signs of patterns in them are none. None: anything."""
    if words is None or not words.strip():
        return None
    for sign in ("\\", "%", "_"):
        words = words.replace(sign, f"\\{sign}")
    return f"%{words.strip()}%"
