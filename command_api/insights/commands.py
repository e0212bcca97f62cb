"""Commands of insights."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from command_api.insights.schemas import Generated
from command_api.insights.service import AnalysisRun
from command_api.kernel.command_handlers import Command
from schemas.events.insights import DigestMail


class RecordAnalysis(Command[Generated]):
    """Stores the result of an analysis that the sender requested. `ended_at` is the time of its event: a model may take
    half a minute, and the result must not be older than a digest mail of that half minute."""

    website_id: UUID
    analysis: AnalysisRun
    ended_at: datetime


class RecordDailyAnalysis(Command[bool]):
    """Stores the result of a day's analysis and marks the day as done; returns False, and stores nothing, when another
    process did it before or the website was disconnected."""

    website_id: UUID
    due_day: date
    analysis: AnalysisRun


class DismissInsight(Command[None]):
    """Hides an insight of a website until an analysis no longer finds it."""

    website_id: UUID
    insight_id: UUID
    reason: str


class ChooseDigest(Command[None]):
    """Chooses how often the sender's new insights are mailed."""

    every: DigestMail


class StopDigest(Command[None]):
    """Chooses "off" for the account of an unsubscribe link."""

    account_id: UUID


class SendDigest(Command[None]):
    """Mails the new insights of the account's websites if the mail is due, and plans the next."""

    account_id: UUID
