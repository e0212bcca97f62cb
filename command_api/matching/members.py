"""Aggregates of a member: business idea, applications to programs, finished lessons. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, require_found
from command_api.kernel.decision import CommandContext, conflict, event_metadata, invalid, not_found, require_existing
from command_api.matching.profile import AnalyzedIdea, wording
from command_api.matching.programs.model import ListedProgram
from schemas.base import DomainEvent
from schemas.events import matching
from schemas.events.matching import ApplicationStatus
from schemas.evolution import Evolution, UnexpectedEvent
from schemas.identity import application_id, learning_id, matching_profile_id

MIN_IDEA_LENGTH: Final = 10
MAX_IDEA_LENGTH: Final = 4_000
MAX_NOTE_LENGTH: Final = 1_000
MAX_STEPS: Final = 1_000
"""Events of one application: followed links and status changes."""
MAX_FOLLOWED: Final = MAX_STEPS - 100
"""Beyond this, only status changes are recorded."""
MAX_LESSONS: Final = 1_000
MAX_LESSON_CHANGES: Final = 5_000

NEXT: Final[Mapping[ApplicationStatus, frozenset[ApplicationStatus]]] = {
    "applied": frozenset({"in_review", "approved", "rejected", "withdrawn"}),
    "in_review": frozenset({"approved", "rejected", "withdrawn"}),
    "approved": frozenset({"withdrawn", "rejected"}),
    "rejected": frozenset({"applied", "in_review", "approved"}),
    "withdrawn": frozenset({"applied"}),
}
"""Allowed status changes. A program may revoke an approval; a rejected member may apply again."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class MatchingProfile:
    """`analyzed`: the version at which the idea was; `is_worded`: a model worded the programs for it since."""

    version: int
    analyzed: int
    idea: str
    industry: str
    by_model: bool
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Application:
    """State of one member's application to one program."""

    id: UUID
    version: int
    account_id: UUID
    program_id: UUID
    status: ApplicationStatus = "applied"


@dataclass(frozen=True, slots=True)
class Learning:
    """State of one member's finished lessons. `done`: pairs of course and lesson."""

    version: int
    done: frozenset[tuple[str, str]]


def idea_text(text: str) -> str:
    """The idea, with control characters as spaces. Raises `CommandRejected` (spec §5: at least 10 characters after
    trimming)."""
    text = _CONTROL.sub(" ", text).strip()
    if len(text) < MIN_IDEA_LENGTH:
        message = f"Please provide a more detailed business idea (at least {MIN_IDEA_LENGTH} characters)"
        raise invalid("idea_too_short", message, "businessIdea")
    if len(text) > MAX_IDEA_LENGTH:
        raise invalid("idea_too_long", f"A business idea has at most {MAX_IDEA_LENGTH:,} characters.", "businessIdea")
    return text


def record_analysis(
    profile: MatchingProfile | None, account_id: UUID, idea: str, understood: AnalyzedIdea, context: CommandContext
) -> matching.BusinessAnalyzed:
    """Records the latest analysis as the profile."""
    analysis = understood.analysis
    return matching.BusinessAnalyzed(
        **event_metadata(matching_profile_id(account_id), profile.version if profile is not None else 0, context),
        account_id=account_id,
        business_idea=idea,
        industry=analysis.industry,
        difficulty=analysis.difficulty,
        monetization=analysis.monetization,
        wording=wording(analysis),
        method=understood.method,
        silent=understood.silence,
    )


def record_wording(
    profile: MatchingProfile, account_id: UUID, words: str, silent: str, context: CommandContext
) -> matching.RecommendationsWorded:
    """Records the wording of a language model. `words`: as `infra.domain.program_matching.wording` keeps them."""
    worded = event_metadata(matching_profile_id(account_id), profile.version, context)
    return matching.RecommendationsWorded(**worded, account_id=account_id, words=words, silent=silent)


