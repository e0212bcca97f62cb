"""Reports of networks over HTTP: previewed, applied, cancelled, undone; every sale once, however many report it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from command_api.conversions.model import Conversion
from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, system_context
from command_api.networks.commands import CancelNetworkImport
from command_api.networks.model import NetworkImportAggregate
from command_api.networks.process import ImportWork
from command_api.websites.model import Website
from infra.kernel.config.settings import Settings
from schemas.events.conversions import ConversionForgotten
from schemas.identity import conversion_id
from tests.support.command import Person
from tests.support.policies import Policies, Shop, policies, project
from tests.support.stack import wait_for

IMPORTS = "/api/platform/networks/imports"
DAY = (datetime.now(UTC) - timedelta(days=20)).replace(hour=12, minute=0, second=0, microsecond=0)
"""Of the sales: clicks of 29 days ago may have earned them."""


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


def sale(txid: str, commission: float, status: str = "pending", *, click: str = "", **more: Any) -> dict[str, Any]:
    """A transaction as Awin's API and its JSON export have it."""
    at = more.pop("at", DAY)
    decided = status != "pending"
    return {
        "id": int(txid),
        "advertiserId": 77,
        "commissionStatus": status,
        "commissionAmount": {"amount": commission, "currency": "EUR"},
        "saleAmount": {"amount": commission * 10, "currency": "EUR"},
        "clickRefs": {"clickRef": click} if click else {},
        "clickDate": at.strftime("%Y-%m-%dT%H:%M:%S"),
        "transactionDate": at.strftime("%Y-%m-%dT%H:%M:%S"),
        "validationDate": (at + timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%S") if decided else None,
        "type": "Commission group transaction",
        "amended": False,
        "orderRef": None,
        "paidToPublisher": False,
        **more,
    }


class Importer:
    """A website with one partner at a network, and imports of its reports."""

    def __init__(self, led: Policies, *, network: str = "awin", currency: str = "EUR") -> None:
        self.led, self.world = led, led.world
        site = self.world.website(domain=f"{uuid4().hex[:8]}.example", currency=currency)
        self.partner = self.world.partner(postbackPreset=network)
        self.shop = Shop(site, self.partner, self.world.link(site, self.partner))
        self.site_id = UUID(site["id"])
        self.txids = iter(range(uuid4().int % 10**12, 10**13))
        self.led.relayed()
        project(self.world, "partners", "links", "websites")

    def txid(self) -> str:
        return str(next(self.txids))

    def upload(self, rows: list[dict[str, Any]], *, apply: bool = False, **fields: Any) -> dict[str, Any]:
        return self.upload_file(json.dumps(rows).encode(), apply=apply, **fields)

    def upload_file(self, content: bytes, *, apply: bool = False, status: int = 201, **fields: Any) -> dict[str, Any]:
        person: Person = fields.pop("person", self.world.owner)
        data = {"network": "awin", "websiteId": str(self.site_id), "dryRun": "false" if apply else "true", **fields}
        form = httpx2.Request("POST", "http://form", data=data, files={"file": ("awin.json", content)})
        headers = {"Content-Type": form.headers["content-type"]}
        answer = self.world.call("POST", IMPORTS, person, content=form.read(), headers=headers)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return self.until(found["importId"], "applied") if apply else found

    def call(self, import_id: str, action: str, *, status: int = 200) -> dict[str, Any]:
        answer = self.world.call("POST", f"{IMPORTS}/{import_id}/{action}", self.world.owner)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def until(self, import_id: str, state: str) -> dict[str, Any]:
        def reached() -> dict[str, Any] | None:
            found = self.state_of(import_id)
            return found if found["state"] == state else None

        found: dict[str, Any] = wait_for(reached, f"import {import_id} to be {state}")
        return found

    def state_of(self, import_id: str) -> dict[str, Any]:
        from command_api.networks import model

        held = self.world.core.store.load(UUID(import_id), model.evolve)
        assert held is not None
        return {"importId": import_id, "state": held.state.value, **held.counts.model_dump(), "delta": held.delta}

    def conversion(self, txid: str) -> Conversion:
        state = self.led.state(conversion_id(self.site_id, "sale", txid))
        assert state is not None
        return state

    def earned(self) -> int:
        """Commissions of the website by what is stored, in minor units."""
        return self.world.count(
            "SELECT coalesce(sum(revenue), 0) FROM lookup.monthly_total WHERE website_id = %s", self.site_id
        )


def test_a_report_is_previewed_and_changes_nothing_until_it_is_applied(led: Policies) -> None:
    importer = Importer(led)
    click, first, second = led.click(importer.shop, timedelta(days=29)), importer.txid(), importer.txid()
    rows = [sale(first, 12.4, "approved", click=click), sale(second, 5)]
    preview = importer.upload(rows)
    assert preview["state"] == "ready", preview
    assert {name: preview[name] for name in ("new", "changed", "unchanged", "unmatched", "rejected")} == {
        "new": 2,
        "changed": 0,
        "unchanged": 0,
        "unmatched": 1,
        "rejected": [],
    }
    assert preview["delta"] == [{"amount": 1740, "currency": "EUR"}]
    assert led.state(conversion_id(importer.site_id, "sale", first)) is None

    importer.call(preview["importId"], "apply")
    importer.until(preview["importId"], "applied")
    matched, other = importer.conversion(first), importer.conversion(second)
    assert (matched.commission, matched.status.value) == (1240, "approved")
    assert matched.facts.attribution is not None and matched.facts.attribution.click_id == click
    assert (other.commission, other.status.value) == (500, "pending")
    assert other.facts.attribution is not None and other.facts.attribution.by.value == "network"
    assert other.facts.attribution.partner_id == UUID(importer.partner["id"])
    assert importer.earned() == 1740


def test_the_same_file_again_changes_nothing(led: Policies) -> None:
    importer = Importer(led)
    rows = [sale(importer.txid(), 3, "approved"), sale(importer.txid(), 4)]
    importer.upload(rows, apply=True)
    versions = [importer.conversion(str(row["id"])).version for row in rows]
    again = importer.upload(rows)
    assert (again["new"], again["changed"], again["unchanged"], again["delta"]) == (0, 0, 2, [])
    importer.upload(rows, apply=True)
    assert [importer.conversion(str(row["id"])).version for row in rows] == versions
    assert importer.earned() == 700


def test_an_undone_import_leaves_what_others_reported(led: Policies) -> None:
    importer = Importer(led)
    both, only, click = importer.txid(), importer.txid(), led.click(importer.shop, timedelta(days=29))
    led.report(
        importer.shop, txid=both, reported_by="postback", key_kind="postback", click_id=click, amount=None,
        payout={"amount": 900, "currency": "EUR"}, status="approved",
    )  # fmt: skip
    led.caught_up()
    imported = importer.upload([sale(both, 8, "approved", click=click), sale(only, 2, "approved")], apply=True)
    assert (imported["new"], imported["changed"]) == (1, 1)
    assert importer.conversion(both).commission == 800
    assert importer.earned() == 1000
    importer.call(imported["importId"], "undo")
    importer.until(imported["importId"], "undone")
    assert (importer.conversion(both).commission, importer.conversion(both).status.value) == (900, "approved")
    assert (importer.conversion(only).status.value, importer.conversion(only).is_attributed) == ("rejected", False)
    assert importer.earned() == 900


def test_an_undone_import_leaves_what_another_import_has(led: Policies) -> None:
    importer = Importer(led)
    txid = importer.txid()
    first = importer.upload([sale(txid, 5)], apply=True)
    second = importer.upload([sale(txid, 6, "approved")], apply=True)
    assert importer.earned() == 600
    importer.call(second["importId"], "undo")
    importer.until(second["importId"], "undone")
    assert (importer.conversion(txid).commission, importer.conversion(txid).status.value) == (500, "pending")
    importer.call(first["importId"], "undo")
    importer.until(first["importId"], "undone")
    assert importer.earned() == 0


def test_a_sale_that_the_shop_calls_by_its_order_is_one_sale(led: Policies) -> None:
    for shop_first in (True, False):
        importer = Importer(led)
        click, order = led.click(importer.shop, timedelta(days=29)), f"A-{uuid4().hex[:8]}"
        row = sale(importer.txid(), 10, "approved", click=click, orderRef=order)

        def shop_reports(importer: Importer = importer, order: str = order, click: str = click) -> None:
            led.report(
                importer.shop, txid=order, key_kind="secret", click_id=click,
                amount={"amount": 10_000, "currency": "EUR"},
            )  # fmt: skip
            led.caught_up()

        if shop_first:
            shop_reports()
        importer.upload([row], apply=True)
        if not shop_first:
            shop_reports()
        assert importer.earned() == 1000, f"shop first: {shop_first}"


def test_a_cancelled_import_never_counts(led: Policies) -> None:
    importer = Importer(led)
    preview = importer.upload([sale(importer.txid(), 5)])
    assert importer.call(preview["importId"], "cancel")["state"] == "cancelled"
    assert importer.call(preview["importId"], "apply", status=409)["code"] == "not_ready"
    assert importer.call(preview["importId"], "undo", status=409)["code"] == "not_applied"


def test_a_strangers_import_is_not_found(led: Policies) -> None:
    importer, stranger = Importer(led), led.world.person()
    preview = importer.upload([sale(importer.txid(), 5)])
    for action in ("apply", "cancel", "undo"):
        answer = led.world.call("POST", f"{IMPORTS}/{preview['importId']}/{action}", stranger)
        assert answer.status_code == 404, answer.text
    importer.upload_file(b"[]", status=404, person=stranger)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"<html>Sign in</html>", "not_a_report"), (b"{}", "not_a_report"), (b"\x00\x01\x02", "not_a_report")],
)
def test_what_is_no_report_fails_with_a_reason(led: Policies, content: bytes, code: str) -> None:
    found = Importer(led).upload_file(content)
    assert (found["state"], found["code"]) == ("failed", code), found


