"""Findings in words, and a model's words that are believed only as far as the evidence goes."""

from __future__ import annotations

import math
from datetime import date

import pytest

from command_api.insights.finding import InsightFinding, InsightSubject, Metric, Topic
from command_api.insights.history import DayRange
from command_api.insights.narrative_validation import validated
from command_api.insights.wording import InsightText, evidence, link_filters, rule_based_text
from schemas.events.insights import InsightType

NOW, BEFORE = DayRange(date(2026, 11, 13), date(2026, 11, 19)), DayRange(date(2026, 10, 16), date(2026, 11, 12))


def finding(
    topic: Topic, kind: InsightType, metric: Metric, subject: InsightSubject | None = None, **figures: float
) -> InsightFinding:
    figures = {"revenue": 0, "usual_revenue": 0, **figures}
    return InsightFinding("key", topic, kind, metric, subject, figures, NOW, BEFORE, 1.0, 0.97)


WEEK = finding("week", "growth", "clicks", current=2_412, usual=1_201.4, change=1.0077)
NORTH = InsightSubject("partner", "north")


def test_a_week_says_what_was_counted_and_what_is_usual() -> None:
    assert rule_based_text(WEEK, "", "USD") == InsightText(
        "Clicks up 101% this week",
        "2,412 clicks from Nov 13 to Nov 19; 1,201 are usual for these weekdays (the four weeks before,"
        " Oct 16 to Nov 12).",
    )


def test_money_is_said_in_its_currency() -> None:
    said = rule_based_text(
        finding("week", "decline", "revenue", current=120_050, usual=240_100, change=-0.5), "", "USD"
    )
    assert said.title == "Revenue down 50% this week"
    assert said.content.startswith("1,200.50 USD from Nov 13")
    yen = rule_based_text(finding("week", "decline", "revenue", current=1_200, usual=2_400, change=-0.5), "", "JPY")
    assert yen.content.startswith("1,200 JPY from")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (finding("level", "growth", "clicks", current=160, usual=100, change=0.6), "About 160 clicks a day"),
        (
            finding("share", "growth", "clicks", NORTH, current=300, usual=100, share=0.3, usual_share=0.1, change=2.0),
            "30% of the clicks",
        ),
        (
            finding("rate", "warning", "conversions", NORTH, current=0, expected=20, clicks=400, share=0, change=-1),
            "400 clicks from Nov 13 to Nov 19 led to no conversion; about 20 are usual",
        ),
        (
            finding(
                "rate",
                "growth",
                "conversions",
                current=40,
                expected=20,
                clicks=400,
                share=0.1,
                usual_share=0.05,
                change=1,
            ),
            "10.00% of 400 clicks",
        ),
        (
            finding(
                *("rate", "warning", "conversions", NORTH),
                current=7,
                expected=23.9,
                clicks=909,
                share=7 / 909,
                usual_share=0.0263,
                change=-0.7,
                revenue=15_575,
                usual_revenue=59_275,
            ),
            "7 conversions; 24 would be usual. Revenue: 155.75 USD; 592.75 USD a week is usual. Check its offer",
        ),
        (
            finding(
                *("value", "decline", "revenue", NORTH),
                conversions=20,
                share=400.0,
                usual_share=1_000.0,
                change=-0.6,
                revenue=8_000,
                usual_revenue=21_000,
            ),
            "4.00 USD for each of 20 conversions from Nov 13 to Nov 19, down from 10.00 USD in the four weeks before.",
        ),
        (finding("silence", "warning", "pageviews", current=0, expected=310, days=2), "about 310 page views are usual"),
        (
            finding("rejections", "warning", "conversions", NORTH, current=40, whole=100, share=0.4, usual_share=0.05),
            "40 of 100 conversions since Nov 13 were rejected (40%)",
        ),
        (finding("bots", "warning", "clicks", current=900, usual=30, share=0.5, usual_share=0.03), "900 clicks"),
        (
            finding(
                "earnings",
                "opportunity",
                "revenue",
                NORTH,
                per_click=240.4,
                others_per_click=45,
                clicks=99,
                share=0.07,
                revenue=23_800,
                times=5.34,
            ),
            "2.40 USD per click",
        ),
    ],
    ids=lambda part: part.topic if isinstance(part, InsightFinding) else "",
)
def test_every_topic_has_its_sentence(found: InsightFinding, said: str) -> None:
    words = rule_based_text(found, "North VPN" if found.subject else "", "USD")
    assert said in words.content
    assert words.title and len(words.title) <= 90
    assert ("North VPN" in words.title) is (found.subject is not None)
    assert validated(words, words, found) == words


OURS = rule_based_text(WEEK, "", "USD")


@pytest.mark.parametrize(
    "content",
    [
        "Your clicks doubled: 2,412 in the last 7 days, where 1,201 were usual.",
        "2412 clicks, 101% more than usual.",
        "Strong growth this week.",
    ],
)
def test_a_models_words_are_taken_when_their_figures_are_ours(content: str) -> None:
    assert validated(InsightText("Clicks doubled", content), OURS, WEEK) == InsightText("Clicks doubled", content)


