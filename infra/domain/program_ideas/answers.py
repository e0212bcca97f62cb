"""The answers that a member gives before ideas are generated, as they are stored, and the reasons to dismiss an idea.
Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from infra.domain.program_ideas.niches import SKILLS, Skill
from schemas.base import ERASED
from schemas.events.matching import DismissReason

LANGUAGES: Final[Mapping[str, str]] = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "sv": "Swedish", "da": "Danish", "nb": "Norwegian", "is": "Icelandic", "fi": "Finnish",
    "pl": "Polish", "cs": "Czech", "ja": "Japanese",
}  # fmt: skip
MAX_INTERESTS: Final = 10
MAX_INTEREST_LENGTH: Final = 80
MAX_LANGUAGES: Final = 5
MAX_HOURS: Final = 80
MAX_MONEY: Final = 100_000


@dataclass(frozen=True, slots=True)
class Answers:
    """`hours`: per week; `money`: to start, major units of USD."""

    interests: tuple[str, ...]
    skills: tuple[Skill, ...]
    languages: tuple[str, ...]
    hours: int
    money: int

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Dismissal:
    """`idea`: key of its niche."""

    idea: str
    reason: DismissReason


def answers_of(text: str) -> Answers | None:
    """Reads what `to_json` made; None for an erased text."""
    if not text or text == ERASED:
        return None
    content: dict[str, Any] = json.loads(text)
    return Answers(
        tuple(content["interests"]),
        tuple(cast("Skill", skill) for skill in content["skills"] if skill in SKILLS),
        tuple(code for code in content["languages"] if code in LANGUAGES),
        content["hours"],
        content["money"],
    )
