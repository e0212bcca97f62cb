"""Saved queries, their versions and pinned charts, as they are read."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from schemas.events.accounts import AccountErased
from schemas.events.sql import (
    ChartPinned,
    ChartUnpinned,
    QueryChanged,
    QueryRemoved,
    QueryRestored,
    QuerySaved,
    QueryShared,
    QueryUnshared,
)
from tests.support.events import event_at
from tests.support.projection_bench import ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
step = partial(event_at, NOW)


def test_the_last_version_is_shown_and_earlier_ones_are_kept(projecting: ProjectionBench) -> None:
    kept, removed, erased, me, left = (uuid4() for _ in range(5))
    chart, unpinned = uuid4(), uuid4()
    first = {"account_id": me, "title": "Sales", "text": "SELECT 1", "title_hash": "a"}
    pinned = {"account_id": me, "query_id": kept, "kind": "line", "x": "day", "y": ("clicks",)}
    projecting.decide(
        step(kept, 1, QuerySaved, **first),
        step(kept, 2, QueryShared, account_id=me, author_name="Ada"),
        step(kept, 3, QueryChanged, **{**first, "text": "SELECT 2"}, number=2),
        step(kept, 4, QueryRemoved),
        step(kept, 5, QueryRestored),
        step(removed, 1, QuerySaved, **first),
        step(removed, 2, QueryShared, account_id=me, author_name="Ada"),
        step(removed, 3, QueryUnshared),
        step(removed, 4, QueryRemoved),
        step(erased, 1, QuerySaved, **{**first, "account_id": left}),
        step(chart, 1, ChartPinned, **pinned, parameters={"site": "1"}),
        step(unpinned, 1, ChartPinned, **pinned),
        step(unpinned, 2, ChartUnpinned),
        step(uuid4(), 1, ChartPinned, **{**pinned, "account_id": left}),
        step(left, 1, AccountErased),
    )
    with projecting.running("saved_queries", "query_versions", "pinned_charts"):
        for name in ("saved_queries", "query_versions", "pinned_charts"):
            projecting.wait(name)
    shown = "select id, title, text, number, is_shared, author_name from read.saved_queries where removed_at is null"
    assert projecting.sql(shown) == [(kept, "Sales", "SELECT 2", 2, True, "Ada")]
    versions = "select number, text, is_shared from read.query_versions where query_id = %s order by number"
    assert projecting.sql(versions, kept) == [(1, "SELECT 1", True), (2, "SELECT 2", True)]
    assert projecting.sql(versions, removed) == [(1, "SELECT 1", False)]
    assert projecting.sql(versions, erased) == []
    assert projecting.sql("select id, x, y, parameters from read.pinned_charts") == [
        (chart, "day", ["clicks"], {"site": "1"})
    ]
