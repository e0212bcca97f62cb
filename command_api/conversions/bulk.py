"""Decides many conversions, each on its own: the selection and the result for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.conversions import model
from command_api.conversions.lookups import append_conversions
from command_api.conversions.schemas import MAX_ITEMS, BulkResult, Filter, ItemResult, RejectFilter, Selection
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from infra.domain.conversion_filter import EQUAL, ConversionFilter
from schemas.base import DomainEvent
from schemas.days import day_end, day_start
from schemas.zones import ZoneInfo

Decide = Callable[[model.Conversion], Sequence[DomainEvent]]


def decide_many(selection: Selection, uow: UnitOfWork, decide: Decide) -> BulkResult:
    """Decides the selected conversions and appends their events. Raises `CommandRejected` for a foreign website."""
    batch = selected(selection, uow)
    seen: dict[UUID, websites.Website | None] = {}
    events: list[DomainEvent] = []
    results: list[ItemResult] = []
    for conversion_id in dict.fromkeys(batch.ids):
        try:
            conversion = owned(uow, conversion_id, seen, uow.context)
            batch.check(conversion)
            steps = decide(conversion)
        except CommandRejected as rejected:
            why = {"code": rejected.code, "message": rejected.message}
            results.append(ItemResult(id=conversion_id, ok=False, changed=False, **why))
        else:
            events.extend(steps)
            results.append(ItemResult(id=conversion_id, ok=True, changed=bool(steps)))
    append_conversions(uow, events)
    return BulkResult(results=results, more=batch.more)


def owned(
    uow: UnitOfWork, conversion_id: UUID, seen: dict[UUID, websites.Website | None], context: CommandContext
) -> model.Conversion:
    """The conversion, if `context` may decide it; `seen`: websites that were loaded. Raises `CommandRejected`."""
    conversion = uow.load(conversion_id, model.evolve)
    if conversion is None:
        raise not_found("conversion")
    website_id = conversion.facts.website_id
    if website_id not in seen:
        seen[website_id] = uow.load(website_id, websites.evolve)
    return model.require_owned(conversion, seen[website_id], context)


@dataclass(frozen=True, slots=True)
class Selected:
    """The conversions to decide. The read model may lag: the filter is checked again on each conversion."""

    ids: Sequence[UUID]
    more: bool = False
    filter: Filter | None = None
    status: str = ""
    start: datetime | None = None
    end: datetime | None = None
    last: UUID | None = None
    """The last selected id of a filter, behind which the next ones begin."""

    def check(self, conversion: model.Conversion) -> None:
        """Raises `CommandRejected` (no_longer_matches) when the conversion no longer matches the filter."""
        which = self.filter
        if which is None:
            return
        facts = conversion.facts
        click = facts.attribution
        matches = (
            conversion.status.value == self.status
            and which.partner_id in (None, click.partner_id if click else None)
            and (self.start is None or facts.occurred_at >= self.start)
            and (self.end is None or facts.occurred_at < self.end)
            and which.key_kind in (None, conversion.key_kind)
            and which.click_id in (None, click.click_id if click else None)
            and which.attributed in (None, click is not None)
            and which.unread in (None, bool(conversion.merged.unread))
            and which.kind in (None, facts.kind)
            and which.link_id in (None, click.link_id if click else None)
            and which.country in (None, click.country if click else "")
            and which.device in (None, click.device if click else "")
            and which.source in (None, click.source if click else "")
            and all(click is not None and click.subs.get(name) == value for name, value in which.subs.items())
            and (which.since is None or conversion.recorded_at >= which.since)
            and (which.until is None or conversion.recorded_at < which.until)
        )
        if not matches:
            message = "This conversion has changed and no longer matches the filter."
            raise conflict("no_longer_matches", message)


def selected(body: Selection, uow: UnitOfWork) -> Selected:
    """The ids, and whether the filter holds more. Raises `CommandRejected` (missing) for another account's website."""
    if body.filter is None:
        return Selected(body.ids or ())
    which = body.filter
    website = websites.require_owned(uow.load(which.website_id, websites.evolve), uow.context)
    zone = ZoneInfo(website.timezone)
    status = (which.status if isinstance(which, RejectFilter) else None) or "pending"
    start = day_start(zone, which.from_) if which.from_ is not None else None
    end = day_end(zone, which.to) if which.to is not None else None
    terms, bound = ConversionFilter(
        website_ids=[which.website_id],
        status=status,
        start=start,
        end=end,
        recorded_since=which.since,
        recorded_until=which.until,
        **{name: getattr(which, name) for name in _COPIED},
    ).conditions("c")
    if which.after is not None:
        terms.append(_BEHIND)
    bound |= {"after": which.after, "limit": MAX_ITEMS + 1}
    query = f"SELECT c.id FROM read.conversions AS c WHERE {' AND '.join(terms)} ORDER BY c.occurred_at, c.id LIMIT %(limit)s"  # noqa: S608, E501 - values are bound
    matching = [row[0] for row in uow.select_named(query, bound)]
    ids = matching[:MAX_ITEMS]
    return Selected(ids, len(matching) > MAX_ITEMS, which, status, start, end, ids[-1] if ids else None)


_BEHIND: Final = (
    "(c.occurred_at, c.id) > (SELECT b.occurred_at, b.id FROM read.conversions AS b WHERE b.id = %(after)s)"
)
_COPIED: Final = (
    *(name for name in EQUAL if name != "status"),
    "attributed",
    "unread",
    "network",
    "import_id",
    "subs",
    "search",
)
