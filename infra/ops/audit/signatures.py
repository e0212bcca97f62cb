"""Audits the signatures of the log: from where signing began, every record has one of one of our services
(`infra.kernel.log.signature`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

import psycopg

from infra.kernel.log import StoredRecord, signature
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind


class Signatures:
    """Reports records without a valid signature of the installation."""

    def __init__(self, postgres: psycopg.Connection[Any], report: AuditReport) -> None:
        self._starts = signature.starts(postgres) if exists(postgres, "log.signed_from") else {}
        self._report = report

    def watched(self, records: Iterable[StoredRecord]) -> Iterator[StoredRecord]:
        """Yields all of `records`, which are of one partition; reports forged ones."""
        for record in records:
            if not self.is_forged(record):
                self._report.checked["signatures"] += record.is_signed
            else:
                place = f"{record.topic}[{record.partition}]@{record.offset}"
                what = f"{place} has no signature of this installation: no command and no ingest has written it"
                self._report.found(DefectKind.WRONG, "signatures", what)
            yield record

    def is_forged(self, record: StoredRecord) -> bool:
        """Returns whether readers must dead-letter the record, whatever its content."""
        return record.is_forged(self._starts.get((record.topic, record.partition), inf))
