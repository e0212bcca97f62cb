"""Questions about a listing, watched listings and saved searches. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import advanced, first_event, next_event, require_found
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, event_metadata, invalid, not_found
from command_api.marketplace.listings.model import Listing, require_on_sale
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import SearchCriteria
from schemas.evolution import Evolution, UnexpectedEvent
from schemas.identity import listing_watch_id

FLAGS_TO_HIDE: Final = 3
"""Flags of different members that hide a question until an admin reviews it."""
MAX_EVENTS: Final = 500
"""Maximum number of events of one question."""

FlagReason = Literal["spam", "abuse", "personal_data", "off_topic", "other"]


@dataclass(frozen=True, slots=True)
class Question:
    """State of one question about a listing."""

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
class WatchlistEntry:
    """State of one account's bookmark of a listing; `on`: it is set now."""

    id: UUID
    version: int
    on: bool


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """State of one saved search."""

    id: UUID
    version: int
    account_id: UUID
    search: str
    criteria: SearchCriteria
    saved_at: datetime
    ended: bool = False


def ask(question_id: UUID, listing: Listing | None, text: str, context: CommandContext) -> marketplace.QuestionAsked:
    listing = require_on_sale(listing)
    author_id = context.require_account()
    if author_id == listing.seller_id:
        raise conflict("own_listing", "This is your own listing.")
    return marketplace.QuestionAsked(
        **first_event(question_id, context),
        listing_id=listing.id,
        seller_id=listing.seller_id,
        author_id=author_id,
        text=text,
    )


def answer(question: Question | None, text: str, context: CommandContext) -> list[DomainEvent]:
    question = require_found(question, "question")
    if context.account_id is None or context.account_id != question.seller_id:
        raise not_found("question")
    if question.version >= MAX_EVENTS:
        raise conflict("too_many_changes", "This was changed too often.")
    return [marketplace.QuestionAnswered(**next_event(question, context), author_id=context.account_id, text=text)]


def flag(question: Question | None, reason: FlagReason, context: CommandContext) -> list[DomainEvent]:
    """Flags the question, once per member; `FLAGS_TO_HIDE` of them hide it."""
    question = require_found(question, "question")
    if question.hidden:
        raise not_found("question")
    if context.account_id is None or context.account_id in question.flagged_by or question.version >= MAX_EVENTS:
        return []
    flagged = marketplace.QuestionFlagged(**next_event(question, context), reason=reason)
    if len(question.flagged_by) + 1 < FLAGS_TO_HIDE:
        return [flagged]
    system = CommandContext(context.at)
    hidden = next_event(question, system, after=1)
    return [flagged, marketplace.QuestionHidden(**hidden, reason=f"{FLAGS_TO_HIDE} members flagged it.")]


def hide(question: Question | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    """Hides the question by decision of an admin who is neither its author nor its recipient."""
    question = _require_moderatable(question, context)
    if question.decided:
        return []
    return [marketplace.QuestionHidden(**next_event(question, context), reason=reason)]


def restore(question: Question | None, context: CommandContext) -> list[DomainEvent]:
    question = _require_moderatable(question, context)
    if not question.hidden and not question.flagged_by:
        return []
    return [marketplace.QuestionRestored(**next_event(question, context))]


def evolve_question(question: Question | None, event: DomainEvent) -> Question:
    if isinstance(event, marketplace.QuestionAsked):
        return Question(event.originator_id, 1, event.listing_id, event.seller_id, event.author_id)
    question = advanced(question, event)
    match event:
        case marketplace.QuestionAnswered():
            return replace(question, answered=True)
        case marketplace.QuestionFlagged():
            by = {event.actor_id} if event.actor_id is not None else set()
            return replace(question, flagged_by=question.flagged_by | by)
        case marketplace.QuestionHidden():
            return replace(question, hidden=True, decided=event.actor_id is not None)
        case marketplace.QuestionRestored():
            return replace(question, hidden=False, decided=False, flagged_by=frozenset())
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to questions")


def watch(
    entry: WatchlistEntry | None, account_id: UUID, listing_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    if entry is not None and entry.on:
        return []
    watch_id, version = listing_watch_id(account_id, listing_id), entry.version if entry is not None else 0
    return [
        marketplace.WatchBegan(
            **event_metadata(watch_id, version, context), account_id=account_id, listing_id=listing_id
        )
    ]


def unwatch(entry: WatchlistEntry | None, context: CommandContext) -> list[DomainEvent]:
    if entry is None or not entry.on:
        return []
    return [marketplace.WatchEnded(**next_event(entry, context))]


evolve_watch: Final = (
    Evolution(WatchlistEntry).begins(marketplace.WatchBegan, on=True).begins(marketplace.WatchEnded, on=False)
)


def save(search_id: UUID, search: str, criteria: SearchCriteria, context: CommandContext) -> marketplace.SearchSaved:
    account_id = context.require_account()
    if criteria.min_price is not None and criteria.max_price is not None and criteria.min_price > criteria.max_price:
        raise invalid("bad_range", "The lowest price is above the highest one.", "minPrice")
    saved = first_event(search_id, context)
    return marketplace.SearchSaved(**saved, account_id=account_id, search=search, criteria=criteria)


def end_search(
    found: SavedSearch | None, way: Literal["page", "one_click", "erased"], context: CommandContext
) -> list[DomainEvent]:
    if found is None or not context.may_act_for(found.account_id):
        raise not_found("saved search")
    if found.ended:
        return []
    return [marketplace.SavedSearchEnded(**next_event(found, context), way=way)]


evolve_search: Final = (
    Evolution(SavedSearch)
    .begins(marketplace.SearchSaved, at="saved_at")
    .follows(marketplace.SavedSearchEnded, ended=True)
)


def _require_moderatable(question: Question | None, context: CommandContext) -> Question:
    question = require_found(question, "question")
    if context.account_id in (question.seller_id, question.author_id):
        raise CommandRejected(
            "forbidden", "own_question", "You are one of the two sides: another admin has to review this."
        )
    return question
