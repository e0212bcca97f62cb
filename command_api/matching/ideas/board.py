"""Aggregate of a member's business ideas: what it answered, and which ideas it saved or dismissed. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, conflict, event_metadata, invalid, not_found
from infra.domain.program_ideas.answers import (
    LANGUAGES,
    MAX_HOURS,
    MAX_INTEREST_LENGTH,
    MAX_INTERESTS,
    MAX_LANGUAGES,
    MAX_MONEY,
    Answers,
    answers_of,
)
from infra.domain.program_ideas.niches import SKILLS, niches
from schemas.base import DomainEvent
from schemas.events import matching
from schemas.events.matching import DismissReason
from schemas.evolution import UnexpectedEvent
from schemas.identity import idea_board_id

MAX_NOTE_LENGTH: Final = 500
MAX_CHANGES: Final = 5_000
"""Events of one account's ideas."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Dismissed:
    """The reason for which an idea was dismissed."""

    reason: DismissReason
    note: str


@dataclass(frozen=True, slots=True)
class IdeaBoard:
    """`requested`: the version at which the last round was; `is_worded`: a model worded that round. `chosen`: saved
    ideas (none) and dismissed ones, by key."""

    version: int = 0
    requested: int = 0
    answers: Answers | None = None
    is_worded: bool = False
    chosen: Mapping[str, Dismissed | None] = field(default_factory=dict)


def validated(answers: Answers) -> Answers:
    """The normalized answers. Raises `CommandRejected`."""
    plain = (" ".join(_CONTROL.sub(" ", interest).split()) for interest in answers.interests)
    interests = tuple(dict.fromkeys(interest for interest in plain if interest))
    if not interests:
        raise invalid("no_interest", "Enter at least one interest.", "interests")
    if len(interests) > MAX_INTERESTS or any(len(interest) > MAX_INTEREST_LENGTH for interest in interests):
        limits = f"Enter at most {MAX_INTERESTS} interests of up to {MAX_INTEREST_LENGTH} characters."
        raise invalid("bad_interests", limits, "interests")
    skills, languages = tuple(dict.fromkeys(answers.skills)), tuple(dict.fromkeys(answers.languages))
    if not set(skills) <= set(SKILLS):
        raise invalid("bad_skill", "Choose skills from the list.", "skills")
    if not set(languages) <= LANGUAGES.keys() or not 1 <= len(languages) <= MAX_LANGUAGES:
        raise invalid("bad_language", f"Choose 1 to {MAX_LANGUAGES} languages from the list.", "languages")
    if not 1 <= answers.hours <= MAX_HOURS:
        raise invalid("bad_hours", f"Enter 1 to {MAX_HOURS} hours a week.", "hours")
    if not 0 <= answers.money <= MAX_MONEY:
        raise invalid("bad_money", f"Enter an amount of up to {MAX_MONEY:,} USD.", "money")
    return Answers(interests, skills, languages, answers.hours, answers.money)


def request(board: IdeaBoard | None, answers: Answers, account_id: UUID, context: CommandContext) -> DomainEvent:
    """Begins a new round, also with the same answers: it heeds what was dismissed since."""
    answers = validated(answers)
    fields = event_metadata(idea_board_id(account_id), _with_capacity(board).version, context)
    return matching.IdeasRequested(**fields, account_id=account_id, answers=answers.to_json())


def word(board: IdeaBoard, words: str, silent: str, account_id: UUID, context: CommandContext) -> DomainEvent:
    """Records a language model's wording. `words`: as `infra.domain.program_ideas.wording` keeps them."""
    fields = event_metadata(idea_board_id(account_id), _with_capacity(board).version, context)
    return matching.IdeasWorded(**fields, account_id=account_id, words=words, silent=silent)


def save(board: IdeaBoard | None, idea: str, account_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Saves an idea, also one that was dismissed."""
    board = _with_idea(board, idea)
    if idea in board.chosen and board.chosen[idea] is None:
        return []
    fields = event_metadata(idea_board_id(account_id), _with_capacity(board).version, context)
    return [matching.IdeaSaved(**fields, account_id=account_id, idea=idea)]


def dismiss(
    board: IdeaBoard | None, idea: str, reason: DismissReason, note: str, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Dismisses an idea, also one that was saved. `other` needs a note."""
    board, note = _with_idea(board, idea), _CONTROL.sub(" ", note).strip()
    if len(note) > MAX_NOTE_LENGTH:
        raise invalid("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.", "note")
    if reason == "other" and not note:
        raise invalid("note_missing", "Enter the reason.", "note")
    if board.chosen.get(idea) == Dismissed(reason, note):
        return []
    fields = event_metadata(idea_board_id(account_id), _with_capacity(board).version, context)
    return [matching.IdeaDismissed(**fields, account_id=account_id, idea=idea, reason=reason, note=note)]


def release(board: IdeaBoard | None, idea: str, account_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Makes an idea neither saved nor dismissed; the reason of its dismissal no longer counts."""
    board = _with_idea(board, idea)
    if idea not in board.chosen:
        return []
    fields = event_metadata(idea_board_id(account_id), _with_capacity(board).version, context)
    return [matching.IdeaReleased(**fields, account_id=account_id, idea=idea)]


def require_round(board: IdeaBoard | None) -> IdeaBoard:
    """Raises `CommandRejected` (conflict) before the first round."""
    if board is None or board.answers is None:
        raise conflict("no_ideas", "Please answer the questions first.")
    return board


def evolve(board: IdeaBoard | None, event: DomainEvent) -> IdeaBoard:
    board = replace(board or IdeaBoard(), version=event.originator_version)
    match event:
        case matching.IdeasRequested():
            return replace(board, requested=board.version, answers=answers_of(event.answers), is_worded=False)
        case matching.IdeasWorded():
            return replace(board, is_worded=not event.silent)
        case matching.IdeaSaved():
            return replace(board, chosen={**board.chosen, event.idea: None})
        case matching.IdeaDismissed():
            return replace(board, chosen={**board.chosen, event.idea: Dismissed(event.reason, event.note)})
        case matching.IdeaReleased():
            return replace(board, chosen={key: one for key, one in board.chosen.items() if key != event.idea})
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to business ideas")


def _with_idea(board: IdeaBoard | None, idea: str) -> IdeaBoard:
    if idea not in niches():
        raise not_found("idea")
    return require_round(board)


def _with_capacity(board: IdeaBoard | None) -> IdeaBoard:
    board = board or IdeaBoard()
    if board.version >= MAX_CHANGES:
        raise conflict("too_many_changes", f"Your ideas have reached the maximum of {MAX_CHANGES:,} changes.")
    return board
