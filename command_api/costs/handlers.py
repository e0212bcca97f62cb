"""Command handlers of costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from command_api.costs import commands, model, schemas
from command_api.costs.model import CostAggregate, EnteredCost
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import invalid
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links import model as links
from command_api.operations.exchange_rates.lookup import rate_on
from command_api.websites import model as websites
from schemas.base import Money
from schemas.currencies import MAX_AMOUNT
from schemas.http.costs import Cost, cost_of

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddCost, senders="accounts")
def add_cost(command: commands.AddCost, uow: UnitOfWork) -> Cost:
    fields = command.fields
    website = websites.require_owned(uow.load(fields.website_id, websites.evolve), uow.context)
    entered = EnteredCost(
        fields.from_, fields.to, _money(fields.amount), _target(fields, website, uow, {}), fields.note or ""
    )
    added = model.add(command.cost_id, website, entered, _rate(entered, website, uow), uow.context)
    uow.append(added)
    return _to_response(model.evolve(None, added))


@HANDLERS.on(commands.ChangeCost, senders="accounts")
def change_cost(command: commands.ChangeCost, uow: UnitOfWork) -> Cost:
    fields, loaded = command.fields, uow.load(command.cost_id, model.evolve)
    website = _website_of(loaded, uow)
    cost = model.require_active(loaded, website, uow.context)
    website, entry = websites.require_owned(website, uow.context), cost.entry
    held = {name: getattr(entry, name) for name in (*model.TEXTS, "link_id")}
    entered = EnteredCost(
        fields.from_ or entry.first,
        fields.to or entry.last,
        _money(fields.amount) if fields.amount is not None else entry.amount,
        _target(fields, website, uow, held),
        (fields.note or "") if "note" in fields.model_fields_set else entry.note,
    )
    is_same = (entered.first, entered.amount) == (entry.first, entry.amount)
    rate = entry.rate if is_same else _rate(entered, website, uow)
    events = model.change(cost, website, entered, rate, uow.context)
    uow.append(*events)
    return _to_response(state_after(model.evolve, cost, events))


@HANDLERS.on(commands.RemoveCost, senders="accounts")
def remove_cost(command: commands.RemoveCost, uow: UnitOfWork) -> None:
    loaded = uow.load(command.cost_id, model.evolve)
    cost = model.require_active(loaded, _website_of(loaded, uow), uow.context)
    uow.append(model.remove(cost, uow.context))


@HANDLERS.on(commands.RestoreCost, senders="accounts")
def restore_cost(command: commands.RestoreCost, uow: UnitOfWork) -> Cost:
    loaded = uow.load(command.cost_id, model.evolve)
    cost = model.require_known(loaded, _website_of(loaded, uow), uow.context)
    uow.append(*model.restore(cost, uow.context))
    return _to_response(cost)


def _website_of(cost: CostAggregate | None, uow: UnitOfWork) -> websites.Website | None:
    return uow.load(cost.website_id, websites.evolve) if cost else None


def _money(amount: schemas.CostAmount) -> Money:
    if abs(amount.amount) > MAX_AMOUNT:
        raise invalid("amount_too_large", f"The amount may be at most {MAX_AMOUNT} minor units.", "amount")
    websites.known_currency(amount.currency)
    return Money(amount=amount.amount, currency=amount.currency)


def _target(
    fields: schemas.CostTarget, website: websites.Website, uow: UnitOfWork, held: Mapping[str, Any]
) -> dict[str, Any]:
    """The traffic: what the body names, else as in `held`."""
    given = fields.model_fields_set
    target: dict[str, Any] = {
        name: (getattr(fields, name) or "") if name in given else held.get(name, "") for name in model.TEXTS
    }
    target["link_id"] = _link(fields.link, website, uow) if "link" in given else held.get("link_id")
    return target


def _link(link_id: UUID | None, website: websites.Website, uow: UnitOfWork) -> UUID | None:
    if link_id is None:
        return None
    link = uow.load(link_id, links.evolve)
    if link is None or link.website_id != website.id:
        raise invalid("unknown_link", "This website has no such link.", "link")
    return link.id


def _rate(entered: EnteredCost, website: websites.Website, uow: UnitOfWork) -> str | None:
    if entered.amount.currency == website.currency:
        return None
    found = rate_on(uow, entered.amount.currency, website.currency, entered.first)
    return found.rate if found else None


def _to_response(cost: CostAggregate) -> Cost:
    return cost_of(cost.id, cost.website_id, cost.entry)
