"""The look-up of keys, links or partners that the directory does not hold (yet)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from ingest.directory.directory import DirectoryListing, Lookup, Progress
from ingest.directory.postgres import Postgres
from ingest.directory.refresh import KEYS, LINKS, PARTNERS, WEBSITES, listing_of
from ingest.links.routing import routing_of

_KEYS: Final = KEYS + " AND key_hash = ANY(%s)"
_LINKS: Final = LINKS + " WHERE slug = ANY(%s) OR id = ANY(%s)"
_WEBSITES: Final = WEBSITES + " AND id = ANY(%s)"
_PARTNERS: Final = PARTNERS + " WHERE id = ANY(%s)"
_PARTNERS_NAMED: Final = PARTNERS + " WHERE slug = ANY(%s) OR id = ANY(%s)"
_PROGRESS: Final = "SELECT reached, written FROM ingest.directory_progress(%s)"
_READ_MODELS: Final = {
    "key": ["website_keys", "websites"],
    "link": ["links", "websites", "partners"],
    "partner": ["partners"],
}


def lookup_in(postgres: Postgres) -> Lookup:
    """Reads keys (by hash), or links or partners (by slug or id), and what belongs to them from the read models: one
    statement for all names, and one each for the websites and partners of the results."""

    async def lookup(kind: str, names: Sequence[str]) -> DirectoryListing:
        names = [name for name in names if "\0" not in name]
        if not names:
            return DirectoryListing()
        if kind == "key":
            keys = await postgres.rows(_KEYS, ([bytes.fromhex(name) for name in names],))
            return listing_of(await _of(postgres, _WEBSITES, [row[0] for row in keys]), keys, [], [])
        ids = [id for name in names if (id := _uuid(name)) is not None]
        if kind == "partner":
            return listing_of([], [], [], await postgres.rows(_PARTNERS_NAMED, (names, ids)))
        links = await postgres.rows(_LINKS, (names, ids))
        websites = await _of(postgres, _WEBSITES, [row[3] for row in links])
        partners = [row[4] for row in links] + [UUID(id) for row in links for id in routing_of(row[8]).partner_ids]
        return listing_of(websites, [], links, await _of(postgres, _PARTNERS, partners))

    return lookup


async def _of(postgres: Postgres, sql: str, ids: list[UUID]) -> list[Any]:
    return await postgres.rows(sql, (ids,)) if ids else []


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def progress_in(postgres: Postgres) -> Progress:
    """Asks how far the read models of keys, links or partners are."""

    async def progress(kind: str) -> tuple[int, int]:
        (row,) = await postgres.rows(_PROGRESS, (_READ_MODELS[kind],))
        return row[0], row[1]

    return progress
