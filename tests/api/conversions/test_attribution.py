"""From a report in topic `conversions` to a decision in topic `domain`, on real engines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from command_api.analytics.erasure import handlers as visitor_erasure
from command_api.conversions import attribution_process, claim_alarm, handlers, model, unread_alarm
from command_api.conversions.attribution import decision, visit_changes
from command_api.conversions.attribution.facts import Facts
from command_api.conversions.attribution.policy import AttributionPolicy
from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from command_api.conversions.claim_counts import claimed_click
from command_api.conversions.lookups import append_conversions, rename_claims
from command_api.kernel.decision import system_context
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.visitor_data.letters import find_letters
from infra.domain.visitor_data.person import Person
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.kernel.log import Record
from infra.kernel.log.sealed_texts import without_texts
from infra.ops.audit import sale_visits
from schemas.base import REGISTRY
from schemas.envelope import decode, position_of
from schemas.events.conversions import AttributedBy, ConversionApproved, ConversionRecorded
from schemas.events.websites import WebsiteUpdated
from schemas.identity import conversion_id
from schemas.topics import CLICKS
from schemas.tracking import NO_ID, ConversionReported, Refusal, log_time
from tests.support.policies import Policies, Shop, command_policies, policies, project
from tests.support.stack import wait_for

__all__ = ["command_policies"]


@pytest.fixture(autouse=True)
def _searches(command_policies: Policies) -> Iterator[None]:
    yield
    command_policies.put_off_searches()


def test_a_click_id_leads_to_click_partner_and_commission(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    visitor = command_policies.project_click(shop, click=click)
    state = command_policies.decided(command_policies.report(shop, click_id=click))
    found = state.facts.attribution
    assert found is not None
    assert (found.by, str(found.link_id), found.click_id) == (AttributedBy.CLICK_ID, shop.link["id"], click)
    assert (found.visitor, found.country, found.device, found.source) == (visitor, "IS", "mobile", "news")
    assert found.subs == {"sub1": "banner"}
    assert (state.commission, state.currency) == (1000, "USD")


def test_a_click_in_a_page_leads_to_the_partner_of_its_event_or_of_the_postback(command_policies: Policies) -> None:
    """The click id came with the page, one day before the click."""
    shop, clicked_at = command_policies.shop(), datetime.now(UTC) - timedelta(minutes=5)
    row: dict[str, Any] = {"link_id": str(NO_ID), "occurred_at": log_time(clicked_at), "placement": "Best shoes · 2"}
    for partner, hint in ((shop.partner["id"], {}), (str(NO_ID), {"partner_id": shop.partner["id"]})):
        click = command_policies.click(shop, timedelta(hours=24), is_in_page=True)
        command_policies.project_click(shop, click=click, **row, partner_id=partner)
        state = command_policies.decided(command_policies.report(shop, click_id=click, key_kind="postback", **hint))
        found = state.facts.attribution
        assert found is not None and (found.by, found.link_id, found.click_id) == (AttributedBy.CLICK_ID, None, click)
        assert str(found.partner_id) == shop.partner["id"] and abs(found.clicked_at - clicked_at).total_seconds() < 1
        assert found.visit is not None and found.visit.placement == "Best shoes · 2" and state.commission == 1000


def test_the_decision_is_in_topic_domain_as_it_was_stored(command_policies: Policies) -> None:
    shop = command_policies.shop()
    conversion = command_policies.report(shop, click_id=command_policies.click(shop))
    command_policies.decided(conversion)
    command_policies.relayed()
    records = command_policies.world.records("domain")
    positions = [position_of(record.headers) for record in records]
    assert positions == sorted(set(positions))
    (recorded,) = [record for record in records if record.key == str(conversion).encode()]
    event = decode(recorded.value, recorded.headers, command_policies.world.core.keyring).event
    assert isinstance(event, ConversionRecorded)
    assert event.change.commission_pending == 1000


def test_a_fresh_click_is_waited_for_but_not_for_long(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop, timedelta(seconds=1))
    state = command_policies.decided(command_policies.report(shop, click_id=click))
    assert state.facts.attribution is not None
    assert (state.facts.attribution.country, state.facts.attribution.visitor) == ("DE", 0)


def test_a_forged_click_id_leads_nowhere(command_policies: Policies) -> None:
    shop, other = command_policies.shop(), command_policies.shop()
    click = command_policies.click(shop)
    forged = click[:-1] + ("0" if click[-1] != "0" else "1")
    for reporter, text in ((shop, forged), (other, click), (shop, "short")):
        assert not command_policies.decided(command_policies.report(reporter, click_id=text)).is_attributed


def test_a_coupon_belongs_to_its_link(command_policies: Policies) -> None:
    shop = command_policies.shop()
    world = command_policies.world
    with_coupon = world.link(shop.site, shop.partner, coupon="spring")
    state = command_policies.decided(command_policies.report(shop, coupon=" Spring "))
    found = state.facts.attribution
    assert found is not None
    assert (found.by, str(found.link_id)) == (AttributedBy.COUPON, with_coupon["id"])
    earlier = log_time(datetime.now(UTC) - timedelta(hours=1))
    before = command_policies.decided(command_policies.report(shop, coupon="SPRING", occurred_at=earlier))
    assert not before.is_attributed


def test_the_last_click_of_a_visitor_or_the_first(command_policies: Policies) -> None:
    shop = command_policies.shop()
    visitor = command_policies.project_click(shop, timedelta(days=3), sub1="first")
    command_policies.project_click(shop, timedelta(days=1), visitor=visitor, sub1="last")
    command_policies.project_click(shop, timedelta(hours=1), visitor=visitor, sub1="robot", is_bot=True)
    command_policies.project_click(shop, timedelta(hours=1), visitor=visitor, sub1="page", type="pageview")
    last = command_policies.decided(command_policies.report(shop, visitor=visitor))
    path = f"/api/platform/websites/{shop.site['id']}"
    world = command_policies.world
    assert world.call("PATCH", path, world.owner, json={"attributionModel": "first_click"}).status_code == 200
    first = command_policies.decided(command_policies.report(shop, visitor=visitor))
    assert last.facts.attribution is not None and first.facts.attribution is not None
    assert last.facts.attribution.subs == {"sub1": "last"}
    assert first.facts.attribution.subs == {"sub1": "first"}


def test_a_click_that_names_a_private_partner_of_another_account_earns_nothing(command_policies: Policies) -> None:
    """Given clicks in the log that name private partners, then only the owner's own one lends its terms to a sale."""
    shop, world = command_policies.shop(), command_policies.world
    body = {"name": "Private", "baseUrl": "https://private.example/", "commission": 25}
    for person, earns in ((world.person(), False), (world.owner, True)):
        partner = world.call("POST", "/api/platform/partners", person, json=body).json()["id"]
        visitor = command_policies.project_click(shop, partner_id=partner, link_id=str(NO_ID))
        state = command_policies.decided(command_policies.report(shop, visitor=visitor))
        assert (state.is_attributed, state.net_commission) == (earns, 2_500 if earns else 0)


