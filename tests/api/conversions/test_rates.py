"""Sales and payouts in other currencies, whose rates are recorded later or never."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from command_api.conversions.claim_counts import claimed_click
from schemas.tracking import Refusal
from tests.support.policies import Policies
from tests.support.stack import wait_for


def test_a_report_that_awaits_a_rate_counts_once_other_reports_need_none(command_policies: Policies) -> None:
    """Without a rate of the sale's currency: the payout that the network names next needs none, in either order."""
    shop = command_policies.shop(currency="THB")
    sale, payout = {"amount": 500, "currency": "MYR"}, {"amount": 77, "currency": "THB"}
    click = command_policies.click(shop)
    conversion = command_policies.report(shop, txid="W-1", click_id=click, amount=sale)
    command_policies.caught_up()
    command_policies.report(shop, txid="W-1", amount=None, payout=payout, reported_by="postback")
    state = wait_for(
        lambda: (found := command_policies.state(conversion)) is not None and found.is_attributed and found,
        "the waiting report to be merged",
    )
    assert (state.commission, state.facts.amount.model_dump()) == (77, sale)


def test_another_currency_needs_a_rate_of_its_day(command_policies: Policies) -> None:
    shop = command_policies.shop(currency="ISK")
    sale = {"amount": 10_000, "currency": "CHF"}
    refused = command_policies.report(shop, click_id=command_policies.click(shop), amount=sale)
    world = command_policies.world
    sql = "SELECT count(*) FROM conversions.rejected_report WHERE conversion_id = %s AND code = 'currency_unknown'"
    wait_for(lambda: world.count(sql, refused) == 1, "the refusal")
    assert command_policies.state(refused) is None
    (record,) = [r for r in world.records("rejected") if r.key == shop.site["id"].encode()]
    refusal = Refusal.model_validate_json(record.value)
    assert (refusal.code, refusal.website_id, refusal.endpoint) == ("currency_unknown", shop.website_id, "/track/sale")
    record_rate(command_policies, "CHF", "ISK", "155.5")
    state = command_policies.decided(command_policies.report(shop, click_id=command_policies.click(shop), amount=sale))
    assert (state.commission, state.currency) == (1555, "ISK")


def record_rate(made: Policies, base: str, quote: str, rate: str) -> None:
    body = {"base": base, "quote": quote, "rate": rate, "on": "2020-01-01"}
    answer = made.world.call("POST", "/api/admin/exchange-rates", made.world.admin, json=body)
    assert answer.status_code == 201, answer.text


