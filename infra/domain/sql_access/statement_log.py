"""The log of analysts' statements: recorded before a statement runs, with its outcome afterwards.

A statement that cannot be recorded does not run. The same rows limit the concurrent statements of one analyst, over
both entry points and all processes: counting and adding happen under one lock per account. A row counts as running
while the process that runs the statement holds its lock (`running_statements`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, LiteralString
from uuid import UUID

from infra.domain.sql_access import limits
from infra.domain.sql_access.analyst_accounts import Analyst, reader_transaction
from infra.kernel.security.sessions import Pool

LOCK: Final[LiteralString] = "hashtextextended('sql.statement:' || %s, 0)"
"""The session-level advisory lock of a statement's id: Postgres releases it when the process that holds it ends."""

IS_ALIVE: Final[LiteralString] = (
    "EXISTS (SELECT FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('sql.statement:' || s.id, 0))"
)
"""Condition on a row `s` of `sql.statement`: the process that runs it lives and still holds it."""

MESSAGE_LENGTH: Final = 1000
REJECTED_LENGTH: Final = 10_000


class TooManyRunning(Exception):
    """The analyst already runs `limits.RUNNING` statements."""

    def __init__(self) -> None:
        super().__init__(f"There were {limits.RUNNING} statements running already.")


@dataclass(frozen=True, slots=True)
class StatementOutcome:
    """The outcome of a statement: `done`, `failed` or `cancelled`."""

    outcome: str
    ms: int
    message: str = ""
    result_rows: int = 0
    read_rows: int = 0


def begin(pool: Pool, analyst: Analyst, statement_id: UUID, entry_point: str, text: str, tables: Sequence[str]) -> None:
    """Writes down that this runs now. Raises `TooManyRunning`."""
    with reader_transaction(pool, analyst) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(76, hashtext(%s))", (str(analyst.account_id),))
        added = connection.execute(
            _BEGIN,
            {
                "id": statement_id,
                "account": analyst.account_id,
                "entry_point": entry_point,
                "text": _kept(text),
                "tables": list(tables),
                "most": limits.RUNNING,
            },
        )
        if added.rowcount == 0:
            raise TooManyRunning


def record_rejected(
    pool: Pool, analyst: Analyst, statement_id: UUID, entry_point: str, text: str, message: str
) -> None:
    """Records a rejected statement."""
    with reader_transaction(pool, analyst) as connection:
        connection.execute(
            _REJECTED,
            (statement_id, analyst.account_id, entry_point, _kept(text)[:REJECTED_LENGTH], message[:MESSAGE_LENGTH]),
        )


def is_running(pool: Pool, analyst: Analyst, statement_id: UUID) -> bool:
    """Returns whether the statement runs and is the analyst's; an admin's are all."""
    with reader_transaction(pool, analyst) as connection:
        return connection.execute(_RUNNING, (statement_id,)).fetchone() is not None


def end(pool: Pool, analyst: Analyst, statement_id: UUID, outcome: StatementOutcome) -> None:
    """Writes down how it ended."""
    with reader_transaction(pool, analyst) as connection:
        connection.execute(
            _END,
            {**asdict(outcome), "id": statement_id, "message": outcome.message[:MESSAGE_LENGTH].replace("\0", "")},
        )


def _kept(text: str) -> str:
    """Returns the text as Postgres can keep it."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()[: limits.TEXT_BYTES]


_BEGIN: Final[LiteralString] = (
    "INSERT INTO sql.statement (id, account_id, door, text, tables, outcome)"  # noqa: S608 - own text
    " SELECT %(id)s, %(account)s, %(entry_point)s, %(text)s, %(tables)s::text[], 'running' WHERE (SELECT count(*)"
    f" FROM sql.statement AS s WHERE account_id = %(account)s AND outcome = 'running' AND {IS_ALIVE}) < %(most)s"
)
_REJECTED: Final[LiteralString] = (
    "INSERT INTO sql.statement (id, account_id, door, text, outcome, message, ended_at)"
    " VALUES (%s, %s, %s, %s, 'refused', %s, clock_timestamp())"
)
_RUNNING: Final[LiteralString] = f"SELECT FROM sql.statement AS s WHERE id = %s AND outcome = 'running' AND {IS_ALIVE}"
_END: Final[LiteralString] = (
    "UPDATE sql.statement SET outcome = %(outcome)s, message = %(message)s, result_rows = %(result_rows)s,"
    " read_rows = %(read_rows)s, ms = %(ms)s, ended_at = clock_timestamp() WHERE id = %(id)s"
)
