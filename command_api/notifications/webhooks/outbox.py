"""Messages to webhooks: written in the transaction of the alert's event, sent by process manager `webhooks:deliver`.

A message is sent until the address takes it (2xx), at growing intervals over a day; then it has failed. A kill between
the answer and its record sends it a second time, under the same `webhook-id`. An address that does not take several
messages in a row is switched off, one that answers 410 at once. Addresses are called through
`infra.kernel.net.outbound_http`: public ones only, one deadline for the whole call, no redirects. Answers are not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString
from uuid import UUID

import orjson
from prometheus_client import Counter

from command_api.accounts import model as accounts
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.notifications.alerts import mail as alert_mail
from command_api.notifications.alerts import model as alerts
from command_api.notifications.webhooks import commands, model, signature
from command_api.notifications.webhooks.model import DeliveryAttempt, WebhookAggregate
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused
from schemas.events.notifications import AlertOpened, AlertResolved, WebhookFormat
from schemas.uuid7 import uuid7

NAME: Final = "webhooks:deliver"
BATCH_SIZE: Final = 20
DEADLINE_S: Final = 10.0
MAX_ANSWER: Final = 64 * 1024
RETRY_DELAYS: Final = tuple(timedelta(seconds=each) for each in (60, 300, 1_800, 7_200, 21_600, 43_200))
"""Before the second attempt, the third, …; after the last one the message has failed."""
MAX_FAILURES: Final = 5
"""The number of messages that fail in a row until the webhook is switched off."""
TEST: Final = "webhook.test"
_GONE: Final = 410
_SENT: Final = Counter("webhook_attempts_total", "Attempts to send a message to a webhook", ["outcome"])


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A message that is due, and with what it is signed."""

    id: UUID
    webhook: WebhookAggregate
    body: bytes
    secrets: Sequence[str]


def announce(uow: UnitOfWork, website: Website, events: Iterable[AlertOpened | AlertResolved]) -> None:
    """Writes the messages about these events for the webhooks of everybody who may see the website. Called after the
    append."""
    for account_id in alert_mail.recipients(website):
        for webhook_id, format_, website_ids, kinds, resolved in uow.select(_WEBHOOKS, account_id):
            for event in events:
                is_wanted = not website_ids or website.id in website_ids
                is_wanted = is_wanted and (not kinds or str(event.kind) in kinds)
                if is_wanted and (resolved or isinstance(event, AlertOpened)):
                    body = _body(uow, website, event, WebhookFormat(format_))
                    _queue(uow, webhook_id, account_id, event.NAME, body, event)


def send_test(uow: UnitOfWork, webhook: WebhookAggregate) -> UUID:
    """Writes a test message, which is sent at once."""
    text = "This is a test message. Alerts of your websites will arrive here."
    if webhook.target.format is WebhookFormat.SLACK:
        body: dict[str, Any] = {"text": text}
    else:
        body = {"type": TEST, "timestamp": uow.context.at.isoformat(), "data": {"text": text}}
    return _queue(uow, webhook.id, webhook.account_id, TEST, body, None)


def webhook_deliveries(container: Container, outbound: Outbound) -> ProcessManager:
    """Returns the process manager of deliveries; the messages of a batch are sent concurrently."""

    def plan(timeouts: Sequence[Timeout], now: datetime) -> Issue:
        results: dict[UUID, DeliveryAttempt | datetime] = {}
        messages: list[WebhookMessage] = []
        for row in container.select(_DUE, [each.id for each in timeouts]):
            prepared = _prepared(container, row, now)
            if isinstance(prepared, WebhookMessage):
                messages.append(prepared)
            else:
                results[row[0]] = prepared
        results |= asyncio.run(_send_all(outbound, messages, now))

        def issue(timeout: Timeout) -> commands.RecordWebhookAttempt | datetime | None:
            result = results.get(timeout.id)
            return commands.RecordWebhookAttempt(timeout.id, result) if isinstance(result, DeliveryAttempt) else result

        return issue

    return ProcessManager(
        NAME,
        plan,
        BATCH_SIZE,
        ids="SELECT id FROM notifications.webhook_delivery WHERE state = 'waiting'",
        max_delay=timedelta(days=2),
    )


