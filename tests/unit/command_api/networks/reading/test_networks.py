"""Exact layouts of the networks that have no test file of their own, among them Rakuten, ShareASale and Amazon."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from command_api.networks.reading.rows import ReportStatus
from tests.unit.command_api.networks.reading.support import as_json, at, look, refusal, rows, table

RAKUTEN = (
    "Member ID (U1),MID,Advertiser Name,Order ID,Transaction Date,Transaction Time,SKU,Sales,# of Items,"
    "Total Commission,Process Date,Process Time"
)
SHAREASALE = (
    "Trans ID|User ID|Merchant ID|Trans Date|Trans Amount|Commission|Comment|Voided|Pending Date|Locked|Aff Comment|"
    "Banner Page|Reversal Date|Click Date|Click Time|Banner Id|SKU List|Quantity List|Lock Date|Paid Date|"
    "Merchant Organization|Merchant Website|Trans Type|Merchant Defined Type|Store ID|Reference Trans"
)
AMAZON = (
    "Category,Name,ASIN,Seller,Tracking ID,Date Shipped,Price($),Items Shipped,Returns,Revenue($),Ad Fees($),"
    "Device Type Group,Direct Sale"
)
TRADEDOUBLER = (
    "transactionId,programId,programName,sourceId,eventTypeId,status,timeOfLastClick,timeOfTransaction,"
    "timeOfLastModified,epi,leadNumber,orderNumber,orderValue,commission,paid,reasonName"
)


def action(**changes: Any) -> dict[str, Any]:
    return {
        "Id": "1000.4636.158133",
        "CampaignId": 1000,
        "CampaignName": "Shop",
        "ActionTrackerId": 4636,
        "State": "PENDING",
        "Payout": "5.00",
        "DeltaPayout": "0.00",
        "IntendedPayout": "5.00",
        "Amount": "100.00",
        "Currency": "USD",
        "EventDate": "2026-06-03T10:42:38-07:00",
        "CreationDate": "2026-06-03T10:45:00-07:00",
        "LockingDate": "2096-07-10T00:00:00-07:00",
        "ClearedDate": "",
        "ReferringDate": "2026-06-03T10:00:00-07:00",
        "ReferringType": "CLICK_COOKIE",
        "Oid": "O-1",
        "SharedId": "blog",
        "SubId1": "0xclick",
        "CustomerCity": "Berlin",
    } | changes


def actions(*listed: dict[str, Any], name: str = "Actions") -> str:
    return as_json({"@page": "1", "@numpages": "1", "@total": str(len(listed)), "@nextpageuri": "", name: list(listed)})


def test_an_impact_action_is_read() -> None:
    [row] = rows(actions(action()), "impact")
    assert (row.txid, row.order_ref, row.partner_ref, row.partner_name) == ("1000.4636.158133", "O-1", "1000", "Shop")
    assert (row.click_ref, row.tracking_id) == ("0xclick", "blog")
    assert (row.occurred_at, row.clicked_at, row.updated_at) == (at(6, 3, 17, 42, 38), at(6, 3, 17), None)
    assert (row.sale, row.commission, row.currency) == (Decimal("100.00"), Decimal("5.00"), "USD")
    assert (row.status, row.is_amended, row.is_test) == (ReportStatus.PENDING, False, False)


def test_an_impact_action_is_paid_once_it_is_cleared() -> None:
    approved, paid, taken_back = rows(
        actions(
            action(State="APPROVED"),
            action(Id="2", State="APPROVED", ClearedDate="2026-08-01T00:00:00-07:00"),
            action(Id="3", State="REVERSED", Payout="0.00", IntendedPayout="5.00"),
        ),
        "impact",
    )
    assert approved.status is ReportStatus.APPROVED
    assert (paid.status, paid.updated_at) == (ReportStatus.PAID, at(8, 1, 7))
    assert (taken_back.status, taken_back.is_amended) == (ReportStatus.REVERSED, True)


def test_an_impact_update_names_its_action_and_when_it_changed() -> None:
    update = action(ActionId="1000.4636.158133", UpdateDate="2026-06-09T00:00:00Z", ActionDate="2026-06-03T17:42:38Z")
    update |= {"Id": "u1", "StateDetail": "TEST_ACTION"}
    [row] = rows(actions(update, name="ActionUpdates"), "impact")
    assert (row.txid, row.updated_at, row.is_test) == ("1000.4636.158133", at(6, 9), True)


def test_a_rakuten_file_has_lines_before_its_header_and_negative_rows() -> None:
    report = "\ufeff" + table(
        "Signature Orders Report",
        "From 6/1/26 to 6/30/26",
        RAKUTEN,
        '0xclick,123,Shop,O-1,6/3/26,23:30:00,SKU-1,"1,234.50",1,12.34,6/5/26,02:00:00',
        "0xclick,123,Shop,O-1,6/3/26,23:30:00,SKU-2,20.00,1,0.50,6/5/26,02:00:00",
        "0xclick,123,Shop,O-1,6/3/26,23:30:00,SKU-2,-20.00,-1,-0.50,6/12/26,02:00:00",
        ending="\r\n",
    )
    inspection = look(report, "rakuten")
    assert inspection.layout.header_line == 3
    assert "Lines 1 to 2 are skipped: the header is line 3." in inspection.notes
    first, second, returned = rows(report, "rakuten", currency="USD")
    assert (first.line, first.txid, first.line_key, first.partner_ref) == (4, "O-1", "SKU-1", "123")
    assert (first.sale, first.commission, first.currency) == (Decimal("1234.50"), Decimal("12.34"), "USD")
    assert (first.occurred_at, first.updated_at) == (at(6, 3, 23, 30), at(6, 5, 2))
    assert (first.status, first.click_ref) == (ReportStatus.APPROVED, "0xclick")
    assert (second.line_key, second.is_correction) == ("SKU-2", False)
    assert (returned.line_key, returned.is_correction, returned.commission) == ("SKU-2", True, Decimal("-0.50"))


def test_a_rakuten_event_is_pending_and_has_the_key_of_its_later_transaction() -> None:
    record = {
        "etransaction_id": "e1",
        "advertiser_id": "123",
        "order_id": "O-1",
        "sku_number": "S",
        "sale_amount": 10.5,
        "commissions": 1.05,
        "transaction_date": "2026-06-03 10:00:00",
        "process_date": "2026-06-03 11:00:00",
        "u1": "0xclick",
        "currency": "USD",
        "is_event": "Y",
    }
    event, processed = rows(as_json([record, record | {"etransaction_id": "t1", "is_event": "N"}]), "rakuten")
    assert (event.status, processed.status) == (ReportStatus.PENDING, ReportStatus.APPROVED)
    assert (event.txid, event.line_key) == (processed.txid, processed.line_key) == ("O-1", "S")
    assert (event.click_ref, event.commission) == ("0xclick", Decimal("1.05"))


def shareasale(**changes: str) -> str:
    values = {
        "Trans ID": "500",
        "Merchant ID": "77",
        "Trans Date": "06/03/2026 01:02:03 PM",
        "Trans Amount": "100.00",
        "Commission": "7.50",
        "Comment": "Sale - 1",
        "Voided": "0",
        "Locked": "0",
        "Aff Comment": "0xclick",
        "Click Date": "2026-06-03 00:00:00.0",
        "Click Time": "12:30:00 PM",
        "Lock Date": "2096-07-20",
        "Merchant Organization": "Shop",
        "Trans Type": "Sale",
        "Reference Trans": "0",
    } | changes
    return "|".join(values.get(name, "") for name in SHAREASALE.split("|"))


def test_a_shareasale_activity_is_read_in_dollars() -> None:
    [row] = rows(table(SHAREASALE, shareasale()), "shareasale", currency="EUR")
    assert (row.txid, row.partner_ref, row.partner_name, row.click_ref) == ("500", "77", "Shop", "0xclick")
    assert (row.occurred_at, row.clicked_at, row.updated_at) == (at(6, 3, 13, 2, 3), at(6, 3, 12, 30), None)
    assert (row.sale, row.commission, row.currency) == (Decimal("100.00"), Decimal("7.50"), "USD")
    assert (row.status, row.decline_reason) == (ReportStatus.PENDING, "")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Locked": "1"}, ReportStatus.APPROVED),
        ({"Locked": "1", "Paid Date": "2026-08-20"}, ReportStatus.PAID),
        ({"Locked": "1", "Paid Date": "2096-08-20"}, ReportStatus.APPROVED),
        ({"Voided": "1"}, ReportStatus.REJECTED),
        ({"Voided": "1", "Locked": "1"}, ReportStatus.REVERSED),
    ],
)
def test_a_shareasale_status_follows_from_its_flags(changes: dict[str, str], status: ReportStatus) -> None:
    [row] = rows(table(SHAREASALE, shareasale(**changes)), "shareasale")
    assert row.status is status


def test_a_shareasale_correction_refers_to_its_sale() -> None:
    report = table(
        SHAREASALE,
        shareasale(),
        shareasale(**{"Trans ID": "501", "Reference Trans": "500", "Commission": "-7.50", "Trans Amount": "-100.00"}),
    )
    sale, correction = rows(report, "shareasale")
    assert (sale.txid, sale.line_key, sale.is_correction) == ("500", "", False)
    assert (correction.txid, correction.line_key, correction.is_correction) == ("500", "501", True)
    assert correction.commission == Decimal("-7.50")


def test_a_partnerize_conversion_is_one_line_for_each_item() -> None:
    item = {"sku": "A", "item_value": "60.00", "item_publisher_commission": "6.00", "reject_reason": None}
    conversion = {
        "conversion_id": "1011l1",
        "campaign_id": "1l2",
        "campaign_title": "Shop",
        "conversion_time": "2026-06-03 10:00:00",
        "click": {"set_time": "2026-06-03 09:00:00"},
        "publisher_reference": "0xclick",
        "conversion_reference": "O-1",
        "currency": "EUR",
        "conversion_value": {"conversion_status": "mixed", "value": "100.00", "publisher_commission": "10.00"},
        "conversion_items": [
            item | {"conversion_item_id": "i1", "item_status": "approved"},
            item
            | {
                "conversion_item_id": "i2",
                "item_status": "rejected",
                "item_value": "40.00",
                "item_publisher_commission": "4.00",
                "reject_reason": "returned",
            },
        ],
    }
    report = as_json(
        {"conversions": [{"conversion_data": conversion}], "hypermedia": {"pagination": {"next_page": None}}}
    )
    first, second = rows(report, "partnerize")
    assert (first.line, first.txid, first.line_key, second.line_key) == (1, "1011l1", "i1", "i2")
    assert (first.commission, first.sale, first.status) == (Decimal("6.00"), Decimal("60.00"), ReportStatus.APPROVED)
    assert (second.commission, second.status, second.decline_reason) == (
        Decimal("4.00"),
        ReportStatus.REJECTED,
        "returned",
    )
    assert (first.click_ref, first.order_ref, first.partner_ref, first.currency) == ("0xclick", "O-1", "1l2", "EUR")
    assert (first.occurred_at, first.clicked_at) == (at(6, 3, 10), at(6, 3, 9))


def test_a_partnerize_conversion_without_items_is_one_line() -> None:
    value = {"conversion_status": "pending", "value": "100.00", "publisher_commission": "10.00"}
    conversion: dict[str, Any] = {
        "conversion_id": "1",
        "conversion_time": "2026-06-03 10:00:00",
        "currency": "EUR",
        "publisher_reference": None,
        "conversion_value": value,
        "conversion_items": [],
    }
    [row] = rows(as_json({"conversions": [{"conversion_data": conversion}]}), "partnerize")
    assert (row.line_key, row.commission, row.status) == ("", Decimal("10.00"), ReportStatus.PENDING)


@pytest.mark.parametrize(
    ("event", "letter", "paid", "status", "is_lead"),
    [
        ("5", "P", "false", ReportStatus.PENDING, False),
        ("5", "A", "false", ReportStatus.APPROVED, False),
        ("5", "A", "true", ReportStatus.PAID, False),
        ("4", "D", "false", ReportStatus.REJECTED, True),
    ],
)
def test_a_tradedoubler_transaction_is_read(
    event: str, letter: str, paid: str, status: ReportStatus, is_lead: bool
) -> None:
    times = "2026-06-03 09:00:00.0,2026-06-03 10:00:00.0,2026-06-04 10:00:00.0"
    order = "O-1," if is_lead else ",O-1"
    line = f"900,11,Shop,22,{event},{letter},{times},0xclick,{order},100.50,10.05,{paid},"
    [row] = rows(table(TRADEDOUBLER, line), "tradedoubler", timezone="Europe/Stockholm")
    assert (row.txid, row.partner_ref, row.partner_name, row.order_ref) == ("900", "11", "Shop", "O-1")
    assert (row.occurred_at, row.clicked_at, row.updated_at) == (at(6, 3, 8), at(6, 3, 7), at(6, 4, 8))
    assert (row.sale, row.commission, row.click_ref) == (Decimal("100.50"), Decimal("10.05"), "0xclick")
    assert (row.status, row.is_lead) == (status, is_lead)


def test_a_tradedoubler_answer_names_its_currency_once() -> None:
    item = {
        "transactionId": 900,
        "programId": 11,
        "timeOfTransaction": "2026-06-03 10:00:00.0",
        "epi": "0xclick",
        "status": "A",
        "orderValue": 100.5,
        "commission": 10.05,
        "productInfo": {"name": "Lamp"},
    }
    [row] = rows(as_json({"items": [item], "total": 1, "reportCurrencyCode": "SEK"}), "tradedoubler")
    assert (row.currency, row.commission, row.product) == ("SEK", Decimal("10.05"), "Lamp")


@pytest.mark.parametrize(
    ("word", "paid", "status"),
    [
        ("confirmed", "", ReportStatus.APPROVED),
        ("confirmed", "paid", ReportStatus.PAID),
        ("delayed", "notcleared", ReportStatus.PENDING),
        ("cancelled", "", ReportStatus.REJECTED),
    ],
)
def test_a_webgains_transaction_is_read(word: str, paid: str, status: ReportStatus) -> None:
    record = {
        "transactionID": 5,
        "programID": 6,
        "date": "2026-06-03T10:00:00",
        "clickRef": "0xclick",
        "saleValue": 50.5,
        "commission": 5.05,
        "currency": "GBP",
        "status": word,
        "paymentStatus": paid,
    }
    [row] = rows(as_json([record]), "webgains")
    assert (row.txid, row.partner_ref, row.click_ref, row.sale) == ("5", "6", "0xclick", Decimal("50.5"))
    assert (row.occurred_at, row.currency, row.status) == (at(6, 3, 10), "GBP", status)


def order(kind: str, receipt: str = "ABCD1234", **line: Any) -> dict[str, Any]:
    item = {"itemNo": "1", "productTitle": "Course", "customerAmount": 50.0, "accountAmount": 25.5, "role": "AFFILIATE"}
    return {
        "transactionTime": "2026-06-03T10:00:00-07:00",
        "receipt": receipt,
        "trackingId": "0xclick",
        "transactionType": kind,
        "vendor": "maker",
        "currency": "USD",
        "role": "AFFILIATE",
        "lineItemData": [item | line, item | {"itemNo": "9", "role": "VENDOR"}],
    }


def test_a_clickbank_order_pays_the_lines_of_the_accounts_role() -> None:
    [row] = rows(as_json({"orderData": [order("SALE")]}), "clickbank")
    assert (row.txid, row.line_key, row.product, row.partner_ref) == ("ABCD1234", "1", "Course", "maker")
    assert (row.sale, row.commission, row.currency) == (Decimal("50.0"), Decimal("25.5"), "USD")
    assert (row.click_ref, row.occurred_at, row.status) == ("0xclick", at(6, 3, 17), ReportStatus.APPROVED)


def test_a_clickbank_refund_takes_its_receipt_back_and_a_test_is_marked() -> None:
    refund, chargeback, test = rows(
        as_json({"orderData": [order("RFND"), order("CGBK", accountAmount=-25.5), order("TEST_SALE", "T1")]}),
        "clickbank",
    )
    assert (refund.txid, refund.line_key, refund.is_correction) == ("ABCD1234", "RFND 1", True)
    assert (refund.commission, refund.sale, refund.status) == (
        Decimal("-25.5"),
        Decimal("-50.0"),
        ReportStatus.REVERSED,
    )
    assert chargeback.commission == Decimal("-25.5")
    assert (test.is_test, test.is_correction) == (True, False)


def test_a_single_clickbank_order_may_stand_without_a_list() -> None:
    [row] = rows(
        as_json({"orderData": order("SALE") | {"lineItemData": {"itemNo": "1", "accountAmount": 2}}}), "clickbank"
    )
    assert row.commission == Decimal(2)


def amazon(*cells: str) -> str:
    return table("Fee earnings report from 06/01/2026 to 06/30/2026", AMAZON, *cells)


SOLD = "Home,Lamp,B0000001,Amazon.com,blog-20,2026-06-03 00:00:00,19.99,1,0,19.99,0.60,Desktop,Direct"


def test_equal_amazon_rows_are_separate_sales_with_the_same_ids_in_each_reading() -> None:
    report = amazon(SOLD, SOLD, SOLD.replace("blog-20", "shop-20"))
    first, second, third = rows(report, "amazon")
    assert len({first.txid, second.txid, third.txid}) == 3
    assert [row.txid for row in rows(report, "amazon")] == [first.txid, second.txid, third.txid]
    assert (first.tracking_id, first.product) == ("blog-20", "Lamp")
    assert (first.sale, first.commission, first.currency) == (Decimal("19.99"), Decimal("0.60"), "USD")
    assert first.status is ReportStatus.APPROVED
    assert (first.replaces, third.replaces) == ("2026-06-03 blog-20", "2026-06-03 shop-20")


def test_the_day_of_an_amazon_row_is_that_of_the_report_in_every_zone() -> None:
    for timezone in ("America/Los_Angeles", "Asia/Tokyo"):
        [row] = rows(amazon(SOLD), "amazon", timezone=timezone)
        assert row.replaces == "2026-06-03 blog-20"


def test_an_amazon_return_is_a_negative_row() -> None:
    returned = "Home,Lamp,B0000001,Amazon.com,blog-20,2026-06-09 00:00:00,19.99,0,1,-19.99,-0.60,Desktop,Direct"
    sold, back = rows(amazon(SOLD, returned), "amazon")
    assert (sold.is_correction, back.is_correction) == (False, True)
    assert (back.commission, back.replaces) == (Decimal("-0.60"), "2026-06-09 blog-20")


def test_an_amazon_bounty_is_a_bonus_that_replaces_bounties_only() -> None:
    report = table("Name,Date Shipped,Tracking Id,Quantity,Ad Fees($)", "Prime trial,06/13/2026,blog-20,1,3.00")
    [row] = rows(report, "amazon")
    assert (row.is_bonus, row.commission, row.occurred_at) == (True, Decimal("3.00"), date(2026, 6, 13))
    assert row.replaces == "2026-06-13 blog-20 bounty"


def test_amazon_reports_without_single_earnings_are_refused_with_the_right_name() -> None:
    orders = table(
        "Category,Name,ASIN,Date,Qty,Price($),Link Type,Tag,Indirect Sales,Device Type Group",
        "Home,Lamp,B0000001,2026-06-03,1,19.99,,blog-20,nd,Desktop",
    )
    daily = table("Date,Clicks,Ordered Items,Shipped Items,Revenue($),Ad Fees($)", "2026-06-03,10,2,2,40.00,1.20")
    assert (refusal(orders, "amazon").code, "Fee-Earnings" in refusal(orders, "amazon").message) == (
        "wrong_report",
        True,
    )
    assert refusal(daily, "amazon").code == "wrong_report"
