"""Shared parts of the command routes: strict camelCase bodies, principal, responses with `X-Position`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, FastAPI, Path, Request, Response
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from command_api.kernel.command_bus import KEY_LENGTH, IdempotencyRequest
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected, Kind, OnBehalf
from command_api.kernel.event_store import UNAVAILABLE
from command_api.kernel.read_your_writes import wait_for_projections
from infra.kernel.http.openapi import SESSION, Authentication
from infra.kernel.http.problems import FieldError, Problem, unavailable
from infra.kernel.security.access_tokens import refuse_access_token
from infra.kernel.security.client_info import Client, client_of
from infra.kernel.security.sessions import Principal, authenticate, not_signed_in, require_admin
from infra.kernel.security.subject_keys import SubjectErased
from schemas.base import UnknownEvent
from schemas.http.responses import ResponseModel

STATUS_OF: dict[Kind, int] = {"invalid": 400, "conflict": 409, "missing": 404, "forbidden": 403}


class RequestModel(BaseModel):
    """Request body: exact JSON types, no unknown fields, no NaN, no NUL and no unpaired surrogates, which Postgres
    cannot store."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        frozen=True,
        hide_input_in_errors=True,
    )

    @field_validator("*")
    @classmethod
    def _valid_unicode(cls, value: Any) -> Any:
        for text in value if isinstance(value, list) else (value,):
            if not isinstance(text, str):
                continue
            if "\x00" in text:
                raise ValueError("Text must not contain a NUL character.")
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise ValueError("Text must be valid Unicode without unpaired surrogates.")
        return value


class Confirmation(ResponseModel, json_schema_serialization_defaults_required=True):
    """A confirmation to show to the person."""

    ok: bool = True
    message: str


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("A timestamp must be between the years 1 and 9999.") from error


class StatedReason(RequestModel):
    """Why an admin acts on what is another member's: the owner and the audit trail keep it."""

    reason: Annotated[
        str,
        BeforeValidator(lambda text: text.strip() if isinstance(text, str) else text),
        Field(min_length=3, max_length=500),
    ]


Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_utc)]
"""A timestamp with an offset, converted to UTC."""


def container_of(request: Request) -> Container:
    """Returns the services of the running process from the app's state."""
    container: Container = request.app.state.container
    return container


def signed_in(request: Request) -> Principal:
    """Returns the authenticated principal. Raises `Problem` 401, and 403 for an access token: they only read."""
    pool = container_of(request).pool
    refuse_access_token(pool, request.headers)
    return authenticate(pool, request.headers, request.method)


SignedIn = Annotated[Principal, Depends(Authentication(SESSION, signed_in))]


async def client(request: Request) -> Client:
    """Returns the client of the request. Async, as what follows: it needs no worker thread."""
    return _client(request)


def _client(request: Request) -> Client:
    return client_of(request, container_of(request).settings, request.app.state.places)


async def admin(person: SignedIn) -> Principal:
    """Dependency: returns the signed-in admin. Raises `Problem` 403."""
    require_admin(person)
    return person


class CommandRunner:
    """Dispatches one command of a signed-in person and responds with `X-Position`."""

    def __init__(self, request: Request, person: Principal) -> None:
        self.container = container_of(request)
        self.person = person
        self.context = context_for(person)
        self.client = _client(request)
        self._request = request

    def __call__(
        self,
        command: Command[Any],
        body: BaseModel | None = None,
        *,
        status: int = 200,
        is_consistent: bool = False,
    ) -> Response:
        """Dispatches the command and returns the response. `is_consistent`: waits a moment until the read models that
        handle its events have processed them."""
        return self.prepared(lambda: command, body, status=status, is_consistent=is_consistent)

    def on_behalf(self, owner_id: UUID, reason: str, thing_id: UUID, thing: str) -> CommandRunner:
        """Returns this runner, for an admin's commands on what is the owner's, who knows it as `thing`."""
        self.context = replace(self.context, on_behalf=OnBehalf(owner_id, reason, thing_id, thing))
        return self

    def prepared(
        self,
        prepare: Callable[[], Command[Any]],
        body: BaseModel | None = None,
        *,
        status: int = 200,
        is_consistent: bool = False,
    ) -> Response:
        """Sends the command that `prepare` makes. It may be slow, for example call a language model; it is called once,
        and not when a repeated request gets its stored response."""
        idempotency = idempotency_request(self._request, self.person.account_id, body)
        response = self.container.commands.respond(
            prepare, self.context, self.client, status=status, idempotency=idempotency
        )
        position = response.headers.get("X-Position", "").partition("@")[2]
        if is_consistent and response.event_names:
            wait_for_projections(self.container.pool, response.event_names, int(position))
        if response.status == 204:
            return Response(status_code=204, headers=response.headers)
        return Response(response.body, response.status, response.headers, "application/json")


async def command_runner(request: Request, person: SignedIn) -> CommandRunner:
    """Dependency: dispatches commands of the signed-in person."""
    return CommandRunner(request, person)


async def admins_runner(run: Annotated[CommandRunner, Depends(command_runner)]) -> CommandRunner:
    """Dependency: dispatches commands of a signed-in admin. Raises `Problem` 403."""
    require_admin(run.person)
    return run


def idempotency_request(request: Request, account_id: UUID, body: BaseModel | None) -> IdempotencyRequest | None:
    """Returns what identifies a POST with an `Idempotency-Key`. Raises `Problem` 400."""
    key = request.headers.get("idempotency-key")
    if key is None or request.method != "POST":
        return None
    if not 1 <= len(key) <= KEY_LENGTH or not key.isprintable():
        raise Problem(400, "bad_idempotency_key", f"An Idempotency-Key has 1 to {KEY_LENGTH} printable characters.")
    sent = body.model_dump_json(by_alias=True).encode() if body is not None else b""
    return IdempotencyRequest(key, account_id, f"{request.method} {request.url.path}", sent)


def context_for(person: Principal) -> CommandContext:
    """Returns the context of a command that this person sends now."""
    return CommandContext(datetime.now(UTC), person.account_id, person.is_admin)


def install_error_handlers(app: FastAPI) -> None:
    """Maps rejections, concurrently erased accounts, events of a newer version, and an unavailable event store to
    problem documents."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, CommandRejected)  # noqa: S101 - the registration below says so
        errors = [FieldError(error.field, error.message)] if error.field else []
        return Problem(STATUS_OF[error.kind], error.code, error.message, errors=errors, more=error.more).response()

    async def store_down(_: Request, __: Exception) -> Response:
        return unavailable().response()

    async def newer(_: Request, __: Exception) -> Response:
        message = "A newer version of the program changed this. Please try again."
        return Problem(503, "newer_version", message, headers={"Retry-After": "1"}).response()

    async def erased(_: Request, __: Exception) -> Response:
        return not_signed_in().response()

    app.add_exception_handler(CommandRejected, refused)
    app.add_exception_handler(SubjectErased, erased)
    app.add_exception_handler(UnknownEvent, newer)
    for error in UNAVAILABLE:
        app.add_exception_handler(error, store_down)


Id = Annotated[UUID, Path(alias="id")]
From = Annotated[Client, Depends(client)]
Admin = Annotated[Principal, Depends(admin)]
Runs = Annotated[CommandRunner, Depends(command_runner)]
AdminRuns = Annotated[CommandRunner, Depends(admins_runner)]
