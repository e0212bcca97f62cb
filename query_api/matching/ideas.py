"""`GET /api/platform/affiliate/ideas`: business ideas for the member, and those that it saved or dismissed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.program_ideas.answers import LANGUAGES, Dismissal, answers_of
from infra.domain.program_ideas.content_plan import ArticleIdea, Intent, Kind
from infra.domain.program_ideas.earnings import Basis, Earnings
from infra.domain.program_ideas.generator import (
    MIN_SCORE,
    BusinessIdea,
    EmptyReason,
    FittingProgram,
    PartName,
    ProgramDirectory,
    Round,
    generate,
    idea_of,
)
from infra.domain.program_ideas.niches import SOURCE, Level, Skill, niches
from infra.domain.program_ideas.wording import IdeaWords, fingerprint, from_json
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.matching.directory import active_programs
from query_api.matching.results import partners_of
from query_api.matching.routes import NarratedBy, Wording, results_or_none, wording_of, worth_of
from schemas.currencies import digits
from schemas.events.matching import DismissReason
from schemas.http.responses import Narrated, ResponseModel

router = APIRouter(prefix="/api/platform/affiliate/ideas", tags=["matching"])

_ROUND: Final = "SELECT * FROM read.idea_rounds WHERE account_id = %s"
_CHOICES: Final = """
SELECT idea, choice, reason, note, number, at FROM read.idea_choices
WHERE account_id = %s AND choice <> 'released' ORDER BY at DESC, idea"""


class IdeaAnswers(ResponseModel):
    """What the member answered last."""

    interests: list[str]
    skills: list[Skill]
    languages: list[str] = Field(description="Two letters each, the preferred first")
    hours: int = Field(description="Per week")
    money: int = Field(description="To start, whole USD")


class IdeaPart(ResponseModel):
    """One part of an idea's score: `weight` × `value`; all parts together are the score."""

    name: PartName
    weight: float
    value: float = Field(description="0 to 1")
    points: float = Field(description="weight × value, four decimals")
    why: str


class CompetitionEstimate(ResponseModel):
    """How many strong pages compete: an estimate, not measured."""

    level: Level
    reason: str


class SeasonEstimate(ResponseModel):
    """When most is searched and bought: an estimate, not measured."""

    months: list[int] = Field(description="1 to 12; none: all year round")
    reason: str


class EffortEstimate(ResponseModel):
    """What regular publishing takes: an estimate, not measured."""

    hours: int = Field(description="Per week")
    money: int = Field(description="To start, whole USD")
    reason: str


class SearchIntent(ResponseModel):
    """What readers of the first ten articles search for."""

    queries: list[str] = Field(description="Examples of searches, in English")
    informational: int = Field(description="Articles that answer a question")
    commercial: int = Field(description="Articles that help to choose")
    transactional: int = Field(description="Articles on one offer")


class ExpectedEarnings(ResponseModel):
    """Per 1,000 visitors. By `terms` a rounded range under the assumptions; by `results` both ends are the same."""

    low: float = Field(description="Major units")
    high: float
    currency: str
    basis: Basis
    assumptions: list[str]


class IdeaProgram(ResponseModel):
    """A program of the directory that fits the idea."""

    id: UUID
    company_name: str
    match_score: float
    website: str = Field(description="Address of the company, for a tracked link")
    partner_id: UUID | None = Field(description="Partner of the directory that measures it here")
    to_be_checked: bool = Field(description="Whether the terms are not verified, or a review is due")
    earnings: ExpectedEarnings | None = Field(description="Null: the terms cannot be compared without exchange rates")


class PlannedArticle(ResponseModel):
    """One of the first ten articles."""

    title: str
    intent: Intent
    kind: Kind
    outline: list[str]
    programs: list[UUID] = Field(description="Those that it is about")


class GeneratedIdea(Narrated[NarratedBy]):
    """A niche for the member, with its score and everything to judge it."""

    id: str
    name: str
    industry: str
    idea: str = Field(description="Can be given to matching as it stands")
    language: str = Field(description="Two letters")
    language_name: str
    score: float = Field(description="0 to 1: the sum of the parts")
    parts: list[IdeaPart]
    audience: str
    pitch: str | None = Field(description="Text of a language model; null: none, or it was rejected")
    intent: SearchIntent
    competition: CompetitionEstimate
    season: SeasonEstimate
    effort: EffortEstimate
    estimate_source: str
    programs: list[IdeaProgram] = Field(description="At most three, the best first")
    plan: list[PlannedArticle] = Field(description="Ten, in the order in which they are best written")
    more_titles: list[str] = Field(description="Further titles of a language model")
    narrated_by: NarratedBy = Field(description="`model`: pitch, audience or further titles are from a language model")


class DismissedIdea(ResponseModel):
    """An idea that the member dismissed."""

    id: str
    name: str
    industry: str
    reason: DismissReason
    note: str
    heeded: bool = Field(description="Whether the current round heeds the reason; else the next one does")
    at: datetime


class Ideas(ResponseModel):
    """The current round of ideas, and what the member chose so far."""

    answers: IdeaAnswers | None = Field(description="Null until ideas were requested")
    requested_at: datetime | None
    ideas: list[GeneratedIdea] = Field(description="The best first, at most 12, each with `minScore`")
    empty_reason: EmptyReason | None = Field(
        description="`interests_unclear`: no interest leads to a niche; `below_minimum`: no idea reaches `minScore`;"
        " `all_chosen`: all are saved or dismissed; null: there are ideas, or none were requested"
    )
    min_score: float
    saved: list[GeneratedIdea] = Field(description="Those saved last first, with today's figures")
    dismissed: list[DismissedIdea] = Field(description="Those dismissed last first")
    results_known: bool = Field(description="False while the analytics store is unavailable: scored without results")
    wording: Wording


