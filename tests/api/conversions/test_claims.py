"""Claims: sales that only the public site key reports."""

from __future__ import annotations

from uuid import UUID

import pytest

from command_api.conversions import claim_alarm
from command_api.conversions.claim_counts import claimed_click
from command_api.conversions.lookups import rename_claims
from tests.support.policies import Policies
from tests.support.stack import wait_for


@pytest.mark.parametrize("claim_first", [True, False])
def test_a_refused_claim_keeps_its_trace(command_policies: Policies, *, claim_first: bool) -> None:
    """In one batch and in two: what is refused is kept in the transaction of its refusal."""
    shop = command_policies.shop()
    large: dict[str, object] = {"amount": 600_000, "currency": "USD"}
    for is_one_batch in (True, False):
        txid = f"L-{is_one_batch}"
        claim = command_policies.report_of(
            shop, txid=txid, click_id=command_policies.click(shop), amount=large, key_kind="site"
        )
        server = command_policies.report_of(shop, txid=txid, amount=large, key_kind="secret")
        reports = [claim, server] if claim_first else [server, claim]
        for batch in [reports] if is_one_batch else [[one] for one in reports]:
            command_policies.publish(batch)
            command_policies.caught_up()
        state = command_policies.state(UUID(claim["conversion_id"]))
        assert state is not None and (state.is_attributed, state.commission) == (True, 60_000)


def test_a_shops_report_replaces_a_claim(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    stolen = {"amount": 40_000, "currency": "USD"}
    conversion = command_policies.report(shop, txid="A-3", click_id=click, amount=stolen, key_kind="site")
    claim = command_policies.decided(conversion)
    assert (claim.is_claim, claim.commission) == (True, 4_000)
    command_policies.report(shop, txid="A-3", key_kind="secret")
    state = command_policies.decided(conversion, version=4)
    assert (state.is_claim, state.facts.amount.amount, state.commission) == (False, 10_000, 1_000)
    assert command_policies.world.events(conversion) == [
        "conversion.recorded.v1",
        "conversion.report_merged.v1",
        "conversion.withdrawn.v1",
        "conversion.restated.v1",
    ]


def test_claims_of_one_click_are_bounded_in_a_batch(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    click = command_policies.click(shop)
    reports = [command_policies.report_of(shop, click_id=click, key_kind="site") for _ in range(12)]
    command_policies.publish(reports)
    command_policies.caught_up()
    kept = [one for one in reports if command_policies.state(UUID(one["conversion_id"])) is not None]
    assert len(kept) == 5
    sql = "SELECT count(*) FROM conversions.rejected_report WHERE website_id = %s AND code = 'too_many_claims'"
    assert world.count(sql, shop.website_id) == 7


def test_claims_are_counted_without_their_click_ids(command_policies: Policies) -> None:
    """Also those that a service of the version before has counted while both run."""
    world, shop = command_policies.world, command_policies.shop()
    click = command_policies.click(shop)
    reports = [command_policies.report_of(shop, click_id=click, key_kind="site") for _ in range(4)]
    command_policies.publish(reports)
    command_policies.caught_up()
    held = "SELECT click_id, sum(claims)::int FROM lookup.claim_count WHERE website_id = %s GROUP BY click_id"
    pseudonym = claimed_click(shop.website_id, click)
    counted = {"": 4, pseudonym: 4}
    assert dict(world.postgres.execute(held, (shop.website_id,)).fetchall()) == counted
    assert click not in counted
    before = "INSERT INTO lookup.claim_count SELECT website_id, %s, hour, 1 FROM lookup.claim_count WHERE click_id = %s"
    world.postgres.execute(before, (click, pseudonym))
    command_policies.publish([command_policies.report_of(shop, click_id=click, key_kind="site")])
    command_policies.caught_up()
    rename_claims(world.postgres)
    assert dict(world.postgres.execute(held, (shop.website_id,)).fetchall()) == {"": 5, pseudonym: 6}
    world.postgres.execute("UPDATE lookup.claim_count SET claims = claims - 1 WHERE click_id = %s", (pseudonym,))


def test_an_unusual_rate_of_claims_raises_one_alarm_a_day(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    reports = [
        command_policies.report_of(shop, click_id=command_policies.click(shop), key_kind="site") for _ in range(20)
    ]
    command_policies.publish(reports[:19])
    command_policies.caught_up()
    assert claim_alarm.raise_due(world.core, world.postgres) == 0
    command_policies.publish(reports[19:])
    command_policies.caught_up()
    claim_alarm.raise_due(world.core, world.postgres)  # the service's own may have been first
    assert claim_alarm.raise_due(world.core, world.postgres) == 0
    raised = world.count(
        "SELECT count(*) FROM events.stored_events WHERE topic = 'website.claims_unusual.v1'"
        " AND convert_from(state, 'UTF8')::jsonb ->> 'website_id' = %s",
        shop.site["id"],
    )
    assert raised == 1
    told = "SELECT count(*) FROM notifications.notification WHERE kind = 'claims' AND account_id = %s"
    wait_for(lambda: world.count(told, world.owner.account_id) >= 1, "the owner to be notified")
