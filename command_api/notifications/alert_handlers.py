"""Command handlers of alerts: their rules, what a check found, and who gets it."""

from __future__ import annotations

from typing import Final, LiteralString

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.notifications import alert_delivery, alert_mail, alert_rules, alerts, commands, webhook_outbox
from command_api.notifications.alert_names import CHECKS, DAILY, FREQUENT, LINKS
from command_api.notifications.alert_schemas import to_time
from command_api.websites import model as websites
from command_api.websites.model import Website
from schemas.alerts import alert_delivery_id, alert_id, alert_rule_id
from schemas.events.accounts import AccountErased
from schemas.events.notifications import AlertKind
from schemas.events.websites import WebsiteConnected, WebsiteDisconnected, WebsiteTransferred
from schemas.http.notifications import AlertDeliveryState, AlertRule, alert_rule

HANDLERS: Final = CommandHandlers()
_CHECK_OF: Final = {
    AlertKind.CONVERSION_RATE_FELL: DAILY,
    AlertKind.EPC_FELL: DAILY,
    AlertKind.MONTH_CLOSED: DAILY,
    AlertKind.LINK_BROKEN: LINKS,
}
"""The others are of the frequent check."""


@HANDLERS.on(commands.SetAlertRule, senders="accounts")
def set_alert_rule(command: commands.SetAlertRule, uow: UnitOfWork) -> AlertRule:
    fields = command.fields
    website = websites.require_owned(uow.load(fields.website_id, websites.evolve), uow.context)
    return _set(uow, website, fields.kind, fields.enabled, fields.threshold, fields.minimum)


@HANDLERS.on(commands.ChangeAlertRule, senders="accounts")
def change_alert_rule(command: commands.ChangeAlertRule, uow: UnitOfWork) -> AlertRule:
    rule, website = _rule(command, uow)
    given = command.fields.model_fields_set
    fields = command.fields
    return _set(
        uow,
        website,
        rule.kind,
        rule.enabled if fields.enabled is None else fields.enabled,
        fields.threshold if "threshold" in given else rule.threshold,
        fields.minimum if "minimum" in given else rule.minimum,
    )


@HANDLERS.on(commands.ResetAlertRule, senders="accounts")
def reset_alert_rule(command: commands.ResetAlertRule, uow: UnitOfWork) -> None:
    rule, website = _rule(command, uow)
    uow.append(alert_rules.reset(rule, uow.context))
    _check_now(uow, website, rule.kind)


@HANDLERS.on(commands.ChooseAlertDelivery, senders="accounts")
def choose_alert_delivery(command: commands.ChooseAlertDelivery, uow: UnitOfWork) -> AlertDeliveryState:
    account_id, fields = uow.context.require_account(), command.fields
    before = uow.load(alert_delivery_id(account_id), alert_delivery.evolve)
    events = alert_delivery.choose(
        before,
        account_id,
        mail=fields.mail,
        mail_resolved=fields.mail_resolved,
        quiet_from=to_time(fields.quiet_from),
        quiet_until=to_time(fields.quiet_until),
        context=uow.context,
    )
    uow.append(*events)
    if events:
        alert_mail.plan(uow, account_id)
    return AlertDeliveryState(**fields.model_dump())


@HANDLERS.on(commands.StopAlertMail, senders="system")
def stop_alert_mail(command: commands.StopAlertMail, uow: UnitOfWork) -> None:
    before = uow.load(alert_delivery_id(command.account_id), alert_delivery.evolve) or alert_delivery.AlertDelivery()
    uow.append(
        *alert_delivery.choose(
            before,
            command.account_id,
            mail=False,
            mail_resolved=before.mail_resolved,
            quiet_from=before.quiet_from,
            quiet_until=before.quiet_until,
            context=uow.context,
        )
    )


