"""The columns of networks' reports, as `infra.domain.report_files` reads them."""

from __future__ import annotations

from functools import cache, partial
from typing import Final

from command_api.networks.reading.json_layouts import flat_records
from infra.domain.report_files.columns import ReportColumns
from schemas.network_reports import reports_of

NECESSARY: Final = ("txid", "occurred_at", "commission")
WITHOUT_TXID: Final = frozenset({"amazon"})
"""Networks whose rows have no id."""


@cache
def columns_of(network: str) -> ReportColumns:
    """The columns of the network's files. Raises `KeyError`: there is no such network."""
    necessary = NECESSARY[1:] if network in WITHOUT_TXID else NECESSARY
    return ReportColumns(tuple(reports_of(network).columns.items()), necessary, partial(flat_records, network))
