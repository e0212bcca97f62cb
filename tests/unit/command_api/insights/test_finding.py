"""The finder names what was planted, in the right direction and size, and is silent where nothing happens."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from random import Random

import pytest

from command_api.insights.changepoint import split
from command_api.insights.finder import find
from command_api.insights.finding import InsightFinding
from command_api.insights.history import Day, DayRange, Dimension, History
from command_api.insights.significance import holm, of_counts, of_sums, spread, two_sided

LAST = date(2026, 11, 19)
WEEKDAYS = (1.2, 1.1, 1.0, 1.0, 1.1, 0.7, 0.6)
Change = Callable[[int, str, Day], Day]
"""What happens to the day so many days from the end (0 is the last), for one partner."""


def same(_: int, __: str, day: Day) -> Day:
    return day


def poisson(random: Random, mean: float) -> int:
    if mean > 50:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, random.random()
    while product > limit:
        count += 1
        product *= random.random()
    return count


def history(seed: int, change: Change = same, days: int = 84, scale: float = 1.0) -> History:
    """A website with three partners and two countries whose counts vary half as much again as Poisson's law says."""
    random = Random(seed)
    partners: dict[str, list[Day]] = {"north": [], "south": [], "tiny": []}
    countries: dict[str, list[Day]] = {"DE": [], "US": []}
    for index in range(days):
        weekday = WEEKDAYS[index % 7]
        for name, mean, rate, each in (("north", 60, 0.05, 900), ("south", 40, 0.05, 1_000), ("tiny", 8, 0.05, 950)):
            clicks = poisson(random, mean * scale * weekday * random.gammavariate(100, 0.01))
            conversions = poisson(random, clicks * rate)
            revenue = sum(round(each * random.uniform(0.5, 1.5)) for _ in range(conversions))
            day = Day(
                clicks=clicks,
                pageviews=clicks * 3,
                conversions=conversions,
                rejected=poisson(random, conversions * 0.05),
                revenue=revenue,
                bot_clicks=poisson(random, clicks * 0.03),
            )
            partners[name].append(change(days - 1 - index, name, day))
        clicks = sum(partners[name][-1].clicks for name in partners)
        german = sum(random.random() < 0.4 for _ in range(clicks))
        countries["DE"].append(Day(clicks=german))
        countries["US"].append(Day(clicks=clicks - german))
    links = {f"{name}-link": [Day(clicks=day.clicks) for day in days_of] for name, days_of in partners.items()}
    by: dict[Dimension, dict[str, list[Day]]] = {"partner": partners, "country": countries, "link": links}
    total = [
        Day(*(sum(getattr(partners[name][index], field) for name in partners) for field in Day.__slots__))
        for index in range(days)
    ]
    return History(LAST, "USD", total, by, {f"{name}-link": name for name in partners})


def keys(findings: list[InsightFinding]) -> set[str]:
    return {finding.key for finding in findings}


def named(findings: list[InsightFinding], key: str) -> InsightFinding:
    return next(finding for finding in findings if finding.key == key)


def scaled(days: range, factor: float, partner: str | None = None) -> Change:
    def change(back: int, name: str, day: Day) -> Day:
        if back not in days or (partner is not None and name != partner):
            return day
        return replace(
            day,
            clicks=round(day.clicks * factor),
            pageviews=round(day.pageviews * factor),
            conversions=round(day.conversions * factor),
            revenue=round(day.revenue * factor),
        )

    return change


def test_where_nothing_happens_nothing_is_found_in_19_of_20_looks() -> None:
    alarms = sum(bool(find(history(seed))) for seed in range(100))
    assert alarms <= 5, f"{alarms} of 100 quiet websites were given a finding"


def test_a_quiet_small_website_is_left_alone() -> None:
    assert sum(bool(find(history(seed, scale=0.05))) for seed in range(60)) <= 3


def test_days_that_resemble_the_day_before_are_no_change() -> None:
    """A good day follows a good one, as people link to what they found: half of it is left on the next day."""

    def told(seed: int) -> list[InsightFinding]:
        random, mood = Random(seed), 0.0
        moods = []
        for _ in range(84):
            mood = 0.5 * mood + math.sqrt(0.75) * random.gauss(0, 1)
            moods.append(math.exp(mood * 0.2))

        def swayed(back: int, _: str, day: Day) -> Day:
            return replace(day, clicks=round(day.clicks * moods[83 - back]))

        return find(history(seed, swayed))

    alarms = sum(any(finding.topic in ("week", "level") for finding in told(seed)) for seed in range(60))
    assert alarms <= 6, f"{alarms} of 60 websites with random variation got a finding"


def at_work(index: int, _: str, day: Day) -> Day:
    """Nobody comes at the weekend."""
    return Day() if index % 7 in (0, 1) else day


