"""Members of the forum over the whole API, whose read models are filled in the test itself, in the order of events."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import httpx
import pytest
from eventsourcing.persistence import StoredEvent

from command_api.forum import categories
from infra.kernel.postgres.rows import PostgresRows
from projectors.read_models.forum.forum_log import FORUM_LOG
from projectors.read_models.forum.forum_members import FORUM_MEMBERS, FORUM_SUSPENSIONS
from projectors.read_models.forum.forum_posts import FORUM_EDITS, FORUM_FLAGS, FORUM_LIKES, FORUM_POSTS
from projectors.read_models.forum.forum_threads import FORUM_CATEGORIES, FORUM_FOLLOWS, FORUM_THREADS
from projectors.read_models.notifications.notification_choices import NOTIFICATION_CHOICES
from schemas.events.accounts import AccountErased
from schemas.identity import forum_category_id
from tests.support.full_api import Api
from tests.support.query import Person
from tests.support.subscriptions import notify

MODELS: Final = (
    FORUM_CATEGORIES, FORUM_THREADS, FORUM_POSTS, FORUM_MEMBERS, FORUM_SUSPENSIONS, FORUM_LIKES, FORUM_FOLLOWS,
    FORUM_EDITS, FORUM_FLAGS, FORUM_LOG, NOTIFICATION_CHOICES,
)  # fmt: skip
STARTED: Final = forum_category_id("getting-started")
TEXT: Final = "A text of some words, long enough for a post."


@dataclass
class Forum:
    """The API with members. `position`: how far `project` has come."""

    api: Api
    position: int = 0
    moderator: Person = field(init=False)

    def __post_init__(self) -> None:
        row = self.postgres.execute("SELECT coalesce(max(notification_id), 0) FROM events.stored_events").fetchone()
        assert row is not None
        self.position = row[0]
        categories.seed(self.api.core)
        self.position = min(self.position, self._first_category() - 1)
        self.moderator = self.member("Mo", "member", "admin")

    @property
    def postgres(self) -> Any:
        return self.api.query.postgres

    def member(self, name: str = "Ada", *roles: str, new: bool = False) -> Person:
        """A member; unless `new`, with an old account."""
        person = self.api.query.person(*roles)
        self.postgres.execute("UPDATE accounts.session SET name = %s WHERE id = %s", (name, person.session_id))
        self.api.query.insert(
            "forum_members",
            {
                "account_id": person.account_id,
                "name": name,
                "registered_at": datetime.now(UTC) - timedelta(days=9),
                "is_moderator": "admin" in roles,
            },
        )
        if not new:
            self.start(person, title="How I came here")
            self.season(person)
        return person

    def season(self, person: Person) -> None:
        """As if a long time had passed."""
        self.postgres.execute(
            "UPDATE lookup.forum_member SET joined_at = now() - interval '9 days', shown = 9 WHERE account_id = %s",
            (person.account_id,),
        )
        self.rest(person)

    def rest(self, person: Person) -> None:
        """Forgets how much the member wrote."""
        self.postgres.execute("DELETE FROM forum.act WHERE account_id = %s", (person.account_id,))

    def call(self, method: str, path: str, person: Person | None = None, **options: Any) -> httpx.Response:
        return self.api.call(method, f"/api/{path}", person, headers={"X-Requested-With": "test"}, **options)

    def done(self, method: str, path: str, person: Person | None = None, **options: Any) -> Any:
        answer = self.call(method, path, person, **options)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def start(self, person: Person, title: str = "A thread", text: str = TEXT, **more: Any) -> dict[str, Any]:
        self.rest(person)
        body = {"categoryId": str(STARTED), "title": title, "text": text, **more}
        made: dict[str, Any] = self.done("POST", "forum/threads", person, json=body)
        return made

    def reply(self, person: Person, thread: dict[str, Any], text: str = TEXT, **more: Any) -> str:
        self.rest(person)
        answer = self.done("POST", f"forum/threads/{thread['id']}/posts", person, json={"text": text, **more})
        return str(answer["id"])

    def read(self, path: str, person: Person | None = None, **params: Any) -> Any:
        """After the read models and notifications have caught up."""
        self.project()
        return self.done("GET", path, person, params=params)

    def handle(self, person: Person) -> str:
        row = self.postgres.execute(
            "SELECT handle FROM forum.member WHERE account_id = %s", (person.account_id,)
        ).fetchone()
        assert row is not None
        return str(row[0])

    def events(self, name: str, aggregate: UUID | str | None = None) -> int:
        row = self.postgres.execute(
            "SELECT count(*) FROM events.stored_events WHERE topic = %s AND (%s::uuid IS NULL OR originator_id = %s)",
            (f"{name}.v1", aggregate, aggregate),
        ).fetchone()
        assert row is not None
        return int(row[0])

    def project(self) -> None:
        """What the projectors and the notifications' leader would do."""
        rows = self.postgres.execute(
            "SELECT notification_id, originator_id, originator_version, topic, state FROM events.stored_events"
            " WHERE notification_id > %s ORDER BY notification_id",
            (self.position,),
        ).fetchall()
        for position, *stored in rows:
            self.position = position
            if not stored[2].startswith(("forum.", "notifications.", "account.erased")):
                continue
            origin, version, topic, state = stored
            event: Any = self.api.core.store.mapper.to_domain_event(StoredEvent(origin, version, topic, bytes(state)))
            for model in MODELS:
                handler = model.handlers.get(type(event))
                if handler is None or (isinstance(event, AccountErased) and model is FORUM_CATEGORIES):
                    continue
                target = PostgresRows(self.postgres, model.table(1), model.key)
                target.position = position
                handler(target, event)
                target.flush()
        notify(self.api.core, self.postgres)

    def _first_category(self) -> int:
        row = self.postgres.execute(
            "SELECT min(notification_id) FROM events.stored_events WHERE topic = 'forum.category_created.v1'"
        ).fetchone()
        assert row is not None
        return int(row[0])


@pytest.fixture(scope="session")
def forum(full_api: Api) -> Forum:
    """Shared: every test makes its own members and threads."""
    return Forum(full_api)
