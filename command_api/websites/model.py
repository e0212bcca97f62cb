"""Website aggregate: settings, keys and traffic rules. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import idna

from command_api.kernel.aggregates import first_event, given_fields, next_event
from command_api.kernel.decision import CommandContext, conflict, event_metadata, invalid, not_found
from command_api.kernel.hostnames import website_domain
from command_api.websites.keys import NewKey
from infra.domain.retention import TAKEN_BACK_WITHIN, expired_before
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.base import DomainEvent
from schemas.claim_limits import DEFAULT_MAX_CLAIMS_PER_CLICK, MAX_CLAIMS_PER_CLICK, default_max_claim
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events import websites
from schemas.events.websites import (
    DEFAULT_AD_CLICK_ID_DAYS,
    MAX_AD_CLICK_ID_DAYS,
    AttributionModel,
    KeyKind,
    TrafficConditions,
    TrafficMark,
)
from schemas.evolution import Evolution
from schemas.networks import TxidScope
from schemas.tracking import MAX_IMPRESSIONS_EVERY
from schemas.zones import ZoneInfo, available_timezones

T = TypeVar("T")
MAX_LIVE_KEYS: Final = {KeyKind.SITE: 5, KeyKind.SECRET: 2, KeyKind.POSTBACK: 20}
MAX_KEY_NAME: Final = 60
MAX_ORIGINS: Final = 20
MAX_PER_ACCOUNT: Final = 500
MAX_RULES: Final = 50
MAX_RULE_PERIOD: Final = timedelta(days=366)
_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"(\*\.)?[a-z0-9_-][a-z0-9_.-]*|[0-9a-f:.]*:[0-9a-f:.]*")
_NO_ZONES: Final = {"localtime", "Factory"}
"""Zone files that are no zones: other engines do not know them."""


@dataclass(frozen=True, slots=True)
class WebsiteKeyState:
    """State of one key. `hash`: SHA-256 of its text, which is stored for site keys alone: they are public.
    `is_bound`: whether it works for some origins only."""

    kind: KeyKind
    revoked: bool = False
    hash: str = ""
    public_key: str = ""
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class ClaimLimits:
    """Owner's limits for claims with the public site key; `None`: the default."""

    max_amount: int | None = None
    max_per_click: int | None = None


@dataclass(frozen=True, slots=True)
class Website:
    """State of one website, with its keys and traffic rules."""

    id: UUID
    version: int
    account_id: UUID
    domain: str
    timezone: str
    currency: str
    created_at: datetime
    attribution_model: AttributionModel = AttributionModel.LAST_CLICK
    disconnected: bool = False
    named_at: datetime | None = None
    """The time of the last change of the domain: earlier measurements belong to the previous domain."""
    keys: Mapping[UUID, WebsiteKeyState] = field(default_factory=dict)
    claim_limits: ClaimLimits = field(default_factory=ClaimLimits)
    link_click_ids: bool = False
    """The script adds click ids to the affiliate links of the pages."""
    link_impressions_every: int = 0
    """One page view of so many reports which affiliate links were in view; 0: none."""
    txid_scope: TxidScope = TxidScope.WEBSITE
    """Within what the transaction ids are unique that its own systems report."""
    keep_ad_click_ids: bool = False
    """Click ids of advertising networks are kept."""
    ad_click_id_days: int = DEFAULT_AD_CLICK_ID_DAYS
    ad_click_ids_need_consent: bool = False

    @property
    def max_claim_amount(self) -> int:
        """The largest sale that the public site key may claim, in minor units of the website's currency."""
        return self.claim_limits.max_amount or default_max_claim(self.currency)

    @property
    def max_claims_per_click(self) -> int:
        """Transactions that one click may claim within an hour."""
        return self.claim_limits.max_per_click or DEFAULT_MAX_CLAIMS_PER_CLICK

    raw_months: int | None = None
    """The months for which single events are kept; none: permanently."""
    retention_changed_at: datetime | None = None
    expired_before: date | None = None
    """Single events of earlier UTC days are gone."""
    rules: frozenset[UUID] = frozenset()
    """Active traffic rules."""
    undone: frozenset[UUID] = frozenset()

    @property
    def retention_applies_from(self) -> datetime | None:
        """Returns the time before which no event expires; `None`: no event ever does."""
        if self.raw_months is None or self.retention_changed_at is None:
            return None
        return self.retention_changed_at + TAKEN_BACK_WITHIN

    @property
    def page_key(self) -> str:
        """The text of a site key that works on every page; empty if there is none."""
        return next(
            (key.public_key for key in self.keys.values() if key.public_key and not key.revoked and not key.is_bound),
            "",
        )

    def live_keys(self, kind: KeyKind) -> int:
        return sum(1 for key in self.keys.values() if key.kind is kind and not key.revoked)


