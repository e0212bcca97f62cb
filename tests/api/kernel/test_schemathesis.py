"""schemathesis over both APIs, from their own document: whatever it makes of it, no call ends in a server error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error

from tests.support.full_api import Api, SampleData
from tests.support.rounds import first_of

SKIPPED = ("/live", "/logout", "/erase", "/export")
"""Streams, which do not end, and what would end the sessions that everything else is sent with."""
METHODS = {"get", "head", "post", "put", "patch", "delete"}


def to_be_tried(document: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Every method and path of the document but those that are skipped."""
    return {
        (method, path)
        for path, methods in document["paths"].items()
        if not path.endswith(SKIPPED)
        for method in methods
        if method in METHODS
    }


@pytest.fixture(scope="module")
def operations(full_api: Api) -> list[Any]:
    document = full_api.document
    paths = {path: methods for path, methods in document["paths"].items() if not path.endswith(SKIPPED)}
    schema = schemathesis.openapi.from_dict({**document, "paths": paths})
    return [_sound(found) for found in schema.get_all_operations()]


def _sound(found: Any) -> Any:
    """An operation of the document; raises what is wrong with it."""
    return found.ok()


@pytest.mark.timeout(900)  # one test of all operations, because they share the sample data
@pytest.mark.parametrize("examples", first_of(2, 8))
def test_no_call_fails(operations: list[Any], full_api: Api, examples: int) -> None:
    of = SampleData(full_api)
    assert {(found.method, found.path) for found in operations} == to_be_tried(full_api.document)
    failed = []
    for operation in operations:
        person = of.admin if "/admin/" in operation.path else of.owner
        try:
            _try(operation, full_api.address, person.headers, examples)
        except Exception as error:  # noqa: BLE001 - every operation is tried, and all that failed are shown
            failed.append(f"{operation.method.upper()} {operation.path}: {error}")
    assert not failed, "\n\n".join(failed)


def _try(operation: Any, address: str, headers: dict[str, str], examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def once(case: Any) -> None:
        case.call_and_validate(base_url=address, headers=headers, checks=[not_a_server_error], timeout=60)

    once()
