"""`python -m tests.support.worker_jobs`: jobs for tests of `infra.kernel.worker_processes`."""

from __future__ import annotations

import json
import os
from typing import Final

from infra.kernel.worker_processes.process import serve
from infra.kernel.worker_processes.protocol import JobRejected

MODULE: Final = "tests.support.worker_jobs"
MEMORY_BYTES: Final = 512 << 20


def run(request: bytes) -> bytes:
    """What the request names."""
    match request.partition(b":"):
        case (b"echo", _, text):
            return bytes(text)
        case (b"process", _, _):
            return json.dumps({"pid": os.getpid(), "nice": os.nice(0), "environment": sorted(os.environ)}).encode()
        case (b"reject", _, reason):
            raise JobRejected(bytes(reason))
        case (b"allocate", _, count):
            return bytes(len(bytearray(int(count))))
        case (b"exit", _, _):
            os._exit(0)
    while True:
        pass


if __name__ == "__main__":
    serve(run, memory_bytes=MEMORY_BYTES)
