"""The command service as a process: its first words, its readiness, and a stop that ends what it began."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest

from infra.settings import Settings
from tests.support.child import child
from tests.support.engines import free_port
from tests.support.policies import Policies, policies
from tests.support.stack import wait_for


@pytest.fixture
def engines(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        made.world.log.end_offset("domain", 0)
        yield made


def answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.crash
def test_from_the_set_up_link_to_a_clean_stop(engines: Policies) -> None:
    world, port = engines.world, free_port()
    address = f"http://127.0.0.1:{port}"
    service = ("infra.cli", "serve", "command")
    with child(world.settings, *service, ALTHING_COMMAND_PORT=str(port)) as process:
        assert process.stdout is not None
        link = process.stdout.readline()
        assert "/setup?token=" in link
        wait_for(lambda: answers(address), "the service to be ready")
        parts = httpx.get(f"{address}/readyz").json()["parts"]
        assert set(parts) == {
            "postgres",
            "relay:domain",
            "policy:attribution:0",
            "policy:attribution:1",
            "policy:waiting",
            "policy:approving",
            "policy:domains",
            "operations:recording",
        }
        body = {
            "token": link.strip().partition("token=")[2],
            "email": "first@example.com",
            "password": "a long password",
            "name": "First",
        }
        session = httpx.post(f"{address}/api/platform/setup", json=body, timeout=20)
        assert session.status_code == 200, session.text
        headers = {"Authorization": f"Bearer {session.json()['token']}"}

        def connect(_: int) -> int | None:
            given = {**headers, "Idempotency-Key": uuid4().hex}
            try:
                answer = httpx.post(
                    f"{address}/api/platform/websites", json={"domain": "stop.example"}, headers=given, timeout=20
                )
            except httpx.HTTPError:
                return None
            return answer.status_code

        with ThreadPoolExecutor(8) as threads:
            statuses = threads.map(connect, range(60))
            wait_for(lambda: world.count("SELECT count(*) FROM events.stored_events") > 20, "commands to be under way")
            process.send_signal(signal.SIGTERM)
            acknowledged = list(statuses).count(201)
        assert process.wait(20) == 0
    connected = "SELECT count(*) FROM events.stored_events WHERE topic = 'website.connected.v1'"
    assert world.count(connected) == acknowledged
