"""What each address has cost lately in requests that were refused. Above a rate, it is answered only what is cheap,
and refusals come late: who sends the next request when the last one is answered then sends few.

Honest traffic costs nothing here, however much it is: one server may send thousands of events a second, and thousands
of people share one address. What is refused counts as one request, or as the milliseconds that it took, if more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import IPv6Address
from math import ceil
from random import uniform
from time import monotonic
from typing import Final

from infra.http_guard import Scope
from infra.settings import Network
from ingest.directory import Key
from ingest.refused import Refused
from ingest.visit import client_address
from schemas.tracking import Outcome

BURST_S: Final = 4
"""Seconds of the rate that may be spent at once."""
MAX_ADDRESSES: Final = 20_000
HOLD_S: Final = 0.25
"""On average: from half to three halves of it, so that connections held together do not come back together."""
MAX_HELD: Final = 1_000
"""Refusals that are held back at once; further ones are answered at once."""


class Tolls:
    """Owned by the event loop. Bounded: when the table is full, addresses that owe least are forgotten."""

    def __init__(self, rate: int) -> None:
        self._rate = float(rate)
        self._debts: dict[str, float] = {}
        """The time at which each address has paid off what it cost."""
        self._held = 0

    def charge(self, address: str, cost: float = 1.0) -> None:
        """A request of the address was refused, or was much work, and cost as much as `cost` cheap refusals."""
        if not cost:
            return
        now = monotonic()
        name = _network(address)
        if name not in self._debts and len(self._debts) >= MAX_ADDRESSES:
            self._forget(now)
        paid_off = max(self._debts.get(name, now), now) + cost / self._rate
        self._debts[name] = min(paid_off, now + 2 * BURST_S)

    def wait_of(self, address: str) -> float:
        """0, or the seconds after which the address is below its limit again."""
        if not self._debts:
            return 0.0
        owed = self._debts.get(_network(address), 0.0) - monotonic()
        return max(0.0, owed - BURST_S)

    def check(self, address: str) -> None:
        """Raises `Refused` (address_throttled, 429) when the address is above its limit."""
        wait = self.wait_of(address)
        if wait:
            raise Refused(
                Outcome.THROTTLED,
                "address_throttled",
                "Too many requests from this address were refused lately; please send fewer, or smaller ones.",
                status=429,
                retry_after=max(1, ceil(wait)),
            )

    def checking(self, scope: Scope, trusted: Sequence[Network]) -> Callable[[], None]:
        """`check` for the address of a request, for when it is needed."""
        return lambda: self.check(client_address(scope, trusted))

    async def hold(self, address: str) -> None:
        """Waits before a refusal is answered, when the address is above its limit."""
        if self._held >= MAX_HELD or not self.wait_of(address):
            return
        self._held += 1
        try:
            await asyncio.sleep(HOLD_S * uniform(0.5, 1.5))  # noqa: S311 - no secret
        finally:
            self._held -= 1

    def _forget(self, now: float) -> None:
        left = {name: paid_off for name, paid_off in self._debts.items() if paid_off > now}
        if len(left) > MAX_ADDRESSES // 2:
            most = sorted(left.items(), key=lambda entry: entry[1], reverse=True)[: MAX_ADDRESSES // 2]
            left = dict(most)
        self._debts = left


VOUCHED: Final = "vouched"
"""In a request's scope: a secret key vouches for it, what is refused of it costs its address nothing."""
COST: Final = "cost_ms"
"""In a request's scope: the milliseconds that it took, where they were measured."""


def vouch(scope: Scope, key: Key) -> None:
    """A key that only a server has vouches for the request."""
    if key.kind != "site":
        scope[VOUCHED] = True


@lru_cache(maxsize=4096)
def _network(address: str) -> str:
    """IPv6 users have a whole network (/64) each."""
    if ":" not in address:
        return address
    try:
        return str(int(IPv6Address(address)) >> 64)
    except ValueError:
        return address
