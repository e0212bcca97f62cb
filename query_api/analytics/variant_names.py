"""The names of variants in reports: those that the owner gave them, where a report says of which link they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from infra.domain.visits.dimensions import VARIANT
from query_api.analytics.filters import DimensionFilter, Operator
from query_api.analytics.request import AnalyticsRequest
from schemas.events.links import Routing

LINK: Final = "link"
_ROUTINGS: Final = "SELECT id::text AS id, routing FROM read.links WHERE id = ANY(%s::uuid[])"


class VariantNames:
    """The names of the variants in the rows of a report: by link and variant, or by variant of one link."""

    def __init__(self, request: AnalyticsRequest, by: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
        self._place = by.index(VARIANT)
        self._of_link = by.index(LINK) if LINK in by else None
        self._only = _only_link(request) if self._of_link is None else ""
        links = {self._link_of(values) for values in rows} - {""}
        found = request.reader.rows(_ROUTINGS, (sorted(links),)) if links else []
        self._names = {
            (row["id"], str(variant.number)): variant.name
            for row in found
            for variant in Routing.model_validate(row["routing"]).variants
        }

    def name_of(self, values: tuple[str, ...]) -> str:
        """Returns the name of the variant in a row with these values."""
        number = values[self._place]
        return self._names.get((self._link_of(values), number), "") or f"Variant {number}"

    def _link_of(self, values: tuple[str, ...]) -> str:
        return self._only if self._of_link is None else values[self._of_link]


def _only_link(request: AnalyticsRequest) -> str:
    """Returns the id of the link to which the filters limit a report; empty if it has several."""
    for one in request.selection.filters:
        if isinstance(one, DimensionFilter) and one.dimension == LINK and one.operator is Operator.IS:
            ids = [value for value in one.values if _is_id(value)]
            return ids[0] if len(ids) == len(one.values) == 1 else ""
    return ""


def _is_id(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False
