"""The base of query parameters and bodies: snake_case attributes, camelCase names in the request."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class QueryModel(BaseModel):
    """Query parameters, or the body of a request that reads."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    @classmethod
    def named(cls, **fields: Any) -> Self:
        """Returns the request with these attributes by their names in Python. Raises `ValidationError`."""
        return cls.model_validate(fields, by_name=True)
