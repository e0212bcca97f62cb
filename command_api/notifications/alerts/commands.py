"""Commands of alerts."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.notifications.alerts import schemas
from command_api.notifications.alerts.model import AlertCause
from schemas.events.notifications import AlertKind
from schemas.http.notifications import AlertDeliveryState, AlertRule


class SetAlertRule(Command[AlertRule]):
    """Turns a website's alerts of one kind on or off and sets their thresholds."""

    fields: schemas.SetAlertRule


class ChangeAlertRule(Command[AlertRule]):
    """Changes what is set."""

    rule_id: UUID
    fields: schemas.ChangeAlertRule


class ResetAlertRule(Command[None]):
    """Restores the defaults."""

    rule_id: UUID


class ChooseAlertDelivery(Command[AlertDeliveryState]):
    """Chooses how the sender gets alerts outside the app."""

    fields: schemas.AlertDelivery


class StopAlertMail(Command[None]):
    """Ends the alert emails of an account, by the button of a mail program."""

    account_id: UUID


class RecordAlerts(Command[int]):
    """Opens and ends a website's alerts by what a check found; returns how many changed. `kinds`: what it looked for;
    `next_at`: when the check is due again."""

    website_id: UUID
    check: str
    kinds: frozenset[AlertKind]
    found: tuple[AlertCause, ...]
    next_at: datetime


class SendAlertMail(Command[None]):
    """Mails an account the alerts that wait for it, unless its quiet hours last."""

    account_id: UUID
