"""Command handlers of notification preferences and of what checks of websites found, and what tells owners of acts of
admins; events are handled in `handler`."""

from __future__ import annotations

from typing import Final, LiteralString

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.notifications import admin_acts, commands, model
from command_api.notifications.alerts import mail as alert_mail
from command_api.notifications.alerts import model as alerts
from command_api.notifications.alerts.commands import RecordAlerts
from command_api.notifications.webhooks import outbox as webhook_outbox
from command_api.websites import model as websites
from schemas.alerts import alert_id
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.domains import DomainRemoved
from schemas.events.links import LinkDeleted, LinkUpdated
from schemas.events.notifications import AlertKind
from schemas.events.websites import WebsiteDisconnected
from schemas.http.notifications import NotificationPreference
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS
from schemas.uuid7 import uuid7

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SetPreference, senders="accounts")
def set_preference(command: commands.SetPreference, uow: UnitOfWork) -> NotificationPreference:
    account_id, kind, choice = uow.context.require_account(), command.kind, command.fields
    choices = uow.load(notification_choices_id(account_id), model.evolve)
    uow.append(*model.choose(choices, account_id, kind, choice.in_app, choice.mail, uow.context))
    return NotificationPreference.of(KINDS[kind], kind=kind, in_app=choice.in_app, mail=choice.mail)


@HANDLERS.on(commands.StopDigests, senders="system")
def stop_digests(command: commands.StopDigests, uow: UnitOfWork) -> None:
    choices = uow.load(notification_choices_id(command.account_id), model.evolve)
    uow.append(*model.stop_mail(choices, command.account_id, command.way, uow.context))


@HANDLERS.on(RecordAlerts, senders="system")
def record_alerts(command: RecordAlerts, uow: UnitOfWork) -> int:
    uow.lock()
    website = uow.load(command.website_id, websites.evolve)
    if website is None or website.disconnected:
        return 0
    # A rule may have been turned off while the check ran.
    off = {AlertKind(kind) for (kind,) in uow.select(_OFF, website.id)}
    findings = [finding for finding in command.found if finding.kind not in off]
    ids = {alert for (alert,) in uow.select(_OPEN, website.id, list(command.kinds))}
    ids |= {alert_id(website.id, finding.kind, finding.cause) for finding in findings}
    loaded = [uow.load(each, alerts.evolve) for each in sorted(ids)]
    states = {alert.finding.key: alert for alert in loaded if alert is not None}
    events = alerts.decide(states, website, command.kinds, findings, uow.context)
    alert_mail.announce(uow.append(*events), website, events)
    webhook_outbox.announce(uow, website, events)
    uow.set_timeout(command.check, website.id, command.next_at)
    return len(events)


@HANDLERS.before(WebsiteDisconnected, LinkUpdated, LinkDeleted, DomainRemoved)
def tell_owner(event: DomainEvent, uow: UnitOfWork) -> None:
    """Notifies the owner of an admin's act; what follows from it, as a website's domains do, is part of it."""
    on_behalf = uow.context.on_behalf
    if on_behalf is not None and on_behalf.thing_id == event.originator_id:
        uow.append(*admin_acts.of(event, on_behalf, uuid7(), uow.context))


@HANDLERS.before(AccountErased)
def erase_recipient(event: AccountErased, uow: UnitOfWork) -> None:
    for statement in _ERASE:
        uow.cursor.execute(statement, (event.originator_id,))


_ERASE: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM forum.follower WHERE account_id = %s",
    "DELETE FROM notifications.notification WHERE account_id = %s",
    "DELETE FROM notifications.digest WHERE account_id = %s",
)
_OFF: Final[LiteralString] = "SELECT kind FROM lookup.alert_rule WHERE website_id = %s AND NOT enabled"
_OPEN: Final[LiteralString] = "SELECT alert_id FROM lookup.open_alert WHERE website_id = %s AND kind = ANY(%s)"
