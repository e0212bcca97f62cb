"""How long single events are kept: the owner decides by the API, a job applies it by events, and no click expires that
a sale may still name."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Event
from uuid import UUID

from command_api.conversions.event_expiry import expire_due
from command_api.kernel.decision import CommandContext, system_context
from command_api.websites import model
from infra.domain.retention import expired_before
from infra.kernel.clickhouse.client import ClientPool
from schemas.zones import ZoneInfo
from tests.support.policies import Policies, Shop, project

UTC_ZONE = ZoneInfo("UTC")


def keep(policies: Policies, shop: Shop, months: int, ago: timedelta) -> None:
    """The owner's decision of that time."""
    at = datetime.now(UTC) - ago
    with policies.world.core.commands.unit_of_work(system_context(at)) as uow:
        website = uow.load(shop.website_id, model.evolve)
        assert website is not None
        uow.append(*model.change_retention(website, months, CommandContext(at, website.account_id)))
    policies.relayed()
    project(policies.world, "retention")


def expire(policies: Policies) -> int:
    with closing(ClientPool(policies.clickhouse, 1)) as clients:
        return expire_due(policies.world.core, clients, policies.world.postgres, Event())


def state(policies: Policies, website_id: UUID) -> model.Website:
    found = policies.world.core.load(website_id, model.evolve)
    assert found is not None
    return found


def test_an_owner_changes_how_long_events_are_kept(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    path = f"/api/platform/websites/{shop.website_id}/retention"
    for refused in ({"rawMonths": 0}, {"rawMonths": 61}, {}):
        assert world.call("PUT", path, world.owner, json=refused).status_code in (400, 422), refused
    assert world.call("PUT", path, world.person(), json={"rawMonths": 6}).status_code == 404
    answer = world.call("PUT", path, world.owner, json={"rawMonths": 6})
    assert answer.status_code == 200 and answer.json()["rawMonths"] == 6
    applies_from = datetime.fromisoformat(answer.json()["retentionAppliesFrom"])
    assert timedelta(hours=23, minutes=59) < applies_from - datetime.now(UTC) <= timedelta(hours=24)
    again = world.call("PUT", path, world.owner, json={"rawMonths": None}).json()
    assert again == {"rawMonths": None, "retentionAppliesFrom": None}
    changes = ["website.retention_changed.v1"] * 2
    assert [name for name in world.events(shop.website_id) if "retention" in name] == changes


def test_the_job_expires_each_month_once_and_only_where_there_are_events(command_policies: Policies) -> None:
    shop, empty, fresh = command_policies.shop(), command_policies.shop(), command_policies.shop()
    for one in (shop, fresh):
        command_policies.project_click(one, timedelta(days=500))
    keep(command_policies, shop, 3, timedelta(hours=25))
    keep(command_policies, empty, 3, timedelta(hours=25))
    keep(command_policies, fresh, 3, timedelta(hours=23))
    assert expire(command_policies) == 1
    assert state(command_policies, shop.website_id).expired_before == expired_before(3, UTC_ZONE, datetime.now(UTC), 30)
    assert state(command_policies, empty.website_id).expired_before is None
    assert state(command_policies, fresh.website_id).expired_before is None
    assert expire(command_policies) == 0


def test_a_click_within_the_window_of_any_partner_stays(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    year = world.partner(cookieDays=365)
    link = world.link(shop.site, year)
    command_policies.project_click(shop, timedelta(days=900), link_id=link["id"], partner_id=year["id"])
    keep(command_policies, shop, 1, timedelta(hours=25))
    assert expire(command_policies) == 1
    before, oldest = state(command_policies, shop.website_id).expired_before, datetime.now(UTC) - timedelta(days=395)
    assert before is not None and before <= oldest.date()
