"""What is told of a website: given what was told before, when a look finds this, then these events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.decision import AnotherKind, Asked
from command_api.insights import model
from command_api.insights.digest import News, next_at, stop_token, stopped_by, written
from command_api.insights.finding import Finding, Subject
from command_api.insights.words import Told, Words
from command_api.websites.model import Website
from infra.settings import Settings
from schemas.events.insights import InsightsDigestChosen
from schemas.insights import digest_id, insights_id, shown
from tests.unit.test_insights_telling import BEFORE, NOW, WEEK, about

AT = datetime(2026, 11, 20, 3, tzinfo=UTC)
WEBSITE = Website(uuid4(), 1, uuid4(), "shop.example", "UTC", "USD", AT)
TOLD = Told(Words("Title", "Content"), "finder")


def look(before: model.Insights | None, *findings: Finding, at: datetime = AT) -> model.Insights:
    names = {Subject("partner", "north"): "North VPN"}
    found = [(finding, TOLD) for finding in findings]
    event = model.generate(before, WEBSITE, NOW.last, found, names, "not_configured", Asked(at))
    assert (event.originator_id, event.website_id, event.account_id) == (
        insights_id(WEBSITE.id),
        WEBSITE.id,
        WEBSITE.account_id,
    )
    return model.evolve(before, event)


def test_a_look_is_told_in_order_with_names_evidence_and_the_dashboards_filters() -> None:
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


def test_what_is_found_again_keeps_its_id_and_since_when_it_is_told_and_the_rest_is_over() -> None:
    first = look(None, WEEK, about("north", "partner"))
    second = look(first, WEEK, at=AT + timedelta(days=1))
    assert second.version == 2
    [week] = second.open
    assert week.since == AT
    assert shown(WEBSITE.id, week).id == shown(WEBSITE.id, first.open[0]).id
    third = look(look(second, at=AT + timedelta(days=2)), WEEK, at=AT + timedelta(days=3))
    assert third.open[0].since == AT + timedelta(days=3)  # it was over in between


def test_a_choice_that_changes_nothing_is_no_event() -> None:
    account, asked = uuid4(), Asked(AT)
    assert model.choose_digest(None, "off", account, asked) == []
    [chosen] = model.choose_digest(None, "weekly", account, asked)
    assert isinstance(chosen, InsightsDigestChosen)
    assert (chosen.originator_id, chosen.every) == (digest_id(account), "weekly")
    state = model.evolve_digest(None, chosen)
    assert model.choose_digest(state, "weekly", account, asked) == []
    [stopped] = model.choose_digest(state, "off", account, asked)
    assert stopped.originator_version == 2
    with pytest.raises(AnotherKind):
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
    mail = written(
        "a@example.com", account, settings, [News("one.example", [insight] * 20), News("two.example", [insight] * 15)]
    )
    assert mail.subject.startswith("35 new insights about your websites")
    assert mail.text.count("- Title") == 30
    assert "one.example" in mail.text and "two.example" in mail.text and "and 5 more" in mail.text
    token = (mail.unsubscribe_url or "").rpartition("/")[2]
    assert token == stop_token(settings, account)
    assert stopped_by(settings, token) == account
    for forged in ("", "x", f"{uuid4().hex}.{token.partition('.')[2]}", f"{account.hex}.", token + "0"):
        assert stopped_by(settings, forged) is None
