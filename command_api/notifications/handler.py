"""Makes notifications of events: topic `domain` -> `NotificationHandler` -> `notifications.notification`.

The subscription's position moves in the transaction of the rows, so every event notifies each recipient exactly once.
Who follows a thread is kept here as well, in the order of events: a reply reaches those who followed before it. Who has
a role says the write side (`lookup.role_holder`), at the moment at which the event is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, LiteralString

import command_api.notifications.admin_acts
import command_api.notifications.deals
import command_api.notifications.forum
import command_api.notifications.listings
import command_api.notifications.operations
import command_api.notifications.partners
import command_api.notifications.websites  # noqa: F401 - they register their rules
from command_api.kernel.container import Container
from command_api.kernel.leader_election import Connection
from command_api.notifications.notification import LATER_RULES, RULES, Notifications, OutgoingNotification
from infra.kernel.config.modules import notifications_off
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.forum import PostDeleted, PostHidden, PostUnliked, ThreadFollowed, ThreadUnfollowed
from schemas.uuid7 import uuid7

NAME: Final = "notifications"

_END_MENTIONS: Final = (
    "DELETE FROM notifications.notification WHERE post_id = %(originator_id)s AND seen_at IS NULL"
    " AND kind IN ('mention', 'quote')"
)
_EFFECTS: Final[Mapping[type[DomainEvent], tuple[LiteralString, ...]]] = {
    ThreadFollowed: ("INSERT INTO forum.follower VALUES (%(thread_id)s, %(account_id)s) ON CONFLICT DO NOTHING",),
    ThreadUnfollowed: ("DELETE FROM forum.follower WHERE thread_id = %(thread_id)s AND account_id = %(account_id)s",),
    PostUnliked: (
        "DELETE FROM notifications.notification WHERE account_id = %(author_id)s AND kind = 'like'"
        " AND about = %(post_id)s::text AND seen_at IS NULL AND count = 1 AND actor_id = %(account_id)s",
        # Of several, the name of the last one goes if it was theirs. The only one left is another's, and stays.
        "UPDATE notifications.notification SET count = count - 1, actor_id = nullif(actor_id, %(account_id)s)"
        " WHERE account_id = %(author_id)s AND kind = 'like' AND about = %(post_id)s::text AND seen_at IS NULL"
        " AND count > 1",
    ),
    PostHidden: (_END_MENTIONS,),
    PostDeleted: (_END_MENTIONS,),
    AccountErased: (
        "DELETE FROM notifications.notification WHERE account_id = %(originator_id)s",
        "DELETE FROM forum.follower WHERE account_id = %(originator_id)s",
    ),
}
"""Further effects of events, applied before their notifications."""


class NotificationHandler:
    """The `command_api.kernel.event_subscription.EventHandler` of notifications."""

    name = NAME
    event_names = frozenset(event_class.NAME for event_class in (*RULES, *LATER_RULES, *_EFFECTS))

    def __init__(self, container: Container) -> None:
        self._container = container
        self._off = notifications_off(container.settings.without)

    def handle(self, connection: Connection, event: Any) -> None:
        """Applies the event's effects and inserts its notifications in the caller's transaction."""
        values = event.model_dump(mode="python")
        for statement in _EFFECTS.get(type(event), ()):
            connection.execute(statement, values)
        for notice in self._notices(event):
            if notice.kind not in self._off:
                _insert(connection, notice, event)

    def _notices(self, event: Any) -> Notifications:
        if (rule := RULES.get(type(event))) is not None:
            return rule(event)
        if (later := LATER_RULES.get(type(event))) is not None:
            [begin] = self._container.store.events.get(event.originator_id, lte=1)
            return later(event, begin)
        return ()


def _insert(connection: Connection, notice: OutgoingNotification, event: DomainEvent) -> None:
    statement = _ONE if notice.to is not None else _HOLDERS if notice.roles else _FOLLOWERS
    people = {"but": list(notice.but), "roles": [role.value for role in notice.roles]}
    values = {**asdict(notice), **people, "at": event.timestamp, "id": uuid7()}
    connection.execute(statement, values)


_COLUMNS: Final = (
    "INSERT INTO notifications.notification AS n"
    " (id, account_id, kind, about, actor_id, thread_id, post_id, listing_id, website_id, title, path, created_at,"
    " updated_at)"
)
_VALUES: Final = (
    "%(kind)s, %(about)s, %(actor_id)s::uuid, %(thread_id)s::uuid, %(post_id)s::uuid, %(listing_id)s::uuid,"
    " %(website_id)s::uuid, %(title)s, %(path)s, %(at)s::timestamptz, %(at)s::timestamptz"
)
_AGAIN: Final = (
    " ON CONFLICT (account_id, kind, about) WHERE seen_at IS NULL DO UPDATE SET count = n.count + 1,"
    " actor_id = excluded.actor_id, updated_at = excluded.updated_at"
)
_ONE: Final = f"{_COLUMNS} VALUES (%(id)s, %(to)s, {_VALUES}){_AGAIN}"
_HOLDERS: Final = (
    # The roles are the write side's: no record in the log makes anybody a recipient or leaves an admin out.
    f"{_COLUMNS} SELECT gen_random_uuid(), h.account_id, {_VALUES} FROM lookup.role_holder AS h"  # noqa: S608 - own text
    f" WHERE h.roles && %(roles)s::text[] AND NOT h.account_id = ANY(%(but)s::uuid[]){_AGAIN}"
)
_FOLLOWERS: Final = (
    f"{_COLUMNS} SELECT gen_random_uuid(), f.account_id, {_VALUES} FROM forum.follower AS f"  # noqa: S608 - own text
    f" WHERE f.thread_id = %(thread_id)s AND NOT f.account_id = ANY(%(but)s::uuid[]){_AGAIN}"
)
