"""Awin: its JSON exactly, its CSV through the mapping."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from command_api.networks.reading.rows import ReportStatus
from tests.unit.command_api.networks.reading.support import as_json, at, look, rows, table


def transaction(**changes: Any) -> dict[str, Any]:
    return {
        "id": 9007199254740993,
        "url": "https://example.com/article",
        "advertiserId": 1001,
        "publisherId": 45628,
        "commissionSharingPublisherId": None,
        "siteName": "Example",
        "commissionStatus": "pending",
        "commissionAmount": {"amount": 5.59, "currency": "GBP"},
        "saleAmount": {"amount": 55.96, "currency": "GBP"},
        "clickRefs": {"clickRef": "0xclick", "clickRef2": "other"},
        "clickDate": "2026-06-03T12:10:00",
        "transactionDate": "2026-06-03T12:26:29",
        "validationDate": None,
        "type": "Commission group transaction",
        "declineReason": None,
        "amended": False,
        "oldSaleAmount": None,
        "orderRef": "111222333",
        "transactionParts": [{"commissionGroupId": 12, "amount": 55.96, "commissionAmount": 5.59}],
        "paidToPublisher": False,
        "paymentId": 0,
    } | changes


def test_a_transaction_is_read_in_the_time_zone_of_the_report() -> None:
    [row] = rows(as_json([transaction()]), "awin", timezone="Europe/London")
    assert row.txid == "9007199254740993"
    assert (row.line, row.line_key, row.order_ref, row.partner_ref) == (1, "", "111222333", "1001")
    assert row.click_ref == "0xclick"
    assert row.occurred_at == at(6, 3, 11, 26, 29)
    assert row.clicked_at == at(6, 3, 11, 10)
    assert row.updated_at is None
    assert (row.sale, row.commission, row.currency) == (Decimal("55.96"), Decimal("5.59"), "GBP")
    assert (row.status, row.raw_status) == (ReportStatus.PENDING, "pending")
    assert not (row.is_correction or row.is_amended or row.is_bonus or row.is_test or row.is_lead)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"commissionStatus": "approved", "validationDate": "2026-07-01T00:00:00"}, ReportStatus.APPROVED),
        ({"commissionStatus": "approved", "paidToPublisher": True}, ReportStatus.PAID),
        ({"commissionStatus": "declined"}, ReportStatus.REJECTED),
        ({"commissionStatus": "deleted"}, ReportStatus.REJECTED),
        ({"commissionStatus": "deleted", "validationDate": "2026-07-01T00:00:00"}, ReportStatus.REVERSED),
    ],
)
def test_a_word_of_awin_has_its_status(changes: dict[str, Any], status: ReportStatus) -> None:
    [row] = rows(as_json([transaction(**changes)]), "awin")
    assert row.status is status


def test_a_validation_is_the_latest_change_and_one_in_the_future_is_none() -> None:
    validated, planned = rows(
        as_json(
            [
                transaction(validationDate="2026-07-01T08:00:00"),
                transaction(id=2, validationDate="2096-07-01T08:00:00"),
            ]
        ),
        "awin",
    )
    assert validated.updated_at == at(7, 1, 8)
    assert planned.updated_at is None


def test_amended_and_bonus_transactions_are_marked() -> None:
    amended, bonus, lead = rows(
        as_json([transaction(amended=True), transaction(id=2, type="Bonus"), transaction(id=3, type="Lead")]), "awin"
    )
    assert amended.is_amended
    assert bonus.is_bonus
    assert not lead.is_bonus


def test_a_bonus_without_an_id_has_the_same_one_in_each_reading() -> None:
    bonuses = as_json([transaction(id=None, type="Bonus"), transaction(id=None, type="Bonus")])
    first, second = rows(bonuses, "awin")
    assert first.txid != second.txid
    assert [row.txid for row in rows(bonuses, "awin")] == [first.txid, second.txid]


def test_a_sale_in_another_currency_than_its_commission_is_left_out() -> None:
    [row] = rows(as_json([transaction(saleAmount={"amount": 60, "currency": "USD"})]), "awin")
    assert (row.sale, row.currency) == (None, "GBP")


def test_a_report_without_transactions_has_no_rows_and_no_questions() -> None:
    assert rows("[]", "awin") == []
    assert look("[]", "awin").questions == ()


def test_a_csv_of_the_web_interface_is_mapped() -> None:
    report = table(
        "Transaction ID,Advertiser,Transaction Date,Click Time,Sale Amount (EUR),Commission (EUR),Status,Clickref 1",
        "77,Shop & Co,2026-06-03 12:00:00,2026-06-03 11:00:00,100.00,8.50,Declined,0xclick",
    )
    [row] = rows(report, "awin", currency="USD")
    assert (row.txid, row.partner_name, row.click_ref) == ("77", "Shop & Co", "0xclick")
    assert (row.sale, row.commission, row.currency) == (Decimal("100.00"), Decimal("8.50"), "EUR")
    assert row.status is ReportStatus.REJECTED
