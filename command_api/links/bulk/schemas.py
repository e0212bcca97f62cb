"""Bodies and answers of the calls that change many links."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from command_api.kernel.http import RequestModel
from command_api.links.bulk.model import MAX_LINKS
from command_api.links.schemas import Id, Label, Text
from infra.domain.link_filter import MAX_SEARCH
from schemas.events.links import BulkChange, BulkKind
from schemas.http.links import LinkBulkProgress
from schemas.http.responses import ResponseModel

MAX_IDS = 1_000
MAX_SHOWN = 200


class LinkSelectionFilter(RequestModel):
    """All links of the website that have every value that is given, as the list shows them."""

    partner_id: Id | None = None
    tag: Annotated[str, Field(max_length=200)] | None = None
    folder: Annotated[str | None, Field(max_length=200, description="Empty: in none")] = None
    archived: Literal["exclude", "include", "only"] = "exclude"
    search: Annotated[str, Field(max_length=MAX_SEARCH)] | None = None


class MoveLinks(RequestModel):
    """To another partner: to the same page on its site, to one destination, or else to its base URL."""

    partner_id: Id
    keeps_path: bool = False
    destination: Text | None = None


class ReplaceInLinks(RequestModel):
    """A part of destinations, wherever it stands in one, and what replaces it."""

    find: Annotated[str, Field(min_length=1, max_length=500)]
    replacement: Annotated[str, Field(max_length=500)]


class ArrangeLinks(RequestModel):
    """How the owner keeps the links; omitted fields stay."""

    add_tags: Annotated[list[Label], Field(max_length=20)] = Field(default_factory=list)
    remove_tags: Annotated[list[Label], Field(max_length=20)] = Field(default_factory=list)
    folder: Annotated[Label | None, Field(description="Empty: in none")] = None
    is_archived: bool | None = None


class ChangeManyLinks(RequestModel):
    """Which links of a website, either by `ids` or by `filter`, and the one change."""

    website_id: Id
    ids: Annotated[list[Id], Field(max_length=MAX_IDS)] | None = None
    filter: Annotated[LinkSelectionFilter | None, Field(description=f"At most {MAX_LINKS:,} links")] = None
    move: MoveLinks | None = None
    replace: ReplaceInLinks | None = None
    arrange: ArrangeLinks | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> ChangeManyLinks:
        if (self.ids is None) is (self.filter is None):
            raise ValueError("Choose the links either by ids or by a filter.")
        if sum(one is not None for one in (self.move, self.replace, self.arrange)) != 1:
            raise ValueError("Choose one of move, replace and arrange.")
        return self

    @property
    def change(self) -> BulkChange:
        """The change as its event has it."""
        if self.move is not None:
            return BulkChange(kind=BulkKind.MOVE, **self.move.model_dump())
        if self.replace is not None:
            return BulkChange(kind=BulkKind.REPLACE, **self.replace.model_dump())
        return BulkChange(kind=BulkKind.ORGANIZE, **(self.arrange or ArrangeLinks()).model_dump())


class LinkBulkState(ResponseModel):
    """A change of many links that has begun, or how it stands."""

    id: UUID
    links: int
    done: int
    state: LinkBulkProgress


class PlannedLinkChange(ResponseModel):
    """What would become of one link."""

    id: UUID
    slug: str
    before: str
    after: Annotated[str, Field(description="Its destination afterwards, as visitors are sent there")]
    others: Annotated[int, Field(description="Other destinations of it that change: of rules, split and fallback")]
    passes_click_id: bool
    code: str | None
    message: Annotated[str | None, Field(description="Why it would not be changed")]


class LinkChangePlan(ResponseModel):
    """What a change would do: how many links it concerns, and each of the first of them, refused ones first."""

    links: int
    changed: int
    refused: int
    shown: list[PlannedLinkChange]
