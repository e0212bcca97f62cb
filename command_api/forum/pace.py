"""How fast and how much members write: counted in the transaction of what is counted, so the limits hold in any race.

The member's row is locked first; whoever comes second counts what the first one wrote.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from psycopg import Cursor

from command_api.decision import Asked, Refused
from command_api.forum.rules import DAY, UNIQUE_FOR, Pace
from infra.problems import Problem

Act = Literal["topic", "reply", "edit", "like", "flag"]
_WORDS: Final[Mapping[Act, str]] = {
    "topic": "started {0} threads",
    "reply": "written {0} replies",
    "edit": "made {0} edits",
    "like": "given {0} likes",
    "flag": "reported {0} posts",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Since when somebody is a member, and how many of their posts were ever shown."""

    joined_at: datetime
    shown: int

    def is_new(self, at: datetime, pace: Pace) -> bool:
        return self.in_first_day(at) or self.shown < pace.new_until_shown

    def in_first_day(self, at: datetime) -> bool:
        return at < self.joined_at + DAY


def count(
    cursor: Cursor[dict[str, Any]], pace: Pace, account_id: UUID, act: Act, asked: Asked, digest: bytes | None = None
) -> None:
    """Counts one act. Raises `Problem` 429 above a limit, `Refused` for the same text again."""
    if asked.is_admin:
        return
    found = cursor.execute(_STANDING, (account_id,)).fetchone()
    assert found is not None  # noqa: S101 - joined before, or in this transaction
    standing = Standing(found["joined_at"], found["shown"])
    if act == "flag" and standing.is_new(asked.at, pace):
        raise Refused("forbidden", "new_member", "New members cannot report posts yet.")
    times = [row["at"] for row in cursor.execute(_TIMES, (account_id, act, asked.at - DAY))]
    if digest is not None and cursor.execute(_SAME, (account_id, digest, asked.at - UNIQUE_FOR)).fetchone():
        raise Refused("conflict", "duplicate", "You have just written the same. Please wait for it to appear.", "text")
    most = _most(pace, act, standing, asked.at)
    if len(times) >= most:
        wait = times[len(times) - most] + DAY - asked.at
        done = _WORDS[act].format(most)
        raise _later("daily_limit", f"You have {done} in 24 hours, which is the most.", wait)
    gap = _gap(pace, act, standing.is_new(asked.at, pace))
    if times and gap and asked.at < times[-1] + gap:
        wait = times[-1] + gap - asked.at
        raise _later("too_fast", f"Please wait {_seconds(wait)} seconds before you write again.", wait)
    cursor.execute(
        "INSERT INTO ops.forum_act (account_id, kind, at, digest) VALUES (%s, %s, %s, %s)",
        (account_id, act, asked.at, digest),
    )


def _most(pace: Pace, act: Act, standing: Standing, at: datetime) -> int:
    first_day = standing.in_first_day(at)
    match act:
        case "topic":
            return pace.first_day_topics if first_day else pace.topics_a_day
        case "reply":
            return pace.first_day_replies if first_day else pace.replies_a_day
        case "edit":
            return pace.edits_a_day
        case "like":
            return pace.likes_a_day
        case "flag":
            return pace.flags_a_day


def _gap(pace: Pace, act: Act, is_new: bool) -> timedelta | None:
    match act:
        case "topic":
            return pace.new_topic_gap if is_new else pace.topic_gap
        case "reply":
            return pace.new_reply_gap if is_new else pace.reply_gap
        case _:
            return None


def _later(code: str, message: str, wait: timedelta) -> Problem:
    return Problem(429, code, message, headers={"Retry-After": str(_seconds(wait))})


def _seconds(wait: timedelta) -> int:
    return max(1, math.ceil(wait.total_seconds()))


_STANDING: Final = "SELECT joined_at, shown FROM ops.forum_member WHERE account_id = %s FOR UPDATE"
_TIMES: Final = "SELECT at FROM ops.forum_act WHERE account_id = %s AND kind = %s AND at > %s ORDER BY at"
_SAME: Final = "SELECT 1 FROM ops.forum_act WHERE account_id = %s AND digest = %s AND at > %s LIMIT 1"
