"""What a file leaves open is asked, never guessed; what it decides is not asked."""

from __future__ import annotations

import io

import pytest
from pydantic import ValidationError

from command_api.networks.reading.reports import read
from command_api.networks.reading.rows import ReportLayoutChanges, ReportStatus
from infra.domain.report_files.layouts import UnreadableReport
from tests.unit.command_api.networks.reading.support import (
    TODAY,
    as_json,
    look,
    questions,
    refusal,
    rows,
    sales,
    table,
    workbook,
)


def test_a_date_with_two_readings_is_asked_with_its_readings() -> None:
    inspection = look(sales("T1,03/04/26,5.00,EUR,pending"))
    [question] = inspection.questions
    assert question.field == "date_order"
    assert question.message == "03/04/26 can be 3 April or March 4."
    assert question.choices == ("dmy", "mdy")
    assert inspection.layout.date_order == ""


def test_dates_of_contradicting_orders_are_asked() -> None:
    [question] = look(sales("T1,13/04/26,5.00,EUR,pending", "T2,04/13/26,5.00,EUR,pending")).questions
    assert (question.field, question.choices) == ("date_order", ("dmy", "mdy", "ymd"))


def test_the_range_that_a_title_names_decides_the_order_of_dates() -> None:
    report = "Earnings from 06/01/2026 to 06/30/2026\n" + sales("T1,06/03/2026,5.00,EUR,pending")
    assert look(report).layout.date_order == "mdy"
    assert look(report.replace("06/30/2026", "12/06/2026")).layout.date_order == "dmy"


def test_a_file_with_an_open_question_is_not_read() -> None:
    assert refusal(sales("T1,03/04/26,5.00,EUR,pending")).code == "question_open"
    assert refusal(sales('T1,2026-03-04,"1,234",EUR,pending')).code == "question_open"
    assert refusal(table("Transaction ID,Date,Name", "T1,2026-03-04,x")).code == "question_open"


@pytest.mark.parametrize(("order", "month"), [("dmy", 4), ("mdy", 3)])
def test_an_answer_decides_the_order_of_dates(order: str, month: int) -> None:
    given = ReportLayoutChanges.model_validate({"date_order": order})
    [row] = rows(sales("T1,03/04/26,5.00,EUR,pending"), given=given)
    assert row.occurred_at.month == month


def test_an_amount_with_two_readings_is_asked() -> None:
    inspection = look(sales('T1,2026-03-04,"1,234",EUR,pending'))
    [question] = inspection.questions
    assert (question.field, question.choices) == ("decimal_mark", (".", ","))
    assert question.message == "1,234 can be 1234 or 1.234."


def test_one_date_and_one_amount_of_the_file_decide_for_all() -> None:
    report = table(
        "Transaction ID;Date;Commission;Currency;Status",
        "T1;03.04.26;1.234;EUR;pending",
        "T2;23.04.2026;12,5;EUR;pending",
    )
    inspection = look(report)
    assert inspection.questions == ()
    assert (inspection.layout.date_order, inspection.layout.decimal_mark) == ("dmy", ",")
    assert [str(row.commission) for row in rows(report)] == ["1234", "12.5"]


def test_a_necessary_column_that_no_header_names_is_asked_with_all_headers() -> None:
    report = table("Reference,Day,Gain,Currency,Status", "T1,2026-03-04,5.00,EUR,pending")
    inspection = look(report)
    assert questions(inspection) == {
        f"columns.{field}": ("Reference", "Day", "Gain", "Currency", "Status")
        for field in ("txid", "occurred_at", "commission")
    }
    given = ReportLayoutChanges(columns={"txid": "Reference", "occurred_at": "Day", "commission": "Gain"})
    [row] = rows(report, given=given)
    assert (row.txid, str(row.commission)) == ("T1", "5.00")


def test_a_column_can_be_taken_away_and_one_that_does_not_exist_is_refused() -> None:
    report = sales("T1,2026-03-04,5.00,EUR,pending")
    assert "status" not in look(report, given=ReportLayoutChanges(columns={"status": ""})).layout.columns
    with pytest.raises(UnreadableReport) as raised:
        look(report, given=ReportLayoutChanges(columns={"status": "State"}))
    assert raised.value.code == "layout_mismatch"


def test_a_correction_that_no_layout_has_is_refused() -> None:
    report = sales("T1,2026-03-04,5.00,EUR,pending")
    with pytest.raises(UnreadableReport) as raised:
        look(report, given=ReportLayoutChanges(columns={"colour": "Date"}))
    assert raised.value.code == "layout_mismatch"
    for wrong in (
        {"separator": ",,"},
        {"quote": "x"},
        {"header_line": 0},
        {"currency": "euro"},
        {"statuses": {"x": "y"}},
    ):
        with pytest.raises(ValidationError):
            ReportLayoutChanges.model_validate(wrong)


def test_an_unknown_word_for_a_status_is_asked_and_answered() -> None:
    report = sales("T1,2026-03-04,5.00,EUR,Zwischenstand", "T2,2026-03-04,5.00,EUR,approved")
    inspection = look(report)
    assert questions(inspection) == {"status:zwischenstand": tuple(ReportStatus)}
    assert not inspection.questions[0].is_blocking
    given = ReportLayoutChanges(statuses={"zwischenstand": ReportStatus.PENDING})
    assert [row.status for row in rows(report, given=given)] == [ReportStatus.PENDING, ReportStatus.APPROVED]


