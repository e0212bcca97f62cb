"""Histories of listings and deals say who did what, and tell nothing that was said in a thread."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

import schemas.events  # noqa: F401 - fills the registry
from infra.kernel.config.paths import ROOT
from projectors.read_models.marketplace.market import MARKET_STEPS
from schemas.base import REGISTRY

SAMPLES = ROOT / "schemas" / "samples"
WORDS = "Is the mailing list part of it?"


class Noted:
    """What a handler puts."""

    def __init__(self) -> None:
        self.row: dict[str, Any] = {}

    def put(self, **values: Any) -> None:
        self.row = values

    def update(self, _: Any, **values: Any) -> None:
        self.row = values


def shown_step(name: str, **changes: Any) -> dict[str, Any]:
    event_class = REGISTRY[name]
    given = json.loads((SAMPLES / f"{name}.v1.json").read_text())
    texts = {field: WORDS for field, value in given.items() if value == "enc:c2VhbGVk"}
    event = event_class.model_validate({**given, **texts, **changes, "originator_id": uuid4(), "originator_version": 7})
    rows: Any = Noted()
    MARKET_STEPS.handlers[event_class](rows, event)
    found: dict[str, Any] = rows.row
    return found


@pytest.mark.parametrize(
    ("name", "changes", "by", "detail"),
    [
        ("listing.submitted", {}, "seller", ""),
        ("listing.approved", {}, "admin", ""),
        ("listing.rejected", {}, "admin", "The figures need a source."),
        ("listing.withdrawn", {"actor_id": None}, "system", ""),
        ("listing.sold", {"actor_id": None}, "system", ""),
        ("offer.sent", {}, "buyer", "42000.00 USD"),
        ("offer.countered", {"side": "buyer"}, "buyer", "42000.00 USD"),
        ("offer.message_sent", {"side": "admin"}, "admin", ""),
        ("escrow.funded", {"actor_id": None}, "provider", ""),
        ("escrow.delivered", {}, "seller", ""),
        ("escrow.accepted", {}, "buyer", ""),
        ("escrow.accepted", {"actor_id": None}, "system", ""),
        ("escrow.cancelled", {"actor_id": None, "side": None}, "system", ""),
        ("escrow.disputed", {"side": "buyer"}, "buyer", ""),
        ("escrow.decided", {}, "admin", "40000.00 USD"),
        ("escrow.released", {"actor_id": None}, "provider", "40000.00 USD"),
    ],
)
def test_each_step_says_who_did_it(name: str, changes: dict[str, Any], by: str, detail: str) -> None:
    row = shown_step(name, **changes)
    assert (row["kind"], row["by"], row["detail"], row["number"]) == (name, by, detail, 7)


def test_no_history_repeats_texts_of_members() -> None:
    kinds = [event_class.NAME for event_class in MARKET_STEPS.handlers]
    assert len(kinds) > 30
    for kind in kinds:
        assert WORDS not in str(shown_step(kind))
