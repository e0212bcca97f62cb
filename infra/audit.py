"""`althing audit`: compares the log with every table that is made from it; three numbers that must be zero.

It waits until everything in the log has been read (`infra.auditing.quiet`), then compares record by record, cell by
cell and cent by cent, with code of its own. It may run beside live traffic. Exit code 0: nothing found, 2: something
found, 1: it could not audit.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import orjson
import psycopg

from infra.auditing.clickhouse import ClickHouseFailed, Reader
from infra.auditing.decided import audit_decided
from infra.auditing.ledger import audit_ledger
from infra.auditing.progress import CountedLog
from infra.auditing.quiet import NotQuiet, wait_until_quiet
from infra.auditing.recent import audit_recent
from infra.auditing.refused import audit_refused
from infra.auditing.report import Report
from infra.auditing.rollups import audit_rollups
from infra.auditing.sums import audit_sums
from infra.auditing.tracked import audit_tracked
from infra.auditing.trail import audit_trail
from infra.keyring import open_keyring
from infra.log import LogUnavailable, OffsetOutOfRange, open_log
from infra.postgres import connect
from infra.progress import Meter
from infra.settings import Settings, load
from schemas.topics import DOMAIN

STATEMENT_TIMEOUT_MS: Final = 600_000


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="althing audit", description="Compare the log with every table.")
    parser.add_argument("--ledger", type=Path, help="also compare with what a load generator wrote down")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait until everything is read (60)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    options = parser.parse_args(argv)
    try:
        report = audit(load(), ledger=options.ledger, timeout_s=options.timeout, tells_progress=not options.json)
    except NotQuiet as error:
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
) -> Report:
    """The whole audit. `tells_progress`: on standard error.

    Raises `NotQuiet` after `timeout_s`, and what the engines raise when they are away."""
    log = open_log(settings)
    try:
        with (
            connect(settings, statement_timeout_ms=STATEMENT_TIMEOUT_MS) as postgres,
            Reader(settings) as clickhouse,
        ):
            postgres.autocommit = True
            ends = wait_until_quiet(log, postgres, timeout_s)
            report = Report()
            # Topic domain is read twice: for what was decided, and for the anchors of the audit trail.
            total = sum(ends.values()) + ends[DOMAIN.name, 0]
            with Meter("records of the log", total, quiet=not tells_progress) as meter:
                counted = CountedLog(log, meter.advance)
                report.add(audit_tracked(counted, clickhouse, postgres, ends))
                with open_keyring(settings) as decrypt:
                    report.add(audit_decided(counted, clickhouse, postgres, ends, decrypt))
                report.add(audit_refused(counted, clickhouse, postgres, ends))
                report.add(audit_trail(counted, postgres, ends))
            report.add(audit_rollups(clickhouse))
            report.add(audit_sums(clickhouse, postgres))
            report.add(audit_recent(clickhouse))
            if ledger is not None:
                report.add(audit_ledger(ledger, clickhouse, postgres))
            return report
    finally:
        log.close()


def _failed(reason: str, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(orjson.dumps({"error": reason}).decode() + "\n")
    sys.stderr.write(f"althing audit: {reason}\n")
    return 1
