"""What is for and against programs, and why they may suit an idea, in a model's words as far as it can be believed.

The model gets the idea, what the directory says of each program and our own sentences; the member's own figures are not
sent. Its words for a sentence are taken only if they say what ours say: no figure, currency, address or order that ours
has not (`insights.trust`), no denial, no other judgement, no other company. All others stay in our words, and so does
the mark that terms are still to be checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.trust import adds_nothing
from command_api.matching.understanding import ORDERS
from infra.llm import LanguageModel, ModelSilent, Question
from infra.matching.scoring import TO_BE_CHECKED, Match, cons, evidence, pros
from infra.matching.taxonomy import label_of
from infra.matching.wording import ModelWords, fingerprint

PURPOSE: Final = "matching_wording"
MOST_WHY: Final = 280
MOST_SENTENCE: Final = 200
_INSTRUCTIONS: Final = """
You word why affiliate programs may suit a marketer's business idea. The user message holds the idea and, for each
program, what is known of it and our own sentences for and against it. For each program's number give `why`: one plain
sentence of at most 200 characters on how it fits this idea, made of what is known alone; and for each of our sentences
its number and the same said more readably and about this idea, in at most 120 characters, in English. Say only what
ours say: use no other number, amount, name, cause or judgement. Write figures exactly as they stand. Say "it" for the
program. No links, no markup, no praise, no promises of income, no advice beyond ours.
"""
_MOST_DATA: Final = 20_000
_MOST_IDEA: Final = 2_000
_MOST_KNOWN: Final = 500

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


class SentenceSaid(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int
    text: str = Field(max_length=1_000)


class ProgramSaid(BaseModel):
    model_config = ConfigDict(extra="forbid")
    program: int
    why: str = Field(max_length=1_000)
    sentences: list[SentenceSaid] = Field(max_length=30)


class ProgramsSaid(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(extra="forbid")
    programs: list[ProgramSaid] = Field(max_length=30)


@dataclass(frozen=True, slots=True)
class Telling:
    """A model's words by program. `silence`: why there are none; empty where there are some."""

    words: Mapping[UUID, ModelWords]
    silence: str


def tell(
    model: LanguageModel, account_id: UUID, idea: str, matches: Sequence[Match], companies: Sequence[str]
) -> Telling:
    """The model's words; blocks for as long as it may take. `companies`: names, of which a text may hold the program's
    own alone. Never raises for the model's sake."""
    matches = _that_fit(idea, matches)
    if not matches:
        return Telling({}, "")
    question = Question(PURPOSE, account_id, _INSTRUCTIONS, _data(idea, matches), ProgramsSaid, most_tokens=3_000)
    try:
        return heard(model.ask(question), matches, companies)
    except ModelSilent as silent:
        return Telling({}, silent.reason)


def heard(answer: ProgramsSaid, matches: Sequence[Match], companies: Sequence[str]) -> Telling:
    """What can be believed of a model's answer. Pure."""
    found: dict[UUID, ModelWords] = {}
    for said in answer.programs:
        if not 1 <= said.program <= len(matches) or matches[said.program - 1].listed.id in found:
            continue
        match = matches[said.program - 1]
        others = [name for name in companies if name != match.program.company_name]
        why = _plain(said.why)
        believed = ModelWords(
            fingerprint(match),
            why if _may_say_why(why, match, others) else "",
            dict(_believed(said, match, others)),
        )
        if believed.why or believed.said:
            found[match.listed.id] = believed
    return Telling(found, "" if found else "not_believed")


def _believed(said: ProgramSaid, match: Match, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Our sentences and the model's for them, as far as these can be believed."""
    ours, good = _ours(match), len(pros(match))
    for sentence in said.sentences:
        if not 1 <= sentence.number <= len(ours):
            continue
        known, text = ours[sentence.number - 1], _plain(sentence.text)
        other_way = _BAD if sentence.number <= good else _GOOD
        if _says_the_same(text, known, MOST_SENTENCE, others, _PRAISE, _DENIAL, other_way):
            yield known, text


def _ours(match: Match) -> list[str]:
    """Our sentences: what is for the program, then what is against it."""
    return [*pros(match), *(text for text in cons(match) if text != TO_BE_CHECKED)]


def _may_say_why(text: str, match: Match, others: Sequence[str]) -> bool:
    known = " ".join([match.program.company_name, label_of(match.program.category), *evidence(match)])
    return _says_the_same(text, known, MOST_WHY, others, _PRAISE, _DENIAL)


def _says_the_same(text: str, known: str, most: int, others: Sequence[str], *banned: re.Pattern[str]) -> bool:
    """Whether a text may stand for what is known: nothing is added, denied or judged otherwise."""
    if not 3 <= len(text) <= most or not adds_nothing(text, known):
        return False
    if any(_words(pattern, text) - _words(pattern, known) for pattern in (ORDERS, *banned)):
        return False
    return not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in others)


def _words(pattern: re.Pattern[str], text: str) -> set[str]:
    return {found.group(0).casefold() for found in pattern.finditer(text)}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _that_fit(idea: str, matches: Sequence[Match]) -> Sequence[Match]:
    """As many of the first as one question may hold."""
    while matches and len(json.dumps(_data(idea, matches), ensure_ascii=False)) > _MOST_DATA:
        matches = matches[:-1]
    return matches


def _data(idea: str, matches: Sequence[Match]) -> Mapping[str, Any]:
    return {
        "idea": idea[:_MOST_IDEA],
        "programs": [
            {
                "program": number,
                "known": [text[:_MOST_KNOWN] for text in evidence(match) if text],
                "sentences": [
                    {"number": at, "speaks": "for" if at <= len(pros(match)) else "against", "text": text}
                    for at, text in enumerate(_ours(match), start=1)
                ],
            }
            for number, match in enumerate(matches, start=1)
        ],
    }
