"""Rate limits of members, counted in the transaction of the write, so that they hold under concurrency."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, LiteralString
from uuid import UUID

from command_api.forum import rules
from command_api.forum.rules import DAY, UNIQUE_FOR, RateLimits
from command_api.forum.text import normalized
from command_api.kernel.decision import CommandRejected
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from infra.kernel.http.problems import Problem
from infra.kernel.security.encryption import derived_key, keyed_hash

Act = Literal["topic", "reply", "edit", "like", "flag"]
_DONE_TEXTS: Final[Mapping[Act, str]] = {
    "topic": "started {0} threads",
    "reply": "written {0} replies",
    "edit": "made {0} edits",
    "like": "given {0} likes",
    "flag": "reported {0} posts",
}


@dataclass(frozen=True, slots=True)
class MemberStats:
    """Join time of a member, and the number of their posts that were ever shown."""

    joined_at: datetime
    shown: int

    def is_new(self, at: datetime, limits: RateLimits) -> bool:
        return self.in_first_day(at) or self.shown < limits.new_until_shown

    def in_first_day(self, at: datetime) -> bool:
        return at < self.joined_at + DAY


def member_stats(uow: UnitOfWork, account_id: UUID) -> MemberStats | None:
    """Returns the member's join time and posts; `None` for an account that has not joined."""
    rows = uow.select("SELECT joined_at, shown FROM lookup.forum_member WHERE account_id = %s", account_id)
    return MemberStats(*rows[0]) if rows else None


def count(uow: Appended, stats: MemberStats, act: Act, text: str | None = None) -> None:
    """Counts one act of the sender; concurrent ones are counted, too. `stats`: those before the act.
    Raises `Problem` 429 above a limit, `CommandRejected` for the same text again."""
    context, limits = uow.context, rules.RATE_LIMITS
    if context.is_admin:
        return
    account_id = context.require_account()
    if act == "flag" and stats.is_new(context.at, limits):
        raise CommandRejected("forbidden", "new_member", "New members cannot report posts yet.")
    times = [at for (at,) in uow.select(_TIMES, account_id, act, context.at - DAY)]
    digest = _digest(uow, text) if text is not None else None
    if digest is not None and uow.select(_DUPLICATE, account_id, digest, context.at - UNIQUE_FOR):
        raise CommandRejected(
            "conflict", "duplicate", "You just posted the same text. Please wait for it to appear.", "text"
        )
    most = _limit(limits, act, stats, context.at)
    if len(times) >= most:
        wait = times[len(times) - most] + DAY - context.at
        done = _DONE_TEXTS[act].format(most)
        raise _too_many("daily_limit", f"You have {done} in 24 hours, which is the limit.", wait)
    gap = _gap(limits, act, stats.is_new(context.at, limits))
    if times and gap and context.at < times[-1] + gap:
        wait = times[-1] + gap - context.at
        raise _too_many("too_fast", f"Please wait {_seconds(wait)} seconds before you post again.", wait)
    uow.cursor.execute(
        "INSERT INTO forum.act (account_id, kind, at, digest) VALUES (%s, %s, %s, %s)",
        (account_id, act, context.at, digest),
    )


def _digest(uow: UnitOfWork, text: str) -> bytes:
    return bytes.fromhex(keyed_hash(derived_key(uow.settings, "forum-text"), normalized(text)))


def _limit(limits: RateLimits, act: Act, stats: MemberStats, at: datetime) -> int:
    first_day = stats.in_first_day(at)
    match act:
        case "topic":
            return limits.first_day_topics if first_day else limits.topics_a_day
        case "reply":
            return limits.first_day_replies if first_day else limits.replies_a_day
        case "edit":
            return limits.edits_a_day
        case "like":
            return limits.likes_a_day
        case "flag":
            return limits.flags_a_day


def _gap(limits: RateLimits, act: Act, is_new: bool) -> timedelta | None:
    match act:
        case "topic":
            return limits.new_topic_gap if is_new else limits.topic_gap
        case "reply":
            return limits.new_reply_gap if is_new else limits.reply_gap
        case _:
            return None


def _too_many(code: str, message: str, wait: timedelta) -> Problem:
    return Problem(429, code, message, headers={"Retry-After": str(_seconds(wait))})


def _seconds(wait: timedelta) -> int:
    return max(1, math.ceil(wait.total_seconds()))


_TIMES: Final[LiteralString] = "SELECT at FROM forum.act WHERE account_id = %s AND kind = %s AND at > %s ORDER BY at"
_DUPLICATE: Final[LiteralString] = "SELECT 1 FROM forum.act WHERE account_id = %s AND digest = %s AND at > %s LIMIT 1"
