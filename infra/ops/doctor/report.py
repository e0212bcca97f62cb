"""Prints findings: one line each with problems first for people, or one JSON document for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import IO, Final

from rich.console import Console
from rich.text import Text

from infra.ops.doctor.finding import Finding, Severity

_ORDER: Final = tuple(Severity)
_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.OK: "green"}
_BLANK: Final = "***"


def sorted_by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, the rest; each in the order of the checks."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def without_secrets(finding: Finding, secrets: Iterable[str]) -> Finding:
    text, remedy = finding.found, finding.remedy
    for secret in sorted(secrets, key=len, reverse=True):
        text, remedy = text.replace(secret, _BLANK), remedy.replace(secret, _BLANK)
    return Finding(finding.check, finding.severity, text, remedy)


def print_text(findings: Sequence[Finding], to: IO[str]) -> None:
    """Coloured on a terminal only."""
    console = Console(file=to, highlight=False, markup=False, soft_wrap=True)
    for finding in findings:
        line = Text(f"{finding.severity.upper():<8}", _STYLES[finding.severity])
        line.append(f"{finding.check:<13}{finding.found}", "")
        if finding.remedy:
            line.append(f" → {finding.remedy}", "bold")
        console.print(line)
    console.print(Text(_summary(findings), "bold"))


def print_json(findings: Sequence[Finding], to: IO[str]) -> None:
    """The form is stable: fields are only added."""
    document = {
        "ok": not has_errors(findings),
        "counts": _counts(findings),
        "findings": [
            {"check": each.check, "severity": each.severity.value, "found": each.found, "remedy": each.remedy or None}
            for each in findings
        ],
    }
    to.write(json.dumps(document, ensure_ascii=False) + "\n")


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    counts = Counter(finding.severity for finding in findings)
    return {severity.value: counts[severity] for severity in _ORDER}


def _summary(findings: Iterable[Finding]) -> str:
    counts = _counts(findings)
    return ", ".join(
        f"{counts[s.value]} {s.value}{'s' * (s is not Severity.OK and counts[s.value] != 1)}" for s in _ORDER
    )
