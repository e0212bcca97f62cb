"""Events of saved SQL: queries with their versions, and charts on their dashboards.

A query is a history of its own; each new title or text is a version. Both are encrypted with the key of the author,
also after an admin changes a shared query.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal

ChartKind = Literal["line", "bar", "table"]
MAX_VERSIONS: Final = 50
"""Maximum number of versions of a query: older ones are neither shown nor restored."""


class _OfQuery(Frozen):
    """Fields of events with the content of a query."""

    account_id: UUID = Field(description="Its author")
    title: Personal[str]
    text: Personal[str]
    title_hash: str = Field(description="Keyed hash by which a title of the author is found again")


class QuerySaved(_OfQuery, DomainEvent):
    """An analyst saved a query under a title: its first version, for the author alone."""

    NAME: ClassVar[str] = "sql_query.saved"
    SUBJECT: ClassVar[str] = "account_id"


class QueryChanged(_OfQuery, DomainEvent):
    """The query has another title or text: a new version."""

    NAME: ClassVar[str] = "sql_query.changed"
    SUBJECT: ClassVar[str] = "account_id"
    number: int = Field(ge=2, description="Which version it is")
    restored_from: int | None = Field(default=None, description="The version whose title and text it has again")


class QueryShared(DomainEvent):
    """All analysts may see and run the query."""

    NAME: ClassVar[str] = "sql_query.shared"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="Its author")
    author_name: Personal[str] = Field(description="As others see it")


class QueryUnshared(DomainEvent):
    """The query is for its author alone again."""

    NAME: ClassVar[str] = "sql_query.unshared"


class QueryRemoved(DomainEvent):
    """The query is no longer offered."""

    NAME: ClassVar[str] = "sql_query.removed"


class QueryRestored(DomainEvent):
    """The removal was undone."""

    NAME: ClassVar[str] = "sql_query.restored"


class ChartPinned(DomainEvent):
    """An analyst put a chart of a query on the own dashboard."""

    NAME: ClassVar[str] = "sql_chart.pinned"
    account_id: UUID = Field(description="On whose dashboard it is, and who runs it")
    query_id: UUID
    kind: ChartKind
    x: str = Field(description="Column of the x axis; empty: the chart's choice")
    y: tuple[str, ...] = Field(description="Columns that are drawn; empty: all numbers")
    parameters: Mapping[str, str] = Field(default_factory=dict, description="Values of the query's parameters")


class ChartUnpinned(DomainEvent):
    """The chart is no longer on the dashboard."""

    NAME: ClassVar[str] = "sql_chart.unpinned"