def connect(
    website_id: UUID, *, domain: str, timezone: str, currency: str, keys: Sequence[NewKey], context: CommandContext
) -> list[DomainEvent]:
    connected = websites.WebsiteConnected(
        **first_event(website_id, context),
        account_id=context.require_account(),
        domain=website_domain(domain),
        timezone=known_timezone(timezone),
        currency=known_currency(currency),
    )
    issued = [_issued(website_id, 1 + number, key, (), context) for number, key in enumerate(keys)]
    return [connected, *issued]


def update(
    website: Website | None,
    *,
    domain: str | None = None,
    timezone: str | None = None,
    currency: str | None = None,
    attribution_model: AttributionModel | None = None,
    max_claim_amount: int | None = None,
    max_claims_per_click: int | None = None,
    link_click_ids: bool | None = None,
    link_impressions_every: int | None = None,
    txid_scope: TxidScope | None = None,
    keep_ad_click_ids: bool | None = None,
    ad_click_id_days: int | None = None,
    ad_click_ids_need_consent: bool | None = None,
    context: CommandContext,
) -> list[DomainEvent]:
    website = require_owned(website, context)
    if max_claim_amount is not None and not 1 <= max_claim_amount <= MAX_AMOUNT:
        raise invalid("bad_claim_limit", "The limit is an amount above zero.", "maxClaimAmount")
    if max_claims_per_click is not None and not 1 <= max_claims_per_click <= MAX_CLAIMS_PER_CLICK:
        message = f"The limit is a number from 1 to {MAX_CLAIMS_PER_CLICK:,}."
        raise invalid("bad_claim_limit", message, "maxClaimsPerClick")
    if link_impressions_every is not None and not 0 <= link_impressions_every <= MAX_IMPRESSIONS_EVERY:
        message = f"Choose one page view in 1 to {MAX_IMPRESSIONS_EVERY:,}, or 0 for none."
        raise invalid("bad_sampling", message, "linkImpressionsEvery")
    if ad_click_id_days is not None and not 1 <= ad_click_id_days <= MAX_AD_CLICK_ID_DAYS:
        raise invalid("bad_days", f"Choose from 1 to {MAX_AD_CLICK_ID_DAYS} days.", "adClickIdDays")
    if currency is not None and currency != website.currency:
        raise invalid("currency_fixed", "A website's currency cannot change: its history uses it.", "currency")
    requested = {
        "domain": website_domain(domain) if domain is not None else None,
        "timezone": known_timezone(timezone) if timezone is not None else None,
        "attribution_model": attribution_model,
        "max_claim_amount": max_claim_amount,
        "max_claims_per_click": max_claims_per_click,
        "link_click_ids": link_click_ids,
        "link_impressions_every": link_impressions_every,
        "txid_scope": txid_scope,
        "keep_ad_click_ids": keep_ad_click_ids,
        "ad_click_id_days": ad_click_id_days,
        "ad_click_ids_need_consent": ad_click_ids_need_consent,
    }
    changed = {
        name: value for name, value in requested.items() if value is not None and value != getattr(website, name)
    }
    if not changed:
        return []
    metadata = next_event(website, context)
    return [websites.WebsiteUpdated.model_validate({**metadata, "account_id": website.account_id, **changed})]


def change_retention(website: Website | None, raw_months: int | None, context: CommandContext) -> list[DomainEvent]:
    """Keeps single events for so many whole months before the current one; none: permanently. The same again changes
    nothing. What is gone does not come back."""
    website = require_owned(website, context)
    if raw_months is not None and not 1 <= raw_months <= websites.MAX_RAW_MONTHS:
        message = f"Individual events are stored for 1 to {websites.MAX_RAW_MONTHS} months, or permanently."
        raise invalid("bad_retention", message, "rawMonths")
    if raw_months == website.raw_months:
        return []
    return [websites.WebsiteRetentionChanged(**next_event(website, context), raw_months=raw_months)]


