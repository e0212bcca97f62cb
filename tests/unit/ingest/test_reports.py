"""What any network or shop sends is in the log as one report, or refused: never a crash, never lost
because of an optional value."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas import click_id
from schemas.identity import conversion_id
from schemas.networks import NETWORKS
from schemas.topics import CONVERSIONS
from schemas.tracking import ConversionReported, from_log_time
from tests.support.ingest_in_process import KEY, SECRET_KEY, WEBSITE, KeepingLog, ingest_context, request

PRESETS = sorted(NETWORKS)


def a_click(nonce: int) -> str:
    at = datetime.now(UTC)
    return click_id.mint(
        b"k" * 32, at=at, link_code=4711, website_id=WEBSITE, country="DE", device="mobile", nonce=nonce
    )


def sent(
    path: str, body: bytes = b"", method: str = "GET", kind: str = "", key: str = SECRET_KEY
) -> tuple[int, list[Any]]:
    """The status of the answer, and the reports that are in the log."""

    async def send() -> tuple[int, list[Any]]:
        log = KeepingLog()
        context = ingest_context(log)
        headers = {"authorization": f"Bearer {key}"} | ({"content-type": kind} if kind else {})
        status = await request(context, path, body, method, headers)
        found = [json.loads(record.value) for record in log.records if record.topic == CONVERSIONS.name]
        return status, found

    return asyncio.run(send())


def posted(sale: dict[str, Any], key: str = SECRET_KEY) -> tuple[int, list[Any]]:
    return sent("/track/sale", json.dumps(sale).encode(), "POST", "application/json", key)


texts = st.text(max_size=20) | st.sampled_from(["{x}", "1,234", "12,50", "null", " ", "paid", "-1", "First Deposit"])
values = texts | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(texts, max_size=2)
OPTIONAL = ("click_id", "coupon", "payout", "currency", "status", "event", "customer_id", "visitor_id", "props")


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(OPTIONAL), values), values)
@example({"currency": True}, 500)
@example({"currency": " "}, 500)
def test_no_optional_value_costs_a_sale(said: dict[str, Any], amount: Any) -> None:
    sale = {"currency": "USD", **said, "txid": "A-1", "amount": 5 if amount is None else amount}
    status, reports = posted(sale)
    too_large = any(isinstance(sale.get(name), int) and sale[name] > 10**15 for name in ("amount", "payout"))
    if status == 202:
        [report] = reports
        assert ConversionReported.model_validate(report).txid == "A-1"
        assert all(
            not report.get(name)
            for name in report.get("unread", ())
            if name in ("amount", "payout", "status", "coupon")
        )
    else:
        names_no_currency = not str(sale["currency"] or "").strip()
        assert status == 400 and not reports and (too_large or not _is_json(sale) or names_no_currency), sale


def _is_json(sale: dict[str, Any]) -> bool:
    text = json.dumps(sale)
    return "NaN" not in text and "Infinity" not in text and "\\ud" not in text


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(PRESETS), st.dictionaries(st.sampled_from(["status", "event", "amount", "payout", "sub1"]), texts)
)
def test_no_word_of_a_network_costs_a_postback(preset: str, said: dict[str, str]) -> None:
    query = urlencode({**said, "txid": "A-1", "preset": preset}, errors="replace")
    status, reports = sent(f"/postback?{query}")
    assert (status, len(reports)) == (202, 1)


def test_three_clicks_with_one_transaction_id_are_three_sales_of_a_tracker_and_one_of_a_network() -> None:
    clicks = [a_click(nonce) for nonce in (1, 2, 3)]
    for preset, sales in (("keitaro", 3), ("voluum", 3), ("binom", 3), ("awin", 1), ("default", 1)):
        found = [sent(f"/postback?preset={preset}&txid=1&payout=20&click_id={click}")[1][0] for click in clicks]
        assert len({report["conversion_id"] for report in found}) == sales, preset
        assert {report["txid"] for report in found} == {"1"}


def test_each_placeholder_is_a_sale_of_its_own_and_a_repeat_is_the_same() -> None:
    for text in ("{transaction_id}", "[TID]", "%7Btid%7D", "null", "0", " ", ""):
        query = [urlencode({"txid": text, "click_id": a_click(1), "payout": payout}) for payout in ("20", "35")]
        first, second = (sent(f"/postback?{one}")[1][0] for one in query)
        assert first["conversion_id"] != second["conversion_id"] and first["unread"] == {"txid": text}


def test_blanks_around_a_transaction_id_make_no_other_sale_and_the_one_from_before_is_named() -> None:
    [plain] = posted({"txid": "A1", "amount": 5, "currency": "USD"})[1]
    [blank] = posted({"txid": "A1 ", "amount": 5, "currency": "USD"})[1]
    assert (plain["conversion_id"], plain["txid"]) == (blank["conversion_id"], blank["txid"])
    assert blank["other_id"] == str(conversion_id(WEBSITE, "sale", "A1 ")) and "other_id" not in plain


def test_a_click_id_that_is_none_is_kept_unless_a_public_key_has_nothing_else_to_show() -> None:
    sale = {"txid": "A1", "amount": 5, "currency": "USD", "click_id": "{click_id}"}
    status, [report] = posted(sale)
    assert (status, report["click_id"], report["unread"]) == (202, "", {"click_id": "{click_id}"})
    assert posted(sale, KEY) == (400, [])
    assert sent("/postback?click_id=%7Bclick_id%7D&payout=5") == (400, []), "no identity"


def test_awins_form_is_a_report() -> None:
    push = {"transactionId": 9, "transactionAmount": 120.5, "commission": 6.025, "transactionCurrency": "gbp"}
    body = urlencode({"AwinTransactionPush": json.dumps(push)}).encode()
    status, [report] = sent("/postback", body, "POST", "application/x-www-form-urlencoded")
    assert (status, report["txid"], report["amount"]) == (202, "9", {"amount": 12_050, "currency": "GBP"})
    assert (report["payout"]["amount"], report["exact"]) == (602, {"payout": "602.5"})


@pytest.mark.parametrize(("back", "is_named"), [(timedelta(hours=3), True), (timedelta(days=40), False)])
def test_the_time_that_awin_pushes_is_the_sales(back: timedelta, is_named: bool) -> None:
    """In UTC. A push about the status of an old sale is not refused for its age."""
    at = (datetime.now(UTC) - back).replace(microsecond=0)
    push = {"transactionId": 9, "transactionAmount": 1, "transactionDate": f"{at:%Y-%m-%d %H:%M:%S}"}
    body = urlencode({"AwinTransactionPush": json.dumps(push)}).encode()
    status, [report] = sent("/postback", body, "POST", "application/x-www-form-urlencoded")
    assert (status, report["time_named"]) == (202, is_named)
    assert (from_log_time(report["occurred_at"]) == at) is is_named
    for moment in ("2026-13-01 00:00:00", "yesterday", ""):
        odd = urlencode({"AwinTransactionPush": json.dumps(push | {"transactionDate": moment})}).encode()
        status, [report] = sent("/postback", odd, "POST", "application/x-www-form-urlencoded")
        assert (status, report["time_named"], "unread" in report) == (202, False, False)
