"""Limits of password sign-ins: rate limits, priority of hashing, and proof of work.

The correct password must work during an attack. Attempts are therefore limited by origin, never by account alone:

- a known device (`command_api.accounts.devices`) has its own limit, and its password is hashed first
- other clients have one limit per address, and one per account and address. Failures per account and network, and per
  account over all unknown devices, are only counted; while they are many, an attempt costs a growing proof of work

An address without failures at this account needs no work until hundreds of attempts of unknown devices failed there. An
attempt is consumed before the password is hashed, so concurrent guesses count, and refunded if it was correct or not
checked. Limits use the address's hash, so they are the same for accounts that do not exist.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from command_api.accounts.passwords import PasswordLane
from command_api.accounts.proof_of_work import MAX_BITS, MIN_BITS, ProofsOfWork
from command_api.kernel.container import Container
from command_api.kernel.rate_limits import PER_ADDRESS, Limit, too_many_attempts
from infra.kernel.security.client_info import Client

PER_DEVICE: Final = Limit("device", timedelta(seconds=15), 10)
"""Attempts of a known device, per device and account."""
PER_ACCOUNT_AND_ADDRESS: Final = Limit("account", timedelta(seconds=15), 10)

PER_NETWORK: Final = Limit("network", timedelta(seconds=3), 100)
"""Failures of a network (/24, /48) at any account; counted only."""
PER_ACCOUNT_AND_NETWORK: Final = Limit("account-network", timedelta(seconds=30), 200)
"""Failures of a network at one account; counted only."""
PER_ACCOUNT: Final = Limit("strangers", timedelta(seconds=30), 1_000)
"""Failures of all unknown devices at one account; counted only."""
_COUNTED: Final = frozenset((PER_NETWORK, PER_ACCOUNT_AND_NETWORK, PER_ACCOUNT))

NOTICED: Final = 20
"""Failures of unknown devices at one account that count as guessing; the owner gets an email."""
FREE_PER_ADDRESS: Final = 2
"""Attempts of one address that need no work during guessing."""
FREE_PER_NETWORK: Final = 80
FREE_AT_ACCOUNT: Final = 500
"""From this number of failures on, every attempt of an unknown device needs work."""
PROMPT_PER_ADDRESS: Final = 3
PROMPT_PER_NETWORK: Final = 30
"""Origins with more recent failures are hashed with low priority."""


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """A permitted attempt. `strangers`: failures of unknown devices at the account, including this attempt."""

    container: Container
    charged: Sequence[tuple[Limit, str]]
    lane: PasswordLane
    strangers: float = 0.0

    @property
    def is_guessing(self) -> bool:
        return self.strangers >= NOTICED

    def refund(self) -> None:
        """Refunds the attempt: it was correct or not checked."""
        buckets, every, _ = _columns(self.charged)
        self.container.execute(_GIVE_BACK, buckets, every)


class LoginAttempts:
    """Thread-safe."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._works = ProofsOfWork(container)

    def start(self, account: str, client: Client, device: str | None) -> LoginAttempt:
        """Starts an attempt at the account of this key.

        Raises `Problem` 429 `too_many_attempts`, `proof_of_work_needed`.
        """
        if device is not None:
            attempt = LoginAttempt(self._container, [(PER_DEVICE, f"{account}@{device}")], PasswordLane.KNOWN)
            self._charged(attempt)
            return attempt
        # The address comes first: above its limit no row is created for the named account.
        anywhere = [(PER_ADDRESS, client.address), (PER_NETWORK, client.network)]
        used = self._charged(LoginAttempt(self._container, anywhere, PasswordLane.LATE))
        at_account = [
            (PER_ACCOUNT_AND_ADDRESS, f"{account}@{client.address}"),
            (PER_ACCOUNT_AND_NETWORK, f"{account}@{client.network}"),
            (PER_ACCOUNT, account),
        ]
        used |= self._charged(LoginAttempt(self._container, at_account, PasswordLane.LATE))
        charges = [*anywhere, *at_account]
        here = used[PER_ACCOUNT_AND_ADDRESS]
        bits = bits_needed(here, used[PER_ACCOUNT_AND_NETWORK], used[PER_ACCOUNT])
        is_prompt = used[PER_ADDRESS] <= PROMPT_PER_ADDRESS and used[PER_NETWORK] <= PROMPT_PER_NETWORK
        lane = PasswordLane.PROMPT if is_prompt and here <= FREE_PER_ADDRESS else PasswordLane.LATE
        attempt = LoginAttempt(self._container, charges, lane, used[PER_ACCOUNT])
        if bits:
            scope = f"{account}@{client.address}"
            if not client.proof_of_work or not self._works.is_solved(scope, client.proof_of_work):
                attempt.refund()
                raise self._works.challenge(scope, bits)
        return attempt

    def _charged(self, attempt: LoginAttempt) -> dict[Limit, float]:
        """Returns the used attempts of each limit. Raises `Problem` 429 and refunds them if one limit is exhausted."""
        names = {_bucket(limit, who): limit for limit, who in attempt.charged}
        rows = self._container.select(_CHARGE, *_columns(attempt.charged))
        used = {names[bucket]: float(seconds) / names[bucket].every.total_seconds() for bucket, seconds in rows}
        over = [(limit, count) for limit, count in used.items() if limit not in _COUNTED and count > limit.burst]
        if over:
            attempt.refund()
            raise too_many_attempts(max((count - limit.burst) * limit.every.total_seconds() for limit, count in over))
        return used