@router.get(
    "",
    dependencies=[READS_OWN_WRITES],
)
def get_ideas(context: Context, scope: CallerScope) -> Ideas:
    """Ideas for what the member answered last, with the account's own results; none before it answered."""
    account_id = scope.principal.account_id
    row = scope.reader.row(_ROUND, (account_id,))
    answers = answers_of(row["answers"]) if row is not None else None
    if row is None or answers is None:
        return Ideas(
            answers=None, requested_at=None, ideas=[], empty_reason=None, min_score=MIN_SCORE, saved=[], dismissed=[],
            results_known=True, wording=Wording(narrated_by="rules", silence=None, may_be_asked=False),
        )  # fmt: skip
    choices = [choice for choice in scope.reader.rows(_CHOICES, (account_id,)) if choice["idea"] in niches()]
    listed = [one for one, _ in active_programs(scope.reader)]
    results, are_results_known = results_or_none(context, scope, listed)
    directory = ProgramDirectory(listed, results, worth_of(scope))
    heeded = [
        Dismissal(choice["idea"], choice["reason"])
        for choice in choices
        if choice["choice"] == "dismissed" and choice["number"] < row["number"]
    ]
    round_: Round = generate(answers, directory, {choice["idea"] for choice in choices}, heeded)
    saved = [
        idea
        for choice in choices
        if choice["choice"] == "saved" and (idea := idea_of(choice["idea"], answers, directory, heeded)) is not None
    ]
    words, partners = from_json(row["words"]), partners_of(scope.reader, listed)
    return Ideas(
        answers=IdeaAnswers(
            interests=list(answers.interests), skills=list(answers.skills), languages=list(answers.languages),
            hours=answers.hours, money=answers.money,
        ),
        requested_at=row["requested_at"],
        ideas=[_idea(idea, words, partners) for idea in round_.ideas],
        empty_reason=round_.empty_reason,
        min_score=MIN_SCORE,
        saved=[_idea(idea, words, partners) for idea in saved],
        dismissed=[_dismissed(choice, row["number"]) for choice in choices if choice["choice"] == "dismissed"],
        results_known=are_results_known,
        wording=wording_of(context.settings, row),
    )  # fmt: skip


def _dismissed(choice: Mapping[str, Any], number: int) -> DismissedIdea:
    niche = niches()[choice["idea"]]
    return DismissedIdea(
        id=niche.key,
        name=niche.name,
        industry=niche.industry.label,
        reason=choice["reason"],
        note=choice["note"],
        heeded=choice["number"] < number,
        at=choice["at"],
    )


def _idea(idea: BusinessIdea, words: Mapping[str, IdeaWords], partners: Mapping[UUID, UUID]) -> GeneratedIdea:
    niche, texts = idea.niche, words.get(idea.niche.key)
    if texts is not None and texts.of != fingerprint(niche):
        texts = None
    return GeneratedIdea(
        id=niche.key,
        name=niche.name,
        industry=niche.industry.label,
        idea=niche.idea,
        language=idea.language,
        language_name=LANGUAGES[idea.language],
        score=idea.score,
        parts=[
            IdeaPart(
                name=part.name,
                weight=part.weight,
                value=part.value,
                points=round(part.weight * part.value, 4),
                why=part.why,
            )
            for part in idea.parts
        ],
        audience=(texts.audience if texts is not None else "") or f"{niche.readers[0].upper()}{niche.readers[1:]}",
        pitch=(texts.pitch if texts is not None else "") or None,
        intent=_intent(niche.queries, idea.articles),
        competition=CompetitionEstimate(level=idea.competition, reason=idea.competition_reason),
        season=SeasonEstimate(months=list(niche.months), reason=niche.season_reason),
        effort=EffortEstimate(hours=niche.hours, money=niche.money, reason=niche.effort_reason),
        estimate_source=SOURCE,
        programs=[_program(program, partners) for program in idea.programs],
        plan=[
            PlannedArticle(
                title=article.title,
                intent=article.intent,
                kind=article.kind,
                outline=list(article.outline),
                programs=list(article.programs),
            )
            for article in idea.articles
        ],
        more_titles=list(texts.titles) if texts is not None else [],
        narrated_by="model" if texts is not None else "rules",
    )


def _intent(queries: Sequence[str], articles: Sequence[ArticleIdea]) -> SearchIntent:
    intents = [article.intent for article in articles]
    return SearchIntent(
        queries=list(queries),
        informational=intents.count("informational"),
        commercial=intents.count("commercial"),
        transactional=intents.count("transactional"),
    )


def _program(program: FittingProgram, partners: Mapping[UUID, UUID]) -> IdeaProgram:
    listed, address = program.match.listed, urlsplit(program.match.program.url)
    return IdeaProgram.of_row(
        {},
        id=listed.id,
        company_name=listed.program.company_name,
        match_score=program.match.score,
        website=f"{address.scheme}://{address.netloc}/",
        partner_id=partners.get(listed.id),
        to_be_checked=listed.is_to_be_checked,
        earnings=_earnings(program.earnings) if program.earnings is not None else None,
    )


def _earnings(earnings: Earnings) -> ExpectedEarnings:
    unit = 10 ** digits(earnings.currency)
    return ExpectedEarnings(
        low=earnings.low / unit,
        high=earnings.high / unit,
        currency=earnings.currency,
        basis=earnings.basis,
        assumptions=list(earnings.assumptions),
    )
