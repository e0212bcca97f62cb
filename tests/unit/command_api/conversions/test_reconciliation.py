"""A partner's month is accepted as it was seen, and no longer."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from command_api.conversions.reconciliation import model
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from schemas.base import DomainEvent
from tests.support.events import names

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER, PARTNER = uuid4(), uuid4()
WEBSITE = Website(uuid4(), 1, OWNER, domain="shop.example", timezone="UTC", currency="USD", created_at=NOW)
CONTEXT = CommandContext(NOW, OWNER)
SEEN, CHANGED = "a" * 64, "b" * 64


def accept(held: model.AcceptedMonth | None, fingerprint: str = SEEN, month: str = "2026-10") -> list[DomainEvent]:
    return model.accept(held, WEBSITE, PARTNER, month, fingerprint, CONTEXT)


def test_what_was_seen_is_accepted_once() -> None:
    [accepted] = accept(None)
    held = model.evolve(None, accepted)
    assert (held.id, held.version, held.fingerprint) == (
        model.month_id(WEBSITE.id, PARTNER, "2026-10"), 1, SEEN,
    )  # fmt: skip
    assert accept(held) == []
    [again] = accept(held, CHANGED)
    assert (again.originator_id, model.evolve(held, again).fingerprint) == (held.id, CHANGED)


def test_a_reopened_month_can_be_accepted_again() -> None:
    held = model.evolve(None, accept(None)[0])
    [reopened] = model.reopen(held, WEBSITE, CONTEXT)
    after = model.evolve(held, reopened)
    assert (model.reopen(after, WEBSITE, CONTEXT), model.reopen(None, WEBSITE, CONTEXT)) == ([], [])
    assert names(accept(after)) == ["reconciliation.accepted"]


def test_each_month_of_each_partner_is_one_of_its_own() -> None:
    ids = {model.month_id(WEBSITE.id, partner, month) for partner in (PARTNER, uuid4()) for month in ("2026-10", "x")}
    assert len(ids) == 4
