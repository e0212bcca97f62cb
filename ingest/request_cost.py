"""Defines what rejected requests cost an address of ingest (`infra.kernel.http.address_costs`), and which cost
nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final

from infra.kernel.config.settings import Network
from infra.kernel.http.address_costs import AddressCosts
from infra.kernel.http.request_limits import Scope
from ingest.directory.directory import KeyEntry
from ingest.errors import EventRejected
from ingest.visitors.request_context import client_address
from schemas.tracking import Outcome


class RequestCosts(AddressCosts):
    """The costs with ingest's own refusal."""

    def check(self, address: str) -> None:
        """Checks the address. Raises `EventRejected` (address_throttled, 429) when it is above its limit."""
        wait = self.seconds_over_limit(address)
        if wait:
            raise EventRejected(
                Outcome.THROTTLED,
                "address_throttled",
                "Too many requests from this address were rejected recently; please send fewer or smaller ones.",
                status=429,
                retry_after=max(1, ceil(wait)),
            )

    def checker(self, scope: Scope, trusted: Sequence[Network]) -> Callable[[], None]:
        """A function that calls `check` for the address of a request."""
        return lambda: self.check(client_address(scope, trusted))


EXEMPT: Final = "vouched"
"""In a request's scope: it has a server's key, so its rejections cost its address nothing."""
COST: Final = "cost_ms"
"""In a request's scope: the milliseconds that it took, where they were measured."""


def exempt_server_key(scope: Scope, key: KeyEntry) -> None:
    """Exempts a request with a key that only servers have."""
    if key.kind != "site":
        scope[EXEMPT] = True
