"""Pages of members, checked and rendered in processes of their own (`infra.domain.publishing.page_process`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Final
from uuid import UUID

from infra.domain.publishing import page_process
from infra.domain.publishing.document import parse_page, to_json
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.page_job import code_hash, file_of_answer
from infra.domain.publishing.render import SiteFile
from infra.domain.publishing.texts import has_images
from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.worker_processes.pool import (
    Done,
    IsCancelled,
    JobCancelled,
    JobFailed,
    JobLate,
    JobTooLong,
    NoProcessFree,
    WorkerPool,
)
from infra.kernel.worker_processes.protocol import JobRejected

PROCESSES: Final = 2
CPU_S: Final = 10
"""Processor time for one page; the slowest known ones of the largest size take 2 s."""
DEADLINE_S: Final = 18.0
MAX_WAIT_S: Final = 10.0
MAX_PER_ACCOUNT: Final = 3
_AGAIN: Final = {"Retry-After": "5"}


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A file, and the processor time that it took."""

    file: SiteFile
    cpu_s: float


class PageWorkers:
    """The processes of one service. Thread-safe. While a page is in work, its request lends its worker slot.

    An account has few pages in work at one time, so that it leaves processes to others.
    """

    def __init__(self) -> None:
        code_hash()  # now: an update may change the files while this process runs
        self.pool = WorkerPool(page_process.MODULE, size=PROCESSES, deadline_s=DEADLINE_S)
        self._in_work: Counter[UUID] = Counter()
        self._lock = Lock()

    def checked(self, content: bytes, account_id: UUID, is_cancelled: IsCancelled) -> str:
        """The page in `content` as it is stored. Raises `DocumentRejected`, and `Problem` as `render`."""
        if not has_images(content.decode(errors="replace")):  # its Markdown is not parsed
            return to_json(parse_page(content)).decode()
        try:
            return self._run(page_process.CHECK + content, account_id, is_cancelled).answer.decode()
        except JobRejected as rejection:
            raise DocumentRejected(*json.loads(rejection.reason)) from None

    def render(self, job: bytes, account_id: UUID, is_cancelled: IsCancelled) -> RenderedPage:
        """The file of `page_job`. Raises `DocumentRejected` for a page that takes too long; `Problem` 429 with too many
        pages of the account in work, 503 when there is no time for it now, and when the client has left."""
        done = self._run(page_process.RENDER + job, account_id, is_cancelled)
        return RenderedPage(file_of_answer(done.answer), done.cpu_s)

    def close(self) -> None:
        """Ends the processes."""
        self.pool.close()

    @contextmanager
    def _one_of(self, account_id: UUID) -> Iterator[None]:
        with self._lock:
            if self._in_work[account_id] >= MAX_PER_ACCOUNT:
                message = "Your other pages are still being rendered. Please try again in a moment."
                raise Problem(429, "already_running", message, headers=_AGAIN)
            self._in_work[account_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_work[account_id] -= 1
                if not self._in_work[account_id]:
                    del self._in_work[account_id]

    def _run(self, request: bytes, account_id: UUID, is_cancelled: IsCancelled) -> Done:
        try:
            with self._one_of(account_id), release_worker_slot():
                return self.pool.run(request, cpu_s=CPU_S, wait_s=MAX_WAIT_S, is_cancelled=is_cancelled)
        except JobTooLong:
            message = "This page takes too much time to read. Make it simpler, or divide it."
            raise DocumentRejected("page_too_complex", message) from None
        except (NoProcessFree, JobLate, JobFailed):
            message = "Many pages are being rendered. Please try again in a moment."
            raise Problem(503, "busy", message, headers=_AGAIN) from None
        except JobCancelled:
            raise Problem(503, "cancelled", "The request was cancelled.") from None
