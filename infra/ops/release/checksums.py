"""`SHA256SUMS` of a release and its signature, made and verified by OpenSSH (`ssh-keygen -Y`).

OpenSSH is on every machine of an operator, and a releaser has a key already, in a file, an agent or a token.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from infra.ops.release import ReleaseError

SUMS: Final = "SHA256SUMS"
NAMESPACE: Final = "althing-release"
"""A signature of this key for another purpose is not valid for a release."""


def write(folder: Path) -> Path:
    """`SHA256SUMS` of the folder's files, in the format of `sha256sum --check`."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(SUMS))
    sums = folder / SUMS
    sums.write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files))
    return sums


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sign(sums: Path, key: str) -> Path:
    """Signs with the private key in file `key`, or by the agent if it is a public key. Raises `ReleaseError`."""
    _ssh_keygen("-Y", "sign", "-f", key, "-n", NAMESPACE, str(sums))
    return sums.with_name(f"{SUMS}.sig")


def verify(folder: Path, signers: Path, identity: str) -> None:
    """Raises `ReleaseError` unless a key of `identity` in `signers` signed the sums, and the files have them."""
    signature = folder / f"{SUMS}.sig"
    arguments = ("-Y", "verify", "-f", str(signers), "-I", identity, "-n", NAMESPACE, "-s", str(signature))
    _ssh_keygen(*arguments, text=(folder / SUMS).read_bytes())
    wrong = [name for wanted, name in _rows(folder / SUMS) if _sum_of(folder / name) != wanted]
    if wrong:
        raise ReleaseError(f"These files are not those that were signed: {', '.join(wrong)}.")


def _rows(sums: Path) -> Iterable[tuple[str, str]]:
    for line in sums.read_text().splitlines():
        wanted, _, name = line.partition("  ")
        yield wanted, name


def _sum_of(path: Path) -> str | None:
    return sha256(path) if path.is_file() else None


def _ssh_keygen(*arguments: str, text: bytes | None = None) -> None:
    try:
        subprocess.run(["ssh-keygen", *arguments], input=text, capture_output=True, check=True)
    except OSError as error:
        raise ReleaseError("`ssh-keygen` is needed to sign: install openssh-client.") from error
    except subprocess.CalledProcessError as error:
        said = " ".join((error.stderr + error.stdout).decode(errors="replace").split())
        raise ReleaseError(f"`ssh-keygen {arguments[1]}` refused: {said}") from error
