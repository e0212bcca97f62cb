"""Services on other addresses than this machine's loopback: they find each other, and are of no use to outsiders."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_network

import httpx
import pytest
from fastapi import FastAPI

from command_api.app import create_app as create_command_app
from infra.domain.reports.contract import PROOF, QUERY_PATH, VIEW_PATH
from infra.kernel.config.settings import Settings
from query_api.app import create_app as create_query_app
from tests.support.child_process import child_process
from tests.support.command import World, command_world
from tests.support.engines import free_port
from tests.support.stack import wait_for

__all__ = ["command_world"]

OUTSIDER = "203.0.113.9"
HEALTH = ("/livez", "/readyz", "/metrics")


def test_the_gateway_reads_from_a_query_service_on_another_address(query_settings: Settings) -> None:
    query_port, web_port, nobody = free_port(), free_port(), free_port()
    query = f"http://127.0.0.2:{query_port}"
    of_query = {"ALTHING_INTERNAL_HOST": "127.0.0.2", "ALTHING_QUERY_PORT": str(query_port)}
    of_web = {
        "ALTHING_PORT": str(web_port),
        "ALTHING_QUERY_URL": query,
        "ALTHING_COMMAND_URL": f"http://127.0.0.2:{nobody}",
    }
    web = f"http://127.0.0.1:{web_port}"
    with (
        child_process(query_settings, "infra.ops.cli", "serve", "query", **of_query),
        child_process(query_settings, "infra.ops.cli", "serve", "web", **of_web),
    ):
        wait_for(lambda: _status(f"{query}/readyz") == 200, "the query service to be ready")
        wait_for(lambda: _status(f"{web}/livez") == 200, "the gateway to answer")
        assert httpx.get(f"{web}/readyz").json()["parts"] | {"web": ""} == {
            "web": "",
            "query": "ok",
            "command": "does not answer",
        }
        assert httpx.get(f"{web}/api/platform/user").json()["code"] == "not_signed_in"
        assert _status(f"http://127.0.0.1:{query_port}/livez") is None


async def test_an_outsider_gets_nothing_from_the_query_service(query_settings: Settings) -> None:
    order = {"account_id": "00000000-0000-0000-0000-000000000000", "ordered_at": datetime.now(UTC).isoformat()}
    app = create_query_app(query_settings)
    async with app.router.lifespan_context(app), _client(app) as client:
        for path in HEALTH:
            assert (await client.get(path)).status_code == 404
        for path in (VIEW_PATH, QUERY_PATH):
            for headers in ({}, {PROOF: "0" * 64}):
                assert (await client.post(path, json=order, headers=headers)).status_code == 404
        for path in ("/api/platform/user", "/api/admin/system", "/api/platform/websites"):
            assert (await client.get(path, headers={"X-Forwarded-For": "127.0.0.1"})).status_code == 401


async def test_an_outsider_gets_nothing_from_the_command_service(command_world: World) -> None:
    async with _client(create_command_app(command_world.core)) as client:
        for path in HEALTH:
            assert (await client.get(path)).status_code == 404
        forwarded = {"X-Forwarded-For": "127.0.0.1"}
        answer = await client.post("/api/platform/websites", json={"domain": "example.com"}, headers=forwarded)
        assert answer.status_code == 401


@pytest.mark.parametrize("forwarded", [False, True])
async def test_monitoring_reads_metrics_but_not_through_a_proxy(
    query_settings: Settings, command_world: World, forwarded: bool
) -> None:
    networks = (ip_network("203.0.113.0/24"),)
    core = replace(command_world.core, settings=replace(command_world.settings, metrics_networks=networks))
    query_app = create_query_app(replace(query_settings, metrics_networks=networks))
    headers = {"X-Forwarded-For": "198.51.100.7"} if forwarded else {}
    async with (
        query_app.router.lifespan_context(query_app),
        _client(query_app) as query,
        _client(create_command_app(core)) as command,
    ):
        for path in HEALTH:
            for client in (query, command):
                assert (await client.get(path, headers=headers)).status_code == (404 if forwarded else 200)


def _client(app: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(OUTSIDER, 50000))
    return httpx.AsyncClient(transport=transport, base_url="http://query:8011")


def _status(url: str) -> int | None:
    try:
        return httpx.get(url, timeout=5).status_code
    except httpx.HTTPError:
        return None
