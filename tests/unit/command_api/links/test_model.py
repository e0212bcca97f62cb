"""Given a website and a partner, when a link is made or changed, then these events; it never leads astray."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
from hypothesis import strategies as st

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.hostnames import registered_domain
from command_api.links import model
from command_api.links.destinations import checked_destination
from command_api.partners import model as partners
from command_api.websites.model import Website
from schemas.events.links import Device, LinkCreated, LinkDeleted, Routing, TargetRule, Variant
from schemas.events.partners import SlugClaimed
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER, LINK = uuid4(), uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)


def a_partner(is_active: bool = True) -> partners.Partner:
    events = partners.register(
        uuid4(),
        None,
        name="Good VPN",
        slug="good-vpn",
        base_url="https://www.good-vpn.example/offer?aff=1",
        commission=10,
        description="",
        is_active=is_active,
        cookie_days=30,
        postback_preset=None,
        context=CONTEXT,
    )
    return partners.evolve(None, events[0])


PARTNER = a_partner()


def created(**changes: Any) -> tuple[LinkCreated, Any]:
    values: dict[str, Any] = {
        "slug": "summer",
        "code": 7,
        "destination": None,
        "subs": {},
        "coupon": None,
        "coupon_owner": None,
        "context": CONTEXT,
        **changes,
    }
    website, partner = values.pop("website", SITE), values.pop("partner", PARTNER)
    return model.create(LINK, website, partner, None, **values)


def link(**changes: Any) -> model.LinkAggregate:
    return model.evolve(None, created(**changes)[0])


def test_a_link_leads_to_the_base_url_by_default() -> None:
    event, slug = created(subs={"sub1": "banner"}, coupon=" save10 ")
    assert event.destination == PARTNER.base_url
    assert (event.subs, event.coupon) == ({"sub1": "banner"}, "SAVE10")
    assert isinstance(slug, SlugClaimed)
    assert (slug.kind, slug.slug, slug.owner_id) == ("link", "summer", LINK)


@pytest.mark.parametrize(
    "destination",
    [
        "https://good-vpn.example/deep/{sub1}?c={click_id}&d={unknown}",
        "http://shop.good-vpn.example:8443/a",
        "https://WWW.good-vpn.example",
        "https://good-vpn.example?c={click_id}#top",
    ],
)
def test_destinations_on_the_partners_domain_are_taken(destination: str) -> None:
    kept = created(destination=destination)[0].destination
    assert kept.lower() == destination.lower()


@pytest.mark.parametrize(
    "destination",
    [
        "https://evil.example/",
        "https://good-vpn.example.evil.example/",
        "https://good-vpn.example@evil.example/",
        "https://evil.example/?https://good-vpn.example",
        "https://{sub1}.good-vpn.example/",
        "https://good-vpn.example{sub1}/",
        "https://{sub1}/",
        "{sub1}://good-vpn.example/",
        "https://good-vpn.example/#{click_id}",
        "https://good-vpn.example\\.evil.example/",
        "//good-vpn.example/",
        "javascript:alert(1)//good-vpn.example",
        "https://good-vpn.example/a b",
        "https://good-vpn.example/\r\nLocation: https://evil.example",
        "https://good-vpn.example/{sub1\r\nLocation: https://evil.example}",
        "https://good-vpn.example/{no macro}",
        "https://evil.example#.good-vpn.example/",
        "https://evil.example#@good-vpn.example",
        "https:///good-vpn.example",
        "https:good-vpn.example",
        "",
    ],
)
def test_destinations_elsewhere_are_refused(destination: str) -> None:
    given().when(created, destination=destination).then(rejected(field="destination"))


@hypothesis.given(st.text(alphabet="abc{}.:/?#@\\% \t-[]", max_size=40))
def test_whatever_is_taken_leads_to_the_partner(tail: str) -> None:
    try:
        kept = checked_destination(f"https://{tail}", PARTNER)
    except CommandRejected:
        return
    from urllib.parse import urlsplit

    assert registered_domain(urlsplit(kept).hostname or "") == "good-vpn.example"


@pytest.mark.parametrize("slug", ["", "Summer", "a_b", "-a", "a-", "a" * 65, "track", "go", "a/b", "ü"])
def test_bad_slugs_are_refused(slug: str) -> None:
    given().when(created, slug=slug).then(rejected(field="slug"))


def test_random_slugs_and_codes_are_good_ones() -> None:
    for _ in range(100):
        assert model.checked_slug(model.random_slug())
        assert 0 < model.random_code() < 2**48


def test_a_coupon_belongs_to_one_link_of_the_website() -> None:
    given().when(created, coupon="SAVE10", coupon_owner=uuid4()).then(rejected("coupon_taken"))
    assert created(coupon="SAVE10", coupon_owner=LINK)[0].coupon == "SAVE10"


def test_an_inactive_partner_takes_no_new_links() -> None:
    given().when(created, partner=a_partner(is_active=False)).then(rejected("partner_inactive"))


def test_objects_of_another_account_are_not_found() -> None:
    for refuse in (
        lambda: created(context=STRANGER),
        lambda: created(website=None),
        lambda: created(partner=None),
        lambda: model.update(link(), SITE, PARTNER, is_active=False, context=STRANGER),
        lambda: model.delete(link(), SITE, STRANGER),
        lambda: model.delete(None, None, CONTEXT),
    ):
        with pytest.raises(CommandRejected) as refused:
            refuse()
        assert refused.value.kind == "missing"


def test_updating_tells_only_what_changed() -> None:
    before = link(subs={"sub1": "banner", "sub2": "x"}, coupon="SAVE10")
    given(before).when(
        model.update, SITE, PARTNER, destination=PARTNER.base_url, subs={}, is_active=True, context=CONTEXT
    ).then()
    (event,) = model.update(before, SITE, PARTNER, subs={"sub1": "footer", "sub2": ""}, coupon="", context=CONTEXT)
    after = model.evolve(before, event)
    assert (event.destination, event.is_active) == (None, None)
    assert (after.subs, after.coupon, after.destination) == ({"sub1": "footer"}, None, before.destination)


def test_a_deleted_link_is_gone() -> None:
    before = link()
    (event,) = model.delete(before, SITE, CONTEXT)
    assert isinstance(event, LinkDeleted)
    given(model.evolve(before, event)).when(model.delete, SITE, CONTEXT).then(rejected())


ROUTING = Routing(
    rules=(
        TargetRule(
            countries=("is", "IS"), devices=(Device.MOBILE,), destination="https://m.good-vpn.example/{click_id}"
        ),
    ),
    variants=(
        Variant(destination="https://good-vpn.example/a", weight=1),
        Variant(destination="https://good-vpn.example/b", weight=3),
    ),
    expires_at=NOW + timedelta(days=1),
    fallback="https://www.shop.example/over",
)


def test_a_link_keeps_its_rules_split_expiry_and_fallback() -> None:
    event, _ = created(routing=ROUTING)
    assert event.routing.rules[0].countries == ("IS",)
    assert (event.routing.variants, event.routing.expires_at) == (ROUTING.variants, ROUTING.expires_at)
    made = model.evolve(None, event)
    [changed] = model.update(made, SITE, PARTNER, routing=Routing(expires_at=ROUTING.expires_at), context=CONTEXT)
    assert changed.routing == Routing(expires_at=ROUTING.expires_at)
    assert changed.destination is None
    assert model.evolve(made, changed).routing.rules == ()
    given(made).when(model.update, SITE, PARTNER, routing=made.routing, context=CONTEXT).then()


def test_an_expiry_that_passed_may_stay_but_not_be_chosen() -> None:
    made, later = link(routing=ROUTING), CommandContext(NOW + timedelta(days=2), OWNER)
    kept = made.routing.model_copy(update={"fallback": "https://shop.example/other"})
    assert model.update(made, SITE, PARTNER, routing=kept, context=later)
    past = made.routing.model_copy(update={"expires_at": NOW})
    given(made).when(model.update, SITE, PARTNER, routing=past, context=later).then(rejected(field="expiresAt"))


@pytest.mark.parametrize(
    ("routing", "field"),
    [
        ({"rules": [{"countries": ["IS"], "destination": "https://evil.example/"}]}, "rules.0.destination"),
        ({"rules": [{"countries": ["XX"], "destination": "https://good-vpn.example/"}]}, "rules.0.countries"),
        ({"rules": [{"destination": "https://good-vpn.example/"}]}, "rules.0"),
        ({"variants": [{"destination": "https://good-vpn.example/", "weight": 1}]}, "variants"),
        (
            {
                "variants": [
                    {"destination": "https://good-vpn.example/", "weight": 1},
                    {"destination": "https://good-vpn.example.evil.example/", "weight": 1},
                ]
            },
            "variants.1.destination",
        ),
        ({"expires_at": NOW}, "expiresAt"),
        ({"fallback": "https://evil.example/"}, "fallback"),
        ({"fallback": "https://{sub1}.good-vpn.example/"}, "fallback"),
    ],
)
def test_no_way_of_a_link_leads_astray(routing: dict[str, Any], field: str) -> None:
    given().when(created, routing=Routing.model_validate(routing)).then(rejected(field=field))


@pytest.mark.parametrize(
    ("preset", "changes", "passes"),
    [
        (None, {}, False),
        (None, {"destination": "https://good-vpn.example/?c={click_id}"}, True),
        ("everflow", {}, True),
        ("everflow", {"destination": "https://good-vpn.example/?sub1=mine"}, False),
        (None, {"routing": Routing(rules=(TargetRule(countries=("IS",), destination=PARTNER.base_url),))}, False),
    ],
)
def test_a_link_says_whether_it_can_pass_a_click_id(preset: str | None, changes: dict[str, Any], passes: bool) -> None:
    partner = replace(PARTNER, postback_preset=preset)
    assert model.passes_click_id(link(partner=partner, **changes), partner) is passes


def test_every_side_of_a_split_must_pass_the_click_id() -> None:
    sides = (
        Variant(destination="https://good-vpn.example/a?c={click_id}", weight=1),
        Variant(destination="https://good-vpn.example/b", weight=1),
    )
    made = link(routing=Routing(variants=sides))
    assert not model.passes_click_id(made, PARTNER)
    assert model.passes_click_id(made, replace(PARTNER, click_id_parameter="ref"))


def test_tags_are_kept_once_whatever_their_case_and_sorted() -> None:
    made = link(tags=["vpn", " Blog", "VPN", ""], folder=" Spring ")
    assert (made.tags, made.folder) == (("Blog", "vpn"), "Spring")


def test_organizing_says_only_what_changes() -> None:
    made = link(tags=["a", "b"], folder="Spring")
    given(made).when(model.organize, SITE, add_tags=["A"], folder="Spring", is_archived=False, context=CONTEXT).then()
    [event] = model.organize(
        made, SITE, add_tags=["c"], remove_tags=["A"], folder="", is_archived=True, context=CONTEXT
    )
    assert (event.tags, event.folder, event.is_archived, event.destination) == (("b", "c"), "", True, None)
    after = model.evolve(made, event)
    assert (after.tags, after.folder, after.is_archived, after.is_active) == (("b", "c"), None, True, True)
    [restored] = model.update(after, SITE, PARTNER, is_archived=False, context=CONTEXT)
    assert model.evolve(after, restored).is_archived is False


def test_nobody_organizes_links_of_others() -> None:
    given(link()).when(model.organize, SITE, add_tags=["x"], context=STRANGER).then(rejected("not_found"))
