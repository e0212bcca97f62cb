"""The base of all responses: attributes have the names of Python, JSON has those of the public APIs (`createdAt`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, computed_field
from pydantic.alias_generators import to_camel

Narrator = TypeVar("Narrator", bound=str)


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


class Narrated(ResponseModel, Generic[Narrator]):
    """A response with texts that rules or a language model wrote."""

    narrated_by: Narrator

    @computed_field(
        description="Former name of `narratedBy`; answered until 0.4.0", json_schema_extra={"deprecated": True}
    )
    def told_by(self) -> Narrator:
        return self.narrated_by
