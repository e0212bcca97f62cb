"""When alerts open and end, which numbers their rules may have, what counts as a fall, and when hours are quiet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import uuid4

import pytest

from command_api.insights.history import Day, DaysAtAge
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.notifications.alerts import model, rates
from command_api.notifications.alerts import rules as alert_rules
from command_api.notifications.alerts.checks import Check, Watched, run
from command_api.notifications.alerts.delivery import DeliveryChoice, choose
from command_api.notifications.alerts.model import Alert, AlertCause, rule_of
from command_api.notifications.alerts.traffic import _usual
from command_api.websites.model import Website
from schemas.alerts import ALERTS
from schemas.events.notifications import AlertKind, AlertOpened, AlertResolved
from schemas.zones import ZoneInfo
from tests.support.given_when_then import given, rejected

NOW, OWNER = datetime(2026, 11, 26, 12, 0, tzinfo=UTC), uuid4()
SITE = Website(uuid4(), 1, OWNER, "fjordline.example", "Europe/Berlin", "USD", NOW)
CONTEXT = CommandContext(NOW, OWNER)
LINK, OTHER = (AlertCause(AlertKind.LINK_BROKEN, cause, f"{cause} is broken", "", "/links") for cause in ("one", "two"))
States = dict[tuple[AlertKind, str], Alert]


def check(states: States, *found: AlertCause, kinds: Sequence[AlertKind] = (AlertKind.LINK_BROKEN,)) -> list[str]:
    """What a check changes; the states afterwards are in `states`."""
    events = model.decide(states, SITE, kinds, found, CONTEXT)
    for event in events:
        key = event.kind, event.cause
        states[key] = model.evolve(states.get(key), event)
    return [f"{'opened' if isinstance(event, AlertOpened) else 'resolved'} {event.cause}" for event in events]


def test_an_alert_opens_once_stays_open_and_opens_again_only_after_its_end() -> None:
    states: States = {}
    assert check(states, LINK) == ["opened one"]
    assert check(states, LINK) == [] and check(states, LINK, OTHER) == ["opened two"]
    assert check(states, OTHER) == ["resolved one"]
    given(states).when(check, OTHER).then()
    assert check(states, LINK, OTHER) == ["opened one"]
    assert states[LINK.key].version == 3 and states[OTHER.key].version == 1


def test_a_check_ends_only_what_it_looked_for() -> None:
    states: States = {}
    check(states, LINK)
    given(states).when(check, kinds=[AlertKind.NO_EVENTS]).then()
    assert check(states) == ["resolved one"]


def test_an_opening_has_the_same_place_for_two_that_decide_it() -> None:
    [one], [two] = (model.decide({}, SITE, [AlertKind.LINK_BROKEN], [LINK], CONTEXT) for _ in range(2))
    assert (one.originator_id, one.originator_version) == (two.originator_id, two.originator_version)
    assert isinstance(one, AlertOpened) and one.domain == "fjordline.example"


def test_a_finder_that_cannot_know_opens_and_ends_nothing() -> None:
    watched = Watched(SITE, {kind: rule_of(kind) for kind in AlertKind}, {(AlertKind.NO_EVENTS, ""): NOW})
    unknown = Check("check", {AlertKind.NO_EVENTS: lambda _all, _now: None}, lambda _website, now: now)
    assert not run(unknown, [watched], NOW).changes(watched)
    over = Check("check", {AlertKind.NO_EVENTS: lambda _all, _now: []}, lambda _website, now: now)
    assert run(over, [watched], NOW).changes(watched)


def test_what_is_turned_off_is_not_looked_for_and_ends() -> None:
    rules = {kind: rule_of(kind, enabled=False) for kind in AlertKind}
    watched = Watched(SITE, rules, {LINK.key: NOW})
    asked: list[int] = []

    def finder(all_: Sequence[Watched], _now: datetime) -> list[Any]:
        asked.append(len(all_))
        return []

    result = run(Check("check", {AlertKind.LINK_BROKEN: finder}, lambda _website, now: now), [watched], NOW)
    assert asked == [0] and result.changes(watched)


@pytest.mark.parametrize("kind", list(AlertKind))
def test_every_kind_is_on_without_any_set_up(kind: AlertKind) -> None:
    rule, numbers = rule_of(kind), (ALERTS[kind].threshold, ALERTS[kind].minimum)
    assert rule.enabled
    for number, value in zip(numbers, (rule.threshold, rule.minimum), strict=True):
        assert value == (number.default if number else 0)
        assert number is None or number.least <= number.default <= number.most


@pytest.mark.parametrize(
    ("kind", "numbers", "message"),
    [
        (AlertKind.NO_EVENTS, {"threshold": 0}, "Enter 1 to 168 hours."),
        (AlertKind.NO_EVENTS, {"threshold": 169}, "Enter 1 to 168 hours."),
        (AlertKind.POSTBACKS_REJECTED, {"threshold": 100_001}, "Enter 1 to 100,000 postbacks per hour."),
        (AlertKind.EPC_FELL, {"minimum": 49}, "Enter 50 to 1,000,000 clicks."),
        (AlertKind.LINK_BROKEN, {"threshold": 5}, "This alert has no threshold."),
        (AlertKind.NO_EVENTS, {"minimum": 5}, "This alert has no minimum."),
    ],
)
def test_numbers_out_of_bounds_are_refused(kind: AlertKind, numbers: dict[str, int], message: str) -> None:
    with pytest.raises(CommandRejected, match=message) as refused:
        set_rule(kind, threshold=numbers.get("threshold"), minimum=numbers.get("minimum"))
    assert refused.value.kind == "invalid" and refused.value.field in numbers


def test_a_rule_that_is_set_again_or_reset_follows_its_history() -> None:
    [event] = set_rule(AlertKind.NO_EVENTS, threshold=12)
    rule = alert_rules.evolve(None, event)
    assert (rule.threshold, rule.minimum, set_rule(AlertKind.NO_EVENTS, rule, threshold=12)) == (12, None, [])
    again = alert_rules.evolve(rule, alert_rules.reset(rule, CONTEXT))
    assert again.is_default and again.threshold is None
    given(again).when(alert_rules.require_set, SITE, CONTEXT).then(rejected(says="Alert not found"))
    [event] = set_rule(AlertKind.NO_EVENTS, again, threshold=None)
    assert event.originator_version == 3


def test_what_another_person_set_is_unknown() -> None:
    [event] = set_rule(AlertKind.NO_EVENTS, threshold=12)
    eve = replace(CONTEXT, account_id=uuid4())
    given(alert_rules.evolve(None, event)).when(alert_rules.require_set, SITE, eve).then(
        rejected(says="Alert not found")
    )
    given().when(set_rule, AlertKind.NO_EVENTS, context=eve).then(rejected(says="Website not found"))


def set_rule(
    kind: AlertKind,
    rule: alert_rules.RuleSettings | None = None,
    threshold: int | None = None,
    minimum: int | None = None,
    context: CommandContext = CONTEXT,
) -> Sequence[Any]:
    return alert_rules.set_rule(rule, SITE, kind, enabled=True, threshold=threshold, minimum=minimum, context=context)


@pytest.mark.parametrize(
    ("hours", "local", "end"),
    [
        ((22, 7), "2026-11-26 21:59", None),
        ((22, 7), "2026-11-26 22:00", "2026-11-27 07:00"),
        ((22, 7), "2026-11-27 06:59", "2026-11-27 07:00"),
        ((22, 7), "2026-11-27 07:00", None),
        ((12, 14), "2026-11-26 13:00", "2026-11-26 14:00"),
        ((12, 14), "2026-11-26 11:00", None),
        # The clocks of Berlin skip from two to three, and show two o'clock twice in autumn.
        ((22, 2), "2026-03-29 01:30", "2026-03-29 03:00"),
        ((22, 3), "2026-10-25 01:30", "2026-10-25 03:00"),
    ],
)
def test_quiet_hours_end_by_the_clock_of_the_person(hours: tuple[int, int], local: str, end: str | None) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    choice = DeliveryChoice(quiet_from=time(hours[0]), quiet_until=time(hours[1]))
    moment = datetime.fromisoformat(local).replace(tzinfo=berlin).astimezone(UTC)
    found = choice.quiet_end(berlin, moment)
    assert (f"{found.astimezone(berlin):%Y-%m-%d %H:%M}" if found else None) == end


@pytest.mark.parametrize("hours", [(time(22), None), (None, time(7)), (time(22), time(22))])
def test_quiet_hours_have_a_beginning_and_another_end(hours: tuple[time | None, time | None]) -> None:
    given().when(
        choose, None, OWNER, mail=True, mail_resolved=False, quiet_from=hours[0], quiet_until=hours[1], context=CONTEXT
    ).then(rejected(says="uiet hours"))


def days(*, sales: Sequence[int], clicks: int = 300, value: int = 1_000) -> DaysAtAge:
    """Days whose sales are all reported at once."""
    found = [Day(clicks=clicks, conversions=count, revenue=count * value) for count in sales]
    return DaysAtAge(found, found)


STEADY, LIVELY = (12, 14, 11, 13, 15, 9, 10), (14, 12, 13, 15, 12, 11, 9)
LAST = date(2026, 11, 25)


def watched(*open_kinds: AlertKind) -> Watched:
    rules = {kind: rule_of(kind) for kind in AlertKind}
    return Watched(SITE, rules, {(kind, ""): NOW for kind in open_kinds})


def test_a_rate_that_fell_for_a_week_is_reported_with_both_rates_and_its_days() -> None:
    history = days(sales=(*(STEADY + LIVELY) * 2, *STEADY, *(count // 3 for count in STEADY)))
    rate = rates.conversion_rate_fell(watched(), LAST, history)
    epc = rates.epc_fell(watched(), LAST, history)
    assert rate is not None and epc is not None
    assert rate.title == "Conversion rate fell 69% in the last 7 days: 1.24% instead of 4.05%"
    assert rate.text == (
        "In the last 7 days 2,100 clicks led to 26 conversions. On the same weekdays of the 4 weeks before, 8,400"
        " clicks had led to 340 by the same time after."
    )
    assert "from=2026-11-19&to=2026-11-25" in rate.path and f"website={SITE.id}" in rate.path
    assert epc.title == "EPC fell 69% in the last 7 days: 0.12 USD instead of 0.40 USD"


def test_yesterday_alone_is_compared_with_its_own_weekday() -> None:
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=STEADY * 6)) is None
    history = days(sales=(*STEADY * 5, *STEADY[:-1], 0))
    rate = rates.conversion_rate_fell(watched(), LAST, history)
    assert rate is not None and rate.title.startswith("Conversion rate fell 100% yesterday: 0.00% instead of 3.33%")
    assert rates.epc_fell(watched(), LAST, history) is not None


def test_each_window_compares_days_at_its_own_age() -> None:
    """Given half of the sales within a day and all within a week, then a day that stands at half did not fall."""
    full, half = days(sales=STEADY * 6), days(sales=[count // 2 for count in STEADY * 6])
    assert rates.conversion_rate_fell(watched(), LAST, DaysAtAge(half.yesterday, full.week)) is None
    mixed = DaysAtAge([*full.yesterday[:-1], half.yesterday[-1]], full.week)
    assert rates.conversion_rate_fell(watched(AlertKind.CONVERSION_RATE_FELL), LAST, mixed) is not None


def test_weekends_that_are_always_weak_are_no_fall() -> None:
    weekly = (14, 14, 14, 14, 14, 2, 1)
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=weekly * 6)) is None
    assert rates.epc_fell(watched(), LAST, days(sales=weekly * 6)) is None


def test_small_numbers_short_histories_and_chance_raise_nothing() -> None:
    fell = STEADY * 5 + (1,) * 7
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=fell, clicks=20)) is None
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=fell[8:])) is None
    restless = (3, 30, 1, 25, 2, 18, 9, 28, 2, 22, 5, 1, 31, 4) * 2 + (20, 2, 9, 1, 28, 3, 12) + (1, 20, 0, 12, 2, 9, 5)
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=restless)) is None
    assert rates.epc_fell(watched(), LAST, days(sales=restless)) is None


def test_an_open_alert_lasts_as_long_as_the_fall_is_as_large() -> None:
    kind = AlertKind.CONVERSION_RATE_FELL
    restless = (3, 30, 1, 25, 2, 18, 9, 28, 2, 22, 5, 1, 31, 4) * 2 + (20, 2, 9, 1, 28, 3, 12) + (1, 20, 0, 8, 2, 3, 5)
    assert rates.conversion_rate_fell(watched(), LAST, days(sales=restless)) is None
    assert rates.conversion_rate_fell(watched(kind), LAST, days(sales=restless)) is not None


@pytest.mark.parametrize(
    ("weeks", "usual"),
    [
        ([40, 38, 45, 41], 41),
        ([40, 38], 39),
        ([40], None),
        ([40, 0, 45, 41], None),
        ([3, 4, 5, 4], None),
        ([5, 60, 11, 4], None),
    ],
)
def test_silence_is_one_where_the_same_hours_are_never_silent(weeks: list[int], usual: float | None) -> None:
    assert _usual(weeks) == usual


def test_an_end_has_no_other_place_than_its_opening() -> None:
    [opened] = model.decide({}, SITE, [AlertKind.LINK_BROKEN], [LINK], CONTEXT)
    state = model.evolve(None, opened)
    later = replace(CONTEXT, at=NOW + timedelta(hours=1))
    [ended] = model.decide({LINK.key: state}, SITE, [AlertKind.LINK_BROKEN], [], later)
    assert isinstance(ended, AlertResolved) and ended.originator_id == opened.originator_id
    assert (ended.originator_version, model.evolve(state, ended).is_open) == (2, False)
