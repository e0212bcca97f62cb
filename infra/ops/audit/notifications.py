"""Notifications (`notifications.notification`) against the events that they tell of: none twice, none without an event;
and who follows a thread (`forum.follower`), which says whom an event notifies.

Members mark notifications as seen, retention and erasure delete them, and a withdrawn like takes one back; so there may
be fewer than the events give, never more. The product's own rules say which event notifies whom of what; for followers
and admins, who are looked up when the event is handled, any account counts as a recipient.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final
from uuid import UUID

import psycopg

from command_api.notifications import handler
from command_api.notifications.notification import LATER_RULES, RULES
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.forum import ThreadFollowed, ThreadUnfollowed

FOLLOWERS: Final = "forum.follower"
_CHECK: Final = "notifications"
_ROWS_A_FETCH: Final = 2_000
_MAX_TEXT: Final = 64
_STREAMS: Final = frozenset(event_class.NAME.partition(".")[0] for event_class in LATER_RULES)
"""Kinds of streams whose first event says who is to be notified."""


class Notifications:
    """Counts what events give. `postgres` must be in a transaction of its own, which fixes the moment."""

    def __init__(self, postgres: psycopg.Connection[Any]) -> None:
        self._postgres = postgres
        self._reached = next((reached for (reached,) in postgres.execute(_POSITION, (handler.NAME,))), 0)
        self._dead = {offset for (offset,) in postgres.execute(_DEAD_LETTERS, (handler.NAME,))}
        self._given: Counter[tuple[UUID | None, str, str]] = Counter()
        """The notifications by recipient (none: all followers or admins), kind, and what they are about."""
        self._begins: dict[UUID, DomainEvent] = {}
        self._followers: set[tuple[UUID, UUID]] = set()
        """Thread and account."""

    def count(self, offset: int, event: DomainEvent, position: int) -> None:
        """Takes the next event."""
        if event.originator_version == 1 and event.NAME.partition(".")[0] in _STREAMS:
            self._begins[event.originator_id] = _without_texts(event)
        if isinstance(event, AccountErased):  # in the transaction of the event
            self._followers = {each for each in self._followers if each[1] != event.originator_id}
        if position > self._reached or offset in self._dead:
            return
        match event:
            case ThreadFollowed():
                self._followers.add((event.thread_id, event.account_id))
            case ThreadUnfollowed():
                self._followers.discard((event.thread_id, event.account_id))
        if (rule := RULES.get(type(event))) is not None:
            notifications = rule(event)
        elif (later := LATER_RULES.get(type(event))) is not None and event.originator_id in self._begins:
            notifications = later(event, self._begins[event.originator_id])
        else:
            return
        self._given.update((each.to, each.kind, each.about) for each in notifications)

    def compare(self, report: AuditReport) -> None:
        """Compares, after the last event, every account's notifications of each kind and subject, and every
        follower."""
        if not exists(self._postgres, "notifications.notification"):
            return
        self._compare_followers(report)
        with self._postgres.cursor("notifications") as cursor:
            cursor.itersize = _ROWS_A_FETCH
            for account, kind, about, count in cursor.execute(_NOTIFICATIONS):
                report.checked["notifications"] += count
                expected = self._given[account, kind, about] + self._given[None, kind, about]
                name = f"{kind} about {about} to account {account}"
                if not expected:
                    report.found(DefectKind.WRONG, _CHECK, f"{name} has no event", count)
                elif count > expected:
                    what = f"{name}: {count} notifications of {expected} events"
                    report.found(DefectKind.DUPLICATE, _CHECK, what, count - expected)

    def _compare_followers(self, report: AuditReport) -> None:
        rows = set(self._postgres.execute(_FOLLOWING).fetchall())
        if rows:
            report.checked[f"rows of {FOLLOWERS}"] += len(rows)
        for thread, account in rows - self._followers:
            report.found(DefectKind.WRONG, FOLLOWERS, f"account {account} does not follow thread {thread}")
        for thread, account in self._followers - rows:
            report.found(DefectKind.MISSING, FOLLOWERS, f"account {account} follows thread {thread}, and has no row")


def _without_texts(event: DomainEvent) -> DomainEvent:
    """The stored form of a stream's first event: rules use no texts."""
    texts = {name: "" for name, value in event if isinstance(value, str) and len(value) > _MAX_TEXT}
    return event.model_copy(update=texts)


_POSITION: Final = "SELECT domain_position FROM engine.position WHERE projection = %s AND generation = 0"
_DEAD_LETTERS: Final = (
    "SELECT \"offset\" FROM engine.dead_letter WHERE projection = %s AND generation = 0 AND state <> 'retried'"
)
_FOLLOWING: Final = "SELECT thread_id, account_id FROM forum.follower"
_NOTIFICATIONS: Final = (
    "SELECT account_id, kind, about, sum(count)::bigint FROM notifications.notification GROUP BY 1, 2, 3"
)
