"""Detects the layout of a file and says what it leaves open: columns, order of dates, decimal mark, currency, words.

`opening.opened` -> this -> `Inspection`. What a person or a saved mapping says (`ReportLayoutChanges`) wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from command_api.networks.reading import questions as ask
from command_api.networks.reading.columns import columns_of
from command_api.networks.reading.evidence import FileEvidence, unknown_words
from command_api.networks.reading.refusals import check_amazon
from command_api.networks.reading.row_reader import RowReader
from command_api.networks.reading.rows import ReportInspection, ReportLayout, ReportLayoutChanges
from command_api.networks.reading.statuses import StatusWords
from infra.domain.report_files import questions as common
from infra.domain.report_files.dates import dates_in
from infra.domain.report_files.headers import (
    currency_of_header,
    duplicated,
    has_marks,
    mapped_columns,
    missing_fields,
)
from infra.domain.report_files.layouts import Inspection, LayoutQuestion
from infra.domain.report_files.opening import OpenedReport
from infra.domain.report_reading import currencies_of
from schemas.network_reports import NETWORK_REPORTS, NetworkReports, reports_of

_USUAL: Final = {"$": "USD", "£": "GBP", "¥": "JPY"}
"""What a sign that several currencies share is taken for, until it is answered."""


@dataclass(frozen=True, slots=True)
class _Currency:
    """The currency of rows that name none, with the question about it."""

    code: str
    question: LayoutQuestion | None = None


def inspected(opened: OpenedReport, network: str, given: ReportLayoutChanges, today: date) -> ReportInspection:
    """Raises `UnreadableReport`."""
    reports = reports_of(network)
    headers, notes = opened.headers, list(opened.notes)
    columns = mapped_columns(headers, opened.columns, given.columns)
    if network == "amazon" and not given.columns:
        check_amazon(headers, columns)
    if _currencies_differ(columns):
        notes.append(f'"{columns.pop("sale")}" is left out: it is in another currency than "{columns["commission"]}".')
    layout = ReportLayout(
        **opened.layout.model_dump(exclude={"columns", "timezone"}),
        columns=columns,
        timezone=reports.timezone if given.timezone is None else given.timezone,
        statuses=dict(given.statuses or {}),
    )
    reader = RowReader(network, layout, headers, timezone="UTC", currency="", today=today)
    evidence = FileEvidence(headers, layout, reader, today)
    for line in opened.preamble:
        for each in dates_in(line):
            evidence.order.add(each)
    evidence.collect(opened.source(layout).records())
    currency = _currency(columns, reports, opened.currency, given)
    default_mark = "." if layout.format == "json" else reports.decimal_mark
    layout = layout.model_copy(
        update={
            "currency": currency.code,
            "date_order": given.date_order or evidence.order.order(reports.date_order),
            "decimal_mark": given.decimal_mark or evidence.mark.mark(default_mark),
        }
    )
    questions = [
        *_of_network(network, headers),
        *_of_columns(layout, network, headers, evidence, given),
        *_of_values(layout, reports, evidence),
        *([currency.question] if currency.question and evidence.rows else []),
    ]
    return Inspection(
        layout,
        headers,
        tuple(evidence.sample),
        tuple(questions),
        evidence.last_line if evidence.is_whole else None,
        (*notes, *_skipped(evidence)),
    )


def _currencies_differ(columns: dict[str, str]) -> bool:
    """Returns whether the headers of sale and commission name different currencies: a row has one."""
    if "sale" not in columns or "commission" not in columns:
        return False
    sale, commission = (currency_of_header(columns[field]) for field in ("sale", "commission"))
    return bool(sale and commission) and not currencies_of(sale) & currencies_of(commission)


def _currency(columns: dict[str, str], reports: NetworkReports, envelope: str, given: ReportLayoutChanges) -> _Currency:
    if given.currency is not None:
        return _Currency(given.currency)
    if columns.get("currency"):
        return _Currency("")
    header = next((columns[each] for each in ("commission", "sale") if currency_of_header(columns.get(each, ""))), "")
    sign = currency_of_header(header)
    allowed = currencies_of(sign)
    if reports.currency and (not allowed or reports.currency in allowed):
        return _Currency(reports.currency)
    if len(allowed) == 1:
        return _Currency(next(iter(allowed)))
    if allowed:
        usual = _USUAL.get(sign, "")
        return _Currency(usual, ask.about_currency(header, sorted(allowed, key=lambda code: (code != usual, code))))
    return _Currency(envelope) if envelope else _Currency("", ask.about_currency("", ()))


def _of_network(network: str, headers: Sequence[str]) -> list[LayoutQuestion]:
    own = NETWORK_REPORTS.get(network)
    if own is not None and has_marks(headers, own.marks):
        return []
    others = (slug for slug, other in NETWORK_REPORTS.items() if slug != network and has_marks(headers, other.marks))
    return [ask.about_network(network, other) for other in others][:1]


def _of_columns(
    layout: ReportLayout, network: str, headers: Sequence[str], evidence: FileEvidence, given: ReportLayoutChanges
) -> Iterable[LayoutQuestion]:
    if not evidence.rows and layout.format == "json":
        return
    for field in missing_fields(layout.columns, columns_of(network)):
        yield ask.about_column(field, headers)
    places = {header: at for at, header in enumerate(headers)}
    for field in ("txid", "occurred_at", "commission", "sale", "click_ref", "status"):
        same = duplicated(layout.columns.get(field, ""), headers)
        if same and field not in (given.columns or {}) and _differ([places[each] for each in same], evidence):
            yield ask.about_duplicate(field, same)


def _differ(places: Sequence[int], evidence: FileEvidence) -> bool:
    return any(len({row[at] if at < len(row) else "" for at in places}) > 1 for row in evidence.sample)


def _of_values(layout: ReportLayout, reports: NetworkReports, evidence: FileEvidence) -> Iterable[LayoutQuestion]:
    if not layout.date_order:
        yield common.about_date_order(evidence.order)
    if not layout.decimal_mark:
        yield common.about_decimal_mark(evidence.mark.unsure)
    words = StatusWords(reports, layout.statuses)
    for each in unknown_words(evidence, layout.statuses):
        if words.read(each) is None:
            yield ask.about_status(each)
    if _lacks_status(layout, reports, evidence):
        yield ask.about_status("")
    if evidence.is_without_zone and not layout.timezone:
        yield ask.about_timezone()


def _lacks_status(layout: ReportLayout, reports: NetworkReports, evidence: FileEvidence) -> bool:
    is_known = reports.status or "" in layout.statuses or layout.columns.keys() & {"status", "voided"}
    return bool(evidence.rows) and not is_known


def _skipped(evidence: FileEvidence) -> Iterable[str]:
    if evidence.skipped:
        lines = ", ".join(str(line) for line in evidence.skipped[:5]) + (", …" if len(evidence.skipped) > 5 else "")
        yield f"Skipped as totals or repeated headers: line {lines}."
    if not evidence.rows:
        yield "The report has no rows."
