"""Process manager `network-imports`: reads report files, and lets their rows count or not, some sales at a time.

file -> `reading` -> `networks.import_row` -> compared with their sales (the preview) -> `FinishReading`
apply, undo: rows of some sales count or not, and what follows for each sale, in one transaction -> topic `conversions`
-> attribution policy. An import is applied once the policy has decided everything that was stated.

Each step is short and may run again: what a crash leaves is read again, or published again under the same id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import starmap
from time import monotonic
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from psycopg import Connection

from command_api.conversions.attribution.click_reader import UNAVAILABLE, ClickHouseClicks
from command_api.conversions.attribution.facts import Facts, SalesNamed
from command_api.conversions.attribution.gathering import Gathering
from command_api.conversions.attribution.identity import identified
from command_api.conversions.model import Conversion
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.networks import commands, model, staging, sub_ids
from command_api.networks.comparing import SaleComparison, compared, difference, kind_of
from command_api.networks.lookups import NAME
from command_api.networks.model import NetworkImportAggregate
from command_api.networks.payers import Payers, payers
from command_api.networks.reading import reports as reading
from command_api.networks.reading.rows import NetworkRow, ReportLayoutChanges
from command_api.networks.reports import end_of_day, is_same, minor_units, report_of, without_sale
from command_api.networks.sales import SaleLine
from command_api.networks.staging import StagedRow, StatedSale
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.domain.report_files import stored_files
from infra.domain.report_files.layouts import RejectedLine, UnreadableReport
from infra.domain.visitor_data.sealing import sealed_report
from infra.kernel.log import Log, LogUnavailable, Record
from infra.kernel.security.encryption import derived_key
from infra.kernel.security.text_keys import TextKey, TextKeys
from schemas.base import MoneySum
from schemas.click_id import ForgedClickId, read
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events.networks import ImportCounts
from schemas.message_ids import CORRELATION_ID
from schemas.report_imports import ImportState, OpenQuestion
from schemas.topics import CONVERSIONS
from schemas.tracking import ConversionReported
from schemas.zones import ZoneInfo

PROCESSED_CORRECTIONS: Final = frozenset({"rakuten"})
"""Networks whose corrections have the key of the line that they correct; when it was processed tells each."""
OTHER_NETWORK: Final = "other_network"
"""The question whether the file is another network's."""
WITHIN_PARTNER: Final = frozenset({"rakuten"})
"""Networks whose ids of sales are the shops' own: unique within one partner."""
FILE_LOST: Final = "The file is no longer stored. Upload it again."
MAX_ROWS: Final = 500_000
SALES_AT_A_TIME: Final = 1_000
STEP_S: Final = 1.5
"""A step takes about as long; then other imports have their turn, and a person may have cancelled."""
ACK_TIMEOUT_S: Final = 30.0
POLL_INTERVAL: Final = timedelta(milliseconds=300)
POLICY: Final = "policy:attribution"


def network_imports(container: Container, clicks: ClickHouseClicks, events: Log) -> ProcessManager:
    """The process manager; one step of one import at a time."""
    work = ImportWork(container, clicks, events, derived_key(container.settings, "click-id"))

    def plan(_timeouts: Sequence[Timeout], _now: datetime) -> Issue:
        return lambda timeout: work.step(timeout.id)

    return ProcessManager(
        NAME,
        plan,
        batch_size=1,
        unavailable=(LogUnavailable, *UNAVAILABLE),
        ids="SELECT import_id FROM lookup.network_import",
    )


