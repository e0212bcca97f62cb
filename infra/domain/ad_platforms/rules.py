"""The rules of each ad platform: click ids, windows of days, corrections, files and credentials.

docs/destinations.md shows the same to users; the web app has what it needs in a table that `make docs` writes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from re import Pattern
from typing import Final

from schemas.events.destinations import AdPlatform

_CLICK_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{3,511}")
"""Anybody can put a parameter into an address: what is no id goes into no file and no request."""
_MICROSOFT_CLICK_ID: Final = re.compile(r"[A-Za-z0-9_-]{4,128}")
_SECRET: Final = re.compile(r"[\x21-\x7e]{8,2048}")
_NUMBER: Final = re.compile(r"[0-9]{4,20}")
_DAYS_90: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Credential:
    """One of the credentials of a platform's API. `label`: as the platform calls it; `form`: of its values. A secret is
    not shown while it is entered."""

    label: str
    form: Pattern[str]
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class PlatformRules:
    """The rules of one platform. `click_ids`: parameter and form, the best first. `max_event_age`: between a conversion
    and its delivery. `takes_corrections`: later amounts and retractions. `credentials`: of its API, by name.
    `name_form`: the names of conversions that its API knows."""

    platform: AdPlatform
    name: str
    click_ids: Mapping[str, Pattern[str]]
    credentials: Mapping[str, Credential]
    max_click_age: timedelta | None = None
    max_event_age: timedelta | None = None
    takes_corrections: bool = False
    has_files: bool = False
    name_form: Pattern[str] | None = None
    name_hint: str = ""


_ACCESS: Final = {
    "developerToken": Credential("Developer token", _SECRET, is_secret=True),
    "clientId": Credential("Client ID", _SECRET),
    "clientSecret": Credential("Client secret", _SECRET, is_secret=True),
    "refreshToken": Credential("Refresh token", _SECRET, is_secret=True),
}
"""Of an application that Google or Microsoft lets into an account."""
_ACCESS_TOKEN: Final = Credential("Access token", _SECRET, is_secret=True)

PLATFORMS: Final[Mapping[AdPlatform, PlatformRules]] = {
    each.platform: each
    for each in (
        PlatformRules(
            AdPlatform.GOOGLE_ADS,
            "Google Ads",
            {"gclid": _CLICK_ID, "gbraid": _CLICK_ID, "wbraid": _CLICK_ID},
            {"customerId": Credential("Customer ID", _NUMBER), **_ACCESS},
            max_click_age=_DAYS_90,
            takes_corrections=True,
            has_files=True,
            name_form=re.compile("[0-9]{1,20}"),
            name_hint="the number of the conversion action",
        ),
        PlatformRules(
            AdPlatform.MICROSOFT,
            "Microsoft Advertising",
            {"msclkid": _MICROSOFT_CLICK_ID},
            {
                "customerId": Credential("Customer ID", _NUMBER),
                "accountId": Credential("Account ID", _NUMBER),
                **_ACCESS,
            },
            max_click_age=_DAYS_90,
            takes_corrections=True,
            has_files=True,
        ),
        PlatformRules(
            AdPlatform.META,
            "Meta",
            {"fbclid": _CLICK_ID},
            {"pixelId": Credential("Pixel ID", _NUMBER), "accessToken": _ACCESS_TOKEN},
            max_event_age=timedelta(days=7),
        ),
        PlatformRules(
            AdPlatform.TIKTOK,
            "TikTok",
            {"ttclid": _CLICK_ID},
            {
                "pixelCode": Credential("Pixel code", re.compile("[A-Z0-9]{10,40}")),
                "accessToken": _ACCESS_TOKEN,
            },
        ),
    )
}


def click_id_of(rules: PlatformRules, ids: Mapping[str, str]) -> tuple[str, str] | None:
    """The id by which the platform knows the click, as name and value; none: it gave none, or none of its form."""
    return next(
        ((name, ids[name]) for name, form in rules.click_ids.items() if name in ids and form.fullmatch(ids[name])), None
    )
