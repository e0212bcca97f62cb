"""Inline projection `forum_member_stats`: since when an account takes part in the forum, and how many of its posts were
ever shown."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from schemas.events.forum import ForumMemberJoined, PostApproved, PostWritten

FORUM_MEMBER_TABLE: Final = Table(
    "forum_member",
    columns=("account_id uuid not null", "joined_at timestamptz not null", "shown bigint not null"),
    key=("account_id",),
)
FORUM_MEMBER_STATS: Final = InlineProjection("forum_member_stats", version=1, tables=(FORUM_MEMBER_TABLE,))
"""Handles are not here: they must be erasable, and their hashes need the installation's key (`forum.member`)."""


FORUM_MEMBER_TABLE.begins(ForumMemberJoined, at="joined_at", shown=0)


@FORUM_MEMBER_STATS.on(PostWritten)
def _written(tables: Tables, event: PostWritten) -> None:
    if not event.held:
        _count_shown_post(tables, event.author_id)


@FORUM_MEMBER_STATS.on(PostApproved)
def _approved(tables: Tables, event: PostApproved) -> None:
    if not event.was_shown:
        _count_shown_post(tables, event.author_id)


def _count_shown_post(tables: Tables, author_id: UUID) -> None:
    member = tables["forum_member"].get(account_id=author_id)
    if member is not None:
        tables["forum_member"].update({"account_id": author_id}, shown=member["shown"] + 1)
