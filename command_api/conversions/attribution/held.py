"""The attribution of a conversion stays, whatever analytics exclude later. Pure.

A click is judged by its marking (bot or not) when a conversion first looks at it. Bots' clicks that an attributed
conversion passed over are stored with its search, by partition and offset, which are the same in every rebuild: a
traffic rule that calls them genuine later does not make them replace its click, nor does one that excludes that click.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.conversions.attribution.clicks import ClickRow
from command_api.conversions.attribution.rules import click_of
from infra.domain.report_merging import ReportedTraces
from schemas.events.conversions import AttributedBy, Attribution, LogPosition
from schemas.tracking import NO_ID

NOT_PROJECTED: Final = NO_ID
"""Event id of the click of an attribution whose row is not there."""
MAX_PASSED_OVER: Final = 500
"""Clicks that are stored with a search, the first in the log. A person has none."""

Place = tuple[int, int]
"""Partition and offset in topic `clicks`."""


@dataclass(frozen=True, slots=True)
class Held:
    """The attribution of a conversion, and what led to it."""

    attribution: Attribution
    seen: tuple[LogPosition, ...]
    """Up to where its decision knew the clicks."""
    passed_over: frozenset[Place]
    """Clicks that were bots' when they were judged."""
    traces: tuple[ReportedTraces, ...]
    occurred_at: datetime
    is_final: bool = False
    """No click can arrive any more."""

    def is_remarked(self, row: ClickRow) -> bool:
        """Returns whether a traffic rule has marked the click of the attribution otherwise since."""
        is_known = row.visitor != 0 and row.visitor == self.attribution.visitor
        if row.place is not None:
            partition, offset = row.place
            is_known |= any(seen.partition == partition and offset < seen.offset for seen in self.seen)
        return is_known and bool(row.bot_reason) != bool(self.attribution.bot_reason)

    def repeats(self, named: ReportedTraces, occurred_at: datetime) -> bool:
        """Returns whether the clicks of the visitor were judged for the same report."""
        judged = {(traces.visitor, traces.partner_id) for traces in self.traces}
        return occurred_at == self.occurred_at and (named.visitor, named.partner_id) in judged


@dataclass(slots=True)
class VisitorClicks:
    """Iterates the clicks of a visitor that may earn a conversion, in the order of the model.

    Bots' clicks are left out, and so are those that were passed over before; the held click is among them in any case.
    """

    website_id: UUID
    visitor: int
    rows: Iterable[ClickRow]
    held: Held | None
    is_repeated: bool
    """The clicks were judged for the same report before."""
    oldest_first: bool
    passed_over: set[Place] = field(default_factory=set)
    """Bots' clicks, now or when they were judged, that would have been taken."""
    is_as_held: bool = False
    """The row of the held click is not there, or was marked otherwise: nothing of the attribution changes."""

    def __iter__(self) -> Iterator[ClickRow]:
        held = self.held if self.held is not None and self._is_of_visitor(self.held.attribution) else None
        passed_before = self.held.passed_over if self.held is not None and self.is_repeated else frozenset[Place]()
        is_due = self.is_repeated and held is not None
        for row in self.rows:
            if held is not None and _click(row) == click_of(held.attribution):
                is_due, self.is_as_held = False, bool(row.bot_reason)
                yield replace(row, bot_reason="")
                continue
            if held is not None and is_due and self._is_behind(row, held.attribution):
                is_due, self.is_as_held = False, True
                yield _row_of(held.attribution, self.website_id)
            if not row.bot_reason and row.place not in passed_before:
                yield row
            elif row.place is not None:
                self.passed_over.add(row.place)
        if held is not None and is_due:
            self.is_as_held = True
            yield _row_of(held.attribution, self.website_id)

    def _is_of_visitor(self, attribution: Attribution) -> bool:
        return attribution.by is AttributedBy.VISITOR and attribution.visitor == self.visitor

    def _is_behind(self, row: ClickRow, attribution: Attribution) -> bool:
        clicked_at = attribution.clicked_at
        return row.occurred_at > clicked_at if self.oldest_first else row.occurred_at < clicked_at


def stored_places(places: Iterable[Place]) -> list[list[int]]:
    """Returns the places as `conversions.pending_attribution` stores them."""
    return [list(place) for place in sorted(places)[:MAX_PASSED_OVER]]


def read_places(stored: Iterable[Iterable[int]] | None) -> frozenset[Place]:
    """Returns the places that `stored_places` made storable."""
    return frozenset((partition, offset) for partition, offset in stored or ())


def _click(row: ClickRow) -> tuple[object, ...]:
    """Returns the identity of the row's click, as `click_of` does of an attribution's."""
    return row.partner_id, row.link_id, row.click_id, row.occurred_at


def _row_of(attribution: Attribution, website_id: UUID) -> ClickRow:
    return ClickRow(
        website_id=website_id,
        event_id=NOT_PROJECTED,
        visitor=attribution.visitor,
        occurred_at=attribution.clicked_at,
        click_id=attribution.click_id,
        link_id=attribution.link_id,
        partner_id=attribution.partner_id,
        country=attribution.country,
        device=attribution.device,
        source=attribution.source,
        subs=attribution.subs,
        route=attribution.route,
    )
