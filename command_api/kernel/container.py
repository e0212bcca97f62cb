"""Service container of the command API; passed to routes, relay and policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar
from uuid import UUID

from command_api.kernel.command_bus import CommandBus
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import Evolve
from command_api.kernel.event_store import EventStore
from command_api.kernel.inline_projection import InlineProjections
from command_api.kernel.request_lanes import CONNECTIONS, KEY_CONNECTIONS
from infra.kernel.config.settings import Settings
from infra.kernel.http.lane_pools import lane_pool
from infra.kernel.security.sessions import Pool
from infra.kernel.security.subject_keys import Keyring

State = TypeVar("State")


@dataclass(frozen=True)
class Container:
    """Shared services of the process, created once at startup."""

    settings: Settings
    pool: Pool
    keys: Pool
    keyring: Keyring
    store: EventStore
    commands: CommandBus

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """Returns the aggregate's state; see `EventStore.load`."""
        return self.store.load(aggregate_id, evolve)

    def select(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """Runs one statement in a transaction of its own; returns its rows."""
        with self.pool.connection() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(query, values).fetchall()
        return rows

    def execute(self, query: LiteralString, *values: Any) -> int:
        """Runs one statement in a transaction of its own; returns the number of its rows."""
        with self.pool.connection() as connection:
            changed: int = connection.execute(query, values).rowcount
        return changed

    def close(self) -> None:
        """Closes store and pools at shutdown."""
        self.store.close()
        self.keys.close()
        self.pool.close()


def open_container(settings: Settings, handlers: CommandHandlers, projections: InlineProjections) -> Container:
    """Opens the store and its pools. Requires a migrated Postgres; raises psycopg's errors."""
    pool = lane_pool(settings, CONNECTIONS)
    keys = lane_pool(settings, dict.fromkeys(CONNECTIONS, KEY_CONNECTIONS), least=0)
    keyring = Keyring(keys, settings)
    try:
        store = EventStore(settings, keyring, projections)
    except BaseException:
        keys.close()
        pool.close()
        raise
    return Container(settings, pool, keys, keyring, store, CommandBus(store, pool, settings, handlers))
