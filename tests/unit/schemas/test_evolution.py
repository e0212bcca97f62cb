"""Given a state that declares its events, when they happen, then this state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from schemas.base import DomainEvent
from schemas.events.forum import (
    ForumMemberJoined,
    ForumMemberSuspended,
    PostHidden,
    PostRestored,
    ThreadFollowed,
    ThreadUnfollowed,
)
from schemas.evolution import Evolution, UnexpectedEvent

POST, THREAD, AUTHOR = UUID(int=1), UUID(int=2), UUID(int=3)
AT = datetime(2026, 5, 17, tzinfo=UTC)
FACTS = {"author_id": AUTHOR, "thread_id": THREAD}


@dataclass(frozen=True, slots=True)
class Hidden:
    """A post that moderators look at."""

    id: UUID
    version: int
    author_id: UUID
    since: datetime
    is_hidden: bool = True
    times: int = 1


def happened(event_class: type[DomainEvent], version: int, **values: Any) -> DomainEvent:
    return event_class(originator_id=POST, originator_version=version, timestamp=AT, **values)


def test_a_state_begins_with_the_fields_of_its_first_event() -> None:
    evolve = Evolution(Hidden).begins(PostHidden, at="since")
    assert evolve(None, happened(PostHidden, 1, **FACTS)) == Hidden(POST, 1, AUTHOR, AT)


def test_an_event_sets_what_is_declared_and_the_version() -> None:
    evolve = Evolution(Hidden).begins(PostHidden, at="since").follows(PostRestored, but="author_id", is_hidden=False)
    state = evolve(None, happened(PostHidden, 1, **FACTS))
    restored = happened(PostRestored, 2, **{**FACTS, "author_id": THREAD})
    assert evolve(state, restored) == Hidden(POST, 2, AUTHOR, AT, is_hidden=False)


def test_what_is_computed_has_the_state_before() -> None:
    evolve = Evolution(Hidden)

    @evolve.begun(PostHidden)
    def _begun(event: PostHidden) -> dict[str, Any]:
        return {"author_id": event.author_id, "since": event.timestamp, "times": 5}

    @evolve.on(PostRestored)
    def _restored(state: Hidden, _: PostRestored) -> dict[str, Any]:
        return {"times": state.times + 1}

    state = evolve(None, happened(PostHidden, 1, **FACTS))
    assert evolve(state, happened(PostRestored, 2, **FACTS)).times == 6


def test_an_ignored_event_changes_the_version_alone() -> None:
    evolve = Evolution(Hidden).begins(PostHidden, at="since").ignores(PostRestored)
    state = evolve(None, happened(PostHidden, 1, **FACTS))
    assert evolve(state, happened(PostRestored, 2, **FACTS)) == Hidden(POST, 2, AUTHOR, AT)


def test_a_state_without_an_id_may_begin_by_several_events() -> None:
    @dataclass(frozen=True, slots=True)
    class Followed:
        version: int
        is_set: bool

    evolve = Evolution(Followed).begins(ThreadFollowed, is_set=True).begins(ThreadUnfollowed, is_set=False)
    followed = happened(ThreadFollowed, 1, account_id=AUTHOR, thread_id=THREAD)
    ended = happened(ThreadUnfollowed, 2, account_id=AUTHOR, thread_id=THREAD)
    assert evolve(evolve(None, followed), ended) == Followed(2, is_set=False)


def test_events_of_others_and_a_history_without_its_beginning_are_refused() -> None:
    evolve = Evolution(Hidden).begins(PostHidden, at="since").ignores(PostRestored)
    with pytest.raises(UnexpectedEvent, match=r"forum\.post_restored does not begin this history"):
        evolve(None, happened(PostRestored, 2, **FACTS))
    with pytest.raises(UnexpectedEvent, match=r"forum\.member_joined does not happen to Hidden"):
        evolve(None, happened(ForumMemberJoined, 1, account_id=AUTHOR, handle="ada"))


def test_a_declaration_that_fits_nothing_is_refused() -> None:
    evolve = Evolution(Hidden).begins(PostHidden, at="since")
    with pytest.raises(TypeError, match="PostRestored: there is no title"):
        evolve.follows(PostRestored, title="")
    with pytest.raises(TypeError, match="Hidden declares PostHidden twice"):
        evolve.ignores(PostHidden)
    with pytest.raises(TypeError, match="ForumMemberSuspended has no name"):
        evolve.follows(ForumMemberSuspended, takes={"since": "name"})
