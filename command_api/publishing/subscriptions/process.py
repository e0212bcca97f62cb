"""Process manager of newsletter forms: ingest stores a form with its timeout, and this turns it into a subscription.

Limits are consumed here, where all sites are known: an address gets few emails that other people request, however
many sites they use for it. A form above the limit of its site, or of the account that has it, waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.rate_limits import Limit, try_consume_all
from command_api.kernel.timeouts import Timeout
from command_api.leads.contacts import mailbox_of
from command_api.publishing.subscriptions.commands import HandleForm
from infra.domain.contacts import decrypt_field
from infra.domain.publishing.serving import NEWSLETTER_FORMS

PER_MAILBOX: Final = Limit("site-form-mail", timedelta(minutes=10), 2)
PER_MAILBOX_A_DAY: Final = Limit("site-form-mails", timedelta(days=1), 4)
"""Emails that confirm a subscription to a site, per mailbox, whatever the site."""
PER_SITE: Final = Limit("site-forms", timedelta(seconds=20), 300)
PER_ACCOUNT: Final = Limit("account-forms", timedelta(seconds=10), 600)
"""The limit of all sites of an account: nobody gets a larger share of the installation's email by more sites."""
WAIT: Final = timedelta(minutes=10)
_FORM: Final = (
    "SELECT f.site_id, s.account_id, f.email_sealed FROM publishing.sent_form AS f"
    " LEFT JOIN lookup.site AS s ON s.site_id = f.site_id WHERE f.id = %s AND f.email_sealed IS NOT NULL"
)
_WAITING: Final = "SELECT id FROM publishing.sent_form WHERE email_sealed IS NOT NULL"


def newsletter_forms(container: Container) -> ProcessManager:
    """The process manager `NEWSLETTER_FORMS`."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        def issue(timeout: Timeout) -> Command[Any] | datetime | None:
            rows = container.select(_FORM, timeout.id)
            if not rows:
                return None
            [(site_id, account_id, email_sealed)] = rows
            if account_id is None:  # the site was removed
                return HandleForm(timeout.id, may_mail=False)
            if not try_consume_all(container.pool, (PER_SITE, str(site_id)), (PER_ACCOUNT, str(account_id))):
                return now + WAIT
            email = decrypt_field(container.settings, timeout.id, "email", email_sealed)
            mailbox = mailbox_of(container.settings, email)
            may_mail = try_consume_all(container.pool, (PER_MAILBOX, mailbox), (PER_MAILBOX_A_DAY, mailbox))
            return HandleForm(timeout.id, may_mail)

        return issue

    return ProcessManager(NEWSLETTER_FORMS, plan, ids=_WAITING)
