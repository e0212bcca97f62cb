"""Notifies the owner of an account of password guessing, and writes an audit entry: at most once a day.

Runs after the request in one thread, and is called for existing and unknown accounts alike, so the response time
reveals nothing.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import BoundedSemaphore
from typing import Final
from uuid import UUID

import structlog

from command_api.accounts import mails
from command_api.accounts.service import AccountService
from command_api.kernel import rate_limits
from infra.kernel.mail.outbox import queue
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client

MAX_PENDING: Final = 32

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class GuessingNotifier:
    """Thread-safe. A notice that does not fit into the queue is sent with the next guess."""

    def __init__(self, service: AccountService) -> None:
        self._service = service
        self._slots = BoundedSemaphore(MAX_PENDING)
        self._pool = ThreadPoolExecutor(1, "noticing")

    def report_guess(self, account: str, owner: UUID | None, client: Client) -> None:
        """Queues a notice of guessing at the account of this key."""
        if not self._slots.acquire(blocking=False):
            return
        self._pool.submit(copy_context().run, self._notify, account, owner, client).add_done_callback(
            lambda _: self._slots.release()
        )

    def _notify(self, account: str, owner: UUID | None, client: Client) -> None:
        try:
            if owner is None or not rate_limits.try_consume(
                self._service.container.pool, rate_limits.GUESSING_MAIL, account
            ):
                return
            recipient, settings = self._service.account(owner), self._service.container.settings
            if not recipient.may_sign_in:
                return
            entry = Entry("account.guessing_noticed", "refused", None, owner)
            with self._service.container.pool.connection() as connection:
                queue(connection, settings, mails.guessing_noticed(recipient.email, owner, settings.app_url))
                record(connection, entry, client)
        except Exception:
            log.exception("guessing_notice_failed", account_id=owner)