def expire_events(
    website: Website | None, first_day: date, window_days: int, context: CommandContext
) -> list[DomainEvent]:
    """Expires events that are older than the setting allows, also of a website that was removed, and none within a day
    after the setting was changed. `first_day`: of its first event, UTC. `window_days`: the longest window of the
    partners whose clicks it has."""
    if website is None or website.raw_months is None:
        return []
    applies_from = website.retention_applies_from
    if applies_from is None or context.at < applies_from:
        return []
    cutoff = expired_before(website.raw_months, ZoneInfo(website.timezone), context.at, window_days)
    if cutoff <= first_day or (website.expired_before is not None and cutoff <= website.expired_before):
        return []
    return [websites.WebsiteEventsExpired(**next_event(website, context), before=cutoff)]


def disconnect(website: Website | None, context: CommandContext, *, owner_erased: bool = False) -> list[DomainEvent]:
    website = require_owned(website, context)
    return [websites.WebsiteDisconnected(**next_event(website, context), owner_erased=owner_erased)]


def transfer(
    website: Website | None, from_id: UUID, to_id: UUID, offer_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Moves a sold website. Keys that are secrets end, as the seller knows them; site keys are public and go on."""
    if website is None or website.disconnected or website.account_id != from_id:
        raise conflict("website_gone", "The seller no longer has this website here, so it cannot move.")
    secrets = [id_ for id_, key in website.keys.items() if key.kind is not KeyKind.SITE and not key.revoked]
    revoked = [
        websites.WebsiteKeyRevoked(**next_event(website, context, after=number), key_id=key_id)
        for number, key_id in enumerate(secrets)
    ]
    moved = websites.WebsiteTransferred(
        **next_event(website, context, after=len(revoked)),
        account_id=to_id,
        from_id=from_id,
        offer_id=offer_id,
        domain=website.domain,
    )
    return [*revoked, moved]


def issue_key(
    website: Website | None, key: NewKey, *, allowed_origins: Sequence[str] = (), context: CommandContext
) -> list[websites.WebsiteKeyIssued]:
    website = require_owned(website, context)
    most = MAX_LIVE_KEYS[key.kind]
    if website.live_keys(key.kind) >= most:
        raise conflict("too_many_keys", f"{most} keys of this kind may be in use at once. Revoke one first.", "kind")
    if allowed_origins and key.kind is not KeyKind.SITE:
        raise invalid("origins_not_allowed", "Only site keys can be bound to origins.", "allowedOrigins")
    return [_issued(website.id, website.version, key, _origins(allowed_origins), context)]


def revoke_key(website: Website | None, key_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Revokes a key; idempotent."""
    website = require_owned(website, context)
    key = website.keys.get(key_id)
    if key is None:
        raise not_found("key")
    if key.revoked:
        return []
    return [websites.WebsiteKeyRevoked(**next_event(website, context), key_id=key_id)]


def remark_traffic(
    website: Website | None,
    rule_id: UUID,
    *,
    since: datetime,
    until: datetime,
    mark: TrafficMark,
    conditions: TrafficConditions,
    note: str,
    context: CommandContext,
) -> list[websites.WebsiteTrafficRemarked]:
    website = require_owned(website, context)
    if not since < until:
        raise invalid("empty_period", "The period ends before it begins.", "until")
    if until - since > MAX_RULE_PERIOD:
        raise invalid("long_period", f"A rule is for at most {MAX_RULE_PERIOD.days} days.", "until")
    if website.expired_before is not None and until <= datetime.combine(website.expired_before, time(), UTC):
        message = f"Individual events before {website.expired_before} were deleted; a rule applies to later ones only."
        raise invalid("expired_period", message, "until")
    if len(website.rules) >= MAX_RULES:
        raise conflict("too_many_rules", f"A website has at most {MAX_RULES} rules. Undo one first.")
    return [
        websites.WebsiteTrafficRemarked(
            **next_event(website, context),
            rule_id=rule_id,
            since=since,
            until=until,
            mark=mark,
            conditions=conditions,
            note=note.strip(),
        )
    ]


def undo_remark(website: Website | None, rule_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Undoes a rule; idempotent."""
    website = require_owned(website, context)
    if rule_id in website.undone:
        return []
    if rule_id not in website.rules:
        raise not_found("rule")
    return [websites.WebsiteTrafficRemarkUndone(**next_event(website, context), rule_id=rule_id)]


def require_owned(website: Website | None, context: CommandContext, what: str = "website") -> Website:
    """Returns the website. Raises `CommandRejected` (missing) unless it exists and the actor may act for its owner.
    `what` is named: the thing of the website that the command names, as if it did not exist."""
    if website is None or website.disconnected or not context.may_act_for(website.account_id):
        raise not_found(what)
    return website


def known_timezone(name: str) -> str:
    if name not in _zones():
        raise invalid("unknown_timezone", f"{name[:60]} is not an IANA time zone.", "timezone")
    return name


def known_currency(code: str) -> str:
    if code not in MINOR_DIGITS:
        raise invalid("unknown_currency", f"{code[:10]} is not an ISO 4217 currency.", "currency")
    return code


evolve: Final = (
    Evolution(Website)
    .begins(websites.WebsiteConnected, at="created_at")
    .follows(websites.WebsiteRetentionChanged, at="retention_changed_at")
    .follows(websites.WebsiteEventsExpired, takes={"expired_before": "before"})
    .follows(websites.WebsiteTransferred)
    .follows(websites.WebsiteDisconnected, disconnected=True)
)


@evolve.on(websites.WebsiteKeyIssued)
def _key_issued(website: Website, event: websites.WebsiteKeyIssued) -> dict[str, Any]:
    return {"keys": {**website.keys, event.key_id: _key_state(event)}}


@evolve.on(websites.WebsiteKeyRevoked)
def _key_revoked(website: Website, event: websites.WebsiteKeyRevoked) -> dict[str, Any]:
    return {"keys": {**website.keys, event.key_id: replace(website.keys[event.key_id], revoked=True)}}


@evolve.on(websites.WebsiteTrafficRemarked)
def _remarked(website: Website, event: websites.WebsiteTrafficRemarked) -> dict[str, Any]:
    return {"rules": website.rules | {event.rule_id}}


@evolve.on(websites.WebsiteTrafficRemarkUndone)
def _remark_undone(website: Website, event: websites.WebsiteTrafficRemarkUndone) -> dict[str, Any]:
    return {"rules": website.rules - {event.rule_id}, "undone": website.undone | {event.rule_id}}


@evolve.on(websites.WebsiteUpdated)
def _updated(website: Website, event: websites.WebsiteUpdated) -> dict[str, Any]:
    limits = ClaimLimits(
        event.max_claim_amount or website.claim_limits.max_amount,
        event.max_claims_per_click or website.claim_limits.max_per_click,
    )
    is_renamed = _is_changed(event.domain, website.domain)
    return given_fields(event, Website) | {
        "claim_limits": limits,
        "named_at": event.timestamp if is_renamed else website.named_at,
    }


def _is_changed(domain: str | None, current: str) -> bool:
    return domain is not None and domain.removeprefix("www.") != current.removeprefix("www.")


def _issued(
    website_id: UUID, version: int, key: NewKey, origins: tuple[str, ...], context: CommandContext
) -> websites.WebsiteKeyIssued:
    return websites.WebsiteKeyIssued(
        **event_metadata(website_id, version, context),
        key_id=key.id,
        kind=key.kind,
        key_hash=key.hash,
        last4=key.text[-4:],
        public_key=key.text if key.kind is KeyKind.SITE else None,
        allowed_origins=origins,
        name=_key_name(key.name),
        is_readable=key.kind is KeyKind.POSTBACK,
    )


def _key_state(event: websites.WebsiteKeyIssued) -> WebsiteKeyState:
    return WebsiteKeyState(
        event.kind, hash=event.key_hash, public_key=event.public_key or "", is_bound=bool(event.allowed_origins)
    )


def _key_name(name: str) -> str:
    name = name.strip()
    if len(name) > MAX_KEY_NAME or not (name.isprintable() or not name) or HIDDEN.search(name):
        raise invalid("bad_name", f"A name has at most {MAX_KEY_NAME} printable characters.", "name")
    return name


def _origins(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) > MAX_ORIGINS:
        raise invalid("bad_origin", f"At most {MAX_ORIGINS} origins are allowed.", "allowedOrigins")
    return tuple(dict.fromkeys(_origin(text) for text in texts))


def _origin(text: str) -> str:
    """Normalizes origins to scheme, host and port, as browsers send them. Hosts need not be public: development sites
    have origins too."""
    refusal = invalid("bad_origin", "An origin looks like https://www.example.com, without a path.", "allowedOrigins")
    if not text.strip().isprintable() or " " in text.strip():  # what parsers of addresses drop on their way
        raise refusal
    try:
        parts = urlsplit(text.strip())
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError as error:  # also what is no domain name
        raise refusal from error
    rest = parts.path.rstrip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in _PORTS or rest or not _HOST.fullmatch(host):
        raise refusal
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    name = host.removeprefix("*.")
    return host[: len(host) - len(name)] + idna.encode(name, uts46=True).decode()


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NO_ZONES)
