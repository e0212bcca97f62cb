"""Bodies and answers of the calls for reports by email."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints, model_validator

from command_api.kernel.http import RequestModel
from schemas.events.analytics import ReportInterval

Id = Annotated[UUID, Field(strict=False)]
Interval = Annotated[ReportInterval, Field(strict=False)]
Weekday = Annotated[int, Field(ge=0, le=6, description="0 is Monday; of a weekly report")]
DayOfMonth = Annotated[int, Field(ge=1, le=28, description="Of a monthly report")]
Parameters = Annotated[
    dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")],
        Annotated[str, StringConstraints(max_length=2_000)],
    ],
    Field(max_length=20, description="Values of the query's parameters"),
]
Hour = Annotated[int, Field(ge=0, le=23, description="In the time zone of the website; of a query, in the caller's")]


class ScheduleReport(RequestModel):
    """A report of a view of a website, or of a saved query of the caller."""

    website_id: Id | None = Field(default=None, description="With `viewId`")
    view_id: Id | None = None
    query_id: Id | None = None
    every: Interval = ReportInterval.WEEKLY
    weekday: Weekday = 0
    day: DayOfMonth = 1
    hour: Hour = 8
    parameters: Parameters = Field(default={})

    @model_validator(mode="after")
    def _is_about_one(self) -> ScheduleReport:
        if (self.view_id is None) == (self.query_id is None) or (self.view_id is None) != (self.website_id is None):
            raise ValueError(
                "A report is about a view of a website (viewId and websiteId), or about a query (queryId)."
            )
        if self.parameters and self.query_id is None:
            raise ValueError("Only a query has parameters.")
        return self


class ChangeReport(RequestModel):
    """Fields to change; omitted fields stay unchanged."""

    every: Interval | None = None
    weekday: Weekday | None = None
    day: DayOfMonth | None = None
    hour: Hour | None = None
    parameters: Parameters | None = None
    paused: bool | None = None
