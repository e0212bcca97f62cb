"""The ClickHouse front as a child process of a test, on a folder of its own and a free port."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clickhouse_connect
import httpx
from clickhouse_connect.driver.client import Client

from infra.kernel.config.settings import Settings
from tests.support.engines import ROOT, Engine, engine_folder, free_port

USER, PASSWORD = "althing", "service secret"
READER, READER_PASSWORD = "analyst", "reader's secret"


@dataclass
class ClickHouse(Engine):
    """The front; `address` is `http://127.0.0.1:port`."""

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    @property
    def settings(self) -> Settings:
        """Settings of a service that uses this ClickHouse."""
        return Settings(clickhouse_url=f"http://{USER}:service%20secret@127.0.0.1:{self.port}/althing")


def start_clickhouse(
    folder: Path, *options: str, program: Sequence[str] = ("-m", "infra.services.clickhouse_server"), **variables: str
) -> ClickHouse:
    """Starts one over `folder` (made if missing) with these environment variables. The caller calls `stop`."""
    folder.mkdir(parents=True, exist_ok=True)
    users = folder / "users.json"
    users.write_text(
        json.dumps(
            {
                "users": [
                    {"name": USER, "password": PASSWORD, "readonly": False},
                    {"name": READER, "password": READER_PASSWORD, "readonly": True},
                ]
            }
        )
    )
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, *program, "--data-dir", str(folder / "clickhouse")]
    command += ["--host", "127.0.0.1", "--port", str(port), "--users-file", str(users), *options]
    environment = {"PYTHONPATH": str(ROOT), **variables}
    engine = ClickHouse(
        "clickhouse", address, command, folder / "clickhouse.log", lambda: _answers(address), environment
    )
    engine.start()
    return engine


def ask(opened: httpx.Client, sql: str, **parameters: Any) -> httpx.Response:
    """Posts a statement."""
    return opened.post("/", params=parameters, content=sql)


def connect(server: ClickHouse, **more: Any) -> Client:
    """clickhouse-connect on `server`, as the full user unless `more` says otherwise."""
    options: dict[str, Any] = {"username": USER, "password": PASSWORD, "database": "althing", **more}
    return clickhouse_connect.get_client(host="127.0.0.1", port=server.port, **options)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=2) as answer:  # noqa: S310 - http, see address
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@contextmanager
def own_clickhouse() -> Iterator[ClickHouse]:
    """A front with a folder of its own, which runs meanwhile."""
    with engine_folder("clickhouse") as folder:
        running = start_clickhouse(folder)
        yield running
        running.stop()
