"""What every inline projection keeps: its rows follow from events whose personal texts it cannot read."""

from __future__ import annotations

from uuid import UUID

import pytest

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel.inline_projection import InlineProjection
from infra.kernel.config.paths import ROOT
from schemas import envelope
from schemas.base import DomainEvent, personal_fields

AGGREGATE = UUID(int=7)
SAMPLES = {path.name.removesuffix(".json"): path for path in (ROOT / "schemas" / "samples").glob("*.json")}


def sample(event_class: type[DomainEvent], text: str) -> DomainEvent:
    """The golden sample of the event; its personal fields have this text."""
    name, version = event_class.NAME, event_class.VERSION
    value = SAMPLES[f"{name}.v{version}"].read_bytes()
    event = envelope.decode(value, envelope.headers(name, version, 1, AGGREGATE, 1)).event
    return event.model_copy(update=dict.fromkeys(personal_fields(event_class), text))


@pytest.mark.parametrize("projection", INLINE_PROJECTIONS.projections, ids=lambda each: each.name)
def test_no_row_depends_on_a_personal_text(projection: InlineProjection) -> None:
    """A rebuild and the audit read events whose personal fields are encrypted."""
    for event_class in projection.event_classes:
        found = []
        for text in ("plain", "enc:v1:sealed"):
            tables = projection.memory()
            projection.apply(tables, sample(event_class, text))
            found.append({name: table.rows for name, table in tables.items()})
        assert found[0] == found[1], event_class.NAME
