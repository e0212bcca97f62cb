"""Deterministic ids (UUIDv5) of natural keys, so that a repeated report has the same id."""

from __future__ import annotations

from datetime import date
from typing import Final
from uuid import UUID, uuid5

NAMESPACE: Final = UUID("6f0f3a52-6c0b-5d3e-9f55-7a1f0c8b2d11")

AUDIT_TRAIL: Final = uuid5(NAMESPACE, "audit-trail")
"""The history of the audit trail's anchors."""

REFERENCE_RATES: Final = uuid5(NAMESPACE, "reference-rates")
"""The checks for the European Central Bank's reference rates."""


def conversion_id(website_id: UUID, event: str, txid: str, *, click_id: str = "", apart: str = "") -> UUID:
    """The id of a sale: the same for every report of it. `click_id`: where the transaction id is unique within one
    click only; `apart`: the text that distinguishes reports without a transaction id."""
    within = "".join(f"\n{name}\n{text}" for name, text in (("click", click_id), ("apart", apart)) if text)
    return uuid5(NAMESPACE, f"conversion\n{website_id}\n{event}\n{txid}{within}")


def slug_id(kind: str, slug: str) -> UUID:
    """The aggregate that guards a slug (`kind`: partner or link)."""
    return uuid5(NAMESPACE, f"slug\n{kind}\n{slug}")


def domain_id(account_id: UUID, host: str) -> UUID:
    """The aggregate of an account's custom domain."""
    return uuid5(NAMESPACE, f"domain\n{account_id}\n{host}")


def host_id(host: str) -> UUID:
    """The aggregate that guards a custom domain's host name."""
    return uuid5(NAMESPACE, f"host\n{host}")


def email_id(email_hash: str) -> UUID:
    """The aggregate that reserves an email address, by its keyed hash."""
    return uuid5(NAMESPACE, f"email\n{email_hash}")


def imported_event_id(website_id: UUID, line: bytes, occurrence: int = 0) -> UUID:
    """The event of one access-log line: importing a file twice adds nothing.

    `occurrence`: how many identical lines stand before it in its file. The first one has the id that it always had.
    """
    nth = f"\n{occurrence}" if occurrence else ""
    return uuid5(NAMESPACE, f"access-log\n{website_id}\n{line.decode('utf-8', 'surrogateescape')!r}{nth}")


def exchange_rate_id(base: str, quote: str) -> UUID:
    """The aggregate of one currency pair's rates."""
    return uuid5(NAMESPACE, f"exchange-rate\n{base}\n{quote}")


def projection_id(name: str) -> UUID:
    """The aggregate of what was done to one projection."""
    return uuid5(NAMESPACE, f"projection\n{name}")


def contact_id(kind: str, email_hash: str) -> UUID:
    """The contact of an address without an account (`kind`: newsletter or early access), by its keyed hash."""
    return uuid5(NAMESPACE, f"contact\n{kind}\n{email_hash}")


def early_access_places_id() -> UUID:
    """The aggregate that guards the places of early access."""
    return uuid5(NAMESPACE, "early-access-places")


def forum_category_id(slug: str) -> UUID:
    """A category of the forum."""
    return uuid5(NAMESPACE, f"forum-category\n{slug}")


def forum_member_id(account_id: UUID) -> UUID:
    """The membership of an account in the forum."""
    return uuid5(NAMESPACE, f"forum-member\n{account_id}")


def forum_like_id(post_id: UUID, account_id: UUID) -> UUID:
    """The like of an account for a post: at most one."""
    return uuid5(NAMESPACE, f"forum-like\n{post_id}\n{account_id}")


def forum_follow_id(thread_id: UUID, account_id: UUID) -> UUID:
    """The follow of an account for a thread: at most one."""
    return uuid5(NAMESPACE, f"forum-follow\n{thread_id}\n{account_id}")


def forum_views_id(thread_id: UUID) -> UUID:
    """The counter of a thread's views."""
    return uuid5(NAMESPACE, f"forum-views\n{thread_id}")


def notification_choices_id(account_id: UUID) -> UUID:
    """The notification preferences of an account."""
    return uuid5(NAMESPACE, f"notification-choices\n{account_id}")


def program_id(company: str) -> UUID:
    """A program of the directory, by its company: written differently in case or white space it is the same one."""
    return uuid5(NAMESPACE, f"program\n{' '.join(company.split()).casefold()}")


def matching_profile_id(account_id: UUID) -> UUID:
    """The business profile of an account."""
    return uuid5(NAMESPACE, f"matching-profile\n{account_id}")


def idea_board_id(account_id: UUID) -> UUID:
    """The business ideas of an account: what it answered, saved and dismissed."""
    return uuid5(NAMESPACE, f"idea-board\n{account_id}")


def application_id(account_id: UUID, program: UUID) -> UUID:
    """An account's application to a program: one, however often it is sent."""
    return uuid5(NAMESPACE, f"application\n{account_id}\n{program}")


def learning_id(account_id: UUID) -> UUID:
    """The learning progress of an account in the learning hub."""
    return uuid5(NAMESPACE, f"learning\n{account_id}")


def direct_deals_id() -> UUID:
    """The switch of deals without escrow."""
    return uuid5(NAMESPACE, "direct-deals")


def escrow_id(offer_id: UUID) -> UUID:
    """The escrow, or the direct deal, of an accepted offer: there is one."""
    return uuid5(NAMESPACE, f"escrow\n{offer_id}")


def listing_watch_id(account_id: UUID, listing_id: UUID) -> UUID:
    """The watch of an account on a listing: at most one."""
    return uuid5(NAMESPACE, f"listing-watch\n{account_id}\n{listing_id}")


def unread_alarm_id(website_id: UUID, day: date, field: str, partner_id: UUID | None, *, is_placeholder: bool) -> UUID:
    """The alarm about values of a field that cannot be read on one day (UTC): there is one at most."""
    return uuid5(NAMESPACE, f"unread-alarm\n{website_id}\n{day.isoformat()}\n{field}\n{partner_id}\n{is_placeholder}")


def claims_alarm_id(website_id: UUID, day: date) -> UUID:
    """The alarm about a website's claims on one day (UTC): there is one at most."""
    return uuid5(NAMESPACE, f"claims-alarm\n{website_id}\n{day.isoformat()}")


def platform_cost_id(website_id: UUID, platform: str) -> UUID:
    """The id of all imported costs of a website on one platform, in the place of an entry's."""
    return uuid5(NAMESPACE, f"costs\n{website_id}\n{platform}")
