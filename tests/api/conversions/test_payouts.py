"""What partners paid and owe: balances, ages, months, corrections, files, and the accountant's file."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from pypdf import PdfReader

from tests.support.accounting import Accounting, this_month
from tests.support.command import Person
from tests.support.policies import Shop

PAYOUTS = "/api/platform/payouts"
PDF = b"%PDF-1.7 paid in full"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def send(books: Accounting, path: str, body: Any, person: Person | None = None, **options: Any) -> httpx2.Response:
    answer = books.world.call("POST", f"{PAYOUTS}{path}", person or books.world.owner, json=body, **options)
    books.project()
    return answer


def pay(books: Accounting, shop: Shop, amount: int, **changes: Any) -> dict[str, Any]:
    body = {
        "websiteId": shop.site["id"], "partnerId": shop.partner["id"], "amount": {"amount": amount, "currency": "USD"},
        "paidOn": today(), "reference": "PAY-1", **changes,
    }  # fmt: skip
    answer = send(books, "", body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def balances(books: Accounting, shop: Shop) -> dict[str, Any]:
    found: dict[str, Any] = books.get(f"{PAYOUTS}/balances", websiteId=shop.site["id"]).json()
    return found


def earning(books: Accounting, count: int = 3, **terms: Any) -> Shop:
    shop = books.shop(**terms)
    sales = books.sales(shop, count)
    books.post("approve", {"ids": [str(one) for one in sales]})
    return shop


def test_owed_is_payable_less_paid_and_what_is_held_is_apart(books: Accounting) -> None:
    shop = earning(books)
    found = balances(books, shop)
    assert (found["payable"], found["held"], found["paid"], found["owed"], found["credit"]) == (3000, 0, 0, 3000, 0)
    assert found["aged"] == {"days0to30": 3000, "days31to60": 0, "days61to90": 0, "over90": 0}
    pay(books, shop, 1200)
    [partner] = balances(books, shop)["partners"]
    assert (partner["partnerName"], partner["paid"], partner["owed"]) == (shop.partner["name"], 1200, 1800)
    assert partner["months"] == [{"month": this_month(), "payable": 3000, "paid": 1200}]
    waiting = balances(books, earning(books, 2, holdDays=30))
    assert (waiting["payable"], waiting["held"], waiting["owed"]) == (0, 2000, 0)


def test_older_debts_are_aged_and_settled_first(books: Accounting) -> None:
    shop = earning(books)
    for number, days in enumerate((10, 45, 200)):
        books.world.postgres.execute(
            "UPDATE read.conversions__g1 SET payable_at = %s WHERE id = (SELECT id FROM read.conversions__g1"
            " WHERE website_id = %s ORDER BY id OFFSET %s LIMIT 1)",
            (datetime.now(UTC) - timedelta(days=days), shop.website_id, number),
        )
    assert list(balances(books, shop)["aged"].values()) == [1000, 1000, 0, 1000]
    pay(books, shop, 1500)
    assert list(balances(books, shop)["aged"].values()) == [1000, 500, 0, 0]
    month = (datetime.now(UTC) - timedelta(days=10)).strftime("%Y-%m")
    pay(books, shop, 300, allocations=[{"month": month, "amount": 300}])
    assert list(balances(books, shop)["aged"].values()) == [700, 500, 0, 0]


def test_too_much_is_a_credit_and_a_reversal_after_the_payment_too(books: Accounting) -> None:
    shop = earning(books, 2)
    pay(books, shop, 2500)
    assert [balances(books, shop)[name] for name in ("owed", "credit")] == [0, 500]
    rows = books.get("/api/platform/conversions", websiteId=shop.site["id"]).json()
    books.post(f"{rows[0]['id']}/reverse", {"reason": "refund"})
    assert [balances(books, shop)[name] for name in ("payable", "owed", "credit")] == [1000, 0, 1500]


def test_a_payout_is_corrected_and_voided_and_its_history_stays(books: Accounting) -> None:
    shop = earning(books)
    payout = pay(books, shop, 3000)
    body = {"amount": {"amount": 2000, "currency": "EUR"}, "paidOn": today(), "reference": "PAY-1b"}
    assert send(books, f"/{payout['id']}/correct", {**body, "reason": "x"}).json()["code"] == "credited_missing"
    fixed = send(books, f"/{payout['id']}/correct", {**body, "credited": 2160, "reason": "In euros"})
    assert fixed.json()["credited"] == {"amount": 2160, "currency": "USD"}
    assert balances(books, shop)["owed"] == 840
    [row] = books.get(PAYOUTS, websiteId=shop.site["id"]).json()
    assert (row["amount"], row["reason"], row["voidedAt"]) == ({"amount": 2000, "currency": "EUR"}, "In euros", None)
    assert send(books, f"/{payout['id']}/void", {"reason": "Bounced"}).status_code == 200
    assert balances(books, shop)["owed"] == 3000
    assert send(books, f"/{payout['id']}/correct", {**body, "credited": 1, "reason": "x"}).status_code == 409
    steps = books.get(f"{PAYOUTS}/{payout['id']}/steps").json()
    assert [step["name"] for step in steps] == ["payout.recorded", "payout.corrected", "payout.voided"]
    assert steps[0]["detail"]["facts"]["amount"] == {"amount": 3000, "currency": "USD"}


def test_a_payout_is_recorded_once_however_often_it_is_sent(books: Accounting) -> None:
    shop = earning(books)
    key = {"Idempotency-Key": f"pay-{uuid4()}"}
    body = {
        "websiteId": shop.site["id"], "partnerId": shop.partner["id"], "amount": {"amount": 100, "currency": "USD"},
        "paidOn": today(),
    }  # fmt: skip
    first, again = (send(books, "", body, headers=key) for _ in range(2))
    assert first.content == again.content
    assert balances(books, shop)["paid"] == 100


def test_payouts_page_by_day_without_gap_or_repeat(books: Accounting) -> None:
    shop = earning(books, 1)
    for number in range(7):
        pay(books, shop, 10 + number, paidOn=f"2026-0{1 + number % 3}-10")
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        after: dict[str, Any] = {"cursor": cursor} if cursor else {}
        page = books.get(PAYOUTS, websiteId=shop.site["id"], limit=2, **after)
        found += page.json()
        cursor = page.links["next"]["url"].split("cursor=")[1] if "next" in page.links else None
    assert len({row["id"] for row in found}) == 7
    assert [row["paidOn"] for row in found] == sorted((row["paidOn"] for row in found), reverse=True)
    wrong = books.get(
        PAYOUTS, websiteId=shop.site["id"], cursor="WyJ4IiwiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIl0"
    )
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "cursor")


def test_a_file_is_sealed_at_rest_and_only_for_its_account(books: Accounting) -> None:
    shop = earning(books, 1)
    payout = pay(books, shop, 100)

    def attach(content: bytes, person: Person | None = None) -> httpx2.Response:
        path = f"{PAYOUTS}/{payout['id']}/file"
        answer = books.world.call("POST", path, person or books.world.owner, content=content)
        books.project()
        return answer

    assert books.get(f"{PAYOUTS}/{payout['id']}/file").status_code == 404
    assert attach(b"<html>").json()["code"] == "unknown_type"
    assert attach(PDF, books.world.person()).status_code == 404
    assert attach(PDF).json()["hasFile"] is True
    file = books.get(f"{PAYOUTS}/{payout['id']}/file")
    assert (file.content, file.headers["Content-Type"]) == (PDF, "application/pdf")
    assert file.headers["Content-Disposition"] == 'attachment; filename="payout.pdf"'
    assert books.get(f"{PAYOUTS}/{payout['id']}/file", books.world.person()).status_code == 404
    [(sealed,)] = books.world.postgres.execute(
        "SELECT sealed FROM conversions.payout_file WHERE payout_id = %s", (payout["id"],)
    ).fetchall()
    assert "paid in full" not in sealed and len(sealed) > len(PDF)


def test_payouts_are_those_of_the_websites_owner(books: Accounting) -> None:
    shop, other = earning(books, 1), books.world.person()
    payout = pay(books, shop, 100)
    body = {
        "websiteId": shop.site["id"], "partnerId": shop.partner["id"], "amount": {"amount": 1, "currency": "USD"},
        "paidOn": today(),
    }  # fmt: skip
    assert send(books, "", body, other).status_code == 404
    assert send(books, f"/{payout['id']}/void", {"reason": "x"}, other).status_code == 404
    for path in ("", "/balances"):
        assert books.get(f"{PAYOUTS}{path}", other, websiteId=shop.site["id"]).status_code == 404
    for path in (f"/{payout['id']}", f"/{payout['id']}/steps"):
        assert books.get(f"{PAYOUTS}{path}", other).status_code == 404
    assert send(books, "", {**body, "partnerId": str(uuid4())}).status_code == 404


def test_one_file_has_the_statements_of_all_partners_with_what_was_paid(books: Accounting) -> None:
    shop = earning(books)
    pay(books, shop, 1250)
    month = this_month()
    path, place = "/api/platform/statements.csv", {"websiteId": shop.site["id"]}
    row, total = csv.DictReader(io.StringIO(books.get(path, **place, month=month).text))
    assert {name: row[name] for name in ("month", "partner", "currency", "approved", "payable", "paid", "open")} == {
        "month": month, "partner": shop.partner["name"], "currency": "USD", "approved": "30.00", "payable": "30.00",
        "paid": "12.50", "open": "17.50",
    }  # fmt: skip
    assert (row["line"], total["line"], total["open"]) == ("partner", "total", "17.50")
    before = f"{int(month[:4]) - 1}{month[4:]}"
    file = books.get(path, **place, month=before, until=month)
    assert f"statements-{before}-to-{month}.csv" in file.headers["Content-Disposition"]
    found = list(csv.DictReader(io.StringIO(file.text)))
    assert [(one["line"], one["month"]) for one in found] == [
        ("partner", month), ("total", month), ("total", f"{before} to {month}"),
    ]  # fmt: skip


def printed(books: Accounting, query: dict[str, Any]) -> str:
    """The text of the PDF."""
    file = books.get("/api/platform/statements.pdf", **query)
    assert file.headers["Content-Type"] == "application/pdf", file.text
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(file.content)).pages).split())


def test_an_empty_period_says_so_in_every_form(books: Accounting) -> None:
    shop = books.shop()
    books.project()
    query: dict[str, Any] = {"websiteId": shop.site["id"], "month": "2020-01", "until": "2020-03"}
    [note] = csv.DictReader(io.StringIO(books.get("/api/platform/statements.csv", **query).text))
    assert (note["line"], note["note"]) == ("note", "No bookings and no payouts in 2020-01 to 2020-03.")
    assert "No bookings and no payouts in 2020-01 to 2020-03." in printed(books, query)
    overview = books.get("/api/platform/accountant-file", **query).json()
    assert [(one["month"], one["totals"]) for one in overview["months"]] == [
        ("2020-01", []), ("2020-02", []), ("2020-03", []),
    ]  # fmt: skip


def test_several_websites_are_one_file_in_one_currency_and_what_lacks_a_rate_is_named(books: Accounting) -> None:
    """VUV has a rate, STN has none, USD is the wanted currency."""
    shops = [earning(books, 2), earning(books, 3), earning(books)]
    day = datetime.now(UTC).date()
    for shop, currency in zip(shops[:2], ("VUV", "STN"), strict=True):
        books.world.postgres.execute(
            "UPDATE read.websites__g1 SET currency = %s WHERE id = %s", (currency, shop.website_id)
        )
    books.world.postgres.execute(
        "INSERT INTO read.exchange_rates__g1 (base, quote, on_day, rate, recorded_at)"
        " VALUES ('VUV', 'USD', %s, %s, now()) ON CONFLICT DO NOTHING",
        (day - timedelta(days=40), "0.0083"),
    )
    query: dict[str, Any] = {
        "websiteId": ",".join(shop.site["id"] for shop in shops),
        "month": this_month(),
        "currency": "USD",
    }
    rows = list(csv.DictReader(io.StringIO(books.get("/api/platform/statements.csv", **query).text)))
    assert [(row["currency"], row["approved"]) for row in rows if row["line"] == "partner"] == [
        ("USD", "16.60"), ("STN", "30.00"), ("USD", "30.00"),
    ]  # fmt: skip
    assert [(row["currency"], row["approved"]) for row in rows if row["line"] == "total"] == [
        ("STN", "30.00"), ("USD", "46.60"),
    ]  # fmt: skip
    notes = [row["note"] for row in rows if row["note"]]
    assert notes[0].startswith("No exchange rate from STN to USD on "), notes
    assert notes[1].startswith("1 lines are in STN and not in the totals in USD: no exchange rate on "), notes
    [month] = books.get("/api/platform/accountant-file", **query).json()["months"]
    [lacking] = month["notConverted"]
    assert (lacking["lines"], lacking["earned"]) == (1, {"amount": 3000, "currency": "STN"})
    assert [(one["currency"], one["approved"], one["lines"]) for one in month["totals"]] == [
        ("STN", 3000, 1), ("USD", 4660, 2),
    ]  # fmt: skip
    text = printed(books, query)
    for part in ("46.60", "no exchange rate on", *(shop.partner["name"] for shop in shops)):
        assert part in text, part


def test_without_websites_the_file_has_all_of_the_account_and_nobody_else_s(books: Accounting) -> None:
    shop = earning(books)
    own = list(csv.DictReader(io.StringIO(books.get("/api/platform/statements.csv", month=this_month()).text)))
    assert shop.partner["name"] in {row["partner"] for row in own}
    stranger = books.world.person()
    empty = books.get("/api/platform/statements.csv", stranger, month=this_month()).text
    assert [row["line"] for row in csv.DictReader(io.StringIO(empty))] == ["note"]
    for path in ("statements.csv", "statements.pdf", "accountant-file"):
        refused = books.get(f"/api/platform/{path}", stranger, websiteId=shop.site["id"], month=this_month())
        assert refused.status_code == 404, path


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"month": "2026-13"}, "month"),
        ({"month": "2026-05", "until": "2026-04"}, "until"),
        ({"month": "2020-01", "until": "2026-01"}, "until"),
        ({"month": "2020-01", "currency": "XXX"}, "currency"),
        ({"month": "2020-01", "websiteId": "a,b"}, "websiteId"),
    ],
)
def test_odd_ranges_of_months_are_refused(books: Accounting, query: dict[str, Any], field: str) -> None:
    shop = books.shop()
    books.project()
    answer = books.get("/api/platform/statements.csv", **{"websiteId": shop.site["id"], **query})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
