"""Insights of a website: given earlier insights, when an analysis finds this, then these events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.insights import model
from command_api.insights.digest import WebsiteInsights, digest_mail, next_at
from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.wording import InsightText, Narrative
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from infra.domain.unsubscribe import unsubscribe_token, verify_unsubscribe_token
from infra.kernel.config.settings import Settings
from schemas.events.insights import InsightsDigestChosen
from schemas.evolution import UnexpectedEvent
from schemas.http.insights import digest_id, insights_id, to_response
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.insights.test_narration import BEFORE, NOW, WEEK, about

AT = datetime(2026, 11, 20, 3, tzinfo=UTC)
WEBSITE = Website(uuid4(), 1, uuid4(), "shop.example", "UTC", "USD", AT)
TOLD = Narrative(InsightText("Title", "Content"), "finder")


def look(before: model.Insights | None, *findings: InsightFinding, at: datetime = AT) -> model.Insights:
    names = {InsightSubject("partner", "north"): "North VPN"}
    found = [(finding, TOLD) for finding in findings]
    event = model.generate(before, WEBSITE, NOW.last, found, names, "not_configured", CommandContext(at))
    assert (event.originator_id, event.website_id, event.account_id) == (
        insights_id(WEBSITE.id),
        WEBSITE.id,
        WEBSITE.account_id,
    )
    return model.evolve(before, event)


def test_an_analysis_has_ordered_insights_with_names_evidence_and_filters() -> None:
    state = look(None, about("north", "partner"), WEEK)
    assert (state.version, state.last_day) == (1, date(2026, 11, 19))
    share, week = state.open
    assert share.about is not None
    assert (share.about.dimension, share.about.value, share.about.name) == ("partner", "north", "North VPN")
    assert share.filters == {"timeRange": "custom", "from": "2026-11-13", "to": "2026-11-19", "partner": "north"}
    assert [(one.label, one.value) for one in week.evidence] == [
        ("Clicks", "2,412"),
        ("Usual in a week", "1,201"),
        ("Change", "+101%"),
    ]
    assert (week.about, week.compared_first_day, week.compared_last_day) == (None, BEFORE.first, BEFORE.last)


def test_a_repeated_finding_keeps_its_id_and_start_and_the_others_end() -> None:
    first = look(None, WEEK, about("north", "partner"))
    second = look(first, WEEK, at=AT + timedelta(days=1))
    assert second.version == 2
    [week] = second.open
    assert week.since == AT
    assert to_response(WEBSITE.id, week).id == to_response(WEBSITE.id, first.open[0]).id
    third = look(look(second, at=AT + timedelta(days=2)), WEEK, at=AT + timedelta(days=3))
    assert third.open[0].since == AT + timedelta(days=3)  # it was over in between


def test_a_dismissed_insight_stays_hidden_until_an_analysis_does_not_find_it() -> None:
    first, context = look(None, WEEK, about("north", "partner")), CommandContext(AT, WEBSITE.account_id)
    week = next(insight for insight in first.open if insight.about is None)
    event = model.dismiss(first, WEBSITE, to_response(WEBSITE.id, week).id, "  A newsletter. ", context)
    assert (event.key, event.reason, event.account_id) == (week.key, "A newsletter.", WEBSITE.account_id)
    dismissed = model.evolve(first, event)
    again = look(dismissed, WEEK, about("north", "partner"))
    assert [insight.key for insight in again.open] == [insight.key for insight in dismissed.open] != []
    gone = look(again)
    assert [insight.key for insight in look(gone, WEEK).open] == [week.key]


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
def test_a_dismissal_needs_an_open_insight_and_a_reason(reason: str) -> None:
    state, context = look(None, WEEK), CommandContext(AT, WEBSITE.account_id)
    given(state).when(model.dismiss, WEBSITE, to_response(WEBSITE.id, state.open[0]).id, reason, context).then(
        rejected(says="reason")
    )
    given(state).when(model.dismiss, WEBSITE, uuid4(), "Known.", context).then(rejected(says="Insight not found"))
    given().when(model.dismiss, None, WEBSITE, uuid4(), "Known.", context).then(rejected(says="Insight not found"))


def test_a_choice_that_changes_nothing_is_no_event() -> None:
    account, context = uuid4(), CommandContext(AT)
    assert model.choose_digest(None, "off", account, context) == []
    [chosen] = model.choose_digest(None, "weekly", account, context)
    assert isinstance(chosen, InsightsDigestChosen)
    assert (chosen.originator_id, chosen.every) == (digest_id(account), "weekly")
    state = model.evolve_digest(None, chosen)
    given(state).when(model.choose_digest, "weekly", account, context).then()
    [stopped] = model.choose_digest(state, "off", account, context)
    assert stopped.originator_version == 2
    with pytest.raises(UnexpectedEvent):
        model.evolve(None, chosen)


def test_mails_come_at_seven_and_weekly_ones_on_mondays() -> None:
    friday = datetime(2026, 11, 20, 7, tzinfo=UTC)
    assert next_at("daily", friday) == datetime(2026, 11, 21, 7, tzinfo=UTC)
    assert next_at("daily", friday - timedelta(hours=1)) == friday
    assert next_at("weekly", friday) == datetime(2026, 11, 23, 7, tzinfo=UTC)
    assert next_at("weekly", datetime(2026, 11, 23, 7, tzinfo=UTC)) == datetime(2026, 11, 30, 7, tzinfo=UTC)


def test_a_mail_tells_at_most_thirty_and_says_how_to_stop() -> None:
    settings, insight = Settings(master_key="ab" * 32), look(None, WEEK).open[0]
    account = uuid4()
    mail = digest_mail(
        "a@example.com",
        account,
        settings,
        [WebsiteInsights("one.example", [insight] * 20), WebsiteInsights("two.example", [insight] * 15)],
    )
    assert mail.subject.startswith("35 new insights about your websites")
    assert mail.text.count("- Title") == 30
    assert "one.example" in mail.text and "two.example" in mail.text and "and 5 more" in mail.text
    token = (mail.unsubscribe_url or "").rpartition("/")[2]
    assert token == unsubscribe_token(settings, "insights_digest", account)
    assert verify_unsubscribe_token(settings, "insights_digest", token) == account
    for forged in ("", "x", f"{uuid4().hex}.{token.partition('.')[2]}", f"{account.hex}.", token + "0"):
        assert verify_unsubscribe_token(settings, "insights_digest", forged) is None
