"""What the catalogue promises: every decided event is shown somewhere or named as ignored, every table has its view."""

from __future__ import annotations

import pytest

import schemas.events
from projectors.read_models.operations import activity
from projectors.registry import IGNORED, REGISTRY
from projectors.rollups import conversion_rows
from schemas.base import REGISTRY as EVENTS
from schemas.base import Money
from schemas.events.conversions import (
    ConversionAdjustmentDismissed,
    ConversionAdjustmentProposed,
    ConversionForgotten,
    ConversionReportConflicted,
    ConversionReportMerged,
)


def test_every_decided_event_is_handled_or_ignored_with_a_reason() -> None:
    assert schemas.events.__all__
    handled = {event_class for model in REGISTRY.postgres for event_class in model.handlers}
    ours = {event_class for event_class in EVENTS.values() if event_class.__module__.startswith("schemas.")}
    assert ours - handled - IGNORED == set()
    assert handled & IGNORED == set()


def test_conversions_in_clickhouse_are_those_of_the_read_model() -> None:
    [model] = [model for model in REGISTRY.postgres if model.name == "conversions"]
    moving_nothing = {
        ConversionReportConflicted,
        ConversionReportMerged,
        ConversionAdjustmentProposed,
        ConversionAdjustmentDismissed,
        ConversionForgotten,
    }
    counting = model.handlers.keys() - moving_nothing
    assert {event_class.NAME.encode() for event_class in counting} == conversion_rows.NAMES


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [(123456, "EUR", "1,234.56 EUR"), (-5, "USD", "-0.05 USD"), (1000, "JPY", "1,000 JPY"), (1, "KWD", "0.001 KWD")],
)
def test_activity_shows_money_as_people_write_it(amount: int, currency: str, shown: str) -> None:
    assert activity._money(Money(amount=amount, currency=currency)) == shown


def test_names_are_unique_and_columns_start_with_the_key() -> None:
    assert len(set(REGISTRY.names)) == len(REGISTRY.names)
    for model in REGISTRY.postgres:
        names = [line.split()[0] for line in model.columns]
        assert set(model.key) <= set(names)
        assert model.create_view(1)[1].split("select ")[1].split(" from")[0].split(", ") == names
