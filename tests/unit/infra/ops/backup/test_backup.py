"""Parts of backups: the manifest, files of records, the list of the erased, and directories that are not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.config.version import product_version
from infra.kernel.log import StoredRecord
from infra.ops.backup import BackupError, erased_subjects, log_records, manifest
from infra.ops.backup.command import backup_main, restore_main
from infra.ops.backup.creation import CREATING_PREFIX, _only_one, _remove_old, _unbroken, existing, key_mark
from infra.ops.backup.manifest import Manifest
from infra.ops.backup.restore import _record, restore
from infra.ops.stack import incomplete_restore

KEY = "ab" * 32


def a_backup(folder: Path, **changes: object) -> Path:
    """A small, whole backup."""
    (folder / "log").mkdir(parents=True)
    (folder / "log" / "clicks-0").write_bytes(b"some bytes")
    made = Manifest(
        id="2f3c",
        made_at="2026-01-01T00:00:00+00:00",
        program=product_version(),
        log="kafka",
        postgres="18.0",
        migrations=("0001_schemas.sql",),
        decision=0,
        ends={"clicks-0": 1},
        counts={"events.stored_events": 0},
        key=key_mark(Settings(master_key=KEY), "2f3c"),
        files={"log/clicks-0": manifest.describe(folder / "log" / "clicks-0")},
    )
    (folder / manifest.FILE_NAME).write_text(manifest.to_text(replace(made, **changes)))  # type: ignore[arg-type]  # named arguments of several types
    return folder


def stored(offset: int, size: int = 10) -> StoredRecord:
    headers = (("h", b"\0\xff"),)
    return StoredRecord("clicks", 0, offset, 1_700_000_000_000 + offset, b"k", b"v" * size, headers, is_signed=True)


def into(folder: Path) -> Settings:
    return Settings(data_dir=folder, master_key=KEY)


def test_a_whole_backup_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = manifest.verify(a_backup(tmp_path / "one"))
    assert found.ends == {"clicks-0": 1} and found.size == 10 and found.migrations == ("0001_schemas.sql",)


@pytest.mark.parametrize("content", [b"some bytEs", b"some byte", b"some bytes!"])
def test_a_changed_file_is_named(tmp_path: Path, content: bytes) -> None:
    (a_backup(tmp_path / "one") / "log" / "clicks-0").write_bytes(content)
    with pytest.raises(BackupError, match=r"log/clicks-0"):
        manifest.verify(tmp_path / "one")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (a_backup(tmp_path / "one") / "log" / "clicks-0").unlink()
    with pytest.raises(BackupError, match=r"log/clicks-0 cannot be read"):
        manifest.verify(tmp_path / "one")


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    path = a_backup(tmp_path / "one") / manifest.FILE_NAME
    path.write_text(path.read_text().replace('"clicks-0": 1', '"clicks-0": 2'))
    with pytest.raises(BackupError, match="was changed after it was written"):
        manifest.read(tmp_path / "one")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "1"}', '{"no": 1}'])
def test_what_is_no_manifest_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / manifest.FILE_NAME).write_text(text)
    with pytest.raises(BackupError, match=r"cannot be read|is not the manifest"):
        manifest.read(tmp_path)


def test_a_backup_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="has format 2, and this program reads format 1"):
        manifest.read(a_backup(tmp_path / "one", format=2))


def test_a_file_outside_of_the_backup_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    outside = {"../secret": manifest.describe(tmp_path / "secret")}
    with pytest.raises(BackupError, match="outside of itself"):
        manifest.verify(a_backup(tmp_path / "one", files=outside))


def test_a_backup_of_a_newer_program_is_refused_and_the_directory_left_alone(tmp_path: Path) -> None:
    source = a_backup(tmp_path / "one", migrations=("0001_schemas.sql", "9999_of_tomorrow.sql"))
    with pytest.raises(BackupError, match=r"newer than this program.*9999_of_tomorrow"):
        restore(source, into(tmp_path / "data"), None)
    assert not (tmp_path / "data").exists()


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "letters.txt").write_text("mine")
    with pytest.raises(SettingsError, match=r"is not empty \(there is letters.txt\)"):
        restore(a_backup(tmp_path / "one"), into(tmp_path / "data"), None)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["letters.txt"]


def test_a_damaged_backup_leaves_no_half_restored_directory(tmp_path: Path) -> None:
    source = a_backup(tmp_path / "one")
    (source / "log" / "clicks-0").write_bytes(b"other byte")
    with pytest.raises(BackupError, match="checksum"):
        restore(source, into(tmp_path / "data"), None)
    incomplete_restore.refuse(tmp_path / "data")


def test_servers_of_ones_own_are_not_restored_into(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="POSTGRES_URL is set"):
        restore(
            a_backup(tmp_path / "one"),
            replace(into(tmp_path / "data"), postgres_url="postgresql://somewhere/althing"),
            None,
        )


def test_the_master_key_has_to_be_given_and_to_be_the_one(tmp_path: Path) -> None:
    source = a_backup(tmp_path / "one")
    with pytest.raises(SettingsError, match="The master key is not part of a backup"):
        restore(source, Settings(data_dir=tmp_path / "data"), None)
    with pytest.raises(BackupError, match="not the master key"):
        restore(source, Settings(data_dir=tmp_path / "other"), "cd" * 32)
    assert KEY not in "".join(path.read_text() for path in source.rglob("*") if path.is_file())


def test_a_half_restored_directory_does_not_start_and_is_restored_again(tmp_path: Path) -> None:
    incomplete_restore.begin(tmp_path, Path("/backups/one"))
    (tmp_path / "postgres").mkdir()
    with pytest.raises(SettingsError, match=r"is half restored, from /backups/one"):
        incomplete_restore.refuse(tmp_path)
    assert incomplete_restore.check(tmp_path)
    incomplete_restore.begin(tmp_path, Path("/backups/one"))
    assert not (tmp_path / "postgres").exists()
    incomplete_restore.end(tmp_path)
    incomplete_restore.refuse(tmp_path)


def test_records_come_back_as_they_were_in_blocks_that_stay_small(tmp_path: Path) -> None:
    given = [stored(offset, 1_500_000) for offset in range(7)]
    wrote: list[int] = []
    assert log_records.write(tmp_path / "clicks-0", iter(given), wrote.append) == 7
    assert sum(wrote) == 7 and len(wrote) > 1
    found = [
        StoredRecord("clicks", 0, *row, is_signed=True)
        for rows in log_records.read(tmp_path / "clicks-0")
        for row in rows
    ]
    assert found == given


def test_a_record_that_was_forged_before_the_backup_is_not_signed_by_a_restore(tmp_path: Path) -> None:
    forged = structs.replace(stored(0), is_signed=False)
    log_records.write(tmp_path / "clicks-0", iter([forged, stored(1)]), lambda _count: None)
    [rows] = log_records.read(tmp_path / "clicks-0")
    again = [_record("clicks", 0, row) for row in rows]
    assert [each.is_signed for each in again] == [False, True]
    assert [each.headers for each in again] == [forged.headers, forged.headers]


@pytest.mark.parametrize("cut", [1, 3, 20])
def test_a_file_of_records_that_ends_early_is_refused(tmp_path: Path, cut: int) -> None:
    log_records.write(tmp_path / "clicks-0", iter([stored(0), stored(1)]), lambda _count: None)
    whole = (tmp_path / "clicks-0").read_bytes()
    (tmp_path / "clicks-0").write_bytes(whole[:-cut] if cut < 20 else b"\xff" * 20)
    with pytest.raises(BackupError, match="holds no records of a log"):
        list(log_records.read(tmp_path / "clicks-0"))


def test_a_log_with_a_hole_is_not_backed_up() -> None:
    with pytest.raises(BackupError, match="lacks clicks-0@1"):
        list(_unbroken("clicks-0", iter([stored(0), stored(2)])))


def test_only_the_newest_are_kept_and_half_ones_never_count(tmp_path: Path) -> None:
    for name in (
        "20260101T000000Z-a",
        "20260103T000000Z-c",
        "20260102T000000Z-b",
        f"{CREATING_PREFIX}20260104T000000Z-d",
    ):
        a_backup(tmp_path / name)
    (tmp_path / "20260105T000000Z-e").mkdir()
    (tmp_path / "a-web-app").mkdir()
    (tmp_path / "a-web-app" / manifest.FILE_NAME).write_text('{"name": "another program"}')
    assert [path.name[-1] for path in existing(tmp_path)] == ["c", "b", "a"]
    assert [path.name[-1] for path in _remove_old(tmp_path, 2)] == ["a"]
    assert [path.name[-1] for path in existing(tmp_path)] == ["c", "b"]
    assert (tmp_path / "a-web-app" / manifest.FILE_NAME).exists(), "what is no backup is never removed"


def test_one_at_a_time_and_what_a_killed_one_left_goes(tmp_path: Path) -> None:
    (tmp_path / f"{CREATING_PREFIX}20260104T000000Z-d").mkdir()
    with _only_one(tmp_path):
        assert not list(tmp_path.glob(f"{CREATING_PREFIX}*"))
        with pytest.raises(BackupError, match="Another backup"), _only_one(tmp_path):
            pass


@pytest.mark.parametrize("name", [erased_subjects.FILE_NAME, erased_subjects.VISITORS_FILE_NAME])
def test_a_damaged_list_of_the_erased_stops_a_restore(tmp_path: Path, name: str) -> None:
    source = a_backup(tmp_path / "one")
    (tmp_path / name).write_text('{"half')
    with pytest.raises(BackupError, match="could bring them back"):
        restore(source, into(tmp_path / "data"), None)


def test_the_lists_of_the_erased_are_read_where_they_are(tmp_path: Path) -> None:
    assert erased_subjects.read(tmp_path) == erased_subjects.Erased({}, {})
    (tmp_path / erased_subjects.FILE_NAME).write_text('{"a": "2026-11-20T12:00:00+00:00"}')
    (tmp_path / erased_subjects.VISITORS_FILE_NAME).write_text('{"b": {"visitors": [11400714819323198485]}}')
    found = erased_subjects.read(tmp_path)
    assert found.accounts == {"a": "2026-11-20T12:00:00+00:00"}
    assert found.visitors == {"b": {"visitors": [11400714819323198485]}}


def test_verify_says_what_it_found(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert backup_main(["--verify", str(a_backup(elsewhere / "one")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == 10
    (elsewhere / "one" / "log" / "clicks-0").write_bytes(b"")
    assert backup_main(["--verify", str(elsewhere / "one"), "--json"]) == 1
    assert "clicks-0" in json.loads(capsys.readouterr().out)["error"]


def test_a_file_without_a_key_is_refused_and_not_shown(elsewhere: Path) -> None:
    (elsewhere / "key").write_text("a password that is no key")
    with pytest.raises(SettingsError) as refused:
        restore_main([str(a_backup(elsewhere / "one")), "--master-key-file", str(elsewhere / "key")])
    assert "password" not in str(refused.value)


def test_a_drill_without_a_backup_says_so(elsewhere: Path) -> None:
    with pytest.raises(SettingsError, match="There is no backup in"):
        backup_main(["--drill", "--to", str(elsewhere)])
