"""Where a link leads for one visitor: which way comes first, and that a visitor always gets the same variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ingest.links.routing import (
    NO_ROUTING,
    LinkRouting,
    LinkRule,
    LinkVariant,
    Route,
    choose,
    live_routing,
    routing_of,
)
from schemas.events import links

PLAIN = "https://partner.example/"
PARTNER = "0194a1f0-0000-7000-8000-000000000001"
RULES = (
    LinkRule(("IS", "NO"), ("mobile",), "https://partner.example/is-mobile"),
    LinkRule(("IS",), (), "https://partner.example/is"),
    LinkRule((), ("tablet",), "https://partner.example/tablet"),
)
SPLIT = (LinkVariant("https://partner.example/a", 1, 1), LinkVariant("https://partner.example/b", 3, 2))


@dataclass(frozen=True)
class OfPartner:
    """A partner as routing sees it."""

    click_id_parameter: str = ""
    is_active: bool = True


OFF = OfPartner(is_active=False)


def nobody(_: str) -> None:
    """No other partner is known."""


def way(
    routing: LinkRouting,
    *,
    gone: bool = False,
    country: str = "DE",
    device: str = "desktop",
    visitor: int = 0,
    now: int = 0,
) -> Route | None:
    return choose(PLAIN, routing, gone, country, device, visitor, now)


def test_without_anything_special_a_link_leads_to_its_destination() -> None:
    assert way(NO_ROUTING) == Route(PLAIN)


def test_the_first_rule_that_fits_wins() -> None:
    routing = LinkRouting(RULES, SPLIT)
    assert way(routing, country="IS", device="mobile") == Route("https://partner.example/is-mobile", "rule 1")
    assert way(routing, country="NO", device="mobile") == Route("https://partner.example/is-mobile", "rule 1")
    assert way(routing, country="IS", device="tablet") == Route("https://partner.example/is", "rule 2")
    assert way(routing, country="US", device="tablet") == Route("https://partner.example/tablet", "rule 3")
    assert way(routing, country="NO") in (
        Route("https://partner.example/a", "variant 1"),
        Route("https://partner.example/b", "variant 2"),
    )
    assert way(LinkRouting(RULES), country="ZZ", device="bot") == Route(PLAIN)


def test_an_expired_link_leads_to_its_fallback_or_nowhere() -> None:
    routing = LinkRouting(RULES, SPLIT, expires_at=1_000, fallback="https://shop.example/")
    assert way(routing, country="IS", now=999) == Route("https://partner.example/is", "rule 2")
    assert way(routing, country="IS", now=1_000) == Route("https://shop.example/", "fallback")
    assert way(LinkRouting(expires_at=1_000), now=1_000) is None


def test_a_link_that_is_switched_off_leads_to_its_fallback_or_nowhere() -> None:
    assert way(NO_ROUTING, gone=True) is None
    assert way(LinkRouting(RULES, fallback="https://shop.example/"), gone=True, country="IS") == Route(
        "https://shop.example/", "fallback"
    )


def split(weights: Mapping[int, int]) -> LinkRouting:
    return LinkRouting(variants=tuple(LinkVariant(f"https://partner.example/{n}", w, n) for n, w in weights.items()))


def ways(weights: Mapping[int, int], visitors: int) -> list[str]:
    found = [way(split(weights), visitor=visitor) for visitor in range(visitors)]
    return [route.name for route in found if route is not None]


@given(st.dictionaries(st.integers(1, 50), st.integers(1, 1000), min_size=2, max_size=10), st.integers(0, 2**64 - 1))
def test_a_visitor_stays_on_one_variant_whatever_its_place(weights: dict[int, int], visitor: int) -> None:
    turned = dict(reversed(weights.items()))
    assert (
        len({way(split(each), visitor=visitor, now=moment) for each in (weights, turned) for moment in range(3)}) == 1
    )


def test_visitors_part_by_the_weights() -> None:
    found = Counter(ways({1: 1, 2: 3, 7: 4}, 40_000))
    assert {name: round(count / 40_000, 2) for name, count in found.items()} == {
        "variant 1": 0.12,
        "variant 2": 0.38,
        "variant 7": 0.5,
    }


def test_a_changed_weight_moves_visitors_to_that_variant_alone() -> None:
    before, after = ways({1: 50, 2: 50, 3: 50}, 4_000), ways({1: 80, 2: 50, 3: 50}, 4_000)
    moved = [(left, right) for left, right in zip(before, after, strict=True) if left != right]
    assert 0.08 < len(moved) / 4_000 < 0.15  # a third becomes four ninths
    assert {right for _, right in moved} == {"variant 1"}


def test_a_variant_that_goes_leaves_the_visitors_of_the_others_alone() -> None:
    before, after = ways({1: 1, 2: 1, 3: 1}, 3_000), ways({1: 1, 3: 1}, 3_000)
    assert all(left in ("variant 2", right) for left, right in zip(before, after, strict=True))


def test_the_winner_gets_all_visitors_and_the_others_while_its_partner_is_off() -> None:
    routing = LinkRouting(
        variants=(*split({1: 1, 2: 9}).variants, LinkVariant("https://o.example/", 1, 3, "o")), winner=3
    )
    names = {route.name for visitor in range(100) if (route := way(routing, visitor=visitor)) is not None}
    assert names == {"variant 3"}
    live = live_routing(routing, OfPartner(), "shop.example", lambda _: OFF)
    names = {route.name for visitor in range(100) if (route := way(live, visitor=visitor)) is not None}
    assert names == {"variant 1", "variant 2"}


def test_a_variant_whose_partner_is_off_gets_no_traffic_and_the_others_do() -> None:
    routing = LinkRouting(
        variants=(*split({1: 1, 2: 1}).variants, LinkVariant("https://other.example/", 2, 3, "other"))
    )
    live = live_routing(routing, OfPartner(), "shop.example", lambda _: OFF)
    assert [variant.number for variant in live.variants] == [1, 2]
    of_other = live_routing(routing, OFF, "shop.example", lambda _: OfPartner("subid"))
    assert of_other.variants == (LinkVariant("https://other.example/?subid={click_id}", 2, 3, "other"),)
    assert way(of_other) == Route("https://other.example/?subid={click_id}", "variant 3", "other")


def test_a_link_whose_partner_is_off_has_no_rules_and_no_destination() -> None:
    live = live_routing(LinkRouting(RULES, fallback="https://shop.example/"), OFF, "shop.example", nobody)
    assert live.rules == ()
    assert choose("", live, False, "IS", "mobile", 0, 0) == Route("https://shop.example/", "fallback")
    assert choose("", LinkRouting(), False, "IS", "mobile", 0, 0) is None


def test_variants_that_were_stored_without_a_number_are_named_by_their_places() -> None:
    stored = {
        "variants": [
            {"destination": "https://p.example/1", "weight": 1},
            {"destination": "https://p.example/2", "weight": 1},
        ]
    }
    assert [variant.number for variant in routing_of(stored).variants] == [1, 2]


def test_ingest_reads_the_routing_of_an_event_unchanged() -> None:
    decided = links.Routing.model_validate(
        {
            "rules": [{"countries": ["IS"], "devices": ["mobile"], "destination": "https://p.example/1"}],
            "variants": [{"destination": "https://p.example/2", "weight": 2, "number": 4, "partner_id": PARTNER}],
            "expires_at": "2026-05-17T10:05:03Z",
            "fallback": "https://p.example/3",
        }
    )
    assert routing_of(decided.model_dump(mode="json")) == LinkRouting(
        (LinkRule(("IS",), ("mobile",), "https://p.example/1"),),
        (LinkVariant("https://p.example/2", 2, 4, PARTNER),),
        1_779_012_303_000,
        "https://p.example/3",
    )
    assert routing_of(links.Routing().model_dump(mode="json")) == NO_ROUTING == routing_of(None)


def test_every_way_passes_the_click_id_but_the_one_to_the_websites_own_pages() -> None:
    routing = LinkRouting(RULES, SPLIT, expires_at=1_000, fallback="https://partner.example/over#end")
    made = live_routing(routing, OfPartner("sub1"), "shop.example", nobody)
    leads_to = [rule.destination for rule in made.rules] + [one.destination for one in made.variants]
    leads_to.append(made.fallback)
    assert all("?sub1={click_id}" in destination for destination in leads_to)
    assert made.fallback == "https://partner.example/over?sub1={click_id}#end"
    own = LinkRouting(fallback="https://www.shop.example/over")
    assert live_routing(own, OfPartner("sub1"), "shop.example", nobody) == own
    assert live_routing(routing, OfPartner(), "shop.example", nobody) == routing
