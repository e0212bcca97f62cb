"""`althing import access-log FILE --website DOMAIN [--json]`: page views from a web server's log, of any age.

The lines become records of topic `clicks` like live ones. Their ids are derived from the website, the line, and how
many identical lines precede it in the file: a visitor who requests a page twice within a second leaves two such lines,
which are two page views. Events that ClickHouse has are skipped, so importing a file twice adds nothing; header `h`
covers records that are not stored yet. Of files that overlap, a line counts as often as in the file that has it most
often; identical lines that a rotation has put into two files count as an overlap, once. A file without any page view is
an error: most likely it is no access log, or one of a format that is not known.
"""

from __future__ import annotations

import argparse
import codecs
import gzip
import io
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, LogUnavailable, Position, Record, RecordTooLarge, open_log
from infra.kernel.net.geoip import open_geoip, parse_address
from infra.kernel.observability.progress import Meter
from infra.kernel.postgres.pool import required_url
from infra.kernel.security.encryption import derived_key
from ingest.bots.user_agents import MAX_LENGTH, parse_agent
from ingest.clock import now_ms
from ingest.directory.directory import WebsiteRow
from ingest.event import ImportedPage, PageLine
from ingest.importing.access_log import LineReader, Reason
from ingest.importing.imported_events import (
    ImportedEvents,
    ImportFailed,
    find_website,
    text_key,
    wait_for_projection,
)
from ingest.importing.log_formats import NAMES
from ingest.metrics import SourceMetrics
from ingest.pipeline import IMPORT, NO_STEP, Runner
from ingest.visitors.request_context import RequestClient, new_request, new_row
from ingest.visitors.sealing import TextSealing
from schemas.identity import imported_event_id
from schemas.tracking import HASH_HEADER, log_time

BATCH: Final = 2_000
IN_FLIGHT: Final = 4
ACK_S: Final = 60.0
MAX_LINE: Final = 64 * 1024
MAX_SHOWN: Final = 200
"""Maximum length of the first line in the message."""
CHUNK: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ImportTotals:
    """The events that one import added to a website; none if `events` is 0."""

    website_id: UUID
    events: int
    first_at: datetime
    last_at: datetime


OnImported = Callable[[Settings, ImportTotals], object]


def main(argv: Sequence[str], on_imported: OnImported) -> int:
    """Exit codes: 0 done, 1 it could not be done, 2 wrong use. `on_imported` is called if events were added."""
    options = _parser().parse_args(list(argv))
    settings = load()
    try:
        counts = import_file(settings, options.file, options.website, on_imported, quiet=options.json)
    except NoPageView as error:
        sys.stdout.write(json.dumps(error.counts) + "\n" if options.json else _table(error.counts))
        sys.stderr.write(f"althing import: {error}\n")
        return 1
    except (ImportFailed, LogUnavailable, OSError, EOFError, gzip.BadGzipFile) as error:
        sys.stderr.write(f"althing import: {error}\n")
        return 1
    sys.stdout.write(json.dumps(counts) + "\n" if options.json else _table(counts))
    return 0


def import_file(
    settings: Settings, file: str, domain: str, on_imported: OnImported, *, quiet: bool = False
) -> dict[str, int]:
    """Imports the file (`-` = standard input; gzip is recognised) and gives the counts, which add up to `lines`.

    Returns after the log has everything. Raises `ImportFailed` (`NoPageView` if there is none), `LogUnavailable`,
    `OSError`.
    """
    website = find_website(required_url(settings), domain, quiet=quiet)
    with _opened(file) as (lines, size), closing(open_log(settings, linger_ms=5)) as log:
        wait_for_projection(required_url(settings), log)
        with closing(ImportedEvents(settings, website)) as imported, Meter("bytes read", size, quiet=quiet) as meter:
            run = _ImportRun(website, settings, log, imported, TextSealing(text_key(settings)))
            for line in lines:
                meter.advance(len(line))
                run.take(line)
            counts = run.finish()
    if not counts["imported"] and not counts["duplicates"]:
        raise NoPageView(counts, run.first_line)
    if (added := run.added) is not None:
        on_imported(settings, added)
    return counts


class NoPageView(ImportFailed):
    """The file has no page view. `counts`: its lines by reason."""

    def __init__(self, counts: dict[str, int], first_line: bytes) -> None:
        beginning = first_line[:MAX_SHOWN].decode("utf-8", "replace")
        begins = f"it begins with {beginning!r}" if first_line else "it has no line"
        super().__init__(f"There is no page view in the file; {begins}. Known formats: {'; '.join(NAMES)}.")
        self.counts = counts


