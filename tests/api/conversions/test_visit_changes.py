"""Sales follow the visits of their clicks, which rules about traffic change."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from command_api.conversions import model
from command_api.conversions.attribution import visit_changes
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit import sale_visits
from schemas.tracking import NO_ID, log_time
from tests.support.policies import Policies, project
from tests.support.stack import wait_for


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
