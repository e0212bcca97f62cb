"""Responses that are made of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Self

from pydantic import AliasGenerator, BaseModel, ConfigDict


def _column(field: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", field)


class RowModel(BaseModel):
    """A response whose fields are columns of a row: `createdAt` is `created_at`."""

    model_config = ConfigDict(alias_generator=AliasGenerator(validation_alias=_column), populate_by_name=True)

    @classmethod
    def of_row(cls, row: Mapping[str, Any], **others: Any) -> Self:
        """From the columns of `row`, and `others`: columns that are not in it, or have another value here."""
        return cls.model_validate({**row, **others})
