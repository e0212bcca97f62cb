"""The findings of an audit: three numbers, and examples that say where to look."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

EXAMPLES: Final = 20
"""Findings of one kind that are kept with their text; all are counted."""


class DefectKind(StrEnum):
    """The kind of a defect."""

    MISSING = "missing"
    DUPLICATE = "duplicate"
    WRONG = "wrong"


@dataclass
class AuditReport:
    """The findings, added by the checks. `checked` counts what was compared, by name; it proves that there was
    something."""

    counts: Counter[DefectKind] = field(default_factory=Counter)
    examples: list[tuple[DefectKind, str, str]] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    def found(self, kind: DefectKind, check: str, what: str, count: int = 1) -> None:
        """Adds `count` findings of this kind, described by `what`."""
        if self.counts[kind] < EXAMPLES:
            self.examples.append((kind, check, what))
        self.counts[kind] += count

    def add(self, other: AuditReport) -> None:
        for kind, check, what in other.examples:
            if self.counts[kind] < EXAMPLES:
                self.examples.append((kind, check, what))
        self.counts.update(other.counts)
        self.checked.update(other.checked)

    @property
    def is_clean(self) -> bool:
        return not any(self.counts.values())

    def as_json(self) -> dict[str, Any]:
        return {
            **{kind.value: self.counts[kind] for kind in DefectKind},
            "checked": dict(sorted(self.checked.items())),
            "examples": [{"kind": kind, "check": check, "what": what} for kind, check, what in self.examples],
        }

    def as_text(self) -> str:
        lines = [f"  {name}: {count:,} compared" for name, count in sorted(self.checked.items())]
        lines += [f"  {kind.value} ({check}): {what}" for kind, check, what in self.examples]
        hidden = sum(self.counts.values()) - len(self.examples)
        lines += [f"  … and {hidden:,} more"] if hidden > 0 else []
        lines.append(", ".join(f"{kind.value} {self.counts[kind]:,}" for kind in DefectKind))
        return "\n".join(lines)
