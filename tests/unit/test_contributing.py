"""The worked examples of CONTRIBUTING.md are real: they run as they stand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
BEFORE = """
from __future__ import annotations
from datetime import UTC, datetime
from typing import ClassVar, Final
from uuid import UUID, uuid4
from pydantic import Field
from command_api.decision import Asked, missing, step
from command_api.partners.model import Partner, evolve
from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas import envelope
from schemas.base import DomainEvent
from schemas.events.partners import PartnerRegistered, Terms

def registered() -> PartnerRegistered:
    return PartnerRegistered(originator_id=uuid4(), originator_version=1, timestamp=datetime(2026, 5, 1, tzinfo=UTC),
        name="P", slug="p", base_url="https://p.example", terms=Terms(rate_bp=1000))
"""
AFTER = """
test_a_note_is_kept_with_who_wrote_it()
partner = uuid4()
decoded = envelope.decode(SAMPLE, envelope.headers("partner.noted", 1, 1, partner, 2)).event

class Kept:
    rows = []
    def put(self, **values): self.rows.append(values)

PARTNER_NOTES.handlers[type(decoded)](Kept(), decoded)
assert Kept.rows == [{"partner_id": partner, "note": "Pays late in August.", "written_at": decoded.timestamp}]
assert "partner_id uuid" in PARTNER_NOTES.create_table(1)
print("ran")
"""


def test_adding_an_event_and_a_read_model_works_as_described() -> None:
    blocks = FENCE.findall((ROOT / "CONTRIBUTING.md").read_text())
    code = [body for language, body in blocks if language == "python"]
    sample = next(body for language, body in blocks if language == "json")
    assert json.loads(sample)["note"] and len(code) == 4
    program = "\n".join([BEFORE, *code, f"SAMPLE = {sample.encode()!r}", AFTER])
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "ran", done.stderr
