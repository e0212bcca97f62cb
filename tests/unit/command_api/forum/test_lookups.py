"""Inline projection of the forum: given these events, then these rows."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from command_api.forum import members, posts
from command_api.forum.lookups import FORUM_MEMBER_STATS
from command_api.kernel.decision import CommandContext
from schemas.base import DomainEvent

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def test_a_member_has_as_many_shown_posts_as_were_ever_shown() -> None:
    ada, context = uuid4(), CommandContext(NOW, uuid4(), is_admin=True)

    def written(*, held: bool) -> tuple[posts.PostAggregate, DomainEvent]:
        event = posts.write(
            uuid4(), author_id=ada, thread_id=uuid4(), text="A text", is_first=False, answered=None, mentions=(),
            held=held, context=context,
        )  # fmt: skip
        return posts.evolve(None, event), event

    def rows(*events: DomainEvent) -> list[tuple[datetime, int]]:
        tables = FORUM_MEMBER_STATS.memory()
        for event in (members.join(ada, "ada", context), *events):
            FORUM_MEMBER_STATS.apply(tables, event)
        return [(row["joined_at"], row["shown"]) for row in tables["forum_member"].rows.values()]

    shown, shown_event = written(held=False)
    held, held_event = written(held=True)
    [approved] = posts.approve(held, context)
    [deleted] = posts.delete(shown, "", as_moderator=True, context=context)
    [restored] = posts.restore(posts.evolve(shown, deleted), context)
    assert rows() == rows(held_event) == [(NOW, 0)]
    assert rows(shown_event) == rows(shown_event, deleted, restored) == [(NOW, 1)]
    assert rows(shown_event, held_event, approved) == [(NOW, 2)]
