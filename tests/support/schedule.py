"""Which files the workers of a parallel run take first, and which files one worker takes together.

Files that share something expensive stand in one group: its stack is started once. The longest groups come first, and
what is short, `tests/unit` above all, comes last: it keeps every worker busy to the end.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler.loadscope import LoadScopeScheduling

TOGETHER = (
    # One stack that is broken under load, twice: here and two groups below.
    ("crash/infra/test_restarts", "crash/projectors/test_pipeline"),
    # One stack and one browser, twice.
    (
        "e2e/test_operations", "e2e/test_click_to_statement", "e2e/test_admin", "e2e/test_forum", "e2e/test_people",
        "e2e/test_providers", "e2e/test_visitors", "e2e/test_journeys", "e2e/test_insights", "e2e/test_site",
    ),
    ("crash/infra/test_backup", "crash/infra/test_canary", "crash/infra/test_outages"),
    (
        "e2e/test_marketplace", "e2e/test_matching", "e2e/test_money", "e2e/test_analysts", "e2e/test_browser_defences",
        "e2e/test_tracking_script", "e2e/test_erasure",
        # Last: the searches for the clicks of its many sales would go on beside the other files.
        "e2e/test_first_steps",
    ),
    ("oracle/test_oracle",),
    ("crash/infra/test_audit",),
    ("crash/projectors/test_steps",),
    ("crash/infra/test_power_loss",),
    ("crash/infra/test_supervisor",),
    ("api/accounts/test_races",),
    ("projections/engine/test_worked_examples",),
    ("api/kernel/test_access_matrix",),
    ("api/kernel/test_schemathesis",),
    ("api/ingest/test_hostile",),
    ("api/ingest/test_outages",),
    ("api/analytics/test_live",),
    ("unit/ingest/test_hostile",),
    ("unit/query_api/analytics/test_ranges",),
    ("unit/infra/kernel/http/test_request_limits",),
    ("unit/infra/ops/stack/test_stack",),
    ("unit/command_api/insights/test_finding",),
    ("unit/command_api/insights/test_demo",),
    ("unit/repository/test_log_events",),
)  # fmt: skip

_PLACES = {
    f"tests/{name}.py": (number, place) for number, names in enumerate(TOGETHER) for place, name in enumerate(names)
}
_AFTER_ALL = (len(TOGETHER), 0)


def order(nodeid: str) -> tuple[int, int]:
    """Sorts tests: those of files that are not named stay in their order, behind the others."""
    return _PLACES.get(_file(nodeid), _AFTER_ALL)


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """`--dist loadfile`, and the files of a group go to the same worker, one after the other."""

    def _split_scope(self, nodeid: str) -> Any:
        file = _file(nodeid)
        return TOGETHER[_PLACES[file][0]][0] if file in _PLACES else file


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]
