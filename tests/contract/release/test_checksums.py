"""Checksums are signed by OpenSSH, and a changed file, another key or another purpose is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from infra.ops.release import ReleaseError, checksums

IDENTITY = "releases@althing.example"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return made_key(tmp_path / "key")


def made_key(path: Path) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", IDENTITY, "-f", str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.fixture
def signers(tmp_path: Path, key: Path) -> Path:
    path = tmp_path / "allowed_signers"
    path.write_text(f"{IDENTITY} {key.with_suffix('.pub').read_text()}")
    return path


@pytest.fixture
def folder(tmp_path: Path, key: Path) -> Path:
    """A signed release of two files."""
    made = tmp_path / "release"
    made.mkdir()
    for name in ("althing.whl", "althing.tar.gz"):
        (made / name).write_bytes(name.encode())
    checksums.sign(checksums.write(made), str(key))
    return made


def test_a_signed_release_is_verified(folder: Path, signers: Path) -> None:
    checksums.verify(folder, signers, IDENTITY)
    sums = (folder / "SHA256SUMS").read_text()
    assert [line.split("  ")[1] for line in sums.splitlines()] == ["althing.tar.gz", "althing.whl"]
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)


def test_the_documented_commands_verify_it(folder: Path, signers: Path) -> None:
    command = f"ssh-keygen -Y verify -f {signers} -I {IDENTITY} -n {checksums.NAMESPACE} -s SHA256SUMS.sig < SHA256SUMS"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    assert "Good" in done.stdout


def test_a_changed_file_is_refused(folder: Path, signers: Path) -> None:
    (folder / "althing.whl").write_bytes(b"another")
    with pytest.raises(ReleaseError, match=r"althing\.whl"):
        checksums.verify(folder, signers, IDENTITY)


def test_changed_sums_are_refused(folder: Path, signers: Path) -> None:
    (folder / "althing.whl").write_bytes(b"another")
    checksums.write(folder)
    with pytest.raises(ReleaseError, match="verify"):
        checksums.verify(folder, signers, IDENTITY)


def test_another_key_is_refused(folder: Path, signers: Path, tmp_path: Path) -> None:
    (folder / "SHA256SUMS.sig").unlink()
    checksums.sign(folder / "SHA256SUMS", str(made_key(tmp_path / "another")))
    with pytest.raises(ReleaseError, match="verify"):
        checksums.verify(folder, signers, IDENTITY)


def test_a_signature_for_another_purpose_is_refused(folder: Path, signers: Path, key: Path) -> None:
    (folder / "SHA256SUMS.sig").unlink()
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git", str(folder / "SHA256SUMS")]
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(ReleaseError, match="verify"):
        checksums.verify(folder, signers, IDENTITY)
