"""Command handlers of insights."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from uuid import UUID

from command_api.insights import commands, digest, model, schedule
from command_api.insights.schemas import Generated
from command_api.insights.service import AnalysisRun
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from command_api.websites.model import Website
from schemas.events.accounts import AccountErased
from schemas.events.insights import DigestMail, Insight, InsightsDigestChosen
from schemas.events.websites import WebsiteConnected
from schemas.http.insights import digest_id, insights_id, to_response

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RecordAnalysis, senders="accounts")
def record_analysis(command: commands.RecordAnalysis, uow: UnitOfWork) -> Generated:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    context = replace(uow.context, at=command.ended_at)
    insights = _record(command.analysis, website, uow, context)
    return Generated(
        insights=[to_response(website.id, each) for each in insights],
        added=sum(each.since == context.at for each in insights),
        too_little_data=command.analysis.is_young,
        silence=command.analysis.silence,
    )


@HANDLERS.on(commands.RecordDailyAnalysis, senders="system")
def record_daily_analysis(command: commands.RecordDailyAnalysis, uow: UnitOfWork) -> bool:
    uow.lock()
    website = uow.load(command.website_id, websites.evolve)
    if website is None or website.disconnected:
        return False
    is_first = uow.cursor.execute(_MARK_ANALYZED, (website.id, command.due_day)).rowcount == 1
    if is_first:
        _record(command.analysis, website, uow, uow.context)
    schedule.plan_next(uow, website.id, website.timezone)
    return is_first


@HANDLERS.on(commands.DismissInsight, senders="accounts")
def dismiss_insight(command: commands.DismissInsight, uow: UnitOfWork) -> None:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    current = uow.load(insights_id(website.id), model.evolve)
    uow.append(model.dismiss(current, website, command.insight_id, command.reason, uow.context))


@HANDLERS.on(commands.ChooseDigest, senders="accounts")
def choose_digest(command: commands.ChooseDigest, uow: UnitOfWork) -> None:
    _choose_digest(uow.context.require_account(), command.every, uow)


@HANDLERS.on(commands.StopDigest, senders="system")
def stop_digest(command: commands.StopDigest, uow: UnitOfWork) -> None:
    _choose_digest(command.account_id, "off", uow)


@HANDLERS.on(commands.SendDigest, senders="system")
def send_digest(command: commands.SendDigest, uow: UnitOfWork) -> None:
    digest.send(uow, command.account_id)


@HANDLERS.after(WebsiteConnected)
def plan_analysis(event: WebsiteConnected, uow: Appended) -> None:
    """Sets the time of the website's first daily analysis."""
    schedule.plan_next(uow, event.originator_id, event.timezone)


@HANDLERS.after(InsightsDigestChosen)
def plan_digest(event: InsightsDigestChosen, uow: Appended) -> None:
    digest.plan(uow, event.account_id, event.every)


@HANDLERS.before(AccountErased)
def erase_digest(event: AccountErased, uow: UnitOfWork) -> None:
    uow.cursor.execute("DELETE FROM insights.digest WHERE account_id = %s", (event.originator_id,))


def _record(analysis: AnalysisRun, website: Website, uow: UnitOfWork, context: CommandContext) -> tuple[Insight, ...]:
    """Appends the event of an analysis, none when there are no insights, neither before nor now; returns its
    insights."""
    current = uow.load(insights_id(website.id), model.evolve)
    if not analysis.found and (current is None or not (current.open or current.dismissed)):
        return ()
    event = model.generate(
        current, website, analysis.last_day, analysis.found, analysis.names, analysis.silence, context
    )
    uow.append(event)
    return event.insights


def _choose_digest(account_id: UUID, every: DigestMail, uow: UnitOfWork) -> None:
    current = uow.load(digest_id(account_id), model.evolve_digest)
    uow.append(*model.choose_digest(current, every, account_id, uow.context))


_MARK_ANALYZED: Final = (
    "INSERT INTO insights.daily_analysis AS d (website_id, day) VALUES (%s, %s)"
    " ON CONFLICT (website_id) DO UPDATE SET day = excluded.day WHERE d.day < excluded.day"
)
