"""Routes that take an image as their body: `SentImage` reads it, `process` makes the picture that is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from command_api.kernel.http import RequestModel
from command_api.kernel.images import Picture, narrowed, reencode
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import UPLOAD, costs
from infra.kernel.http.worker_slots import release_worker_slot

MAX_WAIT_S: Final = 30
"""Maximum wait for a slot; 30 photographs sent at once need less."""
_SLOTS: Final = BoundedSemaphore(2)
"""Images of all contexts that are processed at one time: each takes memory for all its pixels."""

IMAGE_BODY: Final[dict[str, Any]] = {
    **costs(UPLOAD),
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("image/jpeg", "image/png", "image/webp")
        },
    },
}
"""`openapi_extra` of such a route."""


async def _body(request: Request) -> bytes:
    return await request.body()


SentImage = Annotated[bytes, Depends(_body)]


class UploadedImage(RequestModel):
    """The upload's identity for idempotency."""

    hash: str


def process(sent: bytes) -> Picture:
    """The picture to store. Raises `Problem` 503 without a free slot, and `CommandRejected` as `reencode` does."""
    with _slot():
        return reencode(sent)


def process_with_copy(sent: bytes, width: int) -> tuple[Picture, Picture | None]:
    """The picture to store, and its copy of this width if it is wider. Raises as `process`."""
    with _slot():
        picture = reencode(sent)
        return picture, narrowed(picture, width)


@contextmanager
def _slot() -> Iterator[None]:
    with release_worker_slot():
        if not _SLOTS.acquire(timeout=MAX_WAIT_S):
            raise Problem(503, "busy", "Many images are being processed. Please try again in a moment.")
        try:
            yield
        finally:
            _SLOTS.release()
