"""Ids: version 7, unique, in order of time, and never the same in two processes."""

import subprocess
import sys
from uuid import UUID

from infra.kernel.config.paths import ROOT
from schemas.uuid7 import uuid7, uuid7_text


def test_ids_are_version_7_unique_and_in_order_of_time() -> None:
    assert type(uuid7()) is UUID and uuid7().version == 7 and uuid7().variant == uuid7(0).variant
    ids = {uuid7_text() for _ in range(5000)}
    assert len(ids) == 5000 and all(str(UUID(text)) == text for text in ids)
    assert uuid7(1) < uuid7(2) and uuid7_text(1_700_000_000_000) < uuid7_text(1_700_000_000_001)
    assert uuid7(1_700_000_000_123).int >> 80 == 1_700_000_000_123


def test_ids_made_now_are_in_order_within_a_millisecond() -> None:
    made = [uuid7() for _ in range(1000)]
    assert made == sorted(made)


def test_a_forked_process_makes_other_ids() -> None:
    program = "import os; from schemas.uuid7 import uuid7; uuid7(); os.fork(); os.write(1, f'{uuid7(1)}\\n'.encode())"
    ids = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True).split()
    assert len(ids) == 2 and ids[0] != ids[1]
