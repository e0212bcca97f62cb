"""The page `docs/events.md`, generated from the event classes. `make docs` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel

import schemas.events  # noqa: F401 - fills the registry
from schemas import topics
from schemas.base import REGISTRY, DomainEvent, personal_fields, sealed_fields
from schemas.tracking import EVENT_COLUMNS, ConversionReported, Outcome, Refusal, TrackedEvent

PATH: Final = Path(__file__).parent.parent / "docs" / "events.md"
TRACKING: Final = (ConversionReported, Refusal)
_IDS: Final = """\
Ids connect messages (`schemas.message_ids`). They are headers, never fields of an event, and never name a person.
Records from before them have none.

| header | meaning |
|---|---|
| `command_id` | the command that made the event; events of one command have the same |
| `correlation_id` | the chain: the same for all that follows from one click or request |
| `causation_id` | the report or event that the command reacts to; none: a person or a schedule sent it |

The id of an event in topic `domain` is its place in its aggregate's history, `AGGREGATE@VERSION`. A tracked event
begins a chain, so its own id is its correlation id and needs no header. A report that names its click continues the
click's chain, another begins one with its `report_id`. A command of a request begins a chain with the request's id; a
command of a schedule continues the chain of the aggregate that it changes."""
_BASE_FIELDS: Final = frozenset(DomainEvent.model_fields)


def events_page() -> str:
    """The whole page, as Markdown."""
    contexts: dict[str, list[type[DomainEvent]]] = {}
    for event in REGISTRY.values():
        contexts.setdefault(event.__module__.rpartition(".")[2], []).append(event)
    parts = [
        "# Events",
        "Generated from `schemas/` by `make docs`; do not edit. Golden samples: `schemas/samples/`.",
        "## Topics",
        "| topic | partitions | key | holds | kept |\n|---|---|---|---|---|\n"
        + "\n".join(
            f"| `{t.name}` | {t.partitions} | {t.key} | {t.holds} | {_kept(t.retention_ms)} |" for t in topics.ALL
        ),
        "## Ids in the headers of records",
        _IDS,
        "## Tracking: facts, written by ingest",
        _tracked_event(),
        *(_section(kind.NAME, kind.VERSION, kind, frozenset()) for kind in TRACKING),
        "Outcomes: " + ", ".join(f"`{outcome}`" for outcome in Outcome) + ".",
        "## Decisions, topic `domain`",
        "Each event also has `originator_id`, `originator_version`, `timestamp` and `actor_id`. "
        "Fields marked *personal* are encrypted with the person's own key. Fields marked *sealed* lead to a visitor: "
        "they are in member `sealed`, which erasing the visitor makes unreadable; then they have their defaults.",
    ]
    for context in sorted(contexts):
        parts.append(f"### {context}")
        parts += [_section(e.NAME, e.VERSION, e, personal_fields(e)) for e in contexts[context]]
    return "\n\n".join(parts) + "\n"


def _tracked_event() -> str:
    """The fields of a tracked event, which are columns of the raw row."""
    rows = "\n".join(f"| `{one.name}` | {one.type} | {one.meaning} |" for one in EVENT_COLUMNS)
    title = f"#### `{TrackedEvent.NAME}` v{TrackedEvent.VERSION}"
    return f"{title}\n\n{TrackedEvent.__doc__}\n\n| field | type | meaning |\n|---|---|---|\n{rows}"


def _section(name: str, version: int, model: type[BaseModel], personal: frozenset[str]) -> str:
    lines = [f"#### `{name}` v{version}", (model.__doc__ or "").strip()]
    rows = [
        f"| `{field}` | {_type(info.annotation)}{_mark(model, field, personal)} | {info.description or ''} |"
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


def _mark(model: type[BaseModel], field: str, personal: frozenset[str]) -> str:
    if field in personal:
        return " *personal*"
    sealed = [".".join(path[1:]) for path in sealed_fields(model) if path[0] == field]
    return f" *sealed{': ' * any(sealed)}{', '.join(sealed)}*" if sealed else ""


def _kept(retention_ms: int) -> str:
    return "unlimited" if retention_ms < 0 else f"{retention_ms // 86_400_000} days"
