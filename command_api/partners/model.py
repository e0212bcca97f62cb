"""Partner aggregate: affiliate programs and their dated terms. Pure."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import urlsplit
from uuid import UUID

from command_api.kernel.aggregates import given_fields, next_event, shared_fields
from command_api.kernel.decision import CommandContext, event_metadata, invalid, not_found
from command_api.kernel.hostnames import web_address
from command_api.partners import slug_reservation
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
    PartnerTransferred,
    PartnerUpdated,
    Terms,
    TermsKind,
    TiersBy,
)
from schemas.evolution import Evolution
from schemas.networks import NETWORKS, PARAMETER_PATTERN, click_id_parameter, network_of_host

MAX_FLAT_AMOUNT: Final = 10**12
"""Minor units."""
MAX_ANNOUNCED_TERMS: Final = 20
MAX_PRIVATE: Final = 100
"""Private partners of an account."""
MAX_TERMS_OFFSET: Final = timedelta(days=5 * 366)

_SLUG: Final = re.compile(r"[^\s\x00-\x1f\x7f/?#%\\<>\"`{}|^]{1,100}")
"""A slug that the web form may make of a name: nothing that an address would have to escape or that markup is made
of."""
_NOT_IN_SLUG: Final = re.compile(r"[\s\x00-\x1f\x7f/?#%\\<>\"`{}|^]+")
_SLUG_ENDING: Final = 8
_SLUG_DIGITS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_PARAMETER: Final = re.compile(PARAMETER_PATTERN)


@dataclass(frozen=True, slots=True)
class TermsPeriod:
    """Terms from a moment on; `cookie_days` of future terms may change until then."""

    at: datetime
    terms: Terms
    cookie_days: int


@dataclass(frozen=True, slots=True)
class Partner:
    """State of a partner. A click is paid by the terms of its time."""

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
    history: tuple[TermsPeriod, ...]
    """Sorted by time, including announced terms."""
    removed: bool = False
    click_id_parameter: str | None = None
    """Its own, instead of its network's."""
    account_id: UUID | None = None
    """Whose private partner it is; none: of the directory."""

    @property
    def passed_parameter(self) -> str:
        """The parameter in which its links pass the click id; empty: none is known."""
        return click_id_parameter(self.click_id_parameter, self.postback_preset)

    def terms_at(self, moment: datetime) -> TermsPeriod:
        """Returns terms and window at `moment`; the first ones before the partner existed."""
        return next((since for since in reversed(self.history) if since.at <= moment), self.history[0])

    def is_within_window(self, clicked_at: datetime, occurred_at: datetime) -> bool:
        """Returns whether a conversion at `occurred_at` is within the window of a click at `clicked_at`."""
        return occurred_at - clicked_at <= timedelta(days=self.terms_at(clicked_at).cookie_days)

    def is_for(self, account_id: UUID) -> bool:
        """Returns whether websites of the account may use it."""
        return self.account_id is None or self.account_id == account_id


