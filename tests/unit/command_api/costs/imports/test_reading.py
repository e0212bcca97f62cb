"""Given an export of an ad platform, when it is read, then these costs by day, rejected lines and questions."""

from __future__ import annotations

import gzip
import io
from datetime import date
from decimal import Decimal

import pytest

from command_api.costs.imports.cost_rows import CostLine, PaidTraffic
from command_api.costs.imports.reading import MAX_ROWS, inspect, read
from infra.domain.report_files.layouts import FileLayout, Inspection, RejectedLine, UnreadableReport
from schemas.events.costs import CostMapping

TODAY = date(2026, 11, 30)
GOOGLE = (
    "Campaign report\n"
    "November 1, 2026 - November 2, 2026\n"
    "Day,Campaign,Currency code,Clicks,Cost\n"
    "2026-11-01,Spring,EUR,12,12.34\n"
    '2026-11-02,Spring,EUR,400,"1,234.50"\n'
    "Total: Account,--,EUR,412,1246.84\n"
)
GOOGLE_GERMAN = (
    "Kampagnenbericht\n1. November 2026 - 2. November 2026\n"
    "Tag;Kampagne;Währungscode;Klicks;Kosten\n"
    "01.11.2026;Frühling;EUR;12;12,34\n"
    "13.11.2026;Frühling;EUR;400;1.234,50\n"
    "Gesamt: Konto;--;EUR;412;1.246,84\n"
)
MICROSOFT = (
    '"Gregorian date","Campaign name","Keyword","Spend","Currency code"\n'
    '"11/1/2026","Spring","tent","3.10","USD"\n'
    '"11/13/2026","Spring","","0.90","USD"\n'
    '"©2026 Microsoft Corporation. All rights reserved."\n'
)
META = (
    "Reporting starts,Reporting ends,Campaign name,Ad name,Amount spent (EUR)\n"
    "2026-11-01,2026-11-30,,,30.00\n"
    "2026-11-01,2026-11-01,Spring,Tent video,10.00\n"
    "2026-11-02,2026-11-02,Spring,Tent video,20.00\n"
)
META_GERMAN = "Tag;Kampagnenname;Name der Werbeanzeige;Ausgegebener Betrag (EUR)\n2026-11-01;Frühling;Zelt;10,00\n"
TIKTOK = "By Day,Campaign name,Ad group name,Ad name,Cost,Currency\n2026-11-01 00:00:00,Spring,A,Tents,7.5,USD\n"
GENERIC = "date,utm_source,utm_campaign,utm_content,amount\n2026-11-01,news.example,spring,box,12\n"


def look(content: str | bytes, platform: str = "generic", mapping: CostMapping | None = None) -> Inspection[FileLayout]:
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    return inspect(file, platform, mapping or CostMapping(), currency="EUR", today=TODAY)


def lines(
    content: str | bytes, platform: str = "generic", mapping: CostMapping | None = None
) -> list[CostLine | RejectedLine]:
    given = mapping or CostMapping()
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    found = inspect(file, platform, given, currency="EUR", today=TODAY)
    assert found.questions == ()
    return list(read(file, platform, found.layout, given, currency="EUR", today=TODAY))


def costs(content: str | bytes, platform: str = "generic", mapping: CostMapping | None = None) -> list[CostLine]:
    found = lines(content, platform, mapping)
    assert [line for line in found if isinstance(line, RejectedLine)] == []
    return [line for line in found if isinstance(line, CostLine)]


def of(line: int, day: int, target: PaidTraffic, amount: str, currency: str = "EUR") -> CostLine:
    return CostLine(line, date(2026, 11, day), target, Decimal(amount), currency)


@pytest.mark.parametrize(
    ("platform", "content", "expected"),
    [
        (
            "google_ads",
            GOOGLE,
            [of(4, 1, PaidTraffic("Google", "Spring"), "12.34"), of(5, 2, PaidTraffic("Google", "Spring"), "1234.50")],
        ),
        (
            "google_ads",
            GOOGLE_GERMAN,
            [
                of(4, 1, PaidTraffic("Google", "Frühling"), "12.34"),
                of(5, 13, PaidTraffic("Google", "Frühling"), "1234.50"),
            ],
        ),
        (
            "microsoft",
            MICROSOFT,
            [
                of(2, 1, PaidTraffic("Bing", "Spring", "tent"), "3.10", "USD"),
                of(3, 13, PaidTraffic("Bing", "Spring"), "0.90", "USD"),
            ],
        ),
        (
            "meta",
            META,
            [
                of(3, 1, PaidTraffic("", "Spring", "", "Tent video"), "10.00"),
                of(4, 2, PaidTraffic("", "Spring", "", "Tent video"), "20.00"),
            ],
        ),
        ("meta", META_GERMAN, [of(2, 1, PaidTraffic("", "Frühling", "", "Zelt"), "10.00")]),
        ("tiktok", TIKTOK, [of(2, 1, PaidTraffic("TikTok", "Spring", "", "Tents"), "7.5", "USD")]),
        ("generic", GENERIC, [of(2, 1, PaidTraffic("news.example", "spring", "", "box"), "12")]),
    ],
)
def test_an_export_is_read_by_its_headers(platform: str, content: str, expected: list[CostLine]) -> None:
    assert costs(content, platform) == expected


