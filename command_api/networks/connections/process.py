"""Process manager `network-pulls`: reads each connected network by its schedule, one call at a time.

timeout -> one call -> its page and the position behind it are stored -> … -> report file -> `UploadNetworkReport`, as
the website's owner would upload it -> `FinishPull`, which sets the next time

A call that fails is repeated at growing intervals from where the pull is. A network that refuses the credentials is not
called again until there are new ones. A pull that has the same rows as the one before leaves no import.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.networks import commands as imports
from command_api.networks import model as import_model
from command_api.networks.connections import model, store
from command_api.networks.connections.commands import FinishPull, RecordPullFailure
from command_api.networks.connections.model import NetworkConnectionAggregate
from command_api.networks.connections.store import PROCESS, StoredPull
from command_api.networks.pulling.apis import REPORT_APIS
from command_api.networks.pulling.client import ReportClient, read_page
from command_api.networks.pulling.position import (
    CallsLimited,
    CredentialsRefused,
    PullFailed,
    PullPosition,
    PullTooLarge,
    begin,
    begin_of,
    is_first_of_day,
)
from command_api.networks.pulling.report_api import PullAccount, ReportApi
from command_api.networks.pulling.report_file import page_bytes, report_file
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.domain.report_files import stored_files
from infra.kernel.security.encryption import DecryptionError
from schemas.events.networks import ReportMapping
from schemas.report_imports import ImportState
from schemas.uuid7 import uuid7

MAX_DELAY: Final = timedelta(days=2)
"""A timeout beyond it was set by a wrong clock."""
UNREADABLE: Final = "The stored credentials cannot be opened. Enter them again."

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_PULLS: Final = Counter("network_pulls_total", "Pulls of networks' reports by outcome", ["network", "outcome"])


def network_pulls(container: Container, client: ReportClient) -> ProcessManager:
    """The pulls of all connections."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        return lambda timeout: _step(container, client, timeout.id, now)

    return ProcessManager(PROCESS, plan, batch_size=5, ids=_CONNECTED, max_delay=MAX_DELAY)


def _step(
    container: Container, client: ReportClient, connection_id: UUID, now: datetime
) -> Command[None] | datetime | None:
    """Does the next part of a pull. Returns when the next one is due, or the command that ends the pull or records
    why it does not go on."""
    stored, held = store.connection_of(container, connection_id), container.load(connection_id, model.evolve)
    website = container.load(held.website_id, websites.evolve) if held is not None else None
    if stored is None or held is None or held.is_removed or website is None or website.disconnected:
        return None
    api, position = REPORT_APIS[stored.network], stored.position
    if position is None:
        store.begin_pull(container, stored, _begin(api, stored, now), uuid7())
        return now
    try:
        if position.left:
            return _read(container, client, api, held, stored, position, now)
        return _finish(container, api, held, stored, website, position, now)
    except CallsLimited as error:
        store.delay_calls(container, stored.credentials_hash, now + error.wait)
        return now + error.wait
    except (PullFailed, DecryptionError, CommandRejected) as error:
        return _failure(stored, error)


def _begin(api: ReportApi, stored: StoredPull, now: datetime) -> PullPosition:
    until = now.replace(microsecond=0)
    is_deep = is_first_of_day(stored.pulled_until, until)
    return begin(api.plan(begin_of(stored.pulled_until, until), until, is_deep=is_deep), until)


def _read(
    container: Container,
    client: ReportClient,
    api: ReportApi,
    held: NetworkConnectionAggregate,
    stored: StoredPull,
    position: PullPosition,
    now: datetime,
) -> datetime:
    """Makes one call, if one may be made now. Returns when the next is due."""
    wait = store.reserve_call(container, stored.credentials_hash, now, api.interval)
    if wait is not None:
        return wait
    account = PullAccount(store.open_credentials(container.settings, stored), held.currency)
    page, pause = read_page(client, api, account, position)
    content = page_bytes(page.records)
    store.keep_page(container, stored, content, page.position.stored(len(content)))
    if pause:
        store.delay_calls(container, stored.credentials_hash, now + pause)
    return now + max(api.interval, pause) if page.position.left else now


def _finish(
    container: Container,
    api: ReportApi,
    held: NetworkConnectionAggregate,
    stored: StoredPull,
    website: Website,
    position: PullPosition,
    now: datetime,
) -> FinishPull | None:
    """Uploads what was read, unless it is the same as the last time."""
    if stored.pull_id is None:
        return None
    file, count = report_file(store.pages_of(container, stored), api.list_name)
    with file:
        described = stored_files.described(f"{api.network}-{position.until:%Y-%m-%dT%H%M}.json", file)
        is_news = count > 0 and (described.sha256 != stored.file_hash or _has_failed(container, held))
        if is_news and container.load(stored.pull_id, import_model.evolve) is None:
            parts = stored_files.sealed_parts(container.settings, stored.pull_id, file)
            upload = imports.UploadNetworkReport(
                stored.pull_id,
                website.id,
                stored.network,
                described,
                parts,
                _mapping(stored.network, held.currency),
                held.partner_id,
                position.until,
                applies=True,
            )
            container.commands.dispatch(upload, CommandContext(now, website.account_id))
    _PULLS.labels(stored.network, "news" if is_news else "same").inc()
    return FinishPull(
        stored.connection_id,
        stored.pull_id,
        position.until,
        count,
        described.sha256,
        stored.pull_id if is_news else None,
    )


def _failure(stored: StoredPull, error: PullFailed | DecryptionError | CommandRejected) -> RecordPullFailure:
    is_refused = isinstance(error, CredentialsRefused | DecryptionError)
    _PULLS.labels(stored.network, "refused" if is_refused else "failed").inc()
    log.warning("network_pull_failed", network=stored.network, connection_id=stored.connection_id, error=str(error))
    problem = UNREADABLE if isinstance(error, DecryptionError) else str(error)
    return RecordPullFailure(
        stored.connection_id,
        stored.credentials_hash,
        problem[: model.MAX_PROBLEM],
        is_refused=is_refused,
        starts_over=isinstance(error, PullTooLarge | DecryptionError),
    )


def _has_failed(container: Container, held: NetworkConnectionAggregate) -> bool:
    """Returns whether the last import failed, so that the same rows are news."""
    last = container.load(held.import_id, import_model.evolve) if held.import_id is not None else None
    return last is None or last.state is ImportState.FAILED


def _mapping(network: str, currency: str | None) -> ReportMapping:
    """How the file is read: nothing in it is left to be detected."""
    named = (currency or "USD") if network == "cj" else None
    return ReportMapping(
        format="json", encoding="utf-8", date_order="ymd", decimal_mark=".", timezone="UTC", currency=named
    )


_CONNECTED: Final = "SELECT connection_id FROM networks.connection WHERE next_at IS NOT NULL"
