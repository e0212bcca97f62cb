"""Partners: affiliate programs, what they pay, and since when. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final
from unicodedata import normalize
from uuid import UUID

from command_api import slugs
from command_api.decision import AnotherKind, Asked, begun, invalid, missing, step
from command_api.hosts import web_address
from infra.hidden_signs import HIDDEN
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
    PartnerUpdated,
    Terms,
    TermsKind,
    TiersBy,
)

MOST_FLAT: Final = 10**12
"""Minor units."""
MOST_ANNOUNCED: Final = 20
FURTHEST: Final = timedelta(days=5 * 366)

_SLUG: Final = re.compile(r"[^\s\x00-\x1f\x7f/?#%\\<>\"`{}|^]{1,100}")
"""What the web form makes of a name, and nothing that an address would have to escape or that markup is made of."""
_PRESET: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Since:
    """What holds from a moment on; of one that is still to come, `cookie_days` may change until then."""

    at: datetime
    terms: Terms
    cookie_days: int


@dataclass(frozen=True, slots=True)
class Partner:
    id: UUID
    version: int
    name: str
    slug: str
    base_url: str
    description: str
    cookie_days: int
    postback_preset: str | None
    is_active: bool
    created_at: datetime
    history: tuple[Since, ...]
    """By time, announced terms too."""
    removed: bool = False

    def held_at(self, moment: datetime) -> Since:
        """Terms and window for a click at `moment`; for one before the program was known, the first ones."""
        return next((since for since in reversed(self.history) if since.at <= moment), self.history[0])

    def covers(self, clicked_at: datetime, occurred_at: datetime) -> bool:
        """Whether a conversion at `occurred_at` is within the window of a click at `clicked_at`."""
        return occurred_at - clicked_at <= timedelta(days=self.held_at(clicked_at).cookie_days)


def register(
    partner_id: UUID,
    claim: slugs.Claim | None,
    *,
    name: str,
    slug: str,
    base_url: str,
    commission: float | None = None,
    terms: Terms | None = None,
    description: str,
    is_active: bool,
    cookie_days: int,
    postback_preset: str | None,
    asked: Asked,
) -> list[DomainEvent]:
    """`terms`, or a plain `commission` in percent; one of them is needed, and `terms` goes before."""
    if terms is None and commission is None:
        raise invalid("bad_commission", "A commission is needed.", "commission")
    registered = PartnerRegistered(
        **step(partner_id, 0, asked),
        name=_name(name),
        slug=checked_slug(slug),
        base_url=_base_url(base_url),
        description=description,
        terms=checked_terms(terms) if terms is not None else percent_terms(commission or 0),
        cookie_days=_cookie_days(cookie_days),
        postback_preset=_preset(postback_preset),
        is_active=is_active,
    )
    return [registered, slugs.claim("partner", registered.slug, partner_id, claim, asked)]


def update(
    partner: Partner | None,
    *,
    name: str | None = None,
    slug: str | None = None,
    base_url: str | None = None,
    commission: float | None = None,
    terms: Terms | None = None,
    description: str | None = None,
    is_active: bool | None = None,
    cookie_days: int | None = None,
    postback_preset: str | None = None,
    effective_from: datetime | None = None,
    asked: Asked,
) -> list[DomainEvent]:
    """Up to three events: details, terms, activity; none for what stays as it was.

    A plain `commission` changes the percentage and leaves hold and automatic approval as they are. The terms hold at
    once, or from `effective_from` on; those that were announced for the same moment before give way, others stay.
    """
    partner = listed(partner)
    if slug is not None and slug != partner.slug:
        raise invalid("slug_fixed", "A partner's slug cannot change.", "slug")
    wanted: dict[str, str | int | None] = {
        "name": _name(name) if name is not None else None,
        "base_url": _base_url(base_url) if base_url is not None else None,
        "description": description,
        "cookie_days": _cookie_days(cookie_days) if cookie_days is not None else None,
        "postback_preset": _preset(postback_preset),
    }
    details = {key: value for key, value in wanted.items() if value is not None and value != getattr(partner, key)}
    events: list[DomainEvent] = []
    version = partner.version
    if details:
        events.append(PartnerUpdated.model_validate({**step(partner.id, version, asked), **details}))
    begin = _beginning(partner, effective_from, asked.at)
    held = partner.held_at(begin or asked.at).terms
    if terms is None and commission is not None:
        kept = {"hold_days": held.hold_days, "auto_approve_days": held.auto_approve_days}
        terms = percent_terms(commission).model_copy(update=kept)
    if terms is None and begin is not None:
        raise invalid("bad_effective_from", "Please say what is paid from then on.", "effectiveFrom")
    if terms is not None and checked_terms(terms) != held:
        changed = CommissionChanged(**step(partner.id, version + len(events), asked), terms=terms, effective_from=begin)
        events.append(changed)
    if is_active is not None and is_active != partner.is_active:
        turned = PartnerActivated if is_active else PartnerDeactivated
        events.append(turned(**step(partner.id, version + len(events), asked)))
    return events


def remove(partner: Partner | None, asked: Asked) -> list[DomainEvent]:
    """Off every list, for good; a program that is active is switched off before."""
    partner = listed(partner)
    events: list[DomainEvent] = []
    if partner.is_active:
        events.append(PartnerDeactivated(**step(partner.id, partner.version, asked)))
    return [*events, PartnerRemoved(**step(partner.id, partner.version + len(events), asked))]


def listed(partner: Partner | None) -> Partner:
    """The partner, if it is there and was not removed. Raises `Refused` (missing)."""
    if partner is None or partner.removed:
        raise missing("partner")
    return partner


def percent_terms(commission: float) -> Terms:
    """A commission in percent, in steps of 0.01. Raises `Refused`."""
    basis_points = Decimal(str(commission)) * 100
    if basis_points != basis_points.to_integral_value():
        raise invalid("bad_commission", "A commission has at most two decimals.", "commission")
    if not 0 <= basis_points <= 10_000:
        raise invalid("bad_commission", "A commission is between 0 and 100 percent.", "commission")
    return Terms(kind=TermsKind.PERCENT, rate_bp=int(basis_points))


def _beginning(partner: Partner, given: datetime | None, now: datetime) -> datetime | None:
    """When announced terms begin. Raises `Refused`: the past keeps its terms, and what is announced stays countable."""
    if given is None:
        return None
    if not now < given <= now + FURTHEST:
        raise invalid("bad_effective_from", "New terms begin now, or within the next five years.", "effectiveFrom")
    announced = {since.at for since in partner.history if since.at > now}
    if len(announced | {given}) > MOST_ANNOUNCED:
        raise invalid("bad_effective_from", f"At most {MOST_ANNOUNCED} changes can be announced.", "effectiveFrom")
    return given


def checked_terms(terms: Terms) -> Terms:
    """The terms, if they can be paid by. Raises `Refused`."""
    by_percent, by_revenue = terms.kind is TermsKind.PERCENT, terms.tiers_by is TiersBy.REVENUE
    for code in (terms.flat_currency, terms.tiers_currency):
        if code is not None and code not in MINOR_DIGITS:
            raise invalid("unknown_currency", f"{code} is not an ISO 4217 currency.", "terms")
    if by_percent and (terms.flat_amount or terms.flat_currency or any(tier.flat_amount for tier in terms.tiers)):
        raise invalid("bad_terms", "Terms in percent name no flat sum.", "terms")
    if not by_percent and (terms.rate_bp or any(tier.rate_bp for tier in terms.tiers)):
        raise invalid("bad_terms", "Terms with a flat sum name no percentage.", "terms")
    if not by_percent and terms.flat_currency is None:
        raise invalid("bad_terms", "A flat sum needs a currency.", "terms")
    if (terms.tiers_currency is None) is (by_revenue and bool(terms.tiers)):
        raise invalid("bad_terms", "Tiers by revenue, and only those, name the currency of their thresholds.", "terms")
    thresholds = [tier.at_least for tier in terms.tiers]
    if thresholds != sorted(set(thresholds)):
        raise invalid("bad_terms", "Each tier begins above the one before.", "terms")
    if terms.flat_amount > MOST_FLAT or any(tier.flat_amount > MOST_FLAT for tier in terms.tiers):
        raise invalid("amount_too_large", f"A flat sum is at most {MOST_FLAT} minor units.", "terms")
    return terms


def percent(terms: Terms) -> float | None:
    """The percentage of the sale, before any tier; none for flat sums."""
    return terms.rate_bp / 100 if terms.kind is TermsKind.PERCENT else None


def slug_of(name: str) -> str:
    """The slug that a name gives: lower case, runs of white space become hyphens."""
    return normalize("NFC", re.sub(r"\s+", "-", name.strip().lower()))


def checked_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug) or slug != slug.lower() or HIDDEN.search(slug):
        message = 'A slug has up to 100 lower-case characters, no spaces and none of / ? # % \\ < > " ` { } | ^.'
        raise invalid("bad_slug", message, "slug")
    if slug != normalize("NFC", slug):
        raise invalid("bad_slug", "A slug is written in composed characters (Unicode NFC).", "slug")
    if slug in slugs.RESERVED or not any(sign.isalnum() for sign in slug):
        why = f"{slug} is reserved." if slug in slugs.RESERVED else "A slug needs a letter or a digit."
        raise invalid("bad_slug", why, "slug")
    return slug


def evolve(partner: Partner | None, event: DomainEvent) -> Partner:
    if isinstance(event, PartnerRegistered):
        return Partner(
            id=event.originator_id,
            version=1,
            name=event.name,
            slug=event.slug,
            base_url=event.base_url,
            description=event.description,
            cookie_days=event.cookie_days,
            postback_preset=event.postback_preset,
            is_active=event.is_active,
            created_at=event.timestamp,
            history=(Since(event.timestamp, event.terms, event.cookie_days),),
        )
    partner = replace(begun(partner, event), version=event.originator_version)
    match event:
        case PartnerUpdated():
            changed = replace(
                partner,
                name=event.name or partner.name,
                base_url=event.base_url or partner.base_url,
                description=partner.description if event.description is None else event.description,
                cookie_days=event.cookie_days or partner.cookie_days,
                postback_preset=event.postback_preset or partner.postback_preset,
            )
            return _with_window(changed, event.timestamp)
        case CommissionChanged():
            return _with_terms(partner, event.effective_at, event.terms)
        case PartnerActivated():
            return replace(partner, is_active=True)
        case PartnerDeactivated():
            return replace(partner, is_active=False)
        case PartnerRemoved():
            return replace(partner, is_active=False, removed=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to partners")


def after(partner: Partner | None, events: Sequence[DomainEvent]) -> Partner:
    """The state once `events` have happened; there must be one."""
    for event in events:
        partner = evolve(partner, event)
    assert partner is not None  # noqa: S101 - decisions refuse without one
    return partner


def _with_terms(partner: Partner, at: datetime, terms: Terms) -> Partner:
    others = [since for since in partner.history if since.at != at]
    history = [*others, Since(at, terms, partner.cookie_days)]
    return replace(partner, history=tuple(sorted(history, key=lambda since: since.at)))


def _with_window(partner: Partner, at: datetime) -> Partner:
    """The window of the partner holds from `at` on, under announced terms too."""
    now, days = partner.held_at(at), partner.cookie_days
    if now.cookie_days == days:
        return partner
    before = [since for since in partner.history if since.at < at]
    after = [replace(since, cookie_days=days) for since in partner.history if since.at > at]
    return replace(partner, history=(*before, Since(at, now.terms, days), *after))


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 100:
        raise invalid("bad_name", "A partner's name has 1 to 100 characters.", "name")
    if HIDDEN.search(name):
        raise invalid("bad_name", "A partner's name holds no invisible characters.", "name")
    return name


def _base_url(text: str) -> str:
    return web_address(text.strip(), "baseUrl").geturl()


def _cookie_days(days: int) -> int:
    if not 1 <= days <= 365:
        raise invalid("bad_cookie_days", "The window is 1 to 365 days.", "cookieDays")
    return days


def _preset(preset: str | None) -> str | None:
    if preset is not None and not _PRESET.fullmatch(preset):
        raise invalid("bad_preset", "A postback preset is the short name of a network.", "postbackPreset")
    return preset
