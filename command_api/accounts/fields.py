"""Fields of this context's forms, with the product's own sentences for what is wrong with them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from command_api.accounts.desk import Proof
from command_api.accounts.invites import DEFAULT_DAYS, DEFAULT_USES, MOST_DAYS, MOST_USES
from command_api.http import Body
from infra.hidden_signs import checked_name

_NOT: Final = r"\s@<>()\[\],;:\"\\"
_EMAIL: Final = re.compile(rf"^[^{_NOT}]+@[^{_NOT}.]+(?:\.[^{_NOT}.]+)+$")
_ENCODED: Final = "=?"
"""Begins a word of a mail's head (RFC 2047) that is read as something else: one address would become two."""


def checked_email(text: str) -> str:
    """The address without the space around it. Raises `ValueError` with the product's sentence."""
    if len(text) > 254 or _ENCODED in text or not _EMAIL.match(text.strip()) or not text.strip().isprintable():
        raise ValueError("Please enter a valid email")
    return text.strip()


def checked_password(text: str) -> str:
    """The password as it is. Raises `ValueError` with the product's sentence."""
    if len(text) < 8:
        raise ValueError("Password must be at least 8 characters")
    if len(text) > 1024:
        raise ValueError("Password must be at most 1024 characters")
    return text


def _name(text: str) -> str:
    if len(text.strip()) < 2:
        raise ValueError("Name must be at least 2 characters")
    if len(text) > 200:
        raise ValueError("Name must be at most 200 characters")
    return checked_name(text.strip())


def _invite_code(text: str) -> str:
    if not text.strip():
        raise ValueError("Invite code is required")
    return text.strip()


def _or_default(default: int) -> BeforeValidator:
    """What is no whole number of 1 or more is the default, as the product's forms have it."""

    def read(value: Any) -> Any:
        text = str(value).strip() if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        return int(text) if text.isascii() and text.isdecimal() and int(text) >= 1 else default

    return BeforeValidator(read, json_schema_input_type=int)


Email = Annotated[str, AfterValidator(checked_email)]
Password = Annotated[str, AfterValidator(checked_password)]
Name = Annotated[str, AfterValidator(_name)]
Company = Annotated[str, Field(max_length=200), AfterValidator(str.strip), AfterValidator(checked_name)]
InviteCode = Annotated[str, Field(max_length=100), AfterValidator(_invite_code)]
MaxUses = Annotated[int, _or_default(DEFAULT_USES), Field(ge=1, le=MOST_USES)]
Days = Annotated[int, _or_default(DEFAULT_DAYS), Field(ge=1, le=MOST_DAYS)]
Secret = Annotated[str, Field(max_length=200)]
Given = Annotated[str, Field(max_length=1024)]
"""A password that is compared, not chosen."""


class Form(Body):
    """A form with texts that are required: one that is not sent is an empty one, and told with its own sentence."""

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        required = {info.alias or name for name, info in cls.model_fields.items() if info.is_required()}
        return dict.fromkeys(required, "") | sent


class Proven(Body):
    """What proves again that it is the account's owner who asks."""

    password: Given
    code: Secret | None = None
    recovery_code: Secret | None = None

    @property
    def proof(self) -> Proof:
        return Proof(self.password, self.code, self.recovery_code)
