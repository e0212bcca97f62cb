"""The cost of rejected requests per address. Above a rate limit, a service rejects expensive requests of the address
and delays its error responses, which slows clients that wait for each response.

Accepted requests cost nothing: one server may send thousands of events a second, and thousands of people share one
address. A rejected request counts as one, or as its processing time in milliseconds, if that is more.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from ipaddress import IPv6Address
from random import uniform
from time import monotonic
from typing import Final

BURST_S: Final = 4
"""Seconds of the rate that may be spent at once."""
MAX_ADDRESSES: Final = 20_000
DELAY_S: Final = 0.25
"""The mean; the delay is random from half to one and a half of it, so that delayed connections do not synchronise."""
MAX_DELAYED: Final = 1_000
"""Responses that are delayed concurrently; further ones are sent immediately."""


class AddressCosts:
    """Owned by the event loop. Bounded: when the table is full, the addresses with the lowest cost are removed."""

    def __init__(self, rate: int) -> None:
        self._rate = float(rate)
        self._debts: dict[str, float] = {}
        """The time at which each address has no cost left."""
        self._delayed = 0

    def charge(self, address: str, cost: float = 1.0) -> None:
        """Charges the address for a rejected or expensive request; `cost` 1 is one cheap rejection."""
        if not cost:
            return
        now = monotonic()
        name = network_of(address)
        if name not in self._debts and len(self._debts) >= MAX_ADDRESSES:
            self._forget(now)
        paid_off = max(self._debts.get(name, now), now) + cost / self._rate
        self._debts[name] = min(paid_off, now + 2 * BURST_S)

    def seconds_over_limit(self, address: str) -> float:
        """0, or the seconds after which the address is below its limit again."""
        if not self._debts:
            return 0.0
        owed = self._debts.get(network_of(address), 0.0) - monotonic()
        return max(0.0, owed - BURST_S)

    async def delay(self, address: str) -> None:
        """Delays the response to a rejected request of an address above its limit."""
        if self._delayed >= MAX_DELAYED or not self.seconds_over_limit(address):
            return
        self._delayed += 1
        try:
            await asyncio.sleep(DELAY_S * uniform(0.5, 1.5))  # noqa: S311 - no secret
        finally:
            self._delayed -= 1

    def _forget(self, now: float) -> None:
        left = {name: paid_off for name, paid_off in self._debts.items() if paid_off > now}
        if len(left) > MAX_ADDRESSES // 2:
            most = sorted(left.items(), key=lambda entry: entry[1], reverse=True)[: MAX_ADDRESSES // 2]
            left = dict(most)
        self._debts = left


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """The unit of limits: an IPv4 address or an IPv6 network (/64)."""
    if ":" not in address:
        return address
    try:
        return str(int(IPv6Address(address)) >> 64)
    except ValueError:
        return address
