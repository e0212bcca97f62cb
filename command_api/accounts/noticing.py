"""Tells the owner of an account, and the audit trail, that somebody guesses its password: at most once a day.

It runs behind the request, one at a time, and is asked for alike whether the account exists or not, so no answer takes
longer for one that does.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Final
from uuid import UUID

from command_api.accounts import limits, mails
from command_api.accounts.desk import Desk
from infra.audit_trail import Entry, record
from infra.client import Client
from infra.mail import queue

MOST_WAITING: Final = 32

log = logging.getLogger(__name__)


class Noticing:
    """Thread-safe. What does not fit into the queue is noticed with the next guess."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._places = BoundedSemaphore(MOST_WAITING)
        self._pool = ThreadPoolExecutor(1, "noticing")

    def guesses(self, account: str, owner: UUID | None, client: Client) -> None:
        """Somebody guesses at the account of this key."""
        if not self._places.acquire(blocking=False):
            return
        self._pool.submit(self._notice, account, owner, client).add_done_callback(lambda _: self._places.release())

    def _notice(self, account: str, owner: UUID | None, client: Client) -> None:
        try:
            if owner is None or not limits.is_free(self._desk.core.pool, limits.GUESSING_MAIL, account):
                return
            found, settings = self._desk.account(owner), self._desk.core.settings
            if not found.may_sign_in:
                return
            entry = Entry("account.guessing_noticed", "refused", None, owner)
            with self._desk.core.pool.connection() as connection:
                queue(connection, settings, mails.guessing_noticed(found.email, owner, settings.app_url))
                record(connection, entry, client)
        except Exception:
            log.exception("the owner of an account was not notified of guesses")
