"""The audit computes the rows of a forgotten visitor on its own, and they are those of the projector."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from infra.ops.audit.forgotten_visitors import ForgottenPerson, ForgottenVisitors
from infra.ops.audit.wide_rows import COLUMNS, texts_of
from schemas.click_id import event_id
from tests.unit.projectors.rollups.test_forgotten import CLICK, NOW, SITE, event_row, rows_of

FORGOTTEN = ForgottenVisitors(
    [
        ForgottenPerson(
            str(SITE),
            NOW.replace(tzinfo=UTC),
            0,
            bytes(32),
            {"visitor": frozenset({7}), "session": frozenset({70})},
            frozenset({event_id(CLICK)}),
            frozenset(),
        )
    ]
)
A_CLICK = {"type": "click", "click_id": CLICK, "event_id": str(event_id(CLICK))}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"visitor": 0},
        {"session": 0, "type": "signup"},
        {"visitor": 8, "session": 80},
        A_CLICK,
        {**A_CLICK, "visitor": 9, "session": 0},
        {**A_CLICK, "origin": "redirect", "props": '{"route":"fallback"}'},
    ],
)
def test_it_expects_what_the_projector_makes(changes: dict[str, Any]) -> None:
    sent = event_row(**changes)
    [made] = rows_of(sent)
    expected = FORGOTTEN.applied(sent)
    assert texts_of(expected, COLUMNS) == texts_of(made, COLUMNS)
