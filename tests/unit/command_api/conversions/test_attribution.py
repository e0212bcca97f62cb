"""Which click earns a conversion: by click id, then coupon, then visitor; within the window of the click's own time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from command_api.conversions.attribution.clicks import ClickRow
from command_api.conversions.attribution.rules import CLOCK_TOLERANCE, ReferencedLink, ResolvedTraces, attribute
from command_api.conversions.attribution_process import pause_after
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from command_api.partners import model as partners
from query_api.conversions.explain import _version
from schemas import click_id
from schemas.events.conversions import AttributedBy, Attribution
from schemas.events.partners import Terms
from schemas.events.websites import AttributionModel
from schemas.tracking import NO_ID

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=400)
SITE, OTHER_SITE, LINK = uuid4(), uuid4(), uuid4()
KEY = bytes(32)


def a_partner(days: int = 30, commission: float = 10) -> partners.Partner:
    partner_id = uuid4()
    events = partners.register(
        partner_id,
        None,
        name="P",
        slug=f"p-{partner_id.hex}",
        base_url="https://p.example",
        commission=commission,
        description="",
        is_active=True,
        cookie_days=days,
        postback_preset=None,
        context=CommandContext(LONG_AGO),
    )
    return partners.evolve(None, events[0])


FIRST, SECOND = a_partner(), a_partner(days=7)
PARTNERS = {partner.id: partner for partner in (FIRST, SECOND)}


def click_row(partner: partners.Partner, at: datetime, website_id: UUID = SITE) -> ClickRow:
    return ClickRow(website_id, uuid4(), 42, at, "", None, partner.id, "IS", "mobile", "news", {"sub1": "x"})


def opened(at: datetime, website_id: UUID = SITE, place: int | None = None) -> click_id.Click:
    text = click_id.mint(
        KEY, at=at, link_code=7, website_id=website_id, country="DE", device="desktop", nonce=1, partner_place=place
    )
    return click_id.read(KEY, text)


def by_click(at: datetime, *, website_id: UUID = SITE, click_row: ClickRow | None = None) -> ResolvedTraces:
    link = ReferencedLink(LINK, SITE, FIRST.id)
    return ResolvedTraces(click_id="C", click=opened(at, website_id), click_link=link, click_row=click_row)


def earned(traces: ResolvedTraces, model: AttributionModel = AttributionModel.LAST_CLICK) -> Attribution | None:
    return attribute(SITE, NOW, traces, model, PARTNERS.get)


def test_a_click_id_names_click_link_and_partner() -> None:
    found = earned(by_click(NOW - timedelta(days=1)))
    assert found is not None
    assert (found.by, found.partner_id, found.link_id, found.click_id) == (AttributedBy.CLICK_ID, FIRST.id, LINK, "C")
    assert (found.country, found.device, found.source, found.visitor) == ("DE", "desktop", "", 0)


def test_the_clicks_row_knows_more() -> None:
    found = earned(by_click(NOW - timedelta(days=1), click_row=click_row(FIRST, NOW)))
    assert found is not None
    assert (found.country, found.device, found.source, found.visitor) == ("IS", "mobile", "news", 42)
    assert found.subs == {"sub1": "x"}


@pytest.mark.parametrize(
    ("clicked_at", "counts"),
    [
        (NOW - timedelta(days=30), True),
        (NOW - timedelta(days=30, seconds=1), False),
        (NOW + CLOCK_TOLERANCE, True),
        (NOW + CLOCK_TOLERANCE + timedelta(seconds=1), False),
    ],
)
def test_a_click_earns_within_the_window_alone(clicked_at: datetime, counts: bool) -> None:
    assert (earned(by_click(clicked_at)) is not None) == counts
    assert (earned(ResolvedTraces(visitor_clicks=[click_row(FIRST, clicked_at)])) is not None) == counts


def test_a_click_of_another_website_earns_nothing() -> None:
    assert earned(by_click(NOW, website_id=OTHER_SITE)) is None
    assert earned(ResolvedTraces(visitor_clicks=[click_row(FIRST, NOW, OTHER_SITE)])) is None
    assert earned(ResolvedTraces(coupon_link=ReferencedLink(LINK, OTHER_SITE, FIRST.id))) is None


def in_page(click_row: ClickRow | None, *, hint: UUID = NO_ID, is_claim: bool = False) -> ResolvedTraces:
    minted_at = NOW - timedelta(hours=3)
    text = click_id.mint(
        KEY, at=minted_at, link_code=click_id.IN_PAGE, website_id=SITE, country="DE", device="desktop", nonce=1
    )
    click = click_id.read(KEY, text)
    return ResolvedTraces(click_id=text, click=click, click_row=click_row, partner_hint=hint, is_claim=is_claim)


def test_a_click_in_a_page_earns_for_the_partner_of_its_event_at_the_time_of_the_click() -> None:
    clicked_at = NOW - timedelta(hours=2)
    found = earned(in_page(click_row(FIRST, clicked_at), hint=SECOND.id))
    assert found is not None and found.by is AttributedBy.CLICK_ID
    assert (found.partner_id, found.link_id, found.clicked_at, found.source) == (FIRST.id, None, clicked_at, "news")
    assert earned(in_page(None)) is None
    assert earned(in_page(click_row(FIRST, NOW + timedelta(minutes=2)))) is None
    assert earned(in_page(click_row(FIRST, clicked_at, OTHER_SITE))) is None


def test_a_click_in_a_page_without_a_partner_earns_for_the_one_that_the_postback_names() -> None:
    unknown = replace(click_row(FIRST, NOW), partner_id=None)
    found = earned(in_page(unknown, hint=SECOND.id))
    assert found is not None and found.partner_id == SECOND.id
    assert earned(in_page(unknown)) is None
    assert earned(in_page(unknown, hint=SECOND.id, is_claim=True)) is None, "a claim names no partner"


def moved(at: datetime) -> ReferencedLink:
    """A link that led to the first partner until a moment, and to the second since."""
    return ReferencedLink(LINK, SITE, SECOND.id, ((FIRST.id, at),))


def test_a_link_that_moved_earns_for_the_partner_of_the_time_of_the_click() -> None:
    link, hour = moved(NOW), timedelta(hours=1)
    assert [link.at(at).partner_id for at in (NOW - hour, NOW, NOW + hour)] == [FIRST.id, SECOND.id, SECOND.id]
    back = ReferencedLink(LINK, SITE, FIRST.id, ((FIRST.id, NOW - hour), (SECOND.id, NOW)))
    there = [back.at(at).partner_id for at in (NOW - 2 * hour, NOW - hour / 2, NOW)]
    assert there == [FIRST.id, SECOND.id, FIRST.id]


def test_the_event_of_a_click_knows_where_it_led_better_than_the_time() -> None:
    link, later = moved(NOW), NOW + timedelta(seconds=1)
    first, second = replace(link, partner_id=FIRST.id), link
    assert link.of_click(opened(later), click_row(FIRST, later)) == first
    assert link.of_click(opened(later), None, held=FIRST.id) == first, "while the events are built again"
    assert link.of_click(opened(later), None) == second
    stranger = replace(click_row(FIRST, later), partner_id=uuid4())
    assert link.of_click(opened(later), stranger) == second, "the link never led there"


def test_a_click_of_a_link_with_variants_of_other_partners_waits_for_its_event() -> None:
    third, before = uuid4(), NOW - timedelta(hours=1)
    link = replace(moved(NOW), variant_partners=(third,))
    assert link.of_click(opened(before), None) is None
    assert link.of_click(opened(before), replace(click_row(FIRST, before), partner_id=third)) == replace(
        link, partner_id=third
    )
    assert link.of_click(opened(before), click_row(FIRST, before)) == replace(link, partner_id=FIRST.id)


def test_a_click_id_that_names_the_partner_of_its_variant_needs_no_event() -> None:
    third, fourth, before = uuid4(), uuid4(), NOW - timedelta(hours=1)
    link = replace(moved(NOW), variant_partners=(third, fourth))
    found = [link.of_click(opened(at, place=place), None) for at in (before, NOW) for place in (1, 2, 0)]
    assert [each and each.partner_id for each in found] == [third, fourth, FIRST.id, third, fourth, SECOND.id]
    row = replace(click_row(FIRST, before), partner_id=fourth)
    assert link.of_click(opened(before, place=1), row) == replace(link, partner_id=fourth), "the event knows best"
    assert link.of_click(opened(before, place=3), None) is None, "a place that the link has not had yet"


def test_click_id_goes_before_coupon_and_coupon_before_visitor() -> None:
    coupon, visits = ReferencedLink(uuid4(), SITE, SECOND.id), [click_row(FIRST, NOW)]
    click = by_click(NOW - timedelta(days=1))
    all_three = ResolvedTraces(click.click_id, click.click, click.click_link, None, coupon, visits)
    found = [
        earned(all_three),
        earned(ResolvedTraces(coupon_link=coupon, visitor_clicks=visits)),
        earned(ResolvedTraces(visitor_clicks=visits)),
    ]
    assert [one.by for one in found if one] == [AttributedBy.CLICK_ID, AttributedBy.COUPON, AttributedBy.VISITOR]


def test_a_click_id_out_of_time_leaves_it_to_the_others() -> None:
    click = by_click(NOW - timedelta(days=31))
    traces = ResolvedTraces(click.click_id, click.click, click.click_link, None, None, [click_row(SECOND, NOW)])
    found = earned(traces)
    assert found is not None
    assert (found.by, found.partner_id) == (AttributedBy.VISITOR, SECOND.id)


def test_last_click_within_its_own_window_or_the_first() -> None:
    too_old = click_row(SECOND, NOW - timedelta(days=8))
    clicks = [click_row(FIRST, NOW - timedelta(days=20)), too_old, click_row(FIRST, NOW - timedelta(days=12))]
    last = earned(ResolvedTraces(visitor_clicks=sorted(clicks, key=lambda click: click.occurred_at, reverse=True)))
    oldest_first = sorted(clicks, key=lambda click: click.occurred_at)
    first = earned(ResolvedTraces(visitor_clicks=oldest_first), AttributionModel.FIRST_CLICK)
    assert last is not None and first is not None
    assert last.clicked_at == NOW - timedelta(days=12)
    assert first.clicked_at == NOW - timedelta(days=20)


def test_the_partner_that_a_postback_names_must_be_the_clicks() -> None:
    clicks = [click_row(FIRST, NOW - timedelta(days=2)), click_row(SECOND, NOW - timedelta(days=1))]
    found = earned(ResolvedTraces(visitor_clicks=clicks, partner_hint=FIRST.id))
    assert found is not None and found.partner_id == FIRST.id
    assert earned(ResolvedTraces(visitor_clicks=clicks, partner_hint=uuid4())) is None


def test_terms_are_those_of_the_clicks_time() -> None:
    partner = a_partner()
    change = partners.update(partner, commission=50, context=CommandContext(NOW - timedelta(days=1)))
    partner = state_after(partners.evolve, partner, change)
    for clicked_at, rate in ((NOW - timedelta(days=2), 1000), (NOW - timedelta(hours=1), 5000)):
        found = attribute(
            SITE,
            NOW,
            ResolvedTraces(visitor_clicks=[click_row(partner, clicked_at)]),
            AttributionModel.LAST_CLICK,
            {partner.id: partner}.get,
        )
        assert found is not None and found.terms.rate_bp == rate


def test_no_trace_no_attribution() -> None:
    assert earned(ResolvedTraces()) is None
    unknown = ClickRow(SITE, uuid4(), 42, NOW, "", None, uuid4(), "IS", "", "", {})
    assert earned(ResolvedTraces(visitor_clicks=[unknown])) is None


def test_rechecks_become_rarer() -> None:
    ages = [timedelta(seconds=59), timedelta(minutes=9), timedelta(hours=23), timedelta(days=29)]
    assert [pause_after(age).total_seconds() for age in ages] == [1, 5, 60, 600]


def test_terms_that_were_announced_pay_clicks_from_their_day_on_and_late_reports_take_the_older_ones() -> None:
    begins = NOW - timedelta(days=5)
    announced = partners.update(
        FIRST, commission=25, effective_from=begins, context=CommandContext(NOW - timedelta(days=20))
    )
    lowered = partners.evolve(FIRST, announced[0])
    # Changed at once, meanwhile: what was announced begins all the same.
    [changed] = partners.update(lowered, commission=5, context=CommandContext(NOW - timedelta(days=10)))
    partner = partners.evolve(lowered, changed)
    at = [NOW - timedelta(days=days) for days in (15, 10, 6)] + [begins - timedelta(milliseconds=1), begins, NOW]
    found = [
        attribute(SITE, NOW, by_click(moment), AttributionModel.LAST_CLICK, {FIRST.id: partner}.get) for moment in at
    ]
    assert [one.terms.rate_bp for one in found if one is not None] == [1000, 500, 500, 500, 2500, 2500]
    # However late it is reported: the version is that of the click.
    late = attribute(SITE, begins, by_click(at[0]), AttributionModel.LAST_CLICK, {FIRST.id: partner}.get)
    assert late is not None and late.terms.rate_bp == 1000


def test_the_version_that_is_shown_is_the_one_that_was_paid_by() -> None:
    def since(days: float, rate_bp: int) -> dict[str, object]:
        return {"effective_at": NOW - timedelta(days=days), "terms": {"rate_bp": rate_bp}}

    held = [since(30, 1000), since(10, 500), since(-5, 2500)]
    for clicked, rate_bp, version in ((40, 1000, 1), (20, 1000, 1), (10, 500, 2), (1, 500, 2), (1, 1000, 1), (1, 7, 2)):
        assert _version(held, Terms(rate_bp=rate_bp), NOW - timedelta(days=clicked)) == version
    assert _version([], Terms(), NOW) is None
