"""Makes notifications of what happened: event store -> `Raising` -> `ops.notification`.

The position moves in the transaction of the rows, so every event tells everybody exactly once, whatever is killed.
Who follows a thread is kept here as well, in the order of events: a reply reaches those who followed before it. Who is
an admin says the write side (`auth.role_holder`), at the moment at which the event is read.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from threading import Event
from typing import Any, Final, LiteralString

from eventsourcing.persistence import StoredEvent

import command_api.notifications.deals
import command_api.notifications.forum
import command_api.notifications.listings
import command_api.notifications.websites  # noqa: F401 - they register their rules
from command_api.core import Core
from command_api.leader import Connection
from command_api.notifications.notice import LATER_RULES, RULES, Notice
from command_api.store import CHANNEL, name_and_version
from schemas.base import REGISTRY, DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.forum import PostDeleted, PostHidden, PostUnliked, ThreadFollowed, ThreadUnfollowed
from schemas.uuid7 import uuid7

NAME: Final = "notifications"
PAGE: Final = 500
POLL_S: Final = 5.0

log = logging.getLogger(__name__)

_EFFECTS: Final[Mapping[type[DomainEvent], tuple[LiteralString, ...]]] = {
    ThreadFollowed: ("INSERT INTO ops.forum_follower VALUES (%(thread_id)s, %(account_id)s) ON CONFLICT DO NOTHING",),
    ThreadUnfollowed: (
        "DELETE FROM ops.forum_follower WHERE thread_id = %(thread_id)s AND account_id = %(account_id)s",
    ),
    PostUnliked: (
        "DELETE FROM ops.notification WHERE account_id = %(author_id)s AND kind = 'like' AND about = %(post_id)s::text"
        " AND seen_at IS NULL AND count = 1 AND actor_id = %(account_id)s",
        # Of several, the name of the last one goes if it was theirs. The only one left is another's, and stays.
        "UPDATE ops.notification SET count = count - 1, actor_id = nullif(actor_id, %(account_id)s)"
        " WHERE account_id = %(author_id)s AND kind = 'like' AND about = %(post_id)s::text AND seen_at IS NULL"
        " AND count > 1",
    ),
    PostHidden: (
        "DELETE FROM ops.notification WHERE post_id = %(originator_id)s AND seen_at IS NULL"
        " AND kind IN ('mention', 'quote')",
    ),
    PostDeleted: (
        "DELETE FROM ops.notification WHERE post_id = %(originator_id)s AND seen_at IS NULL"
        " AND kind IN ('mention', 'quote')",
    ),
    AccountErased: (
        "DELETE FROM ops.notification WHERE account_id = %(originator_id)s",
        "DELETE FROM ops.forum_follower WHERE account_id = %(originator_id)s",
    ),
}
"""What else follows from events, before anybody is told of them."""

_KNOWN: Final = {cls.NAME for cls in (*RULES, *LATER_RULES, *_EFFECTS)}


class Raising:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        connection.execute(f"LISTEN {CHANNEL}".encode())
        while not stop.is_set():
            if self.step(connection) < PAGE and not stop.is_set():
                for _ in connection.notifies(timeout=POLL_S, stop_after=1):
                    pass

    def step(self, connection: Connection) -> int:
        """Tells of the next events, in one transaction; how many events it read."""
        with connection.transaction():
            row = connection.execute("SELECT position FROM ops.notification_position FOR UPDATE").fetchone()
            assert row is not None  # noqa: S101 - the migration made it
            page = connection.execute(_PAGE, (row[0], PAGE)).fetchall()
            for _, originator_id, version, topic, state in page:
                name, _ = name_and_version(topic)
                if name in _KNOWN and name in REGISTRY:
                    stored = StoredEvent(originator_id, version, topic, bytes(state))
                    self._tell(connection, self._core.store.mapper.to_domain_event(stored))
            if page:
                connection.execute("UPDATE ops.notification_position SET position = %s", (page[-1][0],))
        return len(page)

    def _tell(self, connection: Connection, event: Any) -> None:
        values = event.model_dump(mode="python")
        for statement in _EFFECTS.get(type(event), ()):
            connection.execute(statement, values)
        for notice in self._notices(event):
            _raise(connection, notice, event)

    def _notices(self, event: Any) -> Iterable[Notice]:
        if (rule := RULES.get(type(event))) is not None:
            return rule(event)
        if (later := LATER_RULES.get(type(event))) is not None:
            [begin] = self._core.store.events.get(event.originator_id, lte=1)
            return later(event, begin)
        return ()


def _raise(connection: Connection, notice: Notice, event: DomainEvent) -> None:
    values = {
        "kind": notice.kind,
        "about": notice.about,
        "actor": notice.actor_id,
        "thread": notice.thread_id,
        "post": notice.post_id,
        "title": notice.title,
        "path": notice.path,
        "at": event.timestamp,
    }
    if notice.to is not None:
        connection.execute(_ONE, {**values, "id": uuid7(), "to": notice.to})
    elif notice.admins:
        connection.execute(_ADMINS, {**values, "but": list(notice.but)})
    else:
        connection.execute(_FOLLOWERS, {**values, "but": list(notice.but)})


_PAGE: Final = (
    "SELECT notification_id, originator_id, originator_version, topic, state FROM events.stored_events"
    " WHERE notification_id > %s ORDER BY notification_id LIMIT %s"
)
_COLUMNS: Final = (
    "INSERT INTO ops.notification AS n"
    " (id, account_id, kind, about, actor_id, thread_id, post_id, title, path, created_at, updated_at)"
)
_VALUES: Final = (
    "%(kind)s, %(about)s, %(actor)s::uuid, %(thread)s::uuid, %(post)s::uuid, %(title)s, %(path)s,"
    " %(at)s::timestamptz, %(at)s::timestamptz"
)
_AGAIN: Final = (
    " ON CONFLICT (account_id, kind, about) WHERE seen_at IS NULL DO UPDATE SET count = n.count + 1,"
    " actor_id = excluded.actor_id, updated_at = excluded.updated_at"
)
_ONE: Final = f"{_COLUMNS} VALUES (%(id)s, %(to)s, {_VALUES}){_AGAIN}"
_ADMINS: Final = (
    # The roles are the write side's: no record in the log makes anybody a recipient or leaves an admin out.
    f"{_COLUMNS} SELECT gen_random_uuid(), h.account_id, {_VALUES} FROM auth.role_holder AS h"  # noqa: S608 - own text
    f" WHERE 'admin' = ANY(h.roles) AND NOT h.account_id = ANY(%(but)s::uuid[]){_AGAIN}"
)
_FOLLOWERS: Final = (
    f"{_COLUMNS} SELECT gen_random_uuid(), f.account_id, {_VALUES} FROM ops.forum_follower AS f"  # noqa: S608 - own text
    f" WHERE f.thread_id = %(thread)s AND NOT f.account_id = ANY(%(but)s::uuid[]){_AGAIN}"
)
