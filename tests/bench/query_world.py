"""Postgres, ClickHouse with its tables, and a query service over them: what the benches of reading measure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import psutil

from infra.kernel.config.settings import Settings
from infra.ops.migrations import migrate
from projectors.schema import create_schema
from tests.support.clickhouse import ClickHouse, start_clickhouse
from tests.support.engines import Engine, engine_folder, start_postgres
from tests.support.query import QueryService, serving


@dataclass(frozen=True)
class QueryWorld:
    """The running parts."""

    postgres: Engine
    clickhouse: ClickHouse
    service: QueryService

    def servers(self, *engines: Engine) -> list[psutil.Process]:
        """The processes of the query service and of `engines`, whose CPU time a bench counts."""
        parts = (*engines, self.service.process)
        return [psutil.Process(part.process.pid) for part in parts if part and part.process]


@contextmanager
def query_world() -> Iterator[QueryWorld]:
    """Fresh and empty engines with the newest schema; all of it ends with the block."""
    with ExitStack() as stack:
        folder = stack.enter_context(engine_folder("bench"))
        postgres, clickhouse = start_postgres(folder), start_clickhouse(folder / "clickhouse")
        stack.callback(clickhouse.stop)
        stack.callback(postgres.stop)
        settings = Settings(
            data_dir=folder,
            postgres_url=postgres.address,
            clickhouse_url=clickhouse.settings.clickhouse_url,
            log="postgres",
        )
        migrate.apply(postgres.address, migrate.read_folder(migrate.FOLDER))
        create_schema(settings)
        yield QueryWorld(postgres, clickhouse, stack.enter_context(serving(settings)))
