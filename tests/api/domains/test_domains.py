"""Custom domains over HTTP and real engines: proof by real DNS, TLS by real certificates, reservations, mails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from eventsourcing.persistence import PersistenceError
from psycopg_pool import PoolTimeout

from command_api.domains import model
from command_api.domains.commands import RecordDomainCheck
from command_api.domains.dns_check import DnsChecker, DnsResult, DnsVerdict
from command_api.domains.routes import CHECKS
from command_api.domains.service import VERIFICATION
from command_api.domains.verification_process import MAX_DELAY, domain_verification
from command_api.kernel.decision import CommandRejected, system_context
from command_api.kernel.process_manager import ProcessWorker
from command_api.kernel.timeouts import next_due
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import decrypt_mail
from infra.kernel.net.authoritative_dns import AuthoritativeServers
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound
from schemas.custom_domains import PROBE, record_name
from schemas.events.domains import DomainAdded
from schemas.identity import domain_id, host_id
from tests.api.kernel.test_command_races import at_once
from tests.support.command import Person, World, world
from tests.support.dns_server import DnsServer, dns_server
from tests.support.people import member
from tests.support.tls_server import Authority, web_server

PATH = "/api/platform/custom-domains"


class Place:
    """A command service whose resolvers are the test's."""

    def __init__(self, made: World, dns: DnsServer) -> None:
        self.world, self.dns = made, dns
        self.now = datetime.now(UTC)
        self.resolvers = Resolvers(made.settings)
        self.look_with(Outbound(self.resolvers))

    def look_with(self, outbound: Outbound) -> None:
        authorities = AuthoritativeServers(self.resolvers, [ip_network("127.0.0.0/8")], self.dns.port)
        self.checker = DnsChecker(self.resolvers, authorities, outbound)
        self.world.http.app.state.dns_checker = self.checker  # type: ignore[attr-defined]  # a FastAPI app
        process = domain_verification(self.world.core, self.checker)
        self.worker = ProcessWorker(self.world.core, [process], now=lambda: self.now)

    def add(self, name: str | None = None, person: Person | None = None) -> dict[str, Any]:
        person = person or self.world.owner
        body = {"domain": name or new_name(), "websiteId": self.world.website(person)["id"]}
        answer = self.world.call("POST", PATH, person, json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def check(self, domain: dict[str, Any], person: Person | None = None) -> httpx2.Response:
        self.world.postgres.execute("DELETE FROM kernel.rate_limit")
        return self.world.call("POST", f"{PATH}/{domain['id']}/check", person or self.world.owner)

    def publish(self, domain: dict[str, Any], *more: str) -> None:
        self.dns.set(domain["verificationName"], "TXT", domain["verificationToken"], *more)

    def look(self, days: float = 0) -> None:
        """Everything that is due, after so many days."""
        self.now += timedelta(days=days)
        while self.worker.run_once() == 20:
            pass

    def store_result(self, domain_id: UUID, result: DnsResult) -> None:
        """As the process does, unless the domain was removed meanwhile."""
        with suppress(CommandRejected):
            self.world.core.commands.dispatch(RecordDomainCheck(domain_id, result), system_context(self.now))

    def row(self, domain: dict[str, Any]) -> tuple[Any, ...]:
        sql = (
            "SELECT misses, due_at, problem, has_tls FROM lookup.custom_domain"
            " LEFT JOIN domains.dns_check USING (domain_id) LEFT JOIN kernel.timeout ON id = domain_id"
            " WHERE domain_id = %s"
        )
        row: tuple[Any, ...] | None = self.world.postgres.execute(sql, (domain["id"],)).fetchone()
        assert row is not None
        return row


def new_name() -> str:
    return f"go.{uuid4().hex[:12]}.example"


@pytest.fixture(scope="module")
def place(embedded_postgres: Settings) -> Iterator[Place]:
    with dns_server() as dns, world(replace(embedded_postgres, dns_resolvers=(dns.address,))) as made:
        yield Place(made, dns)


@pytest.fixture(autouse=True)
def fresh(place: Place) -> None:
    place.dns.records.clear()
    place.dns.failing = None
    place.world.postgres.execute("DELETE FROM kernel.rate_limit")
    for table in ("kernel.timeout", "lookup.custom_domain", "domains.dns_check"):
        place.world.postgres.execute(f"DELETE FROM {table}".encode())
    place.now = datetime.now(UTC) + timedelta(minutes=1)  # whatever is added from now on is due
    place.look_with(Outbound(place.resolvers))


def test_a_domain_is_added_proved_and_removed(place: Place) -> None:
    domain = place.add("https://Go.Bücher.example/")
    assert domain["domain"] == "go.xn--bcher-kva.example"
    assert (domain["isVerified"], domain["sslEnabled"], domain["state"]) == (False, False, "pending")
    assert domain["verificationName"] == "_affiliate-challenge.go.xn--bcher-kva.example"
    assert len(domain["verificationToken"]) == 40
    found = place.check(domain).json()
    assert (found["isVerified"], found["problem"]) == (
        False,
        "There is no TXT record at _affiliate-challenge.go.xn--bcher-kva.example yet.",
    )
    place.publish(domain, "v=spf1 -all")
    found = place.check(domain).json()
    assert (found["isVerified"], found["state"], found["expiresAt"]) == (True, "verified", None)
    assert place.world.events(domain["id"]) == ["domain.added.v1", "domain.verified.v1"]
    removed = place.world.call("DELETE", f"{PATH}/{domain['id']}", place.world.owner)
    assert removed.status_code == 204
    assert place.world.events(host_id(domain["domain"])) == ["host.claimed.v1", "host.released.v1"]
    assert place.check(domain).status_code == 404
    again = place.add(domain["domain"])
    assert again["id"] == domain["id"] and again["verificationToken"] != domain["verificationToken"]
    assert place.check(again).json()["problem"].endswith("does not contain the token.")


def test_what_resolvers_remember_is_no_proof_while_the_zones_own_server_says_otherwise(place: Place) -> None:
    domain = place.add()
    zone = domain["domain"].partition(".")[2]
    with dns_server("127.0.0.2", place.dns.port) as owner:
        place.publish(domain)
        place.dns.set(zone, "SOA", f"ns.{zone}. admin.{zone}. 1 3600 600 86400 60")
        place.dns.set(zone, "NS", f"ns.{zone}.")
        place.dns.set(f"ns.{zone}", "A", "127.0.0.2")
        disputed = place.check(domain).json()
        assert (disputed["isVerified"], disputed["problem"].startswith("Not all DNS servers")) == (False, True)
        owner.set(domain["verificationName"], "TXT", domain["verificationToken"])
        assert place.check(domain).json()["isVerified"] is True
        owner.set(domain["verificationName"], "TXT")
        for _ in range(9):
            place.look(days=1.01)
        assert place.check(domain).json()["state"] == "lost"


def test_the_record_is_found_automatically_and_checks_end_after_a_week(place: Place) -> None:
    first, second = place.add(), place.add()
    place.look()
    place.publish(first)
    place.look(days=1)
    assert place.world.events(first["id"]) == ["domain.added.v1", "domain.verified.v1"]
    place.look(days=6.5)
    place.publish(second)
    place.look(days=1)
    assert place.world.events(second["id"]) == ["domain.added.v1"]
    assert place.row(second)[1] is None


def test_a_domain_that_is_added_again_during_a_check_is_checked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    domain, store = place.add(), place.world.core.store
    load, met = store.load, False

    def meanwhile(id: Any, evolve: Any) -> Any:
        """Removed after the check had found it due, added again before the check released it."""
        nonlocal met
        if met or str(id) != domain["id"]:
            return load(id, evolve)
        met = True
        assert place.world.call("DELETE", f"{PATH}/{domain['id']}", place.world.owner).status_code == 204
        removed = load(id, evolve)
        assert place.add(domain["domain"])["id"] == domain["id"]
        return removed

    monkeypatch.setattr(store, "load", meanwhile)
    place.look()
    assert met and place.row(domain)
    assert place.check(domain).status_code == 200


def test_the_result_for_a_domain_that_was_removed_meanwhile_is_dropped(place: Place) -> None:
    domain = place.add()
    assert place.world.call("DELETE", f"{PATH}/{domain['id']}", place.world.owner).status_code == 204
    found = DnsResult(domain["verificationToken"], DnsVerdict.PROVEN, None, None, tls_checked=False)
    place.store_result(UUID(domain["id"]), found)
    assert place.world.events(domain["id"]) == ["domain.added.v1", "domain.removed.v1"]


def test_domains_of_another_account_are_not_found(place: Place) -> None:
    domain, stranger = place.add(), place.world.person()
    place.publish(domain)
    assert place.check(domain, stranger).status_code == 404
    assert place.world.call("DELETE", f"{PATH}/{domain['id']}", stranger).status_code == 404
    assert place.check({"id": uuid4()}, stranger).status_code == 404
    body = {"domain": new_name(), "websiteId": domain["websiteId"]}
    assert place.world.call("POST", PATH, stranger, json=body).status_code == 404
    assert place.world.call("POST", PATH, json=body).status_code == 401
    assert place.world.events(domain["id"]) == ["domain.added.v1"]


@pytest.mark.parametrize("_round", range(2))
def test_64_accounts_prove_the_same_name_and_one_has_it(place: Place, _round: int) -> None:
    ids, seen = many_pending(place, 64), DnsResult("5a" * 20, DnsVerdict.PROVEN, None, "no TLS")

    def settle(number: int) -> str:
        try:
            place.store_result(ids[number], seen)
        except (PoolTimeout, PersistenceError) as error:  # so many at once: this one comes too late
            return type(error).__name__
        return "settled"

    outcomes = Counter(at_once(settle, 64))
    assert outcomes["settled"] > 1, outcomes
    assert len([one for one in ids if "domain.verified.v1" in place.world.events(one)]) == 1
    assert place.world.events(host_of(place, ids[0])) == ["host.claimed.v1"]
    for one in ids:
        place.store_result(one, seen)
    assert len([one for one in ids if "domain.verified.v1" in place.world.events(one)]) == 1
    told = "SELECT count(*) FROM domains.dns_check WHERE problem LIKE '%%in use by another website.'"
    assert place.world.count(told) == 63


def many_pending(place: Place, count: int) -> list[UUID]:
    """So many accounts that added the same name."""
    name, now, asked = new_name(), datetime.now(UTC), system_context()
    events = []
    for _ in range(count):
        account = uuid4()
        events.append(
            DomainAdded(
                originator_id=domain_id(account, name),
                originator_version=1,
                timestamp=asked.at,
                account_id=account,
                website_id=uuid4(),
                domain=name,
                token="5a" * 20,
                expires_at=now + timedelta(days=7),
            )
        )
    place.world.core.store.append(events)
    return [event.originator_id for event in events]


def host_of(place: Place, domain: UUID) -> UUID:
    found = place.world.core.store.load(domain, model.evolve)
    assert found is not None
    return host_id(found.domain)


def test_one_account_adds_a_name_once_however_often_it_asks(place: Place) -> None:
    person = place.world.person()
    body = {"domain": new_name(), "websiteId": place.world.website(person)["id"]}

    def add(_: int) -> int:
        return place.world.call("POST", PATH, person, json=body).status_code

    statuses = Counter(at_once(add, 32))
    assert statuses[201] == 1 and set(statuses) <= {201, 409, 503}, statuses


def test_an_account_has_so_many_domains_and_no_more(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MAX_PER_ACCOUNT", 3)
    person = place.world.person()
    website = place.world.website(person)["id"]

    def add(_: int) -> int:
        return place.world.call("POST", PATH, person, json={"domain": new_name(), "websiteId": website}).status_code

    statuses = Counter(at_once(add, 16))
    assert statuses[201] == 3 and set(statuses) <= {201, 409, 503}, statuses
    assert place.world.count("SELECT count(*) FROM lookup.custom_domain WHERE account_id = %s", person.account_id) == 3


def test_a_name_in_use_is_reported_and_released_with_the_website(place: Place) -> None:
    rival = place.world.person()
    first = place.add()
    place.publish(first)
    assert place.check(first).json()["isVerified"]
    second = place.add(first["domain"], rival)
    place.publish(second, first["verificationToken"])
    assert place.check(second, rival).json()["problem"] == f"{first['domain']} is in use by another website."
    assert (
        place.world.call("DELETE", f"/api/platform/websites/{first['websiteId']}", place.world.owner).status_code == 204
    )
    assert place.world.events(first["id"])[-1] == "domain.removed.v1"
    assert place.check(second, rival).json()["isVerified"]


def test_erasing_an_account_ends_its_domains(place: Place) -> None:
    ada = member(place.world)
    website = ada.call("POST", "/api/platform/websites", json={"domain": "ada.example"}).json()
    body = {"domain": new_name(), "websiteId": website["id"]}
    domain = ada.call("POST", PATH, json=body).json()
    place.publish(domain)
    assert ada.call("POST", f"{PATH}/{domain['id']}/check").json()["isVerified"]
    erased = ada.call("POST", "/api/platform/erase", json={"password": ada.password})
    assert erased.status_code in (200, 202, 204), erased.text
    assert place.world.events(domain["id"])[-1] == "domain.removed.v1"
    assert place.world.events(host_id(domain["domain"]))[-1] == "host.released.v1"


def test_a_missing_record_is_mailed_and_after_a_week_the_domain_is_lost(place: Place) -> None:
    ada = member(place.world)
    website = ada.call("POST", "/api/platform/websites", json={"domain": "ada.example"}).json()
    domain = ada.call("POST", PATH, json={"domain": new_name(), "websiteId": website["id"]}).json()
    place.publish(domain)
    place.look()
    assert "domain.verified.v1" in place.world.events(domain["id"])
    place.dns.set(domain["verificationName"], "TXT")
    for _ in range(6):
        place.look(days=1.01)
    assert mails(place, ada.id) == ["domain_missing"]
    place.dns.failing = "SERVFAIL"
    place.look(days=1.01)
    assert "domain.verification_lost.v1" not in place.world.events(domain["id"])
    place.dns.failing = None
    place.look(days=1.01)
    place.look(days=1.01)
    assert "domain.verification_lost.v1" in place.world.events(domain["id"])
    assert mails(place, ada.id) == ["domain_missing", "domain_lost"]
    place.publish(domain)
    place.look(days=1)
    assert place.world.events(domain["id"])[-1] == "domain.verified.v1"


def mails(place: Place, account: str) -> list[str]:
    """Kinds of mails about domains, each of which names the record."""
    sql = (
        "SELECT id, kind, recipient_sealed, text_sealed FROM kernel.mail WHERE account_id = %s AND kind LIKE 'domain%%'"
        " ORDER BY created_at, id"
    )
    rows = place.world.postgres.execute(sql, (account,)).fetchall()
    for mail_id, _, recipient, text in rows:
        assert "_affiliate-challenge." in (decrypt_mail(place.world.settings, mail_id, recipient, text)[1] or "")
    return [kind for _, kind, *_ in rows]


def test_ssl_is_on_only_when_the_tracking_api_answers_with_a_valid_certificate(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    domain, partner = place.add(), place.world.partner()
    place.publish(domain)
    place.dns.set(domain["domain"], "A", "127.0.0.1")
    assert place.check(domain).json()["sslEnabled"] is False
    refused = place.check(domain).json()
    assert refused["sslEnabled"] is False and "not on the open internet" in refused["problem"]

    answers = {"body": b"another server"}
    context = authority.server_side(domain["domain"])
    with web_server(lambda path, _: (200, {}, answers["body"]) if path == PROBE else (404, {}, b""), context) as server:
        place.look_with(
            Outbound(
                place.resolvers,
                also=(ip_network("127.0.0.0/8"),),
                ports={"https": server.port},
                trust=authority.trust(),
            )
        )
        astray = place.check(domain).json()
        assert astray["sslEnabled"] is False and "does not lead to the tracking API" in astray["problem"]
        answers["body"] = domain["id"].encode()
        good = place.check(domain).json()
        assert (good["sslEnabled"], good["problem"]) == (True, None)
        assert server.asked[-1] == (PROBE, domain["domain"])
        body = {"websiteId": domain["websiteId"], "partnerId": partner["id"]}
        link = place.world.call("POST", "/api/platform/links", place.world.owner, json=body).json()
        assert link["url"] == f"https://{domain['domain']}/{link['slug']}"
    for expected in (True, True, False):
        assert place.check(domain).json()["sslEnabled"] is expected
    link = place.world.call("POST", "/api/platform/links", place.world.owner, json=body).json()
    assert link["url"].endswith(f"/go/{link['slug']}")


@pytest.mark.parametrize("name", ["127.0.0.1", "2130706433", "com", "localhost", "a b.example", "x\x00.example", ""])
def test_names_that_nobody_can_own(place: Place, name: str) -> None:
    body = {"domain": name, "websiteId": place.world.website()["id"]}
    answer = place.world.call("POST", PATH, place.world.owner, json=body)
    assert answer.status_code in (400, 422) and answer.headers["content-type"] == "application/problem+json"


def test_asking_again_and_again_is_slowed_down(place: Place) -> None:
    domain = place.add()
    path = f"{PATH}/{domain['id']}/check"

    def ask() -> int:
        return place.world.call("POST", path, place.world.owner).status_code

    assert [ask() for _ in range(CHECKS.burst)] == [200] * CHECKS.burst
    # One more comes free after a while, which a busy machine may take for the first.
    assert 429 in (ask() for _ in range(CHECKS.burst))


def test_a_clock_that_was_set_back_stops_no_watch(place: Place) -> None:
    domain = place.add()
    place.look(days=3)
    place.publish(domain)
    place.now -= timedelta(days=3)
    due = next_due(place.world.postgres, {VERIFICATION: place.now + MAX_DELAY}, place.now)
    assert due == {VERIFICATION: place.now}
    place.look()
    assert "domain.verified.v1" in place.world.events(domain["id"])
    assert record_name(domain["domain"]) == domain["verificationName"]
