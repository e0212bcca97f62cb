"""Command handlers of alerts: their rules, and who gets them."""

from __future__ import annotations

from typing import Final, LiteralString

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import Appended, StateChange, UnitOfWork
from command_api.notifications.alerts import commands, delivery, mail, model, rules
from command_api.notifications.alerts.names import CHECKS, DAILY, FREQUENT, LINKS
from command_api.notifications.alerts.schemas import to_time
from command_api.websites import model as websites
from command_api.websites.model import Website
from schemas.alerts import alert_delivery_id, alert_rule_id
from schemas.events.accounts import AccountErased
from schemas.events.notifications import AlertDeliverySet, AlertKind, AlertRuleSet
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
    fields_set = command.fields.model_fields_set
    fields = command.fields
    return _set(
        uow,
        website,
        rule.kind,
        rule.enabled if fields.enabled is None else fields.enabled,
        fields.threshold if "threshold" in fields_set else rule.threshold,
        fields.minimum if "minimum" in fields_set else rule.minimum,
    )


@HANDLERS.on(commands.ResetAlertRule, senders="accounts")
def reset_alert_rule(command: commands.ResetAlertRule, uow: UnitOfWork) -> None:
    rule, _ = _rule(command, uow)
    uow.append(rules.reset(rule, uow.context))


@HANDLERS.on(commands.ChooseAlertDelivery, senders="accounts")
def choose_alert_delivery(command: commands.ChooseAlertDelivery, uow: UnitOfWork) -> AlertDeliveryState:
    account_id, fields = uow.context.require_account(), command.fields
    current = uow.load(alert_delivery_id(account_id), delivery.evolve)
    events = delivery.choose(
        current,
        account_id,
        mail=fields.mail,
        mail_resolved=fields.mail_resolved,
        quiet_from=to_time(fields.quiet_from),
        quiet_until=to_time(fields.quiet_until),
        context=uow.context,
    )
    uow.append(*events)
    return AlertDeliveryState(**fields.model_dump())


@HANDLERS.on(commands.StopAlertMail, senders="system")
def stop_alert_mail(command: commands.StopAlertMail, uow: UnitOfWork) -> None:
    current = uow.load(alert_delivery_id(command.account_id), delivery.evolve) or delivery.DeliveryChoice()
    uow.append(
        *delivery.choose(
            current,
            command.account_id,
            mail=False,
            mail_resolved=current.mail_resolved,
            quiet_from=current.quiet_from,
            quiet_until=current.quiet_until,
            context=uow.context,
        )
    )


@HANDLERS.on(commands.SendAlertMail, senders="system")
def send_alert_mail(command: commands.SendAlertMail, uow: UnitOfWork) -> None:
    mail.send(uow, command.account_id)


@HANDLERS.after(AlertDeliverySet)
def plan_mail(event: AlertDeliverySet, uow: Appended) -> None:
    """Plans the email about queued alerts again: the quiet hours may have changed."""
    mail.plan(uow, event.account_id)


@HANDLERS.after_change(AlertRuleSet, rules.evolve)
def check_now(change: StateChange[rules.RuleSettings], uow: Appended) -> None:
    rule = change.after
    uow.set_timeout(_CHECK_OF.get(rule.kind, FREQUENT), rule.website_id, uow.context.at)


@HANDLERS.after(WebsiteConnected)
def plan_checks(event: WebsiteConnected, uow: Appended) -> None:
    """Sets when the website is checked first."""
    for check in CHECKS:
        uow.set_timeout(check, event.originator_id, uow.context.at)


@HANDLERS.before(WebsiteDisconnected)
def forget_links(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes the checks of the links of a website that was removed."""
    uow.cursor.execute("DELETE FROM notifications.link_check WHERE website_id = %s", (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def end_alerts(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Ends the seller's alerts and resets rules to the defaults; the buyer gets alerts of what is found next."""
    for (alert,) in uow.select(_ALL_OPEN, event.originator_id):
        state = uow.load(alert, model.evolve)
        if state is not None and state.is_open:
            uow.append(model.resolved(state, event.originator_id, event.from_id, uow.context))
    for (kind,) in uow.select(_RULES, event.originator_id):
        rule = uow.load(alert_rule_id(event.originator_id, AlertKind(kind)), rules.evolve)
        if rule is not None:
            uow.append(rules.reset(rule, uow.context))
    for check in CHECKS:
        uow.set_timeout(check, event.originator_id, uow.context.at)


@HANDLERS.before(AccountErased)
def forget_mails(event: AccountErased, uow: UnitOfWork) -> None:
    """Deletes queued alert emails of the erased account."""
    mail.forget(uow, event.originator_id)


def _set(
    uow: UnitOfWork, website: Website, kind: AlertKind, enabled: bool, threshold: int | None, minimum: int | None
) -> AlertRule:
    rule = uow.load(alert_rule_id(website.id, kind), rules.evolve)
    events = rules.set_rule(
        rule, website, kind, enabled=enabled, threshold=threshold, minimum=minimum, context=uow.context
    )
    uow.append(*events)
    return alert_rule(website.id, kind, alert_rule_id(website.id, kind), enabled, threshold, minimum)


def _rule(
    command: commands.ChangeAlertRule | commands.ResetAlertRule, uow: UnitOfWork
) -> tuple[rules.RuleSettings, Website]:
    """Loads the rule and its website. Raises `CommandRejected` (missing)."""
    rule = uow.load(command.rule_id, rules.evolve)
    website = uow.load(rule.website_id, websites.evolve) if rule is not None else None
    return rules.require_set(rule, website, uow.context)


_RULES: Final[LiteralString] = "SELECT kind FROM lookup.alert_rule WHERE website_id = %s ORDER BY kind"
_ALL_OPEN: Final[LiteralString] = "SELECT alert_id FROM lookup.open_alert WHERE website_id = %s ORDER BY alert_id"
