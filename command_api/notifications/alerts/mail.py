"""Process manager `alerts:mail`: alerts by email, immediately or after the quiet hours; several wait for one email.

A row of `notifications.alert_mail` is written in the transaction of the alert's event and deleted in that of the email:
whatever is killed or runs twice, no alert is mailed twice. Who may no longer see a website when the email is due gets
nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, LiteralString, Protocol
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.decision import Evolve, State
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.notifications.alerts import delivery, model
from command_api.notifications.alerts.delivery import DeliveryChoice
from command_api.notifications.alerts.model import AlertCause
from command_api.notifications.alerts.names import MAILS
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail
from schemas.alerts import alert_delivery_id
from schemas.events.notifications import AlertOpened, AlertResolved
from schemas.zones import ZoneInfo

STOP_PATH: Final = "/api/public/alerts/stop/"
"""Mail programs call it, with a token, to end the emails."""
GATHERED_FOR: Final = timedelta(minutes=1)
MAX_ALERTS: Final = 50
_MAX_SUBJECT: Final = 200


@dataclass(frozen=True, slots=True)
class Told:
    """One alert of an email. `is_end`: it says that the cause is gone; `is_over`: it is gone meanwhile."""

    domain: str
    finding: AlertCause
    is_end: bool
    is_over: bool

    @property
    def line(self) -> str:
        if self.is_end:
            return f"{self.domain}: Resolved: {self.finding.title}"
        return f"{self.domain}: {self.finding.title}{' (resolved since)' if self.is_over else ''}"


def recipients(website: Website) -> Sequence[UUID]:
    """The accounts that may see the website and get its alerts."""
    return (website.account_id,)


def announce(uow: Appended, website: Website, events: Iterable[AlertOpened | AlertResolved]) -> None:
    """Queues emails about these events for the accounts that want them."""
    at = uow.context.at
    for account_id in recipients(website):
        choice = uow.load(alert_delivery_id(account_id), delivery.evolve) or DeliveryChoice()
        rows = [
            (account_id, event.originator_id, event.originator_version, isinstance(event, AlertResolved), at)
            for event in events
            if choice.mail and (choice.mail_resolved or isinstance(event, AlertOpened))
        ]
        if rows:
            uow.cursor.executemany(_QUEUE, rows)
            plan(uow, account_id)


def plan(uow: UnitOfWork, account_id: UUID) -> None:
    """Plans the email about an account's queued alerts: not during its quiet hours, and else never later than planned
    before."""
    rows = uow.select(_FIRST, account_id)
    if not rows or rows[0][0] is None:
        return
    due = max(rows[0][0] + GATHERED_FOR, uow.context.at)
    uow.set_timeout(MAILS, account_id, quiet_end(uow, account_id, due) or due)


class Loads(Protocol):
    """A unit of work, or the container."""

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """The aggregate's state."""


def quiet_end(source: Loads, account_id: UUID, moment: datetime) -> datetime | None:
    """Returns the end of the account's quiet hours that `moment` lies in; none outside of them."""
    choice = source.load(alert_delivery_id(account_id), delivery.evolve)
    account = source.load(account_id, accounts.evolve)
    if choice is None or account is None:
        return None
    return choice.quiet_end(ZoneInfo(account.timezone), moment)


def send(uow: UnitOfWork, account_id: UUID) -> None:
    """Queues one email about all alerts that wait."""
    account = uow.load(account_id, accounts.evolve)
    if account is None or account.erased or account.disabled:
        forget(uow, account_id)
        return
    if (later := quiet_end(uow, account_id, uow.context.at)) is not None:
        uow.set_timeout(MAILS, account_id, later)
        return
    uow.lock()
    choice = uow.load(alert_delivery_id(account_id), delivery.evolve) or DeliveryChoice()
    waiting = uow.select(_TAKE, account_id)
    alerts = [
        one
        for alert_id, is_end in waiting
        if choice.mail and (one := _told(uow, account_id, alert_id, is_end)) is not None
    ]
    uow.set_timeout(MAILS, account_id, None)
    if alerts:
        uow.send(alert_mail(account.email, account_id, uow.settings, alerts))


def forget(uow: UnitOfWork, account_id: UUID) -> None:
    """Deletes queued alert emails of the account."""
    uow.cursor.execute("DELETE FROM notifications.alert_mail WHERE account_id = %s", (account_id,))
    uow.set_timeout(MAILS, account_id, None)


def alert_mail(to: str, account_id: UUID, settings: Settings, told: Sequence[Told]) -> Mail:
    """The email as plain text, because names in it are untrusted."""
    parts = []
    for one in told[:MAX_ALERTS]:
        lines = (one.line, *(() if one.is_end else (one.finding.text,)), f"{settings.app_url}{one.finding.path}")
        parts.append("\n".join(lines) + "\n")
    if len(told) > MAX_ALERTS:
        parts.append(f"and {len(told) - MAX_ALERTS:,} more: {settings.app_url}/notifications\n")
    url = f"{settings.app_url}{STOP_PATH}{unsubscribe_token(settings, 'alerts', account_id)}"
    page = f"{settings.app_url}/account-settings?tab=alerts"
    parts.append(f"Change thresholds and quiet hours, or turn these emails off: {page}\n")
    text = "\n".join(parts)
    return Mail(to, _subject(told), text, "alert", account_id, unsubscribe_url=url)


def _subject(told: Sequence[Told]) -> str:
    if len(told) == 1:
        return told[0].line[:_MAX_SUBJECT]
    domains = list(dict.fromkeys(one.domain for one in told))
    names = ", ".join(domains[:3]) + (f" and {len(domains) - 3} more" if len(domains) > 3 else "")
    return f"{len(told):,} alerts: {names}"[:_MAX_SUBJECT]


def _told(uow: UnitOfWork, account_id: UUID, alert_id: UUID, is_end: bool) -> Told | None:
    alert = uow.load(alert_id, model.evolve)
    website = uow.load(alert.website_id, websites.evolve) if alert is not None else None
    if alert is None or website is None or website.disconnected or account_id not in recipients(website):
        return None
    return Told(website.domain, alert.finding, is_end, not alert.is_open)


_QUEUE: Final = (
    "INSERT INTO notifications.alert_mail (account_id, alert_id, version, is_resolved, queued_at)"
    " VALUES (%s, %s, %s, %s, %s)"
)
_FIRST: Final[LiteralString] = "SELECT min(queued_at) FROM notifications.alert_mail WHERE account_id = %s"
_TAKE: Final[LiteralString] = """
WITH taken AS (DELETE FROM notifications.alert_mail WHERE account_id = %s RETURNING *)
SELECT alert_id, is_resolved FROM (SELECT DISTINCT ON (alert_id) * FROM taken ORDER BY alert_id, version DESC) AS last
ORDER BY queued_at, alert_id"""
"""Selects one line for an alert that opened and ended meanwhile."""
