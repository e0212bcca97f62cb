"""What the tables for analysts never show: columns for the product alone, sealed ad click ids among them."""

from __future__ import annotations

from infra.domain.sql_access.tables import SCHEMA
from schemas.tracking import COLUMNS, Part

MEANS_SOMETHING_ELSE = {("conversion_changes", "origin"), ("conversions", "origin")}
"""By table and column: of a conversion, who reports it."""


def test_no_table_shows_a_hidden_column() -> None:
    hidden = {column.name for column in COLUMNS if column.part is Part.HIDDEN}
    assert {"ad_ids", "flags", "_offset"} <= hidden
    shown = {(view.name, column.name) for view in SCHEMA.values() for column in view.columns if column.name in hidden}
    assert shown <= MEANS_SOMETHING_ELSE
    assert not [view.name for view in SCHEMA.values() if "ad_ids" in view.source]
