"""Business ideas as both APIs answer them. Their names in JSON are those of the specification."""

from __future__ import annotations

from pydantic import Field

from schemas.events.matching import Difficulty, Method, Potential
from schemas.http.responses import ResponseModel


class BusinessAnalysis(ResponseModel, alias_generator=None):
    """How an idea is understood (spec §3), and by what."""

    industry: str
    industry_key: str = Field(description="Key of the taxonomy, or `general`")
    target_audience: str
    difficulty_level: Difficulty
    monetization_potential: Potential
    content_strategy: list[str]
    key_success_factors: list[str]
    method: Method = Field(description="`rules`: by the documented taxonomy alone; `model`: by a language model")
    silence: str | None = Field(description="Why no language model was heard; null where one was")
