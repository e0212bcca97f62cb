"""How well a program suits a member: six parts, each from 0 to 1, weighted and added up. Pure.

Nothing else enters: the parts that are shown, times their weights, are the score. `docs/matching.md` says why these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal
from uuid import UUID

from infra.domain.program_matching.bm25 import TextIndex
from infra.domain.program_matching.classification import CERTAIN, fits, meanings
from infra.domain.program_matching.taxonomy import GENERAL, label_of
from infra.domain.program_matching.words import stems, words
from schemas.currencies import amount_text, digits
from schemas.events.matching import Program

Verdict = Literal["highly_recommended", "recommended", "consider", "review_needed"]
PartName = Literal["industry", "text", "commission", "cookie", "approval", "results"]

WEIGHTS: Final[Mapping[PartName, float]] = {
    "industry": 0.40,
    "text": 0.20,
    "commission": 0.12,
    "cookie": 0.08,
    "approval": 0.08,
    "results": 0.12,
}
VERDICTS: Final[tuple[tuple[float, Verdict], ...]] = (
    (0.8, "highly_recommended"),
    (0.6, "recommended"),
    (0.4, "consider"),
)
"""The verdicts, each from its score on; below all of them a program is `review_needed`."""
TO_BE_CHECKED: Final = "Terms not verified yet"
MAX_MATCHES: Final = 20
MIN_SCORE: Final = 0.4
"""The minimum score of a recommendation, however few are left."""
MIN_INDUSTRY: Final = 0.5
"""The minimum of the part `industry`: its programs are recommended from here on, others only if their text has all that
the idea says. The terms alone are worth up to 0.4, so a chance word would lift a program of any industry to
`MIN_SCORE`."""
MAX_WORDS: Final = 6
"""Words that a reason names."""
MIN_CLICKS: Final = 50
"""Own results count from this many clicks on: what fewer brought is chance."""

_APPROVAL: Final = {"easy": 1.0, "medium": 0.6, "hard": 0.2}
_FULL_SHARE_BP: Final = 3_000
COMPARED_IN: Final = "USD"
"""The currency in which flat sums are compared."""
_FULL_SUM: Final = 100
"""Major units of `COMPARED_IN`."""
_NOT_COMPARABLE: Final = 0.5
_COOKIE_DAYS: Final = 30
_SHORT_COOKIE: Final = 7
_OWN_WEIGHT: Final = 200
_WORDS_ENOUGH: Final = 0.35
_MIN_WORDS: Final = 6.0
"""The minimum BM25 score of a full match: ideas of one or two common words are no full match of every text that has
them."""
_ONE_WORD: Final = 0.5
"""One shared word is never a full match, however rare it is and however short the text."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A member's business idea. `industry`: key of the taxonomy from the analysis, or `general`; `by_model`: the
    language model chose it, not the keywords alone."""

    text: str
    industry: str
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A program of the directory that may be recommended. `is_due`: to be compared with its page again."""

    id: UUID
    program: Program
    checked_on: date | None
    is_due: bool = False

    @property
    def is_to_be_checked(self) -> bool:
        return self.checked_on is None or self.is_due

    @property
    def category(self) -> str:
        return self.program.category


@dataclass(frozen=True, slots=True)
class Results:
    """The results that the member's own websites measured with a program in the last 90 days, beside what all their
    partners brought in the same currency. Amounts in minor units."""

    clicks: int
    conversions: int
    earned: int
    all_clicks: int
    all_earned: int
    currency: str

    @property
    def epc(self) -> Decimal:
        """Minor units per click."""
        return Decimal(self.earned) / self.clicks if self.clicks else Decimal(0)


@dataclass(frozen=True, slots=True)
class MatchScorePart:
    """One part of a score. `value`: 0 to 1; `why`: one sentence for the member; `words`: those of the idea that led to
    it, as they were written."""

    name: PartName
    value: float
    why: str
    words: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        return WEIGHTS[self.name]

    @property
    def reason(self) -> str:
        """`Matches your niche: Pets (puppies, leash)`."""
        return f"{self.why} ({', '.join(self.words)})" if self.words else self.why


@dataclass(frozen=True, slots=True)
class Match:
    """One program with its parts; `score` is their weighted sum."""

    listed: Listed
    parts: tuple[MatchScorePart, ...]
    results: Results | None = field(default=None)

    @property
    def program(self) -> Program:
        return self.listed.program

    @property
    def score(self) -> float:
        """0 to 1, four decimals."""
        return round(sum(part.weight * part.value for part in self.parts), 4)

    @property
    def is_relevant(self) -> bool:
        """Returns whether the program is about the idea: by its industry, or by its text alone."""
        values = {part.name: part.value for part in self.parts}
        return values["industry"] >= MIN_INDUSTRY or values["text"] >= 1

    @property
    def verdict(self) -> Verdict:
        return next((verdict for least, verdict in VERDICTS if self.score >= least), "review_needed")


