"""Business ideas for a member: every niche of the catalogue with a score of seven parts, weighted and added up. Pure.

Nothing else enters: the parts that are shown, times their weights, are the score. `docs/ideas.md` says why these, and
what the reason of a dismissal changes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID

from infra.domain.program_ideas.answers import LANGUAGES, Answers, Dismissal
from infra.domain.program_ideas.content_plan import ArticleIdea, content_plan
from infra.domain.program_ideas.earnings import Earnings, comparable, expected
from infra.domain.program_ideas.niches import LEVELS, Level, Niche, niches
from infra.domain.program_matching.classification import CERTAIN, fits
from infra.domain.program_matching.scoring import Idea, Listed, Match, Results, own_value, ranked
from infra.domain.program_matching.words import stems
from schemas.currencies import amount_text

PartName = Literal["interest", "skills", "time", "money", "competition", "earnings", "results"]
EmptyReason = Literal["interests_unclear", "below_minimum", "all_chosen"]

WEIGHTS: Final[Mapping[PartName, float]] = {
    "interest": 0.30,
    "skills": 0.10,
    "time": 0.10,
    "money": 0.10,
    "competition": 0.15,
    "earnings": 0.15,
    "results": 0.10,
}
MIN_SCORE: Final = 0.45
"""The minimum score of an idea that is shown, however few are left."""
MIN_INTEREST: Final = 0.5
"""The minimum of the part `interest`, before dismissals: an idea below it is only shown if its industry earned the
member money."""
MAX_IDEAS: Final = 12
MAX_PROGRAMS: Final = 3

_INDUSTRY_SHARE: Final = 0.7
_WORDS_ONLY: Final = 0.6
_SKILLS: Final = (0.3, 0.7, 1.0)
"""The value by the number of the member's skills that the niche needs; the last for that many and more."""
_COMPETITION: Final[Mapping[Level, float]] = {"low": 1.0, "medium": 0.6, "high": 0.2}
_FULL_EARNINGS: Final = 100
"""Major units of USD per 1,000 visitors."""
_UNKNOWN: Final = 0.5


@dataclass(frozen=True, slots=True)
class IdeaScorePart:
    """One part of a score. `value`: 0 to 1; `why`: one sentence for the member."""

    name: PartName
    value: float
    why: str

    @property
    def weight(self) -> float:
        return WEIGHTS[self.name]


@dataclass(frozen=True, slots=True)
class FittingProgram:
    """A program of the directory that fits the idea. `earnings`: none if the terms cannot be computed."""

    match: Match
    earnings: Earnings | None


@dataclass(frozen=True, slots=True)
class BusinessIdea:
    """A niche for one member. `competition`: in `language`; `reason` says why it is estimated so."""

    niche: Niche
    language: str
    competition: Level
    competition_reason: str
    parts: tuple[IdeaScorePart, ...]
    programs: tuple[FittingProgram, ...]
    articles: tuple[ArticleIdea, ...]

    @property
    def score(self) -> float:
        """0 to 1, four decimals."""
        return round(sum(part.weight * part.value for part in self.parts), 4)


@dataclass(frozen=True, slots=True)
class ProgramDirectory:
    """Active programs; the member's own results by program id; value of one major unit of a currency in USD."""

    programs: Sequence[Listed]
    results: Mapping[UUID, Results] = field(default_factory=dict)
    worth: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Round:
    """The ideas of one round, best first. `empty_reason`: why there are none."""

    ideas: tuple[BusinessIdea, ...]
    empty_reason: EmptyReason | None


def generate(
    answers: Answers, directory: ProgramDirectory, hidden: Iterable[str] = (), heeded: Sequence[Dismissal] = ()
) -> Round:
    """At most `MAX_IDEAS`, each with a reason, `MIN_SCORE` at least and a program; ties in the order of the catalogue.

    `hidden`: keys of ideas that are saved or dismissed. `heeded`: dismissals whose reasons count.
    """
    earned = results_by_industry(directory)
    interests = {
        niche.key: interest
        for niche in niches().values()
        if (interest := _interest(answers, niche)).value >= MIN_INTEREST or _has_earned(earned.get(niche.industry.key))
    }
    if not interests:
        return Round((), "interests_unclear")
    left = interests.keys() - set(hidden)
    if not left:
        return Round((), "all_chosen")
    ideas = [
        idea for key in interests if key in left and (idea := idea_of(key, answers, directory, heeded)) is not None
    ]
    best = sorted((idea for idea in ideas if idea.score >= MIN_SCORE), key=lambda idea: -idea.score)
    return Round(tuple(best[:MAX_IDEAS]), None if best else "below_minimum")


