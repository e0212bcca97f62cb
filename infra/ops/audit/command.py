"""`althing audit`: compares the log with every table that is made from it; three numbers that must be zero.

It waits until everything in the log has been read (`infra.ops.audit.quiescence`), then compares record by record, cell
by cell and cent by cent, with code of its own. It may run beside live traffic. Exit code 0: nothing found, 2: something
found, 1: it could not audit.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

import orjson
import psycopg

from infra.kernel.clickhouse.reader import ClickHouseFailed, Reader
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable, OffsetOutOfRange, open_log
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.observability.progress import Meter
from infra.kernel.postgres.pool import connect
from infra.kernel.security.subject_keys import open_keyring
from infra.kernel.security.text_keys import TextKeys
from infra.ops.audit.audit_log import check_audit_log
from infra.ops.audit.beside_events.comparison import audit_rows_beside_events
from infra.ops.audit.built_visits import audit_built_visits, count_builds
from infra.ops.audit.dead_letters import audit_dead_letters
from infra.ops.audit.domain_events import audit_domain_events
from infra.ops.audit.expired_events import Expired, audit_expired_days
from infra.ops.audit.inline_projections import audit_inline_projections
from infra.ops.audit.load_ledger import audit_ledger
from infra.ops.audit.log_reader import CountedLog
from infra.ops.audit.money_sums import audit_money_sums
from infra.ops.audit.pending_searches import audit_pending_searches
from infra.ops.audit.quiescence import NotQuiescent, wait_until_quiescent
from infra.ops.audit.recent_events import audit_recent
from infra.ops.audit.rejected_events import audit_rejected_events
from infra.ops.audit.report import AuditReport
from infra.ops.audit.reported_conversions import audit_reported_conversions
from infra.ops.audit.rollups import audit_rollups
from infra.ops.audit.sale_visits import audit_sale_visits
from infra.ops.audit.snapshots import audit_snapshots
from infra.ops.audit.text_keys import audit_text_keys
from infra.ops.audit.tracked_events import audit_tracked_events
from schemas.topics import CONVERSIONS, DOMAIN

STATEMENT_TIMEOUT_MS: Final = 600_000


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="althing audit", description="Compare the log with every table.")
    parser.add_argument("--ledger", type=Path, help="also compare with the ledger of a load generator")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait until everything is read (60)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    options = parser.parse_args(argv)
    try:
        report = audit(load(), ledger=options.ledger, timeout_s=options.timeout, tells_progress=not options.json)
    except NotQuiescent as error:
        return _failed(f"not everything is read yet: {error}", options.json)
    except (LogUnavailable, OffsetOutOfRange, ClickHouseFailed, psycopg.Error, OSError, ValueError) as error:
        return _failed(f"{type(error).__name__}: {error}", options.json)
    if options.json:
        sys.stdout.write(orjson.dumps(report.as_json()).decode() + "\n")
    else:
        sys.stdout.write(f"{'Nothing found' if report.is_clean else 'FOUND'}\n{report.as_text()}\n")
    return 0 if report.is_clean else 2


def audit(
    settings: Settings, *, ledger: Path | None = None, timeout_s: float = 60, tells_progress: bool = False
) -> AuditReport:
    """The whole audit. `tells_progress`: on standard error.

    Raises `NotQuiescent` after `timeout_s`, and what the engines raise when they are away."""
    with (
        closing(open_log(settings)) as log,
        connect(settings, statement_timeout_ms=STATEMENT_TIMEOUT_MS) as postgres,
        Reader(settings) as clickhouse,
    ):
        postgres.autocommit = True
        ends = wait_until_quiescent(log, postgres, timeout_s)
        report, expired = AuditReport(), Expired.read(postgres)
        # Topic domain is read twice: for what was decided, and for the anchors of the audit trail; topic conversions
        # for decisions, and for `conversion_reports`.
        reported = sum(ends[CONVERSIONS.name, partition] for partition in range(CONVERSIONS.partitions))
        total = sum(ends.values()) + ends[DOMAIN.name, 0] + reported
        with Meter("records of the log", total, quiet=not tells_progress) as meter:
            counted = CountedLog(log, meter.advance)
            with open_keyring(settings) as decrypt:
                texts = TextReader(TextKeys(settings).reading(decrypt.connections))
                report.add(audit_tracked_events(counted, clickhouse, postgres, ends, expired, texts))
                report.add(audit_domain_events(counted, clickhouse, postgres, ends, decrypt, texts))
                report.add(audit_rejected_events(counted, clickhouse, postgres, ends, texts))
            report.add(audit_reported_conversions(counted, clickhouse, postgres, ends))
            report.add(audit_text_keys(clickhouse, postgres))
            report.add(check_audit_log(counted, postgres, ends))
        report.add(audit_dead_letters(log, postgres))
        report.add(audit_inline_projections(settings))
        report.add(audit_rows_beside_events(settings))
        report.add(audit_snapshots(settings))
        report.add(audit_rollups(clickhouse, expired))
        report.add(audit_expired_days(clickhouse, expired))
        with Meter("builds of visits", count_builds(clickhouse), quiet=not tells_progress) as meter:
            report.add(audit_built_visits(clickhouse, meter.advance, expired))
        report.add(audit_money_sums(clickhouse, postgres))
        report.add(audit_recent(clickhouse, expired))
        report.add(audit_sale_visits(clickhouse, postgres))
        report.add(audit_pending_searches(settings, clickhouse, postgres))
        if ledger is not None:
            report.add(audit_ledger(ledger, clickhouse, postgres))
        return report


def _failed(reason: str, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(orjson.dumps({"error": reason}).decode() + "\n")
    sys.stderr.write(f"althing audit: {reason}\n")
    return 1
