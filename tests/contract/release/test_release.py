"""A release is made of a commit, signed by a named key, and replaces the one before only when it is complete."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from infra.kernel.config.paths import ROOT
from infra.ops.release import ReleaseError, archives, bill_of_materials, checksums, constraints
from infra.ops.release.__main__ import make
from infra.ops.release.tree import commit_time, require_clean
from tests.contract.release.test_checksums import made_key


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit."""
    made = tmp_path / "checkout"
    made.mkdir()
    (made / "pyproject.toml").write_text('[project]\nname = "althing"\nversion = "1.2.3"\n')
    (made / ".gitignore").write_text("/.build/\n")
    (made / "requirements.lock").write_text("idna==3.15 \\\n    --hash=sha256:00\n    # via httpx\n")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first", "--date", "@1700000000"]):
        environment = {"GIT_COMMITTER_DATE": "@1700000000 +0000", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        subprocess.run([*git, *command], cwd=made, env=environment, check=True)
    return made


@pytest.fixture
def key(tmp_path: Path) -> str:
    return str(made_key(tmp_path / "key"))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the archives and the bill."""

    def build(_root: Path, folder: Path, epoch: int) -> None:
        folder.mkdir(parents=True)
        (folder / "althing-1.2.3-py3-none-any.whl").write_text(str(epoch))

    monkeypatch.setattr(archives, "build", build)
    monkeypatch.setattr(bill_of_materials, "document", lambda _root, version, epoch: f"{version} {epoch}")


@pytest.mark.usefixtures("built")
def test_a_release_has_archives_bill_sums_and_signature(root: Path, key: str) -> None:
    folder = make(root, root / ".build" / "release", key)
    bill = "althing-1.2.3.cdx.json"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("SHA256SUMS", "SHA256SUMS.sig", "althing-1.2.3-constraints.txt", "althing-1.2.3-py3-none-any.whl", bill)
    ]
    assert (folder / "althing-1.2.3-constraints.txt").read_text() == "idna==3.15\n"
    assert (folder / bill).read_text() == "1.2.3 1700000000", "the version of pyproject.toml, the time of the commit"
    assert bill in (folder / checksums.SUMS).read_text()


def test_the_constraints_are_the_versions_that_the_tests_run_with() -> None:
    """Every package of the lock, once, as pip reads it: without hashes and options."""
    lock = (ROOT / "requirements.lock").read_text()
    lines = constraints.constraints(lock).splitlines()
    pinned = [line.split("==")[0] for line in lock.splitlines() if "==" in line and not line.startswith((" ", "#"))]
    assert [line.split("==")[0] for line in lines] == pinned and len(pinned) > 50
    for line in lines:
        requirement = Requirement(line)
        assert [one.operator for one in requirement.specifier] == ["=="]
    assert constraints.constraints('colorama==0.4.6 ; sys_platform == "win32" \\\n    --hash=sha256:00\n') == (
        'colorama==0.4.6 ; sys_platform == "win32"\n'
    )


@pytest.mark.parametrize("name", ["pyproject.toml", "new.txt"])
@pytest.mark.usefixtures("built")
def test_a_dirty_tree_is_refused(root: Path, key: str, name: str) -> None:
    (root / name).write_text("changed")
    with pytest.raises(ReleaseError, match=name):
        make(root, root / ".build" / "release", key)
    assert not (root / ".build").exists()


@pytest.mark.usefixtures("built")
def test_a_key_is_named_before_anything_is_built(root: Path) -> None:
    for key, says in (("", "RELEASE_KEY"), (str(root / "none"), "no file")):
        with pytest.raises(ReleaseError, match=says):
            make(root, root / ".build" / "release", key)
    assert not (root / ".build").exists()


@pytest.mark.usefixtures("built")
def test_a_failed_release_leaves_the_one_before(root: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(root, root / ".build" / "release", key)
    (folder / "mark").touch()
    monkeypatch.setattr(bill_of_materials, "document", _fails)
    with pytest.raises(ReleaseError, match="no bill"):
        make(root, folder, key)
    assert (folder / "mark").exists()


def _fails(*_: object) -> str:
    raise ReleaseError("no bill")


def test_outside_of_git_the_reason_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for function in (require_clean, commit_time):
        with pytest.raises(ReleaseError, match="git checkout"):
            function(tmp_path)


def test_without_history_the_time_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "5")
    assert archives.source_date(tmp_path) == 5
