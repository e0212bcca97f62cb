"""Runs a pull against a server in process, with a clock that the test moves: no call waits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from command_api.networks.pulling.apis import REPORT_APIS
from command_api.networks.pulling.client import ReportClient, read_page
from command_api.networks.pulling.position import (
    CallsLimited,
    CredentialsRefused,
    PullFailed,
    PullPosition,
    begin,
    begin_of,
)
from command_api.networks.pulling.report_api import PullAccount, ReportApi
from command_api.networks.pulling.report_file import page_bytes, report_file
from command_api.networks.reading import reports
from command_api.networks.reading.rows import NetworkRow, ReportLayoutChanges
from tests.support.network_servers import NetworkServer, ServerOutbound, utc

NOW = utc("2026-11-29T12:00:00")
MAX_CALLS = 400


@dataclass
class Clock:
    at: datetime = NOW

    def __call__(self) -> datetime:
        return self.at


@dataclass
class Pull:
    """One pull, call by call. `problems`: what failed on the way; the pull went on from where it was."""

    api: ReportApi
    server: NetworkServer
    clock: Clock
    account: PullAccount
    position: PullPosition
    pages: list[bytes] = field(default_factory=list)
    problems: list[PullFailed] = field(default_factory=list)

    def run(self) -> Pull:
        """Reads until nothing is left, or the credentials are refused."""
        client = ReportClient(ServerOutbound({self.api.origin: self.server}), {})
        for _ in range(MAX_CALLS):
            if not self.position.left:
                return self
            try:
                page, pause = read_page(client, self.api, self.account, self.position)
            except CredentialsRefused as error:
                self.problems.append(error)
                return self
            except PullFailed as error:
                self.problems.append(error)
                self.clock.at += error.wait if isinstance(error, CallsLimited) else timedelta(minutes=5)
                continue
            # As it is stored between two calls.
            content = page_bytes(page.records)
            self.position = PullPosition.model_validate_json(page.position.stored(len(content)).model_dump_json())
            self.pages.append(content)
            self.clock.at += max(self.api.interval, pause)
        raise AssertionError("the pull does not end")

    def content(self) -> bytes:
        """The report file."""
        file, _ = report_file(self.pages, self.api.list_name)
        with file:
            return file.read()

    def rows(self) -> list[NetworkRow]:
        """The rows of its report file, as an import reads them."""
        file, count = report_file(self.pages, self.api.list_name)
        if not count:
            return []
        with file:
            given = ReportLayoutChanges(timezone="UTC", currency=self.account.currency or "USD")
            inspection = reports.inspect(file, self.api.network, given)
            assert not [each for each in inspection.questions if each.is_blocking]
            file.seek(0)
            layout = inspection.layout
            read = list(reports.read(file, self.api.network, layout, timezone="UTC", currency=layout.currency))
        rows = [row for row in read if isinstance(row, NetworkRow)]
        assert len(rows) == len(read) == count
        return rows


def pull_of(server: NetworkServer, network: str, clock: Clock, *, pulled_until: datetime | None = None) -> Pull:
    """A pull that begins now, with the server's own credentials."""
    api = REPORT_APIS[network]
    names = {"publisherId": getattr(server, "publisher", ""), "accountSid": getattr(server, "account", "")}
    secret = {"token": server.token, "authToken": server.token}
    credentials = {name: (names | secret)[name] for name in api.credentials}
    since = begin_of(pulled_until, clock.at)
    position = begin(api.plan(since, clock.at, is_deep=pulled_until is None), clock.at)
    return Pull(api, server, clock, PullAccount(credentials), position)


def ids(rows: Sequence[NetworkRow]) -> list[int]:
    return sorted(int(row.txid.rpartition(".")[2]) for row in rows)


def total(rows: Sequence[NetworkRow]) -> Decimal:
    return sum((row.commission for row in rows), Decimal(0))


def stored_names(pull: Pull) -> set[str]:
    """The names of all values that the pull keeps."""
    return {name for page in pull.pages for line in page.splitlines() for name in json.loads(line.split(b"\t", 2)[2])}
