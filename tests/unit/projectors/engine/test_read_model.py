"""The handlers that a read model registers by one statement."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from infra.kernel.postgres.memory_rows import MemoryRows
from projectors.engine.read_model import ReadModel
from schemas.base import DomainEvent
from schemas.events.forum import PostFlagsDismissed, PostHidden, PostLiked, PostRestored

POST, THREAD, AUTHOR, LIKE = UUID(int=1), UUID(int=2), UUID(int=3), UUID(int=4)
AT = datetime(2026, 5, 17, tzinfo=UTC)
HIDDEN = PostHidden(originator_id=POST, originator_version=1, timestamp=AT, author_id=AUTHOR, thread_id=THREAD)
RESTORED = PostRestored(originator_id=POST, originator_version=2, timestamp=AT, author_id=AUTHOR, thread_id=THREAD)
LIKED = PostLiked(
    originator_id=LIKE,
    originator_version=1,
    timestamp=AT,
    account_id=LIKE,
    post_id=POST,
    thread_id=THREAD,
    author_id=AUTHOR,
)


@pytest.fixture
def model() -> ReadModel:
    """A row for each hidden post."""
    found = ReadModel(name="hidden", version=1, columns=("id uuid",), key=("id",), readers="true")
    found.puts(PostHidden, ("author_id", "thread_id"), lambda event: {"at": event.timestamp}, likes=0)
    return found


def test_a_row_has_copied_fields_constants_and_values(model: ReadModel) -> None:
    assert after(model, HIDDEN) == {"id": POST, "author_id": AUTHOR, "thread_id": THREAD, "at": AT, "likes": 0}


def test_a_field_that_the_event_lacks_is_refused(model: ReadModel) -> None:
    with pytest.raises(TypeError, match="PostRestored has no note, title"):
        model.puts(PostRestored, ("title", "author_id", "note"))


def test_columns_are_set_in_the_row_of_the_aggregate(model: ReadModel) -> None:
    model.sets(PostRestored, lambda event: {"at": event.timestamp}, likes=7)
    assert after(model, HIDDEN, RESTORED)["likes"] == 7


def test_columns_are_set_by_another_column_and_another_id(model: ReadModel) -> None:
    model.sets(PostRestored, by="thread_id", likes=7)
    model.sets(PostLiked, by="author_id", of=lambda event: event.author_id, likes=8)
    assert after(model, HIDDEN, RESTORED)["likes"] == 0
    assert after(model, HIDDEN, LIKED)["likes"] == 8


def test_numbers_are_added_to_the_row_of_an_id(model: ReadModel) -> None:
    model.adds(PostLiked, lambda event: event.post_id, likes=1)
    assert after(model, HIDDEN, LIKED, LIKED)["likes"] == 2


def test_an_event_has_one_handler(model: ReadModel) -> None:
    model.sets(PostFlagsDismissed, likes=0)
    with pytest.raises(TypeError, match="hidden handles PostFlagsDismissed twice"):
        model.adds(PostFlagsDismissed, likes=1)


def after(model: ReadModel, *events: DomainEvent) -> dict[str, object]:
    """The only row."""
    rows = MemoryRows(model.key)
    for event in events:
        model.handlers[type(event)](rows, event)
    [row] = rows.rows.values()
    return row
