"""Request and response models of analysts' queries, charts and tokens."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from command_api.accounts.fields import Proven
from command_api.kernel.http import RequestModel
from infra.domain.sql_access.limits import TEXT_BYTES
from infra.kernel.text.hidden_characters import checked_name
from schemas.events.sql import ChartKind
from schemas.http.sql import SqlToken

DEFAULT_TOKEN_DAYS: Final = 90
MAX_TOKEN_DAYS: Final = 365

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), AfterValidator(checked_name)
]


Text = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_BYTES)]
ColumnName = Annotated[str, StringConstraints(max_length=200)]
ParameterName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
ParameterValue = Annotated[str, StringConstraints(max_length=2_000)]


class SaveQuery(RequestModel):
    """A query to save."""

    title: Title
    sql: Text
    if_title_exists: Annotated[
        Literal["replace", "keep_both", "reject"],
        Field(
            description="What happens if one of the author's queries has the title: a new version of it (default),"
            " another query with a number after the title, or nothing and `title_taken`"
        ),
    ] = "replace"


class ChangeQuery(RequestModel):
    """Omitted fields stay unchanged."""

    title: Title | None = None
    sql: Text | None = None
    is_shared: Annotated[bool | None, Field(description="Whether all analysts may see and run it")] = None


class PinChart(RequestModel):
    """A chart of a saved query. Columns by name; those that the result does not have are ignored."""

    query_id: Annotated[UUID, Field(strict=False)]
    kind: ChartKind = "line"
    x: ColumnName = ""
    y: list[ColumnName] = Field(default=[], max_length=20)
    parameters: dict[ParameterName, ParameterValue] = Field(default={}, max_length=20)


class NameSqlToken(RequestModel):
    """What a token is called, and for how many days it is valid."""

    name: Title
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] = DEFAULT_TOKEN_DAYS


class CreateSqlToken(NameSqlToken, Proven):
    """Needs the password, and a code where the account has a second factor."""


class CreatedSqlToken(SqlToken):
    """The token is shown only in this response."""

    token: str