def idea_of(
    key: str, answers: Answers, directory: ProgramDirectory, heeded: Sequence[Dismissal] = ()
) -> BusinessIdea | None:
    """One niche as an idea for the member, whatever its score; none without a fitting program or such a niche."""
    niche = niches().get(key)
    if niche is None:
        return None
    programs = fitting(niche, directory)
    if not programs:
        return None
    language, competition, why = _in_best_language(niche, answers.languages)
    own = results_by_industry(directory).get(niche.industry.key)
    parts = (
        _interest(answers, niche),
        _skills(answers, niche),
        _time(answers, niche),
        _money(answers, niche),
        IdeaScorePart("competition", _COMPETITION[competition], f"Estimated as {competition}"),
        _earnings(programs, directory.worth),
        _results(niche, own),
    )
    heeding = _Heeding(niche, competition, heeded)
    articles = content_plan(niche, [program.match.listed for program in programs])
    return BusinessIdea(niche, language, competition, why, tuple(map(heeding.applied, parts)), programs, articles)


def fitting(niche: Niche, directory: ProgramDirectory) -> tuple[FittingProgram, ...]:
    """The programs that matching ranks first for the niche's idea, of its industry."""
    idea = Idea(niche.idea, niche.industry.key, by_model=True)
    matches = ranked(idea, directory.programs, directory.results, directory.worth)
    own = [match for match in matches if match.listed.category == niche.industry.key][:MAX_PROGRAMS]
    return tuple(FittingProgram(match, expected(match, niche, directory.worth)) for match in own)


def results_by_industry(directory: ProgramDirectory) -> Mapping[str, Results]:
    """The member's own results, summed by industry; in the currency with most clicks."""
    category = {listed.id: listed.category for listed in directory.programs}
    sums: defaultdict[tuple[str, str], list[Results]] = defaultdict(list)
    for program, own in directory.results.items():
        if program in category:
            sums[category[program], own.currency].append(own)
    by_industry: dict[str, Results] = {}
    for (key, currency), every in sums.items():
        clicks = sum(own.clicks for own in every)
        if key not in by_industry or (clicks, currency) > (by_industry[key].clicks, by_industry[key].currency):
            conversions, earned = sum(own.conversions for own in every), sum(own.earned for own in every)
            by_industry[key] = Results(clicks, conversions, earned, every[0].all_clicks, every[0].all_earned, currency)
    return by_industry


class _Heeding:
    """The changes that the reasons of earlier dismissals make in the parts of an idea."""

    def __init__(self, niche: Niche, competition: Level, heeded: Sequence[Dismissal]) -> None:
        self._niche, self._competition = niche, competition
        dismissed = [(niches()[one.idea], one.reason) for one in heeded if one.idea in niches()]
        self._others = [(other, reason) for other, reason in dismissed if other.key != niche.key]

    def applied(self, part: IdeaScorePart) -> IdeaScorePart:
        for other, reason in self._others:
            value = self._value(part, other, reason)
            if value is not None:
                return IdeaScorePart(part.name, value, f"{part.why}; {_HEEDED[reason]}: {other.name}")
        return part

    def _value(self, part: IdeaScorePart, other: Niche, reason: str) -> float | None:
        """The part's value if the dismissal of `other` changes it."""
        niche = self._niche
        match part.name, reason:
            case "interest", "not_interested" if niche.industry.key == other.industry.key:
                return round(part.value / 2, 4)
            case "competition", "too_competitive" if LEVELS.index(self._competition) >= LEVELS.index(other.competition):
                return 0.0
            case "time", "no_time" if niche.hours >= other.hours:
                return 0.0
            case "money", "no_money" if niche.money >= other.money:
                return 0.0
            case _:
                return None


