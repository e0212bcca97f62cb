"""Writes `docs/events.md` from the event classes (`python -m schemas.docs`); a test fails when it is out of date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pydantic import BaseModel

import schemas.events  # noqa: F401 - fills the registry
from schemas import topics
from schemas.base import REGISTRY, DomainEvent, personal_fields
from schemas.tracking import ConversionReported, Outcome, Refusal, TrackedEvent

PATH: Final = Path(__file__).parent.parent / "docs" / "events.md"
TRACKING: Final = (TrackedEvent, ConversionReported, Refusal)
_BASE_FIELDS: Final = frozenset(DomainEvent.model_fields)


def events_page() -> str:
    """The whole page, as Markdown."""
    contexts: dict[str, list[type[DomainEvent]]] = {}
    for event in REGISTRY.values():
        contexts.setdefault(event.__module__.rpartition(".")[2], []).append(event)
    parts = [
        "# Events",
        "Generated from `schemas/` by `python -m schemas.docs`; do not edit. Golden samples: `schemas/samples/`.",
        "## Topics",
        "| topic | partitions | key | holds | kept |\n|---|---|---|---|---|\n"
        + "\n".join(
            f"| `{t.name}` | {t.partitions} | {t.key} | {t.holds} | {_kept(t.retention_ms)} |" for t in topics.ALL
        ),
        "## Tracking: facts, written by the edge",
        *(_section(kind.NAME, kind.VERSION, kind, frozenset()) for kind in TRACKING),
        "Outcomes: " + ", ".join(f"`{outcome}`" for outcome in Outcome) + ".",
        "## Decisions, topic `domain`",
        "Each also carries `originator_id`, `originator_version`, `timestamp` and `actor_id`. "
        "Fields marked *personal* are encrypted with the person's own key.",
    ]
    for context in sorted(contexts):
        parts.append(f"### {context}")
        parts += [_section(e.NAME, e.VERSION, e, personal_fields(e)) for e in contexts[context]]
    return "\n\n".join(parts) + "\n"


def _section(name: str, version: int, model: type[BaseModel], personal: frozenset[str]) -> str:
    lines = [f"#### `{name}` v{version}", (model.__doc__ or "").strip()]
    rows = [
        f"| `{field}` | {_type(info.annotation)}{_mark(field in personal)} | {info.description or ''} |"
        for field, info in model.model_fields.items()
        if field not in _BASE_FIELDS or model is DomainEvent
    ]
    if rows:
        lines.append("| field | type | meaning |\n|---|---|---|\n" + "\n".join(rows))
    return "\n\n".join(lines)


def _type(annotation: object) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    text = str(annotation).replace("typing.", "").replace("schemas.events.", "").replace("schemas.base.", "")
    for prefix in ("uuid.", "partners.", "websites.", "accounts.", "conversions.", "datetime."):
        text = text.replace(prefix, "")
    return text.replace("|", "or")


def _mark(personal: bool) -> str:
    return " *personal*" if personal else ""


def _kept(retention_ms: int) -> str:
    return "for ever" if retention_ms < 0 else f"{retention_ms // 86_400_000} days"


if __name__ == "__main__":
    PATH.write_text(events_page())
    sys.exit(0)
