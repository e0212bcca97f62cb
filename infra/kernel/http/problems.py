"""Errors of the HTTP services: RFC 9457 `application/problem+json`.

Routes raise `Problem`; `install(app)` turns it, FastAPI's own errors and unexpected exceptions into one shape:
`{type, title, status, code, detail, message, errors?: [{field, message}]}`. Request values are never echoed, so a NaN
or a password in a body cannot come back, and no internals are exposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import orjson
import psycopg
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 2
MAX_ERRORS: Final = 20
"""Faults that a response names; `errorCount` says how many there are, if there are more."""
MAX_NAME: Final = 100
"""Characters of a field's name in a fault: the caller wrote it."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FieldError:
    """A problem with one field. `field` is its name as the caller wrote it (`sub1`, `items.0.amount`)."""

    field: str
    message: str


class Problem(Exception):
    """A refusal with its status and stable `code`; `message` is one sentence for a person."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.more = dict(more or {})
        """Extension members of the document (RFC 9457, 3.2)."""

    def body(self) -> dict[str, Any]:
        """The members of the document; `detail` and `message` hold the same sentence."""
        document: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.message,
            "message": self.message,
        }
        if self.errors:
            document["errors"] = [{"field": error.field, "message": error.message} for error in self.errors]
        return document | self.more

    def response(self) -> Response:
        """The HTTP response, with the problem's own headers."""
        return Response(orjson.dumps(self.body()), self.status, self.headers, MEDIA_TYPE)


def unavailable() -> Problem:
    """503 for an engine that is down: the caller may send the same request again."""
    message = "The service cannot answer just now. Please try again in a moment."
    return Problem(503, "unavailable", message, headers={"Retry-After": str(RETRY_AFTER_S)})


def install(app: FastAPI) -> None:
    """Makes every refusal and failure of `app` a problem document. Postgres that is down becomes 503."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(psycopg.OperationalError, _postgres_down)
    app.add_exception_handler(Exception, _unexpected)


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 - the handler's own registration says so
    return error.response()


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker; registered for this kind alone
    items = error.errors()
    if any(item["loc"][:1] == ("path",) for item in items):
        return _no_such_address().response()  # a text that is no id is an id that nothing has
    errors = [_field_error(item) for item in items[:MAX_ERRORS]]
    message = errors[0].message if errors else "The request is not valid."
    more = {"errorCount": len(items)} if len(items) > MAX_ERRORS else {}
    return Problem(400, "invalid", message, errors=errors, more=more).response()


_SENTENCES: Final = {
    kind: sentence
    for kinds, sentence in (
        ("uuid_parsing uuid_type", "is not an id"),
        ("int_parsing int_type int_from_float int_parsing_size", "must be a whole number"),
        ("float_parsing float_type decimal_parsing decimal_type finite_number", "must be a number"),
        ("bool_parsing bool_type", "must be true or false"),
        ("string_type", "must be text"),
        ("list_type", "must be a list"),
        ("date_type date_parsing date_from_datetime_parsing date_from_datetime_inexact", "must be a day: 2026-11-30"),
        ("datetime_type datetime_parsing datetime_from_date_parsing", "must be a time: 2026-11-30T14:05:00Z"),
        ("timezone_aware", "must be a time with its zone: 2026-11-30T14:05:00Z"),
        ("string_too_long", "may have at most {max_length} characters"),
        ("string_too_short", "must have at least {min_length} characters"),
        ("too_long", "may have at most {max_length} items"),
        ("too_short", "must have at least {min_length} items"),
        ("string_pattern_mismatch", "has characters that it cannot have"),
        ("decimal_max_places", "may have at most {decimal_places} decimals"),
    )
    for kind in kinds.split()
}
"""By the validator's kinds of errors. Its own words are for programmers."""


def _field_error(item: Mapping[str, Any]) -> FieldError:
    place = [str(part) for part in item["loc"]]
    if place and place[0] in ("body", "query", "path", "header", "cookie"):
        place = place[1:]
    kind = str(item["type"])
    name = ".".join(place)[:MAX_NAME]
    if kind == "json_invalid":
        return FieldError("", "The body is not valid JSON.")
    subject = name or "The body"
    if kind == "missing":
        return FieldError(name, f"{subject} is required.")
    if kind == "extra_forbidden":
        return FieldError(name, f"{subject} is not a field of this call.")
    if kind == "value_error":
        return FieldError(name, str(item["msg"]).removeprefix("Value error, "))
    if kind in ("model_attributes_type", "model_type", "dict_type"):
        return FieldError(name, f"{subject} must be a JSON object.")
    if sentence := _SENTENCES.get(kind):
        return FieldError(name, f"{subject} {sentence.format_map(item.get('ctx') or {})}.")
    reason = str(item["msg"])
    if reason.startswith("Input should "):
        return FieldError(name, f"{subject} must {reason.removeprefix('Input should ')}.")
    return FieldError(name, f"{subject}: {_uncapitalised(reason)}.")


def _uncapitalised(reason: str) -> str:
    """A sentence's first word for use within a sentence; a word such as UUID is unchanged."""
    return reason if reason[1:2].isupper() else reason[:1].lower() + reason[1:]


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker; registered for this kind alone
    if error.status_code == 404:
        problem = _no_such_address()
    elif error.status_code == 405:
        problem = Problem(405, "method_not_allowed", "Method not allowed.")
    else:
        phrase = HTTPStatus(error.status_code).phrase
        problem = Problem(error.status_code, phrase.lower().replace(" ", "_"), f"{phrase}.")
    problem.headers.update(error.headers or {})
    return problem.response()


def _no_such_address() -> Problem:
    return Problem(404, "not_found", "There is nothing at this address.")


async def _postgres_down(_: Request, error: Exception) -> Response:
    log.warning("postgres_unavailable", error=error)
    return unavailable().response()


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("request_failed", method=request.method, path=request.url.path, exc_info=error)
    return Problem(500, "internal", "Something went wrong on our side. It has been noted.").response()