def is_understood(idea: Idea) -> bool:
    """Returns whether the idea is about an industry. One that is not has no recommendations, unless a program's text
    has all of its words."""
    return bool(_industries(idea))


def ranked(
    idea: Idea,
    programs: Sequence[Listed],
    results: Mapping[UUID, Results],
    worth: Mapping[str, Decimal] = MappingProxyType({}),
) -> list[Match]:
    """The best programs first, at most `MAX_MATCHES`, each relevant and with `MIN_SCORE` at least; ties are
    sorted by name. `results`: by program id. `worth`: value of one major unit of a currency, in `COMPARED_IN`.
    """
    asked = _asked(idea.text)
    query = [stem for word_stems in asked.values() for stem in word_stems]
    index = TextIndex([_words(listed.program) for listed in programs])
    most = max(_WORDS_ENOUGH * index.best_possible(query), _MIN_WORDS)
    industries = _industries(idea)
    matches: list[Match] = []
    for listed, raw in zip(programs, index.scores(query), strict=True):
        if raw > 0 or listed.category in industries:
            own = results.get(listed.id)
            fit = industries.get(listed.category, _NO_FIT)
            shared = _shared_words(asked, listed.program)
            text = min(raw / most, 1.0 if len(shared) > 1 else _ONE_WORD)
            match = Match(listed, _parts(listed.program, fit, text, shared, own, worth), own)
            if match.is_relevant and match.score >= MIN_SCORE:
                matches.append(match)
    return sorted(matches, key=lambda match: (-match.score, match.program.company_name, match.listed.id))[:MAX_MATCHES]


@dataclass(frozen=True, slots=True)
class _IndustryFit:
    """How far an industry is the idea's, 0 to 1, and by which words."""

    share: float
    words: tuple[str, ...] = ()


_NO_FIT: Final = _IndustryFit(0.0)


def _industries(idea: Idea) -> Mapping[str, _IndustryFit]:
    """How far each industry is the idea's: the best 1 if enough speaks for it, others by their share of its score; one
    that a model named is always 1."""
    matched = fits(idea.text)
    most = max(matched[0].score, CERTAIN) if matched else 1.0
    industries = {fit.industry.key: _IndustryFit(fit.score / most, fit.words[:MAX_WORDS]) for fit in matched}
    if idea.by_model and idea.industry != GENERAL:
        industries[idea.industry] = _IndustryFit(1.0, industries.get(idea.industry, _NO_FIT).words)
    return industries


def _asked(idea: str) -> Mapping[str, tuple[str, ...]]:
    """The words of an idea as the member wrote them, each with what it may mean."""
    return {word.written: meanings(word) for word in words(idea)}


def _words(program: Program) -> tuple[str, ...]:
    """Returns the stems that are compared with the idea: of who sells what to whom, and of the category's name."""
    return stems(f"{program.company_name} {program.description} {program.audience} {label_of(program.category)}")


def _parts(
    program: Program,
    fit: _IndustryFit,
    text: float,
    shared: Sequence[str],
    own: Results | None,
    worth: Mapping[str, Decimal],
) -> tuple[MatchScorePart, ...]:
    label = label_of(program.category)
    if fit.share >= 1:
        industry = f"Matches your niche: {label}"
    elif fit.share >= MIN_INDUSTRY:
        industry = f"Close to your niche: {label}"
    elif fit.share > 0:
        industry = f"Partly in your niche: {label}"
    else:
        industry = f"{label} is outside your niche"
    text_words = f"Shared words: {', '.join(shared)}" if shared else "No words in common"
    return (
        MatchScorePart("industry", round(fit.share, 4), industry, fit.words),
        MatchScorePart("text", round(text, 4), text_words),
        MatchScorePart("commission", _commission(program, worth), pays(program)),
        MatchScorePart("cookie", round(min(1.0, math.sqrt(program.cookie_days / _COOKIE_DAYS)), 4), lasts(program)),
        MatchScorePart("approval", _APPROVAL[program.approval], f"Approval is {_APPROVAL_WORDS[program.approval]}"),
        _own(own),
    )


_APPROVAL_WORDS: Final = {"easy": "easy", "medium": "of medium difficulty", "hard": "hard"}


