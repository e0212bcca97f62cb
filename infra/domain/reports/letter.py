"""The email of a report: its parts in order, as plain text and as HTML for mail programs. Pure.

HTML of emails knows tables and inline styles only. Every text of it is escaped: labels come from visitors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from infra.domain.reports.charts import WIDTH


@dataclass(frozen=True, slots=True)
class Kpi:
    """One number. `change`: against the period before; empty if there is none."""

    label: str
    value: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class LetterChart:
    """A chart, attached as `content_id`. `alt`: what it shows, in words."""

    title: str
    content_id: str
    alt: str


@dataclass(frozen=True, slots=True)
class LetterTable:
    """Rows under a title; the first column is text, the others are numbers. `note`: what the table leaves out."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReportLetter:
    """The parts of the email."""

    title: str
    period: str
    lead: str
    kpis: Sequence[Kpi]
    pictures: Sequence[LetterChart]
    tables: Sequence[LetterTable]
    notes: Sequence[str]
    link_label: str
    link: str
    footer: str
    stop_url: str

    def text(self) -> str:
        """Returns the letter as plain text."""
        parts = [f"{self.title}\n{self.period}", self.lead]
        if self.kpis:
            parts.append("\n".join(f"{kpi.label}: {kpi.value}{_beside(kpi.change)}" for kpi in self.kpis))
        parts += [f"{picture.title}\n{picture.alt}" for picture in self.pictures]
        parts += [_table_text(table) for table in self.tables]
        parts += [*self.notes, f"{self.link_label}: {self.link}", f"{self.footer}\nUnsubscribe: {self.stop_url}"]
        return "\n\n".join(part for part in parts if part) + "\n"

    def html(self) -> str:
        """Returns the letter as HTML; pictures by `cid:`."""
        body = [
            f'<h1 style="margin:0;font-size:22px;line-height:1.3">{escape(self.title)}</h1>',
            f'<p style="margin:2px 0 16px;color:{_MUTED}">{escape(self.period)}</p>',
            f'<p style="margin:0 0 16px">{escape(self.lead)}</p>' if self.lead else "",
            _kpis_html(self.kpis),
            *(_picture_html(picture) for picture in self.pictures),
            *(_table_html(table) for table in self.tables),
            *(f'<p style="margin:16px 0 0;color:{_MUTED}">{escape(note)}</p>' for note in self.notes),
            f'<p style="margin:24px 0"><a href="{escape(self.link)}" style="display:inline-block;padding:10px 18px;'
            f'border-radius:8px;background:{_BRAND};color:#ffffff;text-decoration:none">{escape(self.link_label)}</a></p>',
            f'<p style="margin:0;font-size:13px;color:{_MUTED}">{escape(self.footer)} '
            f'<a href="{escape(self.stop_url)}" style="color:{_MUTED}">Unsubscribe</a></p>',
        ]
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">'
            f"<title>{escape(self.title)}</title></head>"
            f'<body style="margin:0;padding:24px 12px;background:#f4f6f9;color:{_TEXT};font:15px/1.5 -apple-system,'
            'BlinkMacSystemFont,&quot;Segoe UI&quot;,Roboto,Helvetica,Arial,sans-serif">'
            f'<table role="presentation" align="center" width="{WIDTH + 48}" cellpadding="0" cellspacing="0"'
            ' style="max-width:100%;margin:0 auto;background:#ffffff;border-radius:12px"><tr><td style="padding:24px">'
            f"{''.join(body)}</td></tr></table></body></html>\n"
        )


MAX_ALIGNED: Final = 5
_NUMBER_WIDTH: Final = 15
_TEXT: Final = "#1a2230"
_MUTED: Final = "#5b6472"
_BRAND: Final = "#2563eb"
_RULE: Final = "border-bottom:1px solid #e5e8ee"


def _beside(text: str) -> str:
    return f" ({text})" if text else ""


def _table_text(table: LetterTable) -> str:
    lines = [f"{' · '.join(row)}" for row in table.rows] or ["No data in this period"]
    head = f"{table.title} ({' · '.join(table.columns)})"
    return "\n".join([head, *(f"- {line}" for line in lines), *([table.note] if table.note else [])])


def _kpis_html(kpis: Sequence[Kpi]) -> str:
    cells = [
        '<td width="33%" style="padding:10px 8px 10px 0;vertical-align:top">'
        f'<div style="font-size:13px;color:{_MUTED}">{escape(kpi.label)}</div>'
        f'<div style="font-size:20px;font-weight:600">{escape(kpi.value)}</div>'
        f'<div style="font-size:13px;color:{_MUTED}">{escape(kpi.change)}</div></td>'
        for kpi in kpis
    ]
    rows = ["".join(cells[at : at + 3]) for at in range(0, len(cells), 3)]
    return _presented("".join(f"<tr>{row}</tr>" for row in rows)) if rows else ""


def _picture_html(picture: LetterChart) -> str:
    return (
        f'<h2 style="margin:20px 0 8px;font-size:16px">{escape(picture.title)}</h2>'
        f'<img src="cid:{escape(picture.content_id)}" alt="{escape(picture.alt)}" width="{WIDTH}"'
        ' style="display:block;width:100%;height:auto;border:0">'
    )


def _table_html(table: LetterTable) -> str:
    head = "".join(
        f'<th scope="col" style="{_RULE};padding:4px 0 4px {_gap(number)};font-size:13px;font-weight:500;'
        f'color:{_MUTED};text-align:{_side(number)};vertical-align:bottom">{escape(name)}</th>'
        for number, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_RULE};padding:6px 0 6px {_gap(number)};text-align:{_side(number)};word-break:break-word">'
            f"{escape(cell)}</td>"
            for number, cell in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    empty = f'<p style="margin:0;color:{_MUTED}">No data in this period</p>'
    note = f'<p style="margin:6px 0 0;font-size:13px;color:{_MUTED}">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2 style="margin:24px 0 6px;font-size:16px">{escape(table.title)}</h2>'
        + (
            '<table width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse;font-size:14px">'
            f"{_widths(len(table.columns))}<tr>{head}</tr>{rows}</table>"
            if table.rows
            else empty
        )
        + note
    )


def _widths(columns: int) -> str:
    """Returns the widths of columns: few are aligned with those of all tables; many take the width that they need."""
    if not 2 <= columns <= MAX_ALIGNED:
        return ""
    others = f'<col width="{_NUMBER_WIDTH}%">' * (columns - 1)
    return f'<colgroup><col width="{100 - _NUMBER_WIDTH * (columns - 1)}%">{others}</colgroup>'


def _side(column: int) -> str:
    return "right" if column else "left"


def _gap(column: int) -> str:
    return "8px" if column else "0"


def _presented(rows: str) -> str:
    return f'<table role="presentation" width="100%" cellpadding="0" cellspacing="0">{rows}</table>'