def test_a_refused_conversion_counts_once_its_rate_is_recorded(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop(currency="NOK")
    click = command_policies.click(shop)
    sale: dict[str, object] = {"amount": 10_000, "currency": "SEK"}
    conversion = command_policies.report(shop, txid="R-1", click_id=click, amount=sale)
    command_policies.report(shop, txid="R-1", status="approved", amount=None, reported_by="postback")
    back = command_policies.report(shop, txid="R-2", click_id=click, amount=sale)
    kept = "SELECT count(*) FROM conversions.awaiting_exchange_rate WHERE conversion_id = ANY(%s)"
    wait_for(lambda: world.count(kept, [conversion, back]) == 3, "all three to be kept")
    command_policies.caught_up()
    command_policies.report(shop, txid="R-2", status="rejected", amount=None, reported_by="postback")
    wait_for(lambda: world.count(kept, [conversion, back]) == 4, "the later one to wait behind")
    assert command_policies.state(conversion) is None and command_policies.state(back) is None
    record_rate(command_policies, "SEK", "NOK", "1.05")
    approved, rejected = command_policies.decided(conversion, version=2), command_policies.decided(back, version=2)
    assert (approved.status.value, approved.net_commission, approved.currency) == ("approved", 1050, "NOK")
    assert approved.facts.amount.model_dump() == sale
    assert (rejected.status.value, rejected.net_commission) == ("rejected", 0)
    wait_for(lambda: world.count(kept, [conversion, back]) == 0, "none to be kept")
    command_policies.report(shop, txid="R-1", click_id=click, amount=sale)
    command_policies.caught_up()
    names = ["conversion.recorded.v1", "conversion.report_merged.v1", "conversion.approved.v1"]
    assert world.events(conversion) == names


def test_sent_again_in_a_known_currency_a_refused_sale_counts_once(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop(currency="DKK")
    click = command_policies.click(shop)
    conversion = command_policies.report(shop, txid="R-3", click_id=click, amount={"amount": 500, "currency": "PLN"})
    known = {"amount": 900, "currency": "DKK"}
    command_policies.report(shop, txid="R-3", click_id=click, amount=known)
    assert command_policies.decided(conversion).commission == 90
    record_rate(command_policies, "PLN", "DKK", "1.7")
    # What was reported first stands, also if its currency had no rate then.
    state = command_policies.decided(conversion, version=4)
    assert (state.commission, state.facts.amount.currency) == (85, "PLN")
    assert world.events(conversion)[1:] == [
        "conversion.report_merged.v1",
        "conversion.withdrawn.v1",
        "conversion.restated.v1",
    ]


def test_a_claim_that_awaited_a_rate_and_is_too_large_is_listed_as_refused(command_policies: Policies) -> None:
    """With its rate it is above what the public key may claim: it counts once a report with a secret names it."""
    world, shop = command_policies.world, command_policies.shop(currency="MAD")
    limit = world.call(
        "PATCH", f"/api/platform/websites/{shop.site['id']}", world.owner, json={"maxClaimAmount": 1_000}
    )
    assert limit.status_code == 200, limit.text
    click = command_policies.click(shop)
    large, small = (
        command_policies.report_of(shop, click_id=click, key_kind="site", amount={"amount": amount, "currency": "TND"})
        for amount in (10_000, 100)
    )
    command_policies.publish([large, small])
    kept = "SELECT count(*) FROM conversions.awaiting_exchange_rate WHERE website_id = %s"
    wait_for(lambda: world.count(kept, shop.website_id) == 2, "both to wait")
    record_rate(command_policies, "TND", "MAD", "3.2")
    conversion = UUID(large["conversion_id"])
    state = command_policies.decided(UUID(small["conversion_id"]))
    assert (state.is_claim, state.currency) == (True, "MAD")
    wait_for(lambda: world.count(kept, shop.website_id) == 0, "none to wait")
    assert command_policies.state(conversion) is None
    refused = [Refusal.model_validate_json(r.value) for r in world.records("rejected")]
    codes = [each.code for each in refused if str(each.report_id) == large["report_id"]]
    assert codes == ["currency_unknown", "claim_too_large"], "its owner sees both in event delivery"
    row = "SELECT count(*) FROM conversions.rejected_report WHERE report_id = %s AND code = 'claim_too_large'"
    assert world.count(row, large["report_id"]) == 1
    counted = "SELECT claims FROM lookup.claim_count WHERE website_id = %s AND click_id = %s"
    assert world.count(counted, shop.website_id, claimed_click(shop.website_id, click)) == 1
    command_policies.report(shop, txid=large["txid"], amount=None, key_kind="secret", status="approved")
    assert command_policies.decided(conversion).is_attributed, "its trace is kept"


def test_a_missing_exchange_rate_blocks_no_other_conversion(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop(currency="HUF")
    click = command_policies.click(shop)
    never = command_policies.report(shop, click_id=click, amount={"amount": 500, "currency": "RON"})
    comes = command_policies.report(shop, click_id=click, amount={"amount": 500, "currency": "CZK"})
    later = "SELECT count(*) FROM kernel.timeout WHERE id = %s AND due_at > now() + interval '50 min'"
    wait_for(lambda: world.count(later, never) == world.count(later, comes) == 1, "both to be looked at again")
    record_rate(command_policies, "CZK", "HUF", "16")
    assert command_policies.decided(comes).currency == "HUF"
    assert command_policies.state(never) is None


def test_a_conversion_whose_click_came_waits_for_the_rate_of_its_payout(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop(currency="SGD")
    visitor = 2**63 + 777
    payout = {"amount": 1000, "currency": "AUD"}
    conversion = command_policies.report(shop, visitor=visitor, amount=None, payout=payout)
    assert not command_policies.decided(conversion).is_attributed
    command_policies.project_click(shop, timedelta(minutes=1), visitor=visitor)
    waits = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s AND needs_rate"
    wait_for(lambda: world.count(waits, conversion) == 1, "it to wait for a rate")
    past = "UPDATE conversions.pending_attribution SET until = now() WHERE conversion_id = %s"
    world.postgres.execute(past, (conversion,))
    postponed = "UPDATE kernel.timeout SET due_at = now() + interval '1 hour' WHERE process = %s AND id = %s"
    world.postgres.execute(postponed, (PENDING_ATTRIBUTION, conversion))
    record_rate(command_policies, "AUD", "SGD", "0.9")
    assert command_policies.decided(conversion, version=2).net_commission == 900
