"""Reads JSON in a field of a form: its names are those of JSON, `headerLine` for `header_line`."""

from __future__ import annotations

from json import JSONDecodeError, loads
from typing import Any, TypeVar

from pydantic import ValidationError

from command_api.kernel.decision import invalid
from schemas.base import Frozen

Value = TypeVar("Value", bound=Frozen)


def model_of(model: type[Value], text: str | None, field: str, page: str) -> Value:
    """The value; without a text, that of the defaults. `page`: where its fields are explained. Raises
    `CommandRejected` (bad_mapping for field `mapping`)."""
    try:
        sent: Any = loads(text) if text else {}
        return model.model_validate(field_names(dict(sent)))
    except (JSONDecodeError, TypeError, ValueError, ValidationError, RecursionError) as error:
        raise invalid(f"bad_{field}", f"The {field} cannot be read. See {page} for its fields.", field) from error


def field_names(sent: Any) -> Any:
    """The members of an object under the names of its fields: they may be sent in camelCase, too."""
    return {_snake(name): value for name, value in sent.items()} if isinstance(sent, dict) else sent


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
