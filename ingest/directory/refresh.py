"""Keeps the directory, the visitor salts and the key of personal texts fresh: a thread that reads Postgres and hands
over what changed.

It reads when a projection says so (NOTIFY `projection`) and every few seconds: what changed
(`ingest.directory.changes`), and now and then everything. What it read is also kept in `<data
dir>/ingest-directory.json` (mode 0600; keys as hashes only), with which ingest starts when Postgres is down; what
changed since stands in `ingest-directory.changes` beside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg
import structlog

from infra.kernel.observability import logging
from infra.kernel.security.text_keys import TextKey
from ingest.directory.changes import Changes, LivePositions, changes_between, progress_of
from ingest.directory.directory import (
    CustomDomainEntry,
    DirectoryListing,
    KeyRow,
    LinkRow,
    PartnerRow,
    WebsiteRow,
    origins_of,
    pairs_of,
)
from ingest.directory.postgres import OPTIONS
from ingest.links.routing import routing_from, routing_of
from schemas.networks import TxidScope, click_id_parameter

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

EVERY_S: Final = 3.0
WHOLE_EVERY_S: Final = 300.0
"""The longest time between whole readings, whatever the event store says of changes."""
COALESCE_S: Final = 0.05
LOOK_S: Final = 0.5
"""The time after which the thread sees that it is to stop."""
RETRY_S: Final = 1.0
WATCHED: Final = (
    "website_keys:",
    "websites:",
    "event_expiries:",
    "links:",
    "partners:",
    "custom_domains:",
    "visitor_erasures:",
)

WEBSITES: Final = (
    "SELECT id, domain, currency, link_click_ids, link_impressions_every, account_id,"
    " txid_scope, keep_ad_click_ids, ad_click_ids_need_consent,"
    " coalesce((SELECT extract(epoch FROM max(e.before)::timestamp)::bigint * 1000 FROM read.event_expiries AS e"
    " WHERE e.website_id = w.id), 0)"
    " FROM read.websites AS w WHERE deleted_at IS NULL"
)
KEYS: Final = (
    "SELECT website_id, encode(key_hash, 'hex'), kind, allowed_origins FROM read.website_keys WHERE revoked_at IS NULL"
)
LINKS: Final = (
    "SELECT id, slug, code, website_id, partner_id, destination, subs, is_active AND deleted_at IS NULL,"
    " CASE WHEN deleted_at IS NULL THEN routing END, utm, former_partners, led_until,"
    " variant_partners FROM read.links AS l"
)
PARTNERS: Final = (
    "SELECT id, slug, name, postback_preset, cookie_days, is_active, click_id_parameter, account_id FROM read.partners"
)
DOMAINS: Final = "SELECT id, domain, website_id, is_verified FROM read.custom_domains WHERE verified_at IS NOT NULL"

_WEBSITES_OF: Final = WEBSITES + " AND id = ANY(%s)"
_KEYS_OF: Final = KEYS + " AND website_id = ANY(%s)"
_LINKS_OF: Final = LINKS + " WHERE id = ANY(%s)"
_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"

Salts = dict[date, bytes]


class Refresher:
    """The thread. `on_listing`, `on_changes`, `on_salts` and `on_key` are called on it with what was read; `read_key`
    reads the key of personal texts (`infra.kernel.security.text_keys.TextKeys.newest`).

    `on_listing(None, read_at)`: nothing changed, what was handed over before was still so at `read_at` (Unix time).
    `on_changes(listing, read_at)`: the rest is as before.
    """

    def __init__(
        self,
        url: str | None,
        copy: Path,
        on_listing: Callable[[DirectoryListing | None, float], object],
        on_salts: Callable[[Salts], object],
        read_key: Callable[[psycopg.Connection[Any]], TextKey | None],
        on_key: Callable[[TextKey | None], object],
        on_changes: Callable[[DirectoryListing, float], object],
    ) -> None:
        self._url = url
        self._copy = copy
        self._on_listing = on_listing
        self._on_salts = on_salts
        self._read_key = read_key
        self._on_key = on_key
        self._on_changes = on_changes
        self._progress: LivePositions | None = None
        self._is_appended = False
        self._read_whole_at = -WHOLE_EVERY_S
        self._stopping = Event()
        self._listing: DirectoryListing | None = None
        self._saved_at = 0.0
        self._salts: Salts = {}
        self._key: TextKey | None = None
        self._thread = Thread(target=self._run, name="ingest-refresh", daemon=True)

    def start(self) -> None:
        """Hands over the copy on disk, if there is one, and begins to read."""
        kept = load_copy(self._copy)
        if kept is not None:
            self._listing, read_at = kept
            self._on_listing(self._listing, read_at)
        if self._url is not None:
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        logging.begin_context(component="directory")
        while not self._stopping.is_set():
            try:
                self._read_until_broken()
            except (psycopg.Error, OSError) as error:
                logger.warning("directory_unavailable", delay_s=RETRY_S, error=str(error).strip().split("\n")[0])
                self._stopping.wait(RETRY_S)
            except Exception:
                # Without this thread a revoked key would stay valid.
                logger.exception("unexpected_error")
                self._stopping.wait(RETRY_S)

    def _read_until_broken(self) -> None:
        with psycopg.connect(self._url or "", autocommit=True, connect_timeout=2, options=OPTIONS) as connection:
            connection.execute("LISTEN projection")
            while not self._stopping.is_set():
                self._read(connection)
                self._wait(connection)

    def _wait(self, connection: psycopg.Connection[Any]) -> None:
        """Waits until a projection that matters here moved on, or the time is up."""
        deadline = monotonic() + EVERY_S
        while not self._stopping.is_set() and (left := deadline - monotonic()) > 0:
            notices = list(connection.notifies(timeout=min(left, LOOK_S), stop_after=1))
            if any(notice.payload.startswith(WATCHED) for notice in notices):
                list(connection.notifies(timeout=COALESCE_S))  # one reading for all that come together
                return

    def _read(self, connection: psycopg.Connection[Any]) -> None:
        salts = read_salts(connection, datetime.now(UTC).date())
        if salts != self._salts:
            self._salts = salts
            self._on_salts(salts)
        key = self._read_key(connection)
        if key is not None and (self._key is None or (key.number, key.nodes) != (self._key.number, self._key.nodes)):
            self._key = key
            self._on_key(key)
        read_at = time()
        with connection.transaction():
            connection.execute(_SNAPSHOT)
            progress = progress_of(connection)
            changes = None
            if (
                progress is not None
                and self._progress is not None
                and monotonic() < self._read_whole_at + WHOLE_EVERY_S
            ):
                changes = changes_between(connection, self._progress, progress)
            listing = _read_whole(connection) if changes is None else _read_changed(connection, changes)
        if changes is None:
            self._read_whole_at = monotonic()
            self._take_whole(listing, read_at)
        elif listing == DirectoryListing():
            self._on_listing(None, read_at)
        else:
            self._on_changes(listing, read_at)
            append_changes(self._copy, listing)
            self._is_appended = True
        self._progress = progress

    def _take_whole(self, listing: DirectoryListing, read_at: float) -> None:
        changed = listing != self._listing or self._is_appended
        self._listing, self._is_appended = listing, False
        self._on_listing(listing if changed else None, read_at)
        if changed or read_at - self._saved_at > 600:
            save_copy(self._copy, listing, read_at)
            self._saved_at = read_at


def _read_whole(connection: psycopg.Connection[Any]) -> DirectoryListing:
    return listing_of(
        connection.execute(WEBSITES).fetchall(),
        connection.execute(KEYS).fetchall(),
        connection.execute(LINKS).fetchall(),
        connection.execute(PARTNERS).fetchall(),
        connection.execute(DOMAINS).fetchall(),
    )


def _read_changed(connection: psycopg.Connection[Any], changes: Changes) -> DirectoryListing:
    """Reads the current rows of what changed."""
    websites, keys, links = list[Any](), list[Any](), list[Any]()
    if changes.websites:
        websites = connection.execute(_WEBSITES_OF, (changes.websites,)).fetchall()
        keys = connection.execute(_KEYS_OF, (changes.websites,)).fetchall()
    if changes.links:
        links = connection.execute(_LINKS_OF, (changes.links,)).fetchall()
    return listing_of(websites, keys, links, [])


def _website(row: Sequence[Any]) -> WebsiteRow:
    website_id, domain, currency, has_click_ids, every, account_id, scope, *more = row
    return WebsiteRow(website_id, domain, currency, has_click_ids, every, account_id, TxidScope(scope), *more)


def listing_of(
    websites: list[Any], keys: list[Any], links: list[Any], partners: list[Any], domains: Sequence[Any] = ()
) -> DirectoryListing:
    """A listing from the rows that `WEBSITES`, `KEYS`, `LINKS`, `PARTNERS` and `DOMAINS` give."""
    return DirectoryListing(
        tuple(_website(row) for row in sorted(websites)),
        tuple(KeyRow(row[0], row[1], row[2], origins_of(row[3])) for row in sorted(keys, key=lambda row: row[1])),
        tuple(
            LinkRow(
                row[0],
                row[1],
                row[2],
                row[3],
                row[4],
                row[5],
                pairs_of(row[6]),
                bool(row[7]),
                routing_of(row[8]),
                pairs_of(row[9]),
                tuple((str(partner), _ms(until)) for partner, until in zip(row[10], row[11], strict=True)),
                tuple(str(partner) for partner in row[12]),
            )
            for row in sorted(links, key=lambda row: row[0])
        ),
        tuple(
            PartnerRow(
                row[0],
                str(row[0]),
                row[1],
                row[2],
                row[3] or "",
                int(row[4] or 30),
                bool(row[5]),
                click_id_parameter(row[6], row[3]),
                row[7],
            )
            for row in sorted(partners, key=lambda row: row[0])
        ),
        tuple(CustomDomainEntry(row[0], row[1], row[2], bool(row[3])) for row in sorted(domains)),
    )


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def read_salts(connection: psycopg.Connection[Any], today: date) -> Salts:
    """Today's salt (created by the first process that reads it) and yesterday's; older ones are deleted."""
    connection.execute(
        "INSERT INTO ingest.salt (day, salt) VALUES (%s, %s) ON CONFLICT DO NOTHING", (today, os.urandom(32))
    )
    connection.execute("DELETE FROM ingest.salt WHERE day < %s", (today - timedelta(days=1),))
    return dict(
        connection.execute("SELECT day, salt FROM ingest.salt WHERE day <= %s ORDER BY day", (today,)).fetchall()
    )


def save_copy(path: Path, listing: DirectoryListing, read_at: float) -> None:
    """Writes the copy whole or not at all, readable by its owner only."""
    fresh = path.with_suffix(".new")
    content = msgspec.json.encode({"read_at": read_at, **asdict(listing)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        path.with_suffix(".changes").unlink(missing_ok=True)
    except OSError as error:
        logger.warning("directory_copy_write_failed", path=path, error=error)


def append_changes(path: Path, listing: DirectoryListing) -> None:
    """Adds a line to what changed since the copy was written."""
    try:
        with os.fdopen(
            os.open(path.with_suffix(".changes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab"
        ) as file:
            file.write(msgspec.json.encode(asdict(listing)) + b"\n")
    except OSError as error:
        logger.warning("directory_copy_write_failed", path=path, error=error)


def load_copy(path: Path) -> tuple[DirectoryListing, float] | None:
    """The copy with the changes since, and when it was read, or none when there is no usable one."""
    try:
        kept = msgspec.json.decode(path.read_bytes())
        listing = _listing_from(kept)
        for line in _changes_beside(path):
            listing = _merged(listing, _listing_from(msgspec.json.decode(line)))
        return listing, float(kept["read_at"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError) as error:
        logger.warning("directory_copy_invalid", path=path, error=error)
        return None


def _changes_beside(path: Path) -> list[bytes]:
    """Returns the complete lines; the last one in the file may be cut off."""
    try:
        return path.with_suffix(".changes").read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def _merged(listing: DirectoryListing, later: DirectoryListing) -> DirectoryListing:
    return replace(
        listing,
        websites=tuple({row.id: row for row in (*listing.websites, *later.websites)}.values()),
        keys=tuple({row.hash: row for row in (*listing.keys, *later.keys)}.values()),
        links=tuple({row.id: row for row in (*listing.links, *later.links)}.values()),
    )


def _listing_from(kept: dict[str, Any]) -> DirectoryListing:
    return DirectoryListing(
        tuple(
            WebsiteRow(
                UUID(w["id"]),
                w["domain"],
                w["currency"],
                w.get("link_click_ids", False),
                w.get("link_impressions_every", 0),
                _id_or_none(w.get("account_id")),
                TxidScope(w.get("txid_scope", TxidScope.WEBSITE)),
                w.get("keeps_ad_click_ids", False),
                w.get("ad_click_ids_need_consent", False),
                w.get("kept_from_ms", 0),
            )
            for w in kept["websites"]
        ),
        tuple(KeyRow(UUID(k["website_id"]), k["hash"], k["kind"], tuple(k["origins"])) for k in kept["keys"]),
        tuple(
            LinkRow(
                UUID(row["id"]),
                row["slug"],
                row["code"],
                UUID(row["website_id"]),
                UUID(row["partner_id"]),
                row["destination"],
                tuple((name, value) for name, value in row["subs"]),
                row["is_active"],
                routing_from(row["routing"]),
                tuple((name, value) for name, value in row.get("utm", ())),
                tuple((partner, until) for partner, until in row.get("former_partners", ())),
                tuple(row.get("variant_partners", ())),
            )
            for row in kept["links"]
        ),
        tuple(
            PartnerRow(
                **{
                    "click_id_parameter": click_id_parameter(None, p["preset"]),
                    **p,
                    "id": UUID(p["id"]),
                    "account_id": _id_or_none(p.get("account_id")),
                }
            )
            for p in kept["partners"]
        ),
        tuple(
            CustomDomainEntry(UUID(d["id"]), d["host"], UUID(d["website_id"]), d["is_verified"])
            for d in kept.get("domains", ())
        ),
    )


def _id_or_none(text: str | None) -> UUID | None:
    return UUID(text) if text is not None else None
