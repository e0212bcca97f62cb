"""What waits for a decision and what is overdue, of all websites in one currency."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.support.accounting import Accounting

PATH = "/api/platform/open-items"


def test_pending_conversions_and_old_debts_of_all_websites_add_up(books: Accounting) -> None:
    shops = [books.shop(), books.shop()]
    books.sales(shops[0], 3)
    earned = books.sales(shops[1], 2)
    books.post("approve", {"ids": [str(one) for one in earned]})
    books.world.postgres.execute(
        "UPDATE read.conversions__g1 SET payable_at = %s WHERE id = %s",
        (datetime.now(UTC) - timedelta(days=45), earned[0]),
    )
    found = books.get(PATH, currency="USD").json()
    by_id = {one["websiteId"]: one for one in found["websites"]}
    waiting, owing = (by_id[shop.site["id"]] for shop in shops)
    assert (waiting["pending"], waiting["pendingAmount"]["amount"], waiting["owed"]["amount"]) == (3, 3000, 0)
    assert (owing["pending"], owing["owed"]["amount"], owing["overduePartners"]) == (0, 2000, 1)
    assert owing["overdue"] == {"amount": 1000, "currency": "USD"}
    balances = books.get("/api/platform/payouts/balances", websiteId=shops[1].site["id"]).json()
    assert balances["owed"] == owing["owed"]["amount"]
    assert found["pending"]["count"] == sum(one["pending"] for one in found["websites"])
    assert found["overdue"]["count"] == sum(one["overduePartners"] for one in found["websites"])
    for name, total in (("pendingAmount", "pending"), ("owed", "owed"), ("overdue", "overdue")):
        in_dollars = (one[name]["amount"] for one in found["websites"] if one[name]["currency"] == "USD")
        assert found[total]["amount"]["amount"] >= sum(in_dollars), name
    refused = {one["currency"] for one in found["pending"]["notConverted"]}
    assert "USD" not in refused


def test_what_has_no_rate_is_counted_apart(books: Accounting) -> None:
    shop = books.shop()
    books.sales(shop, 2)
    books.world.postgres.execute("UPDATE read.websites__g1 SET currency = 'SLE' WHERE id = %s", (shop.website_id,))
    found = books.get(PATH, currency="USD").json()["pending"]
    assert {"amount": 2000, "currency": "SLE"} in found["notConverted"]
    assert found["notConvertedCount"] >= 2


def test_a_stranger_sees_nothing(books: Accounting) -> None:
    books.sales(books.shop(), 1)
    found = books.get(PATH, books.world.person()).json()
    assert (found["websites"], found["pending"]["count"], found["owed"]["count"]) == ([], 0, 0)
