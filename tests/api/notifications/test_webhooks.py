"""Webhooks: signed messages to a real server, retries, quiet hours, and what an attacker tries."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_network
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import ProcessWorker
from command_api.notifications.alerts.commands import RecordAlerts
from command_api.notifications.alerts.model import AlertCause
from command_api.notifications.alerts.names import FREQUENT
from command_api.notifications.webhooks import outbox as webhook_outbox
from command_api.notifications.webhooks.model import MAX_WEBHOOKS
from command_api.notifications.webhooks.outbox import MAX_FAILURES, RETRY_DELAYS, webhook_deliveries
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound
from schemas.events.notifications import AlertKind
from tests.support.command import World, world
from tests.support.dns_server import dns_server
from tests.support.people import Member, member
from tests.support.tls_server import Answer, Authority, WebServer, web_server

PATH, HOST = "/api/platform/webhooks", "hooks.example.com"
URL = f"https://{HOST}/alerts"
LOOPBACK = [ip_network("127.0.0.0/8")]


class Place:
    """A command service, a server that takes messages, and the process that sends them with the test's clock."""

    def __init__(self, made: World, server: WebServer, trust: Any) -> None:
        self.world, self.server = made, server
        self.answer: Answer = (204, {}, b"")
        self.ports = {"https": server.port}
        self.outbound = Outbound(Resolvers(made.settings), also=LOOPBACK, ports=self.ports, trust=trust)
        self.now = datetime.now(UTC)
        self.send_by(self.outbound)

    def send_by(self, outbound: Outbound) -> None:
        self.worker = ProcessWorker(
            self.world.core, [webhook_deliveries(self.world.core, outbound)], now=lambda: self.now
        )

    def add(self, person: Member, **body: Any) -> dict[str, Any]:
        answer = person.call("POST", PATH, json={"url": URL, **body})
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def send(self, after: timedelta = timedelta(seconds=1)) -> list[tuple[dict[str, str], bytes]]:
        """What arrives when all that is due after some time is sent."""
        self.now += after
        before = len(self.server.received)
        while self.worker.run_once():
            pass
        return self.server.received[before:]

    def deliveries(self, webhook: dict[str, Any]) -> list[tuple[str, int, int | None]]:
        rows = self.world.postgres.execute(
            "SELECT state, attempts, status FROM notifications.webhook_delivery WHERE webhook_id = %s"
            " ORDER BY created_at, id",
            (webhook["id"],),
        ).fetchall()
        return [(state, attempts, status) for state, attempts, status in rows]

    def alert(self, website: UUID, *causes: str, kind: AlertKind = AlertKind.LINK_BROKEN) -> None:
        """A check found these causes."""
        found = tuple(AlertCause(kind, cause, f"{cause} is <broken>", "It is.", "/links") for cause in causes)
        command = RecordAlerts(website, FREQUENT, frozenset({kind}), found, self.now + timedelta(minutes=5))
        self.world.core.commands.dispatch(command, system_context(self.now))


def website_of(person: Member) -> UUID:
    body = {"domain": f"{uuid4().hex[:12]}.example"}
    return UUID(person.call("POST", "/api/platform/websites", json=body).json()["id"])


