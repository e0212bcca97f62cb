"""Form fields of accounts, with the product's validation messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from command_api.kernel.http import RequestModel
from infra.kernel.mail.addresses import checked_email
from infra.kernel.text.hidden_characters import checked_name


def checked_password(text: str) -> str:
    """Returns the unchanged password. Raises `ValueError` with the product's message."""
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


def _display_name(text: str) -> str:
    return _name(text) if text.strip() else ""


def required(what: str) -> AfterValidator:
    """Strips a text, which must not be empty."""

    def check(text: str) -> str:
        if not text.strip():
            raise ValueError(f"{what} is required")
        return text.strip()

    return AfterValidator(check)


Email = Annotated[str, AfterValidator(checked_email)]
Password = Annotated[str, AfterValidator(checked_password)]
Name = Annotated[str, AfterValidator(_name)]
DisplayName = Annotated[str, AfterValidator(_display_name)]
"""A name, or empty for the account's own."""
Company = Annotated[str, Field(max_length=200), AfterValidator(str.strip), AfterValidator(checked_name)]
InviteCode = Annotated[str, Field(max_length=100), required("Invite code")]
Secret = Annotated[str, Field(max_length=200)]
Given = Annotated[str, Field(max_length=1024)]
"""A password that is verified, not chosen."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Proof of ownership: the password, and a code if the account has a second factor."""

    password: str
    code: str | None = None
    recovery_code: str | None = None


class TextForm(RequestModel):
    """A form with required texts: a missing text counts as empty and gets its own message."""

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        required = {info.alias or name for name, info in cls.model_fields.items() if info.is_required()}
        return dict.fromkeys(required, "") | sent


class Proven(RequestModel):
    """Proof that the request comes from the account's owner."""

    password: Given
    code: Secret | None = None
    recovery_code: Secret | None = None

    @property
    def proof(self) -> Proof:
        return Proof(self.password, self.code, self.recovery_code)
