"""Connections to Postgres by lane (`infra.kernel.http.lanes`): what runs for a request takes one of its lane's own.

Code asks the one pool that it knows. Outside requests, in policies and jobs, it gets a connection that no request can
take, and a crowded lane leaves those of the others free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import RowFactory, tuple_row

from infra.kernel.config.settings import Settings
from infra.kernel.http.lanes import current_lane
from infra.kernel.postgres.pool import Pool, pool

BACKGROUND: Final = ""
"""The name of what runs for no request."""


class LanePool(Pool):
    """A pool for what runs outside requests, and the pools of the lanes."""

    lanes: Mapping[str, Pool] = {}

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection[Any]]:
        """A connection of the current lane, or of the background. Raises what `Pool.connection` raises."""
        own = self.lanes.get(current_lane())
        if own is None:
            with super().connection(timeout) as connection:
                yield connection
        else:
            with own.connection(timeout) as connection:
                yield connection

    def close(self, timeout: float = 5.0) -> None:
        """Closes the pools of all lanes."""
        for own in self.lanes.values():
            own.close(timeout)
        super().close(timeout)


def lane_pool(
    settings: Settings,
    sizes: Mapping[str, int],
    *,
    least: int = 1,
    row_factory: RowFactory[Any] = tuple_row,
    configure: Callable[[Connection[Any]], None] | None = None,
) -> LanePool:
    """An open pool with `sizes` connections for each lane, `BACKGROUND` among them; each keeps `least` open."""

    def opened(size: int, kind: type[Pool] = Pool) -> Pool:
        return pool(settings, size, least=least, row_factory=row_factory, configure=configure, kind=kind)

    background = opened(sizes[BACKGROUND], LanePool)
    assert isinstance(background, LanePool)  # noqa: S101 - for the type checker
    background.lanes = {name: opened(size) for name, size in sizes.items() if name != BACKGROUND}
    return background