@pytest.fixture(scope="module")
def place(embedded_postgres: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    places: list[Place] = []
    with (
        dns_server() as dns,
        web_server(lambda *_: places[0].answer, authority.server_side(HOST)) as server,
        world(replace(embedded_postgres, dns_resolvers=(dns.address,))) as made,
    ):
        dns.set(HOST, "A", "127.0.0.1")
        dns.set("inside.example.com", "A", "10.0.0.1")
        places.append(Place(made, server, authority.trust()))
        yield places[0]


@pytest.fixture
def ada(place: Place) -> Member:
    for table in ("kernel.rate_limit", "notifications.webhook_delivery", "kernel.timeout"):
        place.world.postgres.execute(f"DELETE FROM {table}".encode())
    place.answer, place.now = (204, {}, b""), datetime.now(UTC)
    place.send_by(place.outbound)
    return member(place.world)


def signatures(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """As a receiver verifies them, by the text of the standard alone."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = b64encode(hmac.new(b64decode(secret.removeprefix("whsec_")), signed, sha256).digest()).decode()
    return f"v1,{expected}" in headers["webhook-signature"].split(" ")


def test_an_alert_is_sent_once_with_a_signature_that_its_secret_proves(place: Place, ada: Member) -> None:
    website, webhook = website_of(ada), place.add(ada)
    place.alert(website, "one")
    place.alert(website, "one")
    [(headers, body)] = place.send()
    assert signatures(webhook["secret"], headers, body) and not signatures("whsec_AAAA", headers, body)
    assert abs(int(headers["webhook-timestamp"]) - place.now.timestamp()) < 5
    sent = json.loads(body)
    assert (sent["type"], sent["data"]["kind"], sent["data"]["cause"]) == ("alert.opened", "link_broken", "one")
    assert sent["data"]["url"].endswith("/links") and sent["data"]["websiteId"] == str(website)
    assert place.send() == [] and place.deliveries(webhook) == [("delivered", 1, 204)]
    place.alert(website)
    assert place.send() == []  # the end is sent only if that is chosen


def test_a_webhook_gets_the_websites_kinds_and_ends_that_it_names(place: Place, ada: Member) -> None:
    website, other = website_of(ada), website_of(ada)
    webhook = place.add(ada, websiteIds=[str(website)], kinds=["link_broken"], resolved=True)
    place.alert(other, "one")
    place.alert(website, "two", kind=AlertKind.PARTNER_DEACTIVATED)
    assert place.send() == []
    place.alert(website, "three")
    place.alert(website)
    types = [json.loads(body)["type"] for _, body in place.send()]
    assert sorted(types) == ["alert.opened", "alert.resolved"]
    changed: dict[str, list[str]] = {"websiteIds": [], "kinds": []}
    assert ada.call("PATCH", f"{PATH}/{webhook['id']}", json=changed).json()["kinds"] == []
    place.alert(other, "one", "four")
    assert len(place.send()) == 1


def test_a_message_for_slack_is_one_text_without_markup_of_others(place: Place, ada: Member) -> None:
    place.add(ada, format="slack")
    place.alert(website_of(ada), "<!channel>")
    [(_, body)] = place.send()
    text = json.loads(body)
    assert list(text) == ["text"]
    assert "&lt;!channel&gt; is &lt;broken&gt;" in text["text"] and "|View details>" in text["text"]


def test_what_is_not_taken_is_sent_again_for_a_day_with_the_same_id(place: Place, ada: Member) -> None:
    webhook = place.add(ada)
    place.answer = (500, {}, b"secret of the receiver")
    place.alert(website_of(ada), "one")
    seen = place.send()
    for delay in RETRY_DELAYS:
        assert place.send(delay / 2) == []
        seen += place.send(delay / 2 + timedelta(seconds=2))
    assert place.deliveries(webhook) == [("failed", 1 + len(RETRY_DELAYS), 500)]
    assert len(seen) == 1 + len(RETRY_DELAYS) and len({headers["webhook-id"] for headers, _ in seen}) == 1
    rows = place.world.postgres.execute("SELECT error FROM notifications.webhook_delivery").fetchall()
    assert not any("secret" in error for (error,) in rows)
    place.answer = (302, {"Location": "http://127.0.0.1/"}, b"")
    place.alert(website_of(ada), "two")
    place.send()
    assert place.deliveries(webhook)[1] == ("waiting", 1, 302)  # no redirect is followed


def test_an_address_that_takes_nothing_is_switched_off_and_on_again_by_its_person(place: Place, ada: Member) -> None:
    webhook, website = place.add(ada), website_of(ada)
    place.answer = (503, {}, b"")
    for number in range(MAX_FAILURES):
        assert place.world.events(webhook["id"]) == ["webhook.added.v1"]
        place.alert(website, *(f"cause {each}" for each in range(number + 1)))
        place.send()
        for delay in RETRY_DELAYS:
            place.send(delay + timedelta(seconds=2))
    assert place.world.events(webhook["id"]) == ["webhook.added.v1", "webhook.switched_off.v1"]
    assert ada.call("POST", f"{PATH}/{webhook['id']}/test").status_code == 409
    place.alert(website)
    place.alert(website, "after")
    assert place.send() == []
    place.answer = (200, {}, b"ok")
    assert ada.call("PATCH", f"{PATH}/{webhook['id']}", json={"active": True}).json()["active"] is True
    assert ada.call("POST", f"{PATH}/{webhook['id']}/test").status_code == 202
    [(_, body)] = place.send()
    assert json.loads(body)["type"] == "webhook.test"


def test_an_address_that_is_gone_is_switched_off_at_once(place: Place, ada: Member) -> None:
    webhook = place.add(ada)
    place.answer = (410, {}, b"")
    place.alert(website_of(ada), "one")
    place.send()
    assert place.world.events(webhook["id"])[-1] == "webhook.switched_off.v1"
    assert place.deliveries(webhook) == [("failed", 1, 410)]


def test_a_new_secret_signs_beside_the_old_one_for_a_day(place: Place, ada: Member) -> None:
    webhook, website = place.add(ada), website_of(ada)
    new = ada.call("POST", f"{PATH}/{webhook['id']}/secret").json()["secret"]
    assert new != webhook["secret"] and new.startswith("whsec_")
    place.alert(website, "one")
    [(headers, body)] = place.send()
    assert signatures(new, headers, body) and signatures(webhook["secret"], headers, body)
    place.now += timedelta(days=1, minutes=1)
    place.alert(website, "one", "two")
    [(headers, body)] = place.send()
    assert signatures(new, headers, body) and not signatures(webhook["secret"], headers, body)


def test_no_secret_and_no_address_is_in_an_event_a_log_or_a_table_in_plain_text(
    place: Place, ada: Member, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    webhook = place.add(ada, url=f"{URL}/T0/{uuid4().hex}")
    place.alert(website_of(ada), "one")
    place.send()
    key = webhook["secret"].removeprefix("whsec_")
    shown = ada.call("PATCH", f"{PATH}/{webhook['id']}", json={"resolved": True}).text
    assert key not in shown
    for secret, tables in (
        (key, ("notifications.webhook_secret", "notifications.webhook_delivery", "kernel.idempotency")),
        (webhook["url"], ("lookup.webhook", "notifications.webhook_delivery", "kernel.audit")),
    ):
        for table in (*tables, "events.stored_events"):
            rows = place.world.postgres.execute(f"SELECT t::text FROM {table} AS t".encode()).fetchall()
            assert not any(secret in row or secret.encode().hex() in row for (row,) in rows), table
        assert secret not in caplog.text and secret not in capsys.readouterr().out


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest",
        "https://10.0.0.1/x",
        "https://localhost/x",
        "https://db.internal/x",
        "https://user:pw@hooks.example.com/x",
        "https://hooks.example.com:8443/x",
        "https://hooks.example.com/x#y",
        "https://hooks.example.com/\nHost: x",
        "ftp://hooks.example.com/x",
        "javascript:alert(1)",
        "",
    ],
)
def test_addresses_that_are_none_of_the_open_internet_are_refused(ada: Member, url: str) -> None:
    answer = ada.call("POST", PATH, json={"url": url})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_url")


def test_a_name_that_leads_inside_the_network_is_never_called(place: Place, ada: Member) -> None:
    webhook = place.add(ada, url="https://inside.example.com/x")
    place.send_by(Outbound(Resolvers(place.world.settings), ports=place.ports))
    loopback = place.add(ada)
    place.alert(website_of(ada), "one")
    assert place.send() == []
    for each in (webhook, loopback):
        assert place.deliveries(each) == [("waiting", 1, None)]
    [(error,), _] = place.world.postgres.execute(
        "SELECT error FROM notifications.webhook_delivery WHERE account_id = %s", (ada.id,)
    ).fetchall()
    assert error == "The host is not on the open internet."


def test_quiet_hours_hold_messages_back(place: Place, ada: Member) -> None:
    webhook = place.add(ada)
    place.now = place.now.replace(hour=23, minute=0)
    quiet = {"mail": False, "quietFrom": "22:00", "quietUntil": "07:00"}
    assert ada.call("PUT", "/api/platform/alert-delivery", json=quiet).status_code == 200
    place.alert(website_of(ada), "one")
    assert place.send(timedelta(hours=7)) == []
    assert len(place.send(timedelta(hours=2))) == 1
    assert place.deliveries(webhook) == [("delivered", 1, 204)]


def test_nothing_is_sent_about_a_website_or_for_an_account_that_is_gone(place: Place, ada: Member) -> None:
    website, webhook = website_of(ada), place.add(ada)
    place.alert(website, "one")
    assert ada.call("DELETE", f"/api/platform/websites/{website}").status_code == 204
    assert place.send() == [] and place.deliveries(webhook) == [("dropped", 1, None)]
    place.alert(website_of(ada), "two")
    assert ada.call("DELETE", f"{PATH}/{webhook['id']}").status_code == 204
    assert place.send() == [] and place.deliveries(webhook) == []
    assert place.world.count("SELECT count(*) FROM notifications.webhook_secret WHERE account_id = %s", ada.id) == 0


def test_webhooks_of_others_are_unknown_also_to_admins(place: Place, ada: Member) -> None:
    webhook, eve = place.add(ada), member(place.world)
    path = f"{PATH}/{webhook['id']}"
    for method, address, body in (
        ("PATCH", path, {"url": URL}),
        ("POST", f"{path}/secret", None),
        ("POST", f"{path}/test", None),
        ("DELETE", path, None),
    ):
        options = {"json": body} if body is not None else {}
        assert eve.call(method, address, **options).status_code == 404
        assert place.world.call(method, address, place.world.admin, **options).status_code == 404
    website = website_of(ada)
    assert eve.call("POST", PATH, json={"url": URL, "websiteIds": [str(website)]}).status_code == 404
    place.add(eve)
    place.alert(website, "one")
    assert len(place.send()) == 1  # Ada's alone


def test_a_person_has_so_many_webhooks_at_most(place: Place, ada: Member) -> None:
    for _ in range(MAX_WEBHOOKS):
        place.add(ada)
    answer = ada.call("POST", PATH, json={"url": URL})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_webhooks")
    first = ada.call("POST", PATH, json={"url": URL, "websiteIds": [str(uuid4())]})
    assert first.status_code == 404


def test_a_slow_or_endless_answer_ends(place: Place, ada: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_outbox, "MAX_ANSWER", 1_000)
    webhook = place.add(ada)
    place.answer = (200, {}, b"x" * 5_000)
    place.alert(website_of(ada), "one")
    place.send()
    assert place.deliveries(webhook) == [("waiting", 1, None)]
