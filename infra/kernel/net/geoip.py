"""Country (and region and city) of an address, from an MMDB file on disk. No address leaves the machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import maxminddb
import orjson
import structlog

from infra.kernel.config.paths import COUNTRY_DATABASE
from infra.kernel.config.settings import Settings

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

UNKNOWN: Final = ("ZZ", "", "")
MAX_NAME: Final = 100


class GeoIpDatabase:
    """Looks addresses up. Without a database every place is unknown."""

    def __init__(self, database: Path | None) -> None:
        self._reader = maxminddb.open_database(str(database)) if database is not None else None
        self.find = lru_cache(maxsize=65_536)(self._find)

    def _find(self, address: str) -> tuple[str, str, str]:
        """Country (two capitals, `ZZ` unknown), region and city (may be empty) of an IPv4 or IPv6 address."""
        if self._reader is None:
            return UNKNOWN
        try:
            return _place(self._reader.get(address))
        except ValueError:
            return UNKNOWN


def open_geoip(settings: Settings) -> GeoIpDatabase:
    """The database that the settings name, else the country database, else none (said in the log)."""
    path = settings.city_database or country_database()
    if path is None:
        logger.warning("country_database_missing")
    return GeoIpDatabase(path)


def country_database() -> Path | None:
    """The country database that a wheel has inside and `make run` fetches, or None where neither happened."""
    return COUNTRY_DATABASE if COUNTRY_DATABASE.exists() else None


@cache
def country_names() -> Mapping[str, str]:
    """English names by ISO 3166-1 alpha-2 code, as browsers show them (249 codes)."""
    names: dict[str, str] = orjson.loads(Path(__file__).with_name("countries.json").read_bytes())
    return names


def parse_address(text: str) -> str | None:
    """`text` as a plain IPv4 or IPv6 address (mapped IPv4 as IPv4, without port or zone), or none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address)


def _place(found: Any) -> tuple[str, str, str]:
    if not isinstance(found, dict):
        return UNKNOWN
    country = found.get("country_code") or (found.get("country") or {}).get("iso_code") or ""
    if not (isinstance(country, str) and len(country) == 2 and country.isascii() and country.isalpha()):
        return UNKNOWN
    region = found.get("state1") or ""
    if not region and found.get("subdivisions"):
        region = (found["subdivisions"][0].get("names") or {}).get("en", "")
    city = found.get("city") or ""
    if isinstance(city, dict):
        city = (city.get("names") or {}).get("en", "")
    return country.upper(), str(region)[:MAX_NAME], str(city)[:MAX_NAME]
