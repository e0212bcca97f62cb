"""Given a website and a partner, when a link is made or changed, then these events; it never leads astray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import hypothesis
import pytest
from hypothesis import strategies as st

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.hostnames import registered_domain
from command_api.links import model, splits
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


def a_partner(is_active: bool = True, host: str = "good-vpn", account_id: UUID | None = None) -> partners.Partner:
    events = partners.register(
        uuid4(),
        None,
        name="Good VPN",
        slug=host,
        base_url=f"https://www.{host}.example/offer?aff=1",
        commission=10,
        description="",
        is_active=is_active,
        cookie_days=30,
        postback_preset=None,
        account_id=account_id,
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


A, B = "https://good-vpn.example/a", "https://good-vpn.example/b"


def sides(*destinations: str, numbers: Sequence[int] = (), **values: Any) -> tuple[Variant, ...]:
    """Variants as a request has them: 0 names none."""
    return tuple(
        Variant(destination=text, weight=1, number=number, **values)
        for text, number in zip(destinations, numbers or [0] * len(destinations), strict=True)
    )


def test_a_variant_keeps_its_number_in_another_place_and_a_new_one_gets_a_new_number() -> None:
    first = splits.numbered(sides(A, B), (), 0)
    assert [variant.number for variant in first] == [1, 2]
    turned = splits.numbered(sides(B, "https://good-vpn.example/c"), first, 2)
    assert [(variant.destination, variant.number) for variant in turned] == [(B, 2), ("https://good-vpn.example/c", 3)]
    named = splits.numbered(sides("https://good-vpn.example/b2", A, numbers=(2, 0)), first, 2)
    assert [variant.number for variant in named] == [2, 1]


@pytest.mark.parametrize("numbers", [(3, 0), (1, 1)])
def test_a_number_names_one_variant_of_the_link(numbers: tuple[int, int]) -> None:
    with pytest.raises(CommandRejected) as error:
        splits.numbered(sides(A, B, numbers=numbers), splits.numbered(sides(A, B), (), 0), 2)
    assert (error.value.code, error.value.field) == ("unknown_variant", "variants.0.number")


def test_a_number_is_never_given_twice_in_a_link() -> None:
    made = link(routing=Routing(variants=splits.numbered(sides(A, B), (), 0)))
    [ended] = model.update(made, SITE, PARTNER, routing=Routing(), context=CONTEXT)
    plain = model.evolve(made, ended)
    assert (made.last_variant, plain.last_variant) == (2, 2)
    assert [one.number for one in splits.numbered(sides(A, B), plain.routing.variants, plain.last_variant)] == [3, 4]


def test_variants_of_before_are_named_by_their_places() -> None:
    assert [variant.number for variant in Routing(variants=sides(A, B)).variants] == [1, 2]


def test_a_variant_may_lead_to_another_partner_of_the_account() -> None:
    other = a_partner(host="other", account_id=OWNER)
    foreign = Variant(destination="https://shop.other.example/x", weight=2, partner_id=other.id)
    routing = Routing(variants=(*sides(A), foreign))
    event, _ = created(routing=routing, of_variants={other.id: other})
    assert [variant.partner_id for variant in event.routing.variants] == [None, other.id]
    own = Routing(variants=(*sides(A), Variant(destination=B, weight=1, partner_id=PARTNER.id)))
    event, _ = created(routing=own, of_variants={PARTNER.id: PARTNER})
    assert event.routing.variants[1].partner_id is None, "the link's own partner is not named"


def test_a_variant_leads_to_no_partner_of_others_none_that_is_off_and_to_no_foreign_site() -> None:
    def variant(partner: partners.Partner, destination: str = "https://other.example/") -> dict[str, Any]:
        named = Variant(destination=destination, weight=1, partner_id=partner.id)
        return {"routing": Routing(variants=(*sides(A), named)), "of_variants": {partner.id: partner}}

    strangers, off, other = (
        a_partner(host="other", account_id=uuid4()),
        a_partner(is_active=False, host="other"),
        a_partner(host="other"),
    )
    given().when(created, **variant(strangers)).then(rejected("unknown_partner", field="variants.1.partnerId"))
    given().when(created, **variant(off)).then(rejected("partner_inactive", field="variants.1.partnerId"))
    given().when(created, **variant(other, B)).then(rejected("foreign_destination", field="variants.1.destination"))
    missing = {**variant(other), "of_variants": {}}
    given().when(created, **missing).then(rejected("unknown_partner", field="variants.1.partnerId"))


def test_a_split_stays_changeable_while_the_partner_of_a_variant_is_off() -> None:
    other = a_partner(host="other")
    foreign = Variant(destination="https://other.example/", weight=2, number=2, partner_id=other.id)
    made = link(routing=Routing(variants=(*sides(A, numbers=(1,)), foreign)), of_variants={other.id: other})
    routing = made.routing.model_copy(
        update={"variants": (made.routing.variants[0].model_copy(update={"weight": 5}), made.routing.variants[1])}
    )
    off = {other.id: replace(other, is_active=False)}
    [changed] = model.update(made, SITE, PARTNER, routing=routing, of_variants=off, context=CONTEXT)
    assert changed.routing is not None
    assert [variant.weight for variant in changed.routing.variants] == [5, 2]


@pytest.mark.parametrize("names", [("Old", "old"), ("x" * 41, ""), ("a\u202eb", "")])
def test_names_of_variants_are_short_visible_and_different(names: tuple[str, str]) -> None:
    routing = Routing(
        variants=tuple(Variant(destination=A, weight=1, number=n, name=name) for n, name in enumerate(names, 1))
    )
    given().when(created, routing=routing).then(rejected("bad_variant_name"))


def test_a_test_ends_with_a_winner_and_goes_on_without_one() -> None:
    made = link(routing=Routing(variants=splits.numbered(sides(A, B), (), 0)))
    [ended] = model.choose_winner(made, SITE, 2, CONTEXT)
    assert ended.routing is not None
    assert (ended.routing.winner, ended.routing.variants) == (2, made.routing.variants)
    won = model.evolve(made, ended)
    assert model.choose_winner(won, SITE, 2, CONTEXT) == []
    [resumed] = model.choose_winner(won, SITE, None, CONTEXT)
    assert resumed.routing == made.routing
    given(made).when(model.choose_winner, SITE, 3, CONTEXT).then(rejected("unknown_variant", field="variant"))
    given(made).when(model.choose_winner, SITE, 1, STRANGER).then(rejected("not_found"))


def test_without_its_winner_a_split_goes_on_between_the_others() -> None:
    three = splits.numbered(sides(A, B, "https://good-vpn.example/c"), (), 0)
    made = link(routing=Routing(variants=three, winner=2))
    routing = Routing(variants=(three[0], three[2]), winner=made.routing.winner)
    [changed] = model.update(made, SITE, PARTNER, routing=routing, context=CONTEXT)
    assert changed.routing is not None and changed.routing.winner is None
    kept = Routing(variants=(three[1].model_copy(update={"weight": 7}), three[2]), winner=2)
    [changed] = model.update(made, SITE, PARTNER, routing=kept, context=CONTEXT)
    assert changed.routing is not None and changed.routing.winner == 2


def another_partner(is_active: bool = True, **changes: Any) -> partners.Partner:
    values: dict[str, Any] = {"id": uuid4(), "base_url": "https://other-vpn.example/start", "is_active": is_active}
    return replace(a_partner(), **values | changes)


def test_a_link_moves_to_another_partner_and_keeps_its_address() -> None:
    before, other = link(subs={"sub1": "banner"}, coupon="SAVE10"), another_partner()
    [event] = model.update(before, SITE, other, context=CONTEXT)
    after = model.evolve(before, event)
    assert (event.partner_id, event.destination, event.routing) == (other.id, other.base_url, None)
    assert (after.slug, after.code, after.coupon, after.subs) == (before.slug, before.code, "SAVE10", before.subs)
    given(after).when(model.update, SITE, other, context=CONTEXT).then()
    [deep] = model.update(before, SITE, other, destination="https://www.other-vpn.example/deal", context=CONTEXT)
    assert deep.destination == "https://www.other-vpn.example/deal"


def test_a_link_keeps_its_destination_if_the_other_partner_has_the_same_domain() -> None:
    before = link(destination="https://good-vpn.example/deal")
    [event] = model.update(before, SITE, another_partner(base_url="https://good-vpn.example/b"), context=CONTEXT)
    assert (event.destination, model.evolve(before, event).destination) == (None, before.destination)


def test_a_link_moves_to_no_partner_that_takes_no_new_links() -> None:
    for unknown in (another_partner(removed=True), another_partner(account_id=uuid4())):
        given(link()).when(model.update, SITE, unknown, context=CONTEXT).then(rejected("not_found"))
    given(link()).when(model.update, SITE, another_partner(is_active=False), context=CONTEXT).then(
        rejected("partner_inactive")
    )
    own = another_partner(account_id=OWNER)
    assert model.update(link(), SITE, own, context=CONTEXT)[0].partner_id == own.id


def test_a_link_that_moves_leads_nowhere_else_by_destination_rules_split_or_fallback() -> None:
    other = another_partner()
    given(link()).when(model.update, SITE, other, destination=PARTNER.base_url, context=CONTEXT).then(
        rejected("foreign_destination", field="destination")
    )
    for routing, field in (
        ({"rules": ROUTING.rules}, "rules.0.destination"),
        ({"variants": ROUTING.variants}, "variants.0.destination"),
        ({"fallback": PARTNER.base_url}, "fallback"),
    ):
        given(link(routing=Routing.model_validate(routing))).when(model.update, SITE, other, context=CONTEXT).then(
            rejected("foreign_destination", field=field)
        )
    kept = link(routing=Routing(fallback="https://www.shop.example/over"))
    assert model.update(kept, SITE, other, context=CONTEXT)[0].partner_id == other.id
    [event] = model.update(link(routing=ROUTING), SITE, other, routing=Routing(), context=CONTEXT)
    assert event.routing == Routing()