@dataclass(frozen=True, slots=True)
class ImportWork:
    """The work on imports. `click_key` opens click ids."""

    container: Container
    clicks: ClickHouseClicks
    events: Log
    click_key: bytes

    def step(self, import_id: UUID) -> Command[None] | datetime | None:
        """Does the next part of the work. Returns when the next one is due, or the command that ends the phase."""
        held = self.container.load(import_id, model.evolve)
        website = self.container.load(held.website_id, websites.evolve) if held is not None else None
        if held is None or website is None or website.disconnected:
            return None
        if held.state is ImportState.READING:
            return self._read(held, website)
        if held.state is ImportState.APPLYING:
            return self._let_count(held, website, applies=True) or commands.FinishApplying(held.id)
        if held.state is ImportState.UNDOING:
            return self._let_count(held, website, applies=False) or commands.FinishUndoing(held.id)
        if held.state is ImportState.CANCELLED:  # while it was read, and the reading ended before it could tell
            for statement in staging.DELETE_ENDED:
                self.container.execute(statement, held.id)
        return None

    def _read(self, held: NetworkImportAggregate, website: Website) -> Command[None]:
        """Reads the file into rows and compares them with their sales."""
        given = ReportLayoutChanges.model_validate(held.mapping.model_dump(exclude={"partners", "is_of_network"}))
        with self.container.pool.connection() as connection:
            try:
                file = stored_files.opened_file(connection, self.container.settings, staging.FILES, held.id)
            except InvalidTag:
                return commands.FailNetworkImport(held.id, held.version, "file_lost", FILE_LOST)
        with file:
            try:
                inspection = reading.inspect(file, held.network, given)
                with self.container.pool.connection() as connection:
                    staging.keep_inspection(connection, held.id, inspection)
                questions = [
                    OpenQuestion(field=one.field, message=one.message, choices=one.choices)
                    for one in inspection.questions
                    if one.is_blocking and not (one.field == OTHER_NETWORK and held.mapping.is_of_network)
                ]
                if questions:
                    return commands.AskAboutNetworkImport(held.id, held.version, questions)
                layout = inspection.layout
                zone, currency = layout.timezone or website.timezone, layout.currency or website.currency
                file.seek(0)
                rows = reading.read(file, held.network, layout, timezone=zone, currency=currency)
                self._stage(held, website, rows, currency)
            except UnreadableReport as error:
                return commands.FailNetworkImport(held.id, held.version, error.code, error.message)
        counts, delta = self._preview(held, website)
        return commands.FinishReading(held.id, held.version, counts, delta)

    def _stage(
        self, held: NetworkImportAggregate, website: Website, rows: Iterator[NetworkRow | RejectedLine], currency: str
    ) -> None:
        """Stores the rows. Raises `UnreadableReport`."""
        with self.container.pool.connection() as connection:
            mapped = held.mapping.partners or {}
            known = payers(connection, website.id, website.account_id, held.network, held.partner_id, mapped)
            staged = self._staged(held, website, rows, known, currency)
            count, latest = staging.replace_rows(connection, held.id, website.id, held.network, staged)
            staging.reject_conflicts(connection, held.id)
            connection.execute(_TOTAL, (count, held.as_of or latest, held.id))
        sub_ids.match_rows(self.container, self.clicks, website.id, held.id)

    def _staged(
        self,
        held: NetworkImportAggregate,
        website: Website,
        rows: Iterator[NetworkRow | RejectedLine],
        known: Payers,
        currency: str,
    ) -> Iterator[StagedRow]:
        count, zone = 0, ZoneInfo(website.timezone)
        for row in rows:
            count += 1
            if count > MAX_ROWS:
                raise UnreadableReport("too_many_rows", f"A report has at most {MAX_ROWS:,} rows. Split it by time.")
            if isinstance(row, RejectedLine):
                yield staging.refused(row)
                continue
            click_id = self._click_of(row.click_ref, website)
            partner_id = known.of(row)
            problem = _problem(row, currency, is_known=bool(click_id or partner_id))
            if problem is not None:
                yield staging.refused(problem)
                continue
            line = _line(row, held, partner_id, click_id, currency, zone)
            yield staging.staged(_of_partner(row) if held.network in WITHIN_PARTNER else row, line)

    def _click_of(self, text: str, website: Website) -> str:
        """The click id, if it is one of the website."""
        text = text.strip()
        try:
            return text if text and read(self.click_key, text).is_of(website.id) else ""
        except ForgedClickId:
            return ""

    def _preview(self, held: NetworkImportAggregate, website: Website) -> tuple[ImportCounts, list[MoneySum]]:
        """Compares every sale with its recorded state, and marks each row."""
        delta: defaultdict[str, Decimal] = defaultdict(Decimal)
        after, has_groups = "", True
        while True:
            with self.container.pool.connection() as connection:
                txids, has_groups = staging.sales_of(connection, held.id, after)
                if not txids:
                    break
                comparisons = self._compared(connection, held, txids, applies=True)
            known = self._known(held, website, comparisons)
            kinds = {one.txid: kind_of(one, known.get(one.txid)) for one in comparisons}
            for one in comparisons:
                for currency, value in difference(one, known.get(one.txid)):
                    delta[currency] += value
            with self.container.pool.connection() as connection:
                staging.set_kinds(connection, held.id, kinds)
            after = txids[-1]
        with self.container.pool.connection() as connection:
            if has_groups:
                for one in self._compared(connection, held, staging.superseded(connection, held.id), applies=True):
                    for currency, value in difference(one, None):
                        delta[currency] += value
            counts = staging.counted(connection, held.id)
        sums = [MoneySum(amount=minor_units(value, currency), currency=currency) for currency, value in delta.items()]
        return counts, sorted((one for one in sums if one.amount), key=lambda one: one.currency)

    def _compared(
        self, connection: Connection[Any], held: NetworkImportAggregate, txids: Sequence[str], *, applies: bool
    ) -> list[SaleComparison]:
        found = staging.lines_of(connection, held.website_id, held.network, txids, held.id)
        groups = sorted({line.group for lines in found.values() for _, _, line in lines if line.group})
        before, after = staging.newest_imports(
            connection, held.website_id, held.network, groups, held.id, applies=applies
        )
        return [compared(txid, lines, held.id, before, after, applies=applies) for txid, lines in found.items()]

    def _known(
        self, held: NetworkImportAggregate, website: Website, sales: Sequence[SaleComparison]
    ) -> dict[str, Conversion]:
        """The conversions of sales that no import has stated so far."""
        unstated = [one for one in sales if one.before is None and one.after is not None]
        names = {(website.id, name) for one in unstated for name in _names(one)}
        gathering = Gathering(self.container, self.clicks, self.click_key)
        facts = gathering.ask(Facts(), *starmap(SalesNamed, sorted(names)))
        known: dict[str, Conversion] = {}
        for one in unstated:
            if one.after is None or not any(facts.sales_named(website.id, name) for name in _names(one)):
                continue
            report = report_of(website.id, held.network, one.txid, one.after, 1, datetime.now(UTC))
            identity, facts = gathering.decide(facts, partial(identified, report))
            state, facts = gathering.decide(facts, partial(_conversion, identity))
            if state is not None:
                known[one.txid] = state
        return known

    def _let_count(self, held: NetworkImportAggregate, website: Website, *, applies: bool) -> datetime | None:
        """Lets rows count or not for some time, and publishes what follows. Returns when the next step is due; none:
        everything is decided."""
        until = monotonic() + STEP_S
        with self.container.pool.connection() as connection:
            left = staging.unpublished(connection, held.website_id, held.network)
            key = TextKeys(self.container.settings).newest(connection)
        self._publish(held, left, key)
        if len(left) == staging.UNPUBLISHED:
            return datetime.now(UTC)
        while monotonic() < until:
            stated: list[ConversionReported] = []
            with self.container.pool.connection() as connection:
                txids = staging.next_sales(connection, held.id, SALES_AT_A_TIME, is_applied=not applies)
                if txids:
                    stated = self._state(connection, held, website, txids, applies=applies)
            self._publish(held, stated, key)
            if not txids:
                with self.container.pool.connection() as connection:
                    awaited = staging.job(connection, held.id).awaited
                    decided = dict(connection.execute(_DECIDED, (POLICY, CONVERSIONS.name)).fetchall())
                is_decided = all(decided.get(partition, 0) >= offset for partition, offset in awaited.items())
                return None if is_decided else datetime.now(UTC) + POLL_INTERVAL
        return datetime.now(UTC)

    def _state(
        self,
        connection: Connection[Any],
        held: NetworkImportAggregate,
        website: Website,
        txids: Sequence[str],
        *,
        applies: bool,
    ) -> list[ConversionReported]:
        """Lets the rows of these sales count or not, and keeps what is to be published about them, and returns it."""
        now = datetime.now(UTC)
        affected = staging.affected(connection, held.id, txids)
        comparisons = self._compared(connection, held, affected, applies=applies)
        staging.let_count(connection, held.id, txids, is_applied=applies)
        stated = staging.stated_of(connection, website.id, held.network, affected)
        revisions = staging.revisions(connection, len(comparisons))
        changed: dict[str, StatedSale] = {}
        for one, revision in zip(comparisons, revisions, strict=True):
            before = stated.get(one.txid)
            if one.after is not None:
                report = report_of(website.id, held.network, one.txid, one.after, revision, now)
                if before is None or before.is_gone or not is_same(before.report, report):
                    changed[one.txid] = StatedSale(report, one.after.counted, one.after.currency, is_gone=False)
            elif before is not None and not before.is_gone:
                report = without_sale(before.report, revision, now)
                changed[one.txid] = StatedSale(report, Decimal(0), before.currency, is_gone=True)
        staging.state(connection, website.id, held.network, changed)
        return [one.report for one in changed.values()]

    def _publish(
        self, held: NetworkImportAggregate, reports: Sequence[ConversionReported], key: TextKey | None
    ) -> None:
        """Appends what is stated to the log, and notes that. Raises `LogUnavailable`."""
        if not reports:
            return
        records = [_record(report, key) for report in reports]
        awaited: dict[int, int] = {}
        for position in self.events.publish(records).result(ACK_TIMEOUT_S):
            awaited[position.partition] = max(awaited.get(position.partition, 0), position.offset + 1)
        with self.container.pool.connection() as connection:
            staging.published(connection, held.website_id, held.network, reports)
            staging.await_decision(connection, held.id, awaited, len(reports))


