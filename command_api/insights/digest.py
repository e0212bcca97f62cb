"""Process manager `insights:digest`: mails new insights to accounts that chose it, daily or on Mondays, at seven in the
morning (UTC).

A row of `insights.digest` has the time up to which an account got its insights. It changes in the mail's
transaction, so that no mail and no insight is sent twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.insights import commands, model
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from infra import PRODUCT_NAME
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail
from schemas.events.insights import DigestMail, Insight
from schemas.http.insights import DIGEST_STOP_PATH, digest_id, insights_id

NAME: Final = "insights:digest"
SEND_HOUR: Final = 7
MAX_INSIGHTS: Final = 30

INSIGHT_DIGEST: Final = ProcessManager(
    NAME, issuing(commands.SendDigest), ids="SELECT account_id FROM insights.digest", max_delay=timedelta(days=8)
)


@dataclass(frozen=True, slots=True)
class WebsiteInsights:
    """The new insights of one website, for one mail."""

    domain: str
    insights: Sequence[Insight]


def plan(uow: Appended, account_id: UUID, every: DigestMail) -> None:
    """Sets when the next mail is due, in the transaction of the choice."""
    if every == "off":
        stop(uow, account_id)
    else:
        uow.cursor.execute(_BEGIN, (account_id, uow.context.at))
        uow.set_timeout(NAME, account_id, next_at(every, uow.context.at))


def stop(uow: UnitOfWork, account_id: UUID) -> None:
    """Ends the mails to an account."""
    uow.cursor.execute("DELETE FROM insights.digest WHERE account_id = %s", (account_id,))
    uow.set_timeout(NAME, account_id, None)


def next_at(every: str, now: datetime) -> datetime:
    """The next seven o'clock, or that of the next Monday."""
    at = now.replace(hour=SEND_HOUR, minute=0, second=0, microsecond=0)
    while at <= now or (every == "weekly" and at.weekday() != 0):
        at += timedelta(days=1)
    return at


def send(uow: UnitOfWork, account_id: UUID) -> None:
    """Queues the mail of an account if it is due, and plans the next."""
    now, choice = uow.context.at, uow.load(digest_id(account_id), model.evolve_digest)
    account = uow.load(account_id, accounts.evolve)
    rows = uow.select("SELECT told_until FROM insights.digest WHERE account_id = %s", account_id)
    if account is None or account.erased or choice is None or not rows:
        stop(uow, account_id)
        return
    [(told_until,)] = rows
    since = min(told_until, now)
    if next_at(choice.every, since) > now:
        uow.set_timeout(NAME, account_id, next_at(choice.every, since))
        return
    news = _news(uow, account_id, since) if not account.disabled else []
    # No mail if it was sent, or the account erased, meanwhile.
    if uow.cursor.execute(_TOLD, (now, account_id, told_until)).rowcount == 1:
        uow.set_timeout(NAME, account_id, next_at(choice.every, now))
        if news:
            uow.send(digest_mail(account.email, account_id, uow.settings, news))


def _news(uow: UnitOfWork, account_id: UUID, since: datetime) -> list[WebsiteInsights]:
    news: list[WebsiteInsights] = []
    for (website_id,) in uow.select(_WEBSITES, account_id):
        insights = uow.load(insights_id(website_id), model.evolve)
        fresh = [insight for insight in insights.open if insight.since > since] if insights is not None else []
        website = uow.load(website_id, websites.evolve) if fresh else None
        if website is not None and not website.disconnected:
            news.append(WebsiteInsights(website.domain, fresh))
    return news


def digest_mail(to: str, account_id: UUID, settings: Settings, news: Sequence[WebsiteInsights]) -> Mail:
    """The mail as plain text, because names in it are untrusted."""
    number = sum(len(one.insights) for one in news)
    parts: list[str] = []
    left = MAX_INSIGHTS
    for one in news:
        listed = one.insights[:left]
        left -= len(listed)
        if listed:
            lines = [f"- {insight.title}\n  {insight.content}" for insight in listed]
            parts.append(f"{one.domain}\n\n" + "\n\n".join(lines))
    more = f"\n\nand {number - MAX_INSIGHTS} more" if number > MAX_INSIGHTS else ""
    text = (
        "\n\n\n".join(parts)
        + f"{more}\n\n\nView details: {settings.app_url}/insights\n\nYou get this because you turned on"
        " the email digest of insights. You can turn it off on the same page.\n"
    )
    subject = f"{number} new {'insight' if number == 1 else 'insights'} about your websites: {PRODUCT_NAME}"
    url = f"{settings.app_url}{DIGEST_STOP_PATH}{unsubscribe_token(settings, 'insights_digest', account_id)}"
    return Mail(to, subject, text, "insights_digest", account_id, unsubscribe_url=url)


_BEGIN: Final = (
    "INSERT INTO insights.digest (account_id, told_until) VALUES (%s, %s)"
    " ON CONFLICT (account_id) DO UPDATE SET told_until = excluded.told_until"
)
_TOLD: Final = "UPDATE insights.digest SET told_until = %s WHERE account_id = %s AND told_until = %s"
_WEBSITES: Final = "SELECT website_id FROM lookup.website WHERE account_id = %s ORDER BY website_id"
