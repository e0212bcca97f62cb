"""Images of members: decoded in a process of their own, within bounds, and few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4
from zlib import crc32

import pytest
from PIL import Image

from command_api.kernel.decision import CommandRejected
from command_api.kernel.images import uploads as image_uploads
from command_api.kernel.images.uploads import MAX_WAITING_PER_ACCOUNT, Upload, UploadQueue, process, process_with_copy
from infra.kernel.http.problems import Problem
from infra.kernel.worker_processes.pool import JobCancelled, JobFailed, JobLate, JobTooLong, NoProcessFree


@pytest.fixture(scope="module", autouse=True)
def _processes() -> Iterator[None]:
    yield
    image_uploads.POOL.close()


def file(format_: str = "JPEG", size: tuple[int, int] = (1_200, 800), mode: str = "RGB", **options: Any) -> bytes:
    made = BytesIO()
    Image.new(mode, size).save(made, format_, **options)
    return made.getvalue()


def upload(body: bytes) -> Upload:
    return Upload(body, lambda: False)


def refused(body: bytes) -> str:
    with pytest.raises(CommandRejected) as rejection:
        process(upload(body))
    return rejection.value.code


def test_no_image_is_decoded_in_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    body = file("PNG", (6_300, 6_300))
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("decoded here"))
    picture, copy = process_with_copy(upload(body), 800)
    assert (picture.width, picture.height) == (1_600, 1_600)
    assert copy is not None and (copy.width, copy.height) == (800, 800)


@pytest.mark.parametrize(
    ("format_", "mode", "options"),
    [
        ("JPEG", "RGB", {"progressive": True}),
        ("JPEG", "CMYK", {}),
        ("JPEG", "L", {}),
        ("PNG", "P", {}),
        ("PNG", "LA", {}),
        ("PNG", "I;16", {}),
        ("WEBP", "RGBA", {"lossless": True}),
        ("WEBP", "RGB", {"save_all": True, "append_images": [Image.new("RGB", (1_200, 800), "red")]}),
        ("PNG", "RGB", {"save_all": True, "append_images": [Image.new("RGB", (1_200, 800), "red")]}),
    ],
)
def test_pictures_of_every_kind_are_read(format_: str, mode: str, options: dict[str, Any]) -> None:
    picture, copy = process_with_copy(upload(file(format_, mode=mode, **options)), 1_200)
    assert (picture.width, picture.height, copy) == (1_200, 800, None)
    with Image.open(BytesIO(picture.body)) as stored:
        assert stored.format == "WEBP" and getattr(stored, "n_frames", 1) == 1


def test_what_cannot_be_read_is_refused_with_its_reason() -> None:
    assert refused(file("GIF", mode="P")) == "no_image"
    assert refused(file("PNG")[:-40]) == "no_image"
    assert refused(file()[:200]) == "no_image"
    assert refused(b"") == "no_image"
    assert refused(b"\xff\xd8" + bytes(5 * 2**20)) == "too_large"


def test_too_many_pixels_are_refused_by_the_header_alone() -> None:
    header = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (6_400).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    chunk = b"\x00\x00\x00\x10IDAT"
    assert refused(header + crc32(header[12:]).to_bytes(4, "big") + chunk) == "too_large"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (JobTooLong, "too_complex"),
        (JobFailed, "too_complex"),
        (NoProcessFree, "busy"),
        (JobLate, "busy"),
        (JobCancelled, "cancelled"),
    ],
)
def test_every_end_of_the_process_has_its_answer(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], expected: str
) -> None:
    def run(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(image_uploads.POOL, "run", run)
    with pytest.raises((CommandRejected, Problem)) as raised:
        process(upload(file()))
    assert getattr(raised.value, "code", None) == expected


async def test_accounts_are_served_round_robin_and_few_uploads_of_one_wait() -> None:
    """They wait in the event loop."""
    queue, ada, eve = UploadQueue(), uuid4(), uuid4()
    done: list[str] = []
    go_on = asyncio.Event()

    async def send(account: UUID, name: str) -> None:
        async with queue.admitted(account):
            await go_on.wait()
            done.append(name)

    sent = [asyncio.create_task(send(ada, "Ada")) for _ in range(MAX_WAITING_PER_ACCOUNT)]
    await asyncio.sleep(0)
    with pytest.raises(Problem) as refusal:
        await send(ada, "Ada")
    assert refusal.value.status == 429 and refusal.value.headers["Retry-After"]
    sent.append(asyncio.create_task(send(eve, "Eve")))
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*sent)
    assert done.index("Eve") <= 2 and len(done) == MAX_WAITING_PER_ACCOUNT + 1
    assert not queue._waiting and not queue._of_account


async def test_a_long_wait_ends_with_an_error() -> None:
    queue, ada = UploadQueue(), uuid4()
    async with queue.admitted(ada):
        with pytest.raises(Problem) as refusal:
            async with queue.admitted(ada, wait_s=0):
                pytest.fail("two at once")
        assert refusal.value.status == 503
    async with queue.admitted(ada):
        pass
