"""Which files the workers of a parallel run take first, and which files one worker takes together.

Files that share something expensive stand in one group: its stack is started once. The longest groups come first, and
what is short, `tests/unit` above all, comes last: it keeps every worker busy to the end.

Two workers take everything. Each further one starts no stack and has a lower priority: it uses the time in which the
two wait for engines, and does not make their deadlines pass.
"""

from __future__ import annotations

import os
from typing import Any, Final

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

STACK_WORKERS: Final = 2
"""A third stack makes two cores too slow for the deadlines of what runs in the first two."""

LOWER_PRIORITY: Final = 5
_WITH_STACKS: Final = (
    "tests/e2e/", "tests/crash/", "tests/oracle/",
    "tests/contract/stack/test_activation", "tests/contract/stack/test_doctor",
)  # fmt: skip

TOGETHER = (
    # One stack and one browser.
    (
        "e2e/test_operations", "e2e/test_click_to_statement", "e2e/test_admin", "e2e/test_forum", "e2e/test_people",
        "e2e/test_providers", "e2e/test_visitors", "e2e/test_journeys", "e2e/test_insights", "e2e/test_site",
        "e2e/test_marketplace", "e2e/test_matching", "e2e/test_money", "e2e/test_delivery", "e2e/test_analysts",
        "e2e/test_costs", "e2e/test_browser_defences", "e2e/test_tracking_script", "e2e/test_affiliate_links",
        "e2e/test_erasure", "e2e/test_jobs", "e2e/test_split", "e2e/test_link_files", "e2e/test_website_builder",
        "e2e/test_script_embedding", "e2e/test_consent", "e2e/test_ad_click_ids", "e2e/test_visitor_data",
        "e2e/test_visitor_remains", "e2e/test_network_reports", "e2e/test_network_connections",
        "e2e/test_ad_platforms",
        # Last: the searches for the clicks of its many sales would go on beside the other files.
        "e2e/test_first_steps",
    ),
    # A stack of its own: without an escrow provider.
    ("e2e/test_direct_sale",),
    # One stack that is broken under load; the last file ends it.
    (
        "crash/infra/test_power_loss", "crash/infra/test_processes", "crash/infra/test_backup",
        "crash/infra/test_recurring_jobs", "crash/infra/test_outages", "crash/infra/test_supervisor",
    ),
    ("oracle/test_oracle",),
    # One stack without its public services.
    ("contract/stack/test_activation", "contract/stack/test_doctor"),
    ("crash/infra/test_changed_rows",),
    ("crash/infra/test_audit",),
    # Engines with the services of two versions.
    ("crash/infra/test_upgrade",),
    ("crash/projectors/test_steps",),
    ("api/accounts/test_races",),
    ("projections/engine/test_worked_examples",),
    # One set of books. What compares whole tables comes before the others make years of their own.
    (
        "api/conversions/test_monthly_totals", "api/conversions/test_assignment", "api/conversions/test_payouts",
        "api/conversions/test_open_items", "api/conversions/test_website_export",
        "api/conversions/test_scheduled_decisions", "api/conversions/test_money",
    ),
    # One set of policies that decide.
    (
        "api/conversions/test_attribution", "api/conversions/test_reports", "api/conversions/test_rates",
        "api/conversions/test_claims", "api/conversions/test_dead_letters", "api/conversions/test_visit_changes",
        "api/conversions/test_event_expiry",
    ),
    # One market; the last file compares what the others left with the events.
    (
        "api/marketplace/test_offers", "api/marketplace/test_listings", "api/marketplace/test_saved_searches",
        "api/marketplace/test_verification", "api/marketplace/test_erasure",
    ),
    # One world of analysts; the last file kills its ClickHouse.
    (
        "api/sql/test_saved_queries", "api/sql/test_entry_points", "api/sql/test_clients", "api/sql/test_many_websites",
        "api/sql/test_running_statements", "api/sql/test_statement_end", "api/sql/test_kept_from", "api/sql/test_harm",
    ),
    ("api/kernel/test_access_matrix",),
    ("api/kernel/test_schemathesis",),
    ("api/kernel/test_generated_clients",),
    ("api/ingest/test_hostile",),
    ("api/ingest/test_outages",),
    ("api/analytics/test_live",),
    ("contract/ingest/test_loop_time",),
    ("unit/query_api/analytics/test_ranges",),
    ("contract/http/test_request_limits",),
    ("contract/stack/test_stack",),
    ("unit/command_api/insights/test_finding",),
    ("contract/insights/test_demo",),
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

    def _reschedule(self, node: Any) -> None:
        if not node.shutting_down and self._next_for(node) is None:
            node.shutdown()  # after what it has
        else:
            super()._reschedule(node)

    def _assign_work_unit(self, node: Any) -> None:
        if (scope := self._next_for(node)) is not None:
            self.workqueue.move_to_end(scope, last=False)
            super()._assign_work_unit(node)

    def _next_for(self, node: Any) -> str | None:
        """The first scope that waits and that the worker may take. A worker that replaces a crashed one comes last."""
        if sum(_number(other.gateway.id) < _number(node.gateway.id) for other in self.nodes) < STACK_WORKERS:
            return next(iter(self.workqueue), None)
        return next((scope for scope, tests in self.workqueue.items() if not needs_stack(next(iter(tests)))), None)


def needs_stack(nodeid: str) -> bool:
    """Whether a test starts services and engines of its own, or breaks them under load."""
    return nodeid.startswith(_WITH_STACKS)


def lower_priority(config: pytest.Config) -> None:
    """For the process of a worker beyond `STACK_WORKERS`, and for every process it will start."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if _number(worker) >= STACK_WORKERS:
        os.nice(LOWER_PRIORITY)


def _number(worker: str) -> int:
    """Workers are ready in any order: only the name says which of them are the first two."""
    return int(worker.removeprefix("gw"))


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]
