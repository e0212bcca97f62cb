"""Words the advantages and disadvantages of programs with a language model, validated against rule-based sentences.

The model gets the idea, the directory's facts and the rule-based sentences, but none of the member's own metrics. A
sentence of the model is used only if it adds no number, currency, address or instruction (`narrative_validation`), no
negation, no other judgement and no other company. Otherwise the rule-based sentence is kept, and so is the note that
terms are unchecked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.narrative_validation import found_by, is_supported
from command_api.matching.profile import INSTRUCTION_WORDS
from infra.domain.program_matching.scoring import TO_BE_CHECKED, Match, cons, evidence, pros
from infra.domain.program_matching.taxonomy import label_of
from infra.domain.program_matching.wording import ModelWords, fingerprint
from infra.kernel.llm import LanguageModel, LlmRequest, LlmUnavailable

PURPOSE: Final = "matching_wording"
MAX_WHY_LENGTH: Final = 280
MAX_SENTENCE_LENGTH: Final = 200
_INSTRUCTIONS: Final = """
You word why affiliate programs may suit a marketer's business idea. The user message holds the idea and, for each
program, its stored data and our own sentences for and against it. For each program's number give `why`: one plain
sentence of at most 200 characters on how it fits this idea, made of the stored data alone; and for each of our
sentences its number and the same said more readably and about this idea, in at most 120 characters, in English. Say
only what ours say: use no other number, amount, name, cause or judgement. Write figures exactly as they stand. Say "it"
for the program. No links, no markup, no praise, no promises of income, no advice beyond ours.
"""
_MAX_DATA_LENGTH: Final = 20_000
_MAX_IDEA_LENGTH: Final = 2_000
_MAX_EVIDENCE_LENGTH: Final = 500

_PRAISE: Final = re.compile(
    r"\b(?:best|top|leading|number one|highest|most|unbeatable|perfect\w*|guarantee\w*|risk[- ]free|always|exclusive\w*"
    r"|lucrative|income|rich|wealth\w*|profit\w*|must|trusted|award\w*)\b",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(r"\b(?:no|not|never|none|nor|cannot|without|hardly|barely)\b|n['’]t\b", re.IGNORECASE)
_GOOD: Final = re.compile(
    r"\b(?:eas(?:y|ily|ier)|simpl[ey]|quick\w*|fast|long\w*|high\w*|generous\w*|great|good|better|excellent|strong\w*"
    r"|ample|above|plenty|attractive|rewarding)\b",
    re.IGNORECASE,
)
_BAD: Final = re.compile(
    r"\b(?:hard\w*|difficult\w*|tough|strict\w*|short\w*|low\w*|little|small|modest|poor\w*|weak\w*|slow\w*|bad|worse"
    r"|below|risky?|unlikely)\b",
    re.IGNORECASE,
)


class SentenceAnswer(BaseModel):  # noqa: D101 - it would be sent to the language model with the schema
    model_config = ConfigDict(extra="forbid")
    number: int
    text: str = Field(max_length=1_000)


class ProgramAnswer(BaseModel):  # noqa: D101 - it would be sent to the language model with the schema
    model_config = ConfigDict(extra="forbid")
    program: int
    why: str = Field(max_length=1_000)
    sentences: list[SentenceAnswer] = Field(max_length=30)


class ProgramsAnswer(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid")
    programs: list[ProgramAnswer] = Field(max_length=30)


@dataclass(frozen=True, slots=True)
class ProgramNarration:
    """The model's texts by program. `silence`: why there are none, else empty."""

    words: Mapping[UUID, ModelWords]
    silence: str


def narrate(
    model: LanguageModel, account_id: UUID, idea: str, matches: Sequence[Match], companies: Sequence[str]
) -> ProgramNarration:
    """The model's texts; blocks until the model answers or times out. `companies`: names that a text must not contain,
    except the program's own. Never raises for a failure of the model."""
    matches = _within_limit(idea, matches)
    if not matches:
        return ProgramNarration({}, "")
    question = LlmRequest(PURPOSE, account_id, _INSTRUCTIONS, _data(idea, matches), ProgramsAnswer, max_tokens=3_000)
    try:
        return validate_answer(model.complete(question), matches, companies)
    except LlmUnavailable as silent:
        return ProgramNarration({}, silent.reason)


def validate_answer(answer: ProgramsAnswer, matches: Sequence[Match], companies: Sequence[str]) -> ProgramNarration:
    """The valid texts of a model's answer. Pure."""
    words_by_program: dict[UUID, ModelWords] = {}
    for said in answer.programs:
        if not 1 <= said.program <= len(matches) or matches[said.program - 1].listed.id in words_by_program:
            continue
        match = matches[said.program - 1]
        others = [name for name in companies if name != match.program.company_name]
        why = plain(said.why)
        believed = ModelWords(
            fingerprint(match),
            why if _is_valid_why(why, match, others) else "",
            dict(_validated(said, match, others)),
        )
        if believed.why or believed.said:
            words_by_program[match.listed.id] = believed
    return ProgramNarration(words_by_program, "" if words_by_program else "not_believed")


def _validated(said: ProgramAnswer, match: Match, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields rule-based sentences with the model's valid replacements."""
    ours, good = _rule_based(match), len(pros(match))
    for sentence in said.sentences:
        if not 1 <= sentence.number <= len(ours):
            continue
        original, text = ours[sentence.number - 1], plain(sentence.text)
        other_way = _BAD if sentence.number <= good else _GOOD
        if is_equivalent(text, original, MAX_SENTENCE_LENGTH, others, other_way):
            yield original, text


def _rule_based(match: Match) -> list[str]:
    """The rule-based sentences: advantages, then disadvantages."""
    return [*pros(match), *(text for text in cons(match) if text != TO_BE_CHECKED)]


def _is_valid_why(text: str, match: Match, others: Sequence[str]) -> bool:
    facts = " ".join([match.program.company_name, label_of(match.program.category), *evidence(match)])
    return is_equivalent(text, facts, MAX_WHY_LENGTH, others)


def is_equivalent(text: str, known: str, most: int, others: Sequence[str], *banned: re.Pattern[str]) -> bool:
    """Returns whether a text of a model may be shown beside `known`: nothing is added, denied, praised or, by `banned`,
    judged differently. `others`: names of companies that it must not contain."""
    if not 3 <= len(text) <= most or not is_supported(text, known):
        return False
    if any(
        found_by(pattern, text) - found_by(pattern, known) for pattern in (INSTRUCTION_WORDS, _PRAISE, _DENIAL, *banned)
    ):
        return False
    return not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in others)


def plain(text: str) -> str:
    """Returns the text without line breaks and repeated spaces."""
    return " ".join(text.split())


def _within_limit(idea: str, matches: Sequence[Match]) -> Sequence[Match]:
    """The first matches that fit into one request."""
    while matches and len(json.dumps(_data(idea, matches), ensure_ascii=False)) > _MAX_DATA_LENGTH:
        matches = matches[:-1]
    return matches


def _data(idea: str, matches: Sequence[Match]) -> Mapping[str, Any]:
    return {
        "idea": idea[:_MAX_IDEA_LENGTH],
        "programs": [
            {
                "program": number,
                "known": [text[:_MAX_EVIDENCE_LENGTH] for text in evidence(match) if text],
                "sentences": [
                    {"number": at, "speaks": "for" if at <= len(pros(match)) else "against", "text": text}
                    for at, text in enumerate(_rule_based(match), start=1)
                ],
            }
            for number, match in enumerate(matches, start=1)
        ],
    }
