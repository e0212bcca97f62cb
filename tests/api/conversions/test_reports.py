"""Several reports of one sale: one conversion, whichever way and however often it is reported."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from command_api.conversions import model, unread_alarm
from schemas.identity import conversion_id
from tests.support.policies import Policies, Shop
from tests.support.stack import wait_for


def test_reported_twice_by_different_ways_it_is_one_sale(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    conversion = command_policies.report(shop, txid="A-1")
    command_policies.decided(conversion)
    command_policies.report(shop, txid="A-1", click_id=click, reported_by="postback")
    state = command_policies.decided(conversion, version=2)
    assert state.is_attributed
    command_policies.report(shop, txid="A-1", amount={"amount": 1, "currency": "USD"}, reported_by="postback")
    state = command_policies.decided(conversion, version=4)
    command_policies.report(shop, txid="A-1")
    command_policies.caught_up()
    assert command_policies.world.events(conversion) == [
        "conversion.recorded.v1",
        "conversion.report_merged.v1",
        "conversion.attributed.v1",
        "conversion.report_conflicted.v1",
    ]
    assert state.facts.amount.amount == 10_000


def test_a_reversal_by_the_networks_own_amount_takes_everything_back(command_policies: Policies) -> None:
    shop = command_policies.shop()
    visitor = command_policies.project_click(shop)
    conversion = command_policies.report(shop, txid="A-2")
    command_policies.decided(conversion)
    other = {"amount": 9_500, "currency": "USD"}
    command_policies.report(shop, txid="A-2", amount=other, status="reversed", visitor=visitor, reported_by="postback")
    state = command_policies.decided(conversion, version=4)
    assert (state.status.value, state.reversed_amount, state.net_commission) == ("reversed", 10_000, 0)
    assert command_policies.world.events(conversion) == [
        "conversion.recorded.v1",
        "conversion.report_conflicted.v1",
        "conversion.attributed.v1",
        "conversion.reversed.v1",
    ]


def test_a_part_of_the_networks_own_amount_takes_that_part_back(command_policies: Policies) -> None:
    shop = command_policies.shop()
    conversion = command_policies.report(shop, txid="A-4", click_id=command_policies.click(shop))
    own, part = {"amount": 9_500, "currency": "USD"}, {"amount": 1_900, "currency": "USD"}
    command_policies.report(shop, txid="A-4", amount=own, status="approved", reported_by="postback")
    command_policies.report(shop, txid="A-4", amount=part, status="reversed", reported_by="postback")
    state = command_policies.decided(conversion, version=5)
    assert (state.status.value, state.reversed_amount, state.net_commission) == ("approved", 2_000, 800)


def test_a_status_of_an_unknown_sale_records_it_first(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    approved = command_policies.decided(command_policies.report(shop, click_id=click, status="approved"), version=2)
    assert (approved.status.value, approved.net_commission) == ("approved", 1000)
    later = command_policies.report(shop, click_id=click, txid="B-1", status="hold")
    command_policies.report(shop, click_id=click, txid="B-1", status="rejected", amount=None)
    assert command_policies.decided(later, version=2).status.value == "rejected"


def test_a_report_may_contain_the_payout_alone(command_policies: Policies) -> None:
    shop = command_policies.shop()
    payout = {"amount": 1234, "currency": "USD"}
    conversion = command_policies.report(shop, click_id=command_policies.click(shop), amount=None, payout=payout)
    state = command_policies.decided(conversion)
    assert (state.commission, state.facts.amount.amount) == (1234, 0)


def test_the_same_sale_from_64_threads_is_one_conversion(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    reports = [command_policies.report_of(shop, txid="RACE", click_id=click) for _ in range(64)]
    with ThreadPoolExecutor(64) as threads:
        list(threads.map(lambda report: command_policies.publish([report]), reports))
    command_policies.caught_up()
    conversion = UUID(reports[0]["conversion_id"])
    first, *others = command_policies.world.events(conversion)
    # A report that was received before the one that came first in the log may still be merged; it says the same.
    assert first == "conversion.recorded.v1" and set(others) <= {"conversion.report_merged.v1"}
    state = command_policies.decided(conversion)
    assert (state.commission, model.contribution(state).pending) == (1000, 1)


def test_the_owner_approves_and_takes_back(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    conversion = command_policies.report(shop, click_id=command_policies.click(shop), txid="C-1")
    command_policies.decided(conversion)
    path = f"/api/platform/conversions/{conversion}"
    stranger = world.person()
    for action, body in (("approve", {}), ("reject", {"reason": "x"}), ("reverse", {"reason": "x"})):
        assert world.call("POST", f"{path}/{action}", stranger, json=body).status_code == 404
    approved = world.call("POST", f"{path}/approve", world.owner)
    assert approved.status_code == 200, approved.text
    assert approved.json()["status"] == "approved"
    assert approved.json()["commission"] == {"amount": 1000, "currency": "USD"}
    assert approved.json()["partnerName"] == shop.partner["name"]
    returned = {"reason": "one item returned", "amount": 2500}
    part = world.call("POST", f"{path}/reverse", world.owner, json=returned, headers={"Idempotency-Key": "r1"})
    again = world.call("POST", f"{path}/reverse", world.owner, json=returned, headers={"Idempotency-Key": "r1"})
    assert part.json() == again.json()
    assert (part.json()["status"], part.json()["commission"]["amount"]) == ("approved", 750)
    assert part.json()["reversed"] == {"amount": 2500, "currency": "USD"}
    too_much = world.call("POST", f"{path}/reverse", world.owner, json={"reason": "x", "amount": 7501})
    assert (too_much.status_code, too_much.json()["code"]) == (400, "bad_amount")
    whole = world.call("POST", f"{path}/reverse", world.owner, json={"reason": "the rest"})
    assert (whole.json()["status"], whole.json()["commission"]["amount"]) == ("reversed", 0)
    late = world.call("POST", f"{path}/approve", world.owner, json={})
    assert (late.status_code, late.json()["code"]) == (409, "already_reversed")


def scoped(made: Policies, shop: Shop, click: str = "", **said: Any) -> dict[str, Any]:
    """A postback of a network whose transaction ids are unique within a click."""
    identity = conversion_id(shop.website_id, "sale", said["txid"], click_id=click)
    told = {"reported_by": "postback", "key_kind": "postback", "txid_scope": "click", "click_id": click, "amount": None}
    return made.report_of(shop, **told, conversion_id=str(identity), **said)


def test_one_transaction_id_of_three_clicks_pays_three_times_and_what_was_reported_before_pays_once(
    command_policies: Policies,
) -> None:
    made = command_policies
    shop, txid = made.shop(), uuid4().hex
    clicks = [made.click(shop, timedelta(minutes=minutes)) for minutes in (5, 6, 7)]
    before = made.report(shop, txid=txid, click_id=clicks[0], key_kind="postback", reported_by="postback", amount=None,
                         payout={"amount": 2_000, "currency": "USD"})  # fmt: skip
    made.decided(before)
    payouts = [{"amount": amount, "currency": "USD"} for amount in (2_000, 3_500, 2_000)]
    reports = [scoped(made, shop, click, txid=txid, payout=paid) for click, paid in zip(clicks, payouts, strict=True)]
    made.publish([*reports, *reports])
    made.caught_up()
    assert made.state(UUID(reports[0]["conversion_id"])) is None, "it is the sale from before the scope changed"
    states = [made.decided(one) for one in (before, *(UUID(report["conversion_id"]) for report in reports[1:]))]
    assert [state.commission for state in states] == [2_000, 3_500, 2_000]
    made.publish([scoped(made, shop, clicks[1], txid=txid, status="approved")])
    made.caught_up()
    assert [made.decided(state.id).status.value for state in states] == ["pending", "approved", "pending"]


def test_a_status_without_a_click_is_about_the_only_sale_and_refused_where_there_are_several(
    command_policies: Policies,
) -> None:
    made, world = command_policies, command_policies.world
    shop, txid = made.shop(), uuid4().hex
    first = scoped(made, shop, made.click(shop), txid=txid, payout={"amount": 500, "currency": "USD"})
    made.publish([first, scoped(made, shop, txid=txid, status="approved")])
    made.caught_up()
    assert made.decided(UUID(first["conversion_id"])).status.value == "approved"
    second = made.click(shop, timedelta(minutes=9))
    unclear = scoped(made, shop, txid=txid, status="rejected")
    made.publish([scoped(made, shop, second, txid=txid, payout={"amount": 7, "currency": "USD"}), unclear])
    made.caught_up()
    assert made.decided(UUID(first["conversion_id"])).status.value == "approved"
    told = "SELECT count(*) FROM conversions.rejected_report WHERE report_id = %s AND code = 'ambiguous_txid'"
    assert world.count(told, unclear["report_id"]) == 1


def test_values_that_cannot_be_read_are_corrected_and_their_owner_is_notified_once(
    command_policies: Policies,
) -> None:
    made, world = command_policies, command_policies.world
    shop = made.shop()
    unread = {"txid": "{transaction_id}", "amount": "1,234", "status": "Rebill"}
    by_network = {"key_kind": "postback", "reported_by": "postback", "amount": None}
    sent = made.report_of(shop, click_id=made.click(shop), unread=unread, **by_network)
    made.publish([sent])
    conversion = UUID(sent["conversion_id"])
    assert made.decided(conversion).merged.unread == ("amount", "status", "txid")
    unread_alarm.raise_due(world.core, world.postgres)  # the service's own may have been first
    assert unread_alarm.raise_due(world.core, world.postgres) == 0
    raised = (
        "SELECT count(*) FROM events.stored_events WHERE topic = 'website.reports_unread.v1'"
        " AND convert_from(state, 'UTF8')::jsonb ->> 'website_id' = %s"
    )
    assert world.count(raised, shop.site["id"]) == 3
    told = (
        "SELECT count(*) FROM notifications.notification WHERE kind = 'unread' AND account_id = %s"
        " AND title LIKE 'The postback URL of %% has an unfilled placeholder%%'"
    )
    wait_for(lambda: world.count(told, world.owner.account_id) >= 1, "the owner to be notified")
    path = f"/api/platform/conversions/{conversion}"
    body = {"amount": {"amount": 123_400, "currency": "USD"}}
    stranger = world.person()
    for action, says in ((f"reports/{sent['report_id']}/correct", body), ("read-again", {"preset": "keitaro"})):
        assert world.call("POST", f"{path}/{action}", stranger, json=says).status_code == 404
        answer = world.call("POST", f"{path}/{action}", world.owner, json=says)
        assert answer.status_code == 200, answer.text
    assert (answer.json()["status"], answer.json()["commission"]) == ("approved", {"amount": 12_340, "currency": "USD"})
    assert made.decided(conversion).merged.unread == ("txid",)
