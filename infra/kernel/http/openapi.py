"""The OpenAPI document of a service, fit for generators of clients.

FastAPI makes it from routes and models; `describe(app)` adds what it cannot know: problem documents, who may call each
operation, exact bounds and defaults, and names in one casing. The gateway merges the documents of the services.

A dependency that authenticates is an `Authentication`: FastAPI then lists it under `security` of each route behind it,
and a route without one is public.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from fastapi import FastAPI, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase

from infra.kernel.http.problems import MAX_ERRORS, MEDIA_TYPE
from infra.kernel.http.route_costs import describe_costs

T = TypeVar("T")
Schema = dict[str, Any]

SESSION: Final = "session"
WEBSITE_SESSION: Final = "websiteSession"
OPTIONAL_SESSION: Final = "optionalSession"
"""The security of routes that show signed-in callers more than others."""

_SCHEMES: Final[Mapping[str, Schema]] = {
    "token": {"type": "http", "scheme": "bearer", "description": "`token` of the sign-in; for programs it is enough."},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid", "description": "A browser's session; for reads alone."},
    "accessToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "`althing_…`, of a program that runs without a person: for reads, with scope `read`.",
    },
    "websiteToken": {"type": "http", "scheme": "bearer", "description": "`token` of the sign-in to one website."},
    "websiteCookie": {"type": "apiKey", "in": "cookie", "name": "wsid", "description": "Its browser's session."},
}
_READS: Final[Mapping[str, list[Schema]]] = {
    SESSION: [{"token": []}, {"cookie": []}],
    WEBSITE_SESSION: [{"websiteToken": []}, {"websiteCookie": []}],
    OPTIONAL_SESSION: [{}, {"token": []}, {"cookie": []}],
}
_CHANGES: Final[Mapping[str, list[Schema]]] = {
    SESSION: [{"token": []}],
    WEBSITE_SESSION: [{"websiteToken": []}],
    OPTIONAL_SESSION: [{}, {"token": []}],
}
_BY_ACCESS_TOKEN: Final[Schema] = {"accessToken": ["read"]}
_BINARY: Final = "application/octet-stream"
_STREAM: Final = "text/event-stream"
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


class Authentication(SecurityBase, Generic[T]):
    """A dependency that returns what `authenticate` finds in the request; `scheme_name` is for the document alone."""

    def __init__(self, scheme_name: str, authenticate: Callable[[Request], T]) -> None:
        self.scheme_name = scheme_name
        self.model = HTTPBearer()
        self._authenticate = authenticate

    def __call__(self, request: Request) -> T:
        """Raises what `authenticate` raises. Sync, because it reads Postgres."""
        return self._authenticate(request)


def operation_id(route: APIRoute) -> str:
    """`connect_website` -> `connectWebsite`. Unique over all calls of the service."""
    head, *tail = route.name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def file_response(*media_types: str, description: str = "The file") -> dict[int | str, dict[str, Any]]:
    """Returns the `responses` of a route that answers 200 with a file of one of these media types."""
    return {200: {"description": description, "content": file_content(*media_types)}}


def file_content(*media_types: str) -> dict[str, Any]:
    """`content` of a body or response that is a file. Bytes are listed as `application/octet-stream` as well, which
    generators read and send: they leave out operations that have only media types that they do not know."""
    text = bool(media_types) and all(media.startswith("text/") for media in media_types)
    schema: Schema = {"type": "string"} if text else {"type": "string", "format": "binary"}
    return {media: {"schema": schema} for media in (*media_types, *(() if text else (_BINARY,)))}


_FORM = "Body_"
"""How FastAPI begins the name of a form's fields."""
_SCHEMAS = "#/components/schemas/"


