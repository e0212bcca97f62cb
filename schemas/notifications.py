"""The kinds of notifications and their texts: the same in the app and in a mail.

A new kind is one entry in `KINDS` and a rule in `command_api/notifications`; the event's `title` is its text then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from schemas.events.notifications import DigestMail
from schemas.inline_text import inline


@dataclass(frozen=True, slots=True)
class NotificationKind:
    """`title`: as the settings show it. `mail`: until the member chooses. `at_once`: each is mailed when it happens,
    because it has an end or is about money; so it is in no digest."""

    title: str
    mail: DigestMail
    at_once: bool = False


KINDS: Final[Mapping[str, NotificationKind]] = {
    "mention": NotificationKind("Someone mentions you", "daily"),
    "quote": NotificationKind("Someone replies to your post", "daily"),
    "reply": NotificationKind("New replies in threads you follow", "weekly"),
    "like": NotificationKind("Someone likes your post", "off"),
    "moderation": NotificationKind("Moderation of your posts", "daily"),
    "review": NotificationKind("Posts pending review, for moderators", "daily"),
    "listing": NotificationKind("Your listings and questions: review, questions, answers", "off", at_once=True),
    "offer": NotificationKind("Offers for websites", "off", at_once=True),
    "offer_message": NotificationKind("Messages about an offer", "daily"),
    "alert": NotificationKind("Alerts of your websites", "off", at_once=True),
    "admin_act": NotificationKind("An admin changes one of your websites, links or domains", "daily"),
    "webhook": NotificationKind("Webhooks that were turned off automatically", "daily"),
    "claims": NotificationKind("Unusually many sales reported with your public site key", "daily"),
    "unread": NotificationKind("Sales reported with values that cannot be read", "daily"),
    "rates": NotificationKind("Exchange rates that do not arrive, for admins", "daily"),
    "partner": NotificationKind("Partner requests: decisions, and new requests for admins", "daily"),
    "deal": NotificationKind("Your deals: payment, handover, inspection, dispute", "off", at_once=True),
}

_FREE_TEXT: Final = ("alert", "admin_act", "rates")
"""Kinds whose title contains what people or other servers wrote: a place in it is not filled in."""
LISTING_TO_REVIEW: Final = "{listing} of {actor} needs review"
PARTNER_REQUESTED: Final = "{actor} requested a partner"
A_THREAD: Final = "a thread"
A_PERSON: Final = "Someone"
A_LISTING: Final = "the website"
A_WEBSITE: Final = "one of your websites"
_PLACE: Final = re.compile(r"\{(actor|listing|thread|website)\}")


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a notification, as its reader may see it; `None`: it may not, or it is gone."""

    actor: str | None = None
    thread: str | None = None
    listing: str | None = None
    website: str | None = None


def filled(line: str, names: Names) -> str:
    """Returns a line with its names, each in one piece: what a name contains is never read as a place for another."""
    values = {
        "actor": inline(names.actor) if names.actor else A_PERSON,
        "thread": _quoted(names.thread, A_THREAD),
        "listing": _quoted(names.listing, A_LISTING),
        "website": inline(names.website) if names.website else A_WEBSITE,
    }
    text = _PLACE.sub(lambda found: values[found[1]], line)
    return text[:1].upper() + text[1:]


def words(kind: str, count: int, names: Names, title: str) -> str:
    """Returns the text of a notification in one line. `title`: of kinds that bring their own, with places for names
    unless they are free text."""
    if kind in _FREE_TEXT:
        return title
    return filled(_line(kind, count, title), names)


def _line(kind: str, count: int, title: str) -> str:
    match kind:
        case "mention":
            return "{actor} mentioned you in {thread}"
        case "quote":
            return "{actor} replied to your post in {thread}"
        case "reply":
            return "{actor} replied in {thread}" if count == 1 else f"{count:,} new replies in {{thread}}"
        case "like":
            if count == 1:
                return "{actor} likes your post in {thread}"
            others = "another" if count == 2 else f"{count - 1:,} others"
            return f"{{actor}} and {others} like your post in {{thread}}"
        case "review":
            return "A post of {actor} in {thread} needs review" if count == 1 else f"{count:,} forum posts need review"
        case "offer_message" if count > 1:
            return f"You have {count:,} messages about the offer for {{listing}}"
        case "listing" if count > 1 and title == LISTING_TO_REVIEW:  # others of that kind happened to one listing
            return f"{count:,} listings need review"
        case "partner" if count > 1 and title == PARTNER_REQUESTED:
            return f"{count:,} partner requests are open"
        case _:
            return title


def _quoted(name: str | None, otherwise: str) -> str:
    return f"“{inline(name)}”" if name else otherwise
