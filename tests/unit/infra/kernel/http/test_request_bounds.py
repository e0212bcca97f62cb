"""The class of each route, and what is refused by it before the route runs."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict
from starlette.datastructures import Headers

from infra.kernel.config.settings import Settings
from infra.kernel.http import openapi, problems
from infra.kernel.http.lanes import Lanes, current_lane
from infra.kernel.http.problems import Problem
from infra.kernel.http.request_bounds import RequestBounds
from infra.kernel.http.route_costs import CLASSES, DOCUMENT, PUBLIC, SIGN_IN, CostTable, costs, routes_of
from infra.kernel.security.client_info import address_of

LANES = {cost.lane: 1 for cost in CLASSES.values()}
REFUSALS_A_SECOND = 5
SIGNED_IN = {"Authorization": "Bearer x"}


class Known(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = ""


def signed_in_alone(headers: Headers, _method: str) -> None:
    if "authorization" not in headers:
        raise Problem(401, "not_signed_in", "Please sign in.")


@pytest.fixture
def client() -> TestClient:
    router = APIRouter(route_class=routes_of(SIGN_IN))

    @router.post("/login")
    def login(body: Known) -> str:  # noqa: ARG001 - what FastAPI reads
        return current_lane()

    @router.post("/pages/{id}", openapi_extra=costs(DOCUMENT))
    def page(id: str, body: Known) -> str:  # noqa: ARG001 - what FastAPI reads
        return current_lane()

    other = APIRouter()

    @other.post("/command")
    def command(body: Known) -> str:  # noqa: ARG001 - what FastAPI reads
        return current_lane()

    @other.get("/read")
    def read() -> str:
        return current_lane()

    app = FastAPI()
    problems.install(app)
    openapi.describe(app)
    app.include_router(router)
    app.include_router(other)
    settings = Settings(master_key="k" * 43, address_refusals=REFUSALS_A_SECOND)
    table = CostTable([*router.routes, *other.routes])
    app.add_middleware(
        RequestBounds,
        table=table,
        lanes=Lanes(LANES),
        settings=settings,
        authenticate=signed_in_alone,
        address_of=address_of,
    )
    return TestClient(app)


def members(number: int) -> dict[str, Any]:
    return {f"unknown{index}": 1 for index in range(number)}


def test_each_request_runs_in_the_lane_of_its_route(client: TestClient) -> None:
    assert client.post("/login", json={}).json() == "accounts"
    assert client.post("/pages/7", json={}).json() == "documents"
    assert client.post("/command", json={}).json() == "commands"
    assert client.get("/read").json() == "reads"


def test_the_document_names_every_class(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    found = {(path, method): one["x-cost-class"] for path, of in paths.items() for method, one in of.items()}
    assert found == {
        ("/login", "post"): "sign_in",
        ("/pages/{id}", "post"): "document",
        ("/command", "post"): "command",
        ("/read", "get"): "read",
    }


def test_a_body_has_the_size_and_the_values_of_its_class(client: TestClient) -> None:
    refused = client.post("/login", json=members(SIGN_IN.json_values + 1))
    assert (refused.status_code, refused.json()["code"]) == (400, "too_many_values")
    assert refused.json()["message"] == "The body may have at most 64 values."
    refused = client.post("/login", json={"name": "x" * SIGN_IN.body_bytes})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert client.post("/pages/7", json={"name": "x" * SIGN_IN.body_bytes}, headers=SIGNED_IN).status_code == 200


def test_large_bodies_are_read_for_people_who_are_signed_in(client: TestClient) -> None:
    """What is no JSON shows whether a body was read."""
    assert client.post("/pages/7", content=b"{" * 100).status_code == 400
    assert client.post("/pages/7", content=b"{" * 10_000).status_code == 401
    assert client.post("/pages/7", content=b"{" * 10_000, headers=SIGNED_IN).status_code == 400
    assert client.post("/login", content=b"{" * 10_000).status_code == 400, "nobody is signed in there"


def test_an_answer_names_twenty_faults_and_counts_the_rest(client: TestClient) -> None:
    answer = client.post("/login", json=members(60)).json()
    assert len(answer["errors"]) == problems.MAX_ERRORS and answer["errorCount"] == 60
    few = client.post("/login", json=members(3)).json()
    assert len(few["errors"]) == 3 and "errorCount" not in few


def test_a_fault_repeats_little_of_what_was_sent(client: TestClient) -> None:
    answer = client.post("/login", json={"x" * 10_000: 1})
    assert answer.status_code == 400 and len(answer.content) < 1_000


def test_rejected_requests_cost_their_address_large_bodies(client: TestClient) -> None:
    """Small ones of the same address are still answered."""
    large = {"unknown": "x" * 15_000}
    statuses = [client.post("/login", json=large).status_code for _ in range(REFUSALS_A_SECOND * 4)]
    assert statuses[0] == 400 and statuses[-1] == 429
    assert client.post("/login", json={"name": "Ada"}).status_code == 200
    assert int(client.post("/login", json=large).headers["Retry-After"]) >= 1


def test_the_classes_fit_into_their_order() -> None:
    assert PUBLIC.body_bytes < DOCUMENT.body_bytes and SIGN_IN.json_values < DOCUMENT.json_values
    assert all(cost.processor_ms > 0 and cost.memory_kib > 0 and cost.stored_kib > 0 for cost in CLASSES.values())
