"""What a table declares for its events, and the rows that follow."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from infra.kernel.postgres.event_table import EventTable
from infra.kernel.postgres.memory_rows import MemoryRows
from schemas.base import DomainEvent, Money
from schemas.events.forum import PostFlagsDismissed, PostHidden, PostLiked, PostRestored
from schemas.events.marketplace import OfferCountered
from schemas.events.notifications import AlertKind, WebhookAdded, WebhookFormat
from schemas.events.partners import PartnerUpdated

POST, THREAD, AUTHOR, LIKE = UUID(int=1), UUID(int=2), UUID(int=3), UUID(int=4)
AT, LATER = datetime(2026, 5, 17, tzinfo=UTC), datetime(2026, 5, 18, tzinfo=UTC)
HIDDEN = PostHidden(originator_id=POST, originator_version=1, timestamp=AT, author_id=AUTHOR, thread_id=THREAD)
RESTORED = PostRestored(originator_id=POST, originator_version=2, timestamp=LATER, author_id=LIKE, thread_id=THREAD)
LIKED = PostLiked(
    originator_id=LIKE,
    originator_version=1,
    timestamp=AT,
    account_id=LIKE,
    post_id=POST,
    thread_id=THREAD,
    author_id=AUTHOR,
)


def hidden_posts(**options: Any) -> EventTable:
    """A row for each hidden post."""
    columns = ("id uuid", "author_id uuid", "thread_id uuid", "at timestamptz", "likes int")
    table = EventTable("hidden", columns=columns, key=("id",), **options)
    table.begins(PostHidden, at="at", likes=0)
    return table


def test_a_row_has_the_fields_that_are_columns_the_time_and_constants() -> None:
    assert after(hidden_posts(), HIDDEN) == {
        "id": POST,
        "author_id": AUTHOR,
        "thread_id": THREAD,
        "at": AT,
        "likes": 0,
    }


def test_a_following_event_changes_the_columns_that_it_has() -> None:
    table = hidden_posts()
    table.follows(PostRestored, at="at", likes=7)
    row = after(table, HIDDEN, RESTORED)
    assert (row["author_id"], row["at"], row["likes"]) == (LIKE, LATER, 7)


def test_a_fixed_column_and_one_that_is_left_out_stay() -> None:
    table = hidden_posts(fixed=("author_id",))
    table.follows(PostRestored, at="at")
    assert after(table, HIDDEN, RESTORED)["author_id"] == AUTHOR
    table = hidden_posts()
    table.follows(PostRestored, but="author_id")
    assert after(table, HIDDEN, RESTORED) == after(table, HIDDEN)


def test_what_is_computed_comes_last() -> None:
    table = hidden_posts()
    table.follows(PostRestored, lambda event: {"likes": event.originator_version}, likes=7)
    assert after(table, HIDDEN, RESTORED)["likes"] == 2


def test_rows_are_found_by_another_column_and_another_id() -> None:
    table = hidden_posts()
    table.follows(PostRestored, by="thread_id", likes=7)
    table.follows(PostLiked, by="author_id", of="author_id", likes=8)
    assert after(table, HIDDEN, RESTORED)["likes"] == 0
    assert after(table, HIDDEN, LIKED)["likes"] == 8


def test_a_column_may_take_a_part_of_a_field_with_another_name() -> None:
    table = EventTable("offers", columns=("id uuid", "price bigint", "currency text", "by text"), key=("id",))
    takes = {"price": "price.amount", "currency": "price.currency", "by": "side"}
    table.begins(OfferCountered, takes=takes)
    countered = OfferCountered(
        originator_id=POST,
        originator_version=2,
        timestamp=AT,
        side="seller",
        author_id=AUTHOR,
        price=Money(amount=500, currency="USD"),
        text="No",
        expires_at=AT,
    )
    assert after(table, countered) == {"id": POST, "price": 500, "currency": "USD", "by": "seller"}


def test_null_leaves_a_column_where_it_is_said_so() -> None:
    table = EventTable("partners", columns=("id uuid", "name text", "description text"), key=("id",))
    table.begins(PartnerUpdated)
    changed = PartnerUpdated(originator_id=POST, originator_version=1, timestamp=AT, name="A", description="B")
    renamed = PartnerUpdated(originator_id=POST, originator_version=2, timestamp=AT, name="C")
    assert after(table, changed, renamed)["description"] is None
    table = EventTable("partners", columns=("id uuid", "name text", "description text"), key=("id",))
    table.follows(PartnerUpdated, keeps=True)
    rows = MemoryRows(table.key)
    rows.put(id=POST, name="A", description="B")
    table.handlers[PartnerUpdated](rows, renamed)
    assert rows.rows == {(POST,): {"id": POST, "name": "C", "description": "B"}}


def test_values_are_stored_as_columns_hold_them() -> None:
    table = EventTable("webhooks", columns=("id uuid", "format text", "kinds text[]"), key=("id",))
    table.begins(WebhookAdded)
    added = WebhookAdded(
        originator_id=POST,
        originator_version=1,
        timestamp=AT,
        account_id=AUTHOR,
        url="https://a.example",
        format=WebhookFormat.STANDARD,
        website_ids=(),
        kinds=(AlertKind.LINK_BROKEN,),
        resolved=False,
    )
    row = after(table, added)
    assert (row["format"], row["kinds"]) == ("standard", ["link_broken"])
    assert type(row["format"]) is str


def test_rows_end_by_their_id_or_another_column() -> None:
    for by in ("", "author_id"):
        table = hidden_posts()
        table.ends(PostFlagsDismissed, by=by)
        rows = MemoryRows(table.key)
        table.handlers[PostHidden](rows, HIDDEN)
        dismissed = PostFlagsDismissed(
            originator_id=AUTHOR if by else POST, originator_version=2, timestamp=AT, author_id=AUTHOR, thread_id=THREAD
        )
        table.handlers[PostFlagsDismissed](rows, dismissed)
        assert not rows.rows


def test_numbers_are_added_to_the_row_of_an_id() -> None:
    table = hidden_posts()
    table.adds(PostLiked, lambda event: event.post_id, likes=1)
    assert after(table, HIDDEN, LIKED, LIKED)["likes"] == 2


def test_a_declaration_that_fits_nothing_is_refused() -> None:
    table = hidden_posts()
    with pytest.raises(TypeError, match="PostRestored: there is no note, title"):
        table.follows(PostRestored, at="title", note="")
    with pytest.raises(TypeError, match="PostRestored has no title"):
        table.follows(PostRestored, takes={"likes": "title"})
    with pytest.raises(TypeError, match="PostRestored has no day and no number"):
        EventTable("days", columns=("day date", "number int"), key=("day", "number")).begins(PostRestored)


def test_an_event_has_one_handler() -> None:
    table = hidden_posts()
    table.follows(PostFlagsDismissed, likes=0)
    with pytest.raises(TypeError, match="hidden handles PostFlagsDismissed twice"):
        table.adds(PostFlagsDismissed, likes=1)


def after(table: EventTable, *events: DomainEvent) -> dict[str, object]:
    """The only row."""
    rows = MemoryRows(table.key)
    for event in events:
        table.handlers[type(event)](rows, event)
    [row] = rows.rows.values()
    return row
