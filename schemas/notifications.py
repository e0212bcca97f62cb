"""The kinds of notifications and their texts: the same in the app and in a mail.

A new kind is one entry in `KINDS` and a rule in `command_api/notifications`; the event's `title` is its text then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from schemas.events.notifications import DigestMail


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
    "partner": NotificationKind("Partner requests: decisions, and new requests for admins", "daily"),
    "deal": NotificationKind("Your deals: payment, handover, inspection, dispute", "off", at_once=True),
}

A_THREAD: Final = "a thread"


def words(kind: str, count: int, actor: str | None, thread: str | None, title: str) -> str:
    """Returns the text of a notification in one line. `thread`: its title, none for one that is gone. `title`: of kinds
    that bring their own."""
    where = f"“{thread}”" if thread else A_THREAD
    who = actor or "Someone"
    match kind:
        case "mention":
            return f"{who} mentioned you in {where}"
        case "quote":
            return f"{who} replied to your post in {where}"
        case "reply":
            return f"{who} replied in {where}" if count == 1 else f"{count:,} new replies in {where}"
        case "like":
            if count == 1:
                return f"{who} likes your post in {where}"
            others = "another" if count == 2 else f"{count - 1:,} others"
            return f"{who} and {others} like your post in {where}"
        case "review":
            return "A forum post needs review" if count == 1 else f"{count:,} forum posts need review"
        case "offer_message" if count > 1:
            return f"You have {count:,} messages about an offer"
        case _:
            return title
