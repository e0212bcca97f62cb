"""Email digests of unread notifications: daily or weekly, by the member's preference.

A job of `infra.ops.scheduled_jobs`. A digest covers the past day or week (UTC), and notifications that began
then and have grown since: grouped replies continue until they are read. Its row in `notifications.digest` is written
in the transaction of its email: no member gets a second one for the same period, whatever is killed or runs twice. A
row without an account marks a period as complete: after an outage the next digest begins where the last one ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from infra import PRODUCT_NAME
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.postgres.pool import connect
from schemas.base import ERASED
from schemas.events.notifications import DigestMail
from schemas.notifications import KINDS, Names, words

NOT_BEFORE: Final = time(6)
"""UTC: no emails in the middle of the European night."""
BATCH_SIZE: Final = 200
MAX_LINES: Final = 20
MAX_PERIOD: Final = timedelta(days=28)
"""Older notifications are not sent after an outage."""
NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Period:
    """A past day or week; `is_late`: including earlier ones without an email."""

    name: str
    every: DigestMail
    begin: datetime
    end: datetime
    is_late: bool = False


def send_due(settings: Settings, now: datetime | None = None) -> int:
    """Queues the digests that are due; how many."""
    now = now or datetime.now(UTC)
    if now.timetz().replace(tzinfo=None) < NOT_BEFORE:
        return 0
    sent = 0
    with connect(settings) as connection:
        for period in periods(now):
            due = _since_the_last(connection, period)
            while accounts := _due(connection, due):
                sent += sum(_send(connection, settings, account, due) for account in accounts)
                if len(accounts) < BATCH_SIZE:
                    break
            connection.execute(_WRITTEN, (NOBODY, period.name))
            connection.commit()
    return sent


def periods(now: datetime) -> tuple[Period, Period]:
    """Returns yesterday, and the week before this one."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    yesterday, monday = today - timedelta(days=1), today - timedelta(days=today.weekday())
    week = monday - timedelta(days=7)
    year, number, _ = week.isocalendar()
    return (
        Period(f"{yesterday:%Y-%m-%d}", "daily", yesterday, today),
        Period(f"{year}-W{number:02d}", "weekly", week, monday),
    )


def _since_the_last(connection: Connection[Any], period: Period) -> Period:
    """Begins where the last one ended whose digests are all written; the first one of all begins where it begins."""
    bound = {"account": NOBODY, **_bound(period)}
    row = connection.execute(_last(period, "%(account)s").encode(), bound).fetchone()
    connection.commit()
    ended: datetime | None = row[0] if row is not None else None
    if ended is None or ended >= period.begin:
        return period
    return replace(period, begin=max(ended, period.end - MAX_PERIOD), is_late=True)


def _due(connection: Connection[Any], period: Period) -> list[UUID]:
    rows = connection.execute(_of(_DUE, period), {**_bound(period), "most": BATCH_SIZE}).fetchall()
    connection.commit()
    return [row[0] for row in rows]


def _send(connection: Connection[Any], settings: Settings, account_id: UUID, period: Period) -> bool:
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        if not cursor.execute(_WRITTEN, (account_id, period.name)).rowcount:
            return False
        rows = cursor.execute(_of(_LINES, period), {**_bound(period), "account": account_id}).fetchall()
        if not rows or rows[0]["email"] == ERASED:
            return False
        queue(cursor, settings, _mail(settings, account_id, rows[0]["email"], rows, period))
    return True


def _mail(settings: Settings, account_id: UUID, email: str, rows: Sequence[Mapping[str, Any]], period: Period) -> Mail:
    token = unsubscribe_token(settings, "notification_digest", account_id)
    when = "yesterday" if period.every == "daily" else "last week"
    if period.is_late:
        when = f"since {period.begin.astimezone(UTC):%d %B}".replace(" 0", " ")
    text = (
        f"Your unread notifications ({when}):\n\n{_listed(settings, rows[:MAX_LINES])}\n"
        + (f"…and {len(rows) - MAX_LINES:,} more.\n\n" if len(rows) > MAX_LINES else "")
        + f"Notification preferences: {settings.app_url}/account-settings?tab=notifications\n"
        f"Unsubscribe: {settings.app_url}/notifications/unsubscribe#code={token}\n"
    )
    return Mail(
        email,
        f"What is new for you at {PRODUCT_NAME}",
        text,
        "digest",
        account_id,
        unsubscribe_url=f"{settings.app_url}/api/public/notifications/stop/{token}",
    )


