"""Bodies and answers of the calls for saved views."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.analytics import ViewKind

Id = Annotated[UUID, Field(strict=False)]
Day = Annotated[date, Field(strict=False)]
Kind = Annotated[ViewKind, Field(strict=False)]
Word = Annotated[str, Field(pattern=r"^[a-z0-9_]{0,40}$")]
Dimension = Annotated[str, Field(max_length=80)]
Bots = Literal["exclude", "include", "only"]
Comparison = Literal["previous", "year", "custom", "none"]


class ViewContent(RequestModel):
    """What is shown, in the terms of the analytics calls; of a segment only filters and bots."""

    filters: list[Annotated[str, Field(max_length=4_096)]] = Field(
        default=[], max_length=20, description="Each as `filter=` takes it: `page:is:/a|/b`"
    )
    bots: Bots = "exclude"
    time_range: Word = "7d"
    from_date: Day | None = Field(default=None, description="Of a custom range")
    to_date: Day | None = None
    compare: Comparison = "previous"
    compare_from: Day | None = Field(default=None, description="Of a custom comparison")
    compare_to: Day | None = None
    match_weekdays: bool = False
    metric: Word = Field(default="", description="What the main chart shows; empty: the default")
    bar_metric: Word = Field(default="", description="What the bars of all cards show; empty: as it is")
    tabs: dict[Word, Word] = Field(default={}, max_length=20, description="The open tab of each card")
    columns: list[Word] = Field(default=[], max_length=40, description="Of the table of all rows; empty: as they are")
    details: list[Dimension] = Field(default=[], max_length=2, description="Dimensions of the open table of all rows")


class SaveView(RequestModel):
    """A new view or segment. With a website it is shared with everyone who may see that website."""

    kind: Kind = ViewKind.VIEW
    name: Annotated[str, Field(max_length=2048)]
    website_id: Id | None = None
    state: ViewContent


class ChangeView(RequestModel):
    """Name, content and website of the view after the change."""

    name: Annotated[str, Field(max_length=2048)]
    website_id: Id | None = Field(description="Shared with everyone who may see this website; null: personal")
    state: ViewContent
