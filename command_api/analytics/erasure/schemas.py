"""Bodies and answers of the erasure of visitors."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.accounts.fields import Proven
from infra.domain.visitor_data.person import IdKind
from schemas.http.responses import ResponseModel


class EraseVisitor(Proven):
    """A visitor to erase, named by an id as it was sent to the tracking API, and proof that the owner asks."""

    kind: Annotated[IdKind, Field(strict=False)]
    value: Annotated[str, Field(min_length=1, max_length=255)]
    event: Annotated[str, Field(max_length=64, description="Of an order: the name of its conversion; empty: any")] = ""


class ErasedVisitor(ResponseModel):
    """An erasure that was decided. Reports follow once the projection `events` is built again."""

    id: UUID
    counts: Annotated[dict[str, int], Field(description="What was stored: pageviews, clicks, events, …")]
