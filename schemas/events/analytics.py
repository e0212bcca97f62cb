"""Events of analytics: notes on the charts of websites, imports, saved views, and reports by email."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal

MAX_ANNOTATION: int = 280
MAX_VIEW_NAME: int = 60


class AnnotationAdded(DomainEvent):
    """A note was put on a moment of a website's charts."""

    NAME: ClassVar[str] = "annotation.added"
    website_id: UUID
    at: datetime = Field(description="The moment that it is about")
    text: str = Field(max_length=MAX_ANNOTATION)


class AnnotationChanged(DomainEvent):
    """The note says something else, or is about another moment."""

    NAME: ClassVar[str] = "annotation.changed"
    at: datetime
    text: str = Field(max_length=MAX_ANNOTATION)


class AnnotationRemoved(DomainEvent):
    """The note is no longer shown."""

    NAME: ClassVar[str] = "annotation.removed"


class EventsImported(DomainEvent):
    """Page views of the past were imported from a file."""

    NAME: ClassVar[str] = "events.imported"
    website_id: UUID
    events: int = Field(ge=1, description="Number of events that the website did not have before")
    first_at: datetime
    last_at: datetime = Field(description="When the first and the last of them happened")


class ViewKind(StrEnum):
    """What a saved view keeps: the whole page, or its filters alone."""

    VIEW = "view"
    SEGMENT = "segment"


class ViewState(Frozen):
    """What is shown, in the terms of the analytics calls. A segment has filters and bots only."""

    filters: tuple[str, ...] = Field(default=(), description="Each as `filter=` of the analytics calls takes it")
    bots: str = "exclude"
    time_range: str = "7d"
    from_date: date | None = Field(default=None, description="Of a custom range")
    to_date: date | None = None
    compare: str = "previous"
    compare_from: date | None = Field(default=None, description="Of a custom comparison")
    compare_to: date | None = None
    match_weekdays: bool = False
    metric: str = Field(default="", description="What the main chart shows; empty: the page's default")
    bar_metric: str = Field(default="", description="What the bars of all cards show; empty: as it was")
    tabs: Mapping[str, str] = Field(default_factory=dict, description="The open tab of each card")
    columns: tuple[str, ...] = Field(default=(), description="Of the table of all rows; empty: as they were")
    details: tuple[str, ...] = Field(default=(), description="Dimensions of the open table of all rows")


class ViewSaved(DomainEvent):
    """A person saved what the analytics page shows, or its filters, under a name."""

    NAME: ClassVar[str] = "view.saved"
    account_id: UUID = Field(description="Who saved it")
    website_id: UUID | None = Field(description="Shared with everyone who may see this website; none: personal")
    kind: ViewKind
    name: str = Field(max_length=MAX_VIEW_NAME)
    state: ViewState


class ViewChanged(DomainEvent):
    """The view has another name, shows something else, or is for others."""

    NAME: ClassVar[str] = "view.changed"
    website_id: UUID | None
    name: str = Field(max_length=MAX_VIEW_NAME)
    state: ViewState


class ViewRemoved(DomainEvent):
    """The view is no longer offered."""

    NAME: ClassVar[str] = "view.removed"


class ViewRestored(DomainEvent):
    """The removal was undone."""

    NAME: ClassVar[str] = "view.restored"


class DefaultViewChanged(DomainEvent):
    """A person chose the view with which a website opens for them."""

    NAME: ClassVar[str] = "default_view.changed"
    account_id: UUID
    website_id: UUID
    view_id: UUID | None = Field(description="None: the page as it is")


class ReportInterval(StrEnum):
    """How often a report is sent: for the seven days, or the calendar month, before."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"


class ReportSchedule(Frozen):
    """When a report is sent: in the time zone of its website; of a query, of its account."""

    every: ReportInterval
    weekday: int = Field(default=0, ge=0, le=6, description="Of a weekly report; 0 is Monday")
    day: int = Field(default=1, ge=1, le=28, description="Of the month; of a monthly report")
    hour: int = Field(default=8, ge=0, le=23)


ReportPause = Literal["paused", "unsubscribed", "account", "website", "view", "query"]
"""Why a report is paused: by its person, by the link in its email, or because the person may no longer sign in, see the
website, see the view or run the query."""


class ReportScheduled(DomainEvent):
    """A person scheduled a report by email: of a view of a website, or of a saved query."""

    NAME: ClassVar[str] = "report.scheduled"
    account_id: UUID = Field(description="Who gets it, with the numbers that this person may see")
    website_id: UUID | None = Field(description="Of a view")
    view_id: UUID | None
    query_id: UUID | None
    schedule: ReportSchedule
    parameters: Mapping[str, str] = Field(default_factory=dict, description="Values of the query's parameters")


class ReportParametersChanged(DomainEvent):
    """The report's query runs with other values."""

    NAME: ClassVar[str] = "report.parameters_changed"
    parameters: Mapping[str, str] = Field(description="All of them")


class ReportRescheduled(DomainEvent):
    """The report is sent at another time."""

    NAME: ClassVar[str] = "report.rescheduled"
    schedule: ReportSchedule


class ReportPaused(DomainEvent):
    """The report is no longer sent until it is resumed."""

    NAME: ClassVar[str] = "report.paused"
    reason: ReportPause


class ReportResumed(DomainEvent):
    """The report is sent again, from the next time on."""

    NAME: ClassVar[str] = "report.resumed"


class ReportSent(DomainEvent):
    """The email about a period was queued. There is one such event for each period."""

    NAME: ClassVar[str] = "report.sent"
    first_day: date = Field(description="The period, inclusive")
    last_day: date
    mail_id: UUID = Field(description="Follows from the report and the period")


class ReportFailed(DomainEvent):
    """There is no email about a period, because its numbers cannot be read, whenever it is tried."""

    NAME: ClassVar[str] = "report.failed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    first_day: date
    last_day: date
    reason: Personal[str] = Field(description="For the person; may quote the query")


class ReportRemoved(DomainEvent):
    """The report was deleted."""

    NAME: ClassVar[str] = "report.removed"


class ReportRestored(DomainEvent):
    """The deletion was undone."""

    NAME: ClassVar[str] = "report.restored"


class VisitorForgotten(DomainEvent):
    """A person among the visitors of a website was erased: from now on every table of events is built without them.

    Pseudonyms name who is meant; the id by which the person was found is not kept. What was stored until then gets
    pseudonyms that are keyed with `salt`, so that figures stay as they are."""

    NAME: ClassVar[str] = "visitor.forgotten"
    website_id: UUID
    named_by: str = Field(pattern="^(visitor_id|customer_id|click_id|order_id)$", description="Kind of the id")
    salt: str = Field(pattern="^[0-9a-f]{64}$", description="Random; what is replaced is keyed with it")
    visitors: tuple[int, ...] = Field(default=(), description="Pseudonyms, with what was received until then")
    sessions: tuple[int, ...] = Field(default=(), description="Likewise")
    clicks: tuple[UUID, ...] = Field(default=(), description="Event ids that follow from the ids of clicks")
    conversions: tuple[UUID, ...] = ()
    refusals: tuple[UUID, ...] = Field(default=(), description="Refused requests whose sample named the person")
    counts: dict[str, int] = Field(default_factory=dict, description="What was stored, by kind")
    last_text_key: int = Field(default=0, ge=0, description="Key of texts after which another begins; 0: none was used")
    texts: dict[int, tuple[str, ...]] = Field(
        default_factory=dict, description="By key of texts, the leaves (hexadecimal) that become unreadable in the log"
    )
