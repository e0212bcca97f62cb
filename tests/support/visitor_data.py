"""Erases what is stored of a visitor, as a client does that follows the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from tests.support.stack import PATIENCE_S, wait_for


def erase_visitor(owner: httpx.Client, website_id: str, body: Mapping[str, Any]) -> dict[str, int]:
    """How much was found of what. While the tables are behind, the call is repeated, as its answer says."""

    def erased() -> httpx.Response | None:
        answer = owner.post(f"/api/platform/websites/{website_id}/visitor-data/erase", json=body, timeout=PATIENCE_S)
        return None if answer.status_code == 503 and answer.json()["code"] == "tables_behind" else answer

    answer: httpx.Response = wait_for(erased, "the tables to have what was sent")
    assert answer.status_code == 201, answer.text
    counts: dict[str, int] = answer.json()["counts"]
    return counts
