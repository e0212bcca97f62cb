"""Command handlers of websites."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import invalid
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import commands, model, postback_tokens, schemas
from command_api.websites.keys import new_key
from command_api.websites.lookups import require_website_limit
from command_api.websites.schemas import ConnectedWebsite, CreatedKey, Retention
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.websites import (
    KeyKind,
    TrafficConditions,
    WebsiteConnected,
    WebsiteDisconnected,
    WebsiteKeyRevoked,
    WebsiteTransferred,
)
from schemas.http.websites import TrafficRule, Website

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.ConnectWebsite, senders="accounts")
def connect_website(command: commands.ConnectWebsite, uow: UnitOfWork) -> ConnectedWebsite:
    site, secret, postback = (new_key(kind, "Default") for kind in (KeyKind.SITE, KeyKind.SECRET, KeyKind.POSTBACK))
    events = model.connect(
        command.website_id, **command.fields.model_dump(), keys=(site, secret, postback), context=uow.context
    )
    website = model.evolve(None, events[0])
    uow.append(*events)
    postback_tokens.save(uow, command.website_id, postback)
    return ConnectedWebsite.of(website, site_key=site.text, secret_key=secret.text, postback_token=postback.text)


@HANDLERS.on(commands.UpdateWebsite, senders="accounts")
def update_website(command: commands.UpdateWebsite, uow: UnitOfWork) -> Website:
    website = uow.load(command.website_id, model.evolve)
    events = model.update(website, **command.fields.model_dump(), context=uow.context)
    return Website.of(uow.advance(model.evolve, website, events))


@HANDLERS.on(commands.ChangeRetention, senders="accounts")
def change_retention(command: commands.ChangeRetention, uow: UnitOfWork) -> Retention:
    website = uow.load(command.website_id, model.evolve)
    events = model.change_retention(website, command.fields.raw_months, uow.context)
    return Retention.of(uow.advance(model.evolve, website, events))


@HANDLERS.on(commands.ExpireEvents, senders="system")
def expire_events(command: commands.ExpireEvents, uow: UnitOfWork) -> bool:
    website = uow.load(command.website_id, model.evolve)
    events = model.expire_events(website, command.first_day, command.window_days, uow.context)
    uow.append(*events)
    return bool(events)


@HANDLERS.on(commands.DisconnectWebsite, senders="accounts")
def disconnect_website(command: commands.DisconnectWebsite, uow: UnitOfWork) -> None:
    uow.append(*model.disconnect(uow.load(command.website_id, model.evolve), uow.context))
    uow.cursor.execute(
        "UPDATE accounts.website_session SET revoked_at = now() WHERE website_id = %s AND revoked_at IS NULL",
        (command.website_id,),
    )


@HANDLERS.on(commands.IssueKey, senders="accounts")
def issue_key(command: commands.IssueKey, uow: UnitOfWork) -> CreatedKey:
    website, key = uow.load(command.website_id, model.evolve), new_key(command.fields.kind, command.fields.name)
    events = model.issue_key(website, key, allowed_origins=command.fields.allowed_origins, context=uow.context)
    uow.append(*events)
    postback_tokens.save(uow, command.website_id, key)
    issued = events[0]
    return CreatedKey.of(
        key, key=key.text, name=issued.name, allowed_origins=issued.allowed_origins, created_at=uow.context.at
    )


@HANDLERS.on(commands.RevokeKey, senders="accounts")
def revoke_key(command: commands.RevokeKey, uow: UnitOfWork) -> None:
    uow.append(*model.revoke_key(uow.load(command.website_id, model.evolve), command.key_id, uow.context))
    uow.cursor.execute(
        "UPDATE accounts.website_session SET revoked_at = now() WHERE key_id = %s AND revoked_at IS NULL",
        (command.key_id,),
    )


@HANDLERS.on(commands.CreateTrafficRule, senders="accounts")
def create_traffic_rule(command: commands.CreateTrafficRule, uow: UnitOfWork) -> TrafficRule:
    fields = command.fields
    events = model.remark_traffic(
        uow.load(command.website_id, model.evolve),
        command.rule_id,
        **fields.model_dump(include={"since", "until", "mark", "note"}),
        conditions=_conditions(fields),
        context=uow.context,
    )
    uow.append(*events)
    [event] = events
    conditions = event.conditions.model_dump(mode="json", exclude_none=True)
    return TrafficRule.of(event, id=event.rule_id, conditions=conditions, created_at=event.timestamp, is_followed=False)


@HANDLERS.on(commands.UndoTrafficRule, senders="accounts")
def undo_traffic_rule(command: commands.UndoTrafficRule, uow: UnitOfWork) -> None:
    uow.append(*model.undo_remark(uow.load(command.website_id, model.evolve), command.rule_id, uow.context))


@HANDLERS.before(WebsiteKeyRevoked)
def forget_token(event: WebsiteKeyRevoked, uow: UnitOfWork) -> None:
    """Deletes the token of a revoked key, so that it cannot be read any more."""
    postback_tokens.forget(uow, event.originator_id, event.key_id)


@HANDLERS.before(WebsiteDisconnected)
def forget_tokens(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes the tokens of a website that was removed, so that they cannot be read any more."""
    postback_tokens.forget(uow, event.originator_id)


@HANDLERS.after(WebsiteConnected, WebsiteTransferred)
def require_room_for_website(_: DomainEvent, uow: Appended) -> None:
    """Checks the website limit of the sender: the one to whom a website is transferred accepts it."""
    require_website_limit(uow)


@HANDLERS.before(WebsiteTransferred)
def end_sessions(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Ends what was opened with the seller's keys."""
    uow.cursor.execute(
        "UPDATE accounts.website_session SET revoked_at = now() WHERE website_id = %s AND revoked_at IS NULL",
        (event.originator_id,),
    )


@HANDLERS.before(AccountErased)
def disconnect_all(event: AccountErased, uow: UnitOfWork) -> None:
    """Disconnects the account's websites, which also invalidates their keys."""
    owned = "SELECT website_id FROM lookup.website WHERE account_id = %s ORDER BY website_id"
    for (website_id,) in uow.select(owned, event.originator_id):
        uow.append(*model.disconnect(uow.load(website_id, model.evolve), uow.context, owner_erased=True))


def _conditions(fields: schemas.CreateTrafficRule) -> TrafficConditions:
    try:
        return TrafficConditions(**{name: getattr(fields, name) for name in TrafficConditions.model_fields})
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise invalid("bad_condition", f"There are no events with this {name}.", name) from None
