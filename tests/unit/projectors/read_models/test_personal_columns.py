"""Read models declare their columns with personal data: the audit shows none of them."""

from __future__ import annotations

from uuid import uuid4

from infra.kernel.config.paths import ROOT
from infra.kernel.postgres.memory_rows import MemoryRows
from projectors.engine.read_model import ReadModel
from projectors.registry import REGISTRY
from schemas import envelope
from schemas.base import REGISTRY as EVENTS
from schemas.base import DomainEvent, personal_fields
from tests.support.decisions import history

MARK = "a field of a person"


def test_every_column_that_gets_a_personal_field_is_declared() -> None:
    events = [_marked(event) for event in _every_event()]
    found = {model.name: columns for model in REGISTRY.postgres if (columns := _marked_columns(model, events))}
    declared = {model.name: set(model.personal) for model in REGISTRY.postgres if model.personal}
    declared["custom_domains"].remove("token")  # random; it is blanked with the domain
    assert found == declared


def test_declared_columns_exist() -> None:
    for model in REGISTRY.postgres:
        assert set(model.personal) <= {line.split()[0] for line in model.columns}, model.name


def _every_event() -> list[DomainEvent]:
    """The history, and the golden samples of the events that are not in it."""
    events = history(lambda _subject, _field, text: text)
    ids = {event.NAME.partition(".")[0]: event.originator_id for event in events}
    happened = {type(event) for event in events}
    for name, event_class in EVENTS.items():
        if event_class not in happened and event_class.__module__.startswith("schemas."):
            value = (ROOT / "schemas" / "samples" / f"{name}.v{event_class.VERSION}.json").read_bytes()
            headers = envelope.headers(name, event_class.VERSION, 1, ids.get(name.partition(".")[0], uuid4()), 1)
            events.append(envelope.decode(value, headers).event)
    return events


def _marked(event: DomainEvent) -> DomainEvent:
    fields = {name: MARK for name in personal_fields(type(event)) if isinstance(getattr(event, name), str)}
    return event.model_copy(update=fields)


def _marked_columns(model: ReadModel, events: list[DomainEvent]) -> set[str]:
    rows, found = MemoryRows(model.key), set[str]()
    for event in events:
        if type(event) in model.handlers:
            model.handlers[type(event)](rows, event)
            found |= {name for row in rows.rows.values() for name, value in row.items() if MARK in str(value)}
    return found