def register(
    partner_id: UUID,
    reservation: slug_reservation.SlugReservation | None,
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
    click_id_parameter: str | None = None,
    account_id: UUID | None = None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Registers a partner. `terms`, or a plain `commission` in percent; one of them is needed, and `terms` goes before.

    Without a preset the network is the one that the base URL's host belongs to, if any. `account_id`: whose private
    partner it is.
    """
    if terms is None and commission is None:
        raise invalid("bad_commission", "Enter a commission.", "commission")
    address = site_address(base_url, "baseUrl")
    registered = PartnerRegistered(
        **event_metadata(partner_id, 0, context),
        name=checked_name(name),
        slug=checked_slug(slug),
        base_url=address,
        description=description,
        terms=checked_terms(terms) if terms is not None else percent_terms(commission or 0),
        cookie_days=_cookie_days(cookie_days),
        postback_preset=_preset(postback_preset) or _recognised(address),
        is_active=is_active,
        click_id_parameter=_parameter(click_id_parameter) or None,
        account_id=account_id,
    )
    return [registered, slug_reservation.reserve("partner", registered.slug, partner_id, reservation, context)]


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
    click_id_parameter: str | None = None,
    effective_from: datetime | None = None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Updates the partner by up to three events: details, terms, activity; none for what stays as it was.

    A plain `commission` changes the percentage and leaves hold and automatic approval as they are. The terms hold at
    once, or from `effective_from` on; those that were announced for the same moment before give way, others stay.
    """
    partner = require_active(partner)
    if slug is not None and slug != partner.slug:
        raise invalid("slug_fixed", "A partner's slug cannot change.", "slug")
    requested: dict[str, str | int | None] = {
        "name": checked_name(name) if name is not None else None,
        "base_url": site_address(base_url, "baseUrl") if base_url is not None else None,
        "description": description,
        "cookie_days": _cookie_days(cookie_days) if cookie_days is not None else None,
        "postback_preset": _preset(postback_preset),
        "click_id_parameter": _parameter(click_id_parameter),
    }
    details = {
        key: value for key, value in requested.items() if value is not None and value != (getattr(partner, key) or "")
    }
    events: list[DomainEvent] = []
    version = partner.version
    if details:
        head = {**event_metadata(partner.id, version, context), "account_id": partner.account_id}
        events.append(PartnerUpdated.model_validate({**head, **details}))
    begin = _effective_from(partner, effective_from, context.at)
    held = partner.terms_at(begin or context.at).terms
    if terms is None and commission is not None:
        kept = {"hold_days": held.hold_days, "auto_approve_days": held.auto_approve_days}
        terms = percent_terms(commission).model_copy(update=kept)
    if terms is None and begin is not None:
        raise invalid("bad_effective_from", "Enter the commission from that date on.", "effectiveFrom")
    if terms is not None and checked_terms(terms) != held:
        changed = CommissionChanged(
            **event_metadata(partner.id, version + len(events), context),
            terms=terms,
            effective_from=begin,
            account_id=partner.account_id,
        )
        events.append(changed)
    if is_active is not None and is_active != partner.is_active:
        turned = PartnerActivated if is_active else PartnerDeactivated
        events.append(turned(**event_metadata(partner.id, version + len(events), context)))
    return events


def remove(partner: Partner | None, context: CommandContext, *, owner_erased: bool = False) -> list[DomainEvent]:
    """Removes the partner permanently; an active one is deactivated first."""
    partner = require_active(partner)
    events: list[DomainEvent] = []
    if partner.is_active:
        events.append(PartnerDeactivated(**next_event(partner, context)))
    return [*events, PartnerRemoved(**next_event(partner, context, after=len(events)), owner_erased=owner_erased)]


def require_active(partner: Partner | None) -> Partner:
    """Returns the partner. Raises `CommandRejected` (missing) if it does not exist or was removed."""
    if partner is None or partner.removed:
        raise not_found("partner")
    return partner


def require_private(partner: Partner | None, context: CommandContext) -> Partner:
    """Returns the private partner. Raises `CommandRejected` (missing) unless the actor may act for its owner."""
    partner = require_active(partner)
    if partner.account_id is None or not context.may_act_for(partner.account_id):
        raise not_found("partner")
    return partner


def transfer(partner: Partner, account_id: UUID, context: CommandContext) -> PartnerTransferred:
    """Moves a private partner, also a removed one, to the account that gets the website which uses it."""
    return PartnerTransferred(**next_event(partner, context), account_id=account_id)


def require_in_directory(partner: Partner | None) -> Partner:
    """Returns the partner. Raises `CommandRejected` (missing) for a private one, too."""
    partner = require_active(partner)
    if partner.account_id is not None:
        raise not_found("partner")
    return partner


def percent_terms(commission: float) -> Terms:
    """A commission in percent, in steps of 0.01. Raises `CommandRejected`."""
    basis_points = Decimal(str(commission)) * 100
    if basis_points != basis_points.to_integral_value():
        raise invalid("bad_commission", "A commission has at most two decimals.", "commission")
    if not 0 <= basis_points <= 10_000:
        raise invalid("bad_commission", "A commission is between 0 and 100 percent.", "commission")
    return Terms(kind=TermsKind.PERCENT, rate_bp=int(basis_points))


def _effective_from(partner: Partner, given: datetime | None, now: datetime) -> datetime | None:
    """Returns when new terms begin. Raises `CommandRejected` for past dates and for too many announced terms."""
    if given is None:
        return None
    if not now < given <= now + MAX_TERMS_OFFSET:
        raise invalid("bad_effective_from", "New terms must begin now or within the next five years.", "effectiveFrom")
    announced = {since.at for since in partner.history if since.at > now}
    if len(announced | {given}) > MAX_ANNOUNCED_TERMS:
        raise invalid("bad_effective_from", f"At most {MAX_ANNOUNCED_TERMS} changes can be announced.", "effectiveFrom")
    return given


def checked_terms(terms: Terms) -> Terms:
    """Returns valid terms. Raises `CommandRejected`."""
    by_percent, by_revenue = terms.kind is TermsKind.PERCENT, terms.tiers_by is TiersBy.REVENUE
    for code in (terms.flat_currency, terms.tiers_currency):
        if code is not None and code not in MINOR_DIGITS:
            raise invalid("unknown_currency", f"{code} is not an ISO 4217 currency.", "terms")
    if by_percent and (terms.flat_amount or terms.flat_currency or any(tier.flat_amount for tier in terms.tiers)):
        raise invalid("bad_terms", "Percent terms have no flat amount.", "terms")
    if not by_percent and (terms.rate_bp or any(tier.rate_bp for tier in terms.tiers)):
        raise invalid("bad_terms", "Flat terms have no percentage.", "terms")
    if not by_percent and terms.flat_currency is None:
        raise invalid("bad_terms", "A flat amount needs a currency.", "terms")
    if (terms.tiers_currency is None) is (by_revenue and bool(terms.tiers)):
        raise invalid("bad_terms", "Tiers by revenue need a currency; other tiers have none.", "terms")
    thresholds = [tier.at_least for tier in terms.tiers]
    if thresholds != sorted(set(thresholds)):
        raise invalid("bad_terms", "Each tier must begin above the previous one.", "terms")
    if terms.flat_amount > MAX_FLAT_AMOUNT or any(tier.flat_amount > MAX_FLAT_AMOUNT for tier in terms.tiers):
        raise invalid("amount_too_large", f"A flat amount is at most {MAX_FLAT_AMOUNT} minor units.", "terms")
    return terms


def percent(terms: Terms) -> float | None:
    """Returns the base percentage; `None` for flat terms."""
    return terms.rate_bp / 100 if terms.kind is TermsKind.PERCENT else None


def slug_of(name: str) -> str:
    """Returns the slug of a name: lower case, whitespace becomes hyphens."""
    return normalize("NFC", re.sub(r"\s+", "-", name.strip().lower()))


def private_slug(name: str) -> str:
    """Returns a slug for a private partner: of its name, with an ending at random. So it neither tells that another
    member has a partner of that name, nor can it be guessed."""
    begin = _NOT_IN_SLUG.sub("-", HIDDEN.sub("", slug_of(name))).strip("-")[: 99 - _SLUG_ENDING]
    ending = "".join(secrets.choice(_SLUG_DIGITS) for _ in range(_SLUG_ENDING))
    return normalize("NFC", f"{begin}-{ending}" if begin else ending)


def checked_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug) or slug != slug.lower() or HIDDEN.search(slug):
        message = 'A slug has up to 100 lower-case characters, no spaces and none of / ? # % \\ < > " ` { } | ^.'
        raise invalid("bad_slug", message, "slug")
    if slug != normalize("NFC", slug):
        raise invalid("bad_slug", "A slug is written in composed characters (Unicode NFC).", "slug")
    if slug in slug_reservation.RESERVED or not any(sign.isalnum() for sign in slug):
        why = f"{slug} is reserved." if slug in slug_reservation.RESERVED else "A slug needs a letter or a digit."
        raise invalid("bad_slug", why, "slug")
    return slug


