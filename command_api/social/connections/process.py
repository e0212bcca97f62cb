"""Process manager `social-readings`: reads each connected account once a day.

Without a configured network nothing is read. A reading that fails is repeated at growing intervals, and not before the
time that the network names; once the permission has ended, nothing is read until the owner connects again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final, LiteralString

import structlog
from prometheus_client import Counter

from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.social.commands import FoundPost, RecordChannelFigures, RecordSocialPosts
from command_api.social.connections import store
from command_api.social.connections.commands import ChannelCounts, RecordConnectionCheck
from command_api.social.connections.store import PROCESS, StoredConnection
from command_api.social.network_client import (
    GrantEnded,
    NetworkClient,
    NetworkError,
    NetworkUnavailable,
    Reading,
    ReadPost,
)
from command_api.social.networks import NetworkApi, api_of
from infra.domain.social_connections import encrypt_name
from infra.kernel.security.encryption import DecryptionError
from schemas.events.social import ChannelDay, FigureSource, PostFigures

EVERY: Final = timedelta(days=1)
RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (5, 15, 60, 180, 360))
BATCH_SIZE: Final = 50
"""Posts of one transaction."""
MAX_DELAY: Final = timedelta(days=2)
"""A timeout beyond it was set by a wrong clock."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_READINGS = Counter("social_readings_total", "Readings of connected social channels by outcome", ["network", "outcome"])


def social_readings(container: Container, client: NetworkClient) -> ProcessManager:
    """The readings of all connected channels."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        return lambda timeout: _check(container, client, timeout, now)

    return ProcessManager(PROCESS, plan, batch_size=5, ids=_CONNECTED, max_delay=MAX_DELAY)


def _check(
    container: Container, client: NetworkClient, timeout: Timeout, now: datetime
) -> Command[None] | datetime | None:
    connection = store.connection_of(container, timeout.id)
    if connection is None:
        return None
    if not container.select(_IS_OWNER, timeout.id, connection.account_id):
        return RecordConnectionCheck(timeout.id, connection.connected_at, None, "The website has another owner.", None)
    api = api_of(client, container.settings, connection.network)
    if api is None:
        return now + EVERY
    outcome, (counts, problem, next_at) = "done", _read(container, connection, api, now)
    if problem is not None:
        outcome = "ended" if next_at is None else "failed"
        log.warning("social_reading_failed", network=connection.network.value, channel_id=timeout.id, error=problem)
    _READINGS.labels(connection.network.value, outcome).inc()
    return RecordConnectionCheck(timeout.id, connection.connected_at, counts, problem, next_at)


def _read(
    container: Container, connection: StoredConnection, api: NetworkApi, now: datetime
) -> tuple[ChannelCounts | None, str | None, datetime | None]:
    """Reads the channel; returns the counts, else the problem, and when to read again."""
    settings, channel_id = container.settings, connection.channel_id
    try:
        opened = store.open_tokens(settings, channel_id, connection.tokens_sealed)
        tokens = api.renewed(opened, now)
        if tokens != opened:
            store.save_tokens(container, connection, tokens)
        reading = api.read(tokens, now)
    except (GrantEnded, DecryptionError) as error:
        return None, str(error), None
    except NetworkError as error:
        requested = error.retry_after if isinstance(error, NetworkUnavailable) else timedelta(0)
        delay = RETRY_DELAYS[min(connection.failures, len(RETRY_DELAYS) - 1)]
        return None, str(error), now + max(delay, requested)
    today = now.astimezone(UTC).date()
    _record(container, connection, reading, now)
    name = encrypt_name(settings, channel_id, reading.name)
    base = views_base(connection, reading, today)
    return ChannelCounts(name, reading.followers, reading.post_count, reading.views, *base), None, now + EVERY


def views_base(connection: StoredConnection, reading: Reading, today: date) -> tuple[int | None, date | None]:
    """The total of views at the first reading of today, and today: later totals minus it are the views of today."""
    if reading.views is None:
        return None, None
    if connection.views_on == today:
        return connection.views_before, today
    return reading.views, today


def days_of(connection: StoredConnection, reading: Reading, today: date) -> tuple[ChannelDay, ...]:
    """The followers of today, and the views of the days that follow from this reading and the ones before."""
    yesterday, counted = today - timedelta(days=1), connection.views_on
    views: dict[date, int | None] = {yesterday: reading.yesterday}
    if reading.views is not None and connection.views_before is not None and counted in (yesterday, today):
        # A network that takes views back (spam) has a lower total than before.
        views[counted] = max(0, reading.views - connection.views_before)
    days = [ChannelDay(day=day, views=count) for day, count in views.items() if day != today and count is not None]
    return (*days, ChannelDay(day=today, followers=reading.followers, views=views.get(today)))


def _record(container: Container, connection: StoredConnection, reading: Reading, now: datetime) -> None:
    """Records the reading; repeated, it counts nothing twice."""
    today, source = now.astimezone(UTC).date(), FigureSource(connection.network.value)
    days = RecordChannelFigures(connection.channel_id, source, days_of(connection, reading, today))
    container.commands.dispatch(days, system_context(now))
    posts = [_found(post) for post in reading.posts]
    for start in range(0, len(posts), BATCH_SIZE):
        part = tuple(posts[start : start + BATCH_SIZE])
        container.commands.dispatch(RecordSocialPosts(connection.channel_id, source, today, part), system_context(now))


def _found(post: ReadPost) -> FoundPost:
    figures = PostFigures(views=post.views, likes=post.likes, comments=post.comments)
    return FoundPost(post.address, post.title, post.published_at, figures)


_IS_OWNER: Final[LiteralString] = (
    "SELECT 1 FROM lookup.social_channel AS c JOIN lookup.website AS w ON w.website_id = c.website_id"
    " WHERE c.channel_id = %s AND w.account_id = %s"
)
_CONNECTED: Final[LiteralString] = "SELECT channel_id FROM social.connection WHERE tokens_sealed IS NOT NULL"
