"""Which events a rule for traffic means, and what it makes of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from infra.ops.audit import traffic_rules as audited
from projectors.rollups.event_row import STRUCT, Row
from projectors.rollups.traffic_marks import parse_parameters, result_of

SITE, LINK = UUID(int=1), UUID(int=2)
AT = datetime(2026, 11, 6, 10)  # noqa: DTZ001 - rows have UTC without saying so


def rule(mark: str = "suspicious", **conditions: str) -> dict[str, Any]:
    period = {"since": "2026-11-06T00:00:00+00:00", "until": "2026-11-07T00:00:00+00:00"}
    return {"id": "x", "website_id": str(SITE), "mark": mark, "conditions": conditions, **period}


def event_row(at: datetime = AT, **values: Any) -> Row:
    made: Any = STRUCT(UUID(int=9), SITE, "click", at, at, **values)
    checked: Row = made
    return checked


def made(rules: list[dict[str, Any]], of: Row) -> tuple[bool, str] | None:
    return result_of(parse_parameters(rules).get(of.website_id, ()), of)


def test_the_newest_rule_that_fits_holds() -> None:
    assert made([rule("bot"), rule("suspicious")], event_row()) == (True, "remarked")
    assert made([rule("suspicious"), rule("bot")], event_row()) == (True, "remarked_bot")
    assert made([rule("bot"), rule("genuine")], event_row(is_bot=True, bot_reason="rate")) == (False, "")
    assert made([rule("bot"), rule("genuine", country="FR")], event_row(country="DE")) == (True, "remarked_bot")
    assert made([], event_row()) is None


@pytest.mark.parametrize(
    ("conditions", "values", "fits"),
    [
        ({}, {}, True),
        ({"type": "click"}, {}, True),
        ({"type": "pageview"}, {}, False),
        ({"link_id": str(LINK)}, {"link_id": LINK}, True),
        ({"link_id": str(LINK)}, {}, False),
        ({"country": "ZZ"}, {}, True),
        ({"reason": "rate"}, {"is_bot": True, "bot_reason": "rate"}, True),
        ({"reason": "rate", "device": "mobile"}, {"bot_reason": "rate"}, False),
        ({"source": ""}, {}, True),
    ],
)
def test_all_values_have_to_fit(conditions: dict[str, str], values: dict[str, Any], fits: bool) -> None:
    given = rule(**conditions)
    assert (made([given], event_row(**values)) is not None) == fits
    shown = {name: str(value) if isinstance(value, UUID) else value for name, value in values.items()}
    record = {"website_id": str(SITE), "type": "click", "occurred_at": "2026-11-06 10:00:00.000", **shown}
    assert audited.fits(given, record) == fits, "the audit reads the rule alike"


def test_a_period_holds_its_begin_and_not_its_end() -> None:
    for hour, day, fits in ((0, 6, True), (23, 6, True), (0, 7, False), (23, 5, False)):
        at = datetime(2026, 11, day, hour)  # noqa: DTZ001 - as above
        assert (made([rule()], event_row(at)) is not None) == fits
