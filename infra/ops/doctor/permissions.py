"""Rights: the data directory belongs to this user, the secrets to nobody else, and the services are not root."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from infra.ops.doctor.disk import nearest
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.stack import secret_file

CHECK: Final = "permissions"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def can_write(path: Path) -> bool:
    """Returns whether this process may create files there."""
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)  # false, too, below a folder of others


def check(subject: Subject) -> Iterator[Finding]:
    yield from of_data_directory(subject.data_dir)
    yield from of_secrets(subject.data_dir / secret_file.FILE_NAME)
    yield of_user(os.geteuid(), is_production=subject.is_production)


def of_data_directory(
    folder: Path, user: int | None = None, can_write: Callable[[Path], bool] = can_write
) -> Iterator[Finding]:
    place = nearest(folder)
    if not can_write(place):
        yield error(
            CHECK,
            f"{place} cannot be written by this user.",
            f"Run `chown -R $USER {place}`, or set ALTHING_DATA_DIR to a directory of this user.",
        )
    elif place != folder:
        yield ok(CHECK, f"The data directory {folder} does not exist yet; the first start creates it.")
    else:
        yield from _of_owner(folder, os.geteuid() if user is None else user)


def _of_owner(folder: Path, user: int) -> Iterator[Finding]:
    status = folder.stat()
    if status.st_uid != user:
        yield warning(
            CHECK,
            f"{folder} belongs to user {status.st_uid}, but this command runs as user {user}.",
            "Run Althing as the user that owns the data directory.",
        )
    if status.st_mode & _OTHERS:
        yield warning(
            CHECK,
            f"{folder} is accessible to other users (mode {stat.S_IMODE(status.st_mode):04o}).",
            f"Run `chmod 700 {folder}`.",
        )
    elif status.st_uid == user:
        yield ok(CHECK, f"{folder} belongs to this user alone.")


def of_secrets(path: Path) -> Iterator[Finding]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as failure:
        yield error(CHECK, f"{path} cannot be read: {failure.strerror}.", "Run Althing as the user that owns it.")
        return
    if mode & _OTHERS:
        yield error(
            CHECK,
            f"{path} holds the master key and is accessible to other users (mode {stat.S_IMODE(mode):04o}).",
            f"Run `chmod 600 {path}`, and change the passwords if others could log in.",
        )
    else:
        yield ok(CHECK, f"{path.name} is readable by its owner alone.")


def of_user(user: int, *, is_production: bool) -> Finding:
    if user != 0:
        return ok(CHECK, f"The user is {user}, not root.")
    if not is_production:
        return ok(CHECK, "The user is root, which is accepted for a trial on one machine.")
    return warning(
        CHECK,
        "The user is root: a fault of one service would reach the whole machine.",
        'Run the services as a user without rights, as the units of docs/operations.md, "systemd", do.',
    )