def _names(sale: SaleComparison) -> set[str]:
    """The names by which the sale may be recorded."""
    return {sale.txid, sale.after.order_ref if sale.after is not None else ""} - {""}


def _conversion(identity: UUID, facts: Facts) -> Conversion | None:
    return facts.conversion(identity)


def _record(report: ConversionReported, text_key: TextKey | None) -> Record:
    key = f"{report.website_id}:{report.txid}".encode()
    headers = ((CORRELATION_ID, report.correlation_id.encode()),)
    return Record(CONVERSIONS.name, key, sealed_report(report, key, text_key), headers)


def _of_partner(row: NetworkRow) -> NetworkRow:
    """The row with an id of its sale that is unique within the network."""
    return replace(row, txid=f"{row.partner_ref}-{row.txid}") if row.partner_ref else row


def _line(
    row: NetworkRow,
    held: NetworkImportAggregate,
    partner_id: UUID | None,
    click_id: str,
    currency: str,
    zone: ZoneInfo,
) -> SaleLine:
    # A return in a report without ids names no sale: it is money of its own.
    is_correction = row.is_correction and not row.replaces
    has_time = isinstance(row.occurred_at, datetime)
    updated_at = row.updated_at.astimezone(UTC) if row.updated_at else None
    return SaleLine(
        order=0,  # as of its import, which gets it when it is stored
        line=row.line,
        line_key=row.line_key[:255],
        occurred_at=_moment(row.occurred_at, zone),
        has_time=has_time,
        commission=row.commission,
        currency=row.currency or currency,
        status=row.status,
        updated_at=updated_at,
        stated_at=held.as_of,
        sale=row.sale,
        is_correction=is_correction,
        processed_at=updated_at if is_correction and held.network in PROCESSED_CORRECTIONS else None,
        is_amended=row.is_amended,
        is_lead=row.is_lead,
        group=row.replaces,
        order_ref=(row.order_ref or (row.txid if held.network in WITHIN_PARTNER else ""))[:255],
        partner_id=partner_id,
        click_id=click_id,
    )


