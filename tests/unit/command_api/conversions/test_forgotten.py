"""A conversion whose person was forgotten: the money stays, and nothing that leads to the person."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.conversions import model
from command_api.conversions.attribution.decision import may_change
from command_api.kernel.event_store import EventMapper
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.postgres.memory_rows import MemoryRows
from infra.ops.audit.reference_projections import REFERENCES, Place
from projectors.engine.read_model import ReadModel
from projectors.read_models.conversions.conversion_steps import CONVERSION_STEPS
from projectors.read_models.conversions.conversions import CONVERSIONS
from schemas.base import ERASED, DomainEvent
from schemas.events.conversions import (
    ConversionAdjustmentDismissed,
    ConversionAdjustmentProposed,
    ConversionForgotten,
    ConversionRecorded,
    ConversionReportMerged,
    VisitDetails,
)
from tests.support.text_keys import KeysInMemory
from tests.unit.command_api.conversions.test_model import NOW, SITE, attribution, recorded, said

CLICK, CUSTOMER, SUB, CITY, UNREAD = "click-njal", "customer-njal", "sub-njal", "city-njal", "unread-njal"
WORDS = (CLICK, CUSTOMER, SUB, CITY, UNREAD, "77777")


def history(*, attributed: bool = True) -> tuple[ConversionRecorded, ConversionReportMerged, ConversionForgotten]:
    found = attribution().model_copy(
        update={"click_id": CLICK, "visitor": 77777, "subs": {"sub1": SUB}, "visit": VisitDetails(city=CITY, path="/p")}
    )
    traces = {"click_id": CLICK, "visitor": 77777, "customer": CUSTOMER, "unread": {"status": UNREAD}}
    first = recorded(attributed=attributed, reported=said(1999).model_copy(update=traces))
    facts = first.facts.model_copy(update={"attribution": found if attributed else None})
    first = first.model_copy(update={"facts": facts, "customer": CUSTOMER})
    merged = ConversionReportMerged(
        **_head(first.originator_id, 2),
        website_id=SITE,
        reported=said(1999).model_copy(update=traces),
        key_kind="secret",
        unread=("status",),
    )
    forgotten = ConversionForgotten(**_head(first.originator_id, 3), website_id=SITE, erasure_id=uuid4())
    return first, merged, forgotten


def _head(conversion_id: UUID, version: int) -> dict[str, Any]:
    return {"originator_id": conversion_id, "originator_version": version, "timestamp": NOW}


def folded(*events: DomainEvent) -> model.Conversion:
    state = None
    for event in events:
        state = model.evolve(state, event)
    assert state is not None
    return state


def as_stored(*events: DomainEvent) -> tuple[list[DomainEvent], list[DomainEvent]]:
    """The events as the store gives them before and after the person was erased from the key."""
    keys = KeysInMemory(7)
    stored = [EventMapper(None).to_stored_event(event, keys.key(7)) for event in events]
    before = [EventMapper(None, keys.opener()).to_domain_event(each) for each in stored]
    keys.erase(7, leaf_of_stream(events[0].originator_id))
    return before, [EventMapper(None, keys.opener()).to_domain_event(each) for each in stored]


def proposed(sale: UUID, version: int) -> ConversionAdjustmentProposed:
    later = attribution().model_copy(update={"click_id": CLICK, "subs": {"sub1": SUB}})
    return ConversionAdjustmentProposed(**_head(sale, version), website_id=SITE, proposed=later)


def adjusted_history(*, attributed: bool = True) -> list[DomainEvent]:
    """With a click that was proposed and declined, and another one that waits."""
    first, merged, forgotten = history(attributed=attributed)
    declined = ConversionAdjustmentDismissed(**_head(first.originator_id, 4), website_id=SITE)
    between = (proposed(first.originator_id, 3), declined, proposed(first.originator_id, 5))
    return [first, merged, *between, forgotten.model_copy(update={"originator_version": 6})]


@pytest.mark.parametrize("attributed", [True, False])
def test_a_replay_of_erased_events_gives_the_same_state(attributed: bool) -> None:
    before, after = as_stored(*adjusted_history(attributed=attributed))
    assert [word for word in WORDS if word in str(folded(*before[:-1]))]
    assert not [word for word in WORDS if word in str(after) and word != "77777"]
    assert folded(*after) == folded(*before)
    assert not [word for word in WORDS if word in str(folded(*before))]


@pytest.mark.parametrize("read_model", [CONVERSIONS, CONVERSION_STEPS], ids=lambda each: each.name)
def test_a_rebuild_from_erased_events_gives_the_same_rows(read_model: ReadModel) -> None:
    """As the projector builds them, and as the audit expects them."""
    live: list[Any] = []
    rebuilt: list[Any] = []
    for events, found in zip(as_stored(*adjusted_history()), (live, rebuilt), strict=True):
        rows, expected = MemoryRows(read_model.key), dict[Any, Any]()
        for rows.position, event in enumerate(events, start=1):
            read_model.handlers[type(event)](rows, event)
            REFERENCES[read_model.name](expected, event, Place(rows.position, rows.offset))
        found += [rows.rows, expected]
    assert rebuilt == live


def test_the_state_keeps_the_money_and_loses_the_person() -> None:
    first, merged, forgotten = history()
    before, after = folded(first, merged), folded(first, merged, forgotten)
    assert not [word for word in WORDS if word in str(after)]
    assert model.contribution(after) == model.contribution(before)
    assert (after.commission, after.payable_at, after.approves_at) == (
        before.commission,
        before.payable_at,
        before.approves_at,
    )
    assert after.facts.attribution is not None
    assert after.facts.attribution.visit.path == "/p"


@pytest.mark.parametrize("attributed", [True, False])
def test_no_click_is_looked_for_any_more(attributed: bool) -> None:
    *events, forgotten = history(attributed=attributed)
    assert may_change(folded(*events))
    assert not may_change(folded(*events, forgotten))


def test_a_later_report_does_not_replace_what_earned_it() -> None:
    state = folded(*history())
    later = said(1999).model_copy(update={"click_id": "another"})
    merged = ConversionReportMerged(**_head(state.id, 4), website_id=SITE, reported=later, key_kind="secret")
    assert model.evolve(state, merged).is_assigned


@pytest.mark.parametrize("read_model", [CONVERSIONS, CONVERSION_STEPS], ids=lambda each: each.name)
def test_the_read_models_lose_the_person(read_model: ReadModel) -> None:
    rows = MemoryRows(read_model.key)
    expected: dict[Any, Any] = {}
    for rows.position, event in enumerate(history(), start=1):
        if rows.position == 3:
            assert [word for word in WORDS if word in str(rows.rows)], "nothing would be found"
        read_model.handlers[type(event)](rows, event)
        REFERENCES[read_model.name](expected, event, Place(rows.position, rows.offset))
    assert not [word for word in WORDS if word in str(rows.rows)]
    assert not [word for word in WORDS if word in str(expected)], "the audit would expect the person"
    assert rows.rows.keys() == expected.keys()


def test_which_fields_could_not_be_read_stays_known() -> None:
    """A sale without a transaction id is never approved by a timer, and an amount can still be corrected."""

    def shown(read_model: ReadModel) -> list[list[Any]]:
        rows, expected = MemoryRows(read_model.key), dict[Any, Any]()
        for rows.position, event in enumerate(history(), start=1):
            read_model.handlers[type(event)](rows, event)
            REFERENCES[read_model.name](expected, event, Place(rows.position, rows.offset))
        return [[*rows.rows.values()], [*expected.values()]]

    assert folded(*history()).merged.unread == ("status",)
    for [row] in shown(CONVERSIONS):
        assert row["unread"] == "status"
    for steps in shown(CONVERSION_STEPS):
        reports = [said for step in steps if (said := step["detail"].get("reported"))]
        assert [said["unread"] for said in reports] == [{"status": ERASED}] * 2