def test_a_website_that_always_rests_on_some_days_is_not_called_silent() -> None:
    assert not any(finding.topic == "silence" for seed in range(20) for finding in find(history(seed, at_work)))

    def gone(back: int, name: str, day: Day) -> Day:
        return Day() if back < 4 else at_work(back, name, day)

    silence = named(find(history(3, gone)), "silence:pageviews")
    assert silence.figures["days"] == 4
    assert silence.figures["expected"] == pytest.approx(2 * 324, rel=0.2)  # the two of them that are no weekend


def test_constant_bot_traffic_with_fewer_visitors_is_no_spike() -> None:
    def left(back: int, _: str, day: Day) -> Day:
        robots = replace(day, bot_clicks=8)
        return replace(robots, clicks=round(day.clicks * 0.25), pageviews=0) if back < 7 else robots

    found = keys(find(history(13, left)))
    assert "week:clicks" in found
    assert "bots" not in found
    robots, people = [480, 470, 500, 490], [500, 80, 480, 510]  # the second day is short of people
    days = [Day(pageviews=seen, bot_pageviews=bots) for seen, bots in zip(people, robots, strict=True)]
    assert find(History(date(2015, 5, 20), "USD", days, {})) == []


def test_what_begins_after_weeks_of_nothing_has_no_percentage() -> None:
    def begins(back: int, _: str, day: Day) -> Day:
        return day if back < 7 else replace(day, clicks=0, conversions=0, revenue=0)

    found = named(find(history(14, begins)), "week:clicks")
    assert (found.type, found.figures["usual"], found.figures["change"]) == ("growth", 0, math.inf)


def test_a_week_with_twice_the_clicks_is_growth_of_about_that_size() -> None:
    found = named(find(history(1, scaled(range(7), 2.0))), "week:clicks")
    assert (found.type, found.metric, found.subject) == ("growth", "clicks", None)
    assert found.figures["change"] == pytest.approx(1.0, abs=0.15)
    assert (found.now, found.compared) == (
        DayRange(date(2026, 11, 13), LAST),
        DayRange(date(2026, 10, 16), date(2026, 11, 12)),
    )
    assert 0.95 <= found.confidence <= 0.99


def test_a_week_with_half_the_clicks_is_a_decline() -> None:
    found = named(find(history(2, scaled(range(7), 0.5))), "week:clicks")
    assert found.type == "decline"
    assert found.figures["change"] == pytest.approx(-0.5, abs=0.1)


def test_a_level_that_changed_weeks_ago_is_dated() -> None:
    found = named(find(history(3, scaled(range(30), 1.6))), "level:clicks")
    assert found.type == "growth"
    assert abs((found.now.first - date(2026, 10, 21)).days) <= 2
    assert found.figures["current"] / found.figures["usual"] == pytest.approx(1.6, abs=0.15)


def test_silence_is_a_warning_and_the_weightiest_of_all() -> None:
    first, *_ = find(history(4, scaled(range(2), 0.0)))
    assert (first.key, first.type, first.figures["days"]) == ("silence:pageviews", "warning", 2)


def test_a_partner_whose_links_are_gone_is_a_warning_that_its_links_do_not_repeat() -> None:
    found = find(history(4, scaled(range(3), 0.0, "south")))
    silence = named(found, "silence:partner:south")
    assert (silence.type, silence.metric, silence.figures["days"]) == ("warning", "clicks", 3)
    assert silence.figures["expected"] == pytest.approx(120, abs=40)
    assert "silence:link:south-link" not in keys(found)
    assert not {key for key in keys(found) if key.startswith("share:") and "south" in key}


def test_the_larger_share_of_others_is_no_finding_beside_a_silence() -> None:
    for seed in range(10):
        found = find(history(seed, scaled(range(5), 0.0, "south")))
        assert named(found, "silence:partner:south")
        assert not [finding.key for finding in found if (finding.topic, finding.type) == ("share", "growth")]


