"""`python -m infra.clickhouse_front`: the ClickHouse engine over one data directory, behind ClickHouse's HTTP API.

On SIGTERM or SIGINT: no new queries, running reads are cancelled, inserts get `DRAIN_S` to finish, the engine is
closed, exit code 0. Everything it acknowledged is on disk already, so a kill loses nothing.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from infra import settings
from infra.clickhouse_front.analysts import Door
from infra.clickhouse_front.app import Front, Limits
from infra.clickhouse_front.engine import Engine
from infra.clickhouse_front.errors import ClickHouseError
from infra.clickhouse_front.users import UsersFileError, read_users
from infra.http_guard import guarded_protocol

DATABASE = "althing"
DRAIN_S = 9
HARD_STOP_S = 15.0
KEEP_ALIVE_S = 75
HEAD_DEADLINE_S = 10.0
MAX_HEAD_BYTES = 1 << 20
DEFAULT_MEMORY_MB = 2048


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until a signal; returns the process's exit code: 0 after a clean stop, 1 when it could not start."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # an answer broken off on purpose is no news
    given.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        users = read_users(given.users_file)
        engine = Engine(given.data_dir, given.memory_mb << 20)
        engine.create_database(DATABASE)
    except UsersFileError as failure:
        _say(str(failure))
        return 1
    except ClickHouseError as failure:
        _say(f"ClickHouse cannot start on {given.data_dir} (has another process opened it?): {failure}")
        return 1
    front = Front(
        engine,
        users,
        default_database=DATABASE,
        limits=Limits(running=given.max_running, waiting=given.max_waiting),
        door=_door() if given.analysts else None,
    )
    started = _serve(front, given.host, given.port)
    front.close()
    return 0 if started else 1


def _door() -> Door | None:
    found = settings.load()
    return Door(found) if found.postgres_url is not None else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.clickhouse_front", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True, help="the engine's directory; one process only")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0: a free one; the address is printed when ready")
    parser.add_argument("--users-file", type=Path, required=True, help="JSON, see infra/clickhouse_front/users.py")
    parser.add_argument("--memory-mb", type=int, default=DEFAULT_MEMORY_MB, help="upper bound for the engine")
    parser.add_argument("--max-running", type=int, default=16, help="queries that run at once; others wait")
    parser.add_argument("--analysts", action="store_true", help="let analysts in, whom Postgres (POSTGRES_URL) knows")
    parser.add_argument("--max-waiting", type=int, default=128, help="queries that may wait; any more are refused")
    return parser


def _serve(front: Front, host: str, port: int) -> bool:
    config = uvicorn.Config(
        front,
        host=host,
        port=port,
        loop="uvloop",
        http=_head_guarded(),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAIN_S,
    )
    server = _Server(config, front)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # uvicorn raises the signal again at its end; this handler makes that a return (exit code 0), not a death.
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, stop)
    try:
        server.run()
    except SystemExit:
        _say(f"ClickHouse cannot listen on {host}:{port}: the port is taken.")
        return False
    return server.started


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, front: Front) -> None:
        super().__init__(config)
        self._front = front

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            print(f"ready http://{host}:{port}/", flush=True)  # noqa: T201 - the line a supervisor waits for

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Acknowledged data is on disk; an engine that will not come to an end must not hold up the machine's.
        last_resort = threading.Timer(HARD_STOP_S, os._exit, (0,))
        last_resort.daemon = True
        last_resort.start()
        self._front.stop()
        await super().shutdown(sockets)


def _head_guarded() -> type[HttpToolsProtocol]:
    """Guards the head only: an insert's body may stream for long, and `body.py` watches the gaps between its pieces."""

    class HeadGuarded(guarded_protocol(HEAD_DEADLINE_S, MAX_HEAD_BYTES)):  # type: ignore[misc]  # a class made by a function
        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            self._disarm()

        def _arm(self) -> None:
            if self._in_head:
                super()._arm()

    return HeadGuarded


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - for the person or supervisor that started it


if __name__ == "__main__":
    sys.exit(main())
