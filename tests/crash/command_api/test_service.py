"""The command service as a process: its first words, its readiness, a stop that ends what it began, and kills."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from command_api.conversions import decisions
from command_api.kernel.decision import CommandContext
from infra.kernel.config.settings import Settings
from schemas.base import Money
from schemas.events.conversions import AttributedBy, Attribution, ConversionFacts
from schemas.events.partners import Terms
from tests.support.child_process import child_process
from tests.support.command import World, world
from tests.support.crashing_service import MOMENTS, CrashingService, crashing_service
from tests.support.dns_server import DnsServer, dns_server
from tests.support.engines import free_port
from tests.support.people import PASSWORD, invite
from tests.support.policies import Policies, policies
from tests.support.readiness import answers
from tests.support.rounds import first_of
from tests.support.stack import wait_for


@pytest.fixture
def engines(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        made.world.log.end_offset("domain", 0)
        yield made


@pytest.mark.crash
def test_from_the_set_up_link_to_a_clean_stop(engines: Policies) -> None:
    world, port = engines.world, free_port()
    address = f"http://127.0.0.1:{port}"
    service = ("infra.ops.cli", "serve", "command")
    with child_process(world.settings, *service, ALTHING_COMMAND_PORT=str(port)) as process:
        wait_for(lambda: answers(f"{address}/readyz"), "the service to be ready")
        with child_process(world.settings, "infra.ops.cli", "setup-link") as printed:
            link = printed.communicate(timeout=30)[0]
        assert "/setup?token=" in link
        parts = httpx.get(f"{address}/readyz").json()["parts"]
        assert set(parts) == {
            "postgres",
            "relay:domain",
            "policy:attribution:0",
            "policy:attribution:1",
            "process-managers",
            "notifications",
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


@dataclass(frozen=True)
class Asking:
    """A request, who sends it, and the event by which it is known. `changes`: what it writes, as a search pattern."""

    path: str
    body: Any
    event: str
    token: str = ""

    def send(self, client: Any, key: str) -> httpx.Response:
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        client.cookies.clear()
        answer: httpx.Response = client.request("POST", self.path, json=self.body, headers=headers)
        return answer


@dataclass
class Scene:
    """A database with what is to be decided, a service that dies of it, and one that is asked again (`made`)."""

    made: World
    dns: DnsServer
    crashing_process: CrashingService

    def registering(self) -> Asking:
        body = {
            "email": f"{uuid4().hex}@example.com", "password": PASSWORD, "name": "Ada",
            "inviteCode": invite(self.made, maxUses=1)["code"],
        }  # fmt: skip
        return Asking("/api/platform/register", body, "account.registered")

    def approving(self) -> Asking:
        path = f"/api/platform/conversions/{self.sale()}/approve"
        return Asking(path, {}, "conversion.approved", self.made.owner.token)

    def approving_many(self) -> Asking:
        body = {"ids": [str(self.sale()) for _ in range(5)]}
        return Asking("/api/platform/conversions/approve", body, "conversion.approved", self.made.owner.token)

    def verifying(self) -> Asking:
        body = {"domain": f"go.{uuid4().hex[:10]}.example", "websiteId": self.made.website()["id"]}
        domain = self.made.call("POST", "/api/platform/custom-domains", self.made.owner, json=body).json()
        self.dns.set(domain["verificationName"], "TXT", domain["verificationToken"])
        path = f"/api/platform/custom-domains/{domain['id']}/check"
        return Asking(path, {}, "domain.verified", self.made.owner.token)

    def sale(self) -> UUID:
        """A pending one of 100.00 USD at 10 %."""
        now, site = datetime.now(UTC), UUID(self.made.website()["id"])
        link = Attribution(
            by=AttributedBy.CLICK_ID, partner_id=uuid4(), link_id=uuid4(), clicked_at=now, terms=Terms(rate_bp=1000)
        )
        facts = ConversionFacts(
            website_id=site, kind="sale", event="sale", txid=uuid4().hex, amount=Money(amount=10_000, currency="USD"),
            occurred_at=now, attribution=link,
        )  # fmt: skip
        recorded = decisions.record(
            uuid4(), facts, decisions.Basis(), received_at=now, reported_by="sale", payout=None, customer="",
            currency="USD", context=CommandContext(now),
        )  # fmt: skip
        self.made.core.store.append([recorded])
        return recorded.originator_id

    def kept(self) -> dict[str, list[str]]:
        """All rows of all tables, but of those that every request touches, and keys: one that nothing was encrypted
        with opens nothing."""
        tables = self.made.postgres.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('engine', 'information_schema', 'log', 'pg_catalog', 'read')"
            " AND tablename NOT IN ('rate_limit', 'session', 'subject_key')"
        ).fetchall()
        assert len(tables) > 20
        return {
            table: sorted(row[0] for row in self.made.postgres.execute(f"SELECT t::text FROM {table} t".encode()))
            for (table,) in tables
        }


@pytest.fixture(scope="module")
def scene(embedded_postgres: Settings) -> Iterator[Scene]:
    with dns_server() as dns, world(replace(embedded_postgres, dns_resolvers=(dns.address,))) as made:
        resolvers = {"ALTHING_DNS_RESOLVERS": f"127.0.0.1:{dns.port}"}
        with crashing_service(made.settings, **resolvers) as crashing_process:
            yield Scene(made, dns, crashing_process)


@pytest.mark.crash
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("command", first_of("approving_many", "approving", "verifying"))
def test_killed_in_the_middle_of_a_command_it_is_done_once(scene: Scene, command: str, moment: str) -> None:
    """All of it or nothing is there; asked again with the same key, it is done, once, and answered alike from then."""
    asking: Asking = getattr(scene, command)()
    key, before = uuid4().hex, scene.kept()
    died(scene, asking, moment, key)
    after = scene.kept()
    assert (after == before) is (moment == "inside"), "half of it is there"
    answer = asking.send(scene.made.http, key)
    assert answer.status_code == 200, answer.text
    assert answer.headers.get("Idempotency-Replayed") == (None if moment == "inside" else "true")
    done = scene.kept()
    assert moment == "inside" or done == after, "done twice"
    assert happened(done, asking.event) - happened(before, asking.event) == (5 if command == "approving_many" else 1)
    again = asking.send(scene.made.http, key)
    assert (again.content, again.headers["X-Position"]) == (answer.content, answer.headers["X-Position"])
    assert scene.kept() == done


@pytest.mark.crash
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_in_the_middle_of_a_registration_no_use_is_burnt(scene: Scene, moment: str) -> None:
    """Nobody has a session yet who could own a key: who was registered unanswered signs in."""
    asking, before = scene.registering(), scene.kept()
    died(scene, asking, moment, uuid4().hex)
    assert (scene.kept() == before) is (moment == "inside"), "half of it is there"
    again = asking.send(scene.made.http, uuid4().hex)
    if moment == "inside":
        assert again.status_code == 201, again.text
    else:
        assert (again.status_code, again.json()["code"]) == (400, "invite_used_up"), again.text
    scene.made.http.cookies.clear()
    entered = scene.made.call("POST", "/api/platform/login", json={k: asking.body[k] for k in ("email", "password")})
    assert entered.status_code == 200 and entered.json()["token"], entered.text
    done = scene.kept()
    for event in ("account.registered", "invite.used", "email.claimed"):
        assert happened(done, event) - happened(before, event) == 1, event
    assert len(done["accounts.credential"]) - len(before["accounts.credential"]) == 1


@pytest.mark.crash
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_while_a_visitor_signs_up_it_is_done_once_or_not_at_all(scene: Scene, moment: str) -> None:
    """Signup, address and mail of early access are one: a repeated request creates them once."""
    body = {"email": f"{uuid4().hex}@example.com"}
    asking, before = Asking("/api/public/early-access", body, "early_access.joined"), scene.kept()
    died(scene, asking, moment, uuid4().hex)
    assert (scene.kept() == before) is (moment == "inside"), "half of it is there"
    answer = asking.send(scene.made.http, uuid4().hex)
    assert answer.status_code == 200, answer.text
    done = scene.kept()
    assert happened(done, "early_access.joined") - happened(before, "early_access.joined") == 1
    for table in ("leads.contact", "kernel.mail"):
        assert len(done[table]) - len(before[table]) == 1, table


def died(scene: Scene, asking: Asking, moment: str, key: str) -> None:
    with scene.crashing_process.until(moment, asking.event) as client, suppress(httpx.TransportError):
        answer = asking.send(client, key)
        raise AssertionError(f"it lived to answer {answer.status_code}: {answer.text}")


def happened(kept: dict[str, list[str]], event: str) -> int:
    return sum(bool(re.search(rf",{re.escape(event)}\.v\d", row)) for row in kept["events.stored_events"])