class _ImportRun:
    """One running import."""

    def __init__(
        self, website: WebsiteRow, settings: Settings, log: Log, imported: ImportedEvents, sealing: TextSealing
    ) -> None:
        self._website = website
        self._places = open_geoip(settings)
        self._visitor_key = derived_key(settings, "visitor")
        self._log = log
        self._imported = imported
        self.sealing = sealing
        self._counts: Counter[str] = Counter()
        self._occurrences: dict[bytes, int] = {}
        self._batch: dict[UUID, tuple[PageLine, bytes]] = {}
        self._sent: deque[Future[list[Position]]] = deque()
        self._span: tuple[datetime, datetime] | None = None
        self._started = now_ms()
        self._runner = Runner[ImportedPage](IMPORT.bound(self), SourceMetrics(), NO_STEP)
        self._reader = LineReader(website.domain)
        self.first_line = b""

    def take(self, line: bytes) -> None:
        """Takes one line, with or without its end."""
        line = line.rstrip(b"\r\n")
        self.first_line = self.first_line or line
        parsed = self._reader.read(line) if len(line) <= MAX_LINE else Reason.MALFORMED
        if parsed is None:
            return
        self._counts["lines"] += 1
        if isinstance(parsed, Reason):
            self._counts[parsed] += 1
            return
        if parsed.at.timestamp() * 1000 < self._website.kept_from_ms:
            self._counts[Reason.EXPIRED] += 1
            return
        identity = imported_event_id(self._website.id, line, self._occurrence(line))
        self._batch[identity] = (parsed, blake2b(line, digest_size=8).digest())
        if len(self._batch) >= BATCH:
            self._flush()

    def _occurrence(self, line: bytes) -> int:
        """Counts the identical lines before this one in the file."""
        key = blake2b(line, digest_size=16).digest()
        count = self._occurrences.get(key, 0)
        self._occurrences[key] = count + 1
        return count

    def finish(self) -> dict[str, int]:
        """Waits for the last acknowledgement."""
        self._flush()
        while self._sent:
            self._settle()
        return {name: self._counts[name] for name in ("lines", "imported", *Reason, "duplicates")}

    @property
    def added(self) -> ImportTotals | None:
        """Returns what is in the log now and was not before."""
        return ImportTotals(self._website.id, self._counts["imported"], *self._span) if self._span else None

    def _flush(self) -> None:
        if not self._batch:
            return
        batch, self._batch = self._batch, {}
        times = [page.at for page, _ in batch.values()]
        existing = self._imported.existing(list(batch), min(times), max(times))
        records = [self._record(identity, *parts) for identity, parts in batch.items() if identity not in existing]
        self._counts["duplicates"] += len(batch) - len(records)
        self._counts["imported"] += len(records)
        new = [page.at for identity, (page, _) in batch.items() if identity not in existing]
        if new:
            moments = (*new, *(self._span or ()))
            self._span = min(moments), max(moments)
        self._sent.append(self._log.publish(records))
        while len(self._sent) >= IN_FLIGHT:
            self._settle()

    def _settle(self) -> None:
        try:
            self._sent.popleft().result(ACK_S)
        except (LogUnavailable, RecordTooLarge, TimeoutError) as error:
            raise ImportFailed(f"The log did not take everything: {error}. Run the import again.") from error

    def _record(self, identity: UUID, page: PageLine, content: bytes) -> Record:
        address = parse_address(page.address) or ""
        agent_text = page.user_agent[:MAX_LENGTH]
        country, region, city = self._places.find(address)
        client = RequestClient(address, agent_text, parse_agent(agent_text), country, region, "", city)
        request = new_request(self._website, "secret", "import", client, self._started)
        row = new_row(request)
        row.event_id, row.type, row.occurred_at = str(identity), "pageview", log_time(page.at)
        # The file may be imported again.
        event = ImportedPage(request, page, self._visitor_key, row, ((HASH_HEADER, content),))
        self._runner.complete(event)
        return event.record


@contextmanager
def _opened(file: str) -> Iterator[tuple[Iterator[bytes], int | None]]:
    """The file's lines in UTF-8 without a byte order mark, and its size as far as that is the number of their bytes."""
    with ExitStack() as stack:
        raw = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        source: Any = raw  # any raw reader will do
        buffered: io.BufferedReader[Any] = stack.enter_context(io.BufferedReader(source))
        size = None if file == "-" else os.fstat(buffered.fileno()).st_size
        if buffered.peek(2)[:2] == _GZIP:
            source = stack.enter_context(gzip.open(buffered))
            buffered, size = stack.enter_context(io.BufferedReader(source)), None
        encoding = encoding_of(buffered.peek(4)[:4])
        if encoding is not None:
            source = Recoded(buffered, encoding)
            buffered, size = stack.enter_context(io.BufferedReader(source)), None
        if buffered.peek(3)[:3] == codecs.BOM_UTF8:
            buffered.read(3)
        yield _lines(buffered), size


class Recoded(io.RawIOBase):
    """The bytes of `source`, which is text in `encoding`, as UTF-8. What cannot be read becomes a replacement mark."""

    def __init__(self, source: io.BufferedIOBase, encoding: str) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._rest = b""
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._rest and not self._is_over:
            part = self._source.read(CHUNK)
            self._is_over = not part
            self._rest = self._decoder.decode(part, self._is_over).encode("utf-8", "replace")
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def encoding_of(start: bytes) -> str | None:
    """UTF-16 by its byte order mark, or by the zeros beside the Latin letters of a log; none: UTF-8, or close to it."""
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if len(start) == 4 and start[1] == start[3] == 0 and start[0] and start[2]:
        return "utf-16-le"
    if len(start) == 4 and start[0] == start[2] == 0 and start[1] and start[3]:
        return "utf-16-be"
    return None


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
    kind = kinds.add_parser("access-log", help=f"formats: {'; '.join(NAMES)}; gzip too; - = standard input")
    kind.add_argument("file", metavar="FILE")
    kind.add_argument("--website", metavar="DOMAIN", required=True)
    kind.add_argument("--json", action="store_true", help="end with one JSON object, no progress")
    return parser


def _table(counts: dict[str, int]) -> str:
    return "".join(f"{name:<11}{count:>12,}\n" for name, count in counts.items())
