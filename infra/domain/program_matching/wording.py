"""A language model's wording of reasons for programs, as it is stored and shown.

Pros and cons of a program come from the parts of its score, as rule-based sentences. A model may reword those
sentences, and add one on why the program may suit the idea. Its wording is stored with the sentence that it replaces,
and is shown only while the rule-based sentence is unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from uuid import UUID

from infra.domain.program_matching.scoring import Match, cons, evidence, pros
from schemas.base import ERASED


@dataclass(frozen=True, slots=True)
class ModelWords:
    """A model's wording for one program. `of`: fingerprint of the evidence for `why`; `said`: its sentence by the
    rule-based one."""

    of: str
    why: str
    said: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ProgramReasons:
    """A program's reasons as they are shown."""

    why: str | None
    pros: list[str]
    cons: list[str]
    by_model: bool


def narrative(match: Match, words: ModelWords | None) -> ProgramReasons:
    """The reasons in the model's wording where it still applies, else rule-based."""
    ours = pros(match), cons(match)
    if words is None:
        return ProgramReasons(None, *ours, by_model=False)
    why = words.why if words.why and words.of == fingerprint(match) else None
    speaks_for, against = ([words.said.get(text, text) for text in texts] for texts in ours)
    return ProgramReasons(why, speaks_for, against, by_model=why is not None or (speaks_for, against) != ours)


def fingerprint(match: Match) -> str:
    """Hash of the program's evidence: other evidence, another fingerprint."""
    return sha256("\n".join(evidence(match)).encode()).hexdigest()[:16]


def to_json(words: Mapping[UUID, ModelWords]) -> str:
    """The JSON form for events and rows."""
    return json.dumps({str(id): asdict(one) for id, one in words.items()}, ensure_ascii=False)


def from_json(text: str) -> Mapping[UUID, ModelWords]:
    """Reads what `to_json` made; nothing from an erased text."""
    if not text or text == ERASED:
        return {}
    return {UUID(id): ModelWords(**one) for id, one in json.loads(text).items()}
