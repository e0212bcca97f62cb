"""The OpenAPI document of a service: security of each operation, files, streams, bounds and defaults."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Request, Response
from pydantic import BaseModel, Field, PlainSerializer

from infra.kernel.http import openapi


class Figure(BaseModel):
    """A figure."""

    value: Annotated[float, Field(ge=0, le=100)] = 0
    revenue: Annotated[Decimal, PlainSerializer(float, return_type=float)] = Decimal("1.50")


class Change(BaseModel):
    """A change."""

    value: int


def _nobody(_: Request) -> str:
    return "nobody"


Session = Annotated[str, Depends(openapi.Authentication(openapi.SESSION, _nobody))]
Visitor = Annotated[str, Depends(openapi.Authentication(openapi.OPTIONAL_SESSION, _nobody))]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    app = FastAPI(generate_unique_id_function=openapi.operation_id, responses=openapi.REFUSALS)

    @app.get("/public")
    def get_public(limit: int = 1) -> Figure:
        return Figure(value=limit)

    @app.get("/read")
    def get_read(_: Session) -> None: ...

    @app.post("/change")
    def make_change(_: Session, body: Change) -> None: ...

    @app.get("/either")
    def get_either(_: Visitor) -> None: ...

    @app.get("/both")
    def get_both(_: Visitor, __: Session) -> None: ...

    @app.get("/picture", response_class=Response, responses=openapi.file_response("image/webp"))
    def get_picture() -> Response:
        return Response()

    @app.get("/rows", response_class=Response, responses=openapi.file_response("text/csv"))
    def get_rows() -> Response:
        return Response()

    @app.get("/live", responses={200: {"model": Figure, "content": {"text/event-stream": {}}}})
    def get_live() -> None: ...

    openapi.describe(app)
    return app.openapi()


def operation(document: dict[str, Any], path: str, method: str = "get") -> dict[str, Any]:
    found: dict[str, Any] = document["paths"][path][method]
    return found


def test_security_follows_from_what_authenticates(document: dict[str, Any]) -> None:
    token: dict[str, list[str]] = {"token": []}
    cookie: dict[str, list[str]] = {"cookie": []}
    assert operation(document, "/public")["security"] == []
    assert operation(document, "/read")["security"][:2] == [token, cookie]
    assert operation(document, "/change", "post")["security"] == [token]
    assert operation(document, "/either")["security"][:2] == [{}, token]
    assert {} not in operation(document, "/both")["security"]


def test_operations_are_named_in_camel_case(document: dict[str, Any]) -> None:
    assert operation(document, "/change", "post")["operationId"] == "makeChange"


def test_files_are_bytes_and_texts(document: dict[str, Any]) -> None:
    picture = operation(document, "/picture")["responses"]["200"]["content"]
    assert list(picture) == ["image/webp", "application/octet-stream"]
    assert picture["image/webp"]["schema"] == {"type": "string", "format": "binary"}
    assert operation(document, "/rows")["responses"]["200"]["content"] == {"text/csv": {"schema": {"type": "string"}}}


def test_a_stream_is_text_with_documents(document: dict[str, Any]) -> None:
    content = operation(document, "/live")["responses"]["200"]["content"]
    assert list(content) == ["text/event-stream"]
    assert content["text/event-stream"]["schema"]["contentSchema"] == {"$ref": "#/components/schemas/Figure"}
    assert "Figure" in document["components"]["schemas"]


def test_bounds_are_whole_and_defaults_are_numbers(document: dict[str, Any]) -> None:
    fields = document["components"]["schemas"]["Figure"]["properties"]
    assert [type(fields["value"][name]) for name in ("minimum", "maximum")] == [int, int]
    assert (fields["revenue"]["type"], fields["revenue"]["default"]) == ("number", 1.5)


def test_refusals_are_problems(document: dict[str, Any]) -> None:
    responses = operation(document, "/change", "post")["responses"]
    assert "422" not in responses and list(responses["default"]["content"]) == ["application/problem+json"]
    assert {"HTTPValidationError", "ValidationError"}.isdisjoint(document["components"]["schemas"])
