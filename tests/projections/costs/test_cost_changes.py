"""From decided costs to `cost_changes`: the sums are the current costs, also after a rebuild."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import partial
from uuid import uuid4

from schemas.events.costs import CostAdded, CostChanged, CostEntry, CostRemoved, CostRestored
from tests.support.events import eur, event_at, usd
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
step = partial(event_at, NOW)
STANDING = (
    "SELECT toString(cost_id), toString(last), source, toString(link_id), currency, sum(amount) AS stands"
    " FROM cost_changes GROUP BY ALL HAVING stands <> 0 ORDER BY stands"
)


def entry(cents: int, last: date = date(2026, 12, 3)) -> CostEntry:
    return CostEntry(first=date(2026, 11, 1), last=last, source="google", amount=eur(cents * 2), worth=usd(cents))


def test_the_current_costs_are_the_sum_of_what_was_added_and_removed(projecting: ProjectionBench) -> None:
    changed, removed, restored, link = (uuid4() for _ in range(4))
    spent = {"website_id": WEBSITE, "entry": entry(1_000)}
    longer = entry(2_000, date(2026, 12, 9)).model_copy(update={"link_id": link})
    projecting.decide(
        step(changed, 1, CostAdded, **spent),
        step(changed, 2, CostChanged, **{**spent, "entry": longer, "replaced": entry(1_000)}),
        step(removed, 1, CostAdded, **spent),
        step(removed, 2, CostRemoved, **spent),
        step(restored, 1, CostAdded, **spent),
        step(restored, 2, CostRemoved, **spent),
        step(restored, 3, CostRestored, **spent),
    )
    with projecting.running("cost_changes"):
        projecting.wait("cost_changes")
        stands = projecting.rows(STANDING)
        assert stands == [
            (str(restored), "2026-12-03", "google", "00000000-0000-0000-0000-000000000000", "USD", 1_000),
            (str(changed), "2026-12-09", "google", str(link), "USD", 2_000),
        ]
        assert projecting.rows("SELECT count() FROM cost_changes") == [(8,)]
        assert projecting.command("projections", "rebuild", "cost_changes") == 0
        projecting.wait("cost_changes", generation=2)
        assert projecting.command("projections", "verify", "cost_changes") == 0
        assert projecting.rows(STANDING) == stands
