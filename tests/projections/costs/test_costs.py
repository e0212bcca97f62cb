"""What was entered as the cost of traffic, as it is read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import partial
from uuid import uuid4

from schemas.events.costs import CostAdded, CostChanged, CostEntry, CostRemoved, CostRestored
from schemas.events.websites import WebsiteDisconnected
from tests.support.events import event_at, usd
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
step = partial(event_at, NOW)


def entry(cents: int, last: date = date(2026, 11, 3)) -> CostEntry:
    return CostEntry(first=date(2026, 11, 1), last=last, source="google", amount=usd(cents), worth=usd(cents))


def test_the_latest_entry_is_read_and_what_was_removed_is_marked(projecting: ProjectionBench) -> None:
    changed, removed, restored, gone, other = (uuid4() for _ in range(5))
    spent = {"website_id": WEBSITE, "entry": entry(1_000)}
    longer = entry(2_000, date(2026, 11, 9))
    projecting.decide(
        step(changed, 1, CostAdded, **spent),
        step(changed, 2, CostChanged, **{**spent, "entry": longer, "replaced": entry(1_000)}),
        step(removed, 1, CostAdded, **spent),
        step(removed, 2, CostRemoved, **spent),
        step(restored, 1, CostAdded, **spent),
        step(restored, 2, CostRemoved, **spent),
        step(restored, 3, CostRestored, **spent),
        step(gone, 1, CostAdded, **{**spent, "website_id": other}),
        step(other, 1, WebsiteDisconnected),
    )
    with projecting.running("costs"):
        projecting.wait("costs")
    rows = projecting.sql("select id, last, (entry->'worth'->>'amount')::int, removed_at from read.costs")
    assert sorted(rows) == sorted([
        (changed, date(2026, 11, 9), 2_000, None),
        (removed, date(2026, 11, 3), 1_000, NOW),
        (restored, date(2026, 11, 3), 1_000, None),
    ])  # fmt: skip
