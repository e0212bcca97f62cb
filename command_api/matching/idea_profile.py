"""A business idea understood: by a model where there is one that can be believed, else by the rules alone.

The model gets the idea as data and answers in a strict form; its industry, difficulty and potential are words of ours,
checked again here. Its texts are shown to the member who wrote the idea and to nobody else; a text that leads away
(links, addresses, markup) or gives orders is left out, and the rules' text stands in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.trust import adds_nothing
from command_api.matching.rules import MOST_TEXT, MOST_TEXTS, Analysis, analyze
from infra.llm import LanguageModel, ModelSilent, Question
from infra.matching.taxonomy import GENERAL, Difficulty, Potential, taxonomy
from schemas.events.matching import Method

PURPOSE: Final = "matching"
_INSTRUCTIONS: Final = """
You help an affiliate marketer to understand a business idea. The user message holds the idea, the industries that you
may choose from, and what simple rules made of it. Answer with the key of the one industry that fits best (`general` if
none does), how hard it is to begin in, how well it earns, who the audience is in one plain sentence, three to six short
recommended content strategies and three to six short key success factors, all about this idea, in English. No links, no
addresses, no markup, no names of companies, no promises of income.
"""
_LEADS_AWAY: Final = re.compile(
    r"://|\bwww\b|[<>@`\\{}\[\]|#~]|\w\.[a-z]{2,}\b|\b(?:javascript|data|mailto):", re.IGNORECASE
)
ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|password|passcode|credit card|api key|system prompt|previous instructions?|wire money"
    r"|bitcoin address|gift cards?|call us|call now|phone|whatsapp|telegram|log ?in|sign ?in|verify your|suspended"
    r"|guarantee\w*|risk free|as an ai|language model|prompt)\b",
    re.IGNORECASE,
)


class Answered(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(extra="forbid")
    industry: str = Field(max_length=40)
    target_audience: str = Field(max_length=1_000)
    difficulty_level: Literal["easy", "medium", "hard"]
    monetization_potential: Literal["high", "medium", "low"]
    content_strategy: list[str] = Field(max_length=20)
    key_success_factors: list[str] = Field(max_length=20)


@dataclass(frozen=True, slots=True)
class Understood:
    """`silence`: why the rules speak instead of a model; empty where a model was heard."""

    analysis: Analysis
    method: Method
    silence: str


def understand(model: LanguageModel, account_id: UUID, idea: str) -> Understood:
    """Blocks for as long as the model may take. Never raises for the model's sake."""
    rules = analyze(idea)
    if not model.is_configured:
        return Understood(rules, "rules", model.why_not)
    question = Question(
        PURPOSE,
        account_id,
        _INSTRUCTIONS,
        {
            "idea": idea,
            "industries": {key: industry.label for key, industry in taxonomy().items()},
            "rules": {"industry": rules.industry, "target_audience": rules.target_audience},
        },
        Answered,
    )
    try:
        return heard(model.ask(question), rules, idea)
    except ModelSilent as silent:
        return Understood(rules, "rules", silent.reason)


def heard(answer: Answered, rules: Analysis, idea: str) -> Understood:
    """The model's analysis as far as it can be believed. An unknown industry, or texts that all lead away: none of
    it."""
    if answer.industry != GENERAL and answer.industry not in taxonomy():
        return Understood(rules, "rules", "not_believed")
    audience = believed([answer.target_audience], idea)
    strategy = believed(answer.content_strategy, idea)
    factors = believed(answer.key_success_factors, idea)
    if not (audience and strategy and factors):
        return Understood(rules, "rules", "not_believed")
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
    return Understood(analysis, "model", "")


def believed(texts: Sequence[str], idea: str) -> tuple[str, ...]:
    """The texts that may be shown, each once, at most `MOST_TEXTS`."""
    plain = (" ".join(text.split()) for text in texts)
    return tuple(dict.fromkeys(text for text in plain if _may_be_shown(text, idea)))[:MOST_TEXTS]


def _may_be_shown(text: str, idea: str) -> bool:
    if not 3 <= len(text) <= MOST_TEXT or _LEADS_AWAY.search(text) or ORDERS.search(text):
        return False
    return adds_nothing(text, idea)  # figures above all: a model knows none


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
