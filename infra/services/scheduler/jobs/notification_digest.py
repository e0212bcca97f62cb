"""Mails that gather what a member was told and has not seen: one a day or a week, by the member's choice.

A job of `infra.scheduler`. A digest tells of the day or week that is over (UTC), and of what began then and has grown
since: replies that are counted together go on while nobody looks. Its row in `ops.digest` is written in
the transaction of its mail: nobody gets a second one for the same period, whatever is killed or runs twice. A row of
nobody's says that a period's are all written: after an outage the next digest begins where the last one ended.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from infra import PRODUCT_NAME
from infra.mail import Mail, queue
from infra.postgres import connect
from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings
from schemas.base import ERASED
from schemas.events.notifications import DigestMail
from schemas.notifications import KINDS, words

log = logging.getLogger(__name__)

NOT_BEFORE: Final = time(6)
"""UTC: nobody is written to in the middle of the European night."""
AT_ONCE: Final = 200
MOST_LINES: Final = 20
LONGEST: Final = timedelta(days=28)
"""What is older by the time that the scheduler is back is no news."""
NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a week that is over; `is_late`: and those before it that nobody was written to about."""

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
                if len(accounts) < AT_ONCE:
                    break
            connection.execute(_WRITTEN, (NOBODY, period.name))
            connection.commit()
    return sent


def periods(now: datetime) -> tuple[Period, Period]:
    """Yesterday, and the week before this one."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    yesterday, monday = today - timedelta(days=1), today - timedelta(days=today.weekday())
    week = monday - timedelta(days=7)
    year, number, _ = week.isocalendar()
    return (
        Period(f"{yesterday:%Y-%m-%d}", "daily", yesterday, today),
        Period(f"{year}-W{number:02d}", "weekly", week, monday),
    )


def stop_token(settings: Settings, account_id: UUID) -> str:
    """What stops an account's digests, from every mail for ever: it proves nothing else."""
    return f"{account_id.hex}.{keyed_hash(derived_key(settings, 'digest-stop'), account_id.hex)[:32]}"


def stopped_by(settings: Settings, token: str) -> UUID | None:
    """Whose digests the token stops."""
    text, _, proof = token.partition(".")
    try:
        account_id = UUID(hex=text)
    except ValueError:
        return None
    expected = stop_token(settings, account_id)
    return account_id if secrets.compare_digest(expected.encode(), f"{account_id.hex}.{proof}".encode()) else None


def _since_the_last(connection: Connection[Any], period: Period) -> Period:
    """Begins where the last one ended whose digests are all written; the first one of all begins where it begins."""
    bound = {"account": NOBODY, **_bound(period)}
    row = connection.execute(_last(period, "%(account)s").encode(), bound).fetchone()
    connection.commit()
    ended: datetime | None = row[0] if row is not None else None
    if ended is None or ended >= period.begin:
        return period
    return replace(period, begin=max(ended, period.end - LONGEST), is_late=True)


def _due(connection: Connection[Any], period: Period) -> list[UUID]:
    rows = connection.execute(_of(_DUE, period), {**_bound(period), "most": AT_ONCE}).fetchall()
    connection.commit()
    return [row[0] for row in rows]


def _send(connection: Connection[Any], settings: Settings, account_id: UUID, period: Period) -> bool:
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        made = cursor.execute(
            "INSERT INTO ops.digest (account_id, period) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1",
            (account_id, period.name),
        ).fetchone()
        if made is None:
            return False
        rows = cursor.execute(_of(_LINES, period), {**_bound(period), "account": account_id}).fetchall()
        if not rows or rows[0]["email"] == ERASED:
            return False
        queue(cursor, settings, _mail(settings, account_id, rows[0]["email"], rows, period))
    return True


def _mail(settings: Settings, account_id: UUID, email: str, rows: Sequence[Mapping[str, Any]], period: Period) -> Mail:
    token = stop_token(settings, account_id)
    when = "yesterday" if period.every == "daily" else "last week"
    if period.is_late:
        when = f"since {period.begin.astimezone(UTC):%d %B}".replace(" 0", " ")
    text = (
        f"What happened {when} and you have not seen yet:\n\n{_listed(settings, rows[:MOST_LINES])}\n"
        + (f"…and {len(rows) - MOST_LINES:,} more.\n\n" if len(rows) > MOST_LINES else "")
        + f"Choose what you are told: {settings.app_url}/account-settings?tab=notifications\n"
        f"No more of these mails: {settings.app_url}/notifications/unsubscribe#code={token}\n"
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
        actor = row["actor"] if row["actor"] != ERASED else None
        thread = row["thread"] if row["thread"] != ERASED else None
        lines += f"- {words(row['kind'], row['count'], actor, thread, row['title'])}\n"
        lines += f"  {settings.app_url}{row['path']}\n\n" if row["path"] else "\n"
    return lines


def _of(sql: str, period: Period) -> bytes:
    return sql.replace("{last}", _last(period, "n.account_id")).encode()


def _last(period: Period, account: str) -> str:
    return _LAST[period.every].format(account=account)


def _bound(period: Period) -> dict[str, Any]:
    return {
        "kinds": [name for name, kind in KINDS.items() if not kind.at_once],
        "defaults": [kind.mail for kind in KINDS.values() if not kind.at_once],
        "every": period.every,
        "period": period.name,
        "form": _FORMS[period.every],
        "begin": period.begin,
        "end": period.end,
    }


_FORMS: Final = {"daily": "____-__-__", "weekly": "____-W__"}
"""Of the periods' names, which are in the order of time."""
_ENDS: Final = {
    "daily": "(max(d.period)::date + 1)::timestamp AT TIME ZONE 'UTC'",
    "weekly": """(to_date(max(d.period), 'IYYY"-W"IW') + 7)::timestamp AT TIME ZONE 'UTC'""",
}
_LAST: Final = {
    every: f"SELECT {end} FROM ops.digest AS d"  # noqa: S608 - own text
    " WHERE d.account_id = {account} AND d.period LIKE %(form)s AND d.period < %(period)s"
    for every, end in _ENDS.items()
}
_WRITTEN: Final = "INSERT INTO ops.digest (account_id, period) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_TOLD: Final = """
FROM ops.notification AS n
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
"""Of periods before, whatever was killed between one mail and the next: nobody is told a second time."""
_DUE: Final = f"""
SELECT DISTINCT n.account_id {_TOLD} {_WHERE}
  AND NOT EXISTS (SELECT FROM ops.digest AS d WHERE d.account_id = n.account_id AND d.period = %(period)s)
LIMIT %(most)s"""  # noqa: S608 - own text
_LINES: Final = f"""
SELECT a.email, n.kind, n.count, n.title, n.path, m.name AS actor, t.title AS thread {_TOLD}
LEFT JOIN read.forum_members AS m ON m.account_id = n.actor_id
LEFT JOIN read.forum_threads AS t ON t.id = n.thread_id AND t.visible
{_WHERE} AND n.account_id = %(account)s ORDER BY n.updated_at DESC LIMIT 200"""