def test_an_empty_file_is_refused(led: Policies) -> None:
    importer = Importer(led)
    assert importer.upload_file(b"", status=400)["code"] == "empty_file"
    assert importer.upload_file(b"[]", status=400, network="nobody")["code"] == "unknown_network"


def test_a_sale_twice_in_a_file_with_two_amounts_counts_by_its_first_line(led: Policies) -> None:
    importer = Importer(led)
    txid = importer.txid()
    preview = importer.upload([sale(txid, 5), sale(txid, 6), sale(txid, 5)])
    assert (preview["new"], [one["code"] for one in preview["rejected"]]) == (2, ["conflicting_lines"])
    assert preview["rejected"][0]["message"] == "Line 1 has the same transaction id with another amount."
    assert preview["delta"] == [{"amount": 500, "currency": "EUR"}]


def test_a_row_of_no_known_partner_is_rejected_until_the_mapping_names_it(led: Policies) -> None:
    importer = Importer(led)
    led.world.partner(postbackPreset="awin")
    other = led.world.partner(postbackPreset="awin")
    led.world.link(importer.shop.site, other)
    led.relayed()
    project(importer.world, "partners", "links")
    preview = importer.upload([sale(importer.txid(), 5)])
    assert [one["code"] for one in preview["rejected"]] == ["unknown_partner"]
    body = {"mapping": {"partners": {"77": other["id"]}}}
    changed = led.world.call("PATCH", f"{IMPORTS}/{preview['importId']}", led.world.owner, json=body)
    assert (changed.status_code, changed.json()["new"], changed.json()["rejected"]) == (200, 1, []), changed.text


