"""What a running command service is made of; routes, relay and policies get it handed in."""

from __future__ import annotations

from dataclasses import dataclass

from command_api.commands import Commands
from command_api.store import DecisionStore
from infra.identity import Pool
from infra.keyring import Keyring
from infra.postgres import pool as open_pool
from infra.settings import Settings

POOL_SIZE = 8


@dataclass(frozen=True)
class Core:
    settings: Settings
    pool: Pool
    keyring: Keyring
    store: DecisionStore
    commands: Commands

    def close(self) -> None:
        self.store.close()
        self.pool.close()


def open_core(settings: Settings) -> Core:
    """Opens the store and its pool. Needs a migrated Postgres; raises what psycopg raises without one."""
    pool = open_pool(settings, POOL_SIZE)
    keyring = Keyring(pool, settings)
    try:
        store = DecisionStore(settings, keyring)
    except BaseException:
        pool.close()
        raise
    return Core(settings, pool, keyring, store, Commands(store, pool, settings))
