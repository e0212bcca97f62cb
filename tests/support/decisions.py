"""One of every decided event that a read model shows, as a small history that hangs together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from schemas.base import DomainEvent, Money
from schemas.events import (
    accounts,
    analytics,
    conversions,
    costs,
    destinations,
    domains,
    links,
    networks,
    operations,
    partners,
    social,
    sql,
    websites,
)
from tests.support.alert_decisions import alert_history
from tests.support.deal_decisions import deal_history
from tests.support.forum_decisions import forum_history
from tests.support.insight_decisions import insight_history
from tests.support.lead_decisions import lead_history
from tests.support.listing_decisions import listing_history
from tests.support.matching_decisions import matching_history
from tests.support.rows_beside_events import PICTURE_HASHES

NOW = datetime(2026, 5, 17, 10, 0, tzinfo=UTC)
WEBSITE = UUID("0192f3a0-0000-7000-8000-000000000002")
PARTNER = UUID("0192f3a0-0000-7000-8000-000000000003")
ACCOUNT, ERASED_ACCOUNT, BUYER = (uuid5(WEBSITE, name) for name in ("account", "erased account", "buyer"))
LINK, KEY, RULE, OPERATIONS = (uuid5(WEBSITE, name) for name in ("link", "key", "rule", "operations"))
INVITE, ANNOTATION, VIEW, CHANNEL = (uuid5(WEBSITE, name) for name in ("invite", "annotation", "view", "channel"))
QUERY, CHART = (uuid5(WEBSITE, name) for name in ("query", "chart"))
DOMAIN, HOST = (uuid5(WEBSITE, name) for name in ("domain", "host"))

Encrypt = Callable[[UUID, str, str], str]
"""Subject, field and text to what is stored."""


def history(encrypt: Encrypt, anchor: tuple[int, str] = (7, "0f" * 32)) -> list[DomainEvent]:
    """Everything that is decided, in order; people's fields encrypted as the store does it. `anchor`: an entry of the
    audit trail, and its hash."""
    return [
        *_people(encrypt),
        *_site(),
        *_retention(),
        *_domain(),
        *_program(),
        *_private_partners(encrypt),
        *_tracked_link(),
        *_shifting_link(),
        *_changed_links(),
        *_annotations(),
        *_costs(),
        *_channels(encrypt),
        *_views(),
        *_queries(encrypt),
        *alert_history(encrypt, _in_order, WEBSITE, ACCOUNT),
        *_sales(),
        *_platform(anchor),
    ]


def _in_order(aggregate: UUID, *events: tuple[type[DomainEvent], dict[str, Any]]) -> list[DomainEvent]:
    return [
        event(
            originator_id=aggregate,
            originator_version=version,
            timestamp=NOW + timedelta(minutes=version, microseconds=version),
            actor_id=ACCOUNT if version % 2 else None,
            **values,
        )
        for version, (event, values) in enumerate(events, start=1)
    ]


def _people(encrypt: Encrypt) -> list[DomainEvent]:
    def registered(account: UUID, **more: Any) -> tuple[type[DomainEvent], dict[str, Any]]:
        email, name = encrypt(account, "email", "a@b.example"), encrypt(account, "name", "Ada")
        return accounts.AccountRegistered, {"email": email, "name": name, "way": "setup", **more}

    invited = {"way": "invite", "invite_id": INVITE, "invited_by": ACCOUNT}
    came, left = _in_order(ERASED_ACCOUNT, registered(ERASED_ACCOUNT, **invited), (accounts.AccountErased, {}))

    return [
        *_in_order(
            ACCOUNT,
            registered(ACCOUNT),
            (accounts.RolesChanged, {"roles": ("member", "admin")}),
            (accounts.AccountRenamed, {"name": encrypt(ACCOUNT, "name", "Ada L.")}),
            (accounts.DisplayNameChanged, {"name": encrypt(ACCOUNT, "name", "Countess"), "chosen": True}),
            (accounts.SignedIn, {"session_id": KEY, "method": "password"}),
            (accounts.AccountDisabled, {"reason": "left"}),
            (accounts.AccountEnabled, {}),
            (accounts.EmailChanged, {"email": encrypt(ACCOUNT, "email", "c@d.example")}),
            (accounts.ProfileChanged, {"company": encrypt(ACCOUNT, "company", "Ltd"), "timezone": "Asia/Tokyo"}),
            (accounts.TwoFactorEnabled, {}),
            (accounts.RecoveryCodesMade, {"count": 10}),
            (accounts.TwoFactorDisabled, {}),
            (accounts.TwoFactorEnabled, {}),
            (accounts.RecoveryCodesMade, {"count": 10}),
            (accounts.RecoveryCodeUsed, {}),
            (accounts.PasswordChanged, {}),
            (accounts.SessionsEnded, {}),
        ),
        *_in_order(
            INVITE,
            (accounts.InviteCreated, {"account_id": ACCOUNT, "max_uses": 2, "expires_at": NOW + timedelta(days=30)}),
            (accounts.InviteUsed, {"account_id": ERASED_ACCOUNT}),
            (accounts.InviteRevoked, {}),
        ),
        came,
        *forum_history(encrypt, _in_order, WEBSITE, ACCOUNT, ERASED_ACCOUNT),
        *listing_history(encrypt, _in_order, WEBSITE, ACCOUNT, ERASED_ACCOUNT),
        *matching_history(encrypt, _in_order, WEBSITE, ACCOUNT, ERASED_ACCOUNT),
        *deal_history(encrypt, _in_order, WEBSITE, ACCOUNT, ERASED_ACCOUNT),
        *lead_history(encrypt, _in_order, WEBSITE, ACCOUNT),
        *insight_history(_in_order, WEBSITE, ACCOUNT, ERASED_ACCOUNT),
        left,
    ]


def _site() -> list[DomainEvent]:
    key = {"key_id": KEY, "kind": "site", "key_hash": "ab" * 32, "last4": "wxyz", "public_key": "pk_"}
    return _in_order(
        WEBSITE,
        (
            websites.WebsiteConnected,
            {"account_id": ACCOUNT, "domain": "a.example", "timezone": "UTC", "currency": "USD"},
        ),
        (websites.WebsiteKeyIssued, {**key, "allowed_origins": ("https://a.example",)}),
        (
            websites.WebsiteUpdated,
            {
                "timezone": "Asia/Tokyo",
                "attribution_model": "first_click",
                "max_claim_amount": 40_000,
                "max_claims_per_click": 3,
                "link_click_ids": True,
                "link_impressions_every": 20,
            },
        ),
        (websites.WebsiteKeyRevoked, {"key_id": KEY}),
        (
            websites.WebsiteTrafficRemarked,
            {
                "rule_id": RULE,
                "since": NOW - timedelta(days=1),
                "until": NOW,
                "mark": "suspicious",
                "conditions": {"type": "click", "link_id": LINK},
            },
        ),
        (websites.WebsiteTrafficRemarkUndone, {"rule_id": RULE}),
        (
            websites.WebsiteTransferred,
            {"account_id": BUYER, "from_id": ACCOUNT, "offer_id": uuid5(WEBSITE, "offer"), "domain": "a.example"},
        ),
        (websites.WebsiteDisconnected, {}),
    )


def _retention() -> list[DomainEvent]:
    """Of a website that nothing else is about."""
    return _in_order(
        uuid5(WEBSITE, "retention"),
        (
            websites.WebsiteConnected,
            {"account_id": ACCOUNT, "domain": "kept.example", "timezone": "UTC", "currency": "USD"},
        ),
        (websites.WebsiteRetentionChanged, {"raw_months": 13}),
        (websites.WebsiteEventsExpired, {"before": date(2025, 3, 31)}),
        (websites.WebsiteDisconnected, {}),
    )


def _annotations() -> list[DomainEvent]:
    note = {"website_id": WEBSITE, "at": NOW, "text": "New page"}
    imported = {"website_id": WEBSITE, "events": 3, "first_at": NOW - timedelta(days=9), "last_at": NOW}
    return [
        *_in_order(
            ANNOTATION,
            (analytics.AnnotationAdded, note),
            (analytics.AnnotationChanged, {"at": NOW - timedelta(days=1), "text": "New pages"}),
        ),
        *_in_order(uuid5(ANNOTATION, "removed"), (analytics.AnnotationAdded, note), (analytics.AnnotationRemoved, {})),
        *_in_order(uuid5(ANNOTATION, "import"), (analytics.EventsImported, imported)),
    ]


def _costs() -> list[DomainEvent]:
    day = NOW.date()
    entry = {
        "first": day,
        "last": day + timedelta(days=2),
        "source": "google",
        "campaign": "spring",
        "link_id": LINK,
        "amount": Money(amount=1_000, currency="EUR"),
        "worth": Money(amount=1_100, currency="USD"),
        "rate": "1.1",
    }
    of_day = {**entry, "last": day, "link_id": None}
    spent, refund = {"website_id": WEBSITE, "entry": entry}, {**entry, "worth": Money(amount=-7, currency="USD")}
    sent = {"website_id": WEBSITE, "mapping": {"sale": "Affiliate sale", "value": "commission"}}
    return [
        *_in_order(
            uuid5(WEBSITE, "cost"),
            (costs.CostAdded, spent),
            (costs.CostChanged, {**spent, "entry": refund, "replaced": entry}),
            (costs.CostRemoved, {**spent, "entry": refund}),
            (costs.CostRestored, {**spent, "entry": refund}),
        ),
        *_in_order(uuid5(WEBSITE, "removed cost"), (costs.CostAdded, spent), (costs.CostRemoved, spent)),
        *_in_order(
            uuid5(WEBSITE, "cost import"),
            (costs.CostImportUploaded, {**_UPLOADED_COSTS, "applies": True}),
            (costs.CostImportRead, {"website_id": WEBSITE, "counts": {"rows": 2, "new": 2}}),
            (costs.CostImportStarted, {"website_id": WEBSITE}),
            (
                costs.CostImportBooked,
                {
                    "website_id": WEBSITE,
                    "platform": "google_ads",
                    "changes": ({"entry": of_day}, {"entry": of_day, "replaced": {**of_day, "worth": refund["worth"]}}),
                },
            ),
            (costs.CostImportApplied, {"website_id": WEBSITE}),
        ),
        *_in_order(uuid5(WEBSITE, "waiting costs"), (costs.CostImportUploaded, {**_UPLOADED_COSTS, "applies": False})),
        *_in_order(uuid5(WEBSITE, "report"), (networks.NetworkImportUploaded, _UPLOADED)),
        *_in_order(
            uuid5(WEBSITE, "connection"),
            (networks.NetworkConnectionAdded, {"website_id": WEBSITE, "network": "awin", "schedule": "daily"}),
        ),
        *_in_order(
            uuid5(WEBSITE, "destination"),
            (destinations.DestinationAdded, {**sent, "platform": "google_ads", "is_automatic": False}),
            (destinations.DestinationRefused, {"website_id": WEBSITE, "problem": "Enter new ones."}),
            (destinations.DestinationChanged, {**sent, "is_automatic": True, "has_new_credentials": True}),
        ),
    ]


_UPLOADED_COSTS: Final = {
    "website_id": WEBSITE,
    "platform": "google_ads",
    "file": {"name": "november.csv", "size": 100, "sha256": "ab" * 32},
}
_UPLOADED: Final = {
    "website_id": WEBSITE,
    "network": "awin",
    "file": {"name": "november.csv", "size": 100, "sha256": "ab" * 32},
}


def _channels(encrypt: Encrypt) -> list[DomainEvent]:
    def called(name: str) -> dict[str, Any]:
        handle = encrypt(ACCOUNT, "handle", "fjord.tests")
        return {"account_id": ACCOUNT, "handle": handle, "name": encrypt(ACCOUNT, "name", name)}

    added = {"website_id": WEBSITE, "network": "instagram", **called("@fjord.tests")}
    place = {"website_id": WEBSITE, "channel_id": CHANNEL}
    found = {"account_id": ACCOUNT, "title": encrypt(ACCOUNT, "title", "Knives"), "published_at": NOW}
    post = {**place, **found, "address": encrypt(ACCOUNT, "address", "https://www.instagram.com/p/DAbCdEf/")}
    moved = {"account_id": ACCOUNT, "address": post["address"], "title": found["title"]}
    totals = {**place, "source": "csv", "as_of": NOW.date(), "figures": {"views": 900, "clicks": 12}}
    days = {**place, "source": "csv", "days": [{"day": NOW.date(), "followers": 1200, "views": 340}]}
    return [
        *_in_order(uuid5(CHANNEL, "figures/csv"), (social.SocialChannelFiguresRecorded, days)),
        *_in_order(
            uuid5(CHANNEL, "post"),
            (social.SocialPostAdded, post),
            (social.SocialPostChanged, found),
            (social.SocialPostPictureChanged, {"picture": PICTURE_HASHES[0]}),
            (social.SocialPostFiguresRecorded, totals),
            (social.SocialPostTransferred, moved),
        ),
        *_in_order(uuid5(CHANNEL, "gone"), (social.SocialPostAdded, post), (social.SocialPostRemoved, {})),
        *_in_order(CHANNEL, (social.SocialChannelAdded, added), (social.SocialChannelRenamed, called("Fjord Tests"))),
        *_in_order(uuid5(CHANNEL, "removed"), (social.SocialChannelAdded, added), (social.SocialChannelRemoved, {})),
    ]


def _views() -> list[DomainEvent]:
    shown = {"filters": ("page:is:/a|/b",), "time_range": "30d", "tabs": {"pages": "entry_page"}}
    saved = {"account_id": ACCOUNT, "website_id": None, "kind": "view", "name": "Reviews", "state": shown}
    default = {"account_id": ACCOUNT, "website_id": WEBSITE, "view_id": VIEW}
    return [
        *_in_order(
            VIEW,
            (analytics.ViewSaved, saved),
            (analytics.ViewChanged, {"website_id": None, "name": "All reviews", "state": shown}),
            (analytics.ViewRemoved, {}),
            (analytics.ViewRestored, {}),
        ),
        *_in_order(uuid5(VIEW, "default"), (analytics.DefaultViewChanged, default)),
        *_reports(),
    ]


def _queries(encrypt: Encrypt) -> list[DomainEvent]:
    def content(text: str) -> dict[str, Any]:
        title = encrypt(ACCOUNT, "title", "Sales")
        return {"account_id": ACCOUNT, "title": title, "text": encrypt(ACCOUNT, "text", text), "title_hash": "5a" * 32}

    pinned = {"account_id": ACCOUNT, "query_id": QUERY, "kind": "line", "x": "day", "y": ("clicks",)}
    name = encrypt(ACCOUNT, "author_name", "Ada")
    return [
        *_in_order(
            QUERY,
            (sql.QuerySaved, content("SELECT 1")),
            (sql.QueryShared, {"account_id": ACCOUNT, "author_name": name}),
            (sql.QueryChanged, {**content("SELECT 2"), "number": 2}),
            (sql.QueryUnshared, {}),
            (sql.QueryRemoved, {}),
            (sql.QueryRestored, {}),
        ),
        *_in_order(CHART, (sql.ChartPinned, pinned)),
        *_in_order(uuid5(CHART, "gone"), (sql.ChartPinned, pinned), (sql.ChartUnpinned, {})),
    ]


def _reports() -> list[DomainEvent]:
    weekly = analytics.ReportSchedule(every=analytics.ReportInterval.WEEKLY)
    week: dict[str, Any] = {"first_day": date(2026, 11, 9), "last_day": date(2026, 11, 15)}
    next_week: dict[str, Any] = {"first_day": date(2026, 11, 16), "last_day": date(2026, 11, 22)}
    about = {"account_id": ACCOUNT, "website_id": WEBSITE, "view_id": VIEW, "query_id": None, "schedule": weekly}
    return _in_order(
        uuid5(VIEW, "report"),
        (analytics.ReportScheduled, about),
        (analytics.ReportRescheduled, {"schedule": weekly.model_copy(update={"hour": 7})}),
        (analytics.ReportSent, {**week, "mail_id": uuid5(VIEW, "mail")}),
        (analytics.ReportFailed, {**next_week, "account_id": ACCOUNT, "reason": "The numbers could not be read."}),
        (analytics.ReportPaused, {"reason": "paused"}),
        (analytics.ReportResumed, {}),
        (analytics.ReportRemoved, {}),
        (analytics.ReportRestored, {}),
    )


def _domain() -> list[DomainEvent]:
    added = {
        "account_id": ACCOUNT,
        "website_id": WEBSITE,
        "domain": "go.a.example",
        "token": "5a" * 20,
        "expires_at": NOW + timedelta(days=7),
    }
    lost = {"missing_since": NOW, "expires_at": NOW + timedelta(days=14)}
    reserved = (domains.HostClaimed, {"host": "go.a.example", "domain_id": DOMAIN})
    return [
        *_in_order(
            DOMAIN,
            (domains.DomainAdded, added),
            (domains.DomainVerified, {}),
            (domains.DomainTlsSeen, {}),
            (domains.DomainTlsLost, {"problem": "The certificate has expired."}),
            (domains.DomainTlsSeen, {}),
            (domains.DomainVerificationLost, lost),
            (domains.DomainRemoved, {}),
            (domains.DomainAdded, {**added, "token": "5b" * 20}),
            (domains.DomainVerified, {}),
        ),
        *_in_order(HOST, reserved, (domains.HostReleased, {}), reserved),
    ]


def _program() -> list[DomainEvent]:
    flat = partners.Terms(kind="flat", flat_amount=500, flat_currency="EUR")
    program = {"name": "{P}", "slug": "p", "base_url": "https://p.example", "terms": partners.Terms(rate_bp=1000)}
    return _in_order(
        PARTNER,
        (partners.PartnerRegistered, program),
        (partners.PartnerUpdated, {"name": "Q", "cookie_days": 7}),
        (partners.CommissionChanged, {"terms": flat}),
        (partners.PartnerDeactivated, {}),
        (partners.PartnerActivated, {}),
        (partners.PartnerRemoved, {}),
    )


def _private_partners(encrypt: Encrypt) -> list[DomainEvent]:
    own = {"name": "Own", "base_url": "https://own.example", "terms": partners.Terms(), "account_id": ACCOUNT}
    request = uuid5(PARTNER, "request")
    texts = {"name": "Wanted", "website": "https://wanted.example", "note": "Please"}
    asked = {name: encrypt(ACCOUNT, name, text) for name, text in texts.items()}
    answers: list[tuple[type[DomainEvent], dict[str, Any]]] = [
        (partners.PartnerRequestAccepted, {"partner_id": PARTNER}),
        (partners.PartnerRequestDeclined, {"reason": "It has closed."}),
        (partners.PartnerRequestWithdrawn, {}),
    ]
    return [
        *_in_order(
            uuid5(PARTNER, "own"),
            (partners.PartnerRegistered, {**own, "slug": "own-2"}),
            (partners.PartnerUpdated, {"name": "Mine", "account_id": ACCOUNT}),
            (partners.CommissionChanged, {"terms": partners.Terms(rate_bp=500), "account_id": ACCOUNT}),
            (partners.PartnerTransferred, {"account_id": BUYER}),
        ),
        *_in_order(
            uuid5(PARTNER, "of an erased account"),
            (partners.PartnerRegistered, {**own, "slug": "own-3", "account_id": ERASED_ACCOUNT}),
            (partners.PartnerRemoved, {"owner_erased": True}),
        ),
        *(
            event
            for number, answer in enumerate(answers)
            for event in _in_order(
                uuid5(request, str(number)), (partners.PartnerRequested, {**asked, "account_id": ACCOUNT}), answer
            )
        ),
    ]


def _tracked_link() -> list[DomainEvent]:
    link = {"website_id": WEBSITE, "partner_id": PARTNER, "slug": "go", "code": 2**48 - 1, "coupon": "SAVE"}
    rule = links.TargetRule(countries=("IS",), devices=(links.Device.MOBILE,), destination="https://p.example/is")
    other = uuid5(PARTNER, "own")
    split = (
        links.Variant(destination="https://p.example/a", weight=2),
        links.Variant(destination="https://p.example/b", weight=2, number=2, name="B", partner_id=other),
    )
    ways = links.Routing(rules=(rule,), expires_at=datetime(2030, 1, 1, tzinfo=UTC), fallback="https://p.example/")
    return _in_order(
        LINK,
        (links.LinkCreated, {**link, "destination": "https://p.example/?c={click_id}", "routing": ways}),
        (links.LinkUpdated, {"subs": {"sub1": "x"}, "coupon": ""}),
        (links.LinkUpdated, {"routing": links.Routing(variants=split)}),
        (links.LinkUpdated, {"partner_id": other}),
        (links.LinkDeleted, {}),
    )


def _shifting_link() -> list[DomainEvent]:
    """A link whose weights follow its results, and have shifted once."""
    link = {"website_id": WEBSITE, "partner_id": PARTNER, "slug": "split", "code": 7}
    sides = ("https://p.example/a", "https://p.example/b")

    def split(*weights: int) -> links.Routing:
        pairs = zip(sides, weights, strict=True)
        return links.Routing(variants=tuple(links.Variant(destination=to, weight=weight) for to, weight in pairs))

    variants = (
        links.VariantShift(number=1, before=1, after=40, gets_traffic=True, clicks=900, buyers=30, revenue=30_000),
        links.VariantShift(number=2, before=1, after=60, gets_traffic=True, clicks=900, buyers=80, revenue=80_000),
    )
    shift = links.WeightShift(
        day=NOW.date(), outcome=links.ShiftOutcome.SHIFTED, leader=2, sureness=0.99, variants=variants
    )
    return _in_order(
        uuid5(LINK, "split"),
        (links.LinkCreated, {**link, "destination": "https://p.example/", "routing": split(1, 1)}),
        (links.LinkUpdated, {"shifting": links.Shifting(is_on=True)}),
        (links.LinkUpdated, {"routing": split(40, 60), "shift": shift}),
    )


def _changed_links() -> list[DomainEvent]:
    """Changes of many links: one that ended, one that was cancelled, and one that goes on."""
    change = links.BulkChange(kind=links.BulkKind.ORGANIZE, add_tags=("spring",))
    started = {"website_id": WEBSITE, "change": change, "link_ids": (LINK, KEY)}
    failure = links.LinkFailure(link_id=KEY, code="not_found", message="There is no such link.")
    decided = {"done": 2, "changed": (links.ChangedLink(link_id=LINK, version=2),), "failures": (failure,)}
    return [
        *_in_order(
            uuid5(WEBSITE, "changed links"),
            (links.LinkBulkStarted, started),
            (links.LinkBulkAdvanced, {"website_id": WEBSITE, **decided, "is_finished": True}),
        ),
        *_in_order(
            uuid5(WEBSITE, "cancelled change"),
            (links.LinkBulkStarted, started),
            (links.LinkBulkCancelled, {"website_id": WEBSITE}),
        ),
        *_in_order(uuid5(WEBSITE, "change that goes on"), (links.LinkBulkStarted, started)),
    ]


def _sales() -> list[DomainEvent]:
    def change(**values: int) -> dict[str, Any]:
        return {"change": conversions.CounterDelta(currency="USD", **values)}

    click = conversions.Attribution(
        by=conversions.AttributedBy.COUPON,
        partner_id=PARTNER,
        link_id=LINK,
        click_id="c",
        clicked_at=NOW - timedelta(hours=1),
        terms=partners.Terms(rate_bp=1000),
        visitor=2**63 - 1,
        country="IS",
        device="mobile",
        source="news",
        subs={"sub1": "x", "sub10": "y"},
    )
    waiting, known = _facts("waiting", None), _facts("waiting", click)
    lead = conversions.ConversionFacts(
        website_id=WEBSITE, kind="lead", event="lead", txid="1", amount=Money(amount=0, currency="USD"), occurred_at=NOW
    )
    report = {"received_at": NOW, "reported_by": "postback", "customer": "customer-1"}
    ten = Money(amount=1000, currency="USD")
    start = {"facts": known, "commission": ten, **change(pending=1, commission_pending=1000)}
    approval = change(pending=-1, approved=1, commission_pending=-1000, commission_approved=1000)
    reversal = change(approved=-1, reversed=1, commission_approved=-1000, commission_reversed=1000)
    return [
        *_in_order(
            uuid5(WEBSITE, "waiting"),
            (conversions.ConversionRecorded, {"facts": waiting, **report, **change()}),
            (
                conversions.ConversionAssigned,
                {"website_id": WEBSITE, "link_id": LINK, "reason": "by email"},
            ),
            (conversions.ConversionAttributed, start),
            (conversions.ConversionApproved, {"facts": known, **approval}),
            (
                conversions.ConversionReversed,
                {
                    "facts": known,
                    "amount": known.amount,
                    "commission": ten,
                    "whole": True,
                    "reason": "sent back",
                    **reversal,
                },
            ),
        ),
        *_in_order(
            uuid5(WEBSITE, "lead"),
            (conversions.ConversionRecorded, {"facts": lead, **report, **change()}),
            (conversions.ConversionRejected, {"facts": lead, "reason": "fraud", **change()}),
            (
                conversions.ConversionReportConflicted,
                {"website_id": WEBSITE, "report_id": KEY, "amount": ten, "reported_by": "sale"},
            ),
        ),
        *_decided_and_paid(ten),
    ]


def _decided_and_paid(ten: Money) -> list[DomainEvent]:
    """A decision that was undone, one that is final, and a payout with everything that may happen to it."""
    scheduled = {
        "website_id": WEBSITE,
        "decision": "approve",
        "conversion_ids": (uuid5(WEBSITE, "waiting"),),
        "commission": ten,
        "due_at": NOW + timedelta(seconds=10),
    }
    months = (conversions.PayoutAllocation(month="2026-04", amount=400),)
    paid = conversions.PayoutFacts(amount=ten, credited=ten, paid_on=NOW.date(), reference="PAY-1", allocations=months)
    place = {"website_id": WEBSITE, "partner_id": PARTNER}
    accepted = {**place, "month": "2026-04", "fingerprint": "ab" * 32}
    file = conversions.PayoutFile(id=KEY, name="payout.pdf", media_type="application/pdf", size=9, sha256="ab" * 32)
    return [
        *_in_order(
            uuid5(WEBSITE, "undone"),
            (conversions.ConversionDecisionScheduled, scheduled),
            (conversions.ConversionDecisionUndone, {"website_id": WEBSITE}),
        ),
        *_in_order(
            uuid5(WEBSITE, "final"),
            (conversions.ConversionDecisionScheduled, scheduled),
            (conversions.ConversionDecisionApplied, {"website_id": WEBSITE, "changed": 1}),
        ),
        *_in_order(
            uuid5(WEBSITE, "payout"),
            (conversions.PayoutRecorded, {**place, "facts": paid}),
            (conversions.PayoutCorrected, {**place, "facts": paid.model_copy(update={"reference": ""}), "reason": "x"}),
            (conversions.PayoutFileAttached, {"website_id": WEBSITE, "file": file}),
            (conversions.PayoutFileRemoved, {"website_id": WEBSITE}),
            (conversions.PayoutVoided, {**place, "reason": "Recorded twice"}),
        ),
        *_in_order(
            uuid5(WEBSITE, "accepted"),
            (conversions.ReconciliationAccepted, accepted),
        ),
        *_in_order(
            uuid5(WEBSITE, "reopened"),
            (conversions.ReconciliationAccepted, {**accepted, "month": "2026-03"}),
            (conversions.ReconciliationReopened, {"website_id": WEBSITE}),
        ),
    ]


def _facts(txid: str, click: conversions.Attribution | None) -> conversions.ConversionFacts:
    return conversions.ConversionFacts(
        website_id=WEBSITE,
        kind="sale",
        event="sale",
        txid=txid,
        amount=Money(amount=1_000_000, currency="USD"),
        occurred_at=NOW,
        attribution=click,
    )


def _platform(anchor: tuple[int, str]) -> list[DomainEvent]:
    one = {"projection": "links", "generation": 2}
    letter = {"projection": "links", "dead_letter_id": KEY}
    rate = {"base": "EUR", "quote": "USD", "on": date(2026, 5, 17)}
    return _in_order(
        OPERATIONS,
        (operations.ProjectionPaused, {"projection": "links"}),
        (operations.ProjectionResumed, {"projection": "links"}),
        (operations.ProjectionRebuildRequested, one),
        (operations.ProjectionPromoted, one),
        (operations.ProjectionRolledBack, one),
        (operations.ProjectionBuildCancelled, one),
        (operations.ProjectionVerified, {**one, "live_generation": 1, "is_equal": True}),
        (operations.ProjectionComparisonCancelled, {"projection": "links"}),
        (operations.DeadLetterRevealed, letter),
        (operations.DeadLetterRetried, letter),
        (operations.DeadLetterSkipped, letter),
        (operations.ExchangeRateRecorded, {**rate, "rate": "1.08"}),
        (operations.ExchangeRateRecorded, {**rate, "rate": "1.09"}),
        (operations.AuditTrailAnchored, {"seq": anchor[0], "head": anchor[1]}),
    )
