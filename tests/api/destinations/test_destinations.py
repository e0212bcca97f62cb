"""Decided conversions go to ad platforms: once each, corrected, with a log of what was sent and why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from command_api import processes
from command_api.destinations import process
from command_api.destinations.clicks import AdClicks, ClickHouseAdClicks
from command_api.destinations.commands import RecordDelivery
from command_api.destinations.handlers import RETRY_DELAYS
from command_api.destinations.platforms.client import AdClient
from command_api.destinations.process import destination_deliveries
from command_api.kernel.aggregates import next_event
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import ProcessManager, ProcessWorker
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from infra.kernel.security import visitor_keys
from infra.kernel.security.visitor_keys import VisitorKeys
from schemas.events.conversions import ConversionForgotten
from tests.support import ad_files
from tests.support.ad_servers import (
    AdServer,
    CorrectingServer,
    GoogleAdsServer,
    MetaServer,
    MicrosoftServer,
    TikTokServer,
)
from tests.support.command import Person
from tests.support.network_servers import CUT, ServerOutbound
from tests.support.policies import Policies, Shop, policies, project
from tests.support.query import QueryService, serving

DESTINATIONS = "/api/platform/destinations"
META = "https://graph.facebook.com"
MAX_STEPS = 60
HOUR = timedelta(hours=1)


@dataclass
class Advertiser:
    """A website that keeps ad click ids, and its destinations. `at`: the clock of the deliveries and of the servers."""

    led: Policies
    clients: ClientPool
    shop: Shop
    servers: dict[str, AdServer] = field(default_factory=dict)
    ahead: timedelta = timedelta(0)

    @property
    def at(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def connect(self, platform: str, *, status: int = 201, person: Person | None = None, **more: Any) -> dict[str, Any]:
        body = {
            "websiteId": self.shop.site["id"],
            "platform": platform,
            "credentials": {"pixelId": "123456789", "accessToken": "an-access-token"} if platform == "meta" else {},
            "mapping": {"sale": "Purchase" if platform == "meta" else "Affiliate sale"},
            **more,
        }
        return self.call("POST", DESTINATIONS, status=status, json=body, person=person)

    def call(
        self, method: str, path: str, *, status: int = 200, json: Any = None, person: Person | None = None
    ) -> dict[str, Any]:
        more = {} if json is None else {"json": json}
        answer = self.led.world.call(method, path, person or self.led.world.owner, **more)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def visit(self, ago: timedelta = HOUR, /, **ids: str) -> str:
        """An ad's landing page, and a click on the link ten minutes later; the click id."""
        click = self.led.click(self.shop, ago)
        if not ids:
            self.led.project_click(self.shop, click=click)
            return click
        keys, landed = VisitorKeys(self.led.world.settings), uuid4()
        key = keys.make(self.shop.website_id, self.at.date())
        visitor_keys.store(self.led.world.postgres, [key])
        landing = {
            "type": "pageview",
            "event_id": str(landed),
            "hostname": self.shop.site["domain"],
            "path": "/tents",
            "ad_ids": visitor_keys.seal(key, str(landed), ids),
        }
        visitor = self.led.project_click(
            self.shop, ago + timedelta(minutes=10), **landing, partner_id=NOBODY, link_id=NOBODY
        )
        self.led.project_click(self.shop, click=click, visitor=visitor)
        return click

    def sale(self, click: str, amount: int = 10_000, **changes: Any) -> UUID:
        """An approved sale of 10 percent commission."""
        sold = self.led.report(self.shop, click_id=click, amount={"amount": amount, "currency": "USD"}, **changes)
        self.led.decided(sold)
        self.decide(sold, "approve")
        return sold

    def decide(self, conversion: UUID, decision: str, **body: Any) -> None:
        answer = self.led.world.call(
            "POST", f"/api/platform/conversions/{conversion}/{decision}", self.led.world.owner, json=body
        )
        assert answer.status_code == 200, answer.text

    def deliver(self) -> None:
        """Handles what is due, until nothing is due within five minutes."""
        for _ in range(MAX_STEPS):
            if not self.worker().run_once():
                due = self.next_due()
                if due is None or due > self.at + timedelta(minutes=5):
                    return
                self.ahead += max(timedelta(0), due - self.at)
        raise AssertionError("the deliveries do not end")

    def deliver_to_the_end(self) -> None:
        """Also what is due only in days."""
        while (due := self.next_due()) is not None:
            self.ahead += max(timedelta(0), due - self.at)
            self.deliver()

    def worker(self) -> ProcessWorker:
        container = self.led.world.core
        client = AdClient(ServerOutbound(self.servers), {})
        clicks = ClickHouseAdClicks(container, self.clients)
        return ProcessWorker(container, [destination_deliveries(container, clicks, client)], now=lambda: self.at)

    def next_due(self) -> datetime | None:
        row = self.led.world.postgres.execute(
            "SELECT min(due_at) FROM kernel.timeout WHERE process = 'destinations:deliver'"
        ).fetchone()
        due: datetime | None = row[0] if row else None
        return due

    def log(self, destination: dict[str, Any]) -> list[tuple[str | None, str, str]]:
        """Kind, state and reason of each delivery, in the order of the decisions."""
        rows = self.led.world.postgres.execute(
            "SELECT kind, state, reason FROM destinations.delivery WHERE destination_id = %s ORDER BY number",
            (destination["id"],),
        )
        return [(row[0], row[1], row[2]) for row in rows.fetchall()]

    def answers(self) -> list[str]:
        rows = self.led.world.postgres.execute("SELECT answer FROM destinations.delivery ORDER BY number")
        return [row[0] for row in rows.fetchall()]


NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    """The deliveries are run by the tests, with their clock; everything else by the leaders."""

    def by_nobody(container: Container, clicks: AdClicks, client: AdClient) -> ProcessManager:
        made = destination_deliveries(container, clicks, client)
        return replace(made, name="deliveries-of-nobody", ids=None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(processes, "destination_deliveries", by_nobody)
        with policies(embedded_postgres, embedded_clickhouse) as made:
            yield made


@pytest.fixture
def advertiser(led: Policies) -> Iterator[Advertiser]:
    """A website of its own; deliveries of tests before are gone."""
    led.world.postgres.execute("DELETE FROM destinations.destination")
    led.world.postgres.execute("DELETE FROM kernel.timeout WHERE process = 'destinations:deliver'")
    led.world.postgres.execute("DELETE FROM kernel.rate_limit")
    clients = ClientPool(led.clickhouse, 2)
    made = Advertiser(led, clients, led.shop(domain=f"{uuid4().hex[:8]}.example"))
    patch = {"keepAdClickIds": True}
    assert led.world.call(
        "PATCH", f"/api/platform/websites/{made.shop.site['id']}", led.world.owner, json=patch
    ).is_success
    yield made
    clients.close()


@pytest.fixture
def meta(advertiser: Advertiser) -> MetaServer:
    server = MetaServer(lambda: advertiser.at)
    advertiser.servers[META] = server
    return server


def test_without_a_destination_nothing_is_queued(advertiser: Advertiser) -> None:
    advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    assert advertiser.next_due() is None
    assert advertiser.led.world.count("SELECT count(*) FROM destinations.delivery") == 0


def test_meta_counts_an_approved_sale_once(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    assert (destination["isAutomatic"], destination["isRefused"]) == (True, False)
    sold = advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    advertiser.deliver()
    assert meta.counted == {("Purchase", sold.hex): Decimal("10.00")}
    assert (meta.refused, advertiser.log(destination)) == ([], [("conversion", "sent", "")])
    [event] = meta.bodies[0]["data"]
    assert event["user_data"].keys() == {"fbc"} and event["user_data"]["fbc"].endswith(".IwAR-plain")
    advertiser.deliver()
    assert len(meta.calls) == 1


def test_a_pending_sale_is_not_sent(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    sold = advertiser.led.report(advertiser.shop, click_id=advertiser.visit(fbclid="IwAR-plain"))
    advertiser.led.decided(sold)
    advertiser.deliver()
    assert (meta.calls, advertiser.log(destination)) == ([], [])


def test_a_decision_while_a_delivery_is_prepared_is_another_delivery(
    advertiser: Advertiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sale was read, and is reversed before its content is stored."""
    destination = advertiser.connect("google_ads")
    sold, found = advertiser.sale(advertiser.visit(gclid="Cj0KCQ-plain")), ClickHouseAdClicks.of_conversion

    def reversed_meanwhile(self: ClickHouseAdClicks, *args: Any) -> Any:
        monkeypatch.undo()
        advertiser.decide(sold, "reverse", reason="returned")
        return found(self, *args)

    monkeypatch.setattr(ClickHouseAdClicks, "of_conversion", reversed_meanwhile)
    advertiser.deliver_to_the_end()
    assert [kind for kind, _, _ in advertiser.log(destination)] == ["conversion", "retraction"]


def test_a_kill_between_call_and_record_counts_once(
    advertiser: Advertiser, meta: MetaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the sale changes before the next attempt: what was sent is sent again, and the change is another step."""
    destination = advertiser.connect("meta")
    sold = advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    kills = iter([OSError("killed")])

    def killed_once(*values: Any) -> RecordDelivery:
        for kill in kills:
            raise kill
        return RecordDelivery(*values)

    monkeypatch.setattr(process, "RecordDelivery", killed_once)
    advertiser.worker().run_once()
    assert meta.counted == {("Purchase", sold.hex): Decimal("10.00")}
    advertiser.decide(sold, "reverse", reason="returned in part", amount=4_000)
    advertiser.deliver()
    assert next(kills, None) is None
    assert len(meta.calls) == 2 and meta.bodies[0] == meta.bodies[1]
    assert meta.counted == {("Purchase", sold.hex): Decimal("10.00")}
    assert advertiser.log(destination) == [("conversion", "sent", ""), (None, "skipped", "no_corrections")]


def test_a_cut_answer_an_error_and_a_limit_are_tried_again(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    sold = advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    meta.faults, meta.retry_after = {0: CUT, 1: 500, 2: 429}, 3_600
    advertiser.deliver_to_the_end()
    assert advertiser.log(destination) == [("conversion", "sent", "")]
    assert meta.counted == {("Purchase", sold.hex): Decimal("10.00")}
    gaps = [late - early for early, late in zip(meta.calls, meta.calls[1:], strict=False)]
    least = (*RETRY_DELAYS[:2], timedelta(hours=1))
    assert all(gap + timedelta(seconds=1) >= delay for gap, delay in zip(gaps, least, strict=True))


def test_a_platform_that_does_not_answer_is_called_eight_times(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    meta.faults = dict.fromkeys(range(100), 503)
    advertiser.deliver_to_the_end()
    assert len(meta.calls) == len(RETRY_DELAYS) + 1
    assert advertiser.log(destination) == [("conversion", "failed", "")]
    assert advertiser.answers() == ["Meta answers with 503."]


def test_a_limit_delays_all_deliveries_of_a_destination(advertiser: Advertiser, meta: MetaServer) -> None:
    advertiser.connect("meta")
    meta.faults, meta.retry_after = {0: 429}, 7_200
    advertiser.sale(advertiser.visit(fbclid="IwAR-first"))
    advertiser.deliver()
    advertiser.sale(advertiser.visit(fbclid="IwAR-later"))
    advertiser.deliver()
    assert len(meta.calls) == 1
    advertiser.deliver_to_the_end()
    assert len(meta.counted) == 2 and meta.calls[1] - meta.calls[0] > timedelta(hours=1, minutes=59)


def test_one_event_that_meta_rejects_delays_no_other(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta", mapping={"sale": "Purchase", "lead": "Lead"})
    sold = [advertiser.sale(advertiser.visit(fbclid=f"IwAR-{number}")) for number in range(5)]
    meta.reject = sold[2].hex
    advertiser.deliver()
    assert {key[1] for key in meta.counted} == {one.hex for one in sold} - {sold[2].hex}
    assert sorted(advertiser.log(destination)) == sorted(
        [("conversion", "failed", "")] + [("conversion", "sent", "")] * 4
    )
    assert any("[click id]" in answer for answer in advertiser.answers())
    assert not any("IwAR-2" in answer for answer in advertiser.answers())


def test_refused_credentials_stop_the_calls_and_new_ones_go_on(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    meta.token = "renewed-token"
    first = advertiser.sale(advertiser.visit(fbclid="IwAR-first"))
    advertiser.deliver()
    second = advertiser.sale(advertiser.visit(fbclid="IwAR-second"))
    advertiser.deliver_to_the_end()
    assert len(meta.calls) == 1 and meta.counted == {}
    assert "destination.refused.v1" in advertiser.led.world.events(destination["id"])
    renewed = {"credentials": {"pixelId": "123456789", "accessToken": "renewed-token"}}
    changed = advertiser.call("PATCH", f"{DESTINATIONS}/{destination['id']}", json=renewed)
    assert changed["isRefused"] is False
    advertiser.deliver()
    assert {key[1] for key in meta.counted} == {first.hex, second.hex}


def test_what_cannot_be_sent_says_why(advertiser: Advertiser, meta: MetaServer) -> None:
    destination = advertiser.connect("meta")
    old = (advertiser.at - timedelta(days=8)).strftime("%Y-%m-%d %H:%M:%S.000")
    advertiser.sale(advertiser.visit())
    advertiser.sale(advertiser.visit(gclid="Cj0KCQiA-plain"))
    advertiser.sale(advertiser.visit(timedelta(days=9), fbclid="IwAR-old"), occurred_at=old)
    advertiser.deliver()
    erased = advertiser.visit(fbclid="IwAR-erased")
    advertiser.led.world.postgres.execute(
        "DELETE FROM ingest.visitor_key WHERE website_id = %s", (advertiser.shop.website_id,)
    )
    advertiser.sale(erased)
    advertiser.deliver()
    reasons = [reason for _, state, reason in advertiser.log(destination) if state == "skipped"]
    assert reasons == ["no_click_id", "no_click_id", "too_old", "erased"]
    assert meta.calls == []


@pytest.mark.usefixtures("meta")
def test_credentials_and_click_ids_are_nowhere_in_plain_text(advertiser: Advertiser) -> None:
    advertiser.connect("meta")
    advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    advertiser.deliver()
    dump = advertiser.led.world.postgres.execute(
        "SELECT (SELECT string_agg(c::text, '') FROM destinations.destination AS c)"
        " || (SELECT string_agg(d::text, '') FROM destinations.delivery AS d)"
    ).fetchone()
    assert dump is not None and dump[0]
    for secret in ("an-access-token", "IwAR-plain"):
        assert secret not in dump[0]
        events = "SELECT count(*) FROM events.stored_events WHERE position(%s::bytea IN state) > 0"
        assert advertiser.led.world.count(events, secret.encode()) == 0


def test_tiktok_counts_each_sale_once_and_one_rejected_event_delays_no_other(advertiser: Advertiser) -> None:
    server = TikTokServer(lambda: advertiser.at)
    advertiser.servers["https://business-api.tiktok.com"] = server
    credentials = {"pixelCode": "C4A1B2C3D4E5", "accessToken": "an-access-token"}
    destination = advertiser.connect("tiktok", credentials=credentials, mapping={"sale": "CompletePayment"})
    sold = [advertiser.sale(advertiser.visit(ttclid=f"E.C.P.{number}-plain")) for number in range(3)]
    server.faults, server.reject = {0: CUT}, sold[1].hex
    advertiser.deliver_to_the_end()
    assert server.counted == {("CompletePayment", one.hex): Decimal("10.00") for one in (sold[0], sold[2])}
    assert Counter(state for _, state, _ in advertiser.log(destination)) == {"sent": 2, "failed": 1}
    advertiser.decide(sold[0], "reverse", reason="returned")
    advertiser.deliver()
    assert advertiser.log(destination)[-1] == (None, "skipped", "no_corrections")


@pytest.mark.parametrize("platform", ["google_ads", "microsoft"])
def test_conversions_are_counted_once_restated_and_retracted(advertiser: Advertiser, platform: str) -> None:
    """Cut answers of both calls: the platform has taken what is then sent again."""
    server, destination, click_id = correcting(advertiser, platform)
    sold = [advertiser.sale(advertiser.visit(HOUR, **{click_id: f"Cj0KCQiA-{number}"})) for number in range(3)]
    server.faults = {1: CUT, 5: CUT}
    advertiser.deliver_to_the_end()
    assert sorted(server.counted.values()) == [Decimal("10.00")] * 3
    advertiser.decide(sold[0], "reverse", reason="returned")
    advertiser.decide(sold[1], "reverse", reason="in part", amount=4_000)
    advertiser.deliver_to_the_end()
    assert sorted(server.counted.values()) == [Decimal(0), Decimal("6.00"), Decimal("10.00")]
    assert len(server.retracted) == 1
    states = [(kind, state) for kind, state, _ in advertiser.log(destination)]
    assert states == [("conversion", "sent")] * 3 + [("retraction", "sent"), ("restatement", "sent")]


def test_a_click_that_google_ads_does_not_know_yet_is_sent_again_later(advertiser: Advertiser) -> None:
    """The others of the same call count at once."""
    server, destination, click_id = correcting(advertiser, "google_ads")
    for number in range(3):
        advertiser.sale(advertiser.visit(HOUR, **{click_id: f"Cj0KCQiA-{number}"}))
    server.later = {"Cj0KCQiA-1"}
    advertiser.deliver()
    assert len(server.counted) == 2
    assert Counter(state for _, state, _ in advertiser.log(destination)) == {"sent": 2, "ready": 1}
    advertiser.deliver_to_the_end()
    assert len(server.counted) == 3 and server.calls[-1] - server.calls[0] > timedelta(hours=5, minutes=59)


@pytest.mark.parametrize("platform", ["google_ads", "microsoft"])
def test_a_refresh_token_that_ended_stops_the_calls(advertiser: Advertiser, platform: str) -> None:
    server, destination, click_id = correcting(advertiser, platform)
    server.token = "another-refresh-token"
    advertiser.sale(advertiser.visit(HOUR, **{click_id: "Cj0KCQiA-plain"}))
    advertiser.deliver_to_the_end()
    assert len(server.calls) == 1 and server.counted == {}
    assert "destination.refused.v1" in advertiser.led.world.events(destination["id"])


def correcting(advertiser: Advertiser, platform: str) -> tuple[CorrectingServer, dict[str, Any], str]:
    """A destination with credentials, its server, and the parameter of its clicks."""
    credentials = {
        "customerId": "1234567890",
        "developerToken": "developer-token",
        "clientId": "client-id",
        "clientSecret": "client-secret",
        "refreshToken": "a-refresh-token",
    }
    server: CorrectingServer
    if platform == "google_ads":
        server = GoogleAdsServer(lambda: advertiser.at, token="a-refresh-token")
        origins = ("https://oauth2.googleapis.com", "https://googleads.googleapis.com")
    else:
        server = MicrosoftServer(lambda: advertiser.at, token="a-refresh-token")
        origins = ("https://login.microsoftonline.com", "https://campaign.api.bingads.microsoft.com")
        credentials["accountId"] = "987654321"
    advertiser.servers |= dict.fromkeys(origins, server)
    destination = advertiser.connect(platform, credentials=credentials, mapping={"sale": "987654321"})
    return server, destination, "gclid" if platform == "google_ads" else "msclkid"


def test_a_file_for_google_ads_has_each_sale_once_and_its_corrections(advertiser: Advertiser) -> None:
    destination = advertiser.connect("google_ads")
    assert destination["isAutomatic"] is False
    sold = [advertiser.sale(advertiser.visit(gclid=f"Cj0KCQiA-{number}")) for number in range(3)]
    advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    advertiser.deliver()
    with serving(advertiser.led.world.settings) as query:
        known = ad_files.read_google(file_of(advertiser, query, destination))
        assert {(line.click_id, line.value, line.currency, line.name) for line in known} == {
            (f"Cj0KCQiA-{number}", Decimal("10.00"), "USD", "Affiliate sale") for number in range(3)
        }
        advertiser.decide(sold[0], "reverse", reason="returned")
        advertiser.decide(sold[1], "reverse", reason="in part", amount=4_000)
        advertiser.deliver()
        again = ad_files.read_google(file_of(advertiser, query, destination))
        assert again == known
        text = file_of(advertiser, query, destination, kind="corrections")
        found = {line.click_id: (line.kind, line.value) for line in ad_files.read_google_corrections(text, known)}
        assert found == {"Cj0KCQiA-0": ("retraction", None), "Cj0KCQiA-1": ("restatement", Decimal("6.00"))}
        tomorrow = str((datetime.now(UTC) + timedelta(days=2)).date())
        assert ad_files.read_google(file_of(advertiser, query, destination, **{"from": tomorrow})) == []


def test_a_file_for_microsoft_has_sales_and_corrections(advertiser: Advertiser) -> None:
    destination = advertiser.connect("microsoft")
    sold = advertiser.sale(advertiser.visit(msclkid="a1b2c3d4e5f6"))
    advertiser.deliver()
    with serving(advertiser.led.world.settings) as query:
        known = ad_files.read_microsoft(file_of(advertiser, query, destination))
        assert [(line.click_id, line.value) for line in known] == [("a1b2c3d4e5f6", Decimal("10.00"))]
        advertiser.decide(sold, "reverse", reason="returned")
        advertiser.deliver()
        text = file_of(advertiser, query, destination, kind="corrections")
        [line] = ad_files.read_microsoft_corrections(text, known)
        assert line.kind == "retraction"


def test_an_erased_visitor_leaves_the_file(advertiser: Advertiser) -> None:
    """The conversion is still corrected: Google Ads knows it by its order id."""
    destination = advertiser.connect("google_ads")
    sold = advertiser.sale(advertiser.visit(gclid="Cj0KCQiA-plain"))
    advertiser.deliver()
    with serving(advertiser.led.world.settings) as query:
        known = ad_files.read_google(file_of(advertiser, query, destination))
        forget(advertiser, sold)
        assert ad_files.read_google(file_of(advertiser, query, destination)) == []
        advertiser.decide(sold, "reverse", reason="returned")
        advertiser.deliver()
        text = file_of(advertiser, query, destination, kind="corrections")
        assert [line.kind for line in ad_files.read_google_corrections(text, known)] == ["retraction"]


@pytest.mark.usefixtures("meta")
def test_its_owner_sees_destinations_and_deliveries_and_nobody_else(advertiser: Advertiser) -> None:
    destination = advertiser.connect("meta")
    sold = advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    advertiser.sale(advertiser.visit())
    advertiser.deliver()
    with serving(advertiser.led.world.settings) as query:
        [shown] = read(advertiser, query, DESTINATIONS).json()
        assert (shown["id"], shown["platform"], shown["mapping"]["sale"]) == (destination["id"], "meta", "Purchase")
        assert "credentials" not in shown
        path = f"{DESTINATIONS}/{destination['id']}"
        skipped, sent = read(advertiser, query, f"{path}/deliveries").json()
        assert (sent["conversionId"], sent["state"], sent["value"]) == (
            str(sold),
            "sent",
            {"amount": 1_000, "currency": "USD"},
        )
        assert (skipped["state"], skipped["reason"], skipped["kind"]) == ("skipped", "no_click_id", None)
        only = read(advertiser, query, f"{path}/deliveries", state="skipped").json()
        assert [one["id"] for one in only] == [skipped["id"]]
        assert read(advertiser, query, f"{path}/file").status_code == 409
        stranger = advertiser.led.world.person()
        for part in ("/deliveries", "/file"):
            assert read(advertiser, query, path + part, person=stranger).status_code == 404
        assert read(advertiser, query, DESTINATIONS, person=stranger).status_code == 404


def test_bad_requests_are_refused_with_the_reason(advertiser: Advertiser) -> None:
    stranger = advertiser.led.world.person()
    assert advertiser.connect("meta", credentials={}, status=400)["code"] == "bad_credentials"
    assert advertiser.connect("google_ads", mapping={}, status=400)["code"] == "bad_mapping"
    advertiser.connect("twitter", status=400)
    advertiser.connect("google_ads", person=stranger, status=404)
    path = f"{DESTINATIONS}/{advertiser.connect('google_ads')['id']}"
    advertiser.call("PATCH", path, person=stranger, status=404, json={"mapping": {"sale": "Mine"}})
    advertiser.call("DELETE", path, person=stranger, status=404)
    changed = advertiser.call("PATCH", path, json={"mapping": {"sale": "Other", "value": "sale"}})
    assert changed["mapping"] == {"sale": "Other", "lead": "", "value": "sale"}


def test_a_removed_destination_gets_nothing_and_leaves_nothing(advertiser: Advertiser, meta: MetaServer) -> None:
    path = f"{DESTINATIONS}/{advertiser.connect('meta')['id']}"
    advertiser.sale(advertiser.visit(fbclid="IwAR-plain"))
    advertiser.call("DELETE", path, status=204)
    advertiser.deliver()
    assert meta.calls == [] and advertiser.next_due() is None
    assert advertiser.led.world.count("SELECT count(*) FROM destinations.delivery") == 0
    advertiser.call("DELETE", path, status=404)


def test_a_website_that_is_disconnected_ends_its_destinations(advertiser: Advertiser) -> None:
    destination = advertiser.connect("google_ads")
    advertiser.call("DELETE", f"/api/platform/websites/{advertiser.shop.site['id']}", status=204)
    assert "destination.removed.v1" in advertiser.led.world.events(destination["id"])
    assert advertiser.led.world.count("SELECT count(*) FROM destinations.destination") == 0


def forget(advertiser: Advertiser, conversion: UUID) -> None:
    """What an erasure of the visitor does to the sale."""
    state = advertiser.led.state(conversion)
    assert state is not None
    with advertiser.led.world.core.commands.unit_of_work(system_context()) as uow:
        site_id = advertiser.shop.website_id
        uow.append(ConversionForgotten(**next_event(state, uow.context), website_id=site_id, erasure_id=uuid4()))


def file_of(advertiser: Advertiser, query: QueryService, destination: dict[str, Any], **params: str) -> str:
    answer = read(advertiser, query, f"{DESTINATIONS}/{destination['id']}/file", None, **params)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return answer.text


def read(
    advertiser: Advertiser, query: QueryService, path: str, person: Person | None = None, **params: str
) -> httpx.Response:
    advertiser.led.relayed()
    project(advertiser.led.world, "destinations", "websites")
    headers = (person or advertiser.led.world.owner).headers
    more = {"websiteId": str(advertiser.shop.website_id)} if path == DESTINATIONS else {}
    return httpx.get(f"{query.address}{path}", params={**more, **params}, headers=headers, timeout=20)
