"""Command handlers of newsletter subscriptions."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.leads import commands, contacts, newsletter
from command_api.leads.mails import LeadMails
from infra.domain.contacts import id_of

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RequestSubscription, senders="system")
def request_subscription(command: commands.RequestSubscription, uow: UnitOfWork) -> None:
    email, source = command.fields.email, command.fields.source
    contact = id_of(uow.settings, "newsletter", email)
    subscription = uow.load(contact, newsletter.evolve)
    if subscription is not None and subscription.state == "confirmed":
        return
    uow.append(*newsletter.request(subscription, subscription_id=contact, source=source, context=uow.context))
    contacts.keep(uow, "newsletter", contact, email, command.fields.name)
    code = contacts.new_link(uow, contact)
    uow.send(LeadMails(uow.settings).confirm_subscription(email, code, contact))


@HANDLERS.on(commands.ConfirmSubscription, senders="system")
def confirm_subscription(command: commands.ConfirmSubscription, uow: UnitOfWork) -> None:
    subscription, contact = uow.load(command.subscription_id, newsletter.evolve), command.subscription_id
    events, kept = newsletter.confirm(subscription, uow.context), contacts.find(uow, contact)
    uow.append(*events)
    contacts.confirmed(uow, contact)
    if events and kept is not None:
        uow.send(LeadMails(uow.settings).subscribed(kept.email, contact))


@HANDLERS.on(commands.EndSubscription, senders="admins")
def end_subscription(command: commands.EndSubscription, uow: UnitOfWork) -> None:
    subscription = uow.load(command.subscription_id, newsletter.evolve)
    if subscription is None:
        raise not_found("subscription")
    uow.append(*newsletter.end(subscription, command.way, uow.context))
    contacts.forget(uow, command.subscription_id)
