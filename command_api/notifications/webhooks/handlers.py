"""Command handlers of webhooks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.notifications.webhooks import commands, model, outbox, signature
from command_api.notifications.webhooks.lookups import require_webhook_limit
from command_api.notifications.webhooks.model import Target
from command_api.notifications.webhooks.schemas import WebhookSecret, WebhookTest, WebhookWithSecret
from schemas.events.accounts import AccountErased
from schemas.http.notifications import Webhook

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddWebhook, senders="accounts")
def add_webhook(command: commands.AddWebhook, uow: UnitOfWork) -> WebhookWithSecret:
    fields, account_id = command.fields, uow.context.require_account()
    target = Target(fields.url, fields.format, tuple(fields.website_ids), tuple(fields.kinds), fields.resolved)
    event = model.add(command.webhook_id, _checked(uow, target), uow.context)
    appended = uow.append(event)
    require_webhook_limit(appended)
    signature.save(appended, command.webhook_id, account_id, command.secret)
    return WebhookWithSecret(**_to_response(model.evolve(None, event)), secret=command.secret)


@HANDLERS.on(commands.ChangeWebhook, senders="accounts")
def change_webhook(command: commands.ChangeWebhook, uow: UnitOfWork) -> Webhook:
    webhook, fields = _own(uow, command.webhook_id), command.fields
    changes: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name in Target.__slots__
        if (value := getattr(fields, name)) is not None
    }
    target = _checked(uow, replace(webhook.target, **changes)) if changes else webhook.target
    active = webhook.is_active if fields.active is None else fields.active
    events = model.change(webhook, target, active, uow.context)
    uow.append(*events)
    if active and not webhook.is_active:
        uow.cursor.execute("UPDATE notifications.webhook_secret SET failures = 0 WHERE webhook_id = %s", (webhook.id,))
    return Webhook(**_to_response(state_after(model.evolve, webhook, events)))


@HANDLERS.on(commands.RotateWebhookSecret, senders="accounts")
def rotate_webhook_secret(command: commands.RotateWebhookSecret, uow: UnitOfWork) -> WebhookSecret:
    webhook = _own(uow, command.webhook_id)
    appended = uow.append(model.rotate_secret(webhook, uow.context))
    signature.save(appended, webhook.id, webhook.account_id, command.secret)
    return WebhookSecret(secret=command.secret)


@HANDLERS.on(commands.SendWebhookTest, senders="accounts")
def send_webhook_test(command: commands.SendWebhookTest, uow: UnitOfWork) -> WebhookTest:
    webhook = model.require_active(_own(uow, command.webhook_id))
    return WebhookTest(delivery_id=outbox.send_test(uow, webhook))


@HANDLERS.on(commands.RemoveWebhook, senders="accounts")
def remove_webhook(command: commands.RemoveWebhook, uow: UnitOfWork) -> None:
    webhook = _own(uow, command.webhook_id)
    uow.append(model.remove(webhook, uow.context))
    outbox.forget(uow, webhook.id)


@HANDLERS.on(commands.RecordWebhookAttempt, senders="system")
def record_webhook_attempt(command: commands.RecordWebhookAttempt, uow: UnitOfWork) -> None:
    outbox.record(uow, command.delivery_id, command.attempt)


@HANDLERS.before(AccountErased)
def forget_webhooks(event: AccountErased, uow: UnitOfWork) -> None:
    """Deletes secrets and messages of an erased account's webhooks."""
    for (webhook_id,) in uow.select(_OF_ACCOUNT, event.originator_id):
        outbox.forget(uow, webhook_id)


def _own(uow: UnitOfWork, webhook_id: UUID) -> model.WebhookAggregate:
    return model.require_own(uow.load(webhook_id, model.evolve), uow.context)


def _checked(uow: UnitOfWork, target: Target) -> Target:
    own = {website for (website,) in uow.select(_WEBSITES, uow.context.require_account())}
    return model.checked_target(target, own, uow.settings.outbound_networks)


def _to_response(webhook: model.WebhookAggregate) -> dict[str, Any]:
    target = {name: getattr(webhook.target, name) for name in Target.__slots__}
    return {"id": webhook.id, **target, "active": webhook.is_active}


_WEBSITES: Final[LiteralString] = "SELECT website_id FROM lookup.website WHERE account_id = %s"
_OF_ACCOUNT: Final[LiteralString] = "SELECT webhook_id FROM notifications.webhook_secret WHERE account_id = %s"
