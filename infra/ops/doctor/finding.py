"""The results of a check: one `Finding` for each thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """`ERROR`: something does not work or loses data. `WARNING`: it works, but not as it should."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


@dataclass(frozen=True)
class Finding:
    """`found` states a fact; `remedy` is one sentence that says what a person does about it, empty if all is well."""

    check: str
    severity: Severity
    found: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if (self.severity is Severity.OK) == bool(self.remedy):
            raise ValueError(f"{self.check}: a finding has a remedy if and only if it is a problem")


def ok(check: str, found: str) -> Finding:
    return Finding(check, Severity.OK, found)


def warning(check: str, found: str, remedy: str) -> Finding:
    return Finding(check, Severity.WARNING, found, remedy)


def error(check: str, found: str, remedy: str) -> Finding:
    return Finding(check, Severity.ERROR, found, remedy)