def test_a_mapping_is_sent_in_camel_case_or_in_the_names_of_its_fields(led: Policies) -> None:
    importer = Importer(led)
    preview = importer.upload([sale(importer.txid(), 5)], mapping=json.dumps({"decimalMark": "."}))
    for mapping in ({"decimalMark": ".", "dateOrder": "ymd"}, {"decimal_mark": ".", "date_order": "ymd"}):
        changed = led.world.call(
            "PATCH", f"{IMPORTS}/{preview['importId']}", led.world.owner, json={"mapping": mapping}
        )
        assert (changed.status_code, changed.json()["new"]) == (200, 1), changed.text
    wrong = {"mapping": {"decimalPoint": "."}}
    refused = led.world.call("PATCH", f"{IMPORTS}/{preview['importId']}", led.world.owner, json=wrong)
    assert refused.status_code == 400, refused.text


def test_a_mapping_names_partners_that_are_open_to_the_website(led: Policies) -> None:
    importer, stranger = Importer(led), led.world.person()
    body = {"name": "Theirs", "baseUrl": "https://foreign.example", "commission": 10}
    foreign = led.world.call("POST", "/api/platform/partners", stranger, json=body).json()
    for partner in (foreign["id"], str(uuid4())):
        mapping = {"partners": {"77": partner}}
        refused = importer.upload([sale(importer.txid(), 5)], status=400, mapping=json.dumps(mapping))
        assert (refused["code"], refused["errors"][0]["field"]) == ("unknown_partner", "mapping.partners")
        assert refused["message"].startswith("The partner of advertiser “77” does not exist")
    preview = importer.upload([sale(importer.txid(), 5)])
    path = f"{IMPORTS}/{preview['importId']}"
    changed = led.world.call("PATCH", path, led.world.owner, json={"mapping": {"partners": {"77": foreign["id"]}}})
    assert (changed.status_code, changed.json()["code"]) == (400, "unknown_partner")


