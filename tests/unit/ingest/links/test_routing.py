"""Where a link leads for one visitor: which way comes first, and that a visitor always gets the same variant."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ingest.links.routing import (
    NO_ROUTING,
    LinkRouting,
    LinkRule,
    LinkVariant,
    Route,
    choose,
    routing_of,
    routing_with_click_id,
)
from schemas.events import links

PLAIN = "https://partner.example/"
RULES = (
    LinkRule(("IS", "NO"), ("mobile",), "https://partner.example/is-mobile"),
    LinkRule(("IS",), (), "https://partner.example/is"),
    LinkRule((), ("tablet",), "https://partner.example/tablet"),
)
SPLIT = (LinkVariant("https://partner.example/a", 1), LinkVariant("https://partner.example/b", 3))


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
    assert way(routing, country="NO") == Route("https://partner.example/a", "variant 1")
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


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=10), st.integers(0, 2**64 - 1))
def test_a_visitor_stays_on_one_variant(weights: list[int], visitor: int) -> None:
    routing = LinkRouting(variants=tuple(LinkVariant(f"https://partner.example/{n}", w) for n, w in enumerate(weights)))
    assert len({way(routing, visitor=visitor, now=moment) for moment in range(3)}) == 1


def test_visitors_part_by_the_weights() -> None:
    found = Counter(way(LinkRouting(variants=SPLIT), visitor=visitor) for visitor in range(4_000))
    assert sorted(found.values()) == [1_000, 3_000]


def test_ingest_reads_the_routing_of_an_event_unchanged() -> None:
    decided = links.Routing.model_validate(
        {
            "rules": [{"countries": ["IS"], "devices": ["mobile"], "destination": "https://p.example/1"}],
            "variants": [{"destination": "https://p.example/2", "weight": 2}],
            "expires_at": "2026-05-17T10:05:03Z",
            "fallback": "https://p.example/3",
        }
    )
    assert routing_of(decided.model_dump(mode="json")) == LinkRouting(
        (LinkRule(("IS",), ("mobile",), "https://p.example/1"),),
        (LinkVariant("https://p.example/2", 2),),
        1_779_012_303_000,
        "https://p.example/3",
    )
    assert routing_of(links.Routing().model_dump(mode="json")) == NO_ROUTING == routing_of(None)


def test_every_way_passes_the_click_id_but_the_one_to_the_websites_own_pages() -> None:
    routing = LinkRouting(RULES, SPLIT, expires_at=1_000, fallback="https://partner.example/over#end")
    made = routing_with_click_id(routing, "sub1", "shop.example")
    leads_to = [rule.destination for rule in made.rules] + [one.destination for one in made.variants]
    leads_to.append(made.fallback)
    assert all("?sub1={click_id}" in destination for destination in leads_to)
    assert made.fallback == "https://partner.example/over?sub1={click_id}#end"
    own = LinkRouting(fallback="https://www.shop.example/over")
    assert routing_with_click_id(own, "sub1", "shop.example") == own
    assert routing_with_click_id(routing, "", "shop.example") is routing
