"""`read.notification_choices`: members' notification preferences. No row: the default."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.notifications import NotificationMailStopped, NotificationPreferenceSet

NOTIFICATION_CHOICES: Final = ReadModel(
    name="notification_choices",
    version=1,
    columns=("account_id uuid", "kind text", "in_app boolean", "mail text not null"),
    key=("account_id", "kind"),
    readers=own_account("account_id"),
)

EVERY_KIND: Final = ""
"""The row that says that all mail was stopped; it holds for kinds that were not chosen since."""


NOTIFICATION_CHOICES.begins(NotificationPreferenceSet)


@NOTIFICATION_CHOICES.on(NotificationMailStopped)
def mail_stopped(rows: Rows, event: NotificationMailStopped) -> None:
    rows.update({"account_id": event.account_id}, mail="off")
    rows.put(account_id=event.account_id, kind=EVERY_KIND, mail="off")
