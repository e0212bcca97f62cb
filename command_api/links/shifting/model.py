"""Decisions about weights that follow results, on the aggregate of a link. Pure.

A day's decision is appended when it shifts, or when nothing shifts for another reason than the last time: then the
event has the reason and no routing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Final

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.links.model import LinkAggregate, require_active
from command_api.websites.model import Website
from infra.domain.splits.judging import SplitResult, VariantFigures, judge
from infra.domain.splits.shifting import WHOLE, ShiftDecision, shift
from schemas.base import DomainEvent
from schemas.events.links import LinkUpdated, Routing, Shifting, ShiftOutcome, VariantShift, WeightShift

MAX_WEIGHT: Final = 1_000


def is_watched(link: LinkAggregate) -> bool:
    """Returns whether the results of the link's split are looked at every day."""
    return (
        link.shifting.is_on
        and link.is_active
        and not link.deleted
        and link.routing.winner is None
        and len(link.routing.variants) > 1
    )


def set_shifting(
    link: LinkAggregate | None, website: Website | None, wanted: Shifting, context: CommandContext
) -> list[LinkUpdated]:
    """Raises `CommandRejected` for bounds that the split's variants cannot all keep."""
    link = require_active(link, website, context)
    variants = len(link.routing.variants)
    if wanted.is_on and variants < 2:
        raise conflict("no_split", "The link has no split.")
    if wanted.is_on and wanted.min_share * variants > WHOLE:
        message = f"With {variants} variants each can keep at most {WHOLE // variants}%."
        raise invalid("bad_min_share", message, "minShare")
    return [] if wanted == link.shifting else [LinkUpdated(**next_event(link, context), shifting=wanted)]


def shift_weights(
    link: LinkAggregate, figures: Sequence[VariantFigures], live: Collection[int], day: date, context: CommandContext
) -> list[LinkUpdated]:
    """The decision of a day. `live`: numbers of the variants that get traffic; when they are not those of `figures`, it
    is left to the next day. A day that was decided is not decided again."""
    if not is_watched(link) or {each.number for each in figures} != set(live):
        return []
    if link.shift is not None and link.shift.day >= day:
        return []
    result = judge(figures)
    weights = {each.number: each.weight for each in link.routing.variants if each.number in live}
    decision = shift(result, weights, link.shifting)
    is_shifted = decision.outcome is ShiftOutcome.SHIFTED
    if not is_shifted and link.shift is not None and link.shift.outcome is decision.outcome:
        return []
    after = _all_weights(link, decision) if is_shifted else {}
    noted = _noted(link, day, result, decision, after, figures)
    routing = with_weights(link.routing, after) if is_shifted else None
    return [LinkUpdated(**next_event(link, context), routing=routing, shift=noted)]


def undo(
    link: LinkAggregate | None,
    website: Website | None,
    undone: DomainEvent | None,
    *,
    is_on: bool,
    context: CommandContext,
) -> list[LinkUpdated]:
    """Restores the weights before a shift. Raises `CommandRejected` when other variants are there by now."""
    link = require_active(link, website, context)
    noted = undone.shift if isinstance(undone, LinkUpdated) else None
    if undone is None or noted is None or noted.outcome is not ShiftOutcome.SHIFTED:
        raise not_found("shift")
    restored = {each.number: each.before for each in noted.variants}
    if set(restored) != {each.number for each in link.routing.variants}:
        raise conflict("changed_since", "The variants have changed since. Set the weights by hand.")
    routing, shifting = with_weights(link.routing, restored), link.shifting.model_copy(update={"is_on": is_on})
    if (routing, shifting) == (link.routing, link.shifting):
        return []
    return [
        LinkUpdated(
            **next_event(link, context),
            routing=routing if routing != link.routing else None,
            shifting=shifting if shifting != link.shifting else None,
            restores=undone.originator_version,
        )
    ]


def with_weights(routing: Routing, weights: Mapping[int, int]) -> Routing:
    """The routing with other weights, by the numbers of its variants."""
    variants = (each.model_copy(update={"weight": weights[each.number]}) for each in routing.variants)
    return routing.model_copy(update={"variants": tuple(variants)})


def _all_weights(link: LinkAggregate, decision: ShiftDecision) -> dict[int, int]:
    """The weights after a shift. A variant that gets no traffic now keeps what it has beside the others."""
    total = sum(each.weight for each in link.routing.variants if each.number in decision.weights)
    return {
        each.number: decision.weights.get(each.number, min(max(round(each.weight * WHOLE / total), 1), MAX_WEIGHT))
        for each in link.routing.variants
    }


def _noted(
    link: LinkAggregate,
    day: date,
    result: SplitResult,
    decision: ShiftDecision,
    after: Mapping[int, int],
    figures: Sequence[VariantFigures],
) -> WeightShift:
    by_number = {each.number: each for each in figures}
    variants = []
    for each in link.routing.variants:
        own = by_number.get(each.number)
        variants.append(
            VariantShift(
                number=each.number,
                before=each.weight,
                after=after.get(each.number, each.weight),
                gets_traffic=own is not None,
                clicks=own.clicks if own else 0,
                conversions=own.conversions if own else 0,
                buyers=own.buyers if own else 0,
                revenue=own.revenue if own else 0,
            )
        )
    sureness = min((each.sureness for each in result.comparisons), default=None)
    return WeightShift(
        day=day, outcome=decision.outcome, leader=result.leader, sureness=sureness, variants=tuple(variants)
    )
