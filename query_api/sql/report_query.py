"""The email of a saved query: its chart if it has one, its first rows as a table, and the page's CSV. It runs as the
person, within the limits of the SQL page, and is in the person's history."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

import anyio.to_thread
from fastapi import APIRouter

from infra.domain.reports import figures
from infra.domain.reports.contract import MAX_FILES_BYTES, QUERY_PATH, EmailFile, Rendered, RenderOrder
from infra.domain.reports.letter import LetterChart, LetterTable, ReportLetter
from infra.domain.reports.result_chart import MAX_POINTS, ResultChart, chart_of
from infra.domain.sql_access.analyst_accounts import ROLES, Analyst
from infra.domain.sql_access.parameters import declared
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import STATEMENT, costs
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import Context
from query_api.kernel.postgres_reader import Row
from query_api.kernel.report_orders import ReportOrder, ReportScope, footer, no_access
from query_api.sql.statements import CsvResult, Runner, SqlQuestion, run_as_csv

router = APIRouter(include_in_schema=False)

DOOR: Final = "email report"
"""The way into history."""
SHOWN_ROWS: Final = 50
SHOWN_COLUMNS: Final = 12
MAX_CELL: Final = 200
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9]+")


@router.post(QUERY_PATH, openapi_extra=costs(STATEMENT))
async def render_query_report(order: ReportOrder, scope: ReportScope, context: Context, runner: Runner) -> Rendered:
    """The email. Raises `Problem` 410 for a query that is gone, or a person who is no analyst any more."""
    row = await anyio.to_thread.run_sync(_query_of, order, scope)
    principal = scope.principal
    person = Analyst(principal.account_id, principal.email, principal.is_admin)
    question = _question_of(row["text"], order)
    result = await run_as_csv(context.pool, runner, person, question, DOOR, MAX_FILES_BYTES)
    return _rendered(row["title"], result, order, f"{context.settings.app_url}/sql")


def _query_of(order: RenderOrder, scope: AccountScope) -> Row:
    row = scope.reader.row(_QUERY, (order.query_id, order.account_id)) if ROLES & scope.principal.roles else None
    if row is None:
        raise no_access("query")
    return row


def _question_of(sql: str, order: RenderOrder) -> SqlQuestion:
    """Returns the question with the values of the parameters that the text has now. Raises `Problem` 409 for one
    without a value."""
    names = declared(sql)
    missing = [name for name in names if name not in order.parameters]
    if missing:
        message = f"The query has no value for {', '.join(missing)}. Edit the report to set it."
        raise Problem(409, "parameter_missing", message)
    return SqlQuestion(sql=sql, parameters={name: order.parameters[name] for name in names})


def _rendered(title: str, result: CsvResult, order: RenderOrder, link: str) -> Rendered:
    lines = csv.reader(io.StringIO(result.content.decode("utf-8", "replace")))
    columns = next(lines, [])
    first = [line for line, _ in zip(lines, range(MAX_POINTS), strict=False)]
    rows = [[_cell(cell) for cell in line[:SHOWN_COLUMNS]] for line in first[:SHOWN_ROWS]]
    count = f"{figures.count_text(result.rows)} {'row' if result.rows == 1 else 'rows'}"
    notes = []
    if not result.is_whole:
        notes.append("The result is too large to attach. Run the query on the SQL page, or add a LIMIT.")
        count = "result"
    if result.kept_from is not None:
        notes.append(f"Individual events are available from {figures.day_text(result.kept_from)} (UTC).")
    if len(columns) > SHOWN_COLUMNS:
        notes.append(f"The table shows the first {SHOWN_COLUMNS} of {len(columns)} columns.")
    chart = chart_of(columns, result.types, first)
    pictures = [_picture(chart, title)] if chart is not None else []
    if chart is not None and result.rows > MAX_POINTS:
        notes.append(f"The chart shows the first {MAX_POINTS} rows.")
    caption = "" if result.rows <= SHOWN_ROWS else f"The first {SHOWN_ROWS} rows."
    days = figures.days_text(order.first_day, order.last_day)
    letter = ReportLetter(
        title=title,
        period=f"Scheduled after {days}",
        lead=f"The query returned {count}." if result.is_whole else "",
        kpis=[],
        pictures=[shown_picture for shown_picture, _ in pictures],
        tables=[LetterTable("Result", [_cell(name) for name in columns[:SHOWN_COLUMNS]], rows, caption)],
        notes=notes,
        link_label="Open SQL",
        link=link,
        footer=footer(f"the query “{title}”", order),
        stop_url=order.stop_url,
    )
    name = _NOT_IN_NAMES.sub("-", title).strip("-").lower()[:60] or "query"
    file = EmailFile(name=f"{name}.csv", media_type="text/csv", content=result.content)
    return Rendered(
        subject=f"{title}: {days}, {count}",
        text=letter.text(),
        html=letter.html(),
        attachments=[*(picture for _, picture in pictures), *([file] if result.is_whole else [])],
    )


def _picture(chart: ResultChart, title: str) -> tuple[LetterChart, EmailFile]:
    content_id = "chart@query"
    png = chart.png(figures.compact_text)
    file = EmailFile(name="chart.png", media_type="image/png", content=png, content_id=content_id)
    return LetterChart(title, content_id, chart.described()), file


def _cell(text: str) -> str:
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"


_QUERY: Final = "SELECT title, text FROM read.saved_queries WHERE id = %s AND account_id = %s AND removed_at IS NULL"
