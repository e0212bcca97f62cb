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
KEYS_POOL_SIZE = 2


@dataclass(frozen=True)
class Core:
    settings: Settings
    pool: Pool
    keys: Pool
    keyring: Keyring
    store: DecisionStore
    commands: Commands

    def close(self) -> None:
        self.store.close()
        self.keys.close()
        self.pool.close()


def open_core(settings: Settings) -> Core:
    """Opens the store and its pool. Needs a migrated Postgres; raises what psycopg raises without one."""
    pool = open_pool(settings, POOL_SIZE)
    keys = open_pool(settings, KEYS_POOL_SIZE, least=0)
    keyring = Keyring(keys, settings)
    try:
        store = DecisionStore(settings, keyring)
    except BaseException:
        keys.close()
        pool.close()
        raise
    return Core(settings, pool, keys, keyring, store, Commands(store, pool, settings))
