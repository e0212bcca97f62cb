"""Replays a refused postback: its stored fields are sent to `/postback` again, for its website's owner.

Ingest reads it as it reads the network's own report, so a replay of what it knows already is a repeat. It is a dry run
first: one that would be refused again leaves no second refusal. A report that names no time happened when it was
refused, not now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import httpx

from command_api.conversions.schemas import ReplayedReport
from command_api.kernel.decision import conflict, not_found
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from infra.kernel.http.problems import Problem
from schemas.networks import NETWORKS

TIMEOUT_S: Final = 5.0
READ_TIMEOUT_S: Final = 5
TIMES: Final = frozenset(
    {"occurred_at", *(name for each in NETWORKS.values() for name, ours in each.names.items() if ours == "occurred_at")}
)
"""The names of the time of a sale at any network."""
_REFUSAL: Final = (
    "SELECT at, request FROM refusals WHERE website_id = {website:UUID} AND id = {id:UUID} AND request <> '' LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """The stored fields of a refused postback, and when it was refused."""

    fields: Mapping[str, str]
    at: datetime

    def again(self, **changed: str | None) -> dict[str, str]:
        """Its fields, with those that the owner names otherwise."""
        time = {} if TIMES & self.fields.keys() else {"occurred_at": self.at.isoformat()}
        return {**self.fields, **time, **{name: value for name, value in changed.items() if value is not None}}


class RefusedReports:
    """The refusals that can be replayed, as they are projected."""

    def __init__(self, clients: ClientPool) -> None:
        self._clients = clients

    def find(self, website_id: UUID, refusal_id: UUID) -> KeptRequest:
        """Raises `CommandRejected` (missing), and `Problem` 503 while the analytics store does not answer."""
        bound = {"website": str(website_id), "id": str(refusal_id)}
        try:
            with self._clients.use() as client:
                settings = {"max_execution_time": READ_TIMEOUT_S}
                rows = client.query(_REFUSAL, parameters=bound, settings=settings).result_rows
        except (ClickHouseError, OSError) as error:
            raise _unavailable("The analytics store is not responding.") from error
        if not rows:
            raise not_found("refused report")
        [(at, request)] = rows
        return KeptRequest(json.loads(request), at.replace(tzinfo=UTC))


def send(base_url: str, token: str, fields: Mapping[str, str]) -> ReplayedReport:
    """Sends the report and returns ingest's answer. Raises `CommandRejected` (still_refused), and `Problem` 503 while
    it does not answer."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=base_url, timeout=TIMEOUT_S, trust_env=False, headers=headers) as http:
        for steps in ({"dry_run": "1"}, {}):
            answer = _post(http, {**fields, **steps})
    body = answer.json()
    return ReplayedReport(
        conversion_id=UUID(body["id"]),
        status=body["status"],
        is_new=answer.status_code == 202,
        unread=body.get("unread", []),
    )


def _post(http: httpx.Client, fields: Mapping[str, Any]) -> httpx.Response:
    try:
        answer = http.post("/postback", json=fields)
    except httpx.HTTPError as error:
        raise _unavailable("The tracking address is not responding.") from error
    if answer.status_code in (429, 503):
        raise _unavailable("Tracking is busy.")
    if not answer.is_success:
        raise conflict("still_refused", f"It would be refused again: {_message(answer)}")
    return answer


def _message(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status_code}"


def _unavailable(text: str) -> Problem:
    return Problem(503, "unavailable", f"{text} Try again in a minute.", headers={"Retry-After": "60"})
