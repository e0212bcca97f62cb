"""Commands of conversions."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from command_api.conversions.attribution.click_reader import FoundClick
from command_api.conversions.attribution.correction import Corrected
from command_api.conversions.attribution.repository import RejectedReport
from command_api.conversions.claim_counts import ClaimCount
from command_api.conversions.schemas import (
    BulkResult,
    DecideMany,
    DecisionState,
    RejectMany,
    ScheduledDecisionState,
    Selection,
)
from command_api.kernel.command_handlers import Command
from schemas.base import DomainEvent
from schemas.events.partners import Terms
from schemas.http.conversions import Conversion
from schemas.message_ids import MessageIds
from schemas.tracking import ConversionReported


class ConversionCommand(Command[Conversion]):
    """A decision about one conversion."""

    conversion_id: UUID


class ApproveConversion(ConversionCommand):
    """Approves the conversion: its commission is earned."""


class RejectConversion(ConversionCommand):
    """Rejects the conversion: it earns nothing."""

    reason: str


class ReverseConversion(ConversionCommand):
    """Reverses the sale; `amount`: minor units of it, `None`: all that is left."""

    reason: str
    amount: int | None


class AssignConversion(ConversionCommand):
    """Gives a conversion without a click to a click, or to a link, by hand. `found`: the click as it was projected
    before the transaction; `None`: it was not, or a link is chosen."""

    reason: str
    click_id: str
    link_id: UUID | None
    found: FoundClick | None


class CorrectReport(ConversionCommand):
    """Says what a report means whose values could not be read."""

    report_id: UUID
    says: Corrected


class ReadReportsAgain(ConversionCommand):
    """Reads the values again that could not be read, in the words of the network `preset`; `None`: the partner's."""

    preset: str | None


class AcceptAdjustment(ConversionCommand):
    """Gives an approved conversion to the click that is proposed."""


class DismissAdjustment(ConversionCommand):
    """Keeps an approved conversion as it is; the same click is not proposed again."""


class ApproveConversions(Command[BulkResult]):
    """Approves many conversions, each on its own, and stores them together."""

    selection: Selection


class RejectConversions(Command[BulkResult]):
    """Rejects many conversions for one reason, each on its own, and stores them together."""

    selection: RejectMany


class ScheduleDecision(Command[ScheduledDecisionState]):
    """Decides many conversions of a website, final after some seconds in which it can be undone."""

    decision_id: UUID
    selection: DecideMany


class UndoDecision(Command[DecisionState]):
    """Undoes a decision that is not final."""

    decision_id: UUID


class ApplyDecision(Command[None]):
    """Makes a decision final, unless it was undone."""

    decision_id: UUID


class ApproveAutomatically(Command[bool]):
    """Approves a conversion if its review period is over by `terms`; returns whether it was approved."""

    conversion_id: UUID
    terms: Terms


class RecordReattribution(Command[None]):
    """Stores what the repeated search for a conversion's click led to. `next_at`: when to search again; `None`: not
    again. `needs_rate`: the click was found, but there is no exchange rate for the partner's terms.
    `passed_over`: bots' clicks that it passed over, by partition and offset."""

    conversion_id: UUID
    events: tuple[DomainEvent, ...]
    next_at: datetime | None
    needs_rate: bool
    passed_over: frozenset[tuple[int, int]] = frozenset()


class RecordAwaitedReports(Command[None]):
    """Stores what the reports of a conversion led to that awaited an exchange rate. `ids`: of each event. `pending`:
    the last of them whose conversion may still get another click. `next_at`: when to decide its other reports; `None`:
    there are none. `rejected`: those that have a rate now and are not counted for another reason. `claims`: as in
    `lookups.append_conversions`."""

    conversion_id: UUID
    report_ids: tuple[UUID, ...]
    events: tuple[DomainEvent, ...]
    ids: tuple[MessageIds, ...]
    pending: ConversionReported | None
    next_at: datetime | None
    rejected: tuple[RejectedReport, ...] = ()
    claims: tuple[tuple[ClaimCount, int], ...] = ()
