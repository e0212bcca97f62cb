"""Analyzes a business idea: with a language model where its answer is valid, else by the rules alone.

The model gets the idea as data and answers in a strict form; its industry, difficulty and potential are fixed values,
checked again here. Its texts are shown only to the member who wrote the idea; a text with links, addresses, markup or
instructions is replaced by the rules' text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.narrative_validation import is_supported
from command_api.matching.rules import MAX_TEXT_LENGTH, MAX_TEXTS, Analysis, analyze
from infra.domain.program_matching.taxonomy import GENERAL, Difficulty, Potential, taxonomy
from infra.kernel.llm import LanguageModel, LlmRequest, LlmUnavailable
from schemas.events.matching import Method

PURPOSE: Final = "matching"
_INSTRUCTIONS: Final = """
You help an affiliate marketer to understand a business idea. The user message holds the idea, the industries that you
may choose from, and what simple rules made of it. Answer with the key of the one industry that fits best (`general` if
none does), how hard it is to begin in, how well it earns, who the audience is in one plain sentence, three to six short
recommended content strategies and three to six short key success factors, all about this idea, in English. No links, no
addresses, no markup, no names of companies, no promises of income.
"""
_LINKS: Final = re.compile(
    r"://|\bwww\b|[<>@`\\{}\[\]|#~]|\w\.[a-z]{2,}\b|\b(?:javascript|data|mailto):", re.IGNORECASE
)
INSTRUCTION_WORDS: Final = re.compile(
    r"\b(?:ignore|disregard|password|passcode|credit card|api key|system prompt|previous instructions?|wire money"
    r"|bitcoin address|gift cards?|call us|call now|phone|whatsapp|telegram|log ?in|sign ?in|verify your|suspended"
    r"|guarantee\w*|risk free|as an ai|language model|prompt)\b",
    re.IGNORECASE,
)


class IdeaAnswer(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid")
    industry: str = Field(max_length=40)
    target_audience: str = Field(max_length=1_000)
    difficulty_level: Literal["easy", "medium", "hard"]
    monetization_potential: Literal["high", "medium", "low"]
    content_strategy: list[str] = Field(max_length=20)
    key_success_factors: list[str] = Field(max_length=20)


@dataclass(frozen=True, slots=True)
class AnalyzedIdea:
    """`silence`: why the rules are used instead of a model, else empty."""

    analysis: Analysis
    method: Method
    silence: str


def analyze_idea(model: LanguageModel, account_id: UUID, idea: str) -> AnalyzedIdea:
    """Blocks until the model answers or times out. Never raises for a failure of the model."""
    rules = analyze(idea)
    if not model.is_configured:
        return AnalyzedIdea(rules, "rules", model.unavailable_reason)
    question = LlmRequest(
        PURPOSE,
        account_id,
        _INSTRUCTIONS,
        {
            "idea": idea,
            "industries": {key: industry.label for key, industry in taxonomy().items()},
            "rules": {"industry": rules.industry, "target_audience": rules.target_audience},
        },
        IdeaAnswer,
    )
    try:
        return validate_answer(model.complete(question), rules, idea)
    except LlmUnavailable as silent:
        return AnalyzedIdea(rules, "rules", silent.reason)


def validate_answer(answer: IdeaAnswer, rules: Analysis, idea: str) -> AnalyzedIdea:
    """The valid part of the model's analysis; the rules' analysis for an unknown industry or without valid texts."""
    if answer.industry != GENERAL and answer.industry not in taxonomy():
        return AnalyzedIdea(rules, "rules", "not_believed")
    audience = displayable([answer.target_audience], idea)
    strategy = displayable(answer.content_strategy, idea)
    factors = displayable(answer.key_success_factors, idea)
    if not (audience and strategy and factors):
        return AnalyzedIdea(rules, "rules", "not_believed")
    difficulty: Difficulty = answer.difficulty_level
    potential: Potential = answer.monetization_potential
    analysis = replace(
        rules,
        industry=answer.industry,
        target_audience=audience[0],
        difficulty=difficulty,
        monetization=potential,
        content_strategy=strategy,
        success_factors=factors,
    )
    return AnalyzedIdea(analysis, "model", "")


def displayable(texts: Sequence[str], idea: str) -> tuple[str, ...]:
    """The texts that may be shown, each once, at most `MAX_TEXTS`."""
    plain = (" ".join(text.split()) for text in texts)
    return tuple(dict.fromkeys(text for text in plain if _may_be_shown(text, idea)))[:MAX_TEXTS]


def _may_be_shown(text: str, idea: str) -> bool:
    if not 3 <= len(text) <= MAX_TEXT_LENGTH or _LINKS.search(text) or INSTRUCTION_WORDS.search(text):
        return False
    return is_supported(text, idea)  # numbers above all: the model has none


def wording(analysis: Analysis) -> str:
    """The texts of an analysis as they are kept, encrypted: JSON."""
    return json.dumps(
        {
            "target_audience": analysis.target_audience,
            "content_strategy": list(analysis.content_strategy),
            "key_success_factors": list(analysis.success_factors),
        },
        ensure_ascii=False,
    )
