"""Websites: a publisher's properties, their settings and keys. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import idna

from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.hosts import website_domain
from command_api.websites.keys import NewKey
from schemas.base import DomainEvent
from schemas.claim_limits import DEFAULT_MAX_CLAIMS_PER_CLICK, MAX_CLAIMS_PER_CLICK, default_max_claim
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events.websites import (
    AttributionModel,
    KeyKind,
    TrafficConditions,
    TrafficMark,
    WebsiteConnected,
    WebsiteDisconnected,
    WebsiteKeyIssued,
    WebsiteKeyRevoked,
    WebsiteTrafficRemarked,
    WebsiteTrafficRemarkUndone,
    WebsiteUpdated,
)
from schemas.zones import available_timezones

T = TypeVar("T")

MOST_LIVE_KEYS: Final = {KeyKind.SITE: 5, KeyKind.SECRET: 2, KeyKind.POSTBACK: 2}
MOST_ORIGINS: Final = 20
MOST_PER_ACCOUNT: Final = 500
MOST_RULES: Final = 50
LONGEST_RULE: Final = timedelta(days=366)
_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"(\*\.)?[a-z0-9_-][a-z0-9_.-]*|[0-9a-f:.]*:[0-9a-f:.]*")
_NO_ZONES: Final = {"localtime", "Factory"}
"""Files among the zones of a system that name none: other engines do not know them."""


@dataclass(frozen=True, slots=True)
class Key:
    kind: KeyKind
    revoked: bool = False
    hash: str = ""


@dataclass(frozen=True, slots=True)
class ClaimLimits:
    """What the website's owner allows to the public site key; none: the default."""

    max_amount: int | None = None
    max_per_click: int | None = None


@dataclass(frozen=True, slots=True)
class Website:
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
    """When its domain became what it is, if it was another before: what was measured earlier is of that one."""
    keys: Mapping[UUID, Key] = field(default_factory=dict)
    claim_limits: ClaimLimits = field(default_factory=ClaimLimits)

    @property
    def max_claim_amount(self) -> int:
        """The largest sale that the public site key may claim, in minor units of the website's currency."""
        return self.claim_limits.max_amount or default_max_claim(self.currency)

    @property
    def max_claims_per_click(self) -> int:
        """Transactions that one click may claim within an hour."""
        return self.claim_limits.max_per_click or DEFAULT_MAX_CLAIMS_PER_CLICK

    rules: frozenset[UUID] = frozenset()
    """Rules for its traffic that hold."""
    undone: frozenset[UUID] = frozenset()

    def live_keys(self, kind: KeyKind) -> int:
        return sum(1 for key in self.keys.values() if key.kind is kind and not key.revoked)


def connect(
    website_id: UUID, *, domain: str, timezone: str, currency: str, keys: Sequence[NewKey], asked: Asked
) -> list[DomainEvent]:
    if asked.account_id is None:
        raise TypeError("a website belongs to an account")
    connected = WebsiteConnected(
        **step(website_id, 0, asked),
        account_id=asked.account_id,
        domain=website_domain(domain),
        timezone=known_timezone(timezone),
        currency=known_currency(currency),
    )
    issued = [_issued(website_id, 1 + number, key, (), asked) for number, key in enumerate(keys)]
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
    asked: Asked,
) -> list[DomainEvent]:
    website = owned(website, asked)
    if max_claim_amount is not None and not 1 <= max_claim_amount <= MAX_AMOUNT:
        raise invalid("bad_claim_limit", "The limit is an amount above zero.", "maxClaimAmount")
    if max_claims_per_click is not None and not 1 <= max_claims_per_click <= MAX_CLAIMS_PER_CLICK:
        message = f"The limit is a number from 1 to {MAX_CLAIMS_PER_CLICK:,}."
        raise invalid("bad_claim_limit", message, "maxClaimsPerClick")
    if currency is not None and currency != website.currency:
        raise invalid("currency_fixed", "A website's currency cannot change: its history is counted in it.", "currency")
    changed = {
        "domain": _if_new(website_domain(domain) if domain is not None else None, website.domain),
        "timezone": _if_new(known_timezone(timezone) if timezone is not None else None, website.timezone),
        "attribution_model": _if_new(attribution_model, website.attribution_model),
        "max_claim_amount": _if_new(max_claim_amount, website.max_claim_amount),
        "max_claims_per_click": _if_new(max_claims_per_click, website.max_claims_per_click),
    }
    if all(value is None for value in changed.values()):
        return []
    return [WebsiteUpdated(**step(website.id, website.version, asked), account_id=website.account_id, **changed)]


def disconnect(website: Website | None, asked: Asked, *, owner_erased: bool = False) -> list[DomainEvent]:
    website = owned(website, asked)
    return [WebsiteDisconnected(**step(website.id, website.version, asked), owner_erased=owner_erased)]


def issue_key(
    website: Website | None, key: NewKey, *, allowed_origins: Sequence[str] = (), asked: Asked
) -> list[WebsiteKeyIssued]:
    website = owned(website, asked)
    most = MOST_LIVE_KEYS[key.kind]
    if website.live_keys(key.kind) >= most:
        raise conflict("too_many_keys", f"{most} keys of this kind may be in use at once. Revoke one first.", "kind")
    if allowed_origins and key.kind is not KeyKind.SITE:
        raise invalid("origins_not_allowed", "Only site keys can be bound to origins.", "allowedOrigins")
    return [_issued(website.id, website.version, key, _origins(allowed_origins), asked)]


