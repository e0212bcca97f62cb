"""Plugin of pytest that writes a line of JSON for each test to the file that `MUTANTS_REPORT` names: see `verdict`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _write(report.nodeid, report.when, report)
    elif report.passed and report.when == "call":
        _write(report.nodeid, "passed", report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(report.nodeid, "collect", report)


def _write(test: str, outcome: str, report: pytest.TestReport | pytest.CollectReport) -> None:
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash is not None else report.longreprtext.strip().rpartition("\n")[2]
    with Path(os.environ["MUTANTS_REPORT"]).open("a") as lines:
        lines.write(json.dumps({"test": test, "outcome": outcome, "message": message}) + "\n")
