"""The recurring jobs of an installation that send no command, and service `command`, whose leader runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from threading import Event

from command_api import service
from command_api.kernel.scheduler import RecurringJob
from infra.kernel.clickhouse.reader import ClickHouseFailed
from infra.kernel.config.settings import Settings
from infra.kernel.mail import outbox
from infra.ops.audit import continuous
from infra.ops.backup import BackupError, daily, erased_subjects
from infra.ops.jobs import canary, notification_digest, retention, text_sealing, token_expiry
from infra.ops.jobs.canary import CanaryLost


def jobs(settings: Settings) -> Sequence[RecurringJob]:
    """Returns all recurring jobs; their functions say what each does."""

    def alone(work: Callable[[Settings], object]) -> Callable[[Event], object]:
        """Work that ends within seconds."""
        return lambda _stop: work(settings)

    ten_minutes, calm = timedelta(minutes=10), timedelta(seconds=5)
    return (
        RecurringJob("delete-expired", ten_minutes, alone(retention.delete_expired), first_after=calm),
        RecurringJob("send-mail", timedelta(seconds=5), partial(outbox.send_due, settings), first_after=calm),
        RecurringJob("warn-of-expiring-tokens", ten_minutes, alone(token_expiry.warn_due), first_after=calm),
        RecurringJob(
            "check-pipeline",
            timedelta(minutes=1),
            alone(continuous.check),
            expected=(ClickHouseFailed,),
            first_after=calm,
        ),
        RecurringJob(
            "send-canary",
            timedelta(seconds=15),
            partial(canary.send, settings),
            expected=(ClickHouseFailed, CanaryLost),
            first_after=timedelta(seconds=15),  # ingest starts at the same time
            is_quiet=True,
        ),
        RecurringJob("send-digests", ten_minutes, alone(notification_digest.send_due), first_after=calm),
        RecurringJob("begin-sealing", ten_minutes, alone(text_sealing.begin_when_due), first_after=calm, is_quiet=True),
        RecurringJob(
            "note-erased",
            timedelta(minutes=1),
            alone(erased_subjects.note),
            expected=(BackupError,),
            first_after=calm,
        ),
        RecurringJob(
            "take-backup",
            ten_minutes,
            partial(daily.take_due, settings),
            expected=(BackupError,),
            first_after=calm,
            patience_s=6 * 3600.0,
        ),
    )


def serve_command(arguments: list[str]) -> int:
    """Runs the command service until SIGTERM."""
    return service.main(arguments, jobs)
