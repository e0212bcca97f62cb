"""`python -m command_api.kernel.images.process`: decodes images of members in a process of its own.

Started by `command_api.kernel.images.uploads`. A decoder works on what strangers made: here it can use up neither the
memory nor the processors of the service, and what it used is given back when the process ends.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from struct import Struct
from typing import Final

from command_api.kernel.decision import CommandRejected
from command_api.kernel.images.model import WebpImage, narrowed, reencode
from infra.kernel.worker_processes.process import serve
from infra.kernel.worker_processes.protocol import JobRejected

MODULE: Final = "command_api.kernel.images.process"
MEMORY_BYTES: Final = 768 << 20
"""The limit of address space: 40 megapixels take 160 MB, and some decoders hold them three times."""
_WIDTH: Final = Struct(">I")
_LENGTH: Final = Struct(">I")


def request_of(sent: bytes, narrow_width: int) -> bytes:
    """Encodes the request for an image. `narrow_width`: of the copy that is wanted; 0: none."""
    return _WIDTH.pack(narrow_width) + sent


def pictures_of(answer: bytes) -> list[WebpImage]:
    """The picture, and its copy if there is one."""
    start = _LENGTH.size + _LENGTH.unpack_from(answer)[0]
    pictures = []
    for one in json.loads(answer[_LENGTH.size : start]):
        body = answer[start : start + one["length"]]
        pictures.append(WebpImage(one["hash"], one["width"], one["height"], body))
        start += len(body)
    return pictures


def run(request: bytes) -> bytes:
    """The job: raises `JobRejected` with code and message."""
    [narrow_width] = _WIDTH.unpack_from(request)
    try:
        picture = reencode(request[_WIDTH.size :])
    except CommandRejected as rejection:
        raise JobRejected(json.dumps([rejection.code, rejection.message]).encode()) from rejection
    copy = narrowed(picture, narrow_width) if narrow_width else None
    return _answer([picture] if copy is None else [picture, copy])


def _answer(pictures: Sequence[WebpImage]) -> bytes:
    listed = [{"hash": one.hash, "width": one.width, "height": one.height, "length": len(one.body)} for one in pictures]
    head = json.dumps(listed).encode()
    return b"".join((_LENGTH.pack(len(head)), head, *(one.body for one in pictures)))


if __name__ == "__main__":
    serve(run, memory_bytes=MEMORY_BYTES)