def _commission(program: Program, worth: Mapping[str, Decimal]) -> float:
    """30 % or a sum of 100 USD count fully; hybrids by the better half; recurring ones a quarter more. A sum in a
    currency without a known rate is neither much nor little."""
    share = math.sqrt(program.commission_bp / _FULL_SHARE_BP)
    return round(min(1.0, max(share, _flat(program, worth)) * (1.25 if program.recurring else 1.0)), 4)


def _flat(program: Program, worth: Mapping[str, Decimal]) -> float:
    amount = program.commission_amount
    if amount is None:
        return 0.0
    rate = Decimal(1) if amount.currency == COMPARED_IN else worth.get(amount.currency)
    if rate is None:
        return _NOT_COMPARABLE
    return math.sqrt(Decimal(amount.amount).scaleb(-digits(amount.currency)) * rate / _FULL_SUM)


def pays(program: Program) -> str:
    """`Pays 30% of each sale, recurring`."""
    share = f"{Decimal(program.commission_bp) / 100:f}% of each sale" if program.commission_bp else ""
    amount = program.commission_amount
    flat = f"{amount_text(amount.amount, amount.currency)} for each sale or lead" if amount is not None else ""
    joined = " and ".join(text for text in (share, flat) if text)
    return f"Pays {joined}{', recurring' if program.recurring else ''}"


def lasts(program: Program) -> str:
    if program.cookie_days == 0:
        return "Sales count within the visit only (no cookie)"
    return f"{program.cookie_days}-day cookie"


def _own(own: Results | None) -> MatchScorePart:
    """0.5 without results: neither for nor against. Else the earnings per click beside the account's average, drawn
    towards it as long as clicks are few."""
    if own is None or own.clicks <= 0:
        return MatchScorePart("results", 0.5, "You have no results yet")
    if own.clicks < MIN_CLICKS:
        return MatchScorePart(
            "results", 0.5, f"Your links to it have {own.clicks} of the {MIN_CLICKS} clicks that count"
        )
    amount = amount_text(round(own.epc * 100), own.currency)
    return MatchScorePart("results", round(own_value(own), 4), f"Your links to it earned {amount} per 100 clicks")


def own_value(own: Results) -> float:
    """0 to 1, 0.5 for the account's average and below `MIN_CLICKS`."""
    if own.clicks < MIN_CLICKS:
        return 0.5
    average = Decimal(own.all_earned) / own.all_clicks if own.all_clicks else Decimal(0)
    return _beside((own.earned + _OWN_WEIGHT * average) / (own.clicks + _OWN_WEIGHT), average)


def _beside(one: Decimal, average: Decimal) -> float:
    """0.5 for the average, more for more. Reversals may make either negative."""
    least = min(one, average, Decimal(0))
    whole = one + average - 2 * least
    return float((one - least) / whole) if whole else 0.5


def _shared_words(asked: Mapping[str, tuple[str, ...]], program: Program) -> list[str]:
    """The words whose stems occur in the program's text, at most `MAX_WORDS`."""
    program_stems = set(_words(program))
    return list(
        islice((word for word, word_stems in asked.items() if not program_stems.isdisjoint(word_stems)), MAX_WORDS)
    )


def pros(match: Match) -> list[str]:
    """Returns the arguments for the program, from its parts."""
    program, parts = match.program, {part.name: part for part in match.parts}
    said = (
        (parts["industry"].value >= 1, parts["industry"].why),
        (parts["text"].value >= 0.5, "Its description fits your idea"),
        (parts["commission"].value >= 0.8, pays(program)),
        (program.cookie_days >= _COOKIE_DAYS, lasts(program)),
        (program.approval == "easy", "Approval is easy"),
        (parts["results"].value > 0.55, f"{parts['results'].why}, more than your average"),
    )
    return [text for holds, text in said if holds]


def cons(match: Match) -> list[str]:
    """Arguments against the program, from its parts; and that its terms need a check, if nobody checked them
    recently."""
    program, parts = match.program, {part.name: part for part in match.parts}
    said = (
        (parts["industry"].value < 0.5, parts["industry"].why),
        (parts["commission"].value < 0.5, f"Low commission: {pays(program)}"),
        (program.cookie_days <= _SHORT_COOKIE, lasts(program)),
        (program.approval == "hard", "Approval is hard: show some traffic first"),
        (parts["results"].value < 0.45, f"{parts['results'].why}, less than your average"),
        (match.listed.is_to_be_checked, TO_BE_CHECKED),
    )
    return [text for holds, text in said if holds]


def evidence(match: Match) -> tuple[str, ...]:
    """The known facts of a program for an idea, without the member's own results, which are private."""
    facts = (part.why for part in match.parts if part.name != "results")
    return (match.program.description, match.program.audience, *facts)
