"""Rate limits for guessable, abusable and expensive operations: GCRA buckets in Postgres, shared by all processes.

An attempt is consumed before it is checked, so concurrent guesses count, and refunded when it was correct. Buckets
refill steadily. `kernel.rate_limit` says which buckets a service may use.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from psycopg import Cursor

from infra.kernel.http.problems import Problem
from infra.kernel.security.sessions import Pool


@dataclass(frozen=True, slots=True)
class Limit:
    """`burst` attempts at once, then one per `every`."""

    name: str
    every: timedelta
    burst: int


def consume(pool: Pool, limit: Limit, who: str) -> None:
    """Consumes one attempt. Raises `Problem` 429 with `Retry-After` when none is left."""
    values = _values(limit, who)
    with pool.connection() as connection:
        if connection.execute(_CHARGE, values).fetchone() is not None:
            return
        row = connection.execute(_WAIT, values).fetchone()
    raise too_many_attempts(float(row[0]) if row else 1)


def too_many_attempts(seconds: float) -> Problem:
    """Returns the 429 problem with the wait as `Retry-After`."""
    message = "Too many attempts. Please wait a moment and try again."
    return Problem(429, "too_many_attempts", message, headers={"Retry-After": str(max(1, math.ceil(seconds)))})


def consume_all(pool: Pool, *tries: tuple[Limit, str]) -> None:
    """Consumes one attempt of each limit, or none. Raises as `consume`."""
    for taken, (limit, who) in enumerate(tries):
        try:
            consume(pool, limit, who)
        except Problem:
            refund(pool, *tries[:taken])
            raise


def try_consume(pool: Pool, limit: Limit, who: str) -> bool:
    """Consumes one attempt if available; for operations that are skipped silently above the limit."""
    return try_consume_all(pool, (limit, who))


def try_consume_all(pool: Pool, *tries: tuple[Limit, str]) -> bool:
    """Consumes one attempt of each limit if all are available."""
    try:
        consume_all(pool, *tries)
    except Problem:
        return False
    return True


def try_consume_in(cursor: Cursor[Any], *tries: tuple[Limit, str]) -> bool:
    """Consumes one attempt of each limit in the caller's transaction, which must be rolled back if this returns false.
    The attempt is then committed only together with its operation."""
    return all(cursor.execute(_CHARGE, _values(limit, who)).fetchone() is not None for limit, who in tries)


@contextmanager
def attempt(pool: Pool, *tries: tuple[Limit, str]) -> Iterator[None]:
    """Context of the check of consumed attempts: refunds them if the check could not run (`Problem`)."""
    try:
        yield
    except Problem:
        refund(pool, *tries)
        raise


def refund(pool: Pool, *tries: tuple[Limit, str]) -> None:
    """Refunds attempts that were no guesses."""
    for limit, who in tries:
        with pool.connection() as connection:
            connection.execute(_REFUND, _values(limit, who))


def _values(limit: Limit, who: str) -> dict[str, Any]:
    return {"bucket": f"{limit.name}:{who}", "every": limit.every, "burst": limit.every * limit.burst}


_CHARGE: Final = """
INSERT INTO kernel.rate_limit AS r (bucket, tat) VALUES (%(bucket)s, now() + %(every)s)
ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, now()) + %(every)s
WHERE greatest(r.tat, now()) + %(every)s <= now() + %(burst)s
RETURNING 1"""

_REFUND: Final = "UPDATE kernel.rate_limit SET tat = tat - %(every)s WHERE bucket = %(bucket)s"
_WAIT: Final = """
SELECT extract(epoch FROM tat + %(every)s - %(burst)s - now()) FROM kernel.rate_limit WHERE bucket = %(bucket)s"""
