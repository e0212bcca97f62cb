"""`althing doctor [--json]`: runs every check within a deadline and prints the findings.

Exit codes: 0 no errors (warnings allowed), 1 an error was found, 2 wrong use.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from infra.ops.doctor import clocks, configuration, disk, permissions, ports, report, running_stack, versions
from infra.ops.doctor.engines import clickhouse, kafka, postgres
from infra.ops.doctor.finding import Finding, error, warning
from infra.ops.doctor.subject import Subject, subject_of

DEADLINE_S: Final = 16.0

Check = Callable[[Subject], Iterable[Finding]]

CHECKS: Final[Mapping[str, Check]] = {
    module.CHECK: module.check
    for module in (
        configuration, versions, permissions, disk, ports, clocks, postgres, clickhouse, kafka, running_stack,
    )
}  # fmt: skip


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="althing doctor", description="Examines this installation; changes nothing.")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    as_json: bool = parser.parse_args(arguments).json
    for name in ("kafka", "httpx"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what they say is in the findings
    findings = report.sorted_by_severity(examine(subject_of()))
    (report.print_json if as_json else report.print_text)(findings, sys.stdout)
    sys.stdout.flush()
    return 1 if report.has_errors(findings) else 0


def examine(subject: Subject, checks: Mapping[str, Check] = CHECKS, deadline_s: float = DEADLINE_S) -> list[Finding]:
    """Returns all findings, without secrets. The checks run at the same time: each waits for something else."""
    runs = [_CheckRun(name, check, subject) for name, check in checks.items()]
    deadline = time.monotonic() + deadline_s
    for run in runs:
        run.thread.join(max(0.0, deadline - time.monotonic()))
    return [report.without_secrets(finding, subject.secrets) for run in runs for finding in run.results(deadline_s)]


class _CheckRun:
    """One check in a thread that the process does not wait for at its end."""

    def __init__(self, name: str, check: Check, subject: Subject) -> None:
        self._name = name
        self._found: list[Finding] = []
        self.thread = threading.Thread(target=self._run, args=(check, subject), name=f"doctor-{name}", daemon=True)
        self.thread.start()

    def results(self, deadline_s: float) -> list[Finding]:
        findings = list(self._found)
        if self.thread.is_alive():
            findings.append(
                warning(
                    self._name,
                    f"This check did not end within {deadline_s:.0f} seconds.",
                    "Run `althing doctor` again; if it repeats, a server accepts connections but does not answer.",
                )
            )
        return findings

    def _run(self, check: Check, subject: Subject) -> None:
        try:
            for finding in check(subject):
                self._found.append(finding)
        except Exception as failure:  # noqa: BLE001 - one check's fault must not hide the others' findings
            text = f"This check failed: {type(failure).__name__}: {failure}."
            self._found.append(error(self._name, text, "Report this as a fault of `althing doctor`."))
