"""One of every decided event of the forum and of notifications' choices, as a small history that hangs together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid5

from schemas.base import DomainEvent
from schemas.events import forum, notifications

Event = type[DomainEvent]
Encrypt = Callable[[UUID, str, str], str]
LONG_TEXT = "A text that is longer than what an audit keeps of texts as they are: it is compared by a digest of it."


def forum_history(
    encrypt: Encrypt, in_order: Callable[..., list[DomainEvent]], root: UUID, member: UUID, leaver: UUID
) -> list[DomainEvent]:
    """A thread by `member`, and an answer by `leaver`. `in_order` makes the events of one aggregate."""

    def key(name: str) -> UUID:
        return uuid5(root, f"forum {name}")

    category, thread, first, reply, held, gone = map(key, ("category", "thread", "first post", "reply", "held", "gone"))
    of_first = {"author_id": member, "thread_id": thread, "is_first": True}
    of_reply = {"author_id": leaver, "thread_id": thread}
    of_held = {"author_id": member, "thread_id": thread}

    def joined(who: UUID, handle: str) -> tuple[Event, dict[str, Any]]:
        return forum.ForumMemberJoined, {"account_id": who, "handle": encrypt(who, "handle", handle)}

    rude = encrypt(leaver, "reason", "Rude")
    suspended = (forum.ForumMemberSuspended, {"account_id": leaver, "until": None, "reason": rude})
    report = {**of_reply, "account_id": member, "reason": "spam", "note": encrypt(member, "note", "Look")}
    flagged = (forum.PostFlagged, report)
    return [
        *in_order(
            category,
            (forum.ForumCategoryCreated, {"name": "Talk", "slug": "talk", "description": "Of all", "place": 1}),
        ),
        *in_order(key("member"), joined(member, "ada")),
        *in_order(key("leaver"), joined(leaver, "eve")),
        *in_order(
            thread,
            (
                forum.ThreadStarted,
                {
                    "author_id": member,
                    "category_id": category,
                    "first_post_id": first,
                    "title": encrypt(member, "title", "Which of them?"),
                    "held": True,
                },
            ),
            (forum.ThreadShown, {}),
            (forum.ThreadPinned, {"reason": "Good"}),
            (forum.ThreadUnpinned, {}),
            (forum.ThreadLocked, {"reason": "Settled"}),
            (forum.ThreadUnlocked, {}),
            (forum.ThreadMoved, {"category_id": key("another category"), "reason": "There"}),
            (forum.ThreadHidden, {}),
            (forum.ThreadShown, {}),
        ),
        *in_order(
            first,
            (forum.PostWritten, {**of_first, "text": encrypt(member, "text", LONG_TEXT), "held": True}),
            (forum.PostApproved, of_first),
            (
                forum.PostEdited,
                {
                    **of_first,
                    "text": encrypt(member, "text", f"{LONG_TEXT} Again."),
                    "before": encrypt(member, "before", LONG_TEXT),
                    "mentions": (leaver,),
                },
            ),
        ),
        *in_order(
            reply,
            (forum.PostWritten, {**of_reply, "text": encrypt(leaver, "text", "None of them"), "reply_to": first}),
            flagged,
            (forum.PostFlagsDismissed, of_reply),
            flagged,
            (forum.PostFlagged, {**of_reply, "account_id": key("another"), "reason": "abusive"}),
            (forum.PostHidden, of_reply),
            (forum.PostApproved, {**of_reply, "was": "hidden", "was_shown": True}),
            (
                forum.PostDeleted,
                {**of_reply, "by_moderator": True, "reason": encrypt(leaver, "reason", "Advertising")},
            ),
            (forum.PostRestored, of_reply),
            (
                forum.PostEdited,
                {
                    **of_reply,
                    "text": encrypt(leaver, "text", "Some"),
                    "before": encrypt(leaver, "before", "None of them"),
                },
            ),
        ),
        *in_order(
            held,
            (forum.PostWritten, {**of_held, "text": encrypt(member, "text", "See there"), "held": True}),
            (forum.PostApproved, of_held),
        ),
        *in_order(
            gone,
            (forum.PostWritten, {**of_held, "text": encrypt(member, "text", "Never mind")}),
            (forum.PostDeleted, of_held),
        ),
        *in_order(
            key("like"),
            (forum.PostLiked, {"account_id": member, "post_id": reply, **of_reply}),
            (forum.PostUnliked, {"account_id": member, "post_id": reply, **of_reply}),
            (forum.PostLiked, {"account_id": member, "post_id": reply, **of_reply}),
        ),
        *in_order(
            key("follow"),
            (forum.ThreadFollowed, {"account_id": member, "thread_id": thread}),
            (forum.ThreadUnfollowed, {"account_id": member, "thread_id": thread}),
        ),
        *in_order(key("views"), (forum.ThreadViewsCounted, {"thread_id": thread, "views": 12})),
        *in_order(
            key("leaver again"),
            suspended,
            (forum.ForumMemberReinstated, {"account_id": leaver}),
            suspended,
        ),
        *in_order(
            key("choices"),
            (
                notifications.NotificationPreferenceSet,
                {"account_id": member, "kind": "reply", "in_app": True, "mail": "daily"},
            ),
            (notifications.NotificationMailStopped, {"account_id": member, "way": "page"}),
            (
                notifications.NotificationPreferenceSet,
                {"account_id": member, "kind": "like", "in_app": False, "mail": "weekly"},
            ),
        ),
    ]
