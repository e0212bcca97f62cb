"""Money as people read it: integer minor units to an exact decimal number in major units.

Stored and added money is always integer minor units; only these functions, at the very edge, make decimals of it. They
keep all of the currency's decimals (none of yen, two of dollars, three of dinars), so that parts add up to their total.
`exact_json` writes them as JSON numbers with every digit: a float holds fifteen.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from fastapi import Response
from pydantic import BaseModel, WithJsonSchema

from schemas.currencies import decimal_text, digits

Major = Annotated[Decimal, WithJsonSchema({"type": "number"})]
"""An amount in major units: a field of answers that `exact_json` writes."""


def major(minor: int, currency: str) -> Decimal:
    """`minor` units in major units, exactly."""
    return Decimal(decimal_text(minor, currency))


def per(minor: int, count: int, currency: str) -> Decimal:
    """`minor` ÷ `count` in major units, rounded half to even to two decimals, or to as many as the currency has; 0 when
    there is nothing to divide by."""
    places = max(2, digits(currency))
    finest = _divided(minor * 10 ** (places - digits(currency)), count) if count else 0
    whole, rest = divmod(abs(finest), 10**places)
    return Decimal(f"{'-' if finest < 0 else ''}{whole}.{rest:0{places}d}")


def percent(part: int, whole: int) -> float:
    """`part` ÷ `whole` × 100 with two decimals; 0 when there is no whole."""
    return _divided(10_000 * part, whole) / 100 if whole else 0.0


def _divided(part: int, whole: int) -> int:
    """`part` ÷ `whole` (not 0), rounded half to even. A report divides thousands of times: `Fraction` is too slow."""
    if whole < 0:
        part, whole = -part, -whole
    quotient, rest = divmod(part, whole)
    return quotient + (2 * rest > whole or (2 * rest == whole and quotient % 2))


def exact_json(found: BaseModel | Sequence[BaseModel], response: Response, *, exclude_unset: bool = False) -> Response:
    """The answer as JSON, with the headers of `response`. Decimals and large integers keep all of their digits."""

    def plain(model: BaseModel) -> dict[str, Any]:
        return model.model_dump(by_alias=True, exclude_unset=exclude_unset)

    content: Any = [plain(one) for one in found] if isinstance(found, Sequence) else plain(found)
    answer = Response(_ENCODER.encode(content), media_type="application/json")
    answer.headers.update(response.headers)
    return answer


_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
