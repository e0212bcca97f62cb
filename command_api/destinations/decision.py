"""Decides what is sent of a conversion to a destination next, or why it cannot be sent. Pure.

conversion + click of the ad + what the platform has already -> `DeliveryStep`, `Skipped`, or nothing

A conversion goes out once, when it is approved. From then on its new amount is sent, or that it
counts no more, where the platform takes corrections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from command_api.conversions.model import APPROVED, PENDING, Conversion
from infra.domain.ad_platforms.rules import PlatformRules, click_id_of
from schemas.base import Money
from schemas.events.destinations import DestinationMapping, ReportedValue
from schemas.http.destinations import DeliveryKind


class SkipReason(StrEnum):
    """Why a conversion, or its correction, cannot be sent."""

    UNDECIDED = "undecided"
    NOT_APPROVED = "not_approved"
    NOT_MAPPED = "not_mapped"
    NOT_KEPT = "not_kept"
    NO_CLICK_ID = "no_click_id"
    ERASED = "erased"
    BAD_CLICK_ID = "bad_click_id"
    CLICK_TOO_OLD = "click_too_old"
    BEFORE_CLICK = "before_click"
    TOO_OLD = "too_old"
    NO_VALUE = "no_value"
    NO_CORRECTIONS = "no_corrections"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class AdClick:
    """The event of the visit that has the ad's click ids. `sealed`: as they are stored; `ids`: none if the key is
    gone."""

    event_id: UUID
    clicked_at: datetime
    sealed: str
    ids: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class LastSent:
    """The last that was sent of a conversion."""

    kind: DeliveryKind
    event_name: str
    occurred_at: datetime
    value: Money
    click: AdClick | None


@dataclass(frozen=True, slots=True)
class DeliveryStep:
    """The next to be sent. `value`: of the whole conversion from now on; nothing in a retraction."""

    kind: DeliveryKind
    event_name: str
    occurred_at: datetime
    value: Money
    click: AdClick | None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing can be sent."""

    reason: SkipReason


def next_step(
    rules: PlatformRules,
    mapping: DestinationMapping,
    conversion: Conversion,
    last_sent: LastSent | None,
    click: AdClick | None,
    now: datetime,
) -> DeliveryStep | Skipped | None:
    """None: the platform knows everything, or the conversion is being decided again. `click`: of a conversion that the
    platform does not know yet."""
    if last_sent is None:
        return _first(rules, mapping, conversion, click, now)
    if conversion.status is PENDING:
        return None
    is_counted, value = conversion.status is APPROVED, value_of(conversion, mapping.value)
    if last_sent.kind is DeliveryKind.RETRACTION:
        return Skipped(SkipReason.RETRACTED) if is_counted else None
    if is_counted and value == last_sent.value:
        return None
    if not rules.takes_corrections:
        return Skipped(SkipReason.NO_CORRECTIONS)
    kind = DeliveryKind.RESTATEMENT if is_counted else DeliveryKind.RETRACTION
    amount = value if is_counted else Money(amount=0, currency=last_sent.value.currency)
    return DeliveryStep(kind, last_sent.event_name, last_sent.occurred_at, amount, last_sent.click)


def value_of(conversion: Conversion, reported: ReportedValue) -> Money:
    """The commission or the sale, without what was reversed."""
    if reported is ReportedValue.COMMISSION:
        return Money(amount=conversion.net_commission, currency=conversion.currency)
    sale = conversion.facts.amount
    return Money(amount=sale.amount - conversion.reversed_amount, currency=sale.currency)


def _first(
    rules: PlatformRules,
    mapping: DestinationMapping,
    conversion: Conversion,
    click: AdClick | None,
    now: datetime,
) -> DeliveryStep | Skipped:
    facts = conversion.facts
    if conversion.status is PENDING or not conversion.is_attributed:
        return Skipped(SkipReason.UNDECIDED)
    if conversion.status is not APPROVED:
        return Skipped(SkipReason.NOT_APPROVED)
    name = mapping.lead if facts.kind == "lead" else mapping.sale
    if not name:
        return Skipped(SkipReason.NOT_MAPPED)
    value = value_of(conversion, mapping.value)
    if value.amount < 0 or (value.amount == 0 and facts.kind == "sale"):
        return Skipped(SkipReason.NO_VALUE)
    if rules.max_event_age is not None and now - facts.occurred_at > rules.max_event_age:
        return Skipped(SkipReason.TOO_OLD)
    problem = click_problem(rules, click, now)
    if problem is not None or click is None:
        return Skipped(problem or SkipReason.NO_CLICK_ID)
    if facts.occurred_at < click.clicked_at:
        return Skipped(SkipReason.BEFORE_CLICK)
    return DeliveryStep(DeliveryKind.CONVERSION, name, facts.occurred_at, value, click)


def click_problem(rules: PlatformRules, click: AdClick | None, now: datetime) -> SkipReason | None:
    """Why the platform cannot find the click."""
    if click is None:
        return SkipReason.NO_CLICK_ID
    if click.ids is None:
        return SkipReason.ERASED
    if click_id_of(rules, click.ids) is None:
        return SkipReason.BAD_CLICK_ID if click.ids.keys() & rules.click_ids.keys() else SkipReason.NO_CLICK_ID
    if rules.max_click_age is not None and now - click.clicked_at > rules.max_click_age:
        return SkipReason.CLICK_TOO_OLD
    return None
