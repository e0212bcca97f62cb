"""Reading Postgres: every transaction names whom it reads for, and row-level security shows it no more than theirs.

The second wall, behind `query_api.owned`: a route that forgot to ask there would still get nobody else's rows. Whoever
names nobody gets none at all. The policies come with the tables (`projectors.postgres.readers`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from infra.hidden_signs import name_columns, show_names
from infra.identity import Pool, Principal

ROLE: Final = "query_reader"
"""Whose rights the service's connections have: it owns no table, so the policies hold for it."""

ADMIN: Final = "admin"
SERVICE: Final = "service"
MODERATOR: Final = "moderator:"
"""Before the account's id."""

Row = dict[str, Any]


def take_role(connection: Connection[Any]) -> None:
    """Gives a new connection the reader's rights, for good."""
    connection.execute(f"SET ROLE {ROLE}".encode())
    connection.commit()


class Reader:
    """Reads for one account, for an admin, or for the service's own work. Thread-safe."""

    def __init__(self, pool: Pool, reads_for: UUID | str) -> None:
        self._pool = pool
        self._reads_for = str(reads_for)

    @classmethod
    def of(cls, pool: Pool, principal: Principal) -> Reader:
        """An admin reads everything, everybody else what is of the own account or of nobody."""
        return cls(pool, ADMIN if principal.is_admin else principal.account_id)

    @classmethod
    def of_service(cls, pool: Pool) -> Reader:
        """Reads what belongs to no account."""
        return cls(pool, SERVICE)

    @classmethod
    def of_moderator(cls, pool: Pool, account_id: UUID) -> Reader:
        """Reads for an account that also sees what the forum does not show."""
        return cls(pool, f"{MODERATOR}{account_id}")

    def rows(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement, in a transaction of its own; invisible characters in names are written out.
        Raises `psycopg.Error`."""
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            with connection.pipeline():  # begin, name, read and commit go together: one way to the server and back
                connection.execute("SELECT set_config('app.reader', %s, true)", (self._reads_for,))
                cursor.execute(sql.encode(), values)
                connection.commit()
            found: list[Row] = cursor.fetchall()
        names = name_columns(found[0]) if found else ()
        for row in found if names else ():
            show_names(row, names)
        return found

    def row(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one."""
        found = self.rows(sql, values)
        return found[0] if found else None
