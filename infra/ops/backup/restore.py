"""Restores a backup into a data directory, on which `althing up` then starts as usual.

Everything is checked first. Then the embedded Postgres and log are filled, and the projectors rebuild every table
before anything else may run: attribution looks clicks up in ClickHouse, and must not find it empty.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.log import Log, LogUnavailable, Record, open_log
from infra.kernel.observability import stack_state
from infra.ops.backup import BackupError, dump, erased_subjects, log_records, manifest, text_keys
from infra.ops.backup.creation import LOG_FOLDER, SPARE_BYTES, BackupProgress, key_mark
from infra.ops.backup.manifest import Manifest
from infra.ops.migrations import migrate
from infra.ops.stack import incomplete_restore, secret_file, state
from infra.ops.stack.plan import ENGINES, base_environment
from infra.ops.stack.ports import free_ports
from infra.ops.stack.spec import stop_order
from infra.ops.stack.supervisor import StartFailed, Supervisor
from infra.ops.stack.up import StackLayout, run_migrations
from schemas import topics

ACK_TIMEOUT_S: Final = 60.0
STALL_S: Final = 300.0
_POLL_S: Final = 0.2
_WORKER: Final = ("projectors",)


def restore(
    source: Path, settings: Settings, master_key: str | None, progress: BackupProgress | None = None
) -> Manifest:
    """Restores `source` into the empty `settings.data_dir`.

    `master_key`: the installation's, as hexadecimal digits, where `ALTHING_MASTER_KEY` is not set. Raises
    `BackupError` and `SettingsError`. Interrupted, it can be run again: it then starts from the beginning.
    """
    reporter = progress or BackupProgress()
    backup = manifest.read(source)
    chosen = _settings(settings, backup)
    _check_program(backup)
    listed = erased_subjects.read(source.parent)
    data_dir = chosen.data_dir
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        incomplete_restore.check(data_dir)
        with state.lock(data_dir):
            reporter.begin("checking", backup.size)
            manifest.verify(source, reporter.advance)
            state.end_orphans(data_dir)
            incomplete_restore.begin(data_dir, source)
            secrets = _secrets(chosen, master_key)
            if key_mark(replace(chosen, master_key=chosen.master_key or secrets.master_key), backup.id) != backup.key:
                raise BackupError("This is not the master key that the backup was made under.")
            _check_room(data_dir, backup)
            secret_file.write_all(data_dir, secrets)
            (data_dir / "log.kind").write_text(f"{backup.log}\n")
            _fill(source, backup, StackLayout(chosen, secrets, data_dir, list(_WORKER)), listed, reporter)
            with suppress(FileNotFoundError):
                (data_dir / stack_state.FILE_NAME).unlink()
            incomplete_restore.end(data_dir)
    except OSError as error:
        raise BackupError(f"{data_dir} cannot be filled: {error.strerror or error}.") from error
    return backup


def _settings(settings: Settings, found: Manifest) -> Settings:
    """Returns the settings for engines of our own on any ports. Raises `SettingsError` where servers are named."""
    for value, name in (
        (settings.postgres_url, "POSTGRES_URL"),
        (settings.kafka_bootstrap_servers, "KAFKA_BOOTSTRAP_SERVERS"),
        (settings.clickhouse_url, "CLICKHOUSE_URL"),
    ):
        if value is not None:
            raise SettingsError(
                f"{name} is set, but a backup is restored into the embedded engines only; docs/operations.md says how "
                "to move it to servers of your own."
            )
    port, tracking_port = free_ports(2)
    return replace(
        settings,
        data_dir=settings.data_dir.resolve(),
        log=found.log,
        port=port,
        tracking_port=tracking_port,
        kafka_port=None,
        postgres_port=None,
        clickhouse_port=None,
        command_port=None,
        query_port=None,
        projectors_port=None,
    )


def _check_program(found: Manifest) -> None:
    unknown = migrate.newer_than_program(found.migrations)
    if unknown:
        raise BackupError(
            f"The backup was made by version {found.program}, which is newer than this program: it has run "
            f"{unknown[-1]}. Use that version, or a later one."
        )


def _secrets(settings: Settings, master_key: str | None) -> secret_file.StackSecrets:
    """New passwords for the engines, the old master key."""
    made = secret_file.made()
    if master_key is not None:
        return replace(made, master_key=master_key)
    if settings.master_key is None:
        raise SettingsError(
            "The master key is not part of a backup: set ALTHING_MASTER_KEY, or name a copy of secrets.json with "
            "--master-key-file."
        )
    return made


def _check_room(data_dir: Path, found: Manifest) -> None:
    """Dump and log are compressed; the tables built from them need several times as much."""
    need = 6 * found.size + 4 * SPARE_BYTES
    free = shutil.disk_usage(data_dir).free
    if free < need:
        raise BackupError(
            f"{data_dir} has {free / 1e9:.1f} GB free, and the restored data may need {need / 1e9:.1f} GB."
        )


def _fill(
    source: Path, found: Manifest, laid: StackLayout, listed: erased_subjects.Erased, progress: BackupProgress
) -> None:
    environment = base_environment(laid.made)
    supervisor = Supervisor(laid.data_dir, environment, laid.publish, laid.move)
    try:
        supervisor.start(laid.made.engines)
        laid.set_up_postgres()
        settings = _reaching(laid, found)
        url = str(settings.postgres_url)
        progress.begin("Postgres", None)
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            connection.execute("CREATE ROLE query_reader NOLOGIN")
        dump.restore(url, source / dump.FILE_NAME)
        with closing(open_log(settings, delivery_timeout_s=ACK_TIMEOUT_S)) as log:
            if found.log != "postgres":
                log.create_topics(Counter(place.rpartition("-")[0] for place in found.ends))
                _copy_log(source, found, log, progress)
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            if text_keys.FILE_NAME in found.files:
                text_keys.restore(connection, source / text_keys.FILE_NAME)
        run_migrations(laid.data_dir, base_environment(laid.made))
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            dump.empty(connection)
            erased_subjects.apply(connection, listed)
        for stage in laid.made.services:
            supervisor.start(stage)
        _rebuild(settings, found, progress)
    except StartFailed as error:
        raise BackupError(str(error)) from error
    except (psycopg.Error, LogUnavailable) as error:
        raise BackupError(f"The engines failed while they were filled: {str(error).partition(chr(10))[0]}") from error
    finally:
        supervisor.stop(stop_order((laid.made.engines, *laid.made.services), ENGINES))


def _reaching(laid: StackLayout, found: Manifest) -> Settings:
    environment = laid.made.environment
    named = ("POSTGRES_URL", "CLICKHOUSE_URL")
    reach = {name: text for name, text in environment.items() if name in named or name.startswith("KAFKA_")}
    return replace(load(reach, None), data_dir=laid.data_dir, log=found.log)


def _copy_log(source: Path, found: Manifest, log: Log, progress: BackupProgress) -> None:
    """Every record gets the place that it had: positions that tables and people know stay true."""
    progress.begin("the log", sum(found.ends.values()))
    for place, end in found.ends.items():
        topic, _, partition = place.rpartition("-")
        if topic not in topics.BY_NAME:
            raise BackupError(f"The backup holds topic {topic!r}, which this program does not know.")
        following = 0
        for rows in log_records.read(source / LOG_FOLDER / place):
            # Small enough that what waits for the broker stays below the log's own bound.
            for start in range(0, len(rows), 1_000):
                part = rows[start : start + 1_000]
                batch = [_record(topic, int(partition), row) for row in part]
                places = log.publish(batch).result(ACK_TIMEOUT_S + 5)
                for row, written in zip(part, places, strict=True):
                    if not row[0] == written.offset == following:
                        raise BackupError(f"{place}@{row[0]} came to lie at {written.offset}: the log was not empty.")
                    following += 1
                progress.advance(len(part))
        if following != end:
            raise BackupError(f"The backup's file of {place} ends at {following}, not at {end}.")


def _record(topic: str, partition: int, row: log_records.Row) -> Record:
    """The record, signed again if it was signed: a restore must not turn a forged record into a signed one."""
    _, at, key, value, headers = row
    if headers and headers[-1] == log_records.UNSIGNED:
        return Record(topic, key, value, headers[:-1], at, partition, is_signed=False)
    return Record(topic, key, value, headers, at, partition)


def _rebuild(settings: Settings, found: Manifest, progress: BackupProgress) -> None:
    """Waits until every projection has read all that was restored."""
    total = last = 0
    since = time.monotonic()
    with psycopg.connect(str(settings.postgres_url), autocommit=True, connect_timeout=5) as connection:
        while True:
            failed = connection.execute(
                "SELECT name, error FROM engine.build WHERE state = 'failed' ORDER BY name LIMIT 1"
            ).fetchone()
            if failed is not None:
                raise BackupError(f"The projection {failed[0]} could not be built: {failed[1]}")
            rows = connection.execute(
                "SELECT q.topic || '-' || q.partition, q.next_offset FROM engine.position AS q JOIN engine.projection"
                " AS p ON p.name = q.projection AND p.live_generation = q.generation"
            ).fetchall()
            done = sum(min(offset, found.ends.get(place, 0)) for place, offset in rows)
            if not total:
                total = sum(found.ends.get(place, 0) for place, _ in rows)
                progress.begin("tables", total)
            progress.advance(done - last)
            if done >= total:
                return
            if done != last:
                last, since = done, time.monotonic()
            elif time.monotonic() - since > STALL_S:
                raise BackupError(
                    f"The projections read nothing for {STALL_S:.0f} seconds; see {settings.data_dir}/logs."
                )
            time.sleep(_POLL_S)
