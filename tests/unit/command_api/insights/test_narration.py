"""Strangers' text never reaches the model, and a model that says more than the evidence is not believed."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, cast
from uuid import uuid4

import pytest

from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.history import DayRange, Dimension
from command_api.insights.narration import InsightWording, Wordings, narrate, validate_answer
from command_api.insights.narrative_validation import validated
from command_api.insights.service import shown_name
from command_api.insights.wording import InsightText, rule_based_text
from infra.kernel.llm import LanguageModel, LlmRequest, LlmUnavailable
from tests.support.prompt_injections import INJECTIONS

NOW, BEFORE = DayRange(date(2026, 11, 13), date(2026, 11, 19)), DayRange(date(2026, 10, 16), date(2026, 11, 12))
WEEK = InsightFinding(
    "week:clicks",
    "week",
    "growth",
    "clicks",
    None,
    {"current": 2_412, "usual": 1_201.4, "change": 1.0077},
    NOW,
    BEFORE,
    1.0,
    0.97,
)


def about(value: str, dimension: Dimension = "source") -> InsightFinding:
    figures = {
        "current": 300.0,
        "usual": 100.0,
        "share": 0.3,
        "usual_share": 0.1,
        "change": 2.0,
        "revenue": 0,
        "usual_revenue": 0,
    }
    subject = InsightSubject(dimension, value)
    return InsightFinding(f"share:{value}", "share", "growth", "clicks", subject, figures, NOW, BEFORE, 1.0, 0.9)


X = InsightSubject("source", "x")


def named(finding: InsightFinding) -> InsightSubject:
    assert finding.subject is not None
    return finding.subject


class Model:
    """Answers as told, and keeps what it was asked."""

    def __init__(self, *answers: tuple[int, str, str], silent: LlmUnavailable | None = None) -> None:
        self.answers, self.silent = answers, silent
        self.questions: list[LlmRequest[Wordings]] = []

    def complete(self, question: LlmRequest[Wordings]) -> Wordings:
        self.questions.append(question)
        if self.silent is not None:
            raise self.silent
        return Wordings(
            insights=[InsightWording(number=n, title=title, content=text) for n, title, text in self.answers]
        )


def telling(model: Model, findings: list[InsightFinding], names: dict[InsightSubject, str]) -> Any:
    return narrate(cast(LanguageModel, model), uuid4(), findings, names, "USD")


def test_fifty_texts_planted_in_names_and_sources_never_reach_the_model() -> None:
    assert len(INJECTIONS) == 50
    dimensions: tuple[Dimension, ...] = ("partner", "source", "link")
    for index, (planted, _, _) in enumerate(INJECTIONS):
        model = Model()
        finding = about(f"value {index}", dimensions[index % 3])
        telling(model, [WEEK, finding], {named(finding): planted})
        [question] = model.questions
        sent = json.dumps(question.data, ensure_ascii=False) + question.instructions
        assert planted not in sent
        assert f"value {index}" not in sent
        assert "S2 brings more of your clicks" in sent


@pytest.mark.parametrize(("planted", "title", "content"), INJECTIONS, ids=[str(n) for n in range(len(INJECTIONS))])
def test_a_model_that_obeys_one_anyway_is_not_believed(planted: str, title: str, content: str) -> None:
    for finding, mask in ((WEEK, ""), (about("x"), "S1")):
        assert validated(InsightText(title, content), rule_based_text(finding, mask, "USD"), finding) is None
    told = telling(Model((1, title, content)), [about("x")], {X: planted})
    assert [(words.by, words.words.title) for _, words in told.found] == [
        ("finder", f"{planted} brings more of your clicks")
    ]
    assert told.silence == "not_believed"


def test_words_with_our_figures_are_taken_and_names_put_back() -> None:
    model = Model(
        (2, "S2 stands out", "S2 brought 30% of the clicks, after 10%."), (1, "A strong week", "2412 clicks.")
    )
    told = telling(model, [WEEK, about("x")], {X: "North & Co"})
    assert [(finding.key, words.by, words.words) for finding, words in told.found] == [
        ("share:x", "model", InsightText("North & Co stands out", "North & Co brought 30% of the clicks, after 10%.")),
        ("week:clicks", "model", InsightText("A strong week", "2412 clicks.")),
    ]
    assert told.silence is None


def test_findings_that_a_model_omits_repeats_or_invents_have_rule_based_text() -> None:
    answer = Wordings(
        insights=[
            InsightWording(number=7, title="Invented", content="More."),
            InsightWording(number=1, title="A strong week", content="2,412 clicks."),
            InsightWording(number=1, title="Again", content="2,412 clicks."),
            InsightWording(number=0, title="Zero", content="None."),
        ]
    )
    told = validate_answer(answer, [about("x"), WEEK], {X: "North"}, "USD")
    assert [(finding.key, words.by) for finding, words in told.found] == [
        ("share:x", "finder"),
        ("week:clicks", "finder"),
    ]
    told = validate_answer(answer, [WEEK, about("x")], {X: "North"}, "USD")
    assert [(finding.key, words.by) for finding, words in told.found] == [
        ("week:clicks", "model"),
        ("share:x", "finder"),
    ]


def test_without_a_model_the_text_is_rule_based_and_the_reason_is_returned() -> None:
    told = telling(Model(silent=LlmUnavailable("not_configured")), [WEEK], {})
    assert [(words.by, words.words) for _, words in told.found] == [("finder", rule_based_text(WEEK, "", "USD"))]
    assert told.silence == "not_configured"


def test_where_nothing_was_found_no_model_is_asked() -> None:
    model = Model()
    assert telling(model, [], {}) == telling(model, [], {})
    assert model.questions == []


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Clicks doubled", "2,412 clicks, where 1,201 are usual."),
        ("Clicks are up 101%", "They rose to 2,412 from 13 November to 19 November."),
        ("Clicks are up 101%", "They rose to 2,412 from Nov 13 to November 19."),
        ("A week of growth", "Twice the usual clicks: 2,412 \u2013 not 1,201."),
    ],
)
def test_plain_words_with_the_right_direction_are_believed(title: str, content: str) -> None:
    assert validated(InsightText(title, content), rule_based_text(WEEK, "", "USD"), WEEK) == InsightText(title, content)


def test_values_of_two_dimensions_that_are_written_alike_have_names_of_their_own() -> None:
    findings = [about("(none)"), about("(none)", "country")]
    names = {named(findings[0]): "direct visits", named(findings[1]): "an unknown country"}
    told = telling(Model(silent=LlmUnavailable("not_configured")), findings, names)
    assert [words.words.title for _, words in told.found] == [
        "direct visits brings more of your clicks",
        "an unknown country brings more of your clicks",
    ]


def test_the_number_of_a_placeholder_is_no_figure() -> None:
    ours = rule_based_text(about("x"), "S1", "USD")
    assert validated(InsightText("S1 stands out", "S1 brought 1% of the clicks."), ours, about("x")) is None


def test_strangers_names_are_one_short_printable_line() -> None:
    assert shown_name("Nor\u202eth\n\tVPN") == "Nor th VPN"
    assert shown_name("x" * 200) == "x" * 59 + "…"
