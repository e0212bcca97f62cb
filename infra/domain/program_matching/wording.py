"""A language model's words for programs, as they are kept and shown.

What a program has for and against it comes from the parts of its score, in sentences of our own. A model may word those
sentences anew, and say in one why the program may suit the idea. Its words are kept beside the sentence that they stand
for: they are shown exactly as long as our own sentence is the same, whatever becomes of the facts later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from infra.matching.scoring import Match, cons, evidence, pros
from schemas.base import ERASED


@dataclass(frozen=True, slots=True)
class ModelWords:
    """What a model says of one program. `of`: of which evidence `why` was said; `said`: its words by ours."""

    of: str
    why: str
    said: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """A program's reasons as they are shown."""

    why: str | None
    pros: list[str]
    cons: list[str]
    by_model: bool


def told(match: Match, words: ModelWords | None) -> Told:
    """In the model's words where there are some for what is so today, else in ours."""
    ours = pros(match), cons(match)
    if words is None:
        return Told(None, *ours, by_model=False)
    why = words.why if words.why and words.of == fingerprint(match) else None
    speaks_for, against = ([words.said.get(text, text) for text in texts] for texts in ours)
    return Told(why, speaks_for, against, by_model=why is not None or (speaks_for, against) != ours)


def fingerprint(match: Match) -> str:
    """Of what is known of the program: other evidence, another fingerprint."""
    return sha256("\n".join(evidence(match)).encode()).hexdigest()[:16]


def kept(words: Mapping[UUID, ModelWords]) -> str:
    """As it stands in an event and in a row: JSON."""
    state = {str(id): {"of": one.of, "why": one.why, "said": dict(one.said)} for id, one in words.items()}
    return json.dumps(state, ensure_ascii=False)


def read(text: str) -> Mapping[UUID, ModelWords]:
    """What `kept` made; nothing of what was erased."""
    if not text or text == ERASED:
        return {}
    return {UUID(id): ModelWords(**one) for id, one in json.loads(text).items()}
