"""Tries to sign in with a password: who has one left, whose is looked at first, and when it costs a proof of work.

The right password must work while somebody else guesses. So a try is counted where it comes from, never for the account
alone:

- a known device (`command_api.accounts.devices`) has a bucket of its own, and its password is hashed first;
- anybody else has a bucket by address, and one by account and address. Tries by account and network, and by account
  over all strangers, are counted too; they refuse nobody, but while they are many a try costs a proof of work that
  grows.

An address that did not fail at this account yet goes on without work until hundreds of strangers' tries failed there.
A try is charged before the password is hashed, so guesses sent at the same moment count, and given back when it was
right or was not looked at. Whether the account exists changes nothing here: the buckets are by the address's hash.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from command_api.accounts.limits import PER_ADDRESS, Limit, too_many
from command_api.accounts.passwords import Lane
from command_api.accounts.proof_of_work import LEAST_BITS, MOST_BITS, ProofsOfWork
from infra.client import Client
from infra.identity import Pool
from infra.settings import Settings

PER_DEVICE: Final = Limit("device", timedelta(seconds=15), 10)
"""Tries of a known device, by device and account."""
PER_ACCOUNT_AND_ADDRESS: Final = Limit("account", timedelta(seconds=15), 10)

OF_NETWORK: Final = Limit("network", timedelta(seconds=3), 100)
"""Failures of a network (/24, /48) at any account; counted only."""
AT_ACCOUNT_OF_NETWORK: Final = Limit("account-network", timedelta(seconds=30), 200)
"""Failures of a network at one account; counted only."""
AT_ACCOUNT: Final = Limit("strangers", timedelta(seconds=30), 1_000)
"""Failures of all strangers at one account; counted only."""
_COUNTED: Final = frozenset((OF_NETWORK, AT_ACCOUNT_OF_NETWORK, AT_ACCOUNT))

NOTICED: Final = 20
"""Failures of strangers at one account that are guessing; its owner gets a mail."""
FREE_PER_ADDRESS: Final = 2
"""Tries of one address that cost no work although somebody guesses."""
FREE_PER_NETWORK: Final = 80
FREE_AT_ACCOUNT: Final = 500
"""From here on every stranger's try costs work."""
PROMPT_PER_ADDRESS: Final = 3
PROMPT_PER_NETWORK: Final = 30
"""Who failed more often than that lately, wherever it was, is hashed after the others."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A try that may be looked at. `strangers`: how many failures of strangers the account has, this one included."""

    pool: Pool
    charged: Sequence[tuple[Limit, str]]
    lane: Lane
    strangers: float = 0.0

    @property
    def is_guessing(self) -> bool:
        return self.strangers >= NOTICED

    def give_back(self) -> None:
        """It was right, or was not looked at."""
        with self.pool.connection() as connection:
            connection.execute(_GIVE_BACK, _values(self.charged))


