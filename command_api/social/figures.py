"""Figures of social channels by day, as a source reports them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID, uuid5

from command_api.kernel.aggregates import advanced
from command_api.kernel.decision import CommandContext, event_metadata
from command_api.social.model import SocialChannelAggregate
from schemas.base import DomainEvent
from schemas.events.social import MAX_DAYS, ChannelDay, FigureSource, SocialChannelFiguresRecorded
from schemas.evolution import UnexpectedEvent


@dataclass(frozen=True, slots=True)
class ChannelFigures:
    """The figures that one source reported of a channel, by day."""

    id: UUID
    version: int
    days: Mapping[date, ChannelDay]


def figures_id(channel_id: UUID, source: FigureSource) -> UUID:
    """The id of the figures that `source` reports of the channel."""
    return uuid5(channel_id, f"figures/{source}")


def record(
    known: ChannelFigures | None,
    channel: SocialChannelAggregate,
    source: FigureSource,
    days: Iterable[ChannelDay],
    context: CommandContext,
) -> list[SocialChannelFiguresRecorded]:
    """Records days with new figures, in one event for each `MAX_DAYS` of them. Days without figures are left out."""
    stored = known.days if known is not None else {}
    new = [day for day in days if _with(stored.get(day.day), day) != stored.get(day.day)]
    version = known.version if known is not None else 0
    return [
        SocialChannelFiguresRecorded(
            **event_metadata(figures_id(channel.id, source), version + number, context),
            channel_id=channel.id,
            website_id=channel.website_id,
            source=source,
            days=new[start : start + MAX_DAYS],
        )
        for number, start in enumerate(range(0, len(new), MAX_DAYS))
    ]


def evolve(figures: ChannelFigures | None, event: DomainEvent) -> ChannelFigures:
    if not isinstance(event, SocialChannelFiguresRecorded):
        raise UnexpectedEvent(f"{event.NAME} does not happen to figures of channels")
    if figures is None:
        figures = ChannelFigures(event.originator_id, 0, {})
    figures = advanced(figures, event)
    new = {day.day: _with(figures.days.get(day.day), day) or day for day in event.days}
    return replace(figures, days={**figures.days, **new})


def _with(stored: ChannelDay | None, day: ChannelDay) -> ChannelDay | None:
    """The day after this report; None if nothing is known of it."""
    values = day.model_dump(exclude_none=True, exclude={"day"})
    if not values:
        return stored
    return day if stored is None else stored.model_copy(update=values)
