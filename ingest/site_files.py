"""Keeps in memory the files of the website builder's sites that were served last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from ingest.bounded_map import BoundedMap

MAX_KEPT: Final = 500
"""Files; one has at most a few hundred kilobytes."""


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file without its body."""

    path: str
    content_type: str
    security_policy: str
    etag: str


class SiteFiles:
    """Owned by the event loop. `bodies`: by site, address, path and tag; `files`: by site, address and requested path,
    and `sites`: by slug or host, for when Postgres cannot be asked."""

    def __init__(self) -> None:
        self.bodies: BoundedMap[tuple[UUID, bool, str, str], bytes] = BoundedMap(MAX_KEPT)
        self.files: BoundedMap[tuple[UUID, bool, str], dict[str, ServedFile]] = BoundedMap(MAX_KEPT)
        self.sites: BoundedMap[str, list[tuple[UUID, ...]]] = BoundedMap(MAX_KEPT)