def record(uow: UnitOfWork, delivery_id: UUID, attempt: DeliveryAttempt) -> None:
    """Notes an attempt, plans the next one, and switches off an address that takes nothing."""
    uow.lock()
    rows = uow.select(_WAITING, delivery_id)
    if not rows:
        return
    webhook_id, attempts = rows[0]
    is_last = attempts >= len(RETRY_DELAYS)
    state = "dropped" if attempt.dropped else "delivered" if attempt.is_delivered else "failed"
    is_over = state != "failed" or is_last or attempt.status == _GONE
    due = None if is_over else attempt.at + RETRY_DELAYS[attempts]
    values = (state if is_over else "waiting", attempt.status, attempt.error[:300], attempt.at, due, delivery_id)
    uow.cursor.execute(_NOTE, values)
    uow.set_timeout(NAME, delivery_id, due)
    _SENT.labels(state).inc()
    if state == "delivered":
        uow.cursor.execute(_REACHED, (webhook_id,))
    elif state == "failed" and is_over:
        [(failures,)] = uow.select(_FAILED, webhook_id) or [(0,)]
        webhook = uow.load(webhook_id, model.evolve)
        if webhook is not None and attempt.status == _GONE:
            uow.append(*model.switch_off(webhook, "gone", uow.context))
        elif webhook is not None and failures >= MAX_FAILURES:
            uow.append(*model.switch_off(webhook, "failures", uow.context))


def forget(uow: UnitOfWork, webhook_id: UUID) -> None:
    """Deletes the secret and the messages of a webhook that is removed."""
    for statement in (_END_TIMEOUTS, _DELETE_MESSAGES, _DELETE_KEYS):
        uow.cursor.execute(statement, (webhook_id,))


def _queue(
    uow: UnitOfWork,
    webhook_id: UUID,
    account_id: UUID,
    type_: str,
    body: Mapping[str, Any],
    event: AlertOpened | AlertResolved | None,
) -> UUID:
    delivery_id, at = uuid7(), uow.context.at
    place = (event.website_id, event.originator_id, event.originator_version) if event is not None else (None,) * 3
    due = (alert_mail.quiet_end(uow, account_id, at) if event is not None else None) or at
    uow.cursor.execute(
        _INSERT, (delivery_id, webhook_id, account_id, *place, type_, orjson.dumps(body).decode(), at, due)
    )
    uow.set_timeout(NAME, delivery_id, due)
    return delivery_id


def _body(
    uow: UnitOfWork, website: Website, event: AlertOpened | AlertResolved, format_: WebhookFormat
) -> Mapping[str, Any]:
    alert = uow.load(event.originator_id, alerts.evolve)
    if alert is None:
        raise TypeError("the alert was appended before")
    finding, is_end = alert.finding, isinstance(event, AlertResolved)
    url = f"{uow.settings.app_url}{finding.path}"
    if format_ is WebhookFormat.SLACK:
        line = f"{website.domain}: {'Resolved: ' if is_end else ''}{finding.title}"
        return {"text": f"{_slack(line)}\n<{url}|View details>"}
    return {
        "type": event.NAME,
        "timestamp": event.timestamp.isoformat(),
        "data": {
            "alertId": str(event.originator_id),
            "websiteId": str(website.id),
            "domain": website.domain,
            "kind": str(finding.kind),
            "cause": finding.cause,
            "title": finding.title,
            "text": finding.text,
            "url": url,
        },
    }


