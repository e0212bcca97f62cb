"""A whole import, file to records, with a log and a table that stand in for the real ones: encodings, and files without
a page view. `tests/api/ingest/test_import.py` has the rest on real engines."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.log import Position, Record
from ingest.directory.directory import WebsiteRow
from ingest.importing import command
from ingest.importing.command import ImportTotals, NoPageView, import_file
from schemas.tracking import TrackedEvent

WEBSITE = WebsiteRow(uuid4(), "shop.example", "EUR")
SETTINGS = Settings(postgres_url="postgresql://unused", master_key="5a" * 32)
BROWSER = "Mozilla/5.0 (Windows NT 6.1; rv:30.0) Gecko/20100101 Firefox/30.0"
PEOPLE = [f"198.51.100.{number}" for number in range(1, 6)]
TEXT = "\r\n".join(
    f'shop.example {person} - - [20/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "{BROWSER}"'
    for person in PEOPLE
)


class Stored:
    """The log, and the table into which it is projected at once."""

    def __init__(self) -> None:
        self.events: list[TrackedEvent] = []

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        self.events += [msgspec.json.decode(record.value, type=TrackedEvent) for record in records]
        done: Future[list[Position]] = Future()
        done.set_result([])
        return done

    def existing(self, ids: Sequence[UUID], _first: datetime, _last: datetime) -> set[UUID]:
        return set(ids) & {UUID(event.event_id) for event in self.events}

    def close(self) -> None:
        """Has nothing to close."""


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Stored:
    made = Stored()
    monkeypatch.setattr(command, "find_website", lambda *_, **__: WEBSITE)
    monkeypatch.setattr(command, "open_log", lambda *_, **__: made)
    monkeypatch.setattr(command, "ImportedEvents", lambda *_: made)
    monkeypatch.setattr(command, "wait_for_projection", lambda *_: None)
    monkeypatch.setattr(command, "text_key", lambda _: None)
    return made


def imported(path: Path, content: bytes) -> dict[str, int]:
    path.write_bytes(content)
    noted: list[ImportTotals] = []
    counts = import_file(SETTINGS, str(path), WEBSITE.domain, lambda _, added: noted.append(added), quiet=True)
    assert [one.events for one in noted] == ([counts["imported"]] if counts["imported"] else [])
    return counts


def test_five_people_behind_one_host_are_five_in_every_encoding(stored: Stored, tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    first = imported(path, TEXT.encode())
    assert (first["lines"], first["imported"], first["malformed"]) == (5, 5, 0)
    assert len({event.visitor for event in stored.events}) == len({event.event_id for event in stored.events}) == 5
    packed = gzip.compress(TEXT.encode("utf-16-le"))
    for content in (TEXT.encode("utf-16"), TEXT.encode("utf-8-sig"), TEXT.encode("utf-16-be"), packed):
        again = imported(path, content)
        assert (again["lines"], again["imported"], again["duplicates"]) == (5, 0, 5)
    assert len(stored.events) == 5


@pytest.mark.parametrize(
    ("content", "begins", "reason"),
    [
        ('shop.example - - [20/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5\n' * 5, "shop.example - -", "malformed"),
        ("time,visitor\n1,2\n", "time,visitor", "malformed"),
        ('203.0.113.9 - - [20/May/2015:10:05:03 +0000] "GET /a.css HTTP/1.1" 200 5\n', "203.0.113.9", "asset"),
        ("#Fields: date time\n", "#Fields", "malformed"),
        ("", "it has no line", "malformed"),
    ],
)
def test_a_file_without_a_page_view_is_an_error_that_says_what_is_in_it(
    stored: Stored, tmp_path: Path, content: str, begins: str, reason: str
) -> None:
    with pytest.raises(NoPageView) as caught:
        imported(tmp_path / "access.log", content.encode())
    assert begins in str(caught.value) and "Apache" in str(caught.value) and "CloudFront" in str(caught.value)
    assert caught.value.counts["lines"] == caught.value.counts[reason] == sum(caught.value.counts.values()) / 2
    assert not stored.events


def test_lines_of_days_whose_events_have_expired_are_left_out(
    stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    midnight = datetime(2015, 5, 20, tzinfo=UTC)
    kept_from_ms = int(midnight.timestamp() * 1000)
    website = replace(WEBSITE, kept_from_ms=kept_from_ms)
    monkeypatch.setattr(command, "find_website", lambda *_, **__: website)
    older = TEXT.replace("20/May/2015:10:05:03", "19/May/2015:23:59:59").splitlines()[0]
    counts = imported(tmp_path / "access.log", f"{older}\n{TEXT}".encode())
    assert (counts["lines"], counts["expired"], counts["imported"]) == (6, 1, 5)
    assert len(stored.events) == 5


@pytest.mark.usefixtures("stored")
def test_the_command_shows_the_counts_and_the_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "load", lambda: SETTINGS)
    path = tmp_path / "odd.log"
    path.write_text("odd\n")
    arguments = ["access-log", str(path), "--website", WEBSITE.domain, "--json"]
    assert command.main(arguments, lambda *_: None) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["malformed"] == 1 and "'odd'" in shown.err and "Known formats" in shown.err
    path.write_text(TEXT)
    assert command.main(arguments, lambda *_: None) == 0
    assert json.loads(capsys.readouterr().out) == {
        "lines": 5, "imported": 5, "not_get": 0, "status": 0, "asset": 0, "malformed": 0, "expired": 0, "duplicates": 0
    }  # fmt: skip
