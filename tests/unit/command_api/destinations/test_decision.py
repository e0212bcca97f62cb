"""Given a conversion, its ad click and what the platform knows, then this is sent next, or this is why nothing is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.conversions.model import Conversion
from command_api.destinations.clicks import best_click
from command_api.destinations.decision import AdClick, DeliveryStep, LastSent, Skipped, SkipReason, next_step
from command_api.destinations.reasons import reason_text
from infra.domain.ad_platforms.rules import PLATFORMS
from schemas.base import Money
from schemas.events.conversions import AttributedBy, Attribution, ConversionFacts, ConversionStatus
from schemas.events.destinations import AdPlatform, DestinationMapping, ReportedValue
from schemas.events.partners import Terms, TermsKind
from schemas.http.destinations import DeliveryKind

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SOLD = NOW - timedelta(days=2)
GOOGLE, META = PLATFORMS[AdPlatform.GOOGLE_ADS], PLATFORMS[AdPlatform.META]
MAPPING = DestinationMapping(sale="Affiliate sale")
APPROVED, REJECTED = ConversionStatus.APPROVED, ConversionStatus.REJECTED


def conversion(status: ConversionStatus = APPROVED, **changes: Any) -> Conversion:
    clicked = changes.pop("clicked_at", SOLD - timedelta(hours=1))
    attribution = Attribution(
        by=AttributedBy.CLICK_ID,
        partner_id=uuid4(),
        click_id="x",
        clicked_at=clicked,
        terms=Terms(kind=TermsKind.PERCENT, rate_bp=1000),
    )
    facts = ConversionFacts(
        website_id=uuid4(),
        kind=changes.pop("kind", "sale"),
        event="sale",
        txid="T-1",
        amount=Money(amount=changes.pop("amount", 10_000), currency="USD"),
        occurred_at=changes.pop("occurred_at", SOLD),
        attribution=attribution if changes.pop("is_attributed", True) else None,
    )
    made = Conversion(
        id=UUID(int=7),
        version=2,
        facts=facts,
        status=status,
        currency="EUR",
        payout=None,
        commission=900,
        reversed_amount=0,
        reversed_commission=0,
        recorded_at=SOLD,
        changed_at=NOW,
    )
    return replace(made, **changes)


def click(before: timedelta = timedelta(days=1), **ids: str) -> AdClick:
    return AdClick(UUID(int=1), SOLD - before, "sealed", ids or {"gclid": "Cj0KCQiA-plain"})


def last_sent(kind: DeliveryKind = DeliveryKind.CONVERSION, value: int = 900) -> LastSent:
    return LastSent(kind, "Affiliate sale", SOLD, Money(amount=value, currency="EUR"), click())


def skipped(reason: SkipReason) -> Skipped:
    return Skipped(reason)


def test_an_approved_conversion_is_sent_with_its_commission_or_its_sale() -> None:
    step = next_step(GOOGLE, MAPPING, conversion(), None, click(), NOW)
    assert step == DeliveryStep(
        DeliveryKind.CONVERSION, "Affiliate sale", SOLD, Money(amount=900, currency="EUR"), click()
    )
    by_sale = MAPPING.model_copy(update={"value": ReportedValue.SALE})
    partly = conversion(reversed_amount=4_000, reversed_commission=360)
    sent = [next_step(GOOGLE, mapping, partly, None, click(), NOW) for mapping in (MAPPING, by_sale)]
    assert [step.value for step in sent if isinstance(step, DeliveryStep)] == [
        Money(amount=540, currency="EUR"),
        Money(amount=6_000, currency="USD"),
    ]


@pytest.mark.parametrize(
    ("changes", "found", "reason"),
    [
        ({"status": ConversionStatus.PENDING}, click(), SkipReason.UNDECIDED),
        ({"is_attributed": False}, click(), SkipReason.UNDECIDED),
        ({"status": REJECTED}, click(), SkipReason.NOT_APPROVED),
        ({"kind": "lead"}, click(), SkipReason.NOT_MAPPED),
        ({"commission": 0}, click(), SkipReason.NO_VALUE),
        ({}, None, SkipReason.NO_CLICK_ID),
        ({}, click(fbclid="IwAR-plain"), SkipReason.NO_CLICK_ID),
        ({}, replace(click(), ids=None), SkipReason.ERASED),
        ({}, click(gclid='=HYPERLINK("x")'), SkipReason.BAD_CLICK_ID),
        ({}, click(timedelta(days=88, seconds=1)), SkipReason.CLICK_TOO_OLD),
        ({}, click(timedelta(minutes=-1)), SkipReason.BEFORE_CLICK),
    ],
)
def test_what_cannot_be_sent_says_why(changes: dict[str, Any], found: AdClick | None, reason: SkipReason) -> None:
    assert next_step(GOOGLE, MAPPING, conversion(**changes), None, found, NOW) == skipped(reason)
    assert "{" not in reason_text(reason, GOOGLE)


def test_windows_end_to_the_second() -> None:
    """A click of 90 days for Google Ads; a conversion of 7 days for Meta, whose one old event rejects all others."""
    assert isinstance(next_step(GOOGLE, MAPPING, conversion(), None, click(timedelta(days=88)), NOW), DeliveryStep)
    clicked = AdClick(UUID(int=1), SOLD - timedelta(days=30), "sealed", {"fbclid": "IwAR-plain"})
    for age, is_sent in ((timedelta(days=7), True), (timedelta(days=7, seconds=1), False)):
        step = next_step(META, MAPPING, conversion(occurred_at=NOW - age), None, clicked, NOW)
        assert (isinstance(step, DeliveryStep), step == skipped(SkipReason.TOO_OLD)) == (is_sent, not is_sent)
    assert reason_text(SkipReason.TOO_OLD, META) == "The conversion is older than the 7 days that Meta accepts."


def test_a_lead_may_have_no_value() -> None:
    lead = conversion(kind="lead", amount=0, commission=0)
    step = next_step(GOOGLE, DestinationMapping(lead="Sign-up"), lead, None, click(), NOW)
    assert isinstance(step, DeliveryStep) and (step.event_name, step.value.amount) == ("Sign-up", 0)


def test_what_the_platform_knows_is_corrected_once() -> None:
    other = conversion(reversed_amount=4_000, reversed_commission=360)
    restated = next_step(GOOGLE, MAPPING, other, last_sent(), None, NOW)
    assert isinstance(restated, DeliveryStep)
    assert (restated.kind, restated.value.amount, restated.click) == (DeliveryKind.RESTATEMENT, 540, click())
    retracted = next_step(GOOGLE, MAPPING, conversion(ConversionStatus.REVERSED), last_sent(), None, NOW)
    assert isinstance(retracted, DeliveryStep) and retracted.kind is DeliveryKind.RETRACTION
    for state, known in (
        (conversion(), last_sent()),
        (other, last_sent(DeliveryKind.RESTATEMENT, 540)),
        (conversion(ConversionStatus.PENDING), last_sent()),
        (conversion(REJECTED), last_sent(DeliveryKind.RETRACTION, 0)),
    ):
        assert next_step(GOOGLE, MAPPING, state, known, None, NOW) is None


def test_a_correction_has_the_name_and_time_that_were_sent() -> None:
    renamed = DestinationMapping(sale="Another name")
    moved = conversion(occurred_at=SOLD - timedelta(hours=3), commission=700)
    step = next_step(GOOGLE, renamed, moved, last_sent(), None, NOW)
    assert isinstance(step, DeliveryStep) and (step.event_name, step.occurred_at) == ("Affiliate sale", SOLD)


def test_a_platform_without_corrections_says_so() -> None:
    for state in (conversion(REJECTED), conversion(commission=700)):
        assert next_step(META, MAPPING, state, last_sent(), None, NOW) == skipped(SkipReason.NO_CORRECTIONS)
    assert next_step(META, MAPPING, conversion(), last_sent(), None, NOW) is None


def test_what_was_retracted_is_not_counted_again() -> None:
    known = last_sent(DeliveryKind.RETRACTION, 0)
    assert next_step(GOOGLE, MAPPING, conversion(), known, None, NOW) == skipped(SkipReason.RETRACTED)


def test_the_last_click_of_the_platform_in_the_visit_wins() -> None:
    first, last = click(timedelta(hours=3), gclid="first-id"), click(timedelta(hours=2), gclid="last-id")
    other, gone = click(timedelta(hours=1), msclkid="other"), replace(click(timedelta(hours=1)), ids=None)
    assert best_click(GOOGLE, [first, last, other]) is last
    assert best_click(GOOGLE, [gone, other]) is gone
    assert best_click(GOOGLE, [other]) is other
    assert best_click(GOOGLE, []) is None
