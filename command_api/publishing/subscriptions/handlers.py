"""Command handlers of subscriptions to sites."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.leads import contacts
from command_api.publishing import releases, sites
from command_api.publishing.subscriptions import commands, model
from command_api.publishing.subscriptions.mails import SubscriptionMails
from infra.domain.contacts import decrypt_field, site_contact_id
from infra.domain.publishing.document import parse_site
from infra.domain.publishing.serving import site_path
from schemas.events.publishing import SiteRemoved

HANDLERS: Final = CommandHandlers()
_FORM: Final = "SELECT site_id, email_sealed, page, block FROM publishing.sent_form WHERE id = %s"
_HANDLED: Final = "UPDATE publishing.sent_form SET email_sealed = NULL WHERE id = %s"
_COUNT: Final = "SELECT count(*) FROM leads.contact WHERE site_id = %s"


@HANDLERS.on(commands.HandleForm, senders="system")
def handle_form(command: commands.HandleForm, uow: UnitOfWork) -> None:
    uow.lock()  # the site stays as it is, and what is counted stays true, until the commit
    rows = uow.select(_FORM, command.form_id)
    if not rows or rows[0][1] is None:
        return
    [(site_id, email_sealed, page, block)] = rows
    site = uow.load(site_id, sites.evolve)
    if site is not None and site.published is not None and command.may_mail:
        _request(uow, site, decrypt_field(uow.settings, command.form_id, "email", email_sealed), page, block)
    uow.cursor.execute(_HANDLED, (command.form_id,))


@HANDLERS.on(commands.ConfirmSiteSubscription, senders="system")
def confirm_subscription(command: commands.ConfirmSiteSubscription, uow: UnitOfWork) -> None:
    uow.lock()  # a site that is removed meanwhile takes its list along
    contact = command.subscription_id
    subscription, kept = uow.load(contact, model.evolve), contacts.find(uow, contact)
    events = model.confirm(subscription, uow.context)
    site = uow.load(subscription.site_id, sites.evolve) if subscription is not None else None
    if site is None or site.removed or kept is None:
        raise model.link_invalid()
    uow.append(*events)
    contacts.confirmed(uow, contact)
    if events:
        uow.send(_mails(uow, site).subscribed(kept.email, contact))


@HANDLERS.on(commands.EndSiteSubscription, senders="system")
def end_subscription(command: commands.EndSiteSubscription, uow: UnitOfWork) -> None:
    uow.append(*model.end(uow.load(command.subscription_id, model.evolve), command.way, uow.context))
    contacts.forget(uow, command.subscription_id)


@HANDLERS.on(commands.RemoveSubscriber, senders="accounts")
def remove_subscriber(command: commands.RemoveSubscriber, uow: UnitOfWork) -> None:
    site = sites.require_own(uow.load(command.site_id, sites.evolve), uow.context)
    subscription = model.require_of(uow.load(command.subscription_id, model.evolve), site)
    uow.append(*model.end(subscription, "account", uow.context))
    contacts.forget(uow, subscription.id)


@HANDLERS.before(SiteRemoved)
def forget_subscribers(event: SiteRemoved, uow: UnitOfWork) -> None:
    """Deletes the list with the site, so also with its account. Its links then lead nowhere."""
    site = (event.originator_id,)
    uow.cursor.execute(_FORGET_LINKS, site)
    uow.cursor.execute("DELETE FROM leads.contact WHERE site_id = %s", site)
    uow.cursor.execute("DELETE FROM publishing.sent_form WHERE site_id = %s", site)


def _request(uow: UnitOfWork, site: sites.Site, email: str, page: str, block: str) -> None:
    contact = site_contact_id(uow.settings, site.id, email)
    subscription = uow.load(contact, model.evolve)
    if subscription is not None and subscription.state == "confirmed":
        return
    [(count,)] = uow.select(_COUNT, site.id)
    if count >= model.MAX_SUBSCRIBERS and contacts.find(uow, contact) is None:
        return
    uow.append(*model.request(subscription, site, subscription_id=contact, page=page, block=block, context=uow.context))
    contacts.keep(uow, "site_newsletter", contact, email, None, site_id=site.id, account_id=site.account_id)
    code = contacts.new_link(uow, contact)
    uow.send(_mails(uow, site).confirm(email, code, contact))


def _mails(uow: UnitOfWork, site: sites.Site) -> SubscriptionMails:
    host = releases.host_of(site, uow)
    address = f"https://{host}/" if host else uow.settings.tracking_base_url + site_path(site.slug)
    return SubscriptionMails(uow.settings, parse_site(site.document.encode()).name, address)


_FORGET_LINKS: Final = (
    "DELETE FROM leads.contact_link WHERE contact_id IN (SELECT id FROM leads.contact WHERE site_id = %s)"
)
