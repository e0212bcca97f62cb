"""The email of a report: what the read side rendered, addressed to the report's person."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts.model import Account
from command_api.analytics.reports.model import ScheduledReport
from infra.domain.reports.contract import Rendered
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Attachment, Mail

KIND: Final = "report"
STOP_PATH: Final = "/api/public/reports/stop/"


def mail_of(
    settings: Settings, account: Account, report: ScheduledReport, rendered: Rendered, mail_id: UUID | None = None
) -> Mail:
    """Returns the email of a report. `mail_id`: of the one email about a period; a preview has none."""
    token = unsubscribe_token(settings, "report", report.id)
    return Mail(
        account.email,
        rendered.subject,
        rendered.text,
        KIND,
        account.id,
        unsubscribe_url=f"{settings.app_url}{STOP_PATH}{token}",
        html=rendered.html,
        attachments=[
            Attachment(file.name, file.media_type, file.content, file.content_id) for file in rendered.attachments
        ],
        id=mail_id,
    )


def stop_page(settings: Settings, report_id: UUID) -> str:
    """The page for people, whose button ends the report: opening it changes nothing."""
    return f"{settings.app_url}/reports/unsubscribe#code={unsubscribe_token(settings, 'report', report_id)}"
