"""Commands of annotations, imports, saved views, reports by email, and the erasure of visitors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from command_api.analytics import report_schemas, schemas, view_schemas
from command_api.analytics.erasure_schemas import ErasedVisitor
from command_api.analytics.schemas import AnnotationState
from command_api.kernel.command_handlers import Command
from infra.domain.reports.contract import Rendered
from infra.domain.reports.schedule import Period
from infra.domain.visitor_data.person import IdKind, Person
from schemas.events.analytics import ReportPause
from schemas.http.analytics import EmailReport, SavedView


class AddAnnotation(Command[AnnotationState]):
    """Puts a note on a moment of a website's charts."""

    annotation_id: UUID
    fields: schemas.AddAnnotation


class ChangeAnnotation(Command[AnnotationState]):
    """Changes the text or the moment."""

    annotation_id: UUID
    fields: schemas.ChangeAnnotation


class RemoveAnnotation(Command[None]):
    """Removes the note."""

    annotation_id: UUID


class RecordImport(Command[None]):
    """Records that so many events of the past, from `first_at` to `last_at`, were imported."""

    import_id: UUID
    website_id: UUID
    events: int
    first_at: datetime
    last_at: datetime


class SaveView(Command[SavedView]):
    """Saves what the analytics page shows, or its filters, under a name."""

    view_id: UUID
    fields: view_schemas.SaveView


class ChangeView(Command[SavedView]):
    """Changes name, content or whom a view is for."""

    view_id: UUID
    fields: view_schemas.ChangeView


class RemoveView(Command[None]):
    """Removes the view; it can be restored."""

    view_id: UUID


class RestoreView(Command[SavedView]):
    """Undoes the removal."""

    view_id: UUID


class ChooseDefaultView(Command[None]):
    """A website opens with the view for the sender. `is_default`: whether it shall, or no longer."""

    view_id: UUID
    website_id: UUID
    is_default: bool


class ScheduleReport(Command[EmailReport]):
    """The sender gets a view or a query by email."""

    report_id: UUID
    fields: report_schemas.ScheduleReport


class ChangeReport(Command[EmailReport]):
    """Sends a report at another time, pauses or resumes it."""

    report_id: UUID
    fields: report_schemas.ChangeReport


class RemoveReport(Command[None]):
    """Deletes the report; it can be restored."""

    report_id: UUID


class RestoreReport(Command[EmailReport]):
    """Undoes the deletion."""

    report_id: UUID


class PreviewReport(Command[None]):
    """Emails what was rendered to the sender now. The schedule stays as it is."""

    report_id: UUID
    rendered: Rendered


class SendReport(Command[None]):
    """Emails what was rendered about a period, unless that period was handled."""

    report_id: UUID
    period: Period
    rendered: Rendered


class FailReport(Command[None]):
    """There is no email about a period. `reason`: for the person."""

    report_id: UUID
    period: Period
    reason: str


class PauseReport(Command[None]):
    """The report is not sent until it is resumed."""

    report_id: UUID
    reason: ReportPause


@dataclass(frozen=True, slots=True)
class FoundVisitor:
    """A person and what is stored of them, by kind. `refusals`: refused requests whose sample names them; `key_ids`:
    the keys that sealed their ad click ids; `texts`: the leaves that sealed their texts in the log, by key; `recent`:
    those that may have sealed what is on its way into the tables; `letters`: open dead letters whose record names
    them."""

    person: Person
    refusals: tuple[UUID, ...]
    key_ids: frozenset[UUID]
    texts: Mapping[int, frozenset[bytes]]
    recent: frozenset[bytes]
    counts: Mapping[str, int]
    letters: tuple[UUID, ...] = ()


class RepeatErasure(Command[None]):
    """Forgets a visitor again, as it was `decided` after the backup that was restored."""

    erasure_id: UUID
    decided: Mapping[str, Any]


class ForgetVisitor(Command[ErasedVisitor]):
    """Erases a person among the website's visitors: `found` before the command, since the search is slow."""

    website_id: UUID
    erasure_id: UUID
    named_by: IdKind
    found: FoundVisitor
