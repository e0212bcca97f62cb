"""The app is served under its own names, never under one that a publisher pointed here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from infra.kernel.config.settings import Settings
from infra.services.gateway.headers import may_serve
from infra.services.gateway.service import Gateway

SETTINGS = Settings(master_key="5a" * 32, command_port=1, query_port=2, public_url="https://app.althing.example")


def scope(host: str | None, path: str = "/") -> dict[str, Any]:
    headers = [] if host is None else [(b"host", host.encode())]
    return {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""}


@pytest.mark.parametrize(
    "host",
    [
        *("app.althing.example", "APP.Althing.example:443", "app.althing.example.", None, "", "localhost:8000"),
        *("127.0.0.1:8000", "[::1]:8000", "192.168.1.5", "web:8000", "box.local", "me.internal", "203.0.113.4"),
    ],
)
def test_its_own_names(host: str | None) -> None:
    assert may_serve(scope(host), SETTINGS.app_url)


@pytest.mark.parametrize(
    "host",
    [
        *("go.example.com", "althing.example", "x.app.althing.example", "app.althing.example.evil.com"),
        *("go.example.com:8000", "127.0.0.1.evil.com", "GO.example.com."),
    ],
)
@pytest.mark.parametrize("settings", [SETTINGS, Settings(command_port=1, query_port=2)])
def test_names_of_others(settings: Settings, host: str) -> None:
    assert not may_serve(scope(host), settings.app_url)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *(("/", 404), ("/login", 404), ("/api/platform/user", 404), ("/api/docs", 404), ("/assets/app.js", 404)),
        *(("/metrics", 404), ("/livez", 200)),
    ],
)
def test_under_a_custom_domain_there_is_neither_app_nor_api(tmp_path: Path, path: str, status: int) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>")
    answers: list[dict[str, Any]] = []

    async def ask() -> None:
        gateway = Gateway(SETTINGS, tmp_path)
        started = asyncio.Event()
        stop = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not started.is_set():
                return {"type": "lifespan.startup"}
            await stop.wait()
            return {"type": "lifespan.shutdown"}

        async def note(_message: Any) -> None:
            started.set()

        async def send(message: Any) -> None:
            answers.append(message)

        life = asyncio.create_task(gateway({"type": "lifespan"}, receive, note))
        await started.wait()
        await gateway(scope("go.example.com", path), receive, send)
        stop.set()
        await life

    asyncio.run(ask())
    assert answers[0]["status"] == status
    if status == 404:
        assert b"<!doctype" not in answers[1]["body"]
