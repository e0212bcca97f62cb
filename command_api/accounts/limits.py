"""How often one may try to sign in: GCRA buckets in Postgres, shared by all processes, per address and per account.

A try is charged before the password is looked at, so guesses sent at the same moment count too, and given back when it
was right. A bucket refills steadily, so nobody can lock an account for good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from infra.identity import Pool
from infra.problems import Problem


@dataclass(frozen=True, slots=True)
class Limit:
    """`burst` tries at once, then one each `every`."""

    name: str
    every: timedelta
    burst: int


PER_ADDRESS: Final = Limit("address", timedelta(seconds=3), 30)
PER_ACCOUNT: Final = Limit("account", timedelta(seconds=15), 10)
PER_CODE: Final = Limit("code", timedelta(minutes=6), 10)
"""Codes of a second factor, by account: ten an hour."""
PER_PROOF: Final = Limit("proof", timedelta(seconds=15), 10)
"""Passwords given again by somebody who is signed in, by account."""
PER_INVITE: Final = Limit("invite", timedelta(minutes=10), 10)
"""Registrations with one invite that an address in use refused; so an invite is no way to try addresses."""
NEW_INVITES: Final = Limit("new-invites", timedelta(minutes=6), 50)
PER_CHANGER: Final = Limit("new-address", timedelta(minutes=10), 10)
"""Mails to new addresses of an account, by account: else it could have everybody written to."""
PER_MAIL: Final = Limit("mail", timedelta(minutes=10), 3)
"""Mails that somebody else can cause, by address."""


def charge(pool: Pool, limit: Limit, who: str) -> None:
    """Takes one try. Raises `Problem` 429 with `Retry-After` when there is none left."""
    bucket = f"{limit.name}:{who}"
    values = {"bucket": bucket, "every": limit.every, "room": limit.every * limit.burst}
    with pool.connection() as connection:
        if connection.execute(_CHARGE, values).fetchone() is not None:
            return
        row = connection.execute(_WAIT, values).fetchone()
    seconds = max(1, math.ceil(float(next(iter(row.values())) if isinstance(row, dict) else row[0]))) if row else 1
    message = "Too many attempts. Please wait a moment and try again."
    raise Problem(429, "too_many_attempts", message, headers={"Retry-After": str(seconds)})


def is_free(pool: Pool, limit: Limit, who: str) -> bool:
    """Takes one try if there is one; for what is left out in silence above the limit."""
    try:
        charge(pool, limit, who)
    except Problem:
        return False
    return True


@contextmanager
def looked_at(pool: Pool, *tries: tuple[Limit, str]) -> Iterator[None]:
    """Where what was charged for is looked at: when too many wait for that (`Problem`), the tries were no guesses."""
    try:
        yield
    except Problem:
        for limit, who in tries:
            give_back(pool, limit, who)
        raise


def give_back(pool: Pool, limit: Limit, who: str) -> None:
    """Returns a try that was no guess."""
    with pool.connection() as connection:
        connection.execute(
            "UPDATE auth.rate_limit SET tat = tat - %s WHERE bucket = %s", (limit.every, f"{limit.name}:{who}")
        )


_CHARGE: Final = """
INSERT INTO auth.rate_limit AS r (bucket, tat) VALUES (%(bucket)s, now() + %(every)s)
ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, now()) + %(every)s
WHERE greatest(r.tat, now()) + %(every)s <= now() + %(room)s
RETURNING 1"""

_WAIT: Final = """
SELECT extract(epoch FROM tat + %(every)s - %(room)s - now()) FROM auth.rate_limit WHERE bucket = %(bucket)s"""
