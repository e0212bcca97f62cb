"""Questions about a listing, watched listings and saved searches. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from command_api.marketplace.listings import Listing, offered
from schemas.base import DomainEvent
from schemas.events.marketplace import (
    QuestionAnswered,
    QuestionAsked,
    QuestionFlagged,
    QuestionHidden,
    QuestionRestored,
    SavedSearchEnded,
    SearchCriteria,
    SearchSaved,
    WatchBegan,
    WatchEnded,
)
from schemas.identity import listing_watch_id

HIDDEN_AFTER: Final = 3
"""Flags of different members that hide a question until an admin looked at it."""
MOST_STEPS: Final = 500
"""Of one question: then it is as it is."""

FlagReason = Literal["spam", "abuse", "personal_data", "off_topic", "other"]


@dataclass(frozen=True, slots=True)
class Question:
    id: UUID
    version: int
    listing_id: UUID
    seller_id: UUID
    author_id: UUID
    answered: bool = False
    flagged_by: frozenset[UUID] = frozenset()
    hidden: bool = False
    decided: bool = False
    """An admin hid it."""


@dataclass(frozen=True, slots=True)
class Watch:
    id: UUID
    version: int
    on: bool


@dataclass(frozen=True, slots=True)
class SavedSearch:
    id: UUID
    version: int
    account_id: UUID
    search: str
    criteria: SearchCriteria
    saved_at: datetime
    ended: bool = False


def ask(question_id: UUID, listing: Listing | None, text: str, asked: Asked) -> QuestionAsked:
    listing = offered(listing)
    if asked.account_id is None:
        raise TypeError("a question is somebody's")
    if asked.account_id == listing.seller_id:
        raise conflict("own_listing", "This is your own listing.")
    return QuestionAsked(
        **step(question_id, 0, asked),
        listing_id=listing.id,
        seller_id=listing.seller_id,
        author_id=asked.account_id,
        text=text,
    )


def answer(question: Question | None, text: str, asked: Asked) -> list[DomainEvent]:
    question = there(question)
    if asked.account_id is None or asked.account_id != question.seller_id:
        raise missing("question")
    if question.version >= MOST_STEPS:
        raise conflict("too_many_changes", "This was changed too often.")
    return [QuestionAnswered(**step(question.id, question.version, asked), author_id=asked.account_id, text=text)]


def flag(question: Question | None, reason: FlagReason, asked: Asked) -> list[DomainEvent]:
    """Once per member; enough of them hide it."""
    question = there(question)
    if question.hidden:
        raise missing("question")
    if asked.account_id is None or asked.account_id in question.flagged_by or question.version >= MOST_STEPS:
        return []
    flagged = QuestionFlagged(**step(question.id, question.version, asked), reason=reason)
    if len(question.flagged_by) + 1 < HIDDEN_AFTER:
        return [flagged]
    system = Asked(asked.at)
    hidden = step(question.id, question.version + 1, system)
    return [flagged, QuestionHidden(**hidden, reason=f"{HIDDEN_AFTER} members flagged it.")]


def hide(question: Question | None, reason: str, asked: Asked) -> list[DomainEvent]:
    """An admin's word, though not about what was asked of them, or what they asked."""
    question = _judged(question, asked)
    if question.decided:
        return []
    return [QuestionHidden(**step(question.id, question.version, asked), reason=reason)]


def restore(question: Question | None, asked: Asked) -> list[DomainEvent]:
    question = _judged(question, asked)
    if not question.hidden and not question.flagged_by:
        return []
    return [QuestionRestored(**step(question.id, question.version, asked))]


def evolve_question(question: Question | None, event: DomainEvent) -> Question:
    if isinstance(event, QuestionAsked):
        return Question(event.originator_id, 1, event.listing_id, event.seller_id, event.author_id)
    question = replace(begun(question, event), version=event.originator_version)
    match event:
        case QuestionAnswered():
            return replace(question, answered=True)
        case QuestionFlagged():
            by = {event.actor_id} if event.actor_id is not None else set()
            return replace(question, flagged_by=question.flagged_by | by)
        case QuestionHidden():
            return replace(question, hidden=True, decided=event.actor_id is not None)
        case QuestionRestored():
            return replace(question, hidden=False, decided=False, flagged_by=frozenset())
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to questions")


def watch(before: Watch | None, account_id: UUID, listing_id: UUID, asked: Asked) -> list[DomainEvent]:
    if before is not None and before.on:
        return []
    watch_id, version = listing_watch_id(account_id, listing_id), before.version if before is not None else 0
    return [WatchBegan(**step(watch_id, version, asked), account_id=account_id, listing_id=listing_id)]


def unwatch(before: Watch | None, asked: Asked) -> list[DomainEvent]:
    if before is None or not before.on:
        return []
    return [WatchEnded(**step(before.id, before.version, asked))]


def evolve_watch(before: Watch | None, event: DomainEvent) -> Watch:
    match event:
        case WatchBegan():
            return Watch(event.originator_id, event.originator_version, on=True)
        case WatchEnded():
            return Watch(event.originator_id, event.originator_version, on=False)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to watched listings")


def save(search_id: UUID, search: str, criteria: SearchCriteria, asked: Asked) -> SearchSaved:
    if asked.account_id is None:
        raise TypeError("a search is somebody's")
    if criteria.min_price is not None and criteria.max_price is not None and criteria.min_price > criteria.max_price:
        raise invalid("bad_range", "The lowest price is above the highest one.", "minPrice")
    saved = step(search_id, 0, asked)
    return SearchSaved(**saved, account_id=asked.account_id, search=search, criteria=criteria)


def end_search(
    found: SavedSearch | None, way: Literal["page", "one_click", "erased"], asked: Asked
) -> list[DomainEvent]:
    if found is None or not asked.may_act_for(found.account_id):
        raise missing("saved search")
    if found.ended:
        return []
    return [SavedSearchEnded(**step(found.id, found.version, asked), way=way)]


def evolve_search(found: SavedSearch | None, event: DomainEvent) -> SavedSearch:
    if isinstance(event, SearchSaved):
        return SavedSearch(event.originator_id, 1, event.account_id, event.search, event.criteria, event.timestamp)
    found = replace(begun(found, event), version=event.originator_version)
    if isinstance(event, SavedSearchEnded):
        return replace(found, ended=True)
    raise AnotherKind(f"{event.NAME} does not happen to saved searches")


def _judged(question: Question | None, asked: Asked) -> Question:
    question = there(question)
    if asked.account_id in (question.seller_id, question.author_id):
        raise Refused("forbidden", "own_question", "You are a side of this: another admin has to look at it.")
    return question


def there(question: Question | None) -> Question:
    if question is None:
        raise missing("question")
    return question
