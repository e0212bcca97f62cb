"""Words business ideas with a language model, validated against the niche catalogue.

The model gets the catalogue's words on each niche, but neither the member's answers nor results. Scores, numbers,
estimates and programs come from the generator alone: a text with a number, currency, address, instruction, negation,
praise or company that the catalogue does not have for this niche is discarded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.matching.narration import is_equivalent, plain
from infra.domain.program_ideas.niches import Niche
from infra.domain.program_ideas.wording import IdeaWords, evidence, fingerprint
from infra.kernel.llm import LanguageModel, LlmRequest, LlmUnavailable

PURPOSE: Final = "idea_wording"
MAX_TEXT_LENGTH: Final = 280
MAX_TITLE_LENGTH: Final = 120
MAX_TITLES: Final = 3
_INSTRUCTIONS: Final = """
You word business ideas for an affiliate marketer. The user message holds, for each idea's number, what our catalogue
says about its niche: name, idea, readers, searches and article titles. For each number give `pitch`: one plain sentence
of at most 200 characters on what the website would be, `audience`: one plain sentence of at most 200 characters on who
reads it and why, and `titles`: up to three further article titles that answer a question of these readers, each at most
100 characters, none of them ours. Use only what is given: no other number, amount, company, product or judgement. No
links, no markup, no praise, no promises of income. In English.
"""


class NarratedIdeas(BaseModel):  # noqa: D101 - it would be sent to the language model with the schema
    model_config = ConfigDict(extra="forbid")
    idea: int
    pitch: str = Field(max_length=1_000)
    audience: str = Field(max_length=1_000)
    titles: list[str] = Field(max_length=10)


class IdeasAnswer(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid")
    ideas: list[NarratedIdeas] = Field(max_length=20)


@dataclass(frozen=True, slots=True)
class IdeaNarration:
    """The model's texts by key of the niche. `silence`: why there are none, else empty."""

    words: Mapping[str, IdeaWords]
    silence: str


def narrate(model: LanguageModel, account_id: UUID, ideas: Sequence[Niche], companies: Sequence[str]) -> IdeaNarration:
    """The model's texts; blocks until the model answers or times out. `companies`: names that no text may contain.
    Never raises for a failure of the model."""
    if not ideas:
        return IdeaNarration({}, "")
    question = LlmRequest(PURPOSE, account_id, _INSTRUCTIONS, _data(ideas), IdeasAnswer, max_tokens=3_000)
    try:
        return validate_answer(model.complete(question), ideas, companies)
    except LlmUnavailable as silent:
        return IdeaNarration({}, silent.reason)


def validate_answer(answer: IdeasAnswer, ideas: Sequence[Niche], companies: Sequence[str]) -> IdeaNarration:
    """The valid texts of a model's answer. Pure."""
    words_by_niche: dict[str, IdeaWords] = {}
    for said in answer.ideas:
        if not 1 <= said.idea <= len(ideas) or ideas[said.idea - 1].key in words_by_niche:
            continue
        niche = ideas[said.idea - 1]
        facts = ". ".join(evidence(niche))
        pitch, audience = (
            text if is_equivalent(text, facts, MAX_TEXT_LENGTH, companies) else ""
            for text in map(plain, (said.pitch, said.audience))
        )
        ours = {title.casefold() for title in (*niche.informational, *niche.commercial)}
        titles = {
            title.casefold(): title
            for title in map(plain, said.titles)
            if title.casefold() not in ours and is_equivalent(title, facts, MAX_TITLE_LENGTH, companies)
        }
        words = IdeaWords(fingerprint(niche), pitch, audience, tuple(titles.values())[:MAX_TITLES])
        if words.pitch or words.audience or words.titles:
            words_by_niche[niche.key] = words
    return IdeaNarration(words_by_niche, "" if words_by_niche else "not_believed")


def _data(ideas: Sequence[Niche]) -> Mapping[str, Any]:
    return {
        "ideas": [
            {
                "idea": number,
                "name": niche.name,
                "about": niche.idea,
                "readers": niche.readers,
                "industry": niche.industry.label,
                "searches": list(niche.queries),
                "titles": [*niche.informational, *niche.commercial],
            }
            for number, niche in enumerate(ideas, start=1)
        ]
    }