def test_an_import_that_is_cancelled_while_it_is_read_leaves_no_rows(
    led: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    importer, compare = Importer(led), ImportWork._preview

    def cancelled(work: ImportWork, held: NetworkImportAggregate, website: Website) -> Any:
        command = CancelNetworkImport(held.id)
        led.world.core.commands.dispatch(command, CommandContext(datetime.now(UTC), website.account_id))
        return compare(work, held, website)

    monkeypatch.setattr(ImportWork, "_preview", cancelled)
    found = importer.upload([sale(importer.txid(), 5), sale(importer.txid(), 6)])
    assert found["state"] == "cancelled"
    stored = "SELECT count(*) FROM networks.import_row WHERE import_id = %s"
    wait_for(lambda: importer.world.count(stored, UUID(found["importId"])) == 0, "no row to be stored")


def test_two_imports_of_one_sale_at_once_leave_one_sale(led: Policies) -> None:
    importer = Importer(led)
    txid = importer.txid()
    previews = [importer.upload([sale(txid, 5)]), importer.upload([sale(txid, 7, "approved")])]
    for preview in previews:
        importer.call(preview["importId"], "apply")
    for preview in previews:
        importer.until(preview["importId"], "applied")
    assert (importer.conversion(txid).commission, importer.earned()) == (700, 700)


def test_test_actions_never_count(led: Policies) -> None:
    importer = Importer(led)
    row = {
        "Id": "1000.1.1", "CampaignId": 9, "CampaignName": "Shop", "State": "APPROVED", "Payout": "5.00",
        "Amount": "50.00", "Currency": "EUR", "EventDate": "2026-11-03T12:00:00Z", "AdjustmentReason": "TEST_ACTION",
    }  # fmt: skip
    content = json.dumps({"@page": "1", "Actions": [row]}).encode()
    found = importer.upload_file(content, network="impact", partnerId=importer.partner["id"])
    assert (found["state"], found["tests"], found["new"], found["delta"]) == ("ready", 1, 0, []), found


def test_the_rows_of_an_erased_person_lose_their_click(led: Policies) -> None:
    importer = Importer(led)
    click, txid = led.click(importer.shop, timedelta(days=29)), importer.txid()
    imported = importer.upload([sale(txid, 5, "approved", click=click), sale(importer.txid(), 1)], apply=True)
    state = importer.conversion(txid)
    with led.world.core.commands.unit_of_work(system_context()) as uow:
        uow.append(
            ConversionForgotten(**next_event(state, uow.context), website_id=importer.site_id, erasure_id=uuid4())
        )
    kept = "SELECT count(*) FROM networks.import_row WHERE import_id = %s AND detail::text LIKE %s"
    assert led.world.count(kept, imported["importId"], f"%{click}%") == 0
    assert led.world.count(kept, imported["importId"], "%") == 2
    stated = "SELECT count(*) FROM networks.stated_sale WHERE website_id = %s AND report::text LIKE %s"
    assert led.world.count(stated, importer.site_id, f"%{click}%") == 0
    assert led.world.count("SELECT count(*) FROM networks.import_file WHERE import_id = %s", imported["importId"]) == 0
    importer.upload([sale(txid, 6, "approved")], apply=True)
    after = importer.conversion(txid)
    assert (after.commission, after.is_attributed) == (600, True), "later reports count as before"
