"""A request's wait for its caller's own writes: each statement waits for the projections whose tables it reads.

`query_api.kernel.dependencies.reads_own_writes` begins it for a request; the readers of Postgres and ClickHouse call
`wait_for_tables_of` before each statement. So what a route waits for follows from its SQL, and is written down nowhere.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextvars import ContextVar
from functools import lru_cache
from typing import Final, Protocol

from starlette.datastructures import MutableHeaders

from query_api.kernel.positions import MAX_WAIT_S, RAW, PositionToken

_READ_MODEL: Final = re.compile(r"\bread\.([a-z_0-9]+)\b(?!\s*\()")
_CLICKHOUSE: Final = re.compile(r"\{(\w+):Identifier\}")
_EVENTS: Final = "events"
"""The projection that fills every table of ClickHouse which is not a raw one of another projection."""
STALE: Final = {"X-Stale": "1"}


class Positions(Protocol):
    """The positions up to which projections have read (`query_api.kernel.read_your_writes`)."""

    def wait(self, tokens: Iterable[PositionToken], projections: Iterable[str], timeout_s: float) -> bool:
        """Returns whether they contain the tokens, after waiting so long at most."""

    def domain_position(self, projections: Iterable[str]) -> int:
        """Returns the position of `domain` that all of them have read."""


class OwnWrites:
    """The own writes of one request. `headers`: of its response, which get `X-Position: domain@N`, up to where
    everything is in the answer, and `X-Stale: 1` when a wait timed out. A request waits `MAX_WAIT_S` at most, whatever
    it reads."""

    def __init__(self, positions: Positions, tokens: tuple[PositionToken, ...], headers: MutableHeaders) -> None:
        self._positions = positions
        self._tokens = tokens
        self._headers = headers
        self._seen: frozenset[str] = frozenset()
        self._position: int | None = None
        self._left_s = MAX_WAIT_S

    def wait(self, projections: frozenset[str]) -> None:
        """Waits before a statement that reads the tables of these projections."""
        new = projections - self._seen
        if not new:
            return
        self._seen |= new
        if self._tokens:
            began = time.monotonic()
            if not self._positions.wait(self._tokens, new, max(0.0, self._left_s)):
                self._headers.update(STALE)
            self._left_s -= time.monotonic() - began
        reached = self._positions.domain_position(new)
        self._position = reached if self._position is None else min(self._position, reached)
        self._headers["X-Position"] = f"domain@{self._position}"


_CURRENT: Final[ContextVar[OwnWrites | None]] = ContextVar("own_writes", default=None)


def begin(own_writes: OwnWrites) -> None:
    """Makes the statements of this request wait from here on."""
    _CURRENT.set(own_writes)


def wait_for_tables_of(*statements: str) -> None:
    """Waits for the tables of the statements; called before they are run. Outside of a request that waits, it has no
    effect."""
    own_writes = _CURRENT.get()
    if own_writes is not None:
        own_writes.wait(frozenset().union(*map(projections_of, statements)))


@lru_cache(maxsize=2048)
def projections_of(sql: str) -> frozenset[str]:
    """The projections that fill the tables of a statement."""
    raw = (name if name in RAW else _EVENTS for name in _CLICKHOUSE.findall(sql))
    return frozenset(_READ_MODEL.findall(sql)).union(raw)
