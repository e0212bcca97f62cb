"""What all command routes share: strict camelCase bodies, who asks, answers with their position."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, FastAPI, Path, Request, Response
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from command_api.commands import KEY_LENGTH, Caller, Commands, Decided, Repeat
from command_api.core import Core
from command_api.decision import Asked, Kind, Refused
from command_api.store import UNAVAILABLE
from command_api.visibility import wait_until_seen
from infra.client import Client, client_of
from infra.identity import Principal, authenticate, not_signed_in, require_admin
from infra.keyring import SubjectErased
from infra.problems import FieldError, Problem, unavailable

STATUS_OF: dict[Kind, int] = {"invalid": 400, "conflict": 409, "missing": 404, "forbidden": 403}


class Body(BaseModel):
    """A request's body: exact JSON types, no unknown field, no NaN, and no NUL and half characters, which Postgres
    cannot keep."""

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
    def _without_nul(cls, value: Any) -> Any:
        for text in value if isinstance(value, list) else (value,):
            if not isinstance(text, str):
                continue
            if "\x00" in text:
                raise ValueError("A text must not hold a NUL character.")
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise ValueError("A text must be whole Unicode: it holds half of a character.")
        return value


class Answer(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class Nothing(Answer):
    """The answer of a command that has nothing to tell: 204."""


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("A moment lies between the years 1 and 9999.") from error


Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_utc)]
"""A moment in a body, with its offset; as UTC."""

AnyAnswer = TypeVar("AnyAnswer", bound=BaseModel)


def core_of(request: Request) -> Core:
    core: Core = request.app.state.core
    return core


def signed_in(request: Request) -> Principal:
    """The person who asks. A sync dependency: it runs in the thread pool, since it reads Postgres."""
    return authenticate(core_of(request).pool, request.headers, request.method)


def client(request: Request) -> Client:
    """Where the request comes from."""
    return client_of(request, core_of(request).settings, request.app.state.places)


def admin(person: Annotated[Principal, Depends(signed_in)]) -> Principal:
    require_admin(person)
    return person


class Run:
    """Runs one command for a signed-in person and answers with `X-Position`."""

    def __init__(self, request: Request, person: Annotated[Principal, Depends(signed_in)]) -> None:
        self.core = core_of(request)
        self.person = person
        self.asked = asked_by(person)
        self.client = client(request)
        self._request = request

    def __call__(
        self,
        decide: Callable[[], Decided[AnyAnswer]],
        body: BaseModel | None = None,
        *,
        status: int = 200,
        seen_by: Collection[str] = (),
    ) -> Response:
        """`seen_by`: read models through which others use the result; the answer waits for them for a moment."""
        commands: Commands = self.core.commands
        caller = Caller(self.person.account_id, self.client)
        done = commands.run(decide, status=status, repeat=self._repeat(body), caller=caller)
        position = done.headers.get("X-Position", "").partition("@")[2]
        if seen_by and position:
            wait_until_seen(self.core.pool, seen_by, int(position))
        if done.status == 204:
            return Response(status_code=204, headers=done.headers)
        return Response(done.body, done.status, done.headers, "application/json")

    def _repeat(self, body: BaseModel | None) -> Repeat | None:
        key = self._request.headers.get("idempotency-key")
        if key is None or self._request.method != "POST":
            return None
        key = checked_key(key)
        sent = body.model_dump_json(by_alias=True).encode() if body is not None else b""
        return Repeat(key, self.person.account_id, f"{self._request.method} {self._request.url.path}", sent)


def checked_key(key: str) -> str:
    """An `Idempotency-Key` as it may be. Raises `Problem` 400."""
    if not 1 <= len(key) <= KEY_LENGTH or not key.isprintable():
        raise Problem(400, "bad_idempotency_key", f"An Idempotency-Key has 1 to {KEY_LENGTH} printable characters.")
    return key


def asked_by(person: Principal) -> Asked:
    return Asked(datetime.now(UTC), person.account_id, person.is_admin)


def install_refusals(app: FastAPI) -> None:
    """Refusals of the decide functions, somebody who was erased meanwhile, and an event store that is down, as problem
    documents."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)  # noqa: S101 - the registration below says so
        errors = [FieldError(error.field, error.message)] if error.field else []
        return Problem(STATUS_OF[error.kind], error.code, error.message, errors=errors).response()

    async def store_down(_: Request, __: Exception) -> Response:
        return unavailable().response()

    async def erased(_: Request, __: Exception) -> Response:
        return not_signed_in().response()

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(SubjectErased, erased)
    for error in UNAVAILABLE:
        app.add_exception_handler(error, store_down)


Id = Annotated[UUID, Path(alias="id")]
From = Annotated[Client, Depends(client)]
SignedIn = Annotated[Principal, Depends(signed_in)]
Admin = Annotated[Principal, Depends(admin)]
Runs = Annotated[Run, Depends()]