_HEEDED: Final[Mapping[str, str]] = {
    "not_interested": "halved, as you were not interested in",
    "too_competitive": "0, as you found it too competitive in",
    "no_time": "0, as you had no time for",
    "no_money": "0, as you had no money for",
}


def _interest(answers: Answers, niche: Niche) -> IdeaScorePart:
    """The best of the member's interests: its share of the industry, and whether the niche has its words."""
    best, why = 0.0, "None of your interests is about it"
    for interest in answers.interests:
        interest_stems = set(stems(interest))
        share, shares_word = _share(interest, niche.industry.key), bool(interest_stems & niche.stems)
        value = _INDUSTRY_SHARE * share + (1 - _INDUSTRY_SHARE) * (shares_word and share > 0)
        if interest_stems and interest_stems <= niche.stems:
            value = max(value, _WORDS_ONLY)
        if value > best:
            best, why = value, f"Your interest: {interest}"
    return IdeaScorePart("interest", round(best, 4), why)


def _share(interest: str, industry: str) -> float:
    matched = fits(interest)
    most = max(matched[0].score, CERTAIN) if matched else 1.0
    return next((fit.score / most for fit in matched if fit.industry.key == industry), 0.0)


def _skills(answers: Answers, niche: Niche) -> IdeaScorePart:
    shared = [skill for skill in niche.skills if skill in answers.skills]
    why = f"Uses your skills: {', '.join(shared)}" if shared else f"Needs: {', '.join(niche.skills)}"
    return IdeaScorePart("skills", _SKILLS[min(len(shared), len(_SKILLS) - 1)], why)


def _time(answers: Answers, niche: Niche) -> IdeaScorePart:
    value = min(1.0, answers.hours / niche.hours)
    return IdeaScorePart("time", round(value, 4), f"Needs about {niche.hours} hours a week, you have {answers.hours}")


def _money(answers: Answers, niche: Niche) -> IdeaScorePart:
    value = min(1.0, answers.money / niche.money) if niche.money else 1.0
    needed = f"Needs about {niche.money} USD to start" if niche.money else "Needs no money to start"
    return IdeaScorePart("money", round(value, 4), f"{needed}, you have {answers.money}")


def _earnings(programs: Sequence[FittingProgram], worth: Mapping[str, Decimal]) -> IdeaScorePart:
    """The best of the shown programs; neither for nor against where none can be compared."""
    values = [
        (value, program)
        for program in programs
        if program.earnings is not None and (value := comparable(program.earnings, worth)) is not None
    ]
    if not values:
        return IdeaScorePart("earnings", _UNKNOWN, "Expected earnings cannot be compared")
    most, best = max(values, key=lambda item: item[0])
    source = "your results" if best.earnings is not None and best.earnings.basis == "results" else "its terms"
    share = min(1.0, math.sqrt(most / _FULL_EARNINGS))
    return IdeaScorePart(
        "earnings", round(share, 4), f"Best expected earnings: {best.match.program.company_name}, by {source}"
    )


def _results(niche: Niche, own: Results | None) -> IdeaScorePart:
    label = niche.industry.label
    if own is None or own.clicks <= 0:
        return IdeaScorePart("results", _UNKNOWN, f"You have no results in {label} yet")
    amount = amount_text(own.earned, own.currency)
    return IdeaScorePart(
        "results", round(own_value(own), 4), f"Your links in {label} earned {amount} from {own.clicks:,} clicks"
    )


def _has_earned(own: Results | None) -> bool:
    return own is not None and own.earned > 0


def _in_best_language(niche: Niche, languages: Sequence[str]) -> tuple[str, Level, str]:
    """The member's language with the least competition, the first of several; with the estimate and its reason."""
    options = [
        (LEVELS.index(level), language, level, why) for language in languages for level, why in [_in(niche, language)]
    ]
    _, language, level, why = min(options, key=lambda item: item[0])
    return language, level, why


def _in(niche: Niche, language: str) -> tuple[Level, str]:
    if language == "en" or niche.competition == "low":
        return niche.competition, niche.competition_reason
    lower = LEVELS[LEVELS.index(niche.competition) - 1]
    why = f"one level lower, as fewer pages are in {LANGUAGES[language]} than in English"
    return lower, f"{niche.competition_reason}; {why}"
