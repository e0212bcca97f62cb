"""Reports by email, as their person reads them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import partial
from uuid import uuid4

from schemas.events.accounts import AccountErased
from schemas.events.analytics import (
    ReportFailed,
    ReportInterval,
    ReportParametersChanged,
    ReportPaused,
    ReportRemoved,
    ReportRescheduled,
    ReportRestored,
    ReportResumed,
    ReportSchedule,
    ReportScheduled,
    ReportSent,
)
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)
step = partial(event_at, NOW)
WEEKLY = ReportSchedule(every=ReportInterval.WEEKLY)
WEEK = {"first_day": date(2026, 11, 16), "last_day": date(2026, 11, 22)}


def test_a_report_shows_how_the_last_one_went_and_why_it_is_paused(projecting: ProjectionBench) -> None:
    sent, failed, paused, removed, erased, me, left = (uuid4() for _ in range(7))
    made = {"account_id": me, "website_id": WEBSITE, "view_id": uuid4(), "query_id": None, "schedule": WEEKLY}
    projecting.decide(
        step(sent, 1, ReportScheduled, **made),
        step(sent, 2, ReportFailed, **WEEK, account_id=me, reason="Too slow."),
        step(sent, 3, ReportRescheduled, schedule=WEEKLY.model_copy(update={"hour": 6})),
        step(sent, 4, ReportSent, **WEEK, mail_id=uuid4()),
        step(sent, 5, ReportParametersChanged, parameters={"days": "30"}),
        step(failed, 1, ReportScheduled, **made),
        step(failed, 2, ReportFailed, **WEEK, account_id=me, reason="Too slow."),
        step(failed, 3, ReportRemoved),
        step(failed, 4, ReportRestored),
        step(paused, 1, ReportScheduled, **made),
        step(paused, 2, ReportPaused, reason="paused"),
        step(paused, 3, ReportResumed),
        step(paused, 4, ReportPaused, reason="website"),
        step(removed, 1, ReportScheduled, **made),
        step(removed, 2, ReportRemoved),
        step(erased, 1, ReportScheduled, **{**made, "account_id": left}),
        step(left, 1, AccountErased),
    )
    with projecting.running("reports"):
        projecting.wait("reports")
    shown = projecting.sql(
        "select id, (schedule ->> 'hour')::int, paused, handled, sent_at, failure from read.reports"
        " where removed_at is null"
    )
    assert sorted(shown) == sorted(
        [
            (sent, 6, None, WEEK["last_day"], NOW, None),
            (failed, 8, None, WEEK["last_day"], None, "Too slow."),
            (paused, 8, "website", None, None, None),
        ]
    )
    assert projecting.sql("select parameters from read.reports where id = %s", sent) == [({"days": "30"},)]
    assert (erased,) not in projecting.sql("select id from read.reports")
