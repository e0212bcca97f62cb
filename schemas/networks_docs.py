"""`docs/networks.md` and the web app's table of networks, made of `networks.toml` and `network_reports.toml`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from schemas.network_reports import read_layouts
from schemas.networks import NETWORKS, NetworkKind, NetworkPreset, Reports

_ROOT: Final = Path(__file__).parent.parent
PAGE: Final = _ROOT / "docs" / "networks.md"
TABLE: Final = _ROOT / "web" / "src" / "lib" / "networks" / "networks.json"
_CALLS: Final = {Reports.POSTBACK: ("postback",), Reports.JSON: ("JSON webhook",), Reports.FILE: ()}
_HEAD: Final = """\
# Networks and trackers

Generated from `schemas/networks.toml` by `make docs`; do not edit.

A partner has a network (`postbackPreset`). From it follow the parameter in which the partner's links pass the click
id, and the names and placeholders of its postback URL. A partner may have a click id parameter of its own. The
redirect adds the parameter to the destination, unless the destination has `{click_id}` or that parameter already; a
parameter `name:` is a part of the path (`/name:VALUE`). A click id has 39 letters and digits of both cases.

The tracking script recognizes links in pages by these hosts and parameters
([Tracking API](tracking-api.md#affiliate-links)).

**Transaction ids.** With most networks a transaction id is unique within the website; with trackers only within one
click, so that a sale is identified by the id and the click ([scope](conversions.md#transaction-ids)). The names of kind
generic have the scope that the website sets.

`–` is what was not found in public documentation or does not exist. Entries marked *check* are not documented in full,
or depend on how a program is set up: send a test conversion before you rely on them. The comments of
`schemas/networks.toml` explain how to add a network.

**Reports.** *report API*: Althing fetches the reports of a [connection](network-connections.md). A file with a name
(*Awin JSON*) is read exactly. *file (mapped)*: a CSV, TSV, XLSX or JSON file of
any layout, also compressed with gzip; columns are recognized by their headers (`schemas/network_reports.toml`) and can
be chosen by hand."""


def page() -> str:
    """The text of `docs/networks.md`."""
    named = sorted(NETWORKS.values(), key=lambda one: (one.kind is NetworkKind.GENERIC, one.name.lower()))
    rows = "\n".join(_row(one) for one in named)
    parts = [
        _HEAD,
        "| network | slug | link hosts | click id parameter | longest | transaction id within | sales arrive by |\n"
        "|---|---|---|---|---|---|---|\n" + rows,
        "## Postbacks",
        "Parameters of the postback URL with the placeholders that the network replaces. Our own names are always"
        " understood, too, unless the network gives them another meaning.",
        *(_postback(one) for one in named if one.postback or one.names or one.note),
    ]
    return "\n\n".join(parts) + "\n"


def table() -> str:
    """The text of `web/src/lib/networks/networks.json`."""
    return json.dumps([_entry(one) for one in NETWORKS.values()], ensure_ascii=False, indent=1) + "\n"


DOCUMENTS: Final[Mapping[Path, Callable[[], str]]] = {PAGE: page, TABLE: table}


def _row(one: NetworkPreset) -> str:
    marks = [f"any, with `{mark}=`" for mark in one.marks]
    hosts = ", ".join([*one.hosts[:3], *marks]) + (", …" if len(one.hosts) > 3 else "") or "–"
    click_id = f"`{one.click_id}`" if one.click_id else "–"
    scope = "its setting" if one.kind is NetworkKind.GENERIC else str(one.txid_scope)
    longest = f"{one.max_length:,}" if one.max_length else "–"
    check = "" if one.documented else " *check*"
    fetched = ("report API",) if one.secret else ()
    arrives = ", ".join((*_CALLS[one.reports], *fetched, *read_layouts(one.slug)))
    cells = (f"{one.name}{check}", f"`{one.slug}`", hosts, click_id, longest, scope, arrives)
    return f"| {' | '.join(cells)} |"


def _postback(one: NetworkPreset) -> str:
    lines = [f"### {one.name}"]
    if one.note:
        lines.append(one.note)
    if one.postback:
        query = "&".join(f"{name}={placeholder}" for name, placeholder in one.postback.items())
        lines.append(f"```text\n{query}\n```")
    if one.names:
        lines.append("Names: " + ", ".join(f"`{sent}` = {field}" for sent, field in one.names.items()) + ".")
    if one.statuses:
        lines.append("Statuses: " + ", ".join(f"`{word}` = {status}" for word, status in one.statuses.items()) + ".")
    return "\n\n".join(lines)


def _entry(one: NetworkPreset) -> dict[str, object]:
    """Returns the entry without what has its usual value."""
    entry: dict[str, object] = {"id": one.slug, "label": one.name, "kind": one.kind.value}
    details: dict[str, object] = {
        "hosts": list(one.hosts),
        "clickId": one.click_id,
        "parameters": dict(one.postback),
        "credentials": [
            *({"name": name, "label": label} for name, label in one.account.items()),
            *({"name": name, "label": label, "isSecret": True} for name, label in one.secret.items()),
        ],
        "note": one.note,
    }
    entry |= {name: value for name, value in details.items() if value}
    if one.reports is not Reports.POSTBACK:
        entry["reports"] = one.reports.value
    if not one.documented:
        entry["unsure"] = True
    return entry
