"""Routes that take an image as their body: `SentImage` reads it, `process` makes the picture that is stored.

Decoding runs in one process of its own at low priority (`command_api.kernel.images.process`). An upload waits in
the event loop and lends its worker slot: a waiting one holds no thread.
"""

from __future__ import annotations

import json
from asyncio import AbstractEventLoop, Lock, Semaphore, get_running_loop, timeout
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID
from weakref import WeakKeyDictionary

from fastapi import Depends, Request

from command_api.kernel.bulkhead import RETRY_AFTER_S
from command_api.kernel.decision import CommandRejected, invalid
from command_api.kernel.http import RequestModel, Runs
from command_api.kernel.images import process as image_process
from command_api.kernel.images.model import WebpImage
from infra.kernel.http.client_left import client_left
from infra.kernel.http.openapi import file_content
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import UPLOAD, costs
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.worker_processes.pool import (
    IsCancelled,
    JobCancelled,
    JobFailed,
    JobLate,
    JobTooLong,
    NoProcessFree,
    WorkerPool,
)
from infra.kernel.worker_processes.protocol import JobRejected

MAX_UPLOADS: Final = 8
"""The limit of uploads in progress, of as many accounts: received, decoded one after the other, and stored."""
MAX_WAITING: Final = 200
MAX_WAITING_PER_ACCOUNT: Final = 40
"""The limit of an account's waiting uploads: as many as its rate lets it send at once."""
MAX_WAIT_S: Final = 60
"""Maximum wait in the queue; 30 photographs sent at once need less."""
CPU_S: Final = 10
"""Processor time for one image; 40 megapixels take about 2 s."""
DEADLINE_S: Final = 60

_AGAIN: Final = {"Retry-After": RETRY_AFTER_S}

POOL: Final = WorkerPool(image_process.MODULE, size=1, deadline_s=DEADLINE_S)

IMAGE_BODY: Final[dict[str, Any]] = {
    **costs(UPLOAD),
    "requestBody": {
        "required": True,
        "description": "The file itself: JPEG, PNG or WebP, recognized by its content.",
        "content": file_content(),
    },
}
"""`openapi_extra` of such a route."""


@dataclass(frozen=True, slots=True)
class Upload:
    """The sent file, and whether its sender has left meanwhile."""

    body: bytes
    is_cancelled: IsCancelled


class UploadQueue:
    """Admits uploads of one event loop: round-robin over the accounts, those of an account one after the other."""

    def __init__(self) -> None:
        self._in_progress = Semaphore(MAX_UPLOADS)
        self._of_account: defaultdict[UUID, Lock] = defaultdict(Lock)
        self._waiting: Counter[UUID] = Counter()

    @asynccontextmanager
    async def admitted(self, account_id: UUID, wait_s: float = MAX_WAIT_S) -> AsyncIterator[None]:
        """Raises `Problem` 429 when too many uploads of the account wait, 503 when too many do or for too long."""
        if self._waiting[account_id] >= MAX_WAITING_PER_ACCOUNT:
            message = "Your other images are still being processed. Please wait until that is done."
            raise Problem(429, "already_running", message, headers=_AGAIN)
        if self._waiting.total() >= MAX_WAITING:
            raise _busy()
        self._waiting[account_id] += 1
        try:
            async with AsyncExitStack() as held:
                try:
                    with release_worker_slot():
                        async with timeout(wait_s):
                            await held.enter_async_context(self._of_account[account_id])
                            await held.enter_async_context(self._in_progress)
                except TimeoutError:
                    raise _busy() from None
                yield
        finally:
            self._waiting[account_id] -= 1
            if not self._waiting[account_id]:
                del self._waiting[account_id]
                self._of_account.pop(account_id, None)


_QUEUES: Final[WeakKeyDictionary[AbstractEventLoop, UploadQueue]] = WeakKeyDictionary()


async def _upload(request: Request, run: Runs) -> AsyncIterator[Upload]:
    queue = _QUEUES.setdefault(get_running_loop(), UploadQueue())
    async with queue.admitted(run.person.account_id):
        yield Upload(await request.body(), client_left(request))


SentImage = Annotated[Upload, Depends(_upload)]
"""Raises as `UploadQueue.admitted`."""


class UploadedImage(RequestModel):
    """The upload's identity for idempotency."""

    hash: str


def process(sent: Upload) -> WebpImage:
    """The picture to store. Raises `CommandRejected` as `reencode` does and for one that takes too much time or memory,
    and `Problem` 503 while the process has no time."""
    return _processed(sent, 0)[0]


def process_with_copy(sent: Upload, width: int) -> tuple[WebpImage, WebpImage | None]:
    """The picture to store, and its copy of this width if it is wider. Raises as `process`."""
    picture, *copies = _processed(sent, width)
    return picture, copies[0] if copies else None


def _processed(sent: Upload, narrow_width: int) -> list[WebpImage]:
    request = image_process.request_of(sent.body, narrow_width)
    try:
        with release_worker_slot():
            done = POOL.run(request, cpu_s=CPU_S, wait_s=DEADLINE_S, is_cancelled=sent.is_cancelled)
    except JobRejected as rejection:
        raise _rejected(*json.loads(rejection.reason)) from None
    except (JobTooLong, JobFailed):
        message = "This image takes too much time or memory to read. Please save it again, or choose a smaller one."
        raise _rejected("too_complex", message) from None
    except (NoProcessFree, JobLate):
        raise _busy() from None
    except JobCancelled:
        raise Problem(503, "cancelled", "The upload was cancelled.") from None
    return image_process.pictures_of(done.answer)


def _busy() -> Problem:
    return Problem(503, "busy", "Many images are being processed. Please try again in a moment.", headers=_AGAIN)


def _rejected(code: str, message: str) -> CommandRejected:
    return invalid(code, message, "image")
