"""Backups taken under load, killed in the middle, restored into a new directory, and audited there."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.loading import load
from infra.kernel.log import Log
from infra.ops.backup import BackupError, creation, manifest
from infra.ops.backup.creation import CREATING_PREFIX, existing
from infra.ops.backup.drill import compare, running
from infra.ops.backup.erased_subjects import FILE_NAME as ERASED
from infra.ops.stack import incomplete_restore
from tests.e2e.test_visitor_data import opened_log_of
from tests.support.commands import run_command
from tests.support.stack import ROOT, Stack, wait_for
from tests.support.under_load import ADMIN, assert_exact, under_load
from tests.support.visitor_data import erase_visitor

LIMIT_S = 240.0
MEMBER, PASSWORD = "gone@example.com", "Correct-Horse-7-Battery"


@pytest.fixture(scope="module")
def backups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the backups."""
    return tmp_path_factory.mktemp("backups")


@pytest.fixture(scope="module")
def gone(loaded: Stack) -> UUID:
    """The account of a member who asked to be forgotten after the backup was taken; theirs until then."""
    return asyncio.run(_member(loaded))


@pytest.fixture(scope="module")
def taken(loaded: Stack, backups: Path, gone: UUID) -> dict[str, Any]:
    """A backup that was taken under load, after another one had been killed; the member is erased afterwards."""
    answer: dict[str, Any] = asyncio.run(_taken_under_load(loaded, backups))
    asyncio.run(_erase(loaded, gone))
    again = _run(loaded, loaded.data_dir, "backup", "--to", str(backups), "--json")
    assert again.returncode == 0, again.stderr
    return answer


def test_a_backup_that_was_killed_is_never_taken_for_one(loaded: Stack, backups: Path, taken: dict[str, Any]) -> None:
    assert {path.name for path in existing(backups)} >= {Path(taken["folder"]).name}
    assert not list(backups.glob(f"{CREATING_PREFIX}*")), "what the killed one left is gone"
    with psycopg.connect(loaded.environment["POSTGRES_URL"]) as connection:
        rows = connection.execute("SELECT state, error FROM operations.backup ORDER BY started_at").fetchall()
    assert rows[0] == ("failed", "It was interrupted.")
    assert [state for state, _ in rows[1:]] == ["done"] * (len(rows) - 1)
    assert manifest.verify(Path(taken["folder"])).counts["events.stored_events"] > 0


def test_a_restore_brings_everything_back_and_nobody_who_was_erased(
    loaded: Stack, taken: dict[str, Any], gone: UUID, tmp_path: Path
) -> None:
    """Killed once, run again; then audited: every record below the backup's ends is the same row in both."""
    source, copy = Path(taken["folder"]), Stack(tmp_path)
    with psycopg.connect(loaded.environment["POSTGRES_URL"]) as connection:
        row = connection.execute("SELECT email FROM read.accounts WHERE id = %s", (gone,)).fetchone()
    assert (source.parent / ERASED).exists() and row == ("[erased]",)
    _kill_restore(loaded, copy, source)
    refused = copy.run("up")
    assert refused.returncode == 2 and "is half restored" in refused.stderr + refused.stdout

    wrong = _restore(copy, source, "0" * 64)
    assert wrong.returncode == 1 and "not the master key" in wrong.stderr
    done = _restore(copy, source, _key(loaded))
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout)["id"] == taken["id"]
    second = _restore(copy, source, _key(loaded))
    assert second.returncode == 2 and "is not empty" in second.stderr
    with running(copy.data_dir) as environment:
        checked, differences = compare(environment, manifest.read(source))
        assert checked > 100 and differences == ()
        assert _figures(loaded.environment, taken["ends"]) == _figures(environment, taken["ends"])
        _assert_erased(environment, gone)


