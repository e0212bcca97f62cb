"""The API of a network as a pull sees it: credentials, feeds, calls, and how an answer is read. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import orjson

from command_api.networks.pulling.position import PulledPage, PullFailed, PullPosition, Stretch

ACCOUNT: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
TOKEN: Final = re.compile(r"[\x21-\x7e]{1,2048}")
MAX_KEY: Final = 200
LATE_CHANGES: Final = timedelta(days=62)
"""The first pull of a day looks so far back for sales that were decided or paid."""


@dataclass(frozen=True, slots=True)
class PullAccount:
    """The account at the network. `currency`: the account's own, where the network's rows name none."""

    credentials: Mapping[str, str] = field(repr=False)
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A call. `path`: with its query."""

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = None


class ReportApi(Protocol):
    """A network whose reports are pulled."""

    @property
    def network(self) -> str:
        """Its slug."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def origin(self) -> str:
        """Where its API is."""

    @property
    def credentials(self) -> Mapping[str, re.Pattern[str]]:
        """The names of the credentials, and what each looks like."""

    @property
    def interval(self) -> timedelta:
        """The time from one call to the next with the same credentials."""

    @property
    def list_name(self) -> str:
        """The name of the list in the report file; empty: the file is the list."""

    def plan(self, since: datetime, until: datetime, *, is_deep: bool) -> tuple[Stretch, ...]:
        """The stretches to read. `is_deep`: late changes, too."""

    def request(self, account: PullAccount, position: PullPosition) -> ReportRequest:
        """The next call."""

    def read(self, position: PullPosition, answer: Any) -> PulledPage:
        """The rows of the answer to it. Raises `PullFailed`."""


def clock_time(moment: datetime) -> str:
    """The time in UTC, to the second, without a zone."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


def key_of(network: str, record: Any, name: str) -> str:
    """The id of a row. Raises `PullFailed` for what has none."""
    value = record.get(name) if isinstance(record, dict) else None
    if isinstance(value, orjson.Fragment):
        value = bytes(value.contents).decode() if isinstance(value.contents, bytes) else value.contents
    key = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not key or len(key) > MAX_KEY or not key.isprintable():
        raise unexpected(network)
    return key


def unexpected(network: str) -> PullFailed:
    """The failure of an answer that is not as the network documents it."""
    return PullFailed(f"{network} answers in a form that is not the documented one.")
