"""Bodies of the calls for leads, with the product's sentences for what is wrong with them, and answers of their
commands.

The specification sets no limits to texts; these are wide enough for people and narrow enough for a database.
"""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field

from command_api.accounts.fields import Email
from command_api.kernel.http import RequestModel
from command_api.leads.inquiries import InquiryAggregate
from schemas.events.leads import Service
from schemas.http.leads import InquiryState

_NAME: Final = 200
_MESSAGE: Final = 20_000
_SOURCE: Final = 50


def _text(what: str, most: int) -> AfterValidator:
    def check(text: str) -> str:
        if not text.strip():
            raise ValueError(f"Please enter {what}")
        if len(text) > most:
            raise ValueError(f"Please use at most {most:,} characters")
        return text.strip()

    return AfterValidator(check)


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("Please use one line of text")
    return text


def _or_none(value: Any) -> Any:
    """Returns `None` for an empty field of a form."""
    return None if isinstance(value, str) and not value.strip() else value


Given = Annotated[str, _text("a name", _NAME), AfterValidator(_one_line)]
Message = Annotated[str, _text("a message", _MESSAGE)]
OptionalName = Annotated[Given | None, BeforeValidator(_or_none)]
OptionalService = Annotated[Service | None, BeforeValidator(_or_none)]
Source = Annotated[str, _text("a source", _SOURCE), AfterValidator(_one_line)]


class Subscribe(RequestModel):
    """`website` is hidden from people: a value marks the sender as a program."""

    email: Email
    name: OptionalName = None
    source: Source = "website"
    website: str = Field(default="", max_length=500)


class EarlyAccess(RequestModel):
    """`website` is hidden from people and must stay empty: a value marks the sender as a program."""

    email: Email
    website: str = Field(default="", max_length=500)


class Contact(RequestModel):
    """A message to the team. `website` is hidden from people and must stay empty."""

    first_name: Given
    last_name: Given
    email: Email
    service_interest: OptionalService = None
    message: Message
    website: str = Field(default="", max_length=500)


class MailedLink(RequestModel):
    """The code from an emailed link."""

    code: str = Field(min_length=1, max_length=200)


class Text(RequestModel):
    """A reply that is emailed, or a note that only admins see."""

    text: Message


class AssignInquiry(RequestModel):
    """The admin who takes over the inquiry; null: nobody."""

    account_id: Annotated[UUID | None, Field(strict=False)]


def to_response(inquiry: InquiryAggregate) -> InquiryState:
    return InquiryState.of(inquiry)