@HANDLERS.on(commands.RecordAlerts, senders="system")
def record_alerts(command: commands.RecordAlerts, uow: UnitOfWork) -> int:
    uow.lock()
    website = uow.load(command.website_id, websites.evolve)
    if website is None or website.disconnected:
        return 0
    # A rule may have been turned off while the check ran.
    off = {AlertKind(kind) for (kind,) in uow.select(_OFF, website.id)}
    found = [finding for finding in command.found if finding.kind not in off]
    ids = {alert for (alert,) in uow.select(_OPEN, website.id, list(command.kinds))}
    ids |= {alert_id(website.id, finding.kind, finding.cause) for finding in found}
    loaded = [uow.load(each, alerts.evolve) for each in sorted(ids)]
    states = {alert.finding.key: alert for alert in loaded if alert is not None}
    events = alerts.decide(states, website, command.kinds, found, uow.context)
    uow.append(*events)
    alert_mail.announce(uow, website, events)
    webhook_outbox.announce(uow, website, events)
    uow.set_timeout(command.check, website.id, command.next_at)
    return len(events)


@HANDLERS.on(commands.SendAlertMail, senders="system")
def send_alert_mail(command: commands.SendAlertMail, uow: UnitOfWork) -> None:
    alert_mail.send(uow, command.account_id)


@HANDLERS.before(WebsiteConnected)
def plan_checks(event: WebsiteConnected, uow: UnitOfWork) -> None:
    """Sets when the website is checked first."""
    for check in CHECKS:
        uow.set_timeout(check, event.originator_id, uow.context.at)


@HANDLERS.before(WebsiteDisconnected)
def forget_links(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Nothing is known of the links of a website that was removed."""
    uow.cursor.execute("DELETE FROM notifications.link_check WHERE website_id = %s", (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def end_alerts(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """The seller's alerts end and rules are the defaults again; the buyer gets alerts of what is found next."""
    for (alert,) in uow.select(_ALL_OPEN, event.originator_id):
        found = uow.load(alert, alerts.evolve)
        if found is not None and found.is_open:
            uow.append(alerts.resolved(found, event.originator_id, event.from_id, uow.context))
    for (kind,) in uow.select(_RULES, event.originator_id):
        rule = uow.load(alert_rule_id(event.originator_id, AlertKind(kind)), alert_rules.evolve)
        if rule is not None:
            uow.append(alert_rules.reset(rule, uow.context))
    for check in CHECKS:
        uow.set_timeout(check, event.originator_id, uow.context.at)


@HANDLERS.before(AccountErased)
def forget_mails(event: AccountErased, uow: UnitOfWork) -> None:
    """Nobody gets what waited."""
    alert_mail.forget(uow, event.originator_id)


def _set(
    uow: UnitOfWork, website: Website, kind: AlertKind, enabled: bool, threshold: int | None, minimum: int | None
) -> AlertRule:
    rule = uow.load(alert_rule_id(website.id, kind), alert_rules.evolve)
    events = alert_rules.set_rule(
        rule, website, kind, enabled=enabled, threshold=threshold, minimum=minimum, context=uow.context
    )
    uow.append(*events)
    if events:
        _check_now(uow, website, kind)
    return alert_rule(website.id, kind, alert_rule_id(website.id, kind), enabled, threshold, minimum)


def _rule(
    command: commands.ChangeAlertRule | commands.ResetAlertRule, uow: UnitOfWork
) -> tuple[alert_rules.AlertRule, Website]:
    """What is set, and its website. Raises `CommandRejected` (missing)."""
    rule = uow.load(command.rule_id, alert_rules.evolve)
    website = uow.load(rule.website_id, websites.evolve) if rule is not None else None
    return alert_rules.require_set(rule, website, uow.context)


def _check_now(uow: UnitOfWork, website: Website, kind: AlertKind) -> None:
    uow.set_timeout(_CHECK_OF.get(kind, FREQUENT), website.id, uow.context.at)


_OFF: Final[LiteralString] = "SELECT kind FROM lookup.alert_rule WHERE website_id = %s AND NOT enabled"
_ALL_OPEN: Final[LiteralString] = "SELECT alert_id FROM lookup.open_alert WHERE website_id = %s ORDER BY alert_id"
_RULES: Final[LiteralString] = "SELECT kind FROM lookup.alert_rule WHERE website_id = %s ORDER BY kind"
_OPEN: Final[LiteralString] = "SELECT alert_id FROM lookup.open_alert WHERE website_id = %s AND kind = ANY(%s)"
