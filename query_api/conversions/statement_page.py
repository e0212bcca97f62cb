"""A statement as a page to print: one document, no script, nothing fetched. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from html import escape
from typing import Any, Final

from infra import PRODUCT_NAME
from query_api.kernel.money import Amount
from schemas.currencies import amount_text
from schemas.zones import ZoneInfo

_STYLE: Final = """
@page { size: A4; margin: 18mm 15mm }
:root { color-scheme: light }
body { font: 10.5pt/1.45 system-ui, sans-serif; color: #16181d; background: #fff; max-width: 180mm; margin: 12mm auto }
h1 { font-size: 18pt; margin: 0 0 6mm }
dl { display: grid; grid-template-columns: 32mm 1fr; gap: 1mm 4mm; margin: 0 0 8mm }
dt { color: #555b66 } dd { margin: 0 }
table { border-collapse: collapse; width: 100%; margin: 0 0 8mm }
caption { text-align: left; font-weight: 600; padding: 0 0 2mm }
th, td { text-align: left; padding: 1.2mm 2mm; border-bottom: .2mm solid #c9cdd4; vertical-align: top }
th { color: #555b66; font-weight: 500 }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
td.t { overflow-wrap: anywhere }
tr.sum td { font-weight: 600 }
tr { break-inside: avoid } thead { display: table-header-group }
footer { color: #555b66; font-size: 9pt } footer p { margin: 0 0 1mm }
"""

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    f" style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
    "Cache-Control": "no-store",
}
"""The page may use its own style, and do nothing else."""

_BALANCES: Final = frozenset({"opening", "closing"})


def page(
    *,
    title: str,
    facts: Mapping[str, str],
    sums: Sequence[tuple[str, Amount]],
    lines: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    zone: ZoneInfo,
) -> bytes:
    """The document. Every text in it is escaped."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    summed = "".join(
        f"<tr{_sum(name.startswith(('Closing', 'Payable')))}><td>{escape(name)}</td>"
        f'<td class="n">{escape(amount_text(amount.amount, amount.currency))}</td></tr>'
        for name, amount in sums
    )
    booked = "".join(_row(line, zone) for line in lines)
    noted = "".join(f"<p>{escape(note)}</p>" for note in notes)
    heads = "".join(f"<th>{name}</th>" for name in ("Booked", "Booking", "Transaction", "Sale", "Reason"))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>"
        f"<dl>{told}</dl><table><caption>Summary</caption><tbody>{summed}</tbody></table>"
        f'<table><caption>Bookings</caption><thead><tr>{heads}<th class="n">Amount</th></tr></thead>'
        f"<tbody>{booked}</tbody></table></main>"
        f"<footer>{noted}<p>Made by {escape(PRODUCT_NAME)} from its event log. Times are the website's.</p></footer>"
        "</body></html>"
    ).encode()


def _row(line: Mapping[str, Any], zone: ZoneInfo) -> str:
    cells = (
        _time(line["bookedAt"], zone),
        line["booking"].capitalize() + (" balance" if line["booking"] in _BALANCES else ""),
        line["transaction"],
        _time(line["occurredAt"], zone),
        line["reason"],
    )
    told = "".join(f'<td class="t">{escape(cell)}</td>' for cell in cells)
    amount = escape(f"{line['amount']} {line['currency']}")
    return f'<tr{_sum(line["booking"] in _BALANCES)}>{told}<td class="n">{amount}</td></tr>'


def _time(at: datetime | None, zone: ZoneInfo) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M") if at is not None else ""


def _sum(is_sum: bool) -> str:
    return ' class="sum"' if is_sum else ""
