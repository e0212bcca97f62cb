"""The catalogue of niches (`niches.json`): what people search there, and estimates of competition, season and effort.

The niches are those of the taxonomy. Every estimate has its reason beside it and is editorial: nobody measured it. It
is a level, a month or a rounded amount, never a figure that looks measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, get_args

from infra.domain.program_matching.taxonomy import Industry, taxonomy
from infra.domain.program_matching.words import stems

Level = Literal["low", "medium", "high"]
Skill = Literal[
    "writing", "testing", "photo", "video", "programming", "numbers", "teaching", "design", "social", "search"
]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
SKILLS: Final[tuple[Skill, ...]] = get_args(Skill)
SOURCE: Final = "Editorial estimate of the niche catalogue (November 2026), not measured"


@dataclass(frozen=True, slots=True)
class Niche:
    """One niche. `hours`: per week, to publish regularly; `money`: to start, major units of USD; `order_value`: of a
    typical sale in its industry, the same."""

    key: str
    industry: Industry
    name: str
    idea: str
    readers: str
    competition: Level
    competition_reason: str
    months: tuple[int, ...]
    season_reason: str
    hours: int
    money: int
    effort_reason: str
    skills: tuple[Skill, ...]
    queries: tuple[str, ...]
    informational: tuple[str, ...]
    commercial: tuple[str, ...]
    order_value: int
    order_reason: str

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its name, its idea and what people search."""
        return frozenset(stems(" . ".join((self.name, self.idea, *self.queries))))


@cache
def niches() -> Mapping[str, Niche]:
    """Every niche by its key, in the order of the taxonomy. Raises `KeyError` if the catalogue misses one."""
    industries: dict[str, Any] = json.loads((files("infra.domain.program_ideas") / "niches.json").read_text("utf-8"))[
        "industries"
    ]
    all_niches = (
        _niche(industry, niche.name, niche.idea, industries[industry.key])
        for industry in taxonomy().values()
        for niche in industry.niches
    )
    return {niche.key: niche for niche in all_niches}


def _niche(industry: Industry, name: str, idea: str, entry: Mapping[str, Any]) -> Niche:
    facts, order = entry["niches"][name], entry["order_value"]
    lists = {key: tuple(facts[key]) for key in ("skills", "queries", "informational", "commercial")}
    return Niche(
        key=f"{industry.key}.{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}",
        industry=industry,
        name=name,
        idea=idea,
        readers=facts["readers"],
        competition=facts["competition"]["level"],
        competition_reason=facts["competition"]["reason"],
        months=tuple(facts["season"]["months"]),
        season_reason=facts["season"]["reason"],
        hours=facts["effort"]["hours"],
        money=facts["effort"]["money"],
        effort_reason=facts["effort"]["reason"],
        order_value=order["usd"],
        order_reason=order["reason"],
        **lists,
    )
