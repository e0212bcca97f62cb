"""CJ: the answer of its GraphQL API and the CSV of Commission Detail."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from command_api.networks.reading.rows import ReportStatus
from tests.unit.command_api.networks.reading.support import as_json, at, look, rows, table

HEADER = (
    "Commission ID,Action Status,Action Type,Advertiser ID,Advertiser Name,Click Date,Event Date,Posting Date,"
    "Original,Original Action ID,Publisher Commission USD,Sale Amount USD,Shopper ID"
)


def record(**changes: Any) -> dict[str, Any]:
    return {
        "commissionId": "c1",
        "originalActionId": "a1",
        "original": True,
        "correctionReason": None,
        "actionStatus": "NEW",
        "actionType": "sale",
        "advertiserId": "55",
        "advertiserName": "Shop",
        "websiteId": "900",
        "clickDate": "2026-06-03T10:00:00Z",
        "eventDate": "2026-06-03T11:00:00Z",
        "postingDate": "2026-06-04T01:00:00Z",
        "lockingDate": "2096-07-10T00:00:00Z",
        "orderId": "O-1",
        "pubCommissionAmountUsd": "10.80",
        "pubCommissionAmountPubCurrency": "10.00",
        "saleAmountUsd": "108.00",
        "saleAmountPubCurrency": "100.00",
        "shopperId": "0xclick",
        "items": [],
    } | changes


def answer(*records: dict[str, Any]) -> str:
    listed = {"count": len(records), "payloadComplete": True, "maxCommissionId": None, "records": list(records)}
    return as_json({"data": {"publisherCommissions": listed}})


def test_an_answer_of_the_api_is_read_in_the_accounts_currency() -> None:
    [row] = rows(answer(record()), "cj", currency="EUR")
    assert (row.txid, row.line_key, row.order_ref, row.partner_ref, row.partner_name) == (
        "a1",
        "c1",
        "O-1",
        "55",
        "Shop",
    )
    assert (row.click_ref, row.tracking_id) == ("0xclick", "900")
    assert (row.occurred_at, row.clicked_at) == (at(6, 3, 11), at(6, 3, 10))
    assert row.updated_at == at(6, 4, 1)
    assert (row.sale, row.commission, row.currency) == (Decimal("100.00"), Decimal("10.00"), "EUR")
    assert row.status is ReportStatus.PENDING
    assert not row.is_correction


def test_records_alone_are_read_like_the_whole_answer() -> None:
    assert rows(as_json([record()]), "cj") == rows(answer(record()), "cj")


def test_all_but_the_original_row_of_an_action_are_corrections() -> None:
    original, returned, added = rows(
        answer(
            record(actionStatus="LOCKED"),
            record(
                commissionId="c2",
                original=False,
                correctionReason="RETURNED_MERCHANDISE",
                pubCommissionAmountPubCurrency="-4.00",
                saleAmountPubCurrency="-40.00",
            ),
            record(commissionId="c3", original=False, pubCommissionAmountPubCurrency="1.50"),
        ),
        "cj",
    )
    assert (original.is_correction, original.status) == (False, ReportStatus.APPROVED)
    assert (returned.is_correction, returned.txid, returned.line_key) == (True, "a1", "c2")
    assert (returned.sale, returned.commission) == (Decimal("-40.00"), Decimal("-4.00"))
    assert returned.decline_reason == "RETURNED_MERCHANDISE"
    assert (added.is_correction, added.commission) == (True, Decimal("1.50"))


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("NEW", ReportStatus.PENDING),
        ("EXTENDED", ReportStatus.PENDING),
        ("LOCKED", ReportStatus.APPROVED),
        ("CLOSED", ReportStatus.PAID),
    ],
)
def test_an_action_status_has_its_meaning(word: str, status: ReportStatus) -> None:
    [row] = rows(answer(record(actionStatus=word)), "cj")
    assert row.status is status


def test_leads_and_bonuses_are_marked() -> None:
    lead, bonus = rows(answer(record(actionType="lead"), record(commissionId="c2", actionType="bonus")), "cj")
    assert lead.is_lead
    assert bonus.is_bonus


def test_the_csv_says_its_currency_in_the_headers() -> None:
    report = table(
        HEADER,
        "c1,locked,sale,55,Shop,2026-06-03T10:00:00Z,2026-06-03T11:00:00Z,2026-06-04T01:00:00Z,true,a1,10.80,108.00,0xclick",
        "c2,locked,sale,55,Shop,2026-06-03T10:00:00Z,2026-06-03T11:00:00Z,2026-06-09T01:00:00Z,false,a1,-10.80,-108.00,0xclick",
    )
    inspection = look(report, "cj")
    assert inspection.layout.currency == "USD"
    assert inspection.questions == ()
    original, correction = rows(report, "cj", currency="EUR")
    assert (original.txid, original.line_key, original.currency) == ("a1", "c1", "USD")
    assert (original.commission, original.sale, original.is_correction) == (Decimal("10.80"), Decimal("108.00"), False)
    assert (correction.commission, correction.is_correction) == (Decimal("-10.80"), True)
    assert correction.updated_at == at(6, 9, 1)
