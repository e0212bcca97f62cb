"""`python -m infra.services.clickhouse_server`: the ClickHouse engine over one data directory, behind ClickHouse's HTTP
API.

On SIGTERM or SIGINT: no new queries, running reads are cancelled, inserts get `DRAIN_S` to finish, the engine is
closed, exit code 0. Everything it acknowledged is on disk already, so a kill loses nothing.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from infra.kernel.config.loading import load
from infra.kernel.http.request_limits import Guarded
from infra.kernel.http.server import run
from infra.kernel.observability import logging as logs
from infra.services.clickhouse_server.analysts import AnalystAuthenticator
from infra.services.clickhouse_server.app import ABORT, ClickHouseServer, Limits
from infra.services.clickhouse_server.engine import Engine
from infra.services.clickhouse_server.errors import ClickHouseError
from infra.services.clickhouse_server.users import UsersFileError, read_users

DATABASE = "althing"
DRAIN_S = 9
HARD_STOP_S = 15.0
KEEP_ALIVE_S = 75
HEAD_DEADLINE_S = 10.0
MAX_HEAD_BYTES = 1 << 20
DEFAULT_MEMORY_MB = 2048


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until a signal; returns the process's exit code: 0 after a clean stop, 1 when it could not start."""
    options = _parser().parse_args(arguments)
    logs.configure("clickhouse", logging.WARNING)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # an answer broken off on purpose is no news
    options.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        users = read_users(options.users_file)
        engine = Engine(options.data_dir, options.memory_mb << 20)
        engine.create_database(DATABASE)
    except UsersFileError as failure:
        _say(str(failure))
        return 1
    except ClickHouseError as failure:
        _say(f"ClickHouse cannot start on {options.data_dir} (has another process opened it?): {failure}")
        return 1
    front = ClickHouseServer(
        engine,
        users,
        default_database=DATABASE,
        limits=Limits(
            running=options.max_running, waiting=options.max_waiting, analysts_memory_bytes=options.memory_mb << 20
        ),
        entry_point=_authenticator() if options.analysts else None,
    )
    code = _serve(front, options.host, options.port)
    front.close()
    return code


def _authenticator() -> AnalystAuthenticator | None:
    settings = load()
    return AnalystAuthenticator(settings) if settings.postgres_url is not None else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.services.clickhouse_server", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True, help="the engine's directory; one process only")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0: a free one; the address is printed when ready")
    parser.add_argument(
        "--users-file", type=Path, required=True, help="JSON, see infra/services/clickhouse_server/users.py"
    )
    parser.add_argument(
        "--memory-mb",
        type=int,
        default=DEFAULT_MEMORY_MB,
        help="upper bound for the engine, and for the processes that run analysts' statements together",
    )
    parser.add_argument("--max-running", type=int, default=16, help="queries that run at once; others wait")
    parser.add_argument("--analysts", action="store_true", help="let analysts in, whom Postgres (POSTGRES_URL) knows")
    parser.add_argument("--max-waiting", type=int, default=512, help="queries that may wait; any more are refused")
    return parser


def _serve(front: ClickHouseServer, host: str, port: int) -> int:
    def started(on_host: str, on_port: int) -> None:
        print(f"ready http://{on_host}:{on_port}/", flush=True)  # noqa: T201 - the line a supervisor waits for

    def stopping() -> None:
        # Acknowledged data is on disk; an engine that does not stop must not delay the machine's shutdown.
        last_resort = threading.Timer(HARD_STOP_S, os._exit, (0,))
        last_resort.daemon = True
        last_resort.start()
        front.stop()

    code = run(
        front,
        _HeadGuarded,
        host=host,
        port=port,
        keep_alive_s=KEEP_ALIVE_S,
        drain_s=DRAIN_S,
        on_start=started,
        on_stop=stopping,
    )
    if code != 0:
        _say(f"ClickHouse cannot listen on {host}:{port}: the port is taken.")
    return code


class _HeadGuarded(Guarded):
    """Guards the head only: an insert's body may stream for long, and `body.py` watches the gaps between its pieces."""

    deadline_s = HEAD_DEADLINE_S
    max_head_bytes = MAX_HEAD_BYTES

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: self.transport.abort}  # type: ignore[dict-item]  # our own ASGI extension

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._disarm()

    def _arm(self) -> None:
        if self._in_head:
            super()._arm()


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - for the person or supervisor that started it


if __name__ == "__main__":
    sys.exit(main())
