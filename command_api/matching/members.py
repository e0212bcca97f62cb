"""What a member keeps of matching: the business idea, applications to programs, lessons learnt. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.matching.programs import Listing, there
from command_api.matching.understanding import Understood, wording
from schemas.base import DomainEvent
from schemas.events.matching import (
    ApplicationMade,
    ApplicationMoved,
    ApplicationPageOpened,
    ApplicationStatus,
    BusinessAnalyzed,
    LessonCompleted,
    LessonReopened,
    RecommendationsWorded,
)
from schemas.identity import application_id, learning_id, matching_profile_id

LEAST_IDEA: Final = 10
MOST_IDEA: Final = 4_000
MOST_NOTE: Final = 1_000
MOST_STEPS: Final = 1_000
"""Of one application: how often its link was followed, and what became of it."""
MOST_FOLLOWED: Final = MOST_STEPS - 100
"""Beyond, only what became of it is still written down."""
MOST_LESSONS: Final = 1_000
MOST_MARKS: Final = 5_000

NEXT: Final[Mapping[ApplicationStatus, frozenset[ApplicationStatus]]] = {
    "applied": frozenset({"in_review", "approved", "rejected", "withdrawn"}),
    "in_review": frozenset({"approved", "rejected", "withdrawn"}),
    "approved": frozenset({"withdrawn", "rejected"}),
    "rejected": frozenset({"applied", "in_review", "approved"}),
    "withdrawn": frozenset({"applied"}),
}
"""What may become of an application. An approval can be taken back by the program; who was refused may ask again."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Profile:
    """`analyzed`: the version at which the idea was; `is_worded`: a model worded the programs for it since."""

    version: int
    analyzed: int
    idea: str
    industry: str
    by_model: bool
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Application:
    id: UUID
    version: int
    account_id: UUID
    program_id: UUID
    status: ApplicationStatus = "applied"


@dataclass(frozen=True, slots=True)
class Learning:
    version: int
    done: frozenset[tuple[str, str]]


def idea_text(text: str) -> str:
    """The idea as it counts, control characters as spaces. Raises `Refused` (spec §5: at least 10 characters after
    trimming)."""
    text = _CONTROL.sub(" ", text).strip()
    if len(text) < LEAST_IDEA:
        message = f"Please provide a more detailed business idea (at least {LEAST_IDEA} characters)"
        raise invalid("idea_too_short", message, "businessIdea")
    if len(text) > MOST_IDEA:
        raise invalid("idea_too_long", f"A business idea has at most {MOST_IDEA:,} characters.", "businessIdea")
    return text


def keep_analysis(
    profile: Profile | None, account_id: UUID, idea: str, understood: Understood, asked: Asked
) -> BusinessAnalyzed:
    """The profile is what was analyzed last."""
    analysis = understood.analysis
    return BusinessAnalyzed(
        **step(matching_profile_id(account_id), profile.version if profile is not None else 0, asked),
        account_id=account_id,
        business_idea=idea,
        industry=analysis.industry,
        difficulty=analysis.difficulty,
        monetization=analysis.monetization,
        wording=wording(analysis),
        method=understood.method,
        silent=understood.silence,
    )


def keep_words(profile: Profile, account_id: UUID, words: str, silent: str, asked: Asked) -> RecommendationsWorded:
    """What came of asking a model for words. `words`: as `infra.matching.wording` keeps them."""
    worded = step(matching_profile_id(account_id), profile.version, asked)
    return RecommendationsWorded(**worded, account_id=account_id, words=words, silent=silent)


def apply(
    application: Application | None, listing: Listing | None, account_id: UUID, asked: Asked
) -> list[DomainEvent]:
    """An account applies to a program once, and anew after a refusal or a withdrawal. A retired program takes no new
    applications."""
    listing = there(listing)
    if application is None:
        if listing.retired:
            raise conflict("program_retired", f"{listing.program.company_name} is no longer in the directory.")
        made = step(application_id(account_id, listing.id), 0, asked)
        return [ApplicationMade(**made, account_id=account_id, program_id=listing.id)]
    if application.status in ("rejected", "withdrawn"):
        return move(application, "applied", "", account_id, asked)
    return []