def test_a_conversion_before_its_click_counts_when_the_click_comes(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    visitor = 2**63 + 12345
    conversion = command_policies.report(shop, visitor=visitor)
    unattributed = command_policies.decided(conversion)
    assert not unattributed.is_attributed
    sql = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert command_policies.world.count(sql, conversion) == 1
    command_policies.project_click(shop, timedelta(minutes=1), visitor=visitor)
    state = command_policies.decided(conversion, version=2)
    assert state.is_attributed and state.net_commission == 1000
    # Another click of the visitor may still come late: it is looked for until none can come any more.
    assert world.count(sql, conversion) == 1
    world.postgres.execute(
        "UPDATE conversions.pending_attribution SET until = now() WHERE conversion_id = %s", (conversion,)
    )
    world.postgres.execute(
        "UPDATE kernel.timeout SET due_at = now() WHERE process = %s AND id = %s", (PENDING_ATTRIBUTION, conversion)
    )
    wait_for(lambda: world.count(sql, conversion) == 0, "it to wait no more")


def test_one_that_was_rejected_before_its_click_came_counts_as_rejected(command_policies: Policies) -> None:
    shop, visitor = command_policies.shop(), 2**63 + 54321
    conversion = command_policies.report(shop, visitor=visitor, status="rejected")
    assert not command_policies.decided(conversion, version=2).is_attributed
    command_policies.project_click(shop, timedelta(minutes=1), visitor=visitor)
    state = command_policies.decided(conversion, version=3)
    assert (state.is_attributed, model.contribution(state).rejected, state.net_commission) == (True, 1, 0)


def test_a_conversion_that_cannot_be_attributed_blocks_no_other(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, visitor = command_policies.shop(), 2**63 + 999

    def fail(case: decision.Case, state: model.Conversion) -> decision.Reattribution:
        if state.facts.txid == "BAD":
            raise ValueError("nobody thought of this")
        return decision.reattribute(case, state)

    def reject(uow: UnitOfWork, events: Sequence[Any], **others: Any) -> None:
        if any(event.facts.txid == "WORSE" for event in events):
            raise psycopg.DataError("numeric field overflow")
        append_conversions(uow, events, **others)

    monkeypatch.setattr(attribution_process, "reattribute", fail)
    monkeypatch.setattr(handlers, "append_conversions", reject)
    reports = [command_policies.report(shop, txid=txid, visitor=visitor) for txid in ("BAD", "WORSE", "GOOD")]
    for conversion in reports:
        command_policies.decided(conversion)
    command_policies.project_click(shop, timedelta(minutes=1), visitor=visitor)
    assert command_policies.decided(reports[2], version=2).is_attributed
    assert [command_policies.decided(conversion).version for conversion in reports[:2]] == [1, 1]


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


def test_a_sale_follows_the_visit_of_its_click(command_policies: Policies) -> None:
    """The sale is an hour old, so that its next search is minutes away; the page view that began the visit is late."""
    world, shop = command_policies.world, command_policies.shop()
    click = command_policies.click(shop, timedelta(hours=2))
    visitor = command_policies.project_click(shop, click=click)
    received = log_time(datetime.now(UTC) - timedelta(hours=1))
    conversion = command_policies.report(shop, click_id=click, status="approved", received_at=received)
    before = command_policies.decided(conversion, version=2)
    assert before.facts.attribution is not None and before.facts.attribution.source == "news"
    command_policies.relayed()
    project(world, "conversions")
    clients = ClientPool(command_policies.clickhouse, 1)
    with closing(clients):
        visit_changes.make_due(world.core, clients, world.postgres)  # the day as it is now
        resting = "SELECT count(*) FROM kernel.timeout WHERE id = %s AND due_at > now() + interval '5 min'"
        wait_for(lambda: world.count(resting, conversion) == 1, "the next search to be minutes away")
        page = {"type": "pageview", "link_id": str(NO_ID), "partner_id": str(NO_ID), "path": "/best"}
        ago = timedelta(hours=2, minutes=5)
        command_policies.project_click(shop, ago, visitor=visitor, source="newsletter", **page)

        def is_restated() -> bool:
            visit_changes.make_due(world.core, clients, world.postgres)
            return command_policies.decided(conversion).version >= 4

        wait_for(is_restated, "the sale to follow")
    after = command_policies.decided(conversion)
    found = after.facts.attribution
    assert found is not None and (found.source, found.visit.entry_page) == ("newsletter", "/best")
    assert (after.status, after.commission) == (before.status, before.commission)


def test_the_audit_sees_a_sale_that_did_not_follow_the_visit_of_its_click(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, shop = command_policies.world, command_policies.shop()
    click = command_policies.click(shop, timedelta(hours=2))
    visitor = command_policies.project_click(shop, click=click)
    conversion = command_policies.report(shop, click_id=click)
    command_policies.decided(conversion)
    monkeypatch.setattr(sale_visits, "PATIENCE_S", 0)

    def findings(*, is_projected: bool = True) -> list[str]:
        """Of this sale, with what both stores have of it by now, or had before."""
        if is_projected:
            command_policies.relayed()
            project(world, "conversions")
            command_policies.project_decisions()
        with Reader(command_policies.clickhouse) as clickhouse:
            report = sale_visits.audit_sale_visits(clickhouse, world.postgres)
        assert report.checked["visits of sales"]
        return [what for _, _, what in report.examples if str(conversion) in what]

    assert findings() == []
    ago, page = timedelta(hours=2, minutes=5), {"type": "pageview", "link_id": str(NO_ID), "partner_id": str(NO_ID)}
    command_policies.project_click(shop, ago, visitor=visitor, source="newsletter", **page)
    [found] = findings(is_projected=False)
    assert "'newsletter'" in found and "source in Postgres" in found
    command_policies.decided(conversion, version=3)
    assert findings() == []


def test_a_traffic_rule_moves_no_sale_that_has_a_click(command_policies: Policies) -> None:
    """Made and undone: neither the click that it excludes is lost, nor one that it calls genuine taken."""
    shop = command_policies.shop()
    visitor = command_policies.project_click(shop, timedelta(days=2), sub1="old")
    command_policies.project_click(shop, timedelta(days=1), visitor=visitor, sub1="last")
    command_policies.project_click(shop, timedelta(hours=1), visitor=visitor, sub1="robot", is_bot=True)
    conversion = command_policies.report(shop, visitor=visitor)
    before = command_policies.decided(conversion)
    assert before.facts.attribution is not None and before.facts.attribution.subs == {"sub1": "last"}
    for is_made in (True, False, True):
        command_policies.remark(visitor, "last", is_bot=is_made)
        command_policies.remark(visitor, "robot", is_bot=not is_made)
        command_policies.searched(conversion)
        assert command_policies.state(conversion) == before
    command_policies.project_click(shop, timedelta(minutes=30), visitor=visitor, sub1="late")
    after = command_policies.decided(conversion, version=3)
    assert after.facts.attribution is not None and after.facts.attribution.subs == {"sub1": "late"}


def test_a_rule_for_other_pages_of_the_visit_moves_the_source_of_a_sale_and_nothing_else(
    command_policies: Policies,
) -> None:
    """The sale is in the visit of its click, also once the rule is undone."""
    shop = command_policies.shop()
    page = {"type": "pageview", "link_id": str(NO_ID), "partner_id": str(NO_ID), "path": "/best", "sub1": "page"}
    visitor = command_policies.project_click(shop, timedelta(minutes=9), source="newsletter", **page)
    command_policies.project_click(shop, timedelta(minutes=5), visitor=visitor, source="news")
    conversion = command_policies.report(shop, visitor=visitor)
    before = command_policies.decided(conversion)

    def source_of(state: model.Conversion | None) -> str:
        assert state is not None and state.facts.attribution is not None
        return state.facts.attribution.source

    assert source_of(before) == "newsletter"
    for is_bot, source in ((True, "news"), (False, "newsletter")):
        command_policies.remark(visitor, "page", is_bot=is_bot)
        wait_for(lambda: source_of(command_policies.state(conversion)) == source, f"the source {source}")  # noqa: B023
        after = command_policies.state(conversion)
        assert after is not None and after.facts.attribution is not None and before.facts.attribution is not None
        kept = ("click_id", "link_id", "partner_id", "clicked_at", "terms", "visitor", "subs", "by")
        assert all(getattr(after.facts.attribution, name) == getattr(before.facts.attribution, name) for name in kept)
        assert (after.status, after.commission, after.net_commission, after.facts.amount) == (
            before.status,
            before.commission,
            before.net_commission,
            before.facts.amount,
        )


def test_a_sale_without_a_click_takes_one_that_a_rule_calls_genuine(command_policies: Policies) -> None:
    shop = command_policies.shop()
    visitor = command_policies.project_click(shop, sub1="robot", is_bot=True)
    conversion = command_policies.report(shop, visitor=visitor)
    assert not command_policies.decided(conversion).is_attributed
    command_policies.remark(visitor, "robot", is_bot=False)
    assert command_policies.decided(conversion, version=2).is_attributed


def test_a_decision_names_the_clicks_it_has_seen(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    conversion = command_policies.report(shop, click_id=command_policies.click(shop))
    command_policies.decided(conversion)
    command_policies.relayed()
    (recorded,) = [record for record in world.records("domain") if record.key == str(conversion).encode()]
    event = decode(recorded.value, recorded.headers, command_policies.world.core.keyring).event
    assert isinstance(event, ConversionRecorded)
    assert [place.partition for place in event.seen] == list(range(CLICKS.partitions))
    assert not event.provisional


def test_a_click_that_is_not_projected_yet_is_waited_for_and_then_taken_up_again(command_policies: Policies) -> None:
    """The projection stands still: the decision is provisional, and becomes what it would have been."""
    world, shop = command_policies.world, command_policies.shop()
    visitor = 2**63 + 4711
    command_policies.project_click(shop, timedelta(days=1), visitor=visitor, source="old")
    world.log.publish([Record("clicks", b"fresh", b"{}")]).result(15)
    conversion = command_policies.report(shop, visitor=visitor)
    first = command_policies.decided(conversion)
    assert first.facts.attribution is not None and first.facts.attribution.source == "old"
    command_policies.project_click(shop, timedelta(seconds=5), visitor=visitor, source="fresh")
    state = command_policies.decided(conversion, version=3)
    assert state.facts.attribution is not None and state.facts.attribution.source == "fresh"
    command_policies.relayed()
    records = [record for record in world.records("domain") if record.key == str(conversion).encode()]
    events = [decode(record.value, record.headers, world.core.keyring).event for record in records]
    assert isinstance(events[0], ConversionRecorded) and events[0].provisional


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


def test_a_poison_message_is_quarantined_and_the_next_one_decided(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    nobody = command_policies.report_of(shop, website_id=str(uuid4()))
    for value in (b"\xff", b"{}", json.dumps(nobody).encode()):
        command_policies.publish_raw(value)
    assert command_policies.decided(command_policies.report(shop, click_id=click)).is_attributed
    command_policies.caught_up()
    sql = "SELECT value FROM engine.dead_letter WHERE projection = 'policy:attribution' AND state = 'open'"
    values = [bytes(row[0]) for row in command_policies.world.postgres.execute(sql)]
    assert {b"\xff", b"{}", json.dumps(nobody).encode()} <= set(values)


def test_a_sale_in_a_dead_letter_counts_and_is_erased_when_it_is_retried(command_policies: Policies) -> None:
    """A report that only a newer version reads: the erasure is noted with it, and waits for the retry."""
    world, shop, visitor = command_policies.world, command_policies.shop(), 2**63 + 4711
    click, other = command_policies.click(shop), command_policies.shop()
    report = command_policies.report_of(shop, click_id=click, visitor=visitor, key_kind="secret")
    strange = {**command_policies.report_of(other, visitor=visitor), "newer": 1}
    for value in ({**report, "newer": 1}, strange):
        command_policies.publish_raw(json.dumps(value).encode())
    command_policies.caught_up()
    with closing(ClientPool(world.settings, 1)) as clients:
        stores = visitor_erasure.WriteSideStores(world.core, clients)
        [letter] = find_letters(stores, Person(shop.website_id, visitors=frozenset({visitor})), without_texts)
        [by_click] = find_letters(stores, Person(shop.website_id, click_ids=frozenset({click})), without_texts)
        assert by_click == letter
        assert find_letters(stores, Person(shop.website_id, visitors=frozenset({visitor + 1})), without_texts) == []
    with world.core.commands.unit_of_work(system_context()) as uow:
        visitor_erasure.note_on_letters(uow, uuid4(), [letter.id])
    readable = "UPDATE engine.dead_letter SET value = %s, retry_requested_at = now() WHERE id = %s"
    world.postgres.execute(readable, (json.dumps(report).encode(), letter.id))
    conversion = UUID(report["conversion_id"])
    state = command_policies.decided(conversion, version=2)
    assert (state.is_forgotten, state.is_attributed, state.commission) == (True, True, 1_000)
    assert click not in str(state)
    content = "SELECT state, value, headers FROM engine.dead_letter WHERE id = %s"
    assert world.postgres.execute(content, (letter.id,)).fetchone() == ("retried", b"", [])
    pending = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert world.count(pending, conversion) == 0


def test_a_nul_character_blocks_nothing(command_policies: Policies) -> None:
    shop = command_policies.shop()
    odd = command_policies.report(shop, visitor=77, coupon="A\x00B", subs={"sub1": "\x00"})
    assert not command_policies.decided(odd).is_attributed
    command_policies.publish_raw(b'{"report_id": "\\u0000"}')
    command_policies.caught_up()


def refusing(txid: str) -> Callable[..., Facts]:
    """Gathers facts, but Postgres refuses a value of the reports whose transaction ids begin with `txid`."""
    gathered = AttributionPolicy._gathered

    def refuse(policy: AttributionPolicy, gathering: Any, facts: Facts, reports: Sequence[ConversionReported]) -> Facts:
        if any(report.txid.startswith(txid) for report in reports):
            raise psycopg.DataError("invalid byte sequence")
        return gathered(policy, gathering, facts, reports)

    return refuse


def test_what_cannot_be_stored_is_found_in_its_batch(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = command_policies.shop()
    with monkeypatch.context() as patch:
        patch.setattr(AttributionPolicy, "_gathered", refusing("BAD"))
        txids = [f"{'BAD' if number == 3 else 'GOOD'}-{number}" for number in range(6)]
        reports = [command_policies.report_of(shop, txid=txid) for txid in txids]
        command_policies.publish(reports)
        command_policies.caught_up()
    assert [command_policies.state(UUID(report["conversion_id"])) is None for report in reports] == [
        txid.startswith("BAD") for txid in txids
    ]
    sql = "SELECT count(*) FROM engine.dead_letter WHERE reason = 'DataError'"
    assert command_policies.world.count(sql) == 1


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


def test_dead_letters_are_decided_again_when_asked(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    good = command_policies.report_of(shop, click_id=command_policies.click(shop))
    letters = {uuid4(): json.dumps(good).encode(), uuid4(): b"still bad"}
    for number, (letter, value) in enumerate(letters.items()):
        world.postgres.execute(
            'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value,'
            " retry_requested_at) VALUES (%s, 'policy:attribution', 0, 'conversions', 0, %s, 'tried', %s, now())",
            (letter, 10**9 + number, value),
        )
    command_policies.decided(UUID(good["conversion_id"]))
    sql = "SELECT id, state, attempts FROM engine.dead_letter WHERE id = ANY(%s) AND retry_requested_at IS NULL"

    def states() -> dict[UUID, tuple[str, int]]:
        found = world.postgres.execute(sql, (list(letters),)).fetchall()
        return {row[0]: (row[1], row[2]) for row in found} if len(found) == 2 else {}

    found = wait_for(states, "both letters")
    assert [found.get(letter) for letter in letters] == [("retried", 1), ("open", 2)]


def test_a_dead_letter_that_cannot_be_stored_blocks_no_other(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, shop = command_policies.world, command_policies.shop()
    monkeypatch.setattr(AttributionPolicy, "_gathered", refusing("UNSTORABLE"))
    bad, good = (command_policies.report_of(shop, txid=txid) for txid in ("UNSTORABLE", "STORABLE"))
    for number, report in enumerate((bad, good)):
        world.postgres.execute(
            'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value,'
            " retry_requested_at) VALUES (%s, 'policy:attribution', 0, 'conversions', 0, %s, 'tried', %s, now())",
            (report["report_id"], 2 * 10**9 + number, json.dumps(report).encode()),
        )
    command_policies.decided(UUID(good["conversion_id"]))
    open_still = "SELECT count(*) FROM engine.dead_letter WHERE id = %s AND state = 'open' AND attempts = 2"
    wait_for(lambda: world.count(open_still, bad["report_id"]) == 1, "the bad one to be put back")


def test_a_report_that_only_a_newer_version_can_decide_waits_for_it(
    embedded_postgres: Settings, embedded_clickhouse: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older version meets a website and a conversion that it cannot read, and a report with an unknown field."""
    letters = (
        "SELECT reason, state, count(*) FROM engine.dead_letter WHERE projection = 'policy:attribution'"
        " GROUP BY reason, state ORDER BY state"
    )
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as newer:
        known, changed = newer.shop(), newer.shop()
        later, good = newer.report_of(changed), newer.report_of(known)
        extended = {**newer.report_of(known), "of_a_newer_version": "x"}
        path, body = f"/api/platform/websites/{changed.website_id}", {"timezone": "Europe/Paris"}
        assert newer.world.call("PATCH", path, newer.world.owner, json=body).status_code == 200
        with newer.leading():
            approved = newer.report(known, click_id=newer.click(known), txid="approved")
            newer.decided(approved)
        path = f"/api/platform/conversions/{approved}/approve"
        assert newer.world.call("POST", path, newer.world.owner).status_code == 200
        returned = newer.report_of(known, txid="approved", coupon="SPRING")
        newer.publish([later, returned, extended, good])
        with monkeypatch.context() as older, newer.leading():
            for unknown in (WebsiteUpdated, ConversionApproved):
                older.delitem(REGISTRY, unknown.NAME)
            newer.caught_up()
        assert newer.world.postgres.execute(letters).fetchall() == [("newer_version", "open", 3)]
        assert newer.state(UUID(good["conversion_id"])) and not newer.state(UUID(later["conversion_id"]))
        with newer.leading():
            newer.decided(UUID(later["conversion_id"]))
            newer.decided(approved, version=3)
        left = newer.world.postgres.execute(letters).fetchall()
        assert left == [("newer_version", "open", 1), ("newer_version", "retried", 2)]


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
        " AND title LIKE 'Your postback URL has an unfilled placeholder%%'"
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