def apply(
    application: Application | None, listing: ListedProgram | None, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Applies to a program, once, and again after a rejection or withdrawal. A retired program accepts no new
    applications."""
    listing = require_found(listing, "program")
    if application is None:
        if listing.retired:
            raise conflict("program_retired", f"{listing.program.company_name} is no longer in the directory.")
        made = first_event(application_id(account_id, listing.id), context)
        return [matching.ApplicationMade(**made, account_id=account_id, program_id=listing.id)]
    if application.status in ("rejected", "withdrawn"):
        return move(application, "applied", "", account_id, context)
    return []


def follow(application: Application | None, account_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Records that the tracked link was followed, up to `MAX_FOLLOWED`."""
    application = require_own(application, account_id)
    if application.version >= MAX_FOLLOWED:
        return []
    return [matching.ApplicationPageOpened(**next_event(application, context), account_id=account_id)]


def move(
    application: Application | None, status: ApplicationStatus, note: str, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Changes the status as reported by the member; with the same status adds a note."""
    application, note = require_own(application, account_id), note.strip()
    if len(note) > MAX_NOTE_LENGTH:
        raise invalid("note_too_long", f"A note has at most {MAX_NOTE_LENGTH:,} characters.", "note")
    if status == application.status:
        if not note:
            return []
    elif status not in NEXT[application.status]:
        words = status.replace("_", " "), application.status.replace("_", " ")
        raise conflict("bad_step", f"An application cannot become {words[0]} when it is {words[1]}.", "status")
    _require_capacity(application)
    moved = next_event(application, context)
    return [matching.ApplicationMoved(**moved, account_id=account_id, status=status, note=note)]


def complete(
    learning: Learning | None, course: str, lesson: str, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    learning = learning or Learning(0, frozenset())
    key = _slug(course, "course"), _slug(lesson, "lesson")
    if key in learning.done:
        return []
    if len(learning.done) >= MAX_LESSONS or learning.version >= MAX_LESSON_CHANGES:
        raise conflict(
            "too_many_lessons", f"The maximum is {MAX_LESSONS:,} lessons and {MAX_LESSON_CHANGES:,} changes."
        )
    done = event_metadata(learning_id(account_id), learning.version, context)
    return [matching.LessonCompleted(**done, account_id=account_id, course=key[0], lesson=key[1])]


def reopen(
    learning: Learning | None, course: str, lesson: str, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    if learning is None or (course, lesson) not in learning.done:
        return []
    opened = event_metadata(learning_id(account_id), learning.version, context)
    return [matching.LessonReopened(**opened, account_id=account_id, course=course, lesson=lesson)]


def require_profile(profile: MatchingProfile | None) -> MatchingProfile:
    """Raises `CommandRejected` (conflict) without an idea."""
    if profile is None:
        raise conflict("no_idea", "Please describe your business idea first.")
    return profile


def require_own(application: Application | None, account_id: UUID) -> Application:
    """Raises `CommandRejected` (missing), also for another account's."""
    if application is None or application.account_id != account_id:
        raise not_found("application")
    return application


def evolve_profile(profile: MatchingProfile | None, event: DomainEvent) -> MatchingProfile:
    if isinstance(event, matching.BusinessAnalyzed):
        version = event.originator_version
        return MatchingProfile(version, version, event.business_idea, event.industry, event.method == "model")
    if isinstance(event, matching.RecommendationsWorded):
        return replace(require_existing(profile, event), version=event.originator_version, is_worded=not event.silent)
    raise UnexpectedEvent(f"{event.NAME} does not happen to matching profiles")


evolve_application: Final = (
    Evolution(Application)
    .begins(matching.ApplicationMade)
    .follows(matching.ApplicationMoved, but="account_id")
    .ignores(matching.ApplicationPageOpened)
)


def evolve_learning(learning: Learning | None, event: DomainEvent) -> Learning:
    done = learning.done if learning is not None else frozenset()
    match event:
        case matching.LessonCompleted():
            return Learning(event.originator_version, done | {(event.course, event.lesson)})
        case matching.LessonReopened():
            return Learning(event.originator_version, done - {(event.course, event.lesson)})
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to what an account learns")


def _require_capacity(application: Application) -> None:
    if application.version >= MAX_STEPS:
        raise conflict("too_long", f"This application has reached the maximum of {MAX_STEPS:,} steps.")


def _slug(text: str, field: str) -> str:
    if len(text) > 80 or not _SLUG.fullmatch(text):
        raise invalid("bad_slug", f"A {field} has lower-case letters, digits and hyphens only.", field)
    return text