def _moment(occurred_at: datetime | date, zone: ZoneInfo) -> datetime:
    """A day without a time is that day of the website."""
    if isinstance(occurred_at, datetime):
        return occurred_at.astimezone(UTC)
    return end_of_day(datetime.combine(occurred_at, time(), zone))


def _problem(row: NetworkRow, currency: str, *, is_known: bool) -> RejectedLine | None:
    """Why a row cannot count; none: it can."""
    if not is_known:
        who = row.partner_name or row.partner_ref
        text = (
            f"Which partner is “{who[:80]}”? Choose it in the mapping." if who else "Choose the partner of this report."
        )
        return RejectedLine(row.line, "unknown_partner", text)
    if len(row.txid) > 255:
        return RejectedLine(row.line, "bad_txid", "A transaction id has at most 255 characters.", row.txid[:200])
    code = row.currency or currency
    if code not in MINOR_DIGITS:
        return RejectedLine(row.line, "unknown_currency", f"{code[:10]} is not an ISO 4217 currency.")
    largest = max(abs(row.commission), abs(row.sale or Decimal(0)))
    if largest.scaleb(MINOR_DIGITS[code]) > MAX_AMOUNT:
        return RejectedLine(row.line, "amount_too_large", "This amount is too large.")
    return None


_TOTAL: Final = (
    "UPDATE networks.import_job SET total = %s, done = 0, stated_at = %s, awaited = NULL WHERE import_id = %s"
)
_DECIDED: Final = "SELECT partition, next_offset FROM engine.position WHERE projection = %s AND topic = %s"
