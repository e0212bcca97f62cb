"""The request to the language model and its completion: data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class LlmRequest(Generic[Answer]):
    """`purpose`: a short stable name for ledger and metrics. `data`: JSON that the model may describe; it may
    contain text of strangers and is sent as data, apart from `instructions`. `answer`: the strict schema of the
    answer."""

    purpose: str
    account_id: UUID
    instructions: str
    data: Mapping[str, Any]
    answer: type[Answer]
    max_tokens: int = 1_500


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer's text, and the tokens that the endpoint says it took; none when it does not say."""

    text: str
    tokens: int | None
