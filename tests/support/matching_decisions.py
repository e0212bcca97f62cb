"""One of every decided event of matching and of the learning hub, as a small history that hangs together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID, uuid5

from infra.domain.program_ideas.answers import Answers
from schemas.base import DomainEvent, Money
from schemas.events import matching

Encrypt = Callable[[UUID, str, str], str]
LONG_TEXT = "An idea that is longer than what an audit keeps of texts as they are: it is compared by a digest of it."
ANSWERS = Answers((LONG_TEXT,), ("writing",), ("en",), 5, 100)
DAY = date(2026, 11, 21)


def matching_history(
    encrypt: Encrypt, in_order: Callable[..., list[DomainEvent]], root: UUID, member: UUID, leaver: UUID
) -> list[DomainEvent]:
    """A program, to which `member` and `leaver` apply. `in_order` makes the events of one aggregate."""

    def key(name: str) -> UUID:
        return uuid5(root, f"matching {name}")

    facts = matching.Program(
        company_name="Kibble", category="pets", description="Food.", url="https://k.example/", commission_type="flat",
        commission_amount=Money(amount=1_050, currency="USD"), cookie_days=30, approval="easy", payment="monthly",
        source="Its page",
    )  # fmt: skip
    hybrid = facts.model_copy(update={"commission_type": "hybrid", "commission_bp": 500, "cookie_days": 7})
    changed = (matching.ProgramChanged, {"program": hybrid, "origin": "csv"})

    def analyzed(who: UUID) -> tuple[type[DomainEvent], dict[str, Any]]:
        idea, wording = encrypt(who, "business_idea", LONG_TEXT), encrypt(who, "wording", "{}")
        values = {"business_idea": idea, "industry": "pets", "difficulty": "easy", "monetization": "low"}
        return matching.BusinessAnalyzed, {**values, "account_id": who, "wording": wording, "method": "model"}

    def worded(who: UUID, silent: str) -> tuple[type[DomainEvent], dict[str, Any]]:
        words = encrypt(who, "words", "{}" if silent else LONG_TEXT)
        return matching.RecommendationsWorded, {"account_id": who, "words": words, "silent": silent}

    def ideas(who: UUID) -> list[DomainEvent]:
        def said(name: str, text: str = LONG_TEXT) -> dict[str, Any]:
            return {"account_id": who, name: encrypt(who, name, text)}

        dogs, cats = {"idea": "pets.city-dogs"}, {"idea": "pets.indoor-cats"}
        return in_order(
            key(f"ideas of {who}"),
            (matching.IdeasRequested, said("answers", ANSWERS.to_json())),
            (matching.IdeasWorded, {**said("words"), "silent": ""}),
            (matching.IdeaSaved, {"account_id": who, **dogs}),
            (matching.IdeaDismissed, {**said("note", "Allergic"), **cats, "reason": "other"}),
            (matching.IdeaSaved, {"account_id": who, "idea": "home.small-balconies"}),
            (matching.IdeaReleased, {"account_id": who, "idea": "home.small-balconies"}),
        )

    def applied(who: UUID) -> list[DomainEvent]:
        note = encrypt(who, "note", "They wrote back")
        return in_order(
            key(f"application {who}"),
            (matching.ApplicationMade, {"account_id": who, "program_id": key("program")}),
            (matching.ApplicationPageOpened, {"account_id": who}),
            (matching.ApplicationMoved, {"account_id": who, "status": "approved", "note": note}),
        )

    def lesson(name: str) -> dict[str, Any]:
        return {"account_id": member, "course": "first", "lesson": name}

    return [
        *in_order(
            key("program"),
            (
                matching.ProgramListed,
                {"program": facts, "origin": "starter", "recorded_on": DAY, "checked_on": None, "review_on": DAY},
            ),
            changed,
            (matching.ProgramReviewed, {"checked_on": DAY, "review_on": date(2027, 5, 20)}),
            (matching.ProgramRetired, {}),
            (matching.ProgramRestored, {}),
        ),
        *in_order(key("profile"), analyzed(member), worded(member, "budget"), worded(member, "")),
        *in_order(key("profile of the leaver"), analyzed(leaver), worded(leaver, "")),
        *ideas(member),
        *ideas(leaver),
        *applied(member),
        *applied(leaver),
        *in_order(
            key("lessons"),
            (matching.LessonCompleted, lesson("one")),
            (matching.LessonCompleted, lesson("two")),
            (matching.LessonReopened, lesson("one")),
        ),
    ]
