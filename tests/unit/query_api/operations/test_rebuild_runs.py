"""Given the steps of a rebuild run, then each projection has one state, and a failure is named."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from query_api.operations.rebuild_runs import run_of


def run_step(projection: str, action: str, state: str, **more: Any) -> dict[str, Any]:
    return {
        "run_id": UUID(int=1),
        "projection": projection,
        "action": action,
        "state": state,
        "build_state": None,
        "error": "",
        "is_open": state in ("waiting", "running"),
        "reason": "new rule",
        "actor": "Ada",
        "requested_at": datetime(2026, 11, 20, tzinfo=UTC),
        **more,
    }


def test_a_run_in_progress_names_what_failed_what_is_built_and_what_waits() -> None:
    run = run_of(
        [
            run_step("accounts", "rebuild", "refused", error="accounts is being rebuilt already."),
            run_step("accounts", "promote", "refused", error="the rebuild is not ready"),
            run_step("events", "rebuild", "done", build_state="failed", error="disk full"),
            run_step("events", "promote", "refused", error="the rebuild is not ready"),
            run_step("links", "rebuild", "done", build_state="live"),
            run_step("links", "promote", "done"),
            run_step("partners", "rebuild", "done", build_state="building", is_open=True),
            run_step("partners", "promote", "waiting"),
            run_step("websites", "rebuild", "waiting"),
            run_step("websites", "promote", "waiting"),
        ]
    )
    assert run is not None and (run.is_open, run.promotes) == (True, True)
    assert [(one.name, one.state, one.error) for one in run.rebuilds] == [
        ("accounts", "failed", "accounts is being rebuilt already."),
        ("events", "failed", "disk full"),
        ("links", "done", ""),
        ("partners", "running", ""),
        ("websites", "waiting", ""),
    ]


def test_a_cancelled_run_has_no_failures() -> None:
    run = run_of(
        [
            run_step("links", "rebuild", "done", build_state="ready"),
            run_step("partners", "rebuild", "done", build_state="cancelled"),
            run_step("websites", "rebuild", "cancelled"),
        ]
    )
    assert run is not None and (run.is_open, run.promotes) == (False, False)
    assert [one.state for one in run.rebuilds] == ["done", "cancelled", "cancelled"]


def test_no_steps_are_no_run() -> None:
    assert run_of([]) is None
