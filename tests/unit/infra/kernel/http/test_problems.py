"""What a person reads of a request that is not valid."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from infra.kernel.http.problems import _field_error


class Everything(BaseModel):
    id: UUID = UUID(int=1)
    count: int = 1
    price: Decimal = Decimal(1)
    is_on: bool = True
    name: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]*$")] = "abc"
    tags: Annotated[list[str], Field(max_length=2)] = []
    day: date = date(2026, 1, 1)
    at: datetime | None = None
    moment: AwareDatetime | None = None


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("id", "x", "id is not an id."),
        ("count", "many", "count must be a whole number."),
        ("count", 1.5, "count must be a whole number."),
        ("price", "much", "price must be a number."),
        ("is_on", "perhaps", "is_on must be true or false."),
        ("name", 7, "name must be text."),
        ("name", "abcdef", "name may have at most 5 characters."),
        ("name", "a", "name must have at least 2 characters."),
        ("name", "A B", "name has characters that it cannot have."),
        ("tags", "a", "tags must be a list."),
        ("tags", ["a", "b", "c"], "tags may have at most 2 items."),
        ("day", "soon", "day must be a day: 2026-11-30."),
        ("day", "2026-11-30T10:00:00", "day must be a day: 2026-11-30."),
        ("at", "soon", "at must be a time: 2026-11-30T14:05:00Z."),
        ("moment", "2026-11-30T10:00:00", "moment must be a time with its zone: 2026-11-30T14:05:00Z."),
    ],
)
def test_a_fault_is_named_in_words_for_people(field: str, value: Any, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Everything.model_validate({field: value})
    [item] = refused.value.errors()
    error = _field_error(item)
    assert (error.field, error.message) == (field, said)
