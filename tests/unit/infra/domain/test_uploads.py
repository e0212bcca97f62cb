"""Larger bodies are taken where files are sent, and nowhere else."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from infra.domain.uploads import MAX_REPORT_BYTES, UPLOADS
from infra.kernel.http.request_limits import MAX_BODY_BYTES, MAX_IMAGE_BYTES, BodyGuard

ID = UUID(int=7)


async def answered(path: str, size: int) -> int:
    """The status of a request with a body of so many bytes."""
    sent: list[Any] = []

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        assert len((await receive())["body"]) == size
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": bytes(size), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-length", str(size).encode())]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    await BodyGuard(app, uploads=UPLOADS)(scope, receive, send)
    return int(sent[0]["status"])


@pytest.mark.asyncio
async def test_an_image_may_be_larger_than_other_bodies() -> None:
    for owner in ("marketplace/listings", "platform/sites", "platform/social-posts"):
        assert await answered(f"/api/{owner}/{ID}/images", MAX_IMAGE_BYTES) == 200
        assert await answered(f"/api/{owner}/{ID}/images", MAX_IMAGE_BYTES + 1) == 413
    for path in (f"/api/platform/websites/{ID}/images", f"/api/platform/sites/{ID}", "/api/platform/sites/x/images"):
        assert await answered(path, MAX_BODY_BYTES + 1) == 413


@pytest.mark.asyncio
async def test_a_report_may_be_larger_than_other_bodies() -> None:
    for context in ("networks", "costs"):
        assert await answered(f"/api/platform/{context}/imports", MAX_REPORT_BYTES) == 200
        assert await answered(f"/api/platform/{context}/imports", MAX_REPORT_BYTES + 1) == 413
    assert await answered(f"/api/platform/networks/imports/{ID}/apply", MAX_BODY_BYTES + 1) == 413
