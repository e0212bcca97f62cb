"""Given an import of costs, when it is read, applied, cancelled or undone, then these events."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from command_api.costs.imports import model
from command_api.costs.imports.model import MAX_BOOKED, MAX_BOOKED_BYTES, CostImportAggregate
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from infra.kernel.log.limits import MAX_RECORD_BYTES
from schemas.base import MoneySum
from schemas.events import costs
from schemas.events.costs import CostDayChange, CostEntry, CostImportCounts, CostMapping
from schemas.report_imports import ImportState, OpenQuestion, ReportFile
from tests.support.events import usd
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
FILE = ReportFile(name="november.csv", size=812, sha256="ab" * 32)
COUNTS = CostImportCounts(rows=3, new=2, rejected=1)
DELTA = (MoneySum(amount=1_250, currency="USD"),)
STATES = {
    ImportState.READING: (),
    ImportState.READY: (costs.CostImportRead,),
    ImportState.APPLYING: (costs.CostImportRead, costs.CostImportStarted),
    ImportState.APPLIED: (costs.CostImportRead, costs.CostImportStarted, costs.CostImportApplied),
    ImportState.UNDONE: (costs.CostImportRead, costs.CostImportStarted, costs.CostImportUndone),
    ImportState.CANCELLED: (costs.CostImportCancelled,),
}


def uploaded(platform: str = "google_ads", *, applies: bool = False) -> CostImportAggregate:
    event = model.upload(uuid4(), SITE, platform, FILE, CostMapping(), applies=applies, context=CONTEXT)
    return model.evolve(None, event)


def in_state(state: ImportState) -> CostImportAggregate:
    held = uploaded()
    for event_class in STATES[state]:
        more = {"counts": COUNTS} if event_class is costs.CostImportRead else {}
        held = model.evolve(
            held,
            event_class(
                originator_id=held.id,
                originator_version=held.version + 1,
                timestamp=NOW,
                website_id=SITE.id,
                **more,
            ),
        )
    assert held.state is state
    return held


def change(campaign: str) -> CostDayChange:
    day = date(2026, 11, 3)
    return CostDayChange(entry=CostEntry(first=day, last=day, campaign=campaign, amount=usd(5), worth=usd(5)))


def test_only_known_platforms_and_owners_are_accepted() -> None:
    given().when(uploaded, "nobody").then(rejected("unknown_platform", "platform"))
    given(uploaded()).when(model.require_import, SITE, STRANGER).then(rejected("not_found"))
    given(None).when(model.require_import, SITE, CONTEXT).then(rejected("not_found"))


def test_a_preview_waits_and_an_import_without_one_begins_at_once() -> None:
    given(uploaded()).when(model.finish_reading, COUNTS, DELTA, CONTEXT).then("cost_import.read")
    given(uploaded(applies=True)).when(model.finish_reading, COUNTS, DELTA, CONTEXT).then(
        "cost_import.read", "cost_import.started"
    )


@pytest.mark.parametrize(
    ("state", "applied", "cancelled", "undone"),
    [
        (ImportState.READING, "!not_ready", "cost_import.cancelled", "!not_applied"),
        (ImportState.READY, "cost_import.started", "cost_import.cancelled", "!not_applied"),
        (ImportState.APPLYING, "", "cost_import.undo_started", "cost_import.undo_started"),
        (ImportState.APPLIED, "", "!already_applied", "cost_import.undo_started"),
        (ImportState.UNDONE, "!not_ready", "", ""),
        (ImportState.CANCELLED, "!not_ready", "", "!not_applied"),
    ],
)
def test_what_a_person_may_do_in_each_state(state: ImportState, applied: str, cancelled: str, undone: str) -> None:
    for decide, expected in ((model.apply, applied), (model.cancel, cancelled), (model.undo, undone)):
        outcome = given(in_state(state)).when(decide, CONTEXT)
        if expected.startswith("!"):
            outcome.then(rejected(expected[1:]))
        else:
            outcome.then(*filter(None, [expected]))


def test_a_mapping_is_corrected_until_the_import_counts() -> None:
    mapping = CostMapping(date_order="dmy")
    given(in_state(ImportState.READY)).when(model.remap, mapping, CONTEXT).then("cost_import.remapped")
    given(in_state(ImportState.READY)).when(model.remap, CostMapping(), CONTEXT).then()
    given(in_state(ImportState.APPLIED)).when(model.remap, mapping, CONTEXT).then(rejected("already_applied"))
    given(in_state(ImportState.CANCELLED)).when(model.remap, mapping, CONTEXT).then(rejected("already_ended"))


def test_a_question_is_open_until_the_mapping_answers_it() -> None:
    question = OpenQuestion(field="date_order", message="Which?", choices=("dmy", "mdy"))
    asking = model.evolve(uploaded(), model.ask(uploaded(), [question], CONTEXT))
    assert (asking.state, asking.questions) == (ImportState.ASKING, (question,))
    [remapped] = model.remap(asking, CostMapping(date_order="dmy"), CONTEXT)
    assert model.evolve(asking, remapped).state is ImportState.READING


def test_what_is_booked_fits_records_of_the_log() -> None:
    many = model.book(in_state(ImportState.APPLYING), [change("spring")] * (MAX_BOOKED + 1), CONTEXT)
    assert [type(event).__name__ for event in many] == ["CostImportBooked", "CostImportBooked", "CostImportApplied"]
    long = model.book(in_state(ImportState.APPLYING), [change("\U0001f3d5" * 256)] * MAX_BOOKED, CONTEXT)
    booked = [event for event in long if isinstance(event, costs.CostImportBooked)]
    assert sum(len(event.changes) for event in booked) == MAX_BOOKED
    assert all(len(event.model_dump_json().encode()) < MAX_BOOKED_BYTES + 4_096 < MAX_RECORD_BYTES for event in booked)
    assert [event.originator_version for event in long] == list(range(4, 4 + len(long)))
