"""A Python program of the tests as a child process with a world's settings; ended with the test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from infra.kernel.config.settings import Settings
from tests.support.engines import ROOT


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """The environment that gives a child these settings."""
    given = {
        "ALTHING_DATA_DIR": str(settings.data_dir),
        "POSTGRES_URL": settings.postgres_url or "",
        "CLICKHOUSE_URL": settings.clickhouse_url or "",
        "ALTHING_LOG": settings.log or "",
        "PYTHONPATH": str(ROOT),
        **more,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ALTHING_", "POSTGRES_"))}
    return {**kept, **{name: value for name, value in given.items() if value}}


@contextmanager
def child_process(settings: Settings, module: str, *arguments: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """`python -m module arguments`; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env=environment(settings, **more),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
