"""`althing import access-log` on a real log and a real ClickHouse: counts that add up, nothing imported twice."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from infra.kernel.clickhouse.client import client as clickhouse_client
from infra.kernel.config.settings import Settings
from ingest.importing.command import ImportTotals, import_file
from ingest.importing.imported_events import ImportFailed
from schemas import topics
from schemas.tracking import TrackedEvent
from tests.support.clickhouse import ClickHouse, start_clickhouse
from tests.support.engines import engine_folder
from tests.support.ingest_service import MASTER_KEY, IngestService, Tail

EVENTS = """
CREATE TABLE events (website_id UUID, event_id UUID, type LowCardinality(String), occurred_at DateTime64(3, 'UTC'),
  visitor UInt64) ENGINE = MergeTree ORDER BY (website_id, toDate(occurred_at), type, visitor, event_id)
"""
LINES = [
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "http://www.google.com/" "{browser}"',
    '203.0.113.9 - - [17/May/2015:10:05:04 +0000] "GET /a.php?utm_source=x HTTP/1.1" 304 - "-" "{browser}"',
    '203.0.113.9 - - [18/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "{browser}"',
    '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET /b HTTP/1.1" 200 5 "-" "{robot}"',
    '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET /b HTTP/1.1" 200 5 "-" "{robot}"',
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /x.css HTTP/1.1" 200 5 "-" "{browser}"',
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "HEAD / HTTP/1.1" 200 5 "-" "{browser}"',
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /gone HTTP/1.1" 404 5 "-" "{browser}"',
    "nonsense",
]
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1)"
BROWSER = "Mozilla/5.0 (Windows NT 6.1; rv:30.0) Gecko/20100101 Firefox/30.0"
COUNTS = {
    "lines": 9,
    "imported": 5,
    "not_get": 1,
    "status": 1,
    "asset": 1,
    "malformed": 1,
    "expired": 0,
    "duplicates": 0,
}


@dataclass
class Target:
    """A website to import into, and ClickHouse as its projection left it."""

    ingest_service: IngestService
    clickhouse: ClickHouse
    domain: str
    settings: Settings

    def project(self, tail: Tail) -> None:
        """What the projection `events` does: the rows into ClickHouse, the positions into Postgres."""
        rows = [
            {name: value for name, value in row.items() if name in ("website_id", "event_id", "type", "occurred_at")}
            for row in tail.now()
        ]
        if rows:
            client = clickhouse_client(self.clickhouse.settings)
            client.raw_insert("events", insert_block="\n".join(map(json.dumps, rows)).encode(), fmt="JSONEachRow")
            client.close()
        log = self.ingest_service.log()
        for partition in range(topics.CLICKS.partitions):
            self.ingest_service.execute(
                "INSERT INTO engine.position (projection, generation, topic, partition, next_offset)"
                " VALUES ('events', 1, 'clicks', %s, %s)"
                " ON CONFLICT (projection, generation, topic, partition)"
                " DO UPDATE SET next_offset = excluded.next_offset",
                partition,
                log.end_offset(topics.CLICKS.name, partition),
            )
        log.close()


@pytest.fixture(scope="module")
def clickhouse() -> Iterator[ClickHouse]:
    with engine_folder("import-ch") as folder:
        server = start_clickhouse(folder)
        client = clickhouse_client(server.settings)
        client.command(EVENTS)
        client.close()
        yield server
        server.stop()


@pytest.fixture
def target(ingest_service: IngestService, clickhouse: ClickHouse) -> Target:
    domain = f"log{uuid4().hex[:8]}.example"
    ingest_service.add_site(domain)
    ingest_service.execute(
        "INSERT INTO engine.projection (name, kind, version, live_generation) VALUES ('events', 'clickhouse', 1, 1)"
        " ON CONFLICT DO NOTHING"
    )
    settings = Settings(
        data_dir=ingest_service.folder / "data",
        log="postgres",
        postgres_url=ingest_service.postgres.address,
        clickhouse_url=clickhouse.settings.clickhouse_url,
        master_key=MASTER_KEY,
    )
    target = Target(ingest_service, clickhouse, domain, settings)
    with ingest_service.tail(topics.CLICKS) as tail:
        target.project(tail)
    return target


def a_file(folder: Path, ending: str = "\n") -> Path:
    path = folder / "access.log"
    path.write_text(ending.join(line.format(browser=BROWSER, robot=ROBOT) for line in LINES))
    return path


def imported(_settings: Settings, added: ImportTotals) -> None:
    """What `althing import` records."""
    assert added.events > 0 and added.first_at <= added.last_at


def test_the_counts_add_up_and_a_second_import_adds_nothing(target: Target, tmp_path: Path) -> None:
    path = str(a_file(tmp_path))
    with target.ingest_service.tail(topics.CLICKS) as clicks:
        counts = import_file(target.settings, path, target.domain, imported, quiet=True)
        assert counts == COUNTS and counts["lines"] == sum(counts.values()) - counts["lines"]
        target.project(clicks)
        events = [msgspec.json.decode(record.value, type=TrackedEvent) for record in clicks.records]
        assert all(len(dict(record.headers)["h"]) == 8 for record in clicks.records)
        again = import_file(target.settings, path, target.domain, imported, quiet=True)
        assert (again["imported"], again["duplicates"]) == (0, COUNTS["imported"] + COUNTS["duplicates"])
        assert clicks.now() == []
    by_path = {(event.path, event.occurred_at[:10]): event for event in events}
    home, page = by_path["/", "2015-05-17"], by_path["/a.php", "2015-05-17"]
    assert (home.hostname, home.origin, home.type, home.source) == (target.domain, "import", "pageview", "Google")
    assert (page.utm_source, page.occurred_at) == ("x", "2015-05-17 10:05:04.000")
    assert home.visitor == page.visitor != by_path["/", "2015-05-18"].visitor
    assert (by_path["/b", "2015-05-17"].is_bot, home.is_bot, home.browser) == (True, False, "Firefox")
    assert all(b"203.0.113" not in record.value and b"Gecko" not in record.value for record in clicks.records)


def test_formats_that_hide_nobody_and_encodings_of_windows(target: Target, tmp_path: Path) -> None:
    """Five people behind one name are five; the same lines in UTF-16, with a mark or packed are the same events."""
    people = [f"198.51.100.{number}" for number in range(1, 6)]
    text = "\r\n".join(
        f'{target.domain} {person} - - [20/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "{BROWSER}"'
        for person in people
    )
    path = tmp_path / "access.log"
    path.write_text(text)
    with target.ingest_service.tail(topics.CLICKS) as clicks:
        assert import_file(target.settings, str(path), target.domain, imported, quiet=True)["imported"] == 5
        target.project(clicks)
        events = [msgspec.json.decode(record.value, type=TrackedEvent) for record in clicks.records]
        assert len({event.visitor for event in events}) == len({event.event_id for event in events}) == 5
        for content in (text.encode("utf-16"), text.encode("utf-8-sig"), gzip.compress(text.encode("utf-16-le"))):
            path.write_bytes(content)
            counts = import_file(target.settings, str(path), target.domain, imported, quiet=True)
            assert (counts["lines"], counts["imported"], counts["duplicates"]) == (5, 0, 5)


def test_identical_lines_are_as_many_page_views_as_one_file_has_of_them(target: Target, tmp_path: Path) -> None:
    """Rotated and overlapping files: a line counts as often as it stands in the file that has it most often."""
    line = f'198.51.100.4 - - [19/May/2015:10:05:03 +0000] "GET /twice HTTP/1.1" 200 5 "-" "{BROWSER}"'
    other = line.replace("/twice", "/other")
    files = [([line], 1), ([line, line, other], 2), ([line, other, line, line], 1), ([line, line], 0), ([other], 0)]
    paths: Counter[str] = Counter()
    with target.ingest_service.tail(topics.CLICKS) as clicks:
        for number, (lines, new) in enumerate(files):
            path = tmp_path / f"{number}.log"
            path.write_text("\n".join(lines) + "\n")
            counts = import_file(target.settings, str(path), target.domain, imported, quiet=True)
            target.project(clicks)
            paths.update(msgspec.json.decode(record.value, type=TrackedEvent).path for record in clicks.records)
            assert (counts["imported"], counts["duplicates"]) == (new, len(lines) - new), number
            assert counts["lines"] == sum(counts.values()) - counts["lines"]
    assert paths == {"/twice": 3, "/other": 1}


def test_gzip_and_standard_input(target: Target, tmp_path: Path) -> None:
    packed = gzip.compress(a_file(tmp_path, "\r\n").read_bytes())
    environment = target.ingest_service.environment(
        CLICKHOUSE_URL=target.settings.clickhouse_url or "", ALTHING_DATA_DIR=str(tmp_path / "data")
    )
    done = subprocess.run(
        [sys.executable, "-m", "infra.ops.cli", "import", "access-log", "-", "--website", target.domain, "--json"],
        input=packed,
        capture_output=True,
        env=environment,
        timeout=150,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == COUNTS


def test_an_import_that_cannot_be_exact_is_refused(target: Target, tmp_path: Path) -> None:
    path = str(a_file(tmp_path))
    with pytest.raises(ImportFailed, match="No website"):
        import_file(target.settings, path, "nobody.example", imported, quiet=True)
    with pytest.raises(FileNotFoundError):
        import_file(target.settings, str(tmp_path / "none.log"), target.domain, imported, quiet=True)
