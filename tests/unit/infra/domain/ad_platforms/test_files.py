"""Files that Google Ads and Microsoft Advertising accept, by a reader that knows nothing but their rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from infra.domain.ad_platforms.files import UploadLine, conversion_file, correction_file
from schemas.events.destinations import AdPlatform
from tests.support import ad_files

BERLIN = timezone(timedelta(hours=1))
SOLD = datetime(2026, 11, 3, 13, 5, 9, 999_000, tzinfo=BERLIN)
GOOGLE, MICROSOFT = AdPlatform.GOOGLE_ADS, AdPlatform.MICROSOFT
LINES = [
    UploadLine(UUID(int=1), 'Affiliate "sale", EU', ("gclid", "Cj0KCQiA-plain"), SOLD, 900, "EUR"),
    UploadLine(UUID(int=2), "Affiliate sale", ("gbraid", "0AAAAAo_braid"), SOLD, 1_234, "JPY"),
    UploadLine(UUID(int=3), "Affiliate sale", ("wbraid", "Cl8KCAwbraid"), SOLD + timedelta(seconds=1), 5, "KWD"),
]


def test_google_ads_takes_conversions_of_each_kind_of_click() -> None:
    text = "".join(conversion_file(GOOGLE, LINES))
    found = ad_files.read_google(text)
    assert [(line.click_id, line.name, line.value, line.currency) for line in found] == [
        ("Cj0KCQiA-plain", 'Affiliate "sale", EU', Decimal("9.00"), "EUR"),
        ("0AAAAAo_braid", "Affiliate sale", Decimal(1234), "JPY"),
        ("Cl8KCAwbraid", "Affiliate sale", Decimal("0.005"), "KWD"),
    ]
    assert found[0].at == datetime(2026, 11, 3, 12, 5, 9, tzinfo=UTC)


def test_the_same_conversion_twice_counts_once_and_two_at_one_moment_count_twice() -> None:
    other = UploadLine(UUID(int=9), LINES[0].event_name, LINES[0].click_id, SOLD, 900, "EUR")
    text = "".join(conversion_file(GOOGLE, [*LINES, *LINES, other]))
    assert len(ad_files.read_google(text)) == 4


def test_corrections_of_google_ads_name_conversions_by_their_order_id() -> None:
    known = ad_files.read_google("".join(conversion_file(GOOGLE, LINES)))
    later = SOLD + timedelta(days=20)
    text = "".join(
        correction_file(
            GOOGLE,
            [
                UploadLine(UUID(int=1), 'Affiliate "sale", EU', None, SOLD, 540, "EUR", later),
                UploadLine(UUID(int=2), "Affiliate sale", None, SOLD, None, "JPY", later),
            ],
        )
    )
    found = ad_files.read_google_corrections(text, known)
    assert [(line.kind, line.click_id, line.value) for line in found] == [
        ("restatement", "Cj0KCQiA-plain", Decimal("5.40")),
        ("retraction", "0AAAAAo_braid", None),
    ]


def test_microsoft_takes_conversions_and_their_corrections() -> None:
    lines = [UploadLine(UUID(int=1), "Affiliate sale", ("msclkid", "a1b2c3d4e5f6"), SOLD, 900, "EUR")]
    known = ad_files.read_microsoft("".join(conversion_file(MICROSOFT, lines)))
    assert [(line.click_id, line.value, line.currency) for line in known] == [("a1b2c3d4e5f6", Decimal("9.00"), "EUR")]
    later = SOLD + timedelta(days=20)
    for value, kind in ((540, "restatement"), (None, "retraction")):
        line = UploadLine(UUID(int=1), "Affiliate sale", ("msclkid", "a1b2c3d4e5f6"), SOLD, value, "EUR", later)
        [found] = ad_files.read_microsoft_corrections("".join(correction_file(MICROSOFT, [line])), known)
        assert found.kind == kind


def test_an_empty_file_has_its_header() -> None:
    assert ad_files.read_google("".join(conversion_file(GOOGLE, []))) == []
    assert ad_files.read_microsoft("".join(conversion_file(MICROSOFT, []))) == []


def test_a_line_without_a_click_is_an_error_and_a_platform_without_files_too() -> None:
    line = UploadLine(UUID(int=1), "Affiliate sale", None, SOLD, 900, "EUR")
    for platform in (GOOGLE, MICROSOFT, AdPlatform.META):
        with pytest.raises(ValueError, match=r"no click id|accepts no files"):
            list(conversion_file(platform, [line]))


def test_the_reader_refuses_what_the_platforms_refuse() -> None:
    good = "".join(conversion_file(GOOGLE, LINES[:1]))
    for bad in (
        good.replace("Parameters:TimeZone=+0000", "TimeZone"),
        good.replace("Google Click ID", "Click ID"),
        good.replace("EUR", "€"),
        good.replace("9.00", "9,00"),
        good.replace("2026-11-03 12", "03.11.2026 12"),
        good.replace("Cj0KCQiA-plain", ""),
    ):
        with pytest.raises(ad_files.FileRefused):
            ad_files.read_google(bad)
