"""Whom a finder of a vulnerability writes to (RFC 9116)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from infra.kernel.config.loading import load
from infra.kernel.config.settings import SettingsError
from infra.services.gateway.security_txt import security_txt

NOW = datetime(2026, 11, 30, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "contact"),
    [
        ({"ALTHING_CONTACT_EMAIL": "hello@example.com"}, "mailto:hello@example.com"),
        ({"ALTHING_SECURITY_CONTACT": "security@example.com"}, "mailto:security@example.com"),
        (
            {"ALTHING_SECURITY_CONTACT": "https://example.com/report", "ALTHING_CONTACT_EMAIL": "hello@example.com"},
            "https://example.com/report",
        ),
    ],
)
def test_the_file_names_the_contact_and_expires_within_a_year(given: dict[str, str], contact: str) -> None:
    made = security_txt(load({**given, "ALTHING_PUBLIC_URL": "https://stats.example.com"}, None), NOW)
    assert made is not None
    assert made.decode() == (
        f"Contact: {contact}\n"
        "Expires: 2027-05-29T00:00:00Z\n"
        "Preferred-Languages: en\n"
        "Canonical: https://stats.example.com/.well-known/security.txt\n"
    )


def test_without_a_contact_there_is_no_file() -> None:
    assert security_txt(load({}, None)) is None


@pytest.mark.parametrize("text", ["nobody", "http://example.com/report", "a@example.com\nContact: b@example.com"])
def test_what_is_no_contact_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="ALTHING_SECURITY_CONTACT"):
        load({"ALTHING_SECURITY_CONTACT": text}, None)
