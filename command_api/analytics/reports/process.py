"""Process manager `analytics:reports`: sends each report once for each of its periods.

The email is rendered before the command's transaction. The transaction ends the timeout, appends the event of the
period and queues the email, or does nothing: whatever is killed or runs twice, a period has one email.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from command_api.accounts import model as accounts
from command_api.analytics.reports import commands, model
from command_api.analytics.reports.handlers import NAME, zone_of
from command_api.analytics.reports.lookups import ACTIVE_REPORTS
from command_api.analytics.reports.renderer import ReportRefused, ReportRenderer, ReportsUnavailable, ReportUnreadable
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.websites import model as websites

BATCH_SIZE: Final = 5
"""Each may take as long as a query."""
MAX_DELAY: Final = timedelta(days=64)


def scheduled_reports(container: Container, renderer: ReportRenderer) -> ProcessManager:
    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        def issue(timeout: Timeout) -> Command[Any] | datetime | None:
            report = container.load(timeout.id, model.evolve)
            if report is None or not report.is_active:
                return None
            account = container.load(report.account_id, accounts.evolve)
            if account is None or not account.may_sign_in:
                return commands.PauseReport(report.id, "account")
            website = container.load(report.website_id, websites.evolve) if report.website_id else None
            if report.website_id and not _may_see(website, account):
                return commands.PauseReport(report.id, "website")
            if report.query_id and not model.may_query(account):
                return commands.PauseReport(report.id, "query")
            zone = zone_of(account, website)
            period = report.due(zone, now)
            if period is None:
                return report.next_time(zone, now)
            try:
                return commands.SendReport(report.id, period, renderer.render(report, period))
            except ReportRefused as refusal:
                return commands.PauseReport(report.id, refusal.reason)
            except ReportUnreadable as failure:
                return commands.FailReport(report.id, period, failure.message)

        return issue

    return ProcessManager(
        NAME, plan, BATCH_SIZE, unavailable=(ReportsUnavailable,), ids=ACTIVE_REPORTS, max_delay=MAX_DELAY
    )


def _may_see(website: websites.Website | None, account: accounts.Account) -> bool:
    return website is not None and not website.disconnected and website.account_id == account.id