def test_a_report_without_a_status_raises_a_question_and_is_read_as_pending() -> None:
    report = table("Transaction ID,Date,Commission,Currency", "T1,2026-03-04,5.00,EUR")
    assert "status:" in questions(look(report))
    assert rows(report)[0].status is ReportStatus.PENDING
    assert rows(report, given=ReportLayoutChanges(statuses={"": ReportStatus.PAID}))[0].status is ReportStatus.PAID


def test_times_without_a_zone_are_asked_and_read_in_the_given_one() -> None:
    report = sales("T1,2026-03-04 10:00,5.00,EUR,pending")
    assert "timezone" in questions(look(report))
    given = ReportLayoutChanges(timezone="America/New_York")
    assert rows(report, given=given)[0].occurred_at.isoformat() == "2026-03-04T15:00:00+00:00"
    assert "timezone" not in questions(look(sales("T1,2026-03-04T10:00:00Z,5.00,EUR,pending")))


def test_a_dollar_sign_in_a_header_is_asked_and_read_as_us_dollars() -> None:
    report = table("Transaction ID,Date,Commission ($),Status", "T1,2026-03-04,5.00,pending")
    choices = questions(look(report))["currency"]
    assert choices[0] == "USD"
    assert "CAD" in choices
    assert rows(report, currency="CAD")[0].currency == "USD"
    assert rows(report, given=ReportLayoutChanges(currency="CAD"))[0].currency == "CAD"


def test_a_currency_in_a_header_is_not_asked() -> None:
    report = table("Transaction ID,Date,Commission (€),Status", "T1,2026-03-04,5.00,pending")
    assert questions(look(report)) == {}
    assert rows(report, currency="USD")[0].currency == "EUR"


def test_a_sale_in_another_currency_than_the_commission_is_left_out_and_said() -> None:
    report = table("Transaction ID,Date,Sale Amount (GBP),Commission (EUR),Status", "T1,2026-03-04,90,5.00,pending")
    assert rows(report)[0].sale is None
    assert any("left out" in note for note in look(report).notes)


def test_a_file_of_another_network_is_named() -> None:
    report = as_json(
        [{"commissionId": "1", "originalActionId": "1", "original": True, "eventDate": "2026-06-03T10:00:00Z"}]
    )
    [question] = [each for each in look(report, "awin").questions if each.field == "other_network"]
    assert question.message == "This looks like a report of CJ Affiliate, not of Awin."
    assert question.choices == ("cj", "awin")
    assert "other_network" not in questions(look(report, "cj"))


def test_columns_of_one_name_are_asked_if_they_differ() -> None:
    header = "Transaction ID,Date,Commission,Commission,Currency,Status"
    differing = table(header, "T1,2026-03-04,5.00,6.00,EUR,pending")
    assert questions(look(differing)) == {"columns.commission": ("Commission", "Commission (2)")}
    assert str(rows(differing)[0].commission) == "5.00"
    given = ReportLayoutChanges(columns={"commission": "Commission (2)"})
    assert str(rows(differing, given=given)[0].commission) == "6.00"
    assert questions(look(table(header, "T1,2026-03-04,5.00,5.00,EUR,pending"))) == {}


def test_the_first_rows_are_shown_and_all_lines_counted() -> None:
    report = sales(*(f"T{number},2026-03-04,5.00,EUR,pending" for number in range(30)))
    inspection = look(report)
    assert inspection.headers == ("Transaction ID", "Date", "Commission", "Currency", "Status")
    assert len(inspection.sample) == 20
    assert inspection.sample[0] == ("T0", "2026-03-04", "5.00", "EUR", "pending")
    assert inspection.total_lines == 31


def test_lines_before_the_header_and_totals_are_skipped_and_said() -> None:
    report = table(
        "Report of June",
        "",
        "Transaction ID,Date,Commission,Currency,Status",
        "T1,2026-03-04,5.00,EUR,pending",
        "Transaction ID,Date,Commission,Currency,Status",
        "T2,2026-03-04,6.00,EUR,pending",
        "Total,,11.00,EUR,",
        ",,11.00,,",
    )
    inspection = look(report)
    assert inspection.layout.header_line == 3
    assert inspection.notes == (
        "Lines 1 to 2 are skipped: the header is line 3.",
        "Skipped as totals or repeated headers: line 5, 7, 8.",
    )
    assert [(row.line, row.txid) for row in rows(report)] == [(4, "T1"), (6, "T2")]


def test_a_layout_is_json_and_back_the_same_layout() -> None:
    layout = look(sales("T1,2026-03-04,5.00,EUR,pending")).layout
    assert type(layout).model_validate_json(layout.model_dump_json()) == layout


def test_a_file_that_does_not_fit_the_confirmed_layout_is_refused() -> None:
    layout = look(sales("T1,2026-03-04,5.00,EUR,pending")).layout
    other = io.BytesIO(b"Something,Else\n1,2\n")
    with pytest.raises(UnreadableReport) as raised:
        read(other, "default", layout, timezone="UTC", currency="EUR", today=TODAY)
    assert raised.value.code == "layout_mismatch"
    with pytest.raises(UnreadableReport) as raised:
        read(io.BytesIO(workbook({"A": [["x"]]})), "default", layout, timezone="UTC", currency="EUR", today=TODAY)
    assert raised.value.code == "layout_mismatch"


def test_a_time_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnreadableReport) as raised:
        look(sales("T1,2026-03-04,5.00,EUR,pending"), given=ReportLayoutChanges(timezone="Mars/Base"))
    assert raised.value.code == "bad_timezone"