evolve: Final = (
    Evolution(Partner)
    .follows(PartnerActivated, is_active=True)
    .follows(PartnerDeactivated, is_active=False)
    .follows(PartnerRemoved, but="account_id", is_active=False, removed=True)
    .follows(PartnerTransferred)
)


@evolve.begun(PartnerRegistered)
def _registered(event: PartnerRegistered) -> dict[str, Any]:
    history = (TermsPeriod(event.timestamp, event.terms, event.cookie_days),)
    return {**shared_fields(event, Partner), "created_at": event.timestamp, "history": history}


@evolve.on(PartnerUpdated)
def _updated(partner: Partner, event: PartnerUpdated) -> dict[str, Any]:
    changes = given_fields(event, Partner)
    if event.click_id_parameter == "":
        changes["click_id_parameter"] = None
    return {**changes, "history": _with_window(partner, event.cookie_days or partner.cookie_days, event.timestamp)}


@evolve.on(CommissionChanged)
def _new_terms(partner: Partner, event: CommissionChanged) -> dict[str, Any]:
    others = [since for since in partner.history if since.at != event.effective_at]
    history = [*others, TermsPeriod(event.effective_at, event.terms, partner.cookie_days)]
    return {"history": tuple(sorted(history, key=lambda since: since.at))}


