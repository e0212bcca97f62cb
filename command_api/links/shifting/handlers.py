"""Command handlers of weights that follow results."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.reader import AggregateReader
from command_api.kernel.unit_of_work import Appended, StateChange, UnitOfWork
from command_api.links import model as links
from command_api.links.model import LinkAggregate
from command_api.links.shifting import commands, model
from command_api.links.shifting.schemas import to_response
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.events.links import LinkCreated, Shifting
from schemas.http.links import SplitShifting

HANDLERS: Final = CommandHandlers()
NAME: Final = "link-shifts"
MAX_SHIFTING: Final = 200
"""Splits of a website whose weights follow results."""
_FROM: Final = time(4)
_SPREAD_S: Final = 3_600
_DAY: Final = timedelta(days=1)


@HANDLERS.on(commands.SetShifting, senders="accounts")
def set_shifting(command: commands.SetShifting, uow: UnitOfWork) -> SplitShifting:
    link = require_found(uow.load(command.link_id, links.evolve), "link")
    wanted = Shifting(is_on=command.is_on, min_share=command.min_share, max_step=command.max_step)
    website = uow.load(link.website_id, websites.evolve)
    return to_response(uow.advance(links.evolve, link, model.set_shifting(link, website, wanted, uow.context)).shifting)


@HANDLERS.on(commands.ShiftWeights, senders="system")
def shift_weights(command: commands.ShiftWeights, uow: UnitOfWork) -> None:
    """Decides by the link as it is now, and sets when it is looked at next."""
    link = uow.load(command.link_id, links.evolve)
    if link is None or not model.is_watched(link):
        return
    uow.append(*model.shift_weights(link, command.figures, live_variants(link, uow), command.day, uow.context))
    uow.set_timeout(NAME, link.id, next_look(link.id, uow.context.at))


@HANDLERS.on(commands.UndoShift, senders="accounts")
def undo_shift(command: commands.UndoShift, uow: UnitOfWork) -> SplitShifting:
    link = require_found(uow.load(command.link_id, links.evolve), "link")
    website = uow.load(link.website_id, websites.evolve)
    undone = uow.event(link.id, command.version)
    events = model.undo(link, website, undone, is_on=command.is_on, context=uow.context)
    return to_response(uow.advance(links.evolve, link, events).shifting)


@HANDLERS.after_change(LinkCreated, links.evolve)
def plan_look(change: StateChange[LinkAggregate], uow: Appended) -> None:
    """Looks at once when the shifting begins or goes on, and no more when it ends. Raises `CommandRejected` for too
    many that shift."""
    if change.after.shifting.is_on and not (change.before is not None and change.before.shifting.is_on):
        _require_limit(uow, change.after.website_id)
    was_watched = change.before is not None and model.is_watched(change.before)
    if was_watched != model.is_watched(change.after):
        uow.set_timeout(NAME, change.after.id, None if was_watched else uow.context.at)


def live_variants(link: LinkAggregate, source: AggregateReader) -> set[int]:
    """Numbers of the variants that get traffic: those of partners that are active."""
    found = set[int]()
    for variant in link.routing.variants:
        partner = source.load(variant.partner_id or link.partner_id, partners.evolve)
        if partner is not None and partner.is_active and not partner.removed:
            found.add(variant.number)
    return found


def next_look(link_id: UUID, now: datetime) -> datetime:
    """When a split is looked at next: in the hour after four (UTC), each link at a time of its own."""
    begins = datetime.combine(now.date(), _FROM, now.tzinfo) + timedelta(seconds=link_id.int % _SPREAD_S)
    return begins if begins > now else begins + _DAY


def _require_limit(uow: Appended, website_id: UUID) -> None:
    """Raises `CommandRejected` when too many splits of the website shift."""
    if uow.select(
        "SELECT 1 FROM lookup.shifting_link WHERE website_id = %s OFFSET %s LIMIT 1", website_id, MAX_SHIFTING
    ):
        raise conflict("too_many_shifting", f"At most {MAX_SHIFTING} links of a website can shift their weights.")