@pytest.mark.slow
def test_a_person_who_is_erased_between_snapshot_and_end_of_the_log_stays_erased_and_nobody_else(
    loaded: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each erasure begins another key of texts, which the snapshot lacks: the log has texts that it sealed."""
    source_folder, read_ends, keys = tmp_path / "backups", creation._ends, list[int]()
    with httpx.Client(base_url=loaded.app, timeout=20) as owner:
        site = _website(owner)

        def erased_meanwhile(log: Log, connection: psycopg.Connection[Any]) -> Mapping[str, int]:
            found = {"kind": "visitor_id", "value": "gone", "password": ADMIN["ALTHING_ADMIN_PASSWORD"]}
            erase_visitor(owner, site["id"], found)
            keys.append(_newest_key(loaded))
            wait_for(lambda: _view(loaded, site, "kept", *keys), "a text that is sealed with the new key")
            return read_ends(log, connection)

        monkeypatch.setattr(creation, "_ends", erased_meanwhile)
        wait_for(lambda: _view(loaded, site, "gone"), "the person's view")
        source = creation.take(load(loaded.environment, env_file=None), source_folder).folder
    copy = Stack(tmp_path)
    done = _restore(copy, source, _key(loaded))
    assert done.returncode == 0, done.stderr[-3000:]
    with running(copy.data_dir) as environment:
        _, differences = compare(environment, manifest.read(source))
        assert differences == ()
        assert _titles(environment, site) == {"Title of kept"}
        opened = [text for _, website, text in opened_log_of(environment) if website == site["id"]]
        assert any(b"Title of kept" in text for text in opened)
        assert not any(b"Title of gone" in text for text in opened)


@pytest.mark.slow  # unit/infra/ops/backup has the damages
@pytest.mark.usefixtures("taken")
def test_a_drill_with_a_damaged_backup_fails_and_is_noted(loaded: Stack, backups: Path) -> None:
    newest = existing(backups)[0]
    damaged = newest / "log" / "clicks-0"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    done = _run(loaded, loaded.data_dir, "backup", "--to", str(backups), "--drill", "--json")
    assert done.returncode == 1 and "clicks-0 has" in json.loads(done.stdout)["error"]
    with psycopg.connect(loaded.environment["POSTGRES_URL"]) as connection:
        row = connection.execute(
            "SELECT restored_at, drill_error FROM operations.backup WHERE id = %s", (manifest.read(newest).id,)
        ).fetchone()
    assert row is not None and row[0] is None and "clicks-0 has" in row[1]


def _website(owner: httpx.Client) -> dict[str, Any]:
    """A website of the admin, who is signed in for `owner`."""
    named = {"email": ADMIN["ALTHING_ADMIN_EMAIL"], "password": ADMIN["ALTHING_ADMIN_PASSWORD"]}
    owner.headers["Authorization"] = f"Bearer {owner.post('/api/platform/login', json=named).json()['token']}"
    body = {"domain": f"{uuid4().hex[:8]}.example", "timezone": "UTC", "currency": "USD"}
    made: dict[str, Any] = owner.post("/api/platform/websites", json=body).json()
    return made


def _view(loaded: Stack, site: Mapping[str, Any], visitor: str, key: int = 0) -> bool:
    """Sends a view of the visitor; whether one is in the tables whose texts this key, or a later one, has sealed."""
    title = f"Title of {visitor}"
    page = {"type": "pageview", "url": f"https://{site['domain']}/", "visitor_id": visitor, "title": title}
    sent = httpx.post(f"{loaded.tracking}/track", json=[page], headers={"Authorization": f"Bearer {site['secretKey']}"})
    if sent.status_code == 503:  # ingest has not learned of the website's key yet
        return False
    assert sent.status_code == 202, sent.text
    return title in _titles(loaded.environment, site, key)


def _titles(environment: Mapping[str, str], site: Mapping[str, Any], key: int = 0) -> set[str]:
    with Reader(load(environment, env_file=None)) as clickhouse:
        condition = f"website_id = '{site['id']}' AND title <> '' AND _text_key >= {key}"
        rows = clickhouse.rows(f"SELECT DISTINCT title FROM events WHERE {condition}")
        return {row["title"] for row in rows}


def _newest_key(loaded: Stack) -> int:
    with psycopg.connect(loaded.environment["POSTGRES_URL"]) as connection:
        [(number,)] = connection.execute("SELECT max(number) FROM log.text_key").fetchall()
    return int(number)


async def _taken_under_load(loaded: Stack, backups: Path) -> dict[str, Any]:
    ledger = backups / "ledger.jsonl"
    async with under_load(loaded, ledger) as load_:
        await _accepted(load_, 80)
        await asyncio.to_thread(_kill_backup, loaded, backups)
        done = await asyncio.to_thread(_run, loaded, loaded.data_dir, "backup", "--to", str(backups), "--json")
        assert done.returncode == 0, done.stderr
        await _accepted(load_, load_.accepted() + 30)
    assert_exact(loaded, load_.result, ledger)
    ledger.unlink()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


async def _accepted(load_: Any, count: int) -> None:
    for _ in range(1200):
        if load_.accepted() >= count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{count} requests were not accepted within a minute")


def _kill_backup(loaded: Stack, backups: Path) -> None:
    process = _begin(loaded, loaded.data_dir, "backup", "--to", str(backups))
    wait_for(lambda: list(backups.glob(f"{CREATING_PREFIX}*/postgres.dump")), "a backup to be half done")
    process.kill()
    process.wait()
    assert not existing(backups)
    with pytest.raises(BackupError, match="is not a backup"):
        manifest.read(next(backups.glob(f"{CREATING_PREFIX}*")))


def _kill_restore(loaded: Stack, copy: Stack, source: Path) -> None:
    process = _begin(loaded, copy.data_dir, "restore", str(source), ALTHING_MASTER_KEY=_key(loaded))
    wait_for(lambda: (copy.data_dir / "postgres" / "PG_VERSION").exists(), "a restore to be half done")
    process.kill()
    process.wait()
    assert (copy.data_dir / incomplete_restore.FILE_NAME).exists()


def _restore(copy: Stack, source: Path, key: str) -> subprocess.CompletedProcess[str]:
    file = copy.folder / "key"
    file.write_text(key)
    return _run(copy, copy.data_dir, "restore", str(source), "--master-key-file", str(file), "--json")


def _run(mine: Stack, data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(arguments, mine.folder, _environment(data_dir), LIMIT_S)


def _begin(mine: Stack, data_dir: Path, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "infra.ops.cli", *arguments],
        cwd=mine.folder,
        env=_environment(data_dir) | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _environment(data_dir: Path) -> dict[str, str]:
    ours = ("ALTHING_", "KAFKA_", "POSTGRES_URL", "CLICKHOUSE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"PYTHONPATH": str(ROOT), "ALTHING_DATA_DIR": str(data_dir)}


def _key(loaded: Stack) -> str:
    key: str = json.loads((loaded.data_dir / "secrets.json").read_text())["master_key"]
    return key


def _figures(environment: Mapping[str, str], ends: dict[str, int]) -> list[dict[str, Any]]:
    """What the rows below the ends come to, by website, type and day, down to the cell."""
    below = " OR ".join(
        f"(_topic = '{place.rpartition('-')[0]}' AND _partition = {place.rpartition('-')[2]} AND _offset < {end})"
        for place, end in ends.items()
    )
    with Reader(load(environment, env_file=None)) as clickhouse:
        rows = clickhouse.rows(
            "SELECT website_id, type, toDate(occurred_at) AS day, count() AS n, uniqExact(visitor) AS visitors,"
            " sum(value) AS value, sum(c_approved) AS approved, sum(cityHash64(* EXCEPT(_topic))) AS cells"
            f" FROM events WHERE {below} GROUP BY ALL ORDER BY ALL"
        )
        return [dict(row) for row in rows]


async def _member(loaded: Stack) -> UUID:
    """Registers a member with an invite of the admin."""
    async with httpx.AsyncClient(base_url=loaded.app, timeout=20) as app:
        await _sign_in(app, ADMIN["ALTHING_ADMIN_EMAIL"], ADMIN["ALTHING_ADMIN_PASSWORD"])
        invite = (await _post(app, "/api/platform/invite-codes", {}))["code"]
    async with httpx.AsyncClient(base_url=loaded.app, timeout=20) as app:
        made = await _post(
            app,
            "/api/platform/register",
            {"inviteCode": invite, "email": MEMBER, "name": "Gone", "password": PASSWORD},
        )
    return UUID(made["user"]["id"])


async def _erase(loaded: Stack, gone: UUID) -> None:
    async with httpx.AsyncClient(base_url=loaded.app, timeout=20) as app:
        await _sign_in(app, MEMBER, PASSWORD)
        await _post(app, "/api/platform/erase", {"password": PASSWORD})

    def erased() -> bool:
        with psycopg.connect(loaded.environment["POSTGRES_URL"]) as connection:
            row = connection.execute("SELECT email FROM read.accounts WHERE id = %s", (gone,)).fetchone()
            return row == ("[erased]",)

    wait_for(erased, "the erasure to reach the read model")


def _assert_erased(environment: Mapping[str, str], gone: UUID) -> None:
    def erased() -> bool:
        with psycopg.connect(environment["POSTGRES_URL"]) as connection:
            row = connection.execute("SELECT email, name FROM read.accounts WHERE id = %s", (gone,)).fetchone()
            return row == ("[erased]", "[erased]")

    wait_for(erased, "the erased to be erased again")
    with psycopg.connect(environment["POSTGRES_URL"]) as connection:
        key = connection.execute(
            "SELECT key_wrapped, erased_at IS NOT NULL FROM kernel.subject_key WHERE subject_id = %s", (gone,)
        ).fetchone()
        left = connection.execute("SELECT count(*) FROM accounts.credential WHERE account_id = %s", (gone,)).fetchone()
        waiting = connection.execute("SELECT count(*) FROM operations.to_erase").fetchone()
    assert (key, left, waiting) == ((None, True), (0,), (0,))


async def _sign_in(app: httpx.AsyncClient, email: str, password: str) -> None:
    answer = await _post(app, "/api/platform/login", {"email": email, "password": password})
    app.headers["Authorization"] = f"Bearer {answer['token']}"


async def _post(app: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await app.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
    assert answer.status_code in (200, 201, 204), f"{path}: {answer.status_code} {answer.text}"
    found: dict[str, Any] = answer.json() if answer.content else {}
    return found