class Tries:
    """Thread-safe."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._works = ProofsOfWork(pool, settings)

    def take(self, account: str, client: Client, device: str | None) -> Taken:
        """Takes one try at the account of this key.

        Raises `Problem` 429 `too_many_attempts`, `proof_of_work_needed`.
        """
        if device is not None:
            taken = Taken(self._pool, [(PER_DEVICE, f"{account}@{device}")], Lane.KNOWN)
            self._charged(taken)
            return taken
        # The address comes first: above its limit no row is made for whatever account somebody names.
        anywhere = [(PER_ADDRESS, client.address), (OF_NETWORK, client.network)]
        used = self._charged(Taken(self._pool, anywhere, Lane.LATE))
        at_account = [
            (PER_ACCOUNT_AND_ADDRESS, f"{account}@{client.address}"),
            (AT_ACCOUNT_OF_NETWORK, f"{account}@{client.network}"),
            (AT_ACCOUNT, account),
        ]
        used |= self._charged(Taken(self._pool, at_account, Lane.LATE))
        charges = [*anywhere, *at_account]
        here = used[PER_ACCOUNT_AND_ADDRESS]
        bits = bits_needed(here, used[AT_ACCOUNT_OF_NETWORK], used[AT_ACCOUNT])
        is_prompt = used[PER_ADDRESS] <= PROMPT_PER_ADDRESS and used[OF_NETWORK] <= PROMPT_PER_NETWORK
        lane = Lane.PROMPT if is_prompt and here <= FREE_PER_ADDRESS else Lane.LATE
        taken = Taken(self._pool, charges, lane, used[AT_ACCOUNT])
        if bits:
            scope = f"{account}@{client.address}"
            if not client.proof_of_work or not self._works.is_done(scope, client.proof_of_work):
                taken.give_back()
                raise self._works.asked_for(scope, bits)
        return taken

    def _charged(self, taken: Taken) -> dict[Limit, float]:
        """How many tries of each bucket are used. Raises `Problem` 429, and gives them back, when one has none left."""
        names = {_bucket(limit, who): limit for limit, who in taken.charged}
        with self._pool.connection() as connection:
            rows = [tuple(_columns(row)) for row in connection.execute(_CHARGE, _values(taken.charged))]
        used = {names[bucket]: float(seconds) / names[bucket].every.total_seconds() for bucket, seconds in rows}
        over = [(limit, count) for limit, count in used.items() if limit not in _COUNTED and count > limit.burst]
        if over:
            taken.give_back()
            raise too_many(max((count - limit.burst) * limit.every.total_seconds() for limit, count in over))
        return used


def bits_needed(of_address: float, of_network: float, of_strangers: float) -> int:
    """How much work a stranger's try costs, by the failures at this account, this try included; 0: none.

    A failure that has begun to be forgotten counts whole until it is forgotten.
    """
    of_address, of_network, of_strangers = math.ceil(of_address), math.ceil(of_network), math.ceil(of_strangers)
    if of_strangers > FREE_AT_ACCOUNT or of_network > FREE_PER_NETWORK:
        many = max(of_strangers / FREE_AT_ACCOUNT, of_network / FREE_PER_NETWORK)
        bits = LEAST_BITS + 2 + math.log2(max(1.0, many))
    elif of_strangers > NOTICED and of_address > FREE_PER_ADDRESS:
        bits = LEAST_BITS + (of_address - FREE_PER_ADDRESS)
    else:
        return 0
    return min(MOST_BITS, int(bits))


def _bucket(limit: Limit, who: str) -> str:
    return f"{limit.name}:{who}"


def _values(charges: Sequence[tuple[Limit, str]]) -> dict[str, Any]:
    return {
        "buckets": [_bucket(limit, who) for limit, who in charges],
        "every": [limit.every for limit, _ in charges],
        "room": [limit.every * limit.burst if limit in _COUNTED else _NO_BOUND for limit, _ in charges],
    }


def _columns(row: Any) -> Sequence[Any]:
    """The row's values in order, whichever row factory the pool has."""
    return list(row.values()) if isinstance(row, dict) else list(row)


_NO_BOUND: Final = timedelta(days=3650)

# In the order of their names, so that two statements never wait for each other's rows. What only counts stops at its
# burst; what refuses does not, since the tries that are refused are given back one by one.
_CHARGE: Final = """
WITH given AS (
    SELECT * FROM unnest(%(buckets)s::text[], %(every)s::interval[], %(room)s::interval[]) AS g (bucket, every, room)
)
INSERT INTO auth.rate_limit AS r (bucket, tat) SELECT bucket, now() + every FROM given ORDER BY bucket
ON CONFLICT (bucket) DO UPDATE SET tat = least(
    greatest(r.tat, now()) + (excluded.tat - now()),
    now() + (SELECT room FROM given WHERE given.bucket = excluded.bucket)
)
RETURNING bucket, extract(epoch FROM tat - now())"""

_GIVE_BACK: Final = """
WITH given AS (
    SELECT * FROM unnest(%(buckets)s::text[], %(every)s::interval[]) AS g (bucket, every)
), held AS (
    SELECT r.bucket, g.every FROM auth.rate_limit AS r JOIN given AS g USING (bucket) ORDER BY r.bucket FOR UPDATE OF r
)
UPDATE auth.rate_limit AS r SET tat = r.tat - held.every FROM held WHERE r.bucket = held.bucket"""