TOO_MUCH = (
    "Your clicks rose by 340%.",
    "2,413 clicks this week.",
    "Clicks rose by 7%.",
    "It is 100% sure.",
    "You could earn $5,000 more.",
    "Growth of 10.1 %.",
    "See https://evil.example for more.",
    "Visit www.evil.example now.",
    "Write to me@evil.example.",
    "<img src=x> growth",
    "[Click here](javascript:alert(1))",
    "Growth\u202e reversed",
    "2,412k clicks.",
    "2.412 clicks, or 2412 M by another count.",
    "Clicks rose by 1,2k.",
    "2,412% more clicks.",
    "Clicks rose by 101.",
    "13 clicks more than usual.",
    "1.201,4 clicks were usual.",
    "\u0662\u0664\u0661\u0662 clicks.",
    "\uff12\uff14\uff11\uff12 clicks.",
    "Clicks rose by a third.",
    "Growth of one-fifth.",
    "Clicks rose by forty-two.",
    "Two quarters of the clicks are new.",
    "Clicks grew thrice.",
    "Clicks, up −101% in a week.",
    "2,412 conversions this week.",
    "2,412 visitors this week.",
    "Clicks doubled because of your new article.",
    "Clicks doubled after Google changed its ranking: they rose, says Google.",
    "Most clicks came on Monday.",
    "All clicks are new.",
    "There were no clicks.",
    "Clicks doubled this month.",
    "Fewer clicks than usual.",
    "Clicks will double again.",
    "2,412 EUR this week.",
    "1/3 of the clicks are new.",
    "NaN clicks.",
    "x" * 601,
    "",
    "   ",
)


def test_words_that_say_more_than_the_evidence_are_dropped() -> None:
    assert [text for text in TOO_MUCH if validated(InsightText("Clicks doubled", text), OURS, WEEK) is not None] == []


RATE = finding(
    "rate", "growth", "conversions", current=40, expected=20, clicks=400, share=0.1, usual_share=0.05, change=1
)


@pytest.mark.parametrize(
    ("content", "is_believed"),
    [
        ("40 conversions from 400 clicks, where 20 would be usual.", True),
        ("400 conversions from 40 clicks, where 20 would be usual.", False),
        ("10.00% of 400 clicks converted, after 5.00%.", True),
        ("10% of 400 clicks converted.", False),  # as exact as ours, or not at all
        ("40% of the clicks converted.", False),
    ],
)
def test_a_number_counts_what_it_counts_in_our_words(content: str, is_believed: bool) -> None:
    ours = rule_based_text(RATE, "", "USD")
    assert (validated(InsightText("A better week", content), ours, RATE) is not None) is is_believed


def test_a_name_stands_a_few_times_at_most() -> None:
    share = finding("share", "growth", "clicks", NORTH, current=300, usual=100, share=0.3, usual_share=0.1, change=2.0)
    assert validated(InsightText("S1 " * 29, "S1 " * 190), rule_based_text(share, "S1", "USD"), share) is None


def test_nothing_is_no_measure_of_what_came_after_it() -> None:
    first = finding("week", "growth", "clicks", current=510, usual=0, change=math.inf)
    assert rule_based_text(first, "", "USD") == InsightText(
        "The first clicks in five weeks",
        "510 clicks from Nov 13 to Nov 19, after none in the four weeks before, Oct 16 to Nov 12.",
    )
    assert [one.label for one in evidence(first, "USD")] == ["Clicks", "Usual in a week"]
    earned = rule_based_text(finding("week", "growth", "revenue", current=51_000, usual=0, change=math.inf), "", "USD")
    assert earned.content.startswith("510.00 USD from Nov 13 to Nov 19, after none")
    since = finding("level", "growth", "clicks", current=51, usual=0, change=math.inf)
    assert rule_based_text(since, "", "USD") == InsightText(
        "Clicks since Nov 13", "About 51 clicks a day since then, after none before."
    )
    assert len(evidence(since, "USD")) == 2
    assert validated(InsightText("Clicks doubled", "510 clicks."), rule_based_text(first, "", "USD"), first) is None


def test_a_finding_leads_to_the_dashboard_that_shows_it() -> None:
    assert link_filters(WEEK) == {"timeRange": "custom", "from": "2026-11-13", "to": "2026-11-19"}
    lost = finding("rate", "warning", "conversions", NORTH, current=0)
    assert link_filters(lost)["partner"] == "north"
    assert link_filters(finding("bots", "warning", "clicks"))["bots"] == "only"
    page = finding("rate", "decline", "conversions", InsightSubject("page", "/a|b:c"), current=0)
    assert link_filters(page)["filter"] == "page:is:/a\\|b\\:c"
