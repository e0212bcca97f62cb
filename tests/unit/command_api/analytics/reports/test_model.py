"""Given a scheduled report, when a time comes or its person changes it, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

from command_api.accounts.model import Account
from command_api.analytics.reports import model
from command_api.analytics.reports.model import ScheduledReport
from command_api.analytics.views import model as views
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext, system_context
from command_api.websites.model import Website
from infra.domain.reports.schedule import ReportPeriod
from schemas.events.accounts import Role
from schemas.events.analytics import (
    ReportFailed,
    ReportInterval,
    ReportPaused,
    ReportRescheduled,
    ReportResumed,
    ReportSchedule,
    ReportSent,
    ViewKind,
    ViewState,
)
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER, SYSTEM = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4()), system_context(NOW)
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
MONDAYS = ReportSchedule(every=ReportInterval.WEEKLY)
WEEK = ReportPeriod(date(2026, 11, 16), date(2026, 11, 22))


def view(website: Website | None = None, kind: ViewKind = ViewKind.VIEW) -> views.ViewAggregate:
    state = ViewState(filters=("page:is:/a",))
    return views.evolve(None, views.save(uuid4(), website, kind=kind, name="A", state=state, context=CONTEXT))


def scheduled() -> ScheduledReport:
    return model.evolve(None, model.schedule_view(uuid4(), SITE, view(), MONDAYS, CONTEXT))


def test_a_report_belongs_to_who_scheduled_it() -> None:
    report = scheduled()
    assert (report.account_id, report.website_id, report.since) == (OWNER, SITE.id, NOW)
    given(report).when(model.require_active, replace(STRANGER, is_admin=True)).then(rejected(says="Report not found"))


def test_only_a_view_of_a_website_that_one_may_see_can_be_scheduled() -> None:
    other = replace(SITE, id=uuid4())
    given().when(model.schedule_view, uuid4(), SITE, view(), MONDAYS, STRANGER).then(rejected(says="Website not found"))
    given().when(model.schedule_view, uuid4(), SITE, view(kind=ViewKind.SEGMENT), MONDAYS, CONTEXT).then(
        rejected(says="segment")
    )
    given().when(model.schedule_view, uuid4(), SITE, view(other), MONDAYS, CONTEXT).then(
        rejected(says="another website")
    )


def test_a_query_can_be_scheduled_by_analysts_alone() -> None:
    member = Account(OWNER, 1, "ada@example.com", "Ada", (Role.MEMBER,))
    given().when(model.schedule_query, uuid4(), member, uuid4(), {}, MONDAYS, CONTEXT).then(
        rejected(says="Query not found")
    )
    analyst = replace(member, roles=(Role.ANALYST,))
    assert model.schedule_query(uuid4(), analyst, uuid4(), {}, MONDAYS, CONTEXT).website_id is None


def test_the_parameters_of_a_query_have_values_that_can_be_changed() -> None:
    analyst = Account(OWNER, 1, "ada@example.com", "Ada", (Role.ANALYST,))
    report = model.evolve(None, model.schedule_query(uuid4(), analyst, uuid4(), {"days": "7"}, MONDAYS, CONTEXT))
    assert report.parameters == {"days": "7"}
    given(report).when(model.change_parameters, {"days": "7"}, CONTEXT).then()
    [changed] = model.change_parameters(report, {"days": "30"}, CONTEXT)
    assert model.evolve(report, changed).parameters == {"days": "30"}
    given(scheduled()).when(model.change_parameters, {"days": "30"}, CONTEXT).then(
        rejected(says="Only a query has parameters")
    )


def test_a_period_is_sent_or_fails_once() -> None:
    report = scheduled()
    [sent] = model.sent(report, WEEK, SYSTEM)
    assert isinstance(sent, ReportSent)
    assert (sent.first_day, sent.last_day, sent.mail_id) == (WEEK.first, WEEK.last, report.mail_id(WEEK))
    report = model.evolve(report, sent)
    given(report).when(model.sent, WEEK, SYSTEM).then()
    given(report).when(model.failed, WEEK, "No", SYSTEM).then()
    [failed] = model.failed(report, ReportPeriod(date(2026, 11, 23), date(2026, 11, 29)), "Too slow\x00.", SYSTEM)
    assert isinstance(failed, ReportFailed)
    assert (failed.reason, failed.account_id) == ("Too slow .", OWNER)


def test_a_paused_report_is_not_sent_and_goes_on_after_it_was_resumed() -> None:
    report = scheduled()
    [paused] = model.pause(report, "website", SYSTEM)
    assert isinstance(paused, ReportPaused)
    report = model.evolve(report, paused)
    given(report).when(model.pause, "paused", CONTEXT).then()
    given(report).when(model.sent, WEEK, SYSTEM).then()
    later = replace(CONTEXT, at=datetime(2026, 11, 24, tzinfo=UTC))
    [resumed] = model.resume(report, later)
    assert isinstance(resumed, ReportResumed)
    report = model.evolve(report, resumed)
    assert (report.is_active, report.since) == (True, later.at)
    given(report).when(model.resume, later).then()


def test_another_time_holds_from_the_moment_of_the_change() -> None:
    report = scheduled()
    given(report).when(model.reschedule, MONDAYS, CONTEXT).then()
    [changed] = model.reschedule(report, MONDAYS.model_copy(update={"hour": 6}), CONTEXT)
    assert isinstance(changed, ReportRescheduled)
    assert model.evolve(report, changed).schedule.hour == 6


def test_a_deleted_report_can_be_restored_by_its_person_alone() -> None:
    report = scheduled()
    report = model.evolve(report, model.remove(report, CONTEXT))
    assert not report.is_active
    given(report).when(model.require_active, CONTEXT).then(rejected(says="Report not found"))
    given(report).when(model.require_own, STRANGER).then(rejected(says="Report not found"))
    assert state_after(model.evolve, report, model.restore(report, CONTEXT)).is_active
