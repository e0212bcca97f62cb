"""A sale without a click: why it has none, which clicks may have earned it, and what assigning one leads to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from projectors.rollups.conversion_rows import row_of
from schemas.click_id import event_id
from schemas.envelope import decode
from schemas.tracking import log_time
from tests.support.accounting import Accounting
from tests.support.policies import Shop
from tests.support.stack import wait_for


def unattributed(books: Accounting, shop: Shop, **changes: Any) -> UUID:
    """A sale of 100.00 USD without a click, decided and projected."""
    conversion = books.made.report(shop, **changes)
    books.made.decided(conversion)
    books.project()
    return conversion


def explained(books: Accounting, conversion: UUID) -> dict[str, Any]:
    answer = books.get(f"/api/platform/conversions/{conversion}/explain")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def a_click(books: Accounting, shop: Shop, ago: timedelta = timedelta(minutes=5), **row: Any) -> str:
    click = books.made.click(shop, ago)
    books.made.project_click(shop, click=click, **row)
    return click


def test_it_says_why_no_click_is_credited(books: Accounting) -> None:
    shop, other = books.shop(), books.shop()
    old, late = books.made.click(shop, timedelta(days=31)), books.made.click(shop, -timedelta(minutes=10))
    foreign, bot = books.made.click(other), a_click(books, shop, is_bot=1, bot_reason="headless")
    partner = {"partner_id": shop.partner["id"], "reported_by": "postback", "key_kind": "postback"}
    reasons = {  # a text that is no click id of the website is `unread` in the report that ingest accepts
        "no_click_id": unattributed(books, shop, **partner),
        "placeholder": unattributed(books, shop, unread={"click_id": "{click_id}"}),
        "unknown_click_id": unattributed(books, shop, unread={"click_id": "XYZ123"}),
        "other_website": unattributed(books, shop, unread={"click_id": foreign}),
        "outside_window": unattributed(books, shop, click_id=old),
        "click_after_sale": unattributed(books, shop, click_id=late),
        "bot_click": unattributed(books, shop, click_id=bot, key_kind="site"),
        "unknown_coupon": unattributed(books, shop, coupon=" spring "),
        "no_click_of_visitor": unattributed(books, shop, visitor=2**63 + 77),
    }
    found = {reason: explained(books, conversion)["missingClick"] for reason, conversion in reasons.items()}
    assert {reason: told["reason"] for reason, told in found.items()} == {reason: reason for reason in reasons}
    assert (found["no_click_id"]["partnerName"], found["no_click_id"]["partnerId"]) == (
        shop.partner["name"],
        shop.partner["id"],
    )
    assert (found["outside_window"]["windowDays"], found["outside_window"]["clickId"]) == (30, old)
    assert found["other_website"]["domain"] == other.site["domain"]
    assert found["unknown_coupon"]["coupon"] == "SPRING"
    assert found["no_click_of_visitor"]["searchedUntil"] is not None


def test_a_click_of_another_members_website_is_unknown(books: Accounting) -> None:
    shop, stranger = books.shop(), books.world.person()
    site = books.world.website(stranger)
    link = books.world.call(
        "POST", "/api/platform/links", stranger, json={"websiteId": site["id"], "partnerId": shop.partner["id"]}
    ).json()
    foreign = Shop(site, shop.partner, link)
    conversion = unattributed(books, shop, click_id=books.made.click(foreign))
    assert explained(books, conversion)["missingClick"]["reason"] == "unknown_click_id"
    for body in ({"clickId": books.made.click(foreign)}, {"linkId": link["id"]}):
        answer = books.post(f"{conversion}/assign", {**body, "reason": "mine"})
        assert answer.status_code == 400 and answer.json()["code"].startswith("unknown_")


def test_the_clicks_before_the_sale_are_offered_newest_first(books: Accounting) -> None:
    shop, other = books.shop(), books.shop()
    first, second = a_click(books, shop, timedelta(days=40), source="mail"), a_click(books, shop, source="news")
    a_click(books, shop, -timedelta(hours=1))
    a_click(books, shop, is_bot=1)
    a_click(books, other)
    conversion = unattributed(books, shop)
    path = f"/api/platform/conversions/{conversion}/clicks"
    found = books.get(path).json()
    assert [(click["clickId"], click["isWithinWindow"]) for click in found] == [(second, True), (first, False)]
    assert (found[0]["link"], found[0]["partnerName"]) == (shop.link["slug"], shop.partner["name"])
    for search in ("MAIL", first):
        assert [click["clickId"] for click in books.get(path, search=search).json()] == [first]
    assert len(books.get(path, search=shop.link["slug"]).json()) == 2
    assert books.get(path, search="100%").json() == []
    assert books.get(path, partnerId=other.partner["id"]).json() == []
    assert books.get(path, books.world.person()).status_code == 404


def test_a_click_offered_has_the_page_that_it_stood_on(books: Accounting) -> None:
    shop = books.shop()
    visitor = 2**63 + 99
    at = datetime.now(UTC) - timedelta(minutes=6)
    page: dict[str, Any] = {
        "hostname": "shop.example",
        "path": "/best-kettles",
        "occurred_at": log_time(at),
        "source": "search",
    }
    books.made.project_click(shop, visitor=visitor, type="pageview", link_id=None, **page)
    click = a_click(books, shop, visitor=visitor, origin="redirect", path="/go/x")
    conversion = unattributed(books, shop)
    [found] = books.get(f"/api/platform/conversions/{conversion}/clicks").json()
    assert (found["page"], found["source"]) == ("shop.example/best-kettles", "search")
    answer = books.post(f"{conversion}/assign", {"clickId": click, "reason": "The network confirmed it"})
    assert answer.status_code == 200, answer.text
    state = books.made.decided(conversion, 3)
    attribution = state.facts.attribution
    assert attribution is not None
    assert (attribution.visit.path, attribution.source) == ("/best-kettles", "search")


def test_no_timer_approves_an_assigned_sale_without_a_transaction_id(books: Accounting) -> None:
    shop = books.shop(autoApproveDays=7)
    click = a_click(books, shop)
    timed, uncertain = unattributed(books, shop), unattributed(books, shop, unread={"txid": "{transaction_id}"})
    for conversion in (timed, uncertain):
        answer = books.post(f"{conversion}/assign", {"clickId": click, "reason": "Named by the network"})
        assert answer.status_code == 200, answer.text
    found = "SELECT id, approves_at IS NULL FROM read.conversions WHERE id = ANY(%s)"
    rows = books.world.postgres.execute(found, ([timed, uncertain],)).fetchall()
    assert dict(rows) == {timed: False, uncertain: True}


def test_an_assigned_sale_earns_counts_once_and_says_who_and_why(books: Accounting) -> None:
    shop = books.shop()
    click = a_click(books, shop)
    conversion = unattributed(books, shop)
    key = {"Idempotency-Key": "assign-1"}
    body = {"clickId": click, "reason": " Named by the network "}
    first = books.post(f"{conversion}/assign", body, headers=key)
    assert first.status_code == 200, first.text
    assert (first.json()["commission"]["amount"], first.json()["attribution"]) == (1000, "manual")
    assert books.post(f"{conversion}/assign", body, headers=key).content == first.content
    assert books.post(f"{conversion}/assign", body).status_code == 200
    assert books.world.events(conversion) == [
        "conversion.recorded.v1",
        "conversion.assigned.v1",
        "conversion.attributed.v1",
    ]
    told = explained(books, conversion)
    assert told["missingClick"] is None
    assert (told["assignment"]["by"], told["assignment"]["reason"]) == ("you", "Named by the network")
    assert (told["click"]["by"], told["click"]["clickId"]) == ("manual", click)
    assert told["working"]["agrees"] is True
    assert [step["by"] for step in told["events"]] == ["system", "you", "you"]
    records = [record for record in books.world.records("domain") if record.key == str(conversion).encode()]
    rows = [
        row
        for record in records
        if (row := row_of(decode(record.value, record.headers, books.world.core.keyring).event)) is not None
    ]
    assert [(row["d_pending"], row["c_pending"], row["click_id"], row["source"]) for row in rows] == [
        (1, 1000, click, "news")
    ]
    entry = books.world.postgres.execute(
        "SELECT details FROM kernel.audit WHERE action = 'conversion.assigned' AND subject_id = %s", (conversion,)
    ).fetchall()
    assert len(entry) == 1 and entry[0][0]["reason"] == "Named by the network"


def test_a_link_alone_earns_it_and_its_search_ends(books: Accounting) -> None:
    shop = books.shop(percent=20)
    visitor = 2**63 + 1234
    conversion = unattributed(books, shop, visitor=visitor)
    answer = books.post(f"{conversion}/assign", {"linkId": shop.link["id"], "reason": "Told by phone"})
    assert (answer.status_code, answer.json()["commission"]["amount"], answer.json()["clickId"]) == (200, 2000, None)
    sql = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert books.world.count(sql, conversion) == 0
    books.made.project_click(shop, visitor=visitor)
    txid = books.get(f"/api/platform/conversions/{conversion}").json()["txid"]
    more = {"amount": {"amount": 20_000, "currency": "USD"}, "key_kind": "secret", "visitor": visitor}
    later = books.made.report(shop, txid=txid, **more)
    assert later == conversion
    books.made.caught_up()
    state = books.made.state(conversion)
    assert state is not None and state.is_assigned


def test_details_of_a_click_that_is_projected_later_are_added(books: Accounting) -> None:
    shop = books.shop()
    click = books.made.click(shop)
    conversion = unattributed(books, shop)
    assert books.post(f"{conversion}/assign", {"clickId": click, "reason": "x"}).json()["clickId"] == click
    books.made.project_click(shop, click=click, event_id=str(event_id(click)), source="late")

    def is_complete() -> bool:
        state = books.made.state(conversion)
        assert state is not None and state.facts.attribution is not None
        return state.facts.attribution.source == "late"

    wait_for(is_complete, "the click's details")
    state = books.made.state(conversion)
    assert state is not None and (state.is_assigned, state.commission) == (True, 1000)


def test_what_cannot_be_assigned_is_refused_with_its_reason(books: Accounting) -> None:
    shop, other = books.shop(), books.shop()
    click, late = a_click(books, shop), books.made.click(shop, -timedelta(minutes=10))
    conversion = unattributed(books, shop)

    def refused(body: dict[str, Any], of: UUID = conversion) -> tuple[int, str, list[str]]:
        answer = books.post(f"{of}/assign", {"reason": "x", **body})
        told = answer.json()
        return answer.status_code, told["code"], [error["field"] for error in told.get("errors", [])]

    assert refused({"clickId": "nonsense"}) == (400, "unknown_click", ["clickId"])
    assert refused({"clickId": books.made.click(other)}) == (400, "click_of_another_website", ["clickId"])
    assert refused({"clickId": late}) == (400, "click_after_sale", ["clickId"])
    assert refused({"linkId": other.link["id"]}) == (400, "link_of_another_website", ["linkId"])
    assert refused({"clickId": click, "reason": " "}) == (400, "bad_reason", ["reason"])
    for body in ({}, {"clickId": click, "linkId": shop.link["id"]}, {"clickId": "x" * 65}, {"clickId": 1}):
        assert refused(body)[0] == 400
    [counted] = books.sales(shop, 1)
    assert refused({"clickId": click}, counted)[:2] == (409, "already_attributed")
    gone = unattributed(books, shop)
    assert books.post(f"{gone}/reverse", {"reason": "sent back"}).status_code == 200
    assert refused({"clickId": click}, gone)[:2] == (409, "already_reversed")
    stranger = books.world.person()
    answer = books.post(f"{conversion}/assign", {"clickId": click, "reason": "mine"}, stranger)
    assert answer.status_code == 404
    assert books.world.events(conversion) == ["conversion.recorded.v1"]
