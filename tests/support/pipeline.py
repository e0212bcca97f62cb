"""The way from the log into every table, inside the test's process: the product's own workers on real engines.

Each `Pipeline` has a Postgres database and a ClickHouse database of its own, so that what one test breaks stays there.
`disturb` wraps the connection to ClickHouse, which is where faults are planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, open_log, signature
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.log.shared_tail import SharedTailLog
from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import open_keyring
from infra.kernel.security.text_keys import TextKeys
from infra.kernel.subscriptions.group_commit import GroupCommit
from infra.kernel.subscriptions.positions import WorkerKey
from projectors import probe, schema
from projectors.engine.clickhouse import ClickHouse, HttpClickHouse
from projectors.engine.clickhouse_worker import ClickHouseWorker
from projectors.engine.ownership import Ownership
from projectors.engine.postgres_worker import PostgresWorker
from projectors.engine.worker import Runtime, Worker
from projectors.registry import REGISTRY
from schemas.topics import DOMAIN
from tests.support.databases import Maker, create_clickhouse_tables, own_databases

MASTER_KEY = "ab" * 32
Disturb = Callable[[ClickHouse], ClickHouse]


class Pipeline:
    """Databases with the tables of Postgres, given topics (the log on Postgres); nothing runs until `projecting`."""

    def __init__(self, settings: Settings, data_dir: Path) -> None:
        self.settings = settings
        self.log: Log = open_log(settings)
        self._data_dir = data_dir
        self.log.create_topics()
        with psycopg.connect(settings.postgres_url or "", autocommit=True) as connection:
            signature.note_starts(connection, self.log)
            with connection.transaction():
                TextKeys(settings).create_first(connection)

    @contextmanager
    def projecting(
        self, disturb: Disturb = lambda clickhouse: clickhouse, *, may_give_up: bool = False
    ) -> Iterator[None]:
        """Every live projection's workers run inside the block. A worker that stops fails the test, unless it may:
        one that starts again may find the planted fault."""
        assert self.settings.postgres_url is not None
        failures: list[str] = []
        ownership = Ownership(self.settings.postgres_url)
        with (
            pool(self.settings, 8) as connections,
            open_keyring(self.settings) as keyring,
            closing(SharedTailLog(open_log(self.settings), DOMAIN.name, 0)) as log,
        ):
            runtime = Runtime(
                name="test",
                pool=connections,
                steps=GroupCommit(connections),
                log=log,
                clickhouse=disturb(HttpClickHouse(self.settings)),
                ownership=ownership,
                decrypt=keyring,
                texts=TextReader(TextKeys(self.settings).reading(keyring.connections)),
                data_dir=self._data_dir,
                probe_module=probe.MODULE,
            )
            workers = list(self._workers(runtime, lambda key, reason: failures.append(f"{key.text}: {reason}")))
            for worker in workers:
                worker.start()
            try:
                yield
            finally:
                for worker in workers:
                    worker.stop()
                for worker in workers:
                    worker.join(20)
                ownership.close()
        assert may_give_up or not failures

    def close(self) -> None:
        self.log.close()

    def _workers(self, runtime: Runtime, failed: Callable[[WorkerKey, str], None]) -> Iterator[Worker]:
        families = {family.name: family for family in REGISTRY.clickhouse}
        models = {model.name: model for model in REGISTRY.postgres}
        with runtime.pool.connection() as connection:
            places = connection.execute(
                "SELECT projection, generation, topic, partition FROM engine.position WHERE generation > 0"
            ).fetchall()
        for place in places:
            key = WorkerKey(*place)
            if key.projection in families:
                worker: Worker = ClickHouseWorker(key, families[key.projection], runtime, failed)
            else:
                worker = PostgresWorker(key, models[key.projection], runtime, failed)
            worker.is_live = worker.publishes = True
            yield worker


@contextmanager
def pipeline(
    postgres: Settings, clickhouse: Settings, folder: Path, make: Maker = create_clickhouse_tables
) -> Iterator[Pipeline]:
    """A fresh `Pipeline` on these engines, with the tables of ClickHouse, too; its databases are dropped afterwards."""
    with own_databases(postgres, clickhouse, schema.create_schema) as found:
        settings = replace(found, data_dir=folder, log="postgres", master_key=postgres.master_key or MASTER_KEY)
        make(settings)
        made = Pipeline(settings, folder)
        try:
            yield made
        finally:
            made.close()