def follow(application: Application | None, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    """The tracked link is followed. What can be counted no more, is followed all the same."""
    application = own(application, account_id)
    if application.version >= MOST_FOLLOWED:
        return []
    return [ApplicationPageOpened(**step(application.id, application.version, asked), account_id=account_id)]


def move(
    application: Application | None, status: ApplicationStatus, note: str, account_id: UUID, asked: Asked
) -> list[DomainEvent]:
    """What became of it, as the member says; with the same state a note alone."""
    application, note = own(application, account_id), note.strip()
    if len(note) > MOST_NOTE:
        raise invalid("note_too_long", f"A note has at most {MOST_NOTE:,} characters.", "note")
    if status == application.status:
        if not note:
            return []
    elif status not in NEXT[application.status]:
        words = status.replace("_", " "), application.status.replace("_", " ")
        raise conflict("bad_step", f"An application cannot become {words[0]} when it is {words[1]}.", "status")
    _has_room(application)
    moved = step(application.id, application.version, asked)
    return [ApplicationMoved(**moved, account_id=account_id, status=status, note=note)]


def complete(learning: Learning | None, course: str, lesson: str, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    learning = learning or Learning(0, frozenset())
    key = _slug(course, "course"), _slug(lesson, "lesson")
    if key in learning.done:
        return []
    if len(learning.done) >= MOST_LESSONS or learning.version >= MOST_MARKS:
        raise conflict("too_many_lessons", f"At most {MOST_LESSONS:,} lessons are kept, and {MOST_MARKS:,} changes.")
    done = step(learning_id(account_id), learning.version, asked)
    return [LessonCompleted(**done, account_id=account_id, course=key[0], lesson=key[1])]


def reopen(learning: Learning | None, course: str, lesson: str, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    if learning is None or (course, lesson) not in learning.done:
        return []
    opened = step(learning_id(account_id), learning.version, asked)
    return [LessonReopened(**opened, account_id=account_id, course=course, lesson=lesson)]


def own(application: Application | None, account_id: UUID) -> Application:
    """Raises `Refused` (missing) for somebody else's, too."""
    if application is None or application.account_id != account_id:
        raise missing("application")
    return application


def evolve_profile(profile: Profile | None, event: DomainEvent) -> Profile:
    if isinstance(event, BusinessAnalyzed):
        version = event.originator_version
        return Profile(version, version, event.business_idea, event.industry, event.method == "model")
    if isinstance(event, RecommendationsWorded):
        return replace(begun(profile, event), version=event.originator_version, is_worded=not event.silent)
    raise AnotherKind(f"{event.NAME} does not happen to matching profiles")


def evolve_application(application: Application | None, event: DomainEvent) -> Application:
    if isinstance(event, ApplicationMade):
        return Application(event.originator_id, event.originator_version, event.account_id, event.program_id)
    application = replace(begun(application, event), version=event.originator_version)
    match event:
        case ApplicationPageOpened():
            return application
        case ApplicationMoved():
            return replace(application, status=event.status)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to applications")


def evolve_learning(learning: Learning | None, event: DomainEvent) -> Learning:
    done = learning.done if learning is not None else frozenset()
    match event:
        case LessonCompleted():
            return Learning(event.originator_version, done | {(event.course, event.lesson)})
        case LessonReopened():
            return Learning(event.originator_version, done - {(event.course, event.lesson)})
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to what an account learns")


def _has_room(application: Application) -> None:
    if application.version >= MOST_STEPS:
        raise conflict("too_long", f"This application has {MOST_STEPS:,} steps, which is the most that one can have.")


def _slug(text: str, field: str) -> str:
    if len(text) > 80 or not _SLUG.fullmatch(text):
        raise invalid("bad_slug", f"A {field} is named by lower-case letters, digits and hyphens.", field)
    return text
