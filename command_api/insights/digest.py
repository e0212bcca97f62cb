"""New insights by mail, for accounts that want them: once a day or on Mondays, at seven in the morning (UTC).

A row of `policy.insight_digest` says when an account is due. The mail is queued in the transaction that moves the row
on, so none is sent twice, and what is told in one is not told in the next.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model as accounts
from command_api.core import Core
from command_api.decision import by_system
from command_api.insights import model
from command_api.leader import Connection
from command_api.store import UNAVAILABLE, Conflict
from command_api.websites import model as websites
from infra import PRODUCT_NAME
from infra.mail import Mail, queue
from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings
from schemas.events.insights import DigestMail, Insight
from schemas.insights import DIGEST_STOP_PATH, digest_id, insights_id

HOUR: Final = 7
AT_ONCE: Final = 20
MOST_TOLD: Final = 30
_ATTEMPTS: Final = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class News:
    domain: str
    insights: Sequence[Insight]


def plan(cursor: Cursor[Any], account_id: UUID, every: DigestMail, now: datetime) -> None:
    """What a choice means for the next mail, in the transaction of its event."""
    cursor.execute("DELETE FROM policy.insight_digest WHERE account_id = %s", (account_id,))
    if every != "off":
        cursor.execute(
            "INSERT INTO policy.insight_digest (account_id, every, told_until, next_at) VALUES (%s, %s, %s, %s)",
            (account_id, every, now, next_at(every, now)),
        )


def next_at(every: str, now: datetime) -> datetime:
    """The next seven o'clock, or that of the next Monday."""
    found = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    while found <= now or (every == "weekly" and found.weekday() != 0):
        found += timedelta(days=1)
    return found


def send_due(core: Core, connection: Connection, now: datetime) -> int:
    """Queues the mails of those who are due, at most twenty; how many were due."""
    rows = connection.execute(_DUE, (now, AT_ONCE)).fetchall()
    for account_id, every, told_until, due in rows:
        try:
            account = core.store.load(account_id, accounts.evolve)
            if account is None or account.erased:
                connection.execute("DELETE FROM policy.insight_digest WHERE account_id = %s", (account_id,))
                continue
            mail = _mail(core, account, told_until) if not account.disabled else None
        except UNAVAILABLE:
            raise
        except Exception:
            # One whose news cannot be read must not hold up the others.
            log.exception("the insights of account %s cannot be mailed", account_id)
            mail, told = None, told_until
        else:
            told = now
        with connection.transaction(), connection.cursor() as cursor:
            moved = cursor.execute(_MOVE, (next_at(every, now), told, account_id, due)).rowcount
            if moved and mail is not None:
                queue(cursor, core.settings, mail)
    return len(rows)


def stop(core: Core, account_id: UUID) -> None:
    """Chooses "off" for the account."""
    asked = by_system()
    for _ in range(_ATTEMPTS):
        before = core.store.load(digest_id(account_id), model.evolve_digest)
        events = model.choose_digest(before, "off", account_id, asked)
        if not events:
            return
        try:
            core.store.write(events, lambda cursor, _: plan(cursor, account_id, "off", asked.at))
        except Conflict:
            continue
        return
    raise Conflict("insight digest")


def stop_token(settings: Settings, account_id: UUID) -> str:
    """What stops the digest, from every mail for ever: it proves nothing else."""
    return f"{account_id.hex}.{keyed_hash(derived_key(settings, 'insights-digest'), account_id.hex)[:32]}"


def stopped_by(settings: Settings, token: str) -> UUID | None:
    """Whose digest the token stops."""
    text, _, _ = token.partition(".")
    try:
        account_id = UUID(hex=text)
    except ValueError:
        return None
    return account_id if secrets.compare_digest(stop_token(settings, account_id).encode(), token.encode()) else None


def _mail(core: Core, account: accounts.Account, since: datetime) -> Mail | None:
    with core.pool.connection() as connection:
        ids = [row[0] for row in connection.execute(_WEBSITES, (account.id,)).fetchall()]
    news: list[News] = []
    for website_id in ids:
        found = core.store.load(insights_id(website_id), model.evolve)
        fresh = [insight for insight in found.open if insight.since > since] if found is not None else []
        website = core.store.load(website_id, websites.evolve) if fresh else None
        if website is not None and not website.disconnected:
            news.append(News(website.domain, fresh))
    return written(account.email, account.id, core.settings, news) if news else None


def written(to: str, account_id: UUID, settings: Settings, news: Sequence[News]) -> Mail:
    """The mail; names in it are strangers' text, so it is plain."""
    number = sum(len(one.insights) for one in news)
    parts: list[str] = []
    left = MOST_TOLD
    for one in news:
        told = one.insights[:left]
        left -= len(told)
        if told:
            lines = [f"- {insight.title}\n  {insight.content}" for insight in told]
            parts.append(f"{one.domain}\n\n" + "\n\n".join(lines))
    more = f"\n\nand {number - MOST_TOLD} more" if number > MOST_TOLD else ""
    text = (
        "\n\n\n".join(parts)
        + f"{more}\n\n\nSee what is behind each of them: {settings.app_url}/analytics\n\nYou get this because you chose"
        " it beside your insights; there you can also turn it off.\n"
    )
    subject = f"{number} new {'insight' if number == 1 else 'insights'} about your websites: {PRODUCT_NAME}"
    url = f"{settings.app_url}{DIGEST_STOP_PATH}{stop_token(settings, account_id)}"
    return Mail(to, subject, text, "insights_digest", account_id, unsubscribe_url=url)


_DUE: Final = (
    "SELECT account_id, every, told_until, next_at FROM policy.insight_digest WHERE next_at <= %s"
    " ORDER BY next_at LIMIT %s"
)
_MOVE: Final = "UPDATE policy.insight_digest SET next_at = %s, told_until = %s WHERE account_id = %s AND next_at = %s"
_WEBSITES: Final = "SELECT website_id FROM policy.website WHERE account_id = %s ORDER BY website_id"
