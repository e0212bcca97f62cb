"""Given links, when many change at once, then each leads where it may; and the change goes on, ends and is undone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.links import model as links
from command_api.links.bulk import model
from command_api.links.bulk.change import LinkCase, UndoneChange, decide, routed, same_page
from command_api.partners.model import Partner
from schemas.events.links import (
    BulkChange,
    BulkKind,
    ChangedLink,
    LinkBulkStarted,
    LinkFailure,
    Routing,
    TargetRule,
    Variant,
)
from schemas.http.links import LinkBulkProgress
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.links.test_model import CONTEXT, PARTNER, SITE, STRANGER, another_partner, link

NEW = another_partner()
DEEP = "https://www.good-vpn.example/deals/a?aff=1&c={click_id}&plan=2#top"


def changed(
    change: BulkChange, before: links.LinkAggregate, target: Partner | None = None, undone: UndoneChange | None = None
) -> links.LinkAggregate:
    events = decide(change, LinkCase(before, SITE, PARTNER, target, undone), CONTEXT)
    return links.evolve(before, events[0]) if events else before


def move(**how: Any) -> BulkChange:
    return BulkChange(kind=BulkKind.MOVE, partner_id=NEW.id, **how)


@pytest.mark.parametrize(
    ("how", "destination"),
    [
        ({}, "https://other-vpn.example/start"),
        ({"destination": "https://other-vpn.example/all"}, "https://other-vpn.example/all"),
        ({"keeps_path": True}, "https://other-vpn.example/deals/a?aff=1&c={click_id}&plan=2#top"),
    ],
)
def test_a_link_moves_to_the_base_url_one_destination_or_the_same_page(how: dict[str, Any], destination: str) -> None:
    after = changed(move(**how), link(destination=DEEP), NEW)
    assert (after.partner_id, after.destination) == (NEW.id, destination)


def test_the_same_page_takes_the_parameters_of_the_new_program_and_drops_the_old_click_id() -> None:
    own = replace(NEW, base_url="https://other-vpn.example/?aff=77", click_id_parameter="ref")
    assert same_page(DEEP, own) == "https://other-vpn.example/deals/a?plan=2&aff=77#top"
    stays = "https://shop.other-vpn.example/x?c={click_id}"
    assert same_page(stays, own) == stays


def test_rules_and_splits_move_with_the_page_and_are_refused_otherwise() -> None:
    ways = Routing(
        rules=(TargetRule(countries=("IS",), destination="https://good-vpn.example/is"),),
        variants=tuple(Variant(destination=f"https://good-vpn.example/{side}", weight=1) for side in "ab"),
        fallback="https://good-vpn.example/over",
    )
    moved = changed(move(keeps_path=True), link(routing=ways), NEW)
    leads = [*routed(moved.routing), moved.routing.fallback]
    assert leads == [f"https://other-vpn.example/{page}" for page in ("is", "a", "b", "over")]
    case = LinkCase(link(routing=ways), SITE, PARTNER, NEW)
    given(move()).when(decide, case, CONTEXT).then(rejected("has_routing"))
    own = link(routing=Routing(fallback="https://www.shop.example/over"))
    assert changed(move(keeps_path=True), own, NEW).routing.fallback == "https://www.shop.example/over"


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (None, "not_found"),
        (replace(NEW, account_id=uuid4()), "not_found"),
        (replace(NEW, removed=True), "not_found"),
        (replace(NEW, is_active=False), "partner_inactive"),
    ],
)
def test_no_link_moves_to_a_partner_that_takes_none(target: Partner | None, code: str) -> None:
    given(move()).when(decide, LinkCase(link(), SITE, PARTNER, target), CONTEXT).then(rejected(code))


def test_a_text_is_replaced_wherever_a_link_leads_and_never_to_another_site() -> None:
    ways = Routing(rules=(TargetRule(countries=("IS",), destination="https://good-vpn.example/old/is"),))
    before = link(destination="https://good-vpn.example/old/deal", routing=ways)
    after = changed(BulkChange(kind=BulkKind.REPLACE, find="/old/", replacement="/new/"), before)
    assert after.destination == "https://good-vpn.example/new/deal"
    assert after.routing.rules[0].destination == "https://good-vpn.example/new/is"
    assert changed(BulkChange(kind=BulkKind.REPLACE, find="/none/", replacement="/x/"), before) == before
    astray = BulkChange(kind=BulkKind.REPLACE, find="good-vpn.example", replacement="evil.example")
    given(astray).when(decide, LinkCase(before, SITE, PARTNER), CONTEXT).then(rejected("foreign_destination"))


@pytest.mark.parametrize(
    "change",
    [
        move(keeps_path=True),
        BulkChange(kind=BulkKind.REPLACE, find="deals", replacement="offers"),
        BulkChange(kind=BulkKind.ORGANIZE, add_tags=("x",), folder="Spring", is_archived=True),
    ],
)
def test_an_undone_change_leaves_the_link_as_it_was_unless_it_has_changed_since(change: BulkChange) -> None:
    ways = Routing(rules=(TargetRule(countries=("IS",), destination="https://good-vpn.example/deals"),))
    before = link(destination=DEEP, tags=["a"], routing=ways)
    [event] = decide(change, LinkCase(before, SITE, PARTNER, NEW), CONTEXT)
    after = links.evolve(before, event)
    undo, undone = BulkChange(kind=BulkKind.UNDO, undoes=uuid4()), UndoneChange(event, before)
    case = LinkCase(after, SITE, NEW if change.kind is BulkKind.MOVE else PARTNER, PARTNER, undone)
    [restored] = decide(undo, case, CONTEXT)
    assert replace(links.evolve(after, restored), version=before.version) == before
    since = replace(after, destination="https://good-vpn.example/since", tags=("since",))
    given(undo).when(decide, replace(case, link=since), CONTEXT).then(rejected("changed_since"))


def test_nobody_changes_links_of_others() -> None:
    given(move()).when(decide, LinkCase(link(), SITE, PARTNER, NEW), STRANGER).then(rejected("not_found"))


def a_bulk(count: int) -> model.BulkAggregate:
    return model.evolve(None, model.start(uuid4(), SITE, move(), [uuid4() for _ in range(count)], CONTEXT))


def test_a_change_goes_on_batch_by_batch_until_all_links_are_decided() -> None:
    bulk, seen = a_bulk(2 * model.BATCH + 1), list[UUID]()
    while bulk.state is LinkBulkProgress.RUNNING:
        seen += bulk.batch
        ok, bad = ChangedLink(link_id=bulk.batch[0], version=2), bulk.batch[1:]
        failures = [LinkFailure(link_id=one, code="not_found", message="There is no such link.") for one in bad]
        bulk = model.evolve(bulk, model.advance(bulk, [ok], failures, CONTEXT))
    assert (tuple(seen), bulk.done, len(bulk.changed)) == (bulk.link_ids, 401, 3)
    assert bulk.state is LinkBulkProgress.FINISHED
    assert model.cancel(bulk, CONTEXT) == []
    undo = model.undo(uuid4(), bulk, SITE, CONTEXT)
    assert (undo.link_ids, undo.change.undoes) == (tuple(one.link_id for one in bulk.changed), bulk.id)


def test_a_change_is_cancelled_between_batches_and_undone_only_then() -> None:
    bulk = a_bulk(model.BATCH + 1)
    given(uuid4()).when(model.undo, bulk, SITE, CONTEXT).then(rejected("still_running"))
    bulk = model.evolve(bulk, model.advance(bulk, [ChangedLink(link_id=bulk.batch[0], version=2)], [], CONTEXT))
    [cancelled] = model.cancel(bulk, CONTEXT)
    bulk = model.evolve(bulk, cancelled)
    assert (bulk.state, bulk.done) == (LinkBulkProgress.CANCELLED, model.BATCH)
    assert isinstance(model.undo(uuid4(), bulk, SITE, CONTEXT), LinkBulkStarted)


def test_a_change_has_1_to_10_000_links() -> None:
    given(uuid4()).when(model.start, SITE, move(), [], CONTEXT).then(rejected("no_links"))
    many = [uuid4()] * (model.MAX_LINKS + 1)
    given(uuid4()).when(model.start, SITE, move(), many, CONTEXT).then(rejected("too_many_links"))
