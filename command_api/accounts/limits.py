"""How often one may do what can be guessed at or abused: GCRA buckets in Postgres, shared by all processes.

A try is charged before it is looked at, so guesses sent at the same moment count too, and given back when it was right.
A bucket refills steadily. Tries to sign in with a password are counted in `command_api.accounts.tries`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from psycopg import Cursor

from infra.identity import Pool
from infra.problems import Problem


@dataclass(frozen=True, slots=True)
class Limit:
    """`burst` tries at once, then one each `every`."""

    name: str
    every: timedelta
    burst: int


PER_ADDRESS: Final = Limit("address", timedelta(seconds=3), 30)
PER_CODE: Final = Limit("code", timedelta(minutes=6), 10)
"""Codes of a second factor, by account and by where they come from (session, known device, or address): ten an hour."""
STRANGE_CODES: Final = Limit("strange-codes", timedelta(minutes=2), 30)
"""Codes of an authenticator from addresses that are no known device of the account: a million codes are not many."""
PER_PROOF: Final = Limit("proof", timedelta(seconds=15), 10)
"""Passwords given again by somebody who is signed in, by session."""
PER_INVITE: Final = Limit("invite", timedelta(minutes=10), 10)
"""Registrations with one invite that an address in use refused; so an invite is no way to try addresses."""
NEW_INVITES: Final = Limit("new-invites", timedelta(minutes=6), 50)
PER_CHANGER: Final = Limit("new-address", timedelta(minutes=10), 10)
"""Mails to new addresses of an account, by account: else it could have everybody written to."""
PER_MAIL: Final = Limit("mail", timedelta(minutes=10), 3)
PER_MAIL_A_DAY: Final = Limit("mail-a-day", timedelta(days=1), 10)
"""Mails that somebody else can cause, by address."""
EARLY_ACCESS_MAILS: Final = Limit("early-access-mail", timedelta(minutes=10), 1)
EARLY_ACCESS_MAILS_A_DAY: Final = Limit("early-access-mails", timedelta(days=1), 3)
"""Mails that ask a mailbox to confirm its place of early access: three in any 24 hours, ten minutes apart."""
PER_ASKER: Final = Limit("forgot", timedelta(minutes=10), 3)
"""Forgotten passwords, by account and address of who asks."""
RESET_MAILS: Final = Limit("reset-mail", timedelta(minutes=10), 6)
"""Mails with a reset link, by account: while none is sent, the one before still works for most of its hour."""
GUESSING_MAIL: Final = Limit("guessing-mail", timedelta(days=1), 1)
"""Mails that tell the owner of guesses, by account."""


def charge(pool: Pool, limit: Limit, who: str) -> None:
    """Takes one try. Raises `Problem` 429 with `Retry-After` when there is none left."""
    values = _values(limit, who)
    with pool.connection() as connection:
        if connection.execute(_CHARGE, values).fetchone() is not None:
            return
        row = connection.execute(_WAIT, values).fetchone()
    raise too_many(float(next(iter(row.values())) if isinstance(row, dict) else row[0]) if row else 1)


def too_many(seconds: float) -> Problem:
    """The refusal of a try that is free again after so long."""
    message = "Too many attempts. Please wait a moment and try again."
    return Problem(429, "too_many_attempts", message, headers={"Retry-After": str(max(1, math.ceil(seconds)))})


def charge_all(pool: Pool, *tries: tuple[Limit, str]) -> None:
    """Takes one try of each or of none. Raises as `charge`."""
    for taken, (limit, who) in enumerate(tries):
        try:
            charge(pool, limit, who)
        except Problem:
            for before, whose in tries[:taken]:
                give_back(pool, before, whose)
            raise


def is_free(pool: Pool, limit: Limit, who: str) -> bool:
    """Takes one try if there is one; for what is left out in silence above the limit."""
    return all_free(pool, (limit, who))


def all_free(pool: Pool, *tries: tuple[Limit, str]) -> bool:
    """Takes one try of each if all have one."""
    try:
        charge_all(pool, *tries)
    except Problem:
        return False
    return True


def taken_within(cursor: Cursor[Any], *tries: tuple[Limit, str]) -> bool:
    """Takes one try of each in the caller's transaction, which has to be rolled back if this is false. So a try is
    taken only together with what it is for, also when the process is killed meanwhile."""
    return all(cursor.execute(_CHARGE, _values(limit, who)).fetchone() is not None for limit, who in tries)


def may_mail(pool: Pool, who: str) -> bool:
    """Takes one of the mails that somebody else can cause, if there is one."""
    return all_free(pool, (PER_MAIL, who), (PER_MAIL_A_DAY, who))


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


def _values(limit: Limit, who: str) -> dict[str, Any]:
    return {"bucket": f"{limit.name}:{who}", "every": limit.every, "room": limit.every * limit.burst}


_CHARGE: Final = """
INSERT INTO auth.rate_limit AS r (bucket, tat) VALUES (%(bucket)s, now() + %(every)s)
ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, now()) + %(every)s
WHERE greatest(r.tat, now()) + %(every)s <= now() + %(room)s
RETURNING 1"""

_WAIT: Final = """
SELECT extract(epoch FROM tat + %(every)s - %(room)s - now()) FROM auth.rate_limit WHERE bucket = %(bucket)s"""
