"""One stack for all tests that break it under load, each of which leaves it running and exact; and those that die."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.dying import dying
from tests.support.stack import Stack, stack
from tests.support.under_load import ADMIN

__all__ = ["dying", "loaded"]


@pytest.fixture(scope="package")
def loaded() -> Iterator[Stack]:
    """`CRASH_LOG` (kafka) says which log is used."""
    with stack({**ADMIN, "ALTHING_LOG": os.environ.get("CRASH_LOG", "kafka"), "ALTHING_CANARY": "1"}) as made:
        yield made
