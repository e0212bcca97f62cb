"""Fields of the public forms, with the product's sentences for what is wrong with them.

The specification sets no limits to texts; these are wide enough for people and narrow enough for a database.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator

from command_api.accounts.fields import Email
from schemas.events.leads import Service

__all__ = ["Email", "Given", "Message", "OptionalName", "OptionalService", "Source"]

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
    """An empty field of a form is none."""
    return None if isinstance(value, str) and not value.strip() else value


Given = Annotated[str, _text("a name", _NAME), AfterValidator(_one_line)]
Message = Annotated[str, _text("a message", _MESSAGE)]
OptionalName = Annotated[Given | None, BeforeValidator(_or_none)]
OptionalService = Annotated[Service | None, BeforeValidator(_or_none)]
Source = Annotated[str, _text("a source", _SOURCE), AfterValidator(_one_line)]
