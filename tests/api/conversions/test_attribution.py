"""From a report in topic `conversions` to a decision in topic `domain`: which click earned the sale."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from command_api.conversions import model
from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from infra.kernel.log import Record
from schemas.envelope import decode, position_of
from schemas.events.conversions import AttributedBy, ConversionRecorded
from schemas.topics import CLICKS
from schemas.tracking import NO_ID, log_time
from tests.support.policies import Policies
from tests.support.stack import wait_for


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


def test_a_link_that_moves_to_another_partner_leaves_earlier_clicks_to_the_one_before(
    command_policies: Policies,
) -> None:
    """Clicks before and after, postbacks after: of the old partner, and of the new one."""
    shop, world = command_policies.shop(), command_policies.world
    other = world.partner(commission=25)
    earlier = [command_policies.click(shop) for _ in range(3)]
    command_policies.project_click(shop, click=earlier[0])
    path = f"/api/platform/links/{shop.link['id']}"
    moved = world.call("PATCH", path, world.owner, json={"partnerId": other["id"]})
    assert (moved.status_code, moved.json()["partnerId"], moved.json()["url"]) == (200, other["id"], shop.link["url"])
    assert moved.json()["destination"] == other["baseUrl"]
    later = command_policies.click(shop, timedelta())
    late = command_policies.click(shop, timedelta())
    command_policies.project_click(shop, click=late)  # ingest had not heard of the move yet
    coupon = world.call("PATCH", path, world.owner, json={"coupon": "MOVED"})
    assert coupon.status_code == 200

    def earned(partner: dict[str, Any], **said: Any) -> tuple[str, int]:
        hint = {"partner_id": partner["id"], "key_kind": "postback"}
        state = command_policies.decided(command_policies.report(shop, **hint, **said))
        assert state.facts.attribution is not None and str(state.facts.attribution.link_id) == shop.link["id"]
        return str(state.facts.attribution.partner_id), state.commission

    before, after = (shop.partner["id"], 1000), (other["id"], 2500)
    assert earned(shop.partner, click_id=earlier[0]) == before
    assert earned(shop.partner, click_id=earlier[1]) == before, "also without the click's event"
    assert earned(other, click_id=earlier[2]) == before, "whichever partner reports it"
    assert earned(other, click_id=later) == after
    assert earned(shop.partner, click_id=late) == before, "the visitor was sent to the old partner"
    assert earned(other, coupon="MOVED") == after


def test_a_sale_belongs_to_the_partner_of_its_variant_also_where_the_clicks_event_has_expired(
    command_policies: Policies,
) -> None:
    """The variant was removed since, and another one came."""
    shop, world = command_policies.shop(), command_policies.world
    first, second = world.partner(commission=25), world.partner(commission=40)

    def split(*partners: dict[str, Any] | None) -> None:
        home = shop.partner["baseUrl"]
        variants = [
            {"destination": home if each is None else each["baseUrl"], "weight": 1, "partnerId": each and each["id"]}
            for each in partners
        ]
        answer = world.call("PATCH", f"/api/platform/links/{shop.link['id']}", world.owner, json={"variants": variants})
        assert answer.status_code == 200, answer.text

    split(None, first)
    clicks = [command_policies.click(shop, timedelta(days=20), partner_place=place) for place in (0, 1)]
    split(None, second)
    clicks += [command_policies.click(shop, timedelta(days=10), partner_place=place) for place in (0, 2)]
    earned = []
    for click in clicks:
        state = command_policies.decided(command_policies.report(shop, click_id=click))
        assert state.facts.attribution is not None
        earned.append((str(state.facts.attribution.partner_id), state.commission))
    own = (shop.partner["id"], 1000)
    assert earned == [own, (first["id"], 2500), own, (second["id"], 4000)]
    unnamed = command_policies.click(shop, timedelta(days=10))
    assert not command_policies.decided(command_policies.report(shop, click_id=unnamed)).is_attributed


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