def revoke_key(website: Website | None, key_id: UUID, asked: Asked) -> list[DomainEvent]:
    """A key that is revoked already stays so."""
    website = owned(website, asked)
    key = website.keys.get(key_id)
    if key is None:
        raise missing("key")
    if key.revoked:
        return []
    return [WebsiteKeyRevoked(**step(website.id, website.version, asked), key_id=key_id)]


def remark_traffic(
    website: Website | None,
    rule_id: UUID,
    *,
    since: datetime,
    until: datetime,
    mark: TrafficMark,
    conditions: TrafficConditions,
    note: str,
    asked: Asked,
) -> list[WebsiteTrafficRemarked]:
    website = owned(website, asked)
    if not since < until:
        raise invalid("empty_period", "The period ends before it begins.", "until")
    if until - since > LONGEST_RULE:
        raise invalid("long_period", f"A rule is for at most {LONGEST_RULE.days} days.", "until")
    if len(website.rules) >= MOST_RULES:
        raise conflict("too_many_rules", f"A website has at most {MOST_RULES} rules. Undo one first.")
    return [
        WebsiteTrafficRemarked(
            **step(website.id, website.version, asked),
            rule_id=rule_id,
            since=since,
            until=until,
            mark=mark,
            conditions=conditions,
            note=note.strip(),
        )
    ]


def undo_remark(website: Website | None, rule_id: UUID, asked: Asked) -> list[DomainEvent]:
    """A rule that was undone stays so."""
    website = owned(website, asked)
    if rule_id in website.undone:
        return []
    if rule_id not in website.rules:
        raise missing("rule")
    return [WebsiteTrafficRemarkUndone(**step(website.id, website.version, asked), rule_id=rule_id)]


def owned(website: Website | None, asked: Asked) -> Website:
    """The website, if it is there and the asker may act for its owner. Raises `Refused` (missing)."""
    if website is None or website.disconnected or not asked.may_act_for(website.account_id):
        raise missing("website")
    return website


def known_timezone(name: str) -> str:
    if name not in _zones():
        raise invalid("unknown_timezone", f"{name[:60]} is not an IANA time zone.", "timezone")
    return name


def known_currency(code: str) -> str:
    if code not in MINOR_DIGITS:
        raise invalid("unknown_currency", f"{code[:10]} is not an ISO 4217 currency.", "currency")
    return code


def evolve(website: Website | None, event: DomainEvent) -> Website:
    if isinstance(event, WebsiteConnected):
        return Website(
            event.originator_id, 1, event.account_id, event.domain, event.timezone, event.currency, event.timestamp
        )
    website = replace(begun(website, event), version=event.originator_version)
    match event:
        case WebsiteUpdated():
            return replace(
                website,
                domain=event.domain or website.domain,
                named_at=event.timestamp if _is_another(event.domain, website.domain) else website.named_at,
                timezone=event.timezone or website.timezone,
                attribution_model=event.attribution_model or website.attribution_model,
                claim_limits=ClaimLimits(
                    event.max_claim_amount or website.claim_limits.max_amount,
                    event.max_claims_per_click or website.claim_limits.max_per_click,
                ),
            )
        case WebsiteDisconnected():
            return replace(website, disconnected=True)
        case WebsiteKeyIssued():
            return replace(website, keys={**website.keys, event.key_id: Key(event.kind, hash=event.key_hash)})
        case WebsiteKeyRevoked():
            revoked = replace(website.keys[event.key_id], revoked=True)
            return replace(website, keys={**website.keys, event.key_id: revoked})
        case WebsiteTrafficRemarked():
            return replace(website, rules=website.rules | {event.rule_id})
        case WebsiteTrafficRemarkUndone():
            left = website.rules - {event.rule_id}
            return replace(website, rules=left, undone=website.undone | {event.rule_id})
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to websites")


def _is_another(domain: str | None, before: str) -> bool:
    return domain is not None and domain.removeprefix("www.") != before.removeprefix("www.")


def _issued(website_id: UUID, version: int, key: NewKey, origins: tuple[str, ...], asked: Asked) -> WebsiteKeyIssued:
    return WebsiteKeyIssued(
        **step(website_id, version, asked),
        key_id=key.id,
        kind=key.kind,
        key_hash=key.hash,
        last4=key.text[-4:],
        public_key=key.text if key.kind is KeyKind.SITE else None,
        allowed_origins=origins,
    )


def _origins(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) > MOST_ORIGINS:
        raise invalid("bad_origin", f"At most {MOST_ORIGINS} origins are taken.", "allowedOrigins")
    return tuple(dict.fromkeys(_origin(text) for text in texts))


def _origin(text: str) -> str:
    """Scheme, host and port alone, as browsers write them: that is what the edge compares with. Hosts need not be
    public: a site under development has an origin too."""
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


def _if_new(wanted: T | None, now: T) -> T | None:
    return None if wanted == now else wanted


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NO_ZONES)
