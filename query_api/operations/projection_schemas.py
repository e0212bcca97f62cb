"""The responses of the calls about projections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel


class PartitionPosition(ResponseModel):
    """How far a generation has read one partition."""

    topic: str
    partition: int
    next_offset: int
    end_offset: int | None = Field(description="Null: the projectors have not seen the log's end yet")
    lag_events: int | None
    lag_seconds: float = Field(description="Age of the last record that it read, while there are more")
    domain_position: int
    processed: int
    rate: float = Field(description="Current records per second")
    error: str = Field(description="Why it is retrying; empty: it is not")
    owner: str | None = Field(description="The process that reads it")
    updated_at: datetime
    record_at: datetime | None = Field(description="When the last record that it read was written to the log")


class Progress(ResponseModel):
    """`unit`: records, or months where a rollup is filled from the raw table."""

    done: int
    of_: int = Field(alias="of")
    unit: str
    percent: float = Field(description="Over all phases of the build: it reaches 100 when the build is ready")


class Build(ResponseModel):
    """One generation. `state`: building, catching_up, ready, live, retired, paused, failed or cancelled."""

    generation: int
    source_generation: int | None = Field(description="Of a rollup: the generation of the rows that feed it")
    state: str
    paused_in: str | None
    version: int
    reason: str
    error: str
    created_at: datetime
    ready_at: datetime | None
    promoted_at: datetime | None
    retired_at: datetime | None
    is_dropped: bool
    promotes_when_ready: bool
    lag_events: int | None
    rate: float
    progress: Progress
    eta_seconds: float | None
    positions: list[PartitionPosition]


class SumShown(ResponseModel):
    """A column's total on both sides, as decimal digits."""

    column: str
    live: str
    rebuilt: str


class TableCompared(ResponseModel):
    """One table of a comparison."""

    table: str
    live_rows: int
    rebuilt_rows: int
    hash: str
    differences: int
    sums: list[SumShown]


class DifferenceShown(ResponseModel):
    """A row that only one side has."""

    table: str
    period: str
    side: str
    row: str


class Comparison(ResponseModel):
    """What `verify` found, or has found so far."""

    done: int
    of_: int = Field(alias="of")
    live: int
    rebuilt: int
    is_equal: bool
    at: dict[str, int]
    tables: list[TableCompared]
    differences: list[DifferenceShown] = Field(description="The first hundred")
    difference_count: int


class RequestShown(ResponseModel):
    """A request. `state`: waiting, running, done, refused or cancelled."""

    id: UUID
    action: str
    reason: str
    force: bool
    actor: str = Field(description="Name of the account, or of the operator at the machine")
    state: str
    generation: int | None
    error: str
    requested_at: datetime
    finished_at: datetime | None
    recorded_at: datetime | None = Field(description="When it became an event")
    comparison: Comparison | None

    @classmethod
    def of_request(cls, row: Mapping[str, Any]) -> RequestShown:
        comparison = row["result"] or row["progress"] or None
        tables = len(comparison["tables"]) if comparison else 0
        return cls.of_row(
            row, comparison=Comparison(**{"done": tables, "of": tables, **comparison}) if comparison else None
        )


class Projection(ResponseModel):
    """A projection with its generations, newest first; those whose tables are gone are left out."""

    name: str
    kind: str = Field(description="clickhouse (a raw table and its side tables), rollup (fed by it), postgres")
    family: str | None = Field(description="Of a rollup: the projection that feeds it")
    version: int
    live_generation: int
    state: str = Field(description="Of the live generation")
    is_running: bool = Field(description="Whether projectors run at all")
    is_retrying: bool
    differs: bool = Field(description="The last comparison of a generation that is being built found differences")
    lag_events: int | None
    lag_seconds: float
    rate: float
    error: str
    updated_at: datetime | None
    lag_series: list[int] = Field(description="Events behind, oldest first, over the last quarter of an hour")
    lag_every_seconds: int
    open_dead_letters: int
    builds: list[Build]
    requests: list[RequestShown] = Field(description="Open ones, and those that ended within the last minute")


class PlaceSeries(ResponseModel):
    """The live generation's lag in one partition, oldest first."""

    topic: str
    partition: int
    lag: list[int]


class RebuildEstimate(ResponseModel):
    """`seconds`: by the last build's measure; null when none was built yet. `bytes`: what the live tables take; null
    while ClickHouse does not answer."""

    events: int
    seconds: float | None
    bytes: int | None
    tables: list[str]


class ProjectionDetail(Projection):
    """One projection, with all its generations and the last twenty requests, newest first."""

    places: list[PlaceSeries]
    rebuild: RebuildEstimate


COPIED_PERCENT: Final = 80.0
"""Share of a rollup's build that copies months from the raw table; then it catches up with the log."""


def progress_of(
    build: Mapping[str, Any], own: Sequence[PartitionPosition], *, alone: bool, log_end: int = 0
) -> Progress:
    """Returns the progress of a build, as one percentage over all of its phases; 100 once it is ready, and not before.

    Records read of those in the log; of a rollup that is built `alone`, months copied and then records. `log_end`: all
    records that there are, also of partitions that the build has not begun.
    """
    state = build["paused_in"] or build["state"]
    done = sum(place.next_offset for place in own)
    everything = max(log_end, sum(place.end_offset or place.next_offset for place in own))
    if state not in BUILDING:
        return Progress(done=done, of_=everything, unit="records", percent=100.0)
    if alone and state == "building":
        months, copied = build["progress"].get("months", []), build["progress"].get("done", [])
        percent = _percent(len(copied), len(months)) * COPIED_PERCENT / 100
        return Progress(done=len(copied), of_=len(months), unit="months", percent=round(percent, 2))
    percent = _percent(done, everything)
    if alone:
        percent = COPIED_PERCENT + percent * (100 - COPIED_PERCENT) / 100
    return Progress(done=done, of_=everything, unit="records", percent=min(round(percent, 2), ALMOST))


BUILDING: Final = frozenset(("building", "catching_up"))
ALMOST: Final = 99.9


def _percent(done: int, everything: int) -> float:
    return 100 * done / everything if everything else 0.0
