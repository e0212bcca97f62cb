"""The users of the ClickHouse server: the users file, and how a request proves who it is.

The file is JSON: `{"users": [{"name": "althing", "password": "...", "readonly": false}, ...]}`, readable by its owner
only. A readonly user may run reads only (`readonly.py`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from infra.domain.sql_access.analyst_accounts import Analyst
from infra.services.clickhouse_server.engine import Stats
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error


class UsersFileError(ValueError):
    """One sentence that says what is wrong with the users file."""


@dataclass(frozen=True)
class PortUser:
    """A user of the port. `analyst` is set for analysts only, not for users of the users file."""

    name: str
    password_sha256: bytes
    readonly: bool
    analyst: Analyst | None = field(default=None, repr=False)

    def visible_stats(self, stats: Stats) -> Stats:
        """Returns those of `stats` that this user may know: how much was read counts other websites' rows, too."""
        if self.analyst is None or self.analyst.is_admin:
            return stats
        return replace(stats, read_rows=0, read_bytes=0, total_rows_to_read=0)


Users = Mapping[str, PortUser]


def read_users(path: Path) -> Users:
    """The users of `path`, by name. Raises `UsersFileError` for anything that is not such a file."""
    try:
        rows = json.loads(path.read_text())["users"]
        users = [
            PortUser(str(row["name"]), hashlib.sha256(str(row["password"]).encode()).digest(), bool(row["readonly"]))
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise UsersFileError(f"The users file {path} cannot be used: {failure!r}.") from failure
    if not users or any(not user.name for user in users):
        raise UsersFileError(f"The users file {path} names no user.")
    return {user.name: user for user in users}


def authenticate(users: Users, headers: Mapping[str, str], parameters: Mapping[str, str]) -> PortUser:
    """The user that the request names, by X-ClickHouse-User/-Key, Basic auth or the query string, like ClickHouse.

    Raises `ClickHouseError` 516 for a wrong name or password, never saying which (HTTP 403; 401 without credentials,
    so that a browser prompts), and 36 for two kinds of credentials at once.
    """
    name, password = credentials(headers, parameters)
    user = users.get(name)
    digest = hashlib.sha256(password.encode()).digest()
    expected = user.password_sha256 if user is not None else bytes(32)
    if not hmac.compare_digest(digest, expected) or user is None:
        refusal = error(
            Code.AUTHENTICATION_FAILED,
            f"{name}: Authentication failed: password is incorrect, or there is no user with such name",
        )
        named = "user" in parameters or {"authorization", "x-clickhouse-user", "x-clickhouse-key"} & headers.keys()
        raise refusal if named else ClickHouseError(refusal.code, refusal.text, status=401)
    return user


def credentials(headers: Mapping[str, str], parameters: Mapping[str, str]) -> tuple[str, str]:
    """Name and password of a request. Raises `ClickHouseError` 36 for two kinds of credentials at once."""
    basic = headers.get("authorization")
    own = "x-clickhouse-user" in headers or "x-clickhouse-key" in headers
    in_query = "user" in parameters or "password" in parameters
    if (basic is not None) + own + in_query > 1:
        raise error(
            Code.BAD_ARGUMENTS, "Invalid authentication: it is not allowed to use two ways of naming a user at once"
        )
    if own:
        return headers.get("x-clickhouse-user", "default"), headers.get("x-clickhouse-key", "")
    if in_query:
        return parameters.get("user", "default"), parameters.get("password", "")
    if basic is None:
        return "default", ""
    scheme, _, encoded = basic.partition(" ")
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    name, colon, password = text.partition(":")
    if scheme.lower() != "basic" or not colon:
        raise error(Code.BAD_ARGUMENTS, "Invalid authentication: only well-formed Basic authorization is supported")
    return name, password
