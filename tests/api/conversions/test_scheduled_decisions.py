"""Decisions that can be undone for ten seconds: what is final counts once, what is undone leaves no trace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2

from command_api.conversions import decision_handlers
from command_api.conversions.decision_handlers import SCHEDULED_DECISIONS
from command_api.kernel.process_manager import ProcessWorker
from tests.support.accounting import Accounting
from tests.support.command import Person
from tests.support.policies import Shop


def decide(books: Accounting, shop: Shop, person: Person | None = None, **body: Any) -> httpx2.Response:
    wanted = {"websiteId": shop.site["id"], "decision": "approve", **body}
    return books.post("decisions", wanted, person)


def final(books: Accounting) -> None:
    """Ten seconds pass."""
    later = datetime.now(UTC) + timedelta(seconds=11)
    ProcessWorker(books.world.core, [SCHEDULED_DECISIONS], now=lambda: later).run_once()
    books.project()


def shown(books: Accounting, conversion: UUID) -> dict[str, Any]:
    found: dict[str, Any] = books.get(f"/api/platform/conversions/{conversion}").json()
    return found


def events_of(books: Accounting, stream: UUID | str) -> int:
    return books.world.count("SELECT count(*) FROM events.stored_events WHERE originator_id = %s", stream)


def test_an_approval_is_named_with_its_sum_and_final_after_ten_seconds(books: Accounting) -> None:
    shop = books.shop()
    sales = books.sales(shop, 3)
    answer = decide(books, shop, ids=[str(one) for one in sales])
    assert answer.status_code == 201
    told = answer.json()
    assert (told["count"], told["commission"]) == (3, {"amount": 3000, "currency": "USD"})
    assert (told["refused"], told["more"]) == ([], False)
    waiting = shown(books, sales[0])
    assert (waiting["status"], waiting["decision"]["decision"]) == ("pending", "approve")
    assert waiting["decision"]["dueAt"] == told["dueAt"]
    assert books.statement(shop)["statements"] == []
    final(books)
    assert {(shown(books, one)["status"], shown(books, one)["decision"] is None) for one in sales} == {
        ("approved", True)
    }
    [statement] = books.statement(shop)["statements"]
    assert (statement["approved"]["amount"], statement["conversions"]) == (3000, 3)
    actors = books.world.postgres.execute(
        "SELECT DISTINCT actor_id FROM read.conversion_steps WHERE name = 'conversion.approved' AND website_id = %s",
        (shop.website_id,),
    ).fetchall()
    assert actors == [(books.world.owner.account_id,)]
    assert books.post(f"decisions/{told['id']}/undo", {}).json()["code"] == "already_final"


def test_an_undone_approval_leaves_no_trace_in_the_money(books: Accounting) -> None:
    shop = books.shop()
    [sale] = books.sales(shop, 1)
    before = events_of(books, sale)
    told = decide(books, shop, ids=[str(sale)]).json()
    undone = books.post(f"decisions/{told['id']}/undo", {})
    assert (undone.status_code, undone.json()["state"]) == (200, "undone")
    assert books.post(f"decisions/{told['id']}/undo", {}).status_code == 200
    final(books)
    assert events_of(books, sale) == before
    assert (shown(books, sale)["status"], shown(books, sale)["decision"]) == ("pending", None)
    assert books.world.count("SELECT count(*) FROM lookup.scheduled_item WHERE conversion_id = %s", sale) == 0
    assert books.world.count("SELECT count(*) FROM kernel.timeout WHERE id = %s", told["id"]) == 0


def test_the_decision_counts_once_however_often_its_timeout_comes(books: Accounting) -> None:
    shop = books.shop()
    [sale] = books.sales(shop, 1)
    told = decide(books, shop, ids=[str(sale)]).json()
    final(books)
    stored = events_of(books, sale), events_of(books, told["id"])
    books.world.postgres.execute(
        "INSERT INTO kernel.timeout (process, id, due_at) VALUES (%s, %s, now())", (decision_handlers.NAME, told["id"])
    )
    final(books)
    assert (events_of(books, sale), events_of(books, told["id"])) == stored
    assert books.world.count("SELECT count(*) FROM kernel.timeout WHERE id = %s", told["id"]) == 0


def test_a_lost_timeout_is_restored_so_that_every_decision_ends(books: Accounting) -> None:
    shop = books.shop()
    [sale] = books.sales(shop, 1)
    told = decide(books, shop, ids=[str(sale)]).json()
    books.world.postgres.execute("DELETE FROM kernel.timeout WHERE id = %s", (told["id"],))
    ProcessWorker(books.world.core, [SCHEDULED_DECISIONS]).restore(books.world.postgres)
    final(books)
    assert shown(books, sale)["status"] == "approved"


def test_what_changed_meanwhile_is_left_as_it_is(books: Accounting) -> None:
    shop = books.shop()
    gone, kept = books.sales(shop, 2)
    told = decide(books, shop, ids=[str(gone), str(kept)]).json()
    assert books.post(f"{gone}/reject", {"reason": "fraud"}).status_code == 200
    final(books)
    assert (shown(books, gone)["status"], shown(books, kept)["status"]) == ("rejected", "approved")
    ended = books.world.postgres.execute(
        "SELECT state, changed, failed FROM read.conversion_decisions WHERE id = %s", (told["id"],)
    ).fetchone()
    assert ended == ("applied", 1, 1)


def test_sales_without_a_click_are_approved_only_on_request(books: Accounting) -> None:
    shop = books.shop()
    [earning] = books.sales(shop, 1)
    lost = books.made.report(shop)
    books.made.decided(lost)
    books.project()
    ids = [str(earning), str(lost)]
    by_ids = decide(books, shop, ids=ids).json()
    assert [(one["id"], one["code"]) for one in by_ids["refused"]] == [(str(lost), "unattributed")]
    assert (by_ids["count"], by_ids["commission"]["amount"]) == (1, 1000)
    books.post(f"decisions/{by_ids['id']}/undo", {})
    by_filter = decide(books, shop, filter={"websiteId": shop.site["id"]}).json()
    assert (by_filter["count"], [one["code"] for one in by_filter["refused"]]) == (1, ["unattributed"])
    books.post(f"decisions/{by_filter['id']}/undo", {})
    every = decide(books, shop, ids=ids, unattributed=True).json()
    assert (every["count"], every["commission"]["amount"], every["refused"]) == (2, 1000, [])


def test_a_conversion_that_waits_is_not_decided_twice(books: Accounting) -> None:
    shop = books.shop()
    [sale] = books.sales(shop, 1)
    decide(books, shop, ids=[str(sale)])
    again = decide(books, shop, ids=[str(sale)], decision="reject", reason="fraud").json()
    assert (again["id"], again["count"]) == (None, 0)
    assert [one["code"] for one in again["refused"]] == ["decision_waiting"]


def test_a_rejection_needs_a_reason_and_says_what_it_loses(books: Accounting) -> None:
    shop = books.shop()
    [sale] = books.sales(shop, 1)
    assert decide(books, shop, ids=[str(sale)], decision="reject", reason=" ").json()["code"] == "bad_reason"
    told = decide(books, shop, ids=[str(sale)], decision="reject", reason="fraud").json()
    assert told["commission"] == {"amount": 1000, "currency": "USD"}
    final(books)
    assert (shown(books, sale)["status"], shown(books, sale)["reason"]) == ("rejected", "fraud")


def test_a_filter_decides_what_the_list_shows_page_after_page(books: Accounting) -> None:
    shop = books.shop()
    named = books.sales(shop, 2, coupon="SPRING")
    others = books.sales(shop, 2)
    known = shown(books, named[0])
    assert (known["coupon"], known["source"], known["subs"]) == ("SPRING", "news", {"sub1": "banner"})
    click = {"country": known["country"], "device": known["device"], "source": "news"}
    which = {"websiteId": shop.site["id"], "coupon": "SPRING", **click, "subs": {"sub1": "banner"}}
    assert decide(books, shop, filter={**which, "subs": {"sub1": "other"}}).json()["count"] == 0
    listed = books.get(
        "/api/platform/conversions", websiteId=shop.site["id"], coupon="SPRING", sub1="banner", **click
    ).json()
    assert {one["id"] for one in listed} == {str(one) for one in named}
    told = decide(books, shop, filter=which).json()
    assert (told["count"], told["more"]) == (2, False)
    assert told["last"] in {str(one) for one in named}
    rest = decide(books, shop, filter={**which, "after": told["last"]}).json()
    assert (rest["count"], rest["refused"]) == (0, [])
    final(books)
    assert {shown(books, one)["status"] for one in others} == {"pending"}


def test_decisions_are_those_of_the_websites_owner(books: Accounting) -> None:
    shop, other = books.shop(), books.world.person()
    [sale] = books.sales(shop, 1)
    assert decide(books, shop, other, ids=[str(sale)]).status_code == 404
    told = decide(books, shop, ids=[str(sale)]).json()
    assert books.post(f"decisions/{told['id']}/undo", {}, other).status_code == 404
    assert books.post(f"decisions/{uuid4()}/undo", {}).status_code == 404
    foreign = books.shop()
    mixed = decide(books, foreign, ids=[str(sale)]).json()
    assert [one["code"] for one in mixed["refused"]] == ["another_website"]
    assert decide(books, foreign, filter={"websiteId": shop.site["id"]}).status_code == 400
