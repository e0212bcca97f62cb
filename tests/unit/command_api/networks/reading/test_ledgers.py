"""A hidden ledger, written as the files of seven networks in random forms, is read back line by line to the cent."""

from __future__ import annotations

import io
import random
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from command_api.networks.reading.reports import inspect, read
from command_api.networks.reading.rows import NetworkRow, ReportLayoutChanges
from infra.domain.report_files.layouts import RejectedLine
from tests.oracle import network_files
from tests.oracle.network_files import NETWORKS, Network, NetworkLine, Writing
from tests.unit.command_api.networks.reading.support import TODAY

Row = tuple[Any, ...]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("network", NETWORKS)
def test_a_file_gives_the_lines_of_its_ledger_back(network: Network, seed: int) -> None:
    rng = random.Random(f"{network} {seed}")
    ledger = network_files.random_ledger(seed, TODAY)
    writing = network_files.random_writing(rng, network)
    day = TODAY - timedelta(days=rng.randrange(60))
    lines = network_files.lines_of(ledger, network, day, writing.zone)
    assert lines

    found = read_back(network, network_files.write(network, lines, writing, seed), writing)

    assert Counter(map(as_read, found)) == Counter(expected(network, writing.form, line) for line in lines)


def test_a_later_file_repeats_the_ids_of_the_one_of_an_earlier_day() -> None:
    ledger = network_files.random_ledger(1, TODAY)
    for network in NETWORKS:
        early, late = (ids(network, ledger, TODAY - timedelta(days=days)) for days in (130, 0))
        assert early
        assert early < late


def ids(network: Network, ledger: tuple[network_files.NetworkSale, ...], day: Any) -> set[tuple[str, str, Decimal]]:
    """Ids of the rows; those of Amazon do not depend on the order of the file."""
    writing = Writing(form=network_files.FORMS[network][0], separator="|" if network == "shareasale" else ",")
    lines = network_files.lines_of(ledger, network, day)
    rows = read_back(network, network_files.write(network, lines, writing), writing)
    amounts = {(row.txid, row.line_key, row.commission if row.is_correction else Decimal(0)) for row in rows}
    assert network != "amazon" or len({row.txid for row in rows}) == len(rows)
    return amounts


def read_back(network: Network, content: bytes, writing: Writing) -> list[NetworkRow]:
    """The rows. What the file leaves open is answered; nothing may be rejected."""
    file = io.BytesIO(content)
    given = ReportLayoutChanges(timezone=writing.zone)
    inspection = inspect(file, network, given, today=TODAY)
    blocking = {question.field for question in inspection.questions if question.is_blocking}
    assert blocking <= {"date_order"}
    if blocking:
        given = ReportLayoutChanges(timezone=writing.zone, date_order=writing.order)
        inspection = inspect(file, network, given, today=TODAY)
    found = list(read(file, network, inspection.layout, timezone="UTC", currency="USD", today=TODAY))
    assert [entry for entry in found if isinstance(entry, RejectedLine)] == []
    return [entry for entry in found if isinstance(entry, NetworkRow)]


def as_read(row: NetworkRow) -> Row:
    return (
        row.txid if not row.replaces else row.replaces,
        row.line_key,
        row.order_ref,
        row.partner_ref,
        row.click_ref,
        row.tracking_id if row.replaces else "",
        row.occurred_at,
        row.clicked_at,
        row.updated_at,
        row.sale,
        row.commission,
        row.currency,
        str(row.status),
        row.is_correction,
        row.is_amended,
    )


def expected(network: Network, form: str, line: NetworkLine) -> Row:
    day = f"{line.at:%Y-%m-%d}"
    changed = None if line.changed_at is None or line.changed_at.date() > TODAY else line.changed_at
    return (
        f"{day} {line.tag}" if network == "amazon" else line.txid,
        line.line_key,
        "" if network == "cj" and form == "csv" else line.order,
        line.partner[0],
        line.click_ref,
        line.tag if network == "amazon" else "",
        line.at,
        line.clicked_at,
        changed,
        Decimal(line.sale) / 100,
        Decimal(line.commission) / 100,
        line.currency,
        line.status,
        line.is_correction,
        line.is_amended,
    )
