"""The secrets of the embedded stack, made once at its first start: `<data dir>/secrets.json`, for its owner's eyes."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from infra.kernel.config.settings import SettingsError

FILE_NAME = "secrets.json"


@dataclass(frozen=True)
class StackSecrets:
    """Passwords of the embedded engines, the master key (see `infra.kernel.security.encryption`) and Kafka's cluster
    id."""

    postgres_password: str
    postgres_analyst_password: str
    clickhouse_password: str
    clickhouse_analyst_password: str
    master_key: str
    kafka_cluster_id: str
    kafka_password: str
    kafka_operator_password: str


_ADDED = frozenset(("kafka_password", "kafka_operator_password"))
"""Secrets that files of earlier versions do not have: made when such a file is first read."""


def load_or_create(data_dir: Path) -> StackSecrets:
    """The secrets of this data directory. Raises `SettingsError` when the file is damaged.

    A damaged file is never replaced: without its master key the encrypted personal data is lost.
    """
    path = data_dir / FILE_NAME
    if not path.exists():
        write_all(data_dir, made())
    try:
        values = json.loads(path.read_text())
        lacking = {field.name for field in fields(StackSecrets)} - values.keys()
        if lacking and lacking <= _ADDED:
            values |= {name: secrets.token_urlsafe(24) for name in lacking}
            write_private(path, json.dumps(values, indent=1))
        return StackSecrets(**{field.name: str(values[field.name]) for field in fields(StackSecrets)})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(
            f"{path} cannot be read as this stack's secrets ({error!r}); restore it from a backup."
        ) from error


def write_all(data_dir: Path, made: StackSecrets) -> None:
    """Rewrites the file."""
    write_private(data_dir / FILE_NAME, json.dumps(asdict(made), indent=1))


def write_private(path: Path, text: str) -> None:
    """Writes `text` whole or not at all (also when the power fails), with mode 0600."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Forces a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def made() -> StackSecrets:
    """New ones."""
    passwords = {field.name: secrets.token_urlsafe(24) for field in fields(StackSecrets)}
    cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return StackSecrets(**{**passwords, "master_key": secrets.token_hex(32), "kafka_cluster_id": cluster_id})
