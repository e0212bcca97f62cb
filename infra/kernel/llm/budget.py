"""The budget of a language model: calls per account and hour, tokens per day and installation.

A ledger in Postgres (`kernel.llm_call`). A call is reserved at its worst case before it is made and settled after it; a
call that never returns, for example after a crash, stays charged as reserved. Reservations are serialized, so neither
limit is ever exceeded, however many processes call.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from infra.kernel.postgres.pool import row_values
from infra.kernel.security.sessions import Pool
from schemas.uuid7 import uuid7

_LOCK: Final = 0x6C6C6D  # "llm"


class LlmBudgetSpent(Exception):
    """The budget is spent. `retry_after_s`: when a retry may succeed."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"the budget is spent for another {retry_after_s} s")
        self.retry_after_s = retry_after_s


class LlmBudget:
    """`hourly_calls` for each account in any 60 minutes, `daily_tokens` for the installation in any 24 hours."""

    def __init__(self, pool: Pool, hourly_calls: int, daily_tokens: int) -> None:
        self._pool, self._calls, self._tokens = pool, hourly_calls, daily_tokens

    def reserve(self, account_id: UUID, purpose: str, tokens: int) -> UUID:
        """The reservation's id. Raises `LlmBudgetSpent`; then nothing was written."""
        call_id = uuid7()
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            row = connection.execute(_SPENT, {"account": account_id}).fetchone()
            calls, call_wait, spent, token_wait = row_values(row or (0, 0, 0, 0))
            if calls >= self._calls:
                raise LlmBudgetSpent(max(1, int(call_wait)))
            if spent + tokens > self._tokens:
                raise LlmBudgetSpent(max(1, int(token_wait)))
            connection.execute(
                "INSERT INTO kernel.llm_call (id, account_id, purpose, reserved_tokens) VALUES (%s, %s, %s, %s)",
                (call_id, account_id, purpose, tokens),
            )
        return call_id

    def settle(self, call_id: UUID, tokens: int, outcome: str) -> None:
        """Records what the call took in truth. A second settlement of the same call changes nothing."""
        with self._pool.connection() as connection:
            connection.execute(
                "UPDATE kernel.llm_call SET used_tokens = %s, outcome = %s, settled_at = now()"
                " WHERE id = %s AND settled_at IS NULL",
                (tokens, outcome, call_id),
            )


_SPENT: Final = """
SELECT count(*) FILTER (WHERE recent) AS calls,
       coalesce(3600 - extract(epoch FROM now() - min(created_at) FILTER (WHERE recent)), 0)::int AS call_wait,
       coalesce(sum(spent), 0)::bigint AS spent,
       coalesce(86400 - extract(epoch FROM now() - min(created_at)), 0)::int AS token_wait
FROM (
    SELECT created_at, coalesce(used_tokens, reserved_tokens) AS spent,
           account_id = %(account)s AND created_at > now() - interval '1 hour' AS recent
    FROM kernel.llm_call WHERE created_at > now() - interval '1 day'
) AS day
"""
