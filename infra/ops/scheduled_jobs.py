"""The recurring jobs of an installation, and service `scheduler`, which runs them."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import psycopg

from infra.kernel.clickhouse.reader import ClickHouseFailed
from infra.kernel.log import LogUnavailable
from infra.kernel.mail import outbox
from infra.ops.audit import continuous
from infra.ops.backup import BackupError, daily, erased_subjects
from infra.services.scheduler import service
from infra.services.scheduler.jobs import canary, notification_digest, retention, text_sealing, token_expiry
from infra.services.scheduler.jobs.canary import CanaryLost
from infra.services.scheduler.service import Job

JOBS: Final = (
    Job(
        "delete-expired",
        retention.delete_expired,
        timedelta(minutes=10),
        "deletes old salts, expired keys of ad click ids, ended sessions and used-up idempotency keys",
    ),
    Job(
        "send-mail",
        outbox.send_due,
        timedelta(seconds=5),
        "sends queued emails to the mail server",
    ),
    Job(
        "warn-of-expiring-tokens",
        token_expiry.warn_due,
        timedelta(minutes=10),
        "emails people a week before an access token expires",
    ),
    Job(
        "check-pipeline",
        continuous.check,
        timedelta(minutes=1),
        "measures how far behind the tables are and counts the last full hours",
    ),
    Job(
        "send-canary",
        canary.send,
        timedelta(seconds=15),
        "sends a test page view through the whole data flow and measures its time",
        is_quiet=True,
    ),
    Job(
        "send-digests",
        notification_digest.send_due,
        timedelta(minutes=10),
        "writes the digests of yesterday and of last week to those who want them",
    ),
    Job(
        "begin-sealing",
        text_sealing.begin_when_due,
        timedelta(minutes=10),
        "begins to seal personal texts an hour after the upgrade to the first version that does",
        is_quiet=True,
    ),
    Job(
        "note-erased",
        erased_subjects.note,
        timedelta(minutes=1),
        "keeps the list of erased people beside the backups",
    ),
    Job(
        "take-backup",
        daily.take_due,
        timedelta(minutes=10),
        "creates a backup when the last one is a day old",
        patience_s=6 * 3600.0,
    ),
)

EXPECTED_FAILURES: Final = (psycopg.OperationalError, LogUnavailable, ClickHouseFailed, BackupError, CanaryLost)
"""Failures of engines: logged in one line, without a traceback."""


def main(_arguments: list[str]) -> int:
    """Runs the jobs until SIGTERM."""
    return service.serve(JOBS, EXPECTED_FAILURES)
