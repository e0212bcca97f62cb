"""Request and response models of analysts' queries and tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from command_api.accounts.fields import Proven
from command_api.kernel.http import RequestModel, ResponseModel
from infra.domain.sql_access.limits import TEXT_BYTES
from infra.kernel.text.hidden_characters import checked_name

DEFAULT_TOKEN_DAYS: Final = 90
MAX_TOKEN_DAYS: Final = 365

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), AfterValidator(checked_name)
]


class SaveQuery(RequestModel):
    """A query to keep. It replaces the account's query of the same title."""

    title: Title
    sql: Annotated[str, StringConstraints(min_length=1, max_length=TEXT_BYTES)]


class SavedQuery(ResponseModel):
    """A query that the analyst keeps under a title."""

    id: UUID
    title: str
    sql: str
    created_at: datetime


class NameSqlToken(RequestModel):
    """What a token is called, and for how many days it is valid."""

    name: Title
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] = DEFAULT_TOKEN_DAYS


class CreateSqlToken(NameSqlToken, Proven):
    """Needs the password, and a code where the account has a second factor."""


class CreatedSqlToken(ResponseModel):
    """The token is shown in this answer only."""

    id: UUID
    name: str
    token: str
    last4: str
    created_at: datetime
    expires_at: datetime