def describe(app: FastAPI, *, access_tokens: bool = False) -> None:
    """Makes `app.openapi()` the complete document of the service, without FastAPI's own 422s: `problems.install`
    answers them as 400. `access_tokens`: its reads take those of programs."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made(), access_tokens)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI documents replacing it so


def _completed(document: dict[str, Any], access_tokens: bool) -> dict[str, Any]:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = _problem()
    for own in ("HTTPValidationError", "ValidationError"):
        schemas.pop(own, None)
    for name in [name for name in schemas if name.startswith(_FORM)]:
        schemas[_form_name(name)] = {**schemas.pop(name), "title": _form_name(name)}
    components["securitySchemes"] = dict(_SCHEMES)
    for item in document["paths"].values():
        for method, operation in item.items():
            operation["responses"].pop("422", None)
            security = _security(method, operation.get("security", ()))
            by_token = [_BY_ACCESS_TOKEN] if access_tokens and security and method == "get" else []
            operation["security"] = [*security, *by_token]
            _describe_stream(operation)
    describe_costs(document)
    for schema in _objects(document):
        _make_exact(schema)
        if str(schema.get("$ref", "")).startswith(f"{_SCHEMAS}{_FORM}"):
            schema["$ref"] = _SCHEMAS + _form_name(schema["$ref"].removeprefix(_SCHEMAS))
    return document


def _form_name(name: str) -> str:
    """The name of the fields of a form, as other schemas are named: `Body_uploadFile` is `UploadFileForm`."""
    operation = name.removeprefix(_FORM)
    return f"{operation[0].upper()}{operation[1:]}Form"


def _security(method: str, found: list[Mapping[str, Any]]) -> list[Schema]:
    """Alternatives for callers. Several dependencies of one route authenticate the same caller; signing in decides."""
    names = {name for requirement in found for name in requirement}
    alternatives = _READS if method == "get" else _CHANGES
    return next((alternatives[name] for name in (SESSION, WEBSITE_SESSION, OPTIONAL_SESSION) if name in names), [])


def _describe_stream(operation: Schema) -> None:
    """Server-Sent Events are text, whose `data` is JSON: FastAPI describes the model as the whole response."""
    content = operation["responses"].get("200", {}).get("content", {})
    if _STREAM in content:
        model = content.pop("application/json", {}).get("schema")
        content[_STREAM] = {
            "schema": {
                "type": "string",
                "description": "Server-Sent Events; `data` of each is a JSON document.",
                **({"contentMediaType": "application/json", "contentSchema": model} if model else {}),
            }
        }


def _make_exact(schema: Schema) -> None:
    """Makes whole bounds integers, and the default of a number a number, as on the wire."""
    for bound in _BOUNDS:
        value = schema.get(bound)
        if isinstance(value, float) and value.is_integer():
            schema[bound] = int(value)
    default = schema.get("default")
    if schema.get("type") in ("number", "integer") and isinstance(default, str):
        number = float(default)
        schema["default"] = int(number) if number.is_integer() else number


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(part)


def _problem() -> Schema:
    text = {"type": "string"}
    field = {"type": "object", "required": ["field", "message"], "properties": {"field": text, "message": text}}
    return {
        "type": "object",
        "description": "RFC 9457; `message` can be shown to people.",
        "required": ["type", "title", "status", "code", "message"],
        "properties": {
            "type": text,
            "title": text,
            "status": {"type": "integer"},
            "code": text,
            "detail": text,
            "message": text,
            "errors": {"type": "array", "items": field, "maxItems": MAX_ERRORS},
            "errorCount": {"type": "integer", "description": "How many faults there are, if not all are named."},
            "work": {
                "type": "object",
                "description": "With proof_of_work_needed: the puzzles to solve for the header Proof-Of-Work.",
                "required": ["challenge", "puzzles", "bits"],
                "properties": {"challenge": text, "puzzles": {"type": "integer"}, "bits": {"type": "integer"}},
            },
        },
    }


REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "Refused or failed",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
"""The answers that every call may give besides its own: for `FastAPI(responses=...)`."""
