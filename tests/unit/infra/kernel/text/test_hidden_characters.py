"""Names with characters that nobody sees are refused where they are typed; those from before are shown written out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pydantic import TypeAdapter

from command_api.accounts.fields import Company, Name
from command_api.domains.model import checked_name as checked_host
from command_api.forum.text import Text, Title
from command_api.kernel.decision import CommandRejected
from command_api.kernel.hostnames import website_domain
from command_api.leads.schemas import Given
from command_api.links.model import checked_slug, checked_subs, free_coupon
from command_api.marketplace.fields import Words
from command_api.marketplace.listings.schemas import ListingFields
from command_api.partners import model as partners
from command_api.sql.schemas import Title as QueryTitle
from infra.kernel.text.hidden_characters import shown
from query_api.kernel.postgres_reader import PostgresReader

TURNING = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
WIDTHLESS = [0x00AD, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2064, 0xFEFF, 0xE0041]
NAMES: dict[str, Callable[[str], Any]] = {
    "account": TypeAdapter(Name).validate_python,
    "company": TypeAdapter(Company).validate_python,
    "contact": TypeAdapter(Given).validate_python,
    "saved query": TypeAdapter(QueryTitle).validate_python,
    "thread": TypeAdapter(Title).validate_python,
    "listing": lambda text: ListingFields.model_validate({"title": text}),
    "partner's slug": partners.checked_slug,
    "link's slug": checked_slug,
    "coupon": lambda text: free_coupon(text, None, None),  # type: ignore[arg-type]  # nobody has it
    "sub-id": lambda text: checked_subs({"sub1": text}),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_with_invisible_characters_are_rejected(kind: str) -> None:
    accepted = []
    for sign in (*TURNING, *WIDTHLESS):
        with suppress(ValueError, CommandRejected):
            NAMES[kind](f"good{chr(sign)}name")
            accepted.append(hex(sign))
    assert accepted == []


@pytest.mark.parametrize("host", ["go\u202eod.com", "go\u200fod.com", "goo\u2066d.com"])
def test_no_host_does(host: str) -> None:
    for check in (website_domain, lambda text: checked_host(text, [])):
        with pytest.raises(CommandRejected):
            check(host)


def test_widthless_signs_of_hosts_are_dropped_so_that_two_names_that_look_alike_are_one() -> None:
    assert website_domain("go\u200bod.com") == website_domain("good.com") == "good.com"


@pytest.mark.parametrize("sign", TURNING, ids=hex)
def test_texts_do_not_turn_what_follows(sign: int) -> None:
    for kind in (Text, Words):
        with pytest.raises(ValueError, match="control characters"):
            TypeAdapter(kind).validate_python(f"A text of {chr(sign)} some length, with words in it.")


@pytest.mark.parametrize("name", ["Jón Ægir", "Sigrún 李", "مريم", "नमस्ते", "Café & Söhne – 1", "Emoji ❤️ 🎉"])
def test_names_of_people_stay_possible(name: str) -> None:
    assert TypeAdapter(Name).validate_python(name) == name
    assert shown(name) == name


def test_names_from_before_are_shown_written_out() -> None:
    assert shown("pay\u202elap") == "pay\\u202elap"
    assert shown("\U000e0041dmin") == "\\U000e0041dmin"
    pool: Any = _Pool([{"name": "a\u200bb", "text": "a\u200bb"}])
    assert PostgresReader(pool, "service").rows("SELECT") == [{"name": "a\\u200bb", "text": "a\u200bb"}]


class _Pool:
    """A pool, its connection and its cursor: each gives the rows."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None: ...

    def connection(self) -> _Pool:
        return self

    def cursor(self, **_: object) -> _Pool:
        return self

    def pipeline(self) -> _Pool:
        return self

    def execute(self, *_: object) -> None: ...

    def commit(self) -> None: ...

    def fetchall(self) -> list[dict[str, Any]]:
        return self._rows
