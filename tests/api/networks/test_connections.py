"""Connections to networks' APIs: pulled by schedule and by hand into imports, against servers that speak the APIs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from command_api import processes
from command_api.kernel.container import Container
from command_api.kernel.process_manager import ProcessManager, ProcessWorker
from command_api.networks.connections import process
from command_api.networks.connections.commands import FinishPull
from command_api.networks.connections.process import network_pulls
from command_api.networks.connections.routes import PULLS
from command_api.networks.pulling.client import ReportClient
from infra.kernel.config.settings import Settings
from tests.api.networks.test_imports import Importer
from tests.support.command import Person
from tests.support.network_servers import CUT, AwinServer, Sale, ServerOutbound
from tests.support.policies import Policies, policies, project
from tests.support.query import QueryService, serving

CONNECTIONS = "/api/platform/networks/connections"
ORIGIN = "https://api.awin.com"
MAX_STEPS = 100


@dataclass
class Network:
    """An importer's website with Awin in process. `at`: the clock of the pulls and of the server, some days ago: what
    they set in motion is due at once for the workers that run by the real clock."""

    led: Policies
    importer: Importer
    server: AwinServer
    at: datetime

    def connect(self, person: Person | None = None, *, status: int = 201, **changes: Any) -> dict[str, Any]:
        body = {
            "network": "awin",
            "websiteId": str(self.importer.site_id),
            "credentials": {"publisherId": self.server.publisher, "token": self.server.token},
            "schedule": "daily",
            **changes,
        }
        return self.call("POST", CONNECTIONS, person, status=status, json=body)

    def call(
        self, method: str, path: str, person: Person | None = None, *, status: int, json: Any = None
    ) -> dict[str, Any]:
        more = {} if json is None else {"json": json}
        answer = self.led.world.call(method, path, person or self.led.world.owner, **more)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def pull(self) -> None:
        """Runs the calls that are due, until none is due within five minutes. A pull by hand is due at once."""
        self.led.world.postgres.execute(
            "UPDATE kernel.timeout SET due_at = %s WHERE process = 'network-pulls' AND due_at > %s",
            (self.at, self.at + timedelta(days=2)),
        )
        client = ReportClient(ServerOutbound({ORIGIN: self.server}), {})
        worker = ProcessWorker(self.led.world.core, [network_pulls(self.led.world.core, client)], now=lambda: self.at)
        for _ in range(MAX_STEPS):
            if not worker.run_once():
                row = self.row_of_next()
                if row is None or row > self.at + timedelta(minutes=5):
                    return
                self.at = max(row, self.at)
        raise AssertionError("the pull does not end")

    def row_of_next(self) -> datetime | None:
        row = self.led.world.postgres.execute(
            "SELECT min(due_at) FROM kernel.timeout WHERE process = 'network-pulls'"
        ).fetchone()
        assert row is not None
        due: datetime | None = row[0]
        return due

    def stored(self) -> dict[str, Any]:
        names = ("pulled_until", "position", "failures", "problem", "next_at")
        row = self.led.world.postgres.execute(
            "SELECT pulled_until, position, failures, problem, next_at FROM networks.connection WHERE website_id = %s",
            (self.importer.site_id,),
        ).fetchone()
        return {} if row is None else dict(zip(names, row, strict=True))

    def import_ids(self) -> list[UUID]:
        rows = self.led.world.postgres.execute(
            "SELECT import_id FROM networks.import_job WHERE website_id = %s ORDER BY import_order",
            (self.importer.site_id,),
        ).fetchall()
        return [row[0] for row in rows]

    def applied(self) -> None:
        for import_id in self.import_ids():
            self.importer.until(str(import_id), "applied")


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    """The pulls are run by the tests, with their clock; everything else by the leaders."""

    def by_nobody(container: Container, client: ReportClient) -> ProcessManager:
        return replace(network_pulls(container, client), name="network-pulls-of-nobody", ids=None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(processes, "network_pulls", by_nobody)
        with policies(embedded_postgres, embedded_clickhouse) as made:
            yield made


@pytest.fixture
def network(led: Policies) -> Network:
    """A website of its own; connections of tests before are gone."""
    led.world.postgres.execute("DELETE FROM networks.connection")
    led.world.postgres.execute("DELETE FROM networks.call_pace")
    led.world.postgres.execute("DELETE FROM kernel.timeout WHERE process = 'network-pulls'")
    led.world.postgres.execute("DELETE FROM kernel.rate_limit")
    importer, now = Importer(led), datetime.now(UTC) - timedelta(days=9)
    sales = [Sale(int(importer.txid()), now - timedelta(days=days), commission=f"{days}.25") for days in (1, 35, 70)]
    made = Network(led, importer, AwinServer(lambda: made.at, sales, token=uuid4().hex), now)
    return made


def test_a_connected_network_is_read_and_its_sales_count(network: Network) -> None:
    connected = network.connect()
    assert (connected["network"], connected["schedule"], connected["isRefused"]) == ("awin", "daily", False)
    network.pull()
    network.applied()
    for sale in network.server.sales:
        assert network.importer.conversion(str(sale.id)).commission == int(float(sale.commission) * 100)
    assert network.importer.earned() == 125 + 3525 + 7025
    found = network.stored()
    assert (found["position"], found["failures"], found["problem"]) == (None, 0, None)
    assert network.server.too_fast == 0


def test_credentials_are_nowhere_in_plain_text(network: Network) -> None:
    connected = network.connect()
    network.pull()
    token = network.server.token
    assert token not in str(connected)
    dump = network.led.world.postgres.execute("SELECT string_agg(c::text, '') FROM networks.connection AS c").fetchone()
    assert dump is not None and token not in dump[0]
    events = "SELECT count(*) FROM events.stored_events WHERE position(%s::bytea IN state) > 0"
    assert network.led.world.count(events, token.encode()) == 0


def test_the_same_rows_again_leave_no_import_and_a_decided_sale_does(network: Network) -> None:
    network.connect()
    network.pull()
    network.applied()
    network.at += timedelta(days=1, minutes=1)
    network.server.sales.clear()
    network.pull()
    assert len(network.import_ids()) == 1
    decided = Sale(int(network.importer.txid()), network.at - timedelta(hours=2), commission="7.00", status="approved")
    network.server.sales.append(decided)
    network.at += timedelta(days=1, minutes=1)
    network.pull()
    network.at += timedelta(minutes=1)
    assert len(network.import_ids()) == 2
    network.applied()
    assert network.importer.conversion(str(decided.id)).status.value == "approved"


def test_a_pull_that_fails_goes_on_where_it_stopped(network: Network) -> None:
    network.server.faults = {2: CUT, 4: 500, 6: 429}
    network.connect()
    network.pull()
    network.applied()
    assert len(network.server.calls) == len(set(network.server.targets)) + 3
    assert network.importer.earned() == 125 + 3525 + 7025


def test_a_pull_that_ends_behind_its_import_is_not_imported_twice(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = iter([OSError("killed")])

    def killed_once(*values: Any) -> FinishPull:
        for kill in kills:
            raise kill
        return FinishPull(*values)

    monkeypatch.setattr(process, "FinishPull", killed_once)
    network.connect()
    network.pull()
    network.applied()
    assert next(kills, None) is None
    assert (len(network.import_ids()), network.importer.earned()) == (1, 125 + 3525 + 7025)
    assert len(network.server.calls) == len(set(network.server.targets))


def test_expired_credentials_stop_the_calls_and_new_ones_go_on(network: Network) -> None:
    network.server.after_call = {2: lambda: setattr(network.server, "token", "renewed")}
    connected = network.connect()
    network.pull()
    assert (network.stored()["next_at"], network.stored()["problem"]) == (
        None,
        "Awin does not accept these credentials. Enter new ones.",
    )
    refused = network.call("POST", f"{CONNECTIONS}/{connected['id']}/pull", status=409)
    assert refused["code"] == "credentials_refused"
    renewed = {"credentials": {"publisherId": network.server.publisher, "token": "renewed"}}
    assert network.call("PATCH", f"{CONNECTIONS}/{connected['id']}", status=200, json=renewed)["isRefused"] is False
    network.at += timedelta(minutes=1)
    network.pull()
    network.applied()
    assert network.importer.earned() == 125 + 3525 + 7025
    assert len(set(network.server.targets)) == len(network.server.targets) - 1, "only the refused call is repeated"


def test_two_connections_with_one_token_share_the_rate(network: Network) -> None:
    network.connect()
    other = network.led.world.website(domain=f"{uuid4().hex[:8]}.example")
    network.connect(websiteId=other["id"])
    network.pull()
    assert network.server.too_fast == 0
    gaps = [late - early for early, late in zip(network.server.calls, network.server.calls[1:], strict=False)]
    assert min(gaps) >= timedelta(seconds=3)


def test_a_network_is_read_by_hand_and_not_too_often(network: Network) -> None:
    connected = network.connect()
    network.pull()
    before = len(network.server.calls)
    network.call("POST", f"{CONNECTIONS}/{connected['id']}/pull", status=202)
    network.pull()
    assert len(network.server.calls) > before
    for _ in range(PULLS.burst - 1):
        network.call("POST", f"{CONNECTIONS}/{connected['id']}/pull", status=202)
    network.call("POST", f"{CONNECTIONS}/{connected['id']}/pull", status=429)


def test_a_removed_connection_is_never_called_again(network: Network) -> None:
    connected = network.connect()
    network.call("DELETE", f"{CONNECTIONS}/{connected['id']}", status=204)
    network.pull()
    assert network.server.calls == [] and network.stored() == {}
    network.call("DELETE", f"{CONNECTIONS}/{connected['id']}", status=404)


def test_a_website_that_is_disconnected_ends_its_connections(network: Network) -> None:
    connected = network.connect()
    network.call("DELETE", f"/api/platform/websites/{network.importer.site_id}", status=204)
    assert network.stored() == {}
    assert "network_connection.removed.v1" in network.led.world.events(connected["id"])


def test_bad_requests_are_refused_with_the_reason(network: Network) -> None:
    stranger = network.led.world.person()
    assert network.connect(network="rakuten", status=400)["code"] == "not_pullable"
    assert network.connect(credentials={"token": "x"}, status=400)["code"] == "bad_credentials"
    network.connect(stranger, status=404)
    connected = network.connect()
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/pull")):
        given = {"schedule": "hourly"} if method == "PATCH" else None
        network.call(method, f"{CONNECTIONS}/{connected['id']}{path}", stranger, status=404, json=given)


def test_its_owner_sees_how_a_connection_goes_and_nobody_else(network: Network) -> None:
    connected = network.connect()
    network.pull()
    with serving(network.led.world.settings) as query:
        [shown] = listed(network, query)
        assert (shown["id"], shown["rows"], shown["isPulling"], shown["problem"]) == (connected["id"], 3, False, "")
        assert shown["importId"] == str(network.import_ids()[0]) and shown["pulledAt"] is not None
        assert listed(network, query, network.led.world.person(), status=404) == []


def listed(
    network: Network, query: QueryService, person: Person | None = None, *, status: int = 200
) -> list[dict[str, Any]]:
    network.led.relayed()
    project(network.led.world, "network_connections")
    headers = (person or network.led.world.owner).headers
    params = {"websiteId": str(network.importer.site_id)}
    answer = httpx.get(f"{query.address}{CONNECTIONS}", params=params, headers=headers, timeout=20)
    assert answer.status_code == status, answer.text
    found: list[dict[str, Any]] = answer.json() if status == 200 else []
    return found
