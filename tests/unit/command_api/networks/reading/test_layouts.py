"""Each layout that docs/networks.md promises is read without a question that must be answered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

import pytest

from infra.domain.report_files.headers import has_marks
from schemas.network_reports import NETWORK_REPORTS
from tests.oracle.network_files import Network, Writing, lines_of, random_ledger, write
from tests.unit.command_api.networks.reading.support import TODAY, as_json, look, rows, table


def of_ledger(network: Network, form: str) -> bytes:
    lines = lines_of(random_ledger(3, TODAY, 20), network, TODAY - timedelta(days=20))
    return write(network, lines, Writing(form=form, separator="|" if network == "shareasale" else ","))


TRADEDOUBLER: Final = {
    "transactionId": 900,
    "programId": 11,
    "timeOfTransaction": "2026-06-03 10:00:00.0",
    "epi": "0xclick",
    "status": "A",
    "commission": 10.05,
}
PARTNERIZE: Final = {
    "conversion_id": "1",
    "conversion_time": "2026-06-03 10:00:00",
    "publisher_reference": None,
    "conversion_value": {"conversion_status": "pending", "publisher_commission": "10.00"},
}
CLICKBANK: Final = {
    "receipt": "R1",
    "transactionType": "SALE",
    "transactionTime": "2026-06-03T10:00:00-07:00",
    "role": "AFFILIATE",
    "lineItemData": [{"itemNo": "1", "accountAmount": 25.5, "role": "AFFILIATE"}],
}
WEBGAINS: Final = {
    "transactionID": 5,
    "programID": 6,
    "date": "2026-06-03T10:00:00",
    "clickRef": "0xclick",
    "saleValue": 50.5,
    "commission": 5.05,
    "status": "confirmed",
}
EXAMPLES: Final[Mapping[str, bytes | str]] = {
    "Amazon Fee-Earnings file": of_ledger("amazon", "csv"),
    "Amazon Bounty file": table("Name,Date Shipped,Tracking Id,Quantity,Ad Fees($)", "Trial,2026-06-13,blog-20,1,3.00"),
    "Awin JSON": of_ledger("awin", "json"),
    "CJ JSON": of_ledger("cj", "json"),
    "CJ Commission Detail file": of_ledger("cj", "csv"),
    "ClickBank JSON": as_json({"orderData": [CLICKBANK]}),
    "impact.com JSON": of_ledger("impact", "json"),
    "Partnerize JSON": as_json({"conversions": [{"conversion_data": PARTNERIZE}]}),
    "Rakuten Signature Orders file": of_ledger("rakuten", "csv"),
    "ShareASale activity file": of_ledger("shareasale", "csv"),
    "Tradedoubler JSON": as_json({"items": [TRADEDOUBLER], "reportCurrencyCode": "EUR"}),
    "Tradedoubler transactions file": of_ledger("tradedoubler", "csv"),
    "Webgains JSON": as_json([WEBGAINS]),
}
LAYOUTS: Final = [(slug, layout) for slug, reports in NETWORK_REPORTS.items() for layout in reports.layouts]


@pytest.mark.parametrize(("network", "layout"), LAYOUTS)
def test_a_promised_layout_is_recognized_and_read(network: str, layout: str) -> None:
    report = EXAMPLES[layout]
    inspection = look(report, network)
    assert has_marks(inspection.headers, NETWORK_REPORTS[network].marks)
    assert [question for question in inspection.questions if question.is_blocking] == []
    assert rows(report, network)


@pytest.mark.parametrize(("network", "layout"), LAYOUTS)
def test_a_promised_layout_is_recognized_in_the_account_of_another_network(network: str, layout: str) -> None:
    other = "skimlinks"
    [question] = [each for each in look(EXAMPLES[layout], other).questions if each.field == "other_network"]
    assert question.choices == (network, other)
