"""Amounts of report files, in the forms that networks and spreadsheets write."""

from __future__ import annotations

from decimal import Decimal

import pytest

from infra.domain.report_files.amounts import AmountReader, BadAmount, LabelledAmount, MarkEvidence
from infra.domain.report_files.source import Exact


@pytest.mark.parametrize(
    ("text", "mark", "value", "label"),
    [
        ("$1,234.50", ".", "1234.50", "$"),
        ("1.234,56", ",", "1234.56", ""),
        ("1 234,56", ",", "1234.56", ""),
        ("1\u00a0234,56 €", ",", "1234.56", "€"),
        ("1\u202f234,56", ",", "1234.56", ""),
        ("1'234.50", ".", "1234.50", ""),
        ("1’234.50 CHF", ".", "1234.50", "CHF"),
        ("(12.40)", ".", "-12.40", ""),
        ("$(12.40)", ".", "-12.40", "$"),
        ("($12.40)", ".", "-12.40", "$"),
        ("12.40-", ".", "-12.40", ""),
        ("-12.40", ".", "-12.40", ""),
        ("−12,40", ",", "-12.40", ""),
        ("-$5", ".", "-5", "$"),
        ("EUR 3", ".", "3", "EUR"),
        ("1,234,567.891", ".", "1234567.891", ""),
        ("12,34,567.5", ".", "1234567.5", ""),
        (".5", ".", "0.5", ""),
        (",5", ",", "0.5", ""),
        ("0.0000001", ".", "0.0000001", ""),
        ("1,234", ".", "1234", ""),
        ("1,234", ",", "1.234", ""),
        ("-0.00", ".", "0.00", ""),
    ],
)
def test_an_amount_is_read_to_the_last_digit(text: str, mark: str, value: str, label: str) -> None:
    amount = AmountReader(mark).read(text)
    assert amount == LabelledAmount(Decimal(value), label)
    assert f"{amount.value:f}" == value


@pytest.mark.parametrize("text", ["", " ", "-", "–", "n/a", "N/A", "null", "NaN"])
def test_what_reports_write_for_nothing_is_no_amount(text: str) -> None:
    assert AmountReader(".").read(text) is None


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("12,50", "."),
        ("12.50", ","),
        ("1.2.3", "."),
        ("12.40 5", "."),
        ("(12.40", "."),
        ("--5", "."),
        ("(-5)", "."),
        ("5%", "."),
        ("abc", "."),
        ("$5 EUR", "."),
        ("5 widgets", "."),
        ("1" * 40, "."),
        ("a" + " " * 250 + "b", "."),
        ("1 " * 120 + "x", "."),
        ("$ " * 31 + "x", "."),
        ("1 " * 31 + "x", "."),
    ],
)
def test_what_is_no_amount_with_this_decimal_mark_is_refused(text: str, mark: str) -> None:
    with pytest.raises(BadAmount):
        AmountReader(mark).read(text)


def test_a_number_of_json_or_a_workbook_has_a_point_whatever_texts_use() -> None:
    reader = AmountReader(",")
    assert reader.read(Exact("1.234")) == LabelledAmount(Decimal("1.234"))
    assert reader.read("1.234") == LabelledAmount(Decimal(1234))
    assert reader.read(Exact("1.5E-3")) == LabelledAmount(Decimal("0.0015"))


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["12.50", "1,234"], "."),
        (["12,50", "1.234"], ","),
        (["1.234.567"], ","),
        (["1,234,567"], "."),
        (["0,125"], ","),
        (["0.125"], "."),
        (["1234.567"], "."),
        (["1 234,5"], ","),
        (["5", "1200"], "."),
        (["1,234"], ""),
        (["1.234", "5"], ""),
        (["1,234", "$2,500"], ""),
        (["12.50", "13.50", "1,2"], "."),
    ],
)
def test_the_decimal_mark_is_decided_by_all_amounts_or_asked(texts: list[str], mark: str) -> None:
    evidence = MarkEvidence()
    for text in texts:
        evidence.add(text)
    assert evidence.mark("") == mark


def test_the_networks_own_decimal_mark_answers_what_the_amounts_leave_open() -> None:
    evidence = MarkEvidence()
    evidence.add("1,234")
    assert evidence.mark(".") == "."
    evidence.add("12,5")
    assert evidence.mark(".") == ","
