"""The base of all responses: attributes have the names of Python, JSON has those of the public APIs (`createdAt`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class ResponseModel(BaseModel):
    """Response body, or a part of one. An attribute with another public name says so by `Field(alias=…)`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)

    @classmethod
    def of(cls, state: object, /, **others: Any) -> Self:
        """Returns the response with the fields that `state` has by the same names, and `others`."""
        own = {name: getattr(state, name) for name in cls.model_fields if name not in others and hasattr(state, name)}
        return cls(**own, **others)

    @classmethod
    def of_row(cls, row: Mapping[str, Any], /, **others: Any) -> Self:
        """Returns the response of the columns of `row`, and `others`, which may replace columns."""
        return cls.model_validate({**row, **others})
