"""Findings told: in a model's words and order when there is one that can be believed, else in our own.

No stranger's text reaches the model. What a finding is about (a partner, a source that some visitor's address named) is
called S1, S2 and so on, and gets its name back afterwards, as text. So nothing that somebody plants in a name can talk
to it; and a model that says what our own words do not say is not believed (`trust`), finding by finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from command_api.insights.finding import Finding, Subject
from command_api.insights.trust import trusted
from command_api.insights.words import Told, Words, worded
from infra.llm import LanguageModel, ModelSilent, Question

PURPOSE: Final = "insights"
_INSTRUCTIONS: Final = """
You word findings about a website's affiliate marketing figures for its owner. For each finding you get its number, its
type and our own title and content. Give every finding's number once, the most important finding first, with a title of
at most 90 characters and one or two plain sentences as content, in English. Say only what our words say: use no other
number, date, amount, name or cause. Write figures exactly as they stand. S1, S2 and so on are names: keep them as they
are. No links, no markup, no advice beyond ours.
"""


class Wording(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int
    title: str = Field(max_length=400)
    content: str = Field(max_length=2_000)


class Wordings(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(extra="forbid")
    insights: list[Wording] = Field(max_length=50)


@dataclass(frozen=True, slots=True)
class Telling:
    """`found`: in the order in which they are told. `silence`: why no model was heard, none when one was."""

    found: Sequence[tuple[Finding, Told]]
    silence: str | None


def tell(
    model: LanguageModel, account_id: UUID, findings: Sequence[Finding], names: Mapping[Subject, str], currency: str
) -> Telling:
    """Blocks for as long as the model may take. `names`: of subjects. Never raises for the model's sake."""
    if not findings:
        return Telling([], None)
    question = Question(
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
        most_tokens=2_500,
    )
    try:
        return heard(model.ask(question), findings, names, currency)
    except ModelSilent as silent:
        return Telling([(finding, _ours(finding, names, currency)) for finding in findings], silent.reason)


def heard(answer: Wordings, findings: Sequence[Finding], names: Mapping[Subject, str], currency: str) -> Telling:
    """What is told after a model's answer: its words where they can be believed, its order as far as it goes."""
    masked = list(_masked(findings, currency))
    told: dict[int, Told] = {}
    for wording in answer.insights:
        index = wording.number - 1
        if not 0 <= index < len(masked) or index in told:
            continue
        finding, ours = masked[index]
        words = trusted(Words(wording.title, wording.content), ours, finding)
        told[index] = Told(_named(words, finding, names, index), "model") if words else _ours(finding, names, currency)
    for index, finding in enumerate(findings):
        told.setdefault(index, _ours(finding, names, currency))
    believed = any(one.by == "model" for one in told.values())
    return Telling([(findings[index], one) for index, one in told.items()], None if believed else "not_believed")


def _masked(findings: Sequence[Finding], currency: str) -> list[tuple[Finding, Words]]:
    return [
        (finding, worded(finding, _placeholder(index) if finding.subject else "", currency))
        for index, finding in enumerate(findings)
    ]


def _placeholder(index: int) -> str:
    return f"S{index + 1}"


def _named(words: Words, finding: Finding, names: Mapping[Subject, str], index: int) -> Words:
    if finding.subject is None:
        return words
    name = names[finding.subject]
    mask = _placeholder(index)
    return Words(words.title.replace(mask, name), words.content.replace(mask, name))


def _ours(finding: Finding, names: Mapping[Subject, str], currency: str) -> Told:
    return Told(worded(finding, names[finding.subject] if finding.subject else "", currency), "finder")
