"""The table of ad platforms' exports: complete, unambiguous, and offered by the web app under the same names."""

from __future__ import annotations

import re

import pytest

from infra.domain.report_files.headers import header_name
from infra.kernel.config.paths import ROOT
from schemas.cost_files import COST_PLATFORMS, cost_files_of

PLATFORMS = ROOT / "web" / "src" / "features" / "costs" / "lib" / "platforms.ts"


def test_the_platforms_are_those_of_the_interface() -> None:
    assert list(COST_PLATFORMS) == ["google_ads", "microsoft", "meta", "tiktok", "generic"]


@pytest.mark.parametrize("platform", COST_PLATFORMS)
def test_every_platform_has_the_necessary_columns_and_no_header_means_two_fields(platform: str) -> None:
    columns = cost_files_of(platform).columns
    assert columns["day"] and columns["cost"]
    meanings: dict[str, str] = {}
    for field, headers in columns.items():
        for key in {header_name(header).key for header in headers}:
            assert meanings.setdefault(key, field) == field, key


@pytest.mark.parametrize("platform", COST_PLATFORMS)
def test_the_start_of_a_period_is_a_day_and_marks_are_headers_that_are_read(platform: str) -> None:
    files = cost_files_of(platform)
    assert set(files.starts["day"]) <= set(files.columns["day"])
    for marks in files.marks:
        assert {"cost"} <= {field for field, headers in files.columns.items() if set(headers) & set(marks)}, marks


def test_the_web_app_offers_each_platform_by_its_name() -> None:
    offered = re.findall(r"\{ id: '(\w+)', label: '([^']+)' \}", PLATFORMS.read_text().partition("FIELDS")[0])
    assert offered == [(platform, files.name) for platform, files in COST_PLATFORMS.items()]
