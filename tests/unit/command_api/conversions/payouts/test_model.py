"""Payouts: recorded, corrected and voided by further events; the read model follows an independent fold."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.conversions.payouts import files, model
from command_api.conversions.payouts.model import Payout
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.websites.model import Website
from infra.kernel.postgres.memory_rows import MemoryRows
from infra.ops.audit.reference_projections import REFERENCES, Place
from projectors.read_models.conversions.payouts import PAYOUTS
from schemas.base import DomainEvent, Money
from schemas.events.conversions import PayoutAllocation, PayoutCorrected, PayoutFacts, PayoutVoided
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER, SITE, PARTNER = uuid4(), uuid4(), uuid4()
CONTEXT = CommandContext(NOW, OWNER)


def website() -> Website:
    return Website(SITE, 1, OWNER, domain="shop.example", timezone="UTC", currency="USD", created_at=NOW)


def facts(amount: int = 1000, currency: str = "USD", credited: int | None = None, **changes: Any) -> PayoutFacts:
    values = {"paid_on": date(2026, 11, 15), "reference": " PAY-1 ", "allocations": (), **changes}
    return model.facts_of(website(), amount, currency, credited, context=CONTEXT, **values)


def recorded(payout_id: UUID | None = None, **changes: Any) -> Payout:
    [event] = model.record(payout_id or uuid4(), SITE, PARTNER, facts(**changes), CONTEXT)
    return model.evolve(None, event)


def code(call: Any) -> str:
    with pytest.raises(CommandRejected) as rejected:
        call()
    return rejected.value.code


def test_a_payout_in_the_websites_currency_settles_its_own_amount() -> None:
    found = facts(1050)
    assert (found.amount, found.credited, found.reference) == (
        found.credited,
        Money(amount=1050, currency="USD"),
        "PAY-1",
    )


def test_a_payout_in_another_currency_says_what_it_settles() -> None:
    given().when(facts, 1000, "EUR").then(rejected("credited_missing"))
    assert facts(1000, "EUR", 1083).credited == Money(amount=1083, currency="USD")
    given().when(facts, 1000, "USD", 999).then(rejected("credited_differs"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"amount": 0}, "bad_amount"),
        ({"amount": 10**15 + 1}, "bad_amount"),
        ({"amount": 10, "currency": "EUR", "credited": -1}, "bad_amount"),
        ({"currency": "XXX", "credited": 5}, "unknown_currency"),
        ({"currency": "dollars", "credited": 5}, "unknown_currency"),
        ({"paid_on": date(2026, 11, 22)}, "bad_date"),
        ({"paid_on": date(1989, 12, 31)}, "bad_date"),
        ({"reference": "x" * 201}, "bad_reference"),
        ({"allocations": [PayoutAllocation(month="2026-10", amount=1001)]}, "too_much_matched"),
        (
            {"allocations": [PayoutAllocation(month=month, amount=501) for month in ("2026-09", "2026-10")]},
            "too_much_matched",
        ),
        ({"allocations": [PayoutAllocation(month="2026-10", amount=1)] * 2}, "month_twice"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], expected: str) -> None:
    given().when(facts, **changes).then(rejected(expected))


def test_a_correction_replaces_the_facts_by_an_event_with_a_reason() -> None:
    payout = recorded()
    [event] = model.correct(payout, facts(900), " Bank fee ", CONTEXT)
    assert isinstance(event, PayoutCorrected)
    assert (event.reason, event.facts.credited.amount) == ("Bank fee", 900)
    given(payout).when(model.correct, facts(), "same", CONTEXT).then()
    given(payout).when(model.correct, facts(900), " ", CONTEXT).then(rejected("bad_reason"))


def test_a_voided_payout_counts_no_more_and_cannot_be_corrected() -> None:
    [event] = model.void(recorded(), "Recorded twice", CONTEXT)
    assert isinstance(event, PayoutVoided)
    voided = replace(recorded(), voided=True)
    given(voided).when(model.void, "again", CONTEXT).then()
    given(voided).when(model.correct, facts(900), "x", CONTEXT).then(rejected("voided"))
    file = files.describe(uuid4(), b"%PDF-1.7 x")
    given(voided).when(model.attach, file, CONTEXT).then(rejected("voided"))


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_the_type_of_a_file_is_read_from_its_content(content: bytes, media_type: str) -> None:
    assert files.describe(uuid4(), content).media_type == media_type


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "bad_size"),
        (b"%PDF-" + b"x" * 1_000_000, "bad_size"),
        (b"<html><script>", "unknown_type"),
        (b"MZ\x90", "unknown_type"),
        (b"<svg %PDF-", "unknown_type"),
    ],
)
def test_other_files_are_refused(content: bytes, expected: str) -> None:
    given().when(files.describe, uuid4(), content).then(rejected(expected))


@pytest.mark.parametrize("seed", range(20))
def test_random_histories_give_the_rows_of_an_independent_fold_and_the_sum_of_a_plain_book(seed: int) -> None:
    dice = random.Random(seed)
    book: dict[UUID, int] = {}
    states: dict[UUID, Payout] = {}
    events: list[DomainEvent] = []
    for number in range(60):
        context = CommandContext(NOW + timedelta(minutes=number), OWNER)
        amount = dice.randrange(1, 10**6)
        counting = [one for one in states.values() if not one.voided]
        match dice.choice(["record", "record", "correct", "void", "attach"]):
            case "correct" if counting:
                payout = dice.choice(counting)
                new = model.correct(payout, facts(amount), "wrong", context)
                book[payout.id] = amount
            case "void" if counting:
                payout = dice.choice(counting)
                new = model.void(payout, "twice", context)
                del book[payout.id]
            case "attach" if counting:
                payout = dice.choice(counting)
                new = model.attach(payout, files.describe(uuid4(), b"%PDF-" + bytes([number])), context)
            case _:
                payout_id = uuid4()
                new = model.record(payout_id, SITE, PARTNER, facts(amount), context)
                book[payout_id] = amount
        for event in new:
            states[event.originator_id] = model.evolve(states.get(event.originator_id), event)
        events += new
    rows, reference = MemoryRows(PAYOUTS.key, _DEFAULTS), dict[tuple[Any, ...], dict[str, Any]]()
    for event in events:
        PAYOUTS.handlers[type(event)](rows, event)
        REFERENCES["payouts"](reference, event, Place(1, 1))
    assert rows.rows == reference
    counting_rows = [row for row in rows.rows.values() if row["voided_at"] is None]
    assert sum(row["credited"] for row in counting_rows) == sum(book.values())
    assert {row["id"]: row["credited"] for row in counting_rows} == book


_DEFAULTS = dict.fromkeys((column.split()[0] for column in PAYOUTS.columns), None) | {"reason": ""}