def _with_window(partner: Partner, days: int, at: datetime) -> tuple[TermsPeriod, ...]:
    """The terms with a window of so many days from `at` on, also announced ones."""
    now = partner.terms_at(at)
    if now.cookie_days == days:
        return partner.history
    earlier = [since for since in partner.history if since.at < at]
    later = [replace(since, cookie_days=days) for since in partner.history if since.at > at]
    return (*earlier, TermsPeriod(at, now.terms, days), *later)


def checked_name(name: str) -> str:
    """Returns the name of a program, trimmed. Raises `CommandRejected`."""
    name = name.strip()
    if not 1 <= len(name) <= 100:
        raise invalid("bad_name", "A partner's name has 1 to 100 characters.", "name")
    if HIDDEN.search(name):
        raise invalid("bad_name", "A partner's name must not contain invisible characters.", "name")
    return name


def site_address(text: str, field: str) -> str:
    """Returns the address of a program's site as it is typed, https where no scheme is. Raises `CommandRejected`."""
    typed = text.strip()
    return web_address(typed if "://" in typed or not typed else f"https://{typed}", field).geturl()


def _cookie_days(days: int) -> int:
    if not 1 <= days <= 365:
        raise invalid("bad_cookie_days", "The window is 1 to 365 days.", "cookieDays")
    return days


def _preset(preset: str | None) -> str | None:
    if preset is not None and preset not in NETWORKS:
        raise invalid("bad_preset", f"Unknown network. Known are {', '.join(NETWORKS)}.", "postbackPreset")
    return preset


def _parameter(name: str | None) -> str | None:
    if name and not _PARAMETER.fullmatch(name):
        message = (
            "A click ID parameter has up to 64 letters, digits and . _ ~ - (a colon at its end: part of the path)."
        )
        raise invalid("bad_click_id_parameter", message, "clickIdParameter")
    return name


def _recognised(base_url: str) -> str | None:
    """The network whose links are on the host of the program's address."""
    network = network_of_host(urlsplit(base_url).hostname or "")
    return network.slug if network is not None else None