def bits_needed(of_address: float, of_network: float, of_strangers: float) -> int:
    """Returns the bits of work for an attempt of an unknown device, by the failures at this account; 0: none.

    A failure counts fully until it has expired.
    """
    of_address, of_network, of_strangers = math.ceil(of_address), math.ceil(of_network), math.ceil(of_strangers)
    if of_strangers > FREE_AT_ACCOUNT or of_network > FREE_PER_NETWORK:
        many = max(of_strangers / FREE_AT_ACCOUNT, of_network / FREE_PER_NETWORK)
        bits = MIN_BITS + 2 + math.log2(max(1.0, many))
    elif of_strangers > NOTICED and of_address > FREE_PER_ADDRESS:
        bits = MIN_BITS + (of_address - FREE_PER_ADDRESS)
    else:
        return 0
    return min(MAX_BITS, int(bits))


def _bucket(limit: Limit, who: str) -> str:
    return f"{limit.name}:{who}"


def _columns(charges: Sequence[tuple[Limit, str]]) -> tuple[list[str], list[timedelta], list[timedelta]]:
    """Returns the bucket, the interval and the bound of each."""
    bounds = [limit.every * limit.burst if limit in _COUNTED else _NO_BOUND for limit, _ in charges]
    return [_bucket(limit, who) for limit, who in charges], [limit.every for limit, _ in charges], bounds


_NO_BOUND: Final = timedelta(days=3650)

# In the order of their names, so that two statements never wait for each other's rows. What only counts stops at its
# burst; what refuses does not, since the tries that are refused are given back one by one.
_CHARGE: Final = """
WITH given AS (
    SELECT * FROM unnest(%s::text[], %s::interval[], %s::interval[]) AS g (bucket, every, burst)
)
INSERT INTO kernel.rate_limit AS r (bucket, tat) SELECT bucket, now() + every FROM given ORDER BY bucket
ON CONFLICT (bucket) DO UPDATE SET tat = least(
    greatest(r.tat, now()) + (excluded.tat - now()),
    now() + (SELECT burst FROM given WHERE given.bucket = excluded.bucket)
)
RETURNING bucket, extract(epoch FROM tat - now())"""

_GIVE_BACK: Final = """
WITH given AS (
    SELECT * FROM unnest(%s::text[], %s::interval[]) AS g (bucket, every)
), held AS (
    SELECT r.bucket, g.every FROM kernel.rate_limit AS r JOIN given AS g USING (bucket)
    ORDER BY r.bucket FOR UPDATE OF r
)
UPDATE kernel.rate_limit AS r SET tat = r.tat - held.every FROM held WHERE r.bucket = held.bucket"""