def test_one_link_of_a_partner_that_fell_silent_is_named() -> None:
    quiet = history(12)
    north = quiet.by["link"]["north-link"]
    first = [
        Day(clicks=day.clicks // 2 if back >= 4 else 0) for back, day in zip(range(83, -1, -1), north, strict=True)
    ]
    rest = [Day(clicks=day.clicks - other.clicks) for day, other in zip(north, first, strict=True)]
    by = {**quiet.by, "link": {**quiet.by["link"], "north-link": rest, "gone-link": first}}
    found = find(replace(quiet, by=by, partner_of={**quiet.partner_of, "gone-link": "north"}))
    assert named(found, "silence:link:gone-link").figures["days"] == 4
    assert "silence:partner:north" not in keys(found)


def test_a_partner_whose_conversions_stay_away_while_its_clicks_do_not_is_a_warning() -> None:
    def lost(back: int, name: str, day: Day) -> Day:
        return replace(day, conversions=0, revenue=0) if back < 7 and name == "north" else day

    everything = find(history(5, lost))
    assert "rate:all" not in keys(everything)  # it is north that everything lacks
    found = named(everything, "rate:north")
    assert (found.type, found.figures["current"]) == ("warning", 0)
    assert found.figures["expected"] == pytest.approx(20, abs=7)
    assert found.subject is not None and found.subject.value == "north"


def test_a_partner_that_brings_another_part_of_the_clicks_is_named() -> None:
    found = named(find(history(6, scaled(range(7), 3.0, "south"))), "share:partner:south")
    assert (found.type, found.metric) == ("growth", "clicks")
    assert found.figures["share"] > 1.6 * found.figures["usual_share"]


def test_a_partner_that_begins_to_reject_is_a_warning() -> None:
    def rejects(back: int, name: str, day: Day) -> Day:
        if back >= 28 or name != "north":
            return day
        moved = round(day.conversions * 0.4)
        return replace(day, conversions=day.conversions - moved, rejected=day.rejected + moved)

    found = named(find(history(7, rejects)), "rejections:north")
    assert found.type == "warning"
    assert found.figures["share"] > found.figures["usual_share"] + 0.2


def test_a_bot_traffic_spike_is_a_warning() -> None:
    def wave(back: int, _name: str, day: Day) -> Day:
        return replace(day, bot_clicks=day.clicks) if back < 7 else day

    found = named(find(history(8, wave)), "bots")
    assert (found.type, found.topic) == ("warning", "bots")
    assert found.figures["share"] == pytest.approx(0.5, abs=0.05)


def test_a_small_partner_that_earns_far_more_a_click_is_an_opportunity() -> None:
    def rich(_: int, name: str, day: Day) -> Day:
        if name != "tiny":
            return day
        return replace(day, conversions=round(day.clicks * 0.25), revenue=round(day.clicks * 0.25) * 950)

    found = named(find(history(9, rich)), "earnings:tiny")
    assert (found.type, found.metric) == ("opportunity", "revenue")
    assert found.figures["times"] > 3
    assert found.figures["share"] < 0.25


def test_the_same_history_gives_the_same_findings() -> None:
    planted = scaled(range(7), 1.8)
    assert find(history(10, planted)) == find(history(10, planted))


def test_less_than_five_weeks_say_nothing() -> None:
    assert find(history(11, scaled(range(7), 5.0), days=28)) == []
    assert find(history(11, scaled(range(7), 5.0), days=35)) != []


def test_a_day_of_bots_is_found_in_a_history_of_few_days() -> None:
    robots = [486, 857, 472, 515]
    days = [
        Day(pageviews=seen, bot_pageviews=bots) for seen, bots in zip([1146, 2036, 2424, 2063], robots, strict=True)
    ]
    [found] = find(History(date(2015, 5, 20), "USD", days, {}))
    assert (found.key, found.type, found.metric) == ("bots:2015-05-18", "warning", "pageviews")
    assert (found.now, found.compared.last) == (DayRange(date(2015, 5, 18), date(2015, 5, 18)), date(2015, 5, 20))
    assert found.figures["current"] == 857
    even = [Day(pageviews=1000, bot_pageviews=200 + 10 * index) for index in range(4)]
    assert find(History(date(2015, 5, 20), "USD", even, {})) == []
    assert find(History(date(2015, 5, 20), "USD", days[:2], {})) == []


def test_nothing_at_all_is_no_error() -> None:
    nothing = [Day()] * 84
    assert find(History(LAST, "USD", nothing, {})) == []
    assert find(History(LAST, "USD", nothing, {"partner": {"north": nothing}})) == []


def test_students_law_holds_at_its_known_points() -> None:
    assert two_sided(2.0796, 21) == pytest.approx(0.05, abs=1e-5)
    assert two_sided(12.7062, 1) == pytest.approx(0.05, abs=1e-5)
    assert two_sided(0, 5) == 1


def test_a_week_that_happens_on_two_days_varies_as_those_do_and_is_known_by_fewer() -> None:
    one, other = [0, 0, 0, 0, 0, 40, 90], [0, 0, 0, 0, 0, 60, 60]
    around = spread(one + other + one + other)
    assert around.freedom == 6  # 125**2 / (50**2 + 75**2), three weeks
    assert around.phi == pytest.approx((4 * 10**2 + 4 * 15**2) / 3 / 125)
    assert spread([10] * 28).freedom == 21


def test_holm_adjusts_as_published() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_the_tests_are_as_often_wrong_as_they_say() -> None:
    random = Random(20)
    wrong_counts = wrong_sums = wrong_splits = 0
    for _ in range(400):
        days = [poisson(random, 30 * WEEKDAYS[day % 7] * random.gammavariate(10, 0.1)) for day in range(35)]
        wrong_counts += of_counts(sum(days[28:]), sum(days[:28]), 4, spread(days[:28])) < 0.05
        wrong_sums += of_sums(days[28:], days[:28]) < 0.05
    for _ in range(60):
        found = split([poisson(random, 30 * WEEKDAYS[day % 7]) for day in range(84)])
        wrong_splits += found is not None and found.p_value < 0.05
    assert 8 <= wrong_counts <= 40
    assert 8 <= wrong_sums <= 40
    assert wrong_splits <= 8