def test_the_order_of_columns_does_not_matter() -> None:
    header, *rest = GENERIC.splitlines()
    turned = "\n".join(",".join(reversed(line.split(","))) for line in (header, *rest))
    assert costs(turned) == costs(GENERIC)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_and_packing_are_detected(encoding: str) -> None:
    assert costs(gzip.compress(GOOGLE_GERMAN.encode(encoding)), "google_ads") == costs(GOOGLE_GERMAN, "google_ads")


def test_a_person_says_which_columns_and_source_are_meant() -> None:
    mapping = CostMapping(columns={"term": "Ad group name", "content": ""}, source="")
    assert costs(TIKTOK, "tiktok", mapping) == [of(2, 1, PaidTraffic("", "Spring", "A"), "7.5", "USD")]
    with pytest.raises(UnreadableReport, match='no column "Nothing"') as raised:
        look(TIKTOK, "tiktok", CostMapping(columns={"term": "Nothing"}))
    assert raised.value.code == "layout_mismatch"


def test_what_nobody_may_guess_is_asked() -> None:
    assert [one.field for one in look("Datum;Betrag\n03/04/26;1,50\n").questions] == ["date_order"]
    assert [one.field for one in look("date,cost\n2026-11-01,1.234\n").questions] == ["decimal_mark"]
    [asked] = look("when,cost\n2026-11-01,1.50\n").questions
    assert (asked.field, asked.message, asked.choices) == (
        *("columns.day", "Which column has the day?"),
        ("when", "cost"),
    )
    answered = CostMapping(columns={"day": "when"})
    assert costs("when,cost\n2026-11-01,1.50\n", mapping=answered) == [of(2, 1, PaidTraffic(), "1.50")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (",spring,1.00", "missing_date"),
        ("31.02.2026,spring,1.00", "bad_date"),
        ("2026-12-24,spring,1.00", "future_date"),
        ("1999-12-31,spring,1.00", "old_date"),
        ("2026-11-02,spring,", "missing_cost"),
        ("2026-11-02,spring,about 5", "bad_amount"),
        ("2026-11-02,spring,99999999999999999", "amount_too_large"),
        ("2026-11-02,spring,=1+1", "formula"),
        ("2026-11-02,spring,1.00,and more", "too_many_fields"),
        ("2026-11-02,spr\u200bing,1.00", "bad_text"),
        (f"2026-11-02,{'x' * 257},1.00", "text_too_long"),
        ("2026-11-02,spr", "missing_cost"),
    ],
)
def test_a_line_that_cannot_be_read_is_rejected_with_its_reason(line: str, code: str) -> None:
    found = lines(f"date,campaign,cost\n2026-11-01,spring,2.50\n{line}\n2026-11-03,spring,3.50\n")
    assert [(one.line, one.code) for one in found if isinstance(one, RejectedLine)] == [(3, code)]
    assert [one.line for one in found if isinstance(one, CostLine)] == [2, 4]


def test_a_line_of_several_days_is_rejected() -> None:
    content = META.replace("2026-11-02,2026-11-02", "2026-11-02,2026-11-08")
    [_, rejected] = lines(content, "meta")
    assert isinstance(rejected, RejectedLine) and (rejected.line, rejected.code) == (4, "not_daily")


def test_currencies_of_columns_headers_signs_and_the_website() -> None:
    assert costs("date,cost,currency\n2026-11-01,1.50,usd\n")[0].currency == "USD"
    assert costs("date,Cost (SEK)\n2026-11-01,1.50\n")[0].currency == "SEK"
    assert costs("date,cost\n2026-11-01,1.50 zł\n")[0].currency == "PLN"
    assert costs("date,cost\n2026-11-01,1.50\n")[0].currency == "EUR"
    [rejected] = lines("date,cost,currency\n2026-11-01,£1.50,USD\n")
    assert isinstance(rejected, RejectedLine) and rejected.code == "other_currency"
    [rejected] = lines("date,cost\n2026-11-01,$1.50\n")
    assert isinstance(rejected, RejectedLine) and rejected.code == "unknown_currency"


@pytest.mark.parametrize(
    ("platform", "content", "code"),
    [
        ("google_ads", META, "other_platform"),
        ("generic", "<html><title>Sign in</title></html>", "not_a_report"),
        ("generic", b"PK\x03\x04 no workbook", "broken_archive"),
        ("generic", "date,cost\n" + "2026-11-01,1.50\n" * (MAX_ROWS + 1), "too_many_rows"),
        ("generic", ",".join(f"c{number}" for number in range(600)) + "\n", "too_many_columns"),
    ],
)
def test_what_is_no_file_of_costs_is_refused(platform: str, content: str | bytes, code: str) -> None:
    with pytest.raises(UnreadableReport) as raised:
        look(content, platform)
    assert raised.value.code == code
