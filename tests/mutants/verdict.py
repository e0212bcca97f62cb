"""Whether the tests found a planted fault, from what they report. Pure.

A test finds a fault when it fails itself. A module that cannot be loaded, a test that cannot be collected and a fixture
that fails show that the program is broken, not that a test watches what the fault changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

PASSED: Final = "passed"
CALL: Final = "call"
BROKEN: Final = ("SyntaxError", "IndentationError", "ImportError", "ModuleNotFoundError", "NameError", "ReferenceError")
"""Errors of a change that is no program: they begin the message of a failure."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one test, or one part of it, came to."""

    test: str
    outcome: str
    """`passed`, else where it failed: `collect`, `setup`, `call` or `teardown`."""
    message: str = ""

    @property
    def finds(self) -> bool:
        return self.outcome == CALL and not self.message.removeprefix("Error: ").startswith(BROKEN)


def of_pytest(lines: str) -> list[Report]:
    """What `tests.mutants.reporter` wrote."""
    return [Report(**json.loads(line)) for line in lines.splitlines()]


def of_vitest(text: str, root: str) -> list[Report]:
    """The JSON report of vitest. `root`: the folder of the tree, with a slash."""
    reports = []
    for file in json.loads(text)["testResults"]:
        name = file["name"].removeprefix(root)
        tests: list[dict[str, Any]] = file["assertionResults"]
        reports += [_of_assertion(name, test) for test in tests if test["status"] in ("passed", "failed")]
        if file["status"] == "failed" and not any(test["status"] == "failed" for test in tests):
            reports.append(Report(name, "collect", file.get("message", "")))
    return reports


def _of_assertion(file: str, test: dict[str, Any]) -> Report:
    name = f"{file}: {test['fullName']}"
    if test["status"] == "passed":
        return Report(name, PASSED)
    return Report(name, CALL, next(iter(test.get("failureMessages") or ()), ""))


def failed(reports: Iterable[Report]) -> list[Report]:
    return [report for report in reports if report.outcome != PASSED]


def finder(reports: Iterable[Report]) -> Report | None:
    """The first report of a test that found the fault."""
    return next((report for report in reports if report.finds), None)


def why_not_found(reports: Sequence[Report]) -> str:
    """One line for a fault that no test found."""
    broken = next(iter(failed(reports)), None)
    if broken is None:
        return f"all {len(reports)} tests pass" if reports else "no test ran"
    line = next(iter(broken.message.splitlines()), "")
    return f"only broken, at {broken.outcome} of {broken.test}: {line}"


def without_tests(named: Iterable[str], reports: Sequence[Report]) -> list[str]:
    """The files and node ids of `named` of which no test ran."""
    return [name for name in named if not any(_is_of(report.test, name) for report in reports)]


def _is_of(test: str, name: str) -> bool:
    return test == name or test.startswith((f"{name}::", f"{name}[", f"{name}: "))
