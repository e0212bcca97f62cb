"""What counts as running: a statement from its record to its end, in whatever way it ends."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from uuid import UUID, uuid4

import anyio.to_thread
import psycopg
import pytest

from infra.domain.sql_access import analyst_accounts, limits, statement_log
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.running_statements import RunningStatements
from infra.domain.sql_access.statement_log import StatementOutcome, TooManyRunning
from infra.kernel.postgres import pool as pools
from infra.kernel.security.sessions import Pool
from tests.support.analysts import AnalystWorld
from tests.support.engines import ROOT, wait_until

Block = Callable[["Books"], object]


@dataclass
class Books:
    """One analyst's statements in this process."""

    url: str
    pool: Pool
    analyst: Analyst
    statements: RunningStatements
    postgres: psycopg.Connection[tuple[object, ...]]

    def running(self, statement_id: UUID | None = None):  # type: ignore[no-untyped-def]  # as `RunningStatements.running`
        return self.statements.running(self.pool, self.analyst, statement_id or uuid4(), "test", "SELECT 1", [])

    def outcomes(self) -> list[str]:
        found = self.postgres.execute(
            "SELECT outcome FROM sql.statement WHERE account_id = %s ORDER BY started_at", (self.analyst.account_id,)
        )
        return [str(row[0]) for row in found.fetchall()]

    def counting(self) -> int:
        """How many count, as the next statement would see it."""
        [row] = self.postgres.execute(
            f"SELECT count(*) FROM sql.statement AS s WHERE account_id = %s AND outcome = 'running'"
            f" AND {statement_log.IS_ALIVE}",
            (self.analyst.account_id,),
        ).fetchall()
        return int(str(row[0]))


@pytest.fixture
def books(world: AnalystWorld) -> Iterator[Books]:
    settings, zoe = world.service.settings, world.asker("analyst")
    pool = pools.pool(settings, 3, configure=analyst_accounts.set_reader_role)
    statements = RunningStatements(settings.postgres_url or "", anyio.to_thread.run_sync)
    analyst = Analyst(zoe.person.account_id, zoe.email, is_admin=False)
    yield Books(settings.postgres_url or "", pool, analyst, statements, world.service.postgres)
    statements.close()
    pool.close()


async def _returns(books: Books) -> None:
    async with books.running() as running:
        assert books.counting() == 1
        running.outcome = StatementOutcome("done", 1)


async def _says_nothing(books: Books) -> None:
    async with books.running():
        pass


async def _fails(books: Books) -> None:
    with suppress(RuntimeError):
        async with books.running():
            raise RuntimeError("nobody thought of this")


async def _is_cancelled(books: Books) -> None:
    began = asyncio.Event()

    async def run() -> None:
        async with books.running():
            began.set()
            await asyncio.Event().wait()

    work = asyncio.ensure_future(run())
    await began.wait()
    work.cancel()
    await asyncio.wait([work])
    assert work.cancelled()


async def _is_cancelled_by_a_scope(books: Books) -> None:
    """As Starlette cancels the response of a client that has left."""
    with anyio.CancelScope() as scope:
        async with books.running():
            scope.cancel()
            await anyio.sleep_forever()


async def _is_cancelled_while_it_is_recorded(books: Books) -> None:
    recording, may_go_on, begin = Event(), Event(), statement_log.begin

    def slowly(*arguments: object) -> None:
        recording.set()
        may_go_on.wait(30)
        begin(*arguments)  # type: ignore[arg-type]  # as they came

    async def run() -> None:
        async with books.running():
            raise AssertionError("it was cancelled before")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statement_log, "begin", slowly)
        work = asyncio.ensure_future(run())
        await anyio.to_thread.run_sync(recording.wait)
        work.cancel()
        await asyncio.sleep(0)
        may_go_on.set()
        await asyncio.wait([work])
    assert work.cancelled()


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        (_returns, "done"),
        (_says_nothing, "cancelled"),
        (_fails, "failed"),
        (_is_cancelled, "cancelled"),
        (_is_cancelled_by_a_scope, "cancelled"),
        (_is_cancelled_while_it_is_recorded, "cancelled"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_it_ends_with_its_block(books: Books, ends: Callable[[Books], object], outcome: str) -> None:
    for _ in range(limits.RUNNING + 1):
        asyncio.run(ends(books))  # type: ignore[arg-type]  # a coroutine
    assert (books.outcomes(), books.counting()) == ([outcome] * (limits.RUNNING + 1), 0)


async def test_as_many_as_allowed_and_one_id_once(books: Books) -> None:
    first = uuid4()
    async with books.running(first), books.running(), books.running():
        assert books.counting() == limits.RUNNING
        with pytest.raises(TooManyRunning):
            async with books.running():
                pass
    async with books.running() as running:
        with pytest.raises(psycopg.errors.UniqueViolation):
            async with books.running(first):
                pass
        with pytest.raises(psycopg.errors.UniqueViolation):
            async with books.running(running.id):
                pass
        assert books.counting() == 1, "one that was refused ends no other"


async def test_it_ends_although_its_end_cannot_be_recorded(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object) -> None:
        raise psycopg.OperationalError("the connection is lost")

    async with books.running():
        assert books.counting() == 1
        monkeypatch.setattr(statement_log, "end", unavailable)
    assert (books.outcomes(), books.counting()) == (["running"], 0)


async def test_a_lost_connection_is_made_again(books: Books) -> None:
    async with books.running():
        books.postgres.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
            " AND (classid::bigint << 32 | objid::bigint) IN (SELECT hashtextextended('sql.statement:' || id, 0)"
            " FROM sql.statement WHERE account_id = %s)",
            (books.analyst.account_id,),
        )
        wait_until(lambda: books.counting() == 0, 30, "the lock to be gone")
        async with books.running():
            assert books.counting() == 2, "the first counts again"
    assert (books.outcomes(), books.counting()) == (["cancelled"] * 2, 0)


PROCESS = """
import asyncio, sys, uuid
import anyio.to_thread
from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.running_statements import RunningStatements
from infra.kernel.config.loading import load
from infra.kernel.postgres import pool

async def main():
    found = load()
    analyst = analyst_accounts.Analyst(uuid.UUID(sys.argv[1]), "", is_admin=False)
    connections = pool.pool(found, 2, configure=analyst_accounts.set_reader_role)
    running = RunningStatements(found.postgres_url, anyio.to_thread.run_sync)
    async with running.running(connections, analyst, uuid.uuid4(), "test", "SELECT 1", []):
        print("running", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_killed_process_runs_nothing(books: Books) -> None:
    command = [sys.executable, "-c", PROCESS, str(books.analyst.account_id)]
    started = [
        subprocess.Popen(
            command, stdout=subprocess.PIPE, cwd=ROOT, env={"POSTGRES_URL": books.url, "PYTHONPATH": str(ROOT)}
        )
        for _ in range(limits.RUNNING)
    ]
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == b"running\n"
    assert books.counting() == limits.RUNNING
    for process in started:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    wait_until(lambda: books.counting() == 0, 30, "the locks to be released")
    asyncio.run(_returns(books))
