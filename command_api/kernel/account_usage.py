"""The usage of an account in a day, sent and stored, against its budget: one account cannot fill the disk of all.

The command bus charges a request in the transaction of its events. Commands of money are charged, and refused only far
above the budget; those of sign-in are never refused. What runs for no request is not charged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString
from uuid import UUID

import structlog
from psycopg import Connection, Cursor

from infra.kernel.config.settings import Settings
from infra.kernel.http.lanes import current_lane
from infra.kernel.http.problems import Problem
from infra.kernel.http.request_bounds import body_size
from infra.kernel.security.sessions import Pool

MIB: Final = 1024 * 1024
SHARES: Final = {"accounts": None, "money": 10}
"""The multiple of its budget that a lane may use, None: without limit. Every other lane has the budget itself."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class BudgetSpent(Problem):
    """429: the account has used its budget of the day."""

    def __init__(self, what: str, seconds: int) -> None:
        message = f"Your account has used {what} for today. Please continue after midnight (UTC)."
        super().__init__(429, "daily_budget_spent", message, headers={"Retry-After": str(seconds)})


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one account and day (UTC)."""

    commands: int
    bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """Returns the budget of the settings."""
        return cls(settings.account_daily_commands, settings.account_daily_mib * MIB)


def charge(cursor: Cursor[dict[str, Any]], budget: Budget, account_id: UUID, appended: int) -> None:
    """Charges one command that appended so many bytes; what it was sent counts, too. Raises `BudgetSpent`, after which
    the transaction must be rolled back."""
    now, size = datetime.now(UTC), appended + body_size()
    row = cursor.execute(_CHARGE, (account_id, now.date(), size)).fetchone()
    share = SHARES.get(current_lane(), 1)
    if row is None or share is None:
        return
    over = next((what for what, spent, most in _kinds(row, budget) if spent > most * share), None)
    if over is not None:
        midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
        raise BudgetSpent(over, max(1, int((midnight - now).total_seconds())))


def charge_bytes(connection: Connection[Any], account_id: UUID, stored: int) -> None:
    """Charges what is stored outside a command. Its next command is refused if the budget is spent."""
    connection.execute(_STORED, (account_id, datetime.now(UTC).date(), stored))


def note_refusal(pool: Pool, account_id: UUID) -> None:
    """Counts a refused command, for admins."""
    log.warning("account_budget_spent", account_id=str(account_id))
    with pool.connection() as connection:
        connection.execute(_REFUSED, (account_id, datetime.now(UTC).date()))


def _kinds(row: dict[str, Any], budget: Budget) -> list[tuple[str, int, int]]:
    return [
        (f"its {budget.commands:,} changes", row["commands"], budget.commands),
        (f"its {budget.bytes // MIB:,} MiB of storage", row["bytes"], budget.bytes),
    ]


_CHARGE: Final[LiteralString] = """
INSERT INTO kernel.account_usage AS u (account_id, day, commands, bytes) VALUES (%s, %s, 1, %s)
ON CONFLICT (account_id, day) DO UPDATE SET commands = u.commands + 1, bytes = u.bytes + excluded.bytes
RETURNING commands, bytes"""
_STORED: Final[LiteralString] = """
INSERT INTO kernel.account_usage AS u (account_id, day, commands, bytes) VALUES (%s, %s, 0, %s)
ON CONFLICT (account_id, day) DO UPDATE SET bytes = u.bytes + excluded.bytes"""
_REFUSED: Final[LiteralString] = """
INSERT INTO kernel.account_usage AS u (account_id, day, commands, bytes, refused) VALUES (%s, %s, 0, 0, 1)
ON CONFLICT (account_id, day) DO UPDATE SET refused = u.refused + 1"""
