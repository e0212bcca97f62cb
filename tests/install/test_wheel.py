"""The wheel: built the same everywhere, installed with only Python there, and running with either log."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from packaging.utils import canonicalize_name

from infra.ops.release import archives
from infra.ops.release.checksums import sha256
from tests.support.installation import Installation, copy_of_checkout, count_first_event, installed_stack
from tests.support.stack import ROOT

pytestmark = pytest.mark.timeout(600)

EPOCH = 1_700_000_000
MAX_BYTES = 60_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archives.build(ROOT, tmp_path_factory.mktemp("built"), EPOCH)[0]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installation:
    made = Installation(tmp_path_factory.mktemp("bare"))
    made.install(wheel)
    return made


def test_another_folder_builds_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    """The sdist, too; and of the sdist follows a wheel with the same files, without a tool."""
    copy = copy_of_checkout(tmp_path / "somewhere" / "else")
    built = archives.build(copy, tmp_path / "again", EPOCH)
    first = [wheel, wheel.with_name(built[1].name)]
    assert [sha256(path) for path in built] == [sha256(path) for path in first]
    assert wheel.stat().st_size <= MAX_BYTES
    subprocess.run(["tar", "-xzf", str(built[1]), "-C", str(tmp_path)], check=True)
    [from_sdist, _] = archives.build(tmp_path / built[1].name.removesuffix(".tar.gz"), tmp_path / "unpacked", EPOCH)
    assert files_of(from_sdist) == files_of(wheel)


def files_of(wheel: Path) -> dict[str, bytes]:
    """Without their order, and without the record that has the same order."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def test_nothing_of_a_toolchain_is_there(installation: Installation) -> None:
    found = installation.run("python", "-c", "import shutil; print(*map(shutil.which, ('node', 'mvn', 'java', 'cc')))")
    assert found.split() == ["None"] * 4


def test_the_parts_are_inside_the_package(installation: Installation) -> None:
    code = (
        "from infra.kernel.config import paths;"
        "print(paths.IS_INSTALLED, paths.WEB.is_dir(), any(paths.KAFKA_JARS.glob('kafka_*')), "
        "paths.COUNTRY_DATABASE.exists(), paths.PARTS.joinpath('requirements.lock').exists())"
    )
    assert installation.run("python", "-c", code).split() == ["True"] * 5


@pytest.mark.parametrize(("java", "log"), [(False, "postgres"), (True, "kafka")])
def test_an_event_is_counted(installation: Installation, java: bool, log: str) -> None:
    with installed_stack(installation, java=java) as stack:
        count_first_event(stack)
        page = httpx.get(stack.app).raise_for_status()
        assert "<title>" in page.text and "has not been built" not in page.text
        assert json.loads(stack.run("info", "--json").stdout)["log"] == log
        assert ("NO KAFKA" in stack.output.read_text()) == (log == "postgres")
        assert stack.stop() == 0, stack.tail()


def test_an_installed_product_archives_kafkas_classes(installation: Installation, tmp_path: Path) -> None:
    """As it does in the background of its first minutes."""
    archive = tmp_path / "kafka.jsa"
    installation.run("python", "-m", "infra.ops.stack.engines.kafka_archive", str(archive), java=True)
    assert archive.stat().st_size > 1_000_000 and archive.with_suffix(".origin").exists()


def test_the_lock_inside_names_what_the_ranges_install(installation: Installation) -> None:
    """In tested versions: both ways of installing bring the same packages."""
    lock = installation.run(
        "python", "-c", "from infra.kernel.config.paths import PARTS; print(PARTS / 'requirements.lock')"
    )
    locked = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", Path(lock.strip()).read_text(), re.M)}
    frozen = installation.run("pip", "freeze", "--exclude", "althing").splitlines()
    installed = {canonicalize_name(row.partition("==")[0]) for row in frozen}
    assert installed and installed <= locked
