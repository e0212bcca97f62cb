"""The single look-up of a key, link or partner that the directory does not hold (yet)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from ingest.directory.directory import Listing, Lookup, Progress
from ingest.directory.postgres import Postgres
from ingest.directory.refresh import KEYS, LINKS, PARTNERS, WEBSITES, listing_of

_KEY: Final = KEYS + " AND key_hash = decode(%s, 'hex')"
_LINK: Final = LINKS + " WHERE slug = %s"
_WEBSITE: Final = WEBSITES + " AND id = %s"
_PARTNER: Final = PARTNERS + " WHERE id = %s"
_PARTNER_NAMED: Final = PARTNERS + " WHERE slug = %s"
_PROGRESS: Final = "SELECT reached, written FROM ingest.directory_progress(%s)"
_READ_MODELS: Final = {
    "key": ["website_keys", "websites"],
    "link": ["links", "websites", "partners"],
    "partner": ["partners"],
}


def lookup_in(postgres: Postgres) -> Lookup:
    """Asks the read models for one key (by hash), link (by slug) or partner (by slug or id), and what belongs to it."""

    async def lookup(kind: str, name: str) -> Listing:
        if "\0" in name:
            return Listing()
        if kind == "key":
            keys = await postgres.rows(_KEY, (name,))
            websites = await postgres.rows(_WEBSITE, (keys[0][0],)) if keys else []
            return listing_of(websites, keys, [], [])
        if kind == "partner":
            return listing_of([], [], [], await _partners(postgres, name))
        links = await postgres.rows(_LINK, (name,))
        if not links:
            return Listing()
        websites = await postgres.rows(_WEBSITE, (links[0][3],))
        partners = await postgres.rows(_PARTNER, (links[0][4],))
        return listing_of(websites, [], links, partners)

    return lookup


async def _partners(postgres: Postgres, name: str) -> list[Any]:
    try:
        return await postgres.rows(_PARTNER, (UUID(name),)) or await postgres.rows(_PARTNER_NAMED, (name,))
    except ValueError:
        return await postgres.rows(_PARTNER_NAMED, (name,))


def progress_in(postgres: Postgres) -> Progress:
    """Asks how far the read models of keys, links or partners are."""

    async def progress(kind: str) -> tuple[int, int]:
        (row,) = await postgres.rows(_PROGRESS, (_READ_MODELS[kind],))
        return row[0], row[1]

    return progress
