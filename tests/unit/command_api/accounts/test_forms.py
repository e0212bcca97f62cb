"""The sentences of the forms of spec §5: an empty field and a missing one get the same message."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from command_api.accounts.fields import TextForm
from command_api.accounts.schemas import LoginRequest, RegisterRequest, WebsiteLogin

ENTRY = {
    "email": "Please enter a valid email",
    "password": "Password must be at least 8 characters",
}
REGISTRATION = {**ENTRY, "name": "Name must be at least 2 characters", "inviteCode": "Invite code is required"}
WEBSITE = {**ENTRY, "websiteApiKey": "Website API key is required"}
FORMS = [(LoginRequest, ENTRY), (RegisterRequest, REGISTRATION), (WebsiteLogin, WEBSITE)]


@pytest.mark.parametrize(("form", "sentences"), FORMS)
def test_a_field_that_is_empty_or_not_sent_has_its_own_sentence(
    form: type[TextForm], sentences: dict[str, str]
) -> None:
    assert told(form, {}) == told(form, dict.fromkeys(sentences, "")) == sentences


@pytest.mark.parametrize("form", [form for form, _ in FORMS])
def test_what_is_no_form_is_refused(form: type[TextForm]) -> None:
    nothing: list[Any] = [None, [], "email", 1]
    for sent in nothing:
        with pytest.raises(ValidationError):
            form.model_validate(sent)


def told(form: type[TextForm], sent: dict[str, Any]) -> dict[str, str]:
    """What is said of each field."""
    with pytest.raises(ValidationError) as refused:
        form.model_validate(sent)
    return {str(one["loc"][0]): one["msg"].removeprefix("Value error, ") for one in refused.value.errors()}
