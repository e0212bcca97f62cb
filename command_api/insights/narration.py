"""Narrates findings: with a language model's text and order where it passes validation, else with rule-based text.

No untrusted text reaches the model. Subjects (a partner, a source from a visitor's URL) are masked as S1, S2 and so on,
and replaced by their names afterwards, so that a name cannot inject a prompt. Each text is validated against the
rule-based text (`narrative_validation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.narrative_validation import validated
from command_api.insights.wording import InsightText, Narrative, rule_based_text
from infra.kernel.llm import LanguageModel, LlmRequest, LlmUnavailable

PURPOSE: Final = "insights"
_INSTRUCTIONS: Final = """
You word findings about a website's affiliate marketing figures for its owner. For each finding you get its number, its
type and our own title and content. Give every finding's number once, the most important finding first, with a title of
at most 90 characters and one or two plain sentences as content, in English. Say only what our words say: use no other
number, date, amount, name or cause. Write figures exactly as they stand. S1, S2 and so on are names: keep them as they
are. No links, no markup, no advice beyond ours.
"""


class InsightWording(BaseModel):  # noqa: D101 - it would be sent to the language model with the schema
    model_config = ConfigDict(extra="forbid")
    number: int
    title: str = Field(max_length=400)
    content: str = Field(max_length=2_000)


class Wordings(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid")
    insights: list[InsightWording] = Field(max_length=50)


@dataclass(frozen=True, slots=True)
class Narration:
    """`found`: in display order. `silence`: why no model text is used; none when it is."""

    found: Sequence[tuple[InsightFinding, Narrative]]
    silence: str | None


def narrate(
    model: LanguageModel,
    account_id: UUID,
    findings: Sequence[InsightFinding],
    names: Mapping[InsightSubject, str],
    currency: str,
) -> Narration:
    """Blocks until the model answers or times out. `names`: of subjects. Never raises for a failure of the model."""
    if not findings:
        return Narration([], None)
    question = LlmRequest(
        PURPOSE,
        account_id,
        _INSTRUCTIONS,
        {
            "findings": [
                {"number": number, "type": finding.type, "title": ours.title, "content": ours.content}
                for number, (finding, ours) in enumerate(_masked(findings, currency), start=1)
            ]
        },
        Wordings,
        max_tokens=2_500,
    )
    try:
        return validate_answer(model.complete(question), findings, names, currency)
    except LlmUnavailable as silent:
        return Narration([(finding, _rule_based(finding, names, currency)) for finding in findings], silent.reason)


def validate_answer(
    answer: Wordings, findings: Sequence[InsightFinding], names: Mapping[InsightSubject, str], currency: str
) -> Narration:
    """The narratives after a model's answer: its valid texts, in its order."""
    masked = list(_masked(findings, currency))
    narratives: dict[int, Narrative] = {}
    for wording in answer.insights:
        index = wording.number - 1
        if not 0 <= index < len(masked) or index in narratives:
            continue
        finding, ours = masked[index]
        words = validated(InsightText(wording.title, wording.content), ours, finding)
        narratives[index] = (
            Narrative(_named(words, finding, names, index), "model") if words else _rule_based(finding, names, currency)
        )
    for index, finding in enumerate(findings):
        narratives.setdefault(index, _rule_based(finding, names, currency))
    believed = any(one.by == "model" for one in narratives.values())
    return Narration(
        [(findings[index], one) for index, one in narratives.items()], None if believed else "not_believed"
    )


def _masked(findings: Sequence[InsightFinding], currency: str) -> list[tuple[InsightFinding, InsightText]]:
    return [
        (finding, rule_based_text(finding, _placeholder(index) if finding.subject else "", currency))
        for index, finding in enumerate(findings)
    ]


def _placeholder(index: int) -> str:
    return f"S{index + 1}"


def _named(words: InsightText, finding: InsightFinding, names: Mapping[InsightSubject, str], index: int) -> InsightText:
    if finding.subject is None:
        return words
    name = names[finding.subject]
    mask = _placeholder(index)
    return InsightText(words.title.replace(mask, name), words.content.replace(mask, name))


def _rule_based(finding: InsightFinding, names: Mapping[InsightSubject, str], currency: str) -> Narrative:
    return Narrative(rule_based_text(finding, names[finding.subject] if finding.subject else "", currency), "finder")