def _slack(text: str) -> str:
    """Returns the text without what Slack reads as links, mentions and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _prepared(container: Container, row: tuple[Any, ...], now: datetime) -> WebhookMessage | DeliveryAttempt | datetime:
    """The message, when it may be sent later, or why it is not sent at all."""
    delivery_id, webhook_id, account_id, website_id, type_, body, sealed, previous, previous_until = row
    webhook = container.load(webhook_id, model.evolve)
    if webhook is None or not webhook.is_active:
        return DeliveryAttempt(now, error="The webhook is off.", dropped=True)
    account = container.load(account_id, accounts.evolve)
    if account is None or account.erased or account.disabled:
        return DeliveryAttempt(now, error="The account is closed.", dropped=True)
    website = container.load(website_id, websites.evolve) if website_id is not None else None
    if website_id is not None and (
        website is None or website.disconnected or account_id not in alert_mail.recipients(website)
    ):
        return DeliveryAttempt(now, error="You no longer have access to the website.", dropped=True)
    later = alert_mail.quiet_end(container, account_id, now) if type_ != TEST else None
    if later is not None:
        return later
    valid = signature.valid(sealed, previous, previous_until, now)
    secrets = signature.opened(container.settings, webhook_id, valid)
    return WebhookMessage(delivery_id, webhook, body.encode(), secrets)


async def _send_all(
    outbound: Outbound, messages: Sequence[WebhookMessage], now: datetime
) -> Mapping[UUID, DeliveryAttempt]:
    attempts = await asyncio.gather(*(_send(outbound, message, now) for message in messages))
    return dict(zip((message.id for message in messages), attempts, strict=True))


async def _send(outbound: Outbound, message: WebhookMessage, now: datetime) -> DeliveryAttempt:
    signed = signature.headers(message.secrets, f"msg_{message.id.hex}", int(now.timestamp()), message.body)
    try:
        answer = await outbound.call(
            "POST",
            message.webhook.target.url,
            headers=signed,
            content=message.body,
            deadline_s=DEADLINE_S,
            max_bytes=MAX_ANSWER,
        )
    except (OutboundRefused, OutboundFailed) as error:
        return DeliveryAttempt(now, error=str(error))
    is_taken = 200 <= answer.status < 300
    return DeliveryAttempt(
        now, answer.status, "" if is_taken else f"The address responded with status {answer.status}."
    )


def open_outbound(settings: Settings) -> Outbound:
    """The client for webhooks."""
    return Outbound(Resolvers(settings), also=settings.outbound_networks)


_WEBHOOKS: Final[LiteralString] = (
    "SELECT webhook_id, format, website_ids, kinds, resolved FROM lookup.webhook"
    " WHERE account_id = %s AND is_active ORDER BY webhook_id"
)
_INSERT: Final[LiteralString] = (
    "INSERT INTO notifications.webhook_delivery"
    " (id, webhook_id, account_id, website_id, alert_id, version, type, body, created_at, due_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
_DUE: Final[LiteralString] = (
    "SELECT d.id, d.webhook_id, d.account_id, d.website_id, d.type, d.body, s.sealed, s.previous_sealed,"
    " s.previous_until FROM notifications.webhook_delivery AS d"
    " JOIN notifications.webhook_secret AS s ON s.webhook_id = d.webhook_id"
    " WHERE d.id = ANY(%s) AND d.state = 'waiting'"
)
_WAITING: Final[LiteralString] = (
    "SELECT webhook_id, attempts FROM notifications.webhook_delivery WHERE id = %s AND state = 'waiting'"
)
_NOTE: Final[LiteralString] = (
    "UPDATE notifications.webhook_delivery SET state = %s, status = %s, error = %s, attempted_at = %s,"
    " due_at = coalesce(%s, due_at), attempts = attempts + 1 WHERE id = %s"
)
_REACHED: Final[LiteralString] = "UPDATE notifications.webhook_secret SET failures = 0 WHERE webhook_id = %s"
_FAILED: Final[LiteralString] = (
    "UPDATE notifications.webhook_secret SET failures = failures + 1 WHERE webhook_id = %s RETURNING failures"
)
_END_TIMEOUTS: Final[LiteralString] = (
    "DELETE FROM kernel.timeout WHERE process = 'webhooks:deliver' AND id IN"
    " (SELECT id FROM notifications.webhook_delivery WHERE webhook_id = %s)"
)
_DELETE_MESSAGES: Final[LiteralString] = "DELETE FROM notifications.webhook_delivery WHERE webhook_id = %s"
_DELETE_KEYS: Final[LiteralString] = "DELETE FROM notifications.webhook_secret WHERE webhook_id = %s"
