"""Types of the fields that members write: texts and whole US dollars."""

from __future__ import annotations

import re
from typing import Annotated, Final
from unicodedata import category

from pydantic import AfterValidator, Field

from infra.kernel.text.hidden_characters import DIRECTION_MARKS, checked_name

MAX_TEXT_LENGTH: Final = 10_000
MAX_TITLE_LENGTH: Final = 120
MAX_URL_LENGTH: Final = 500
MAX_MONEY: Final = 10**12
_CONTROL: Final = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f{DIRECTION_MARKS}]")
"""Among them those that turn the direction of the text that follows."""


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("Text must not contain control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_blank(text: str) -> str:
    if all(category(sign)[0] in "CMZ" for sign in text):  # spaces, marks without a letter, and what nobody sees
        raise ValueError("Please enter a text")
    return text.strip()


Plain = Annotated[str, AfterValidator(_plain)]
Name = Annotated[Plain, AfterValidator(checked_name)]
Words = Annotated[Plain, Field(max_length=MAX_TEXT_LENGTH), AfterValidator(_not_blank)]
Reason = Annotated[Plain, Field(max_length=2_000), AfterValidator(_not_blank)]
Dollars = Annotated[int, Field(ge=0, le=MAX_MONEY)]
Price = Annotated[int, Field(ge=1, le=MAX_MONEY)]
