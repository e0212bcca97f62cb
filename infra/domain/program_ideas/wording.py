"""A language model's wording of ideas, as it is stored and shown.

A model may say whom an idea is for and why in other words, and add article titles. It adds no number and no company.
Its texts are shown only while the catalogue's niche is unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from infra.domain.program_ideas.niches import Niche
from schemas.base import ERASED


@dataclass(frozen=True, slots=True)
class IdeaWords:
    """A model's texts for one idea. `of`: fingerprint of the niche; empty texts were not valid."""

    of: str
    pitch: str
    audience: str
    titles: tuple[str, ...]


def evidence(niche: Niche) -> tuple[str, ...]:
    """The texts of a niche: all that a model's text may contain."""
    return (
        niche.name, niche.idea, niche.readers, niche.industry.label, niche.industry.audience, *niche.queries,
        *niche.informational, *niche.commercial,
    )  # fmt: skip


def fingerprint(niche: Niche) -> str:
    """Hash of the evidence: other evidence, another fingerprint."""
    return sha256("\n".join(evidence(niche)).encode()).hexdigest()[:16]


def to_json(words: Mapping[str, IdeaWords]) -> str:
    """The JSON form for events and rows, by key of the niche."""
    return json.dumps({key: asdict(one) for key, one in words.items()}, ensure_ascii=False)


def from_json(text: str) -> Mapping[str, IdeaWords]:
    """Reads what `to_json` made; nothing from an erased text."""
    if not text or text == ERASED:
        return {}
    return {key: IdeaWords(**{**one, "titles": tuple(one["titles"])}) for key, one in json.loads(text).items()}