def _listed(settings: Settings, rows: Iterable[Mapping[str, Any]]) -> str:
    lines = ""
    for row in rows:
        known = {name: row[name] for name in ("actor", "thread", "listing", "website") if row[name] != ERASED}
        lines += f"- {words(row['kind'], row['count'], Names(**known), row['title'])}\n"
        lines += f"  {settings.app_url}{row['path']}\n\n" if row["path"] else "\n"
    return lines


def _of(sql: str, period: Period) -> bytes:
    return sql.replace("{last}", _last(period, "n.account_id")).encode()


def _last(period: Period, account: str) -> str:
    return (
        f"SELECT {_ENDS[period.every]} FROM notifications.digest AS d WHERE d.account_id = {account}"  # noqa: S608 - own text
        " AND d.period LIKE %(form)s AND d.period < %(period)s"
    )


def _bound(period: Period) -> dict[str, Any]:
    return {
        "kinds": [name for name, kind in KINDS.items() if not kind.at_once],
        "defaults": [kind.mail for kind in KINDS.values() if not kind.at_once],
        **asdict(period),
        "period": period.name,
        "form": _FORMS[period.every],
    }


_FORMS: Final = {"daily": "____-__-__", "weekly": "____-W__"}
"""The forms of the periods' names, which are in the order of time."""
_ENDS: Final = {
    "daily": "(max(d.period)::date + 1)::timestamp AT TIME ZONE 'UTC'",
    "weekly": """(to_date(max(d.period), 'IYYY"-W"IW') + 7)::timestamp AT TIME ZONE 'UTC'""",
}
_WRITTEN: Final = "INSERT INTO notifications.digest (account_id, period) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_TOLD: Final = """
FROM notifications.notification AS n
JOIN unnest(%(kinds)s::text[], %(defaults)s::text[]) AS k (kind, mail) ON k.kind = n.kind
JOIN read.accounts AS a ON a.id = n.account_id AND a.erased_at IS NULL AND a.disabled_at IS NULL
LEFT JOIN read.notification_choices AS c ON c.account_id = n.account_id AND c.kind = n.kind
LEFT JOIN read.notification_choices AS every ON every.account_id = n.account_id AND every.kind = ''
"""
_WHERE: Final = """
WHERE n.seen_at IS NULL AND n.updated_at >= %(begin)s AND n.created_at < %(end)s
  AND coalesce(c.mail, every.mail, k.mail) = %(every)s
  AND n.updated_at >= coalesce(({last}), %(begin)s)
"""
"""Covers periods before, whatever was killed between two emails: no notification is sent twice."""
_DUE: Final = f"""
SELECT DISTINCT n.account_id {_TOLD} {_WHERE}
  AND NOT EXISTS (SELECT FROM notifications.digest AS d WHERE d.account_id = n.account_id AND d.period = %(period)s)
LIMIT %(most)s"""  # noqa: S608 - own text
_LINES: Final = f"""
SELECT a.email, n.kind, n.count, n.title, n.path, m.name AS actor, t.title AS thread, l.title AS listing,
    w.domain AS website {_TOLD}
LEFT JOIN read.forum_members AS m ON m.account_id = n.actor_id
LEFT JOIN read.forum_threads AS t ON t.id = n.thread_id AND t.visible
LEFT JOIN read.listings AS l ON l.id = n.listing_id
LEFT JOIN read.websites AS w ON w.id = n.website_id
{_WHERE} AND n.account_id = %(account)s ORDER BY n.updated_at DESC LIMIT 200"""
