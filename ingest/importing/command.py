"""`althing import access-log FILE --website DOMAIN [--json]`: page views from a web server's log, of any age.

The lines become records of topic `clicks` like live ones. Their ids are derived from the website, the line, and how
many identical lines stand before it in the file: a visitor who asks for a page twice within a second leaves two such
lines, which are two page views. What ClickHouse has already is left out, so importing a file twice adds nothing; header
`h` covers what is still on its way. Of files that overlap, a line counts as often as it stands in the one that has it
most often; identical lines that a rotation has put into two files are taken for an overlap, and count once.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Final
from uuid import UUID

from infra.countries import Places, open_places, parse_address
from infra.log import Log, LogUnavailable, Position, Record, RecordTooLarge, open_log
from infra.postgres import required_url
from infra.progress import Meter
from infra.sealing import derived_key
from infra.settings import Settings, load
from ingest import bots
from ingest.agents import MAX_LENGTH, parse_agent
from ingest.directory import Website
from ingest.importing.access_log import PageLine, Reason, read_line
from ingest.importing.known import CannotImport, Counted, find_website, wait_until_counted
from ingest.referrers import MAX_URL, Page, host_of, read_page
from ingest.refused import Refused
from ingest.rows import Row, encode_row
from ingest.steps.enrich import set_client, set_source
from ingest.visit import Client
from schemas import topics
from schemas.identity import imported_event_id
from schemas.tracking import HASH_HEADER, log_time

BATCH: Final = 2_000
IN_FLIGHT: Final = 4
ACK_S: Final = 60.0
MAX_LINE: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


def main(argv: Sequence[str]) -> int:
    """Exit codes: 0 done, 1 it could not be done, 2 wrong use."""
    options = _parser().parse_args(list(argv))
    settings = load()
    try:
        counts = import_file(settings, options.file, options.website, quiet=options.json)
    except (CannotImport, LogUnavailable, OSError, EOFError, gzip.BadGzipFile) as error:
        sys.stderr.write(f"althing import: {error}\n")
        return 1
    sys.stdout.write(json.dumps(counts) + "\n" if options.json else _table(counts))
    return 0


def import_file(settings: Settings, file: str, domain: str, *, quiet: bool = False) -> dict[str, int]:
    """Imports the file (`-` = standard input; gzip is recognised) and gives the counts, which add up to `lines`.

    Returns after the log has everything. Raises `CannotImport`, `LogUnavailable`, `OSError`.
    """
    website = find_website(required_url(settings), domain, quiet=quiet)
    with _opened(file) as (lines, size), closing(open_log(settings, linger_ms=5)) as log:
        wait_until_counted(required_url(settings), log)
        with closing(Counted(settings, website)) as counted, Meter("bytes read", size, quiet=quiet) as meter:
            run = _Run(website, settings, log, counted)
            for line in lines:
                meter.advance(len(line))
                run.take(line)
            return run.finish()


class _Run:
    """One import on its way."""

    def __init__(self, website: Website, settings: Settings, log: Log, counted: Counted) -> None:
        self._website = website
        self._places = open_places(settings)
        self._visitor_key = derived_key(settings, "visitor")
        self._log = log
        self._counted = counted
        self._counts: Counter[str] = Counter()
        self._occurrences: dict[bytes, int] = {}
        self._batch: dict[UUID, tuple[PageLine, bytes]] = {}
        self._sent: deque[Future[list[Position]]] = deque()
        self._received = log_time(datetime.now(UTC))

    def take(self, line: bytes) -> None:
        """One line, with or without its end."""
        self._counts["lines"] += 1
        line = line.rstrip(b"\r\n")
        found = read_line(line) if len(line) <= MAX_LINE else Reason.MALFORMED
        if isinstance(found, Reason):
            self._counts[found] += 1
            return
        identity = imported_event_id(self._website.id, line, self._occurrence(line))
        self._batch[identity] = (found, blake2b(line, digest_size=8).digest())
        if len(self._batch) >= BATCH:
            self._flush()

    def _occurrence(self, line: bytes) -> int:
        """How many identical lines stand before this one in the file."""
        key = blake2b(line, digest_size=16).digest()
        before = self._occurrences.get(key, 0)
        self._occurrences[key] = before + 1
        return before

    def finish(self) -> dict[str, int]:
        """Waits for the last acknowledgement."""
        self._flush()
        while self._sent:
            self._settle()
        return {name: self._counts[name] for name in ("lines", "imported", *Reason, "duplicates")}

    def _flush(self) -> None:
        if not self._batch:
            return
        batch, self._batch = self._batch, {}
        times = [page.at for page, _ in batch.values()]
        known = self._counted.of(list(batch), min(times), max(times))
        records = [self._record(identity, *parts) for identity, parts in batch.items() if identity not in known]
        self._counts["duplicates"] += len(batch) - len(records)
        self._counts["imported"] += len(records)
        self._sent.append(self._log.publish(records))
        while len(self._sent) >= IN_FLIGHT:
            self._settle()

    def _settle(self) -> None:
        try:
            self._sent.popleft().result(ACK_S)
        except (LogUnavailable, RecordTooLarge, TimeoutError) as error:
            raise CannotImport(f"The log did not take everything: {error}. Run the import again.") from error

    def _record(self, identity: UUID, page: PageLine, content: bytes) -> Record:
        row = imported_row(self._website, self._places, self._visitor_key, identity, page, self._received)
        return Record(topics.CLICKS.name, row.event_id.encode(), encode_row(row), ((HASH_HEADER, content),))


def imported_row(
    website: Website, places: Places, visitor_key: bytes, identity: UUID, page: PageLine, received: str
) -> Row:
    """The page view that a line tells of. Its visitor is the address and user agent of that day, hashed with a key that
    does not change: the same file always gives the same visitors."""
    occurred = log_time(page.at)
    row = Row(str(identity), website.id_text, "pageview", occurred, received, origin="import")
    address = parse_address(page.address) or ""
    agent_text = page.user_agent[:MAX_LENGTH]
    agent = parse_agent(agent_text)
    referrer_host = host_of(page.referrer)
    country, region = places.find(address)
    reason = bots.visit_reason(agent, bool(agent_text), {}, "GET", referrer_host)
    set_client(row, Client(address, agent_text, agent, country, region, reason))
    set_source(row, _page(website, page.target), referrer_host, website.domain)
    row.is_bot, row.bot_reason = bool(reason), reason
    message = f"{page.address}\n{agent_text}\n{occurred[:10]}".encode()
    digest = blake2b(website.id_bytes + message, digest_size=8, key=visitor_key, person=b"import").digest()
    row.visitor = int.from_bytes(digest, "big")
    return row


def _page(website: Website, target: str) -> Page:
    try:
        return read_page(f"https://{website.domain}{target if target.startswith('/') else '/' + target}"[:MAX_URL])
    except Refused:
        return Page(website.domain, target.partition("?")[0][:1024])


@contextmanager
def _opened(file: str) -> Iterator[tuple[Iterator[bytes], int | None]]:
    """The file's lines, and its size as far as that is the number of their bytes."""
    with ExitStack() as stack:
        raw = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        buffered = stack.enter_context(io.BufferedReader(raw))  # type: ignore[type-var]  # any raw reader will do
        if buffered.peek(2)[:2] == _GZIP:
            yield _lines(stack.enter_context(gzip.open(buffered))), None
        else:
            yield _lines(buffered), None if file == "-" else os.fstat(buffered.fileno()).st_size


def _lines(file: io.BufferedIOBase) -> Iterator[bytes]:
    """Lines of bounded length: of a longer one the rest is skipped, so that no file fills the memory."""
    while line := file.readline(MAX_LINE + 2):
        whole = line
        while not whole.endswith(b"\n"):
            whole = file.readline(MAX_LINE)
            if not whole:
                break
        yield line


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="althing import", description=__doc__.partition("\n")[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    kind = kinds.add_parser("access-log", help="Apache or nginx, combined format; gzip too; - = standard input")
    kind.add_argument("file", metavar="FILE")
    kind.add_argument("--website", metavar="DOMAIN", required=True)
    kind.add_argument("--json", action="store_true", help="end with one JSON object, no progress")
    return parser


def _table(counts: dict[str, int]) -> str:
    return "".join(f"{name:<11}{count:>12,}\n" for name, count in counts.items())
