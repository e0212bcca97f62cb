"""`python -m infra.domain.publishing.page_process`: reads and renders pages of members in a process of its own.

Started by `infra.domain.publishing.page_workers`. A page of the largest size takes seconds: Markdown is parsed in
Python, and no text is cheap for every parser.
"""

from __future__ import annotations

import json
from typing import Final

from infra.domain.publishing.document import parse_page, to_json
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.page_job import code_hash, run_job
from infra.kernel.worker_processes.process import serve
from infra.kernel.worker_processes.protocol import JobRejected

MODULE: Final = "infra.domain.publishing.page_process"
MEMORY_BYTES: Final = 768 << 20
CHECK: Final = b"c"
RENDER: Final = b"r"


def run(request: bytes) -> bytes:
    """Checks a page and returns its normal form, or renders one. Raises `JobRejected` with the page's fault."""
    kind, content = request[:1], request[1:]
    if kind == RENDER:
        return run_job(content)
    try:
        return to_json(parse_page(content))
    except DocumentRejected as fault:
        parts = [fault.code, fault.message, fault.field, fault.block_id]
        raise JobRejected(json.dumps(parts).encode()) from fault


if __name__ == "__main__":
    code_hash()
    serve(run, memory_bytes=MEMORY_BYTES)
