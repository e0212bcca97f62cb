"""Texts of a website's owner that are searched for a person's id: all of them, and ids that stand alone."""

from __future__ import annotations

import re
import zlib
from typing import Final
from uuid import UUID

import pytest

from infra.domain.visitor_data.person import Person
from projectors.registry import REGISTRY
from query_api.analytics import owner_texts
from query_api.analytics.owner_texts import KINDS, MAX_IDS

SITE: Final = UUID(int=1)

NOBODYS_WORDS: Final = {
    "Accounts, their settings and their admins": (
        *("accounts", "account_details", "invites", "invite_joins", "notification_choices", "insight_digests"),
        *("forum_members", "forum_suspensions", "forum_log", "sellers", "lessons_done"),
    ),
    "Addresses and settings of a website": (
        *("websites", "website_zones", "custom_domains", "alert_rules", "retention", "site_subscriptions"),
        *("partner_terms", "site_releases", "imports", "statement_months", "accepted_months", "destinations"),
    ),
    "What is stored of the person: found as such": ("conversion_steps", "reconciled_sales", "visitor_erasures"),
    "Everybody's, or an admin's": (
        *("activity", "exchange_rates", "subscriptions", "early_access", "inquiries", "inquiry_steps", "programs"),
        *("forum_categories", "deal_settings"),
    ),
    "Steps of deals and their money: from lists, not written": ("market_steps", "offers", "escrows"),
    "Sentences of the product about links: the names and addresses in them are found there": ("link_bulk_outcomes",),
    "Figures and lists of networks": ("social_channel_figures", "social_post_figures", "applications"),
    "States and problems of calls to networks": ("network_connections",),
}
"""Read models with texts that no owner of a website wrote, by reason."""


def test_every_text_of_an_owner_is_searched() -> None:
    texts = {
        model.name
        for model in REGISTRY.postgres
        if any(kind in column.lower() for column in model.columns for kind in (" text", " json"))
    }
    searched = {kind.table.removeprefix("read.") for kind in KINDS if kind.table.startswith("read.")}
    excluded = {name for names in NOBODYS_WORDS.values() for name in names}
    assert texts - excluded == searched
    assert not excluded & searched


def test_searched_columns_are_there() -> None:
    models = {model.name: {column.split()[0] for column in model.columns} for model in REGISTRY.postgres}
    for kind in KINDS:
        schema, _, name = kind.table.partition(".")
        if schema == "read":
            assert {*kind.columns, kind.newest} <= models[name], kind.what


@pytest.mark.parametrize("text", ["ORDER-1", "a.b+c", "10%|x", "Kári 7", "x\\d{3}", "(]{^$*?"])
def test_an_id_is_looked_for_to_the_letter(text: str) -> None:
    pattern = owner_texts._pattern([text])
    assert re.search(pattern, f"about {text}, yes")
    assert not re.search(pattern, f"about a{text}b")
    assert not re.search(pattern, "about xA777 and others")


def test_short_ids_are_not_looked_for_and_there_are_not_too_many() -> None:
    person = Person(SITE, txids=frozenset({"1", "17", *(f"T-{number}" for number in range(100, 200))}))
    assert owner_texts.sought_ids(person, "3") == sorted(f"T-{number}" for number in range(100, 200))[:MAX_IDS]
    assert owner_texts.sought_ids(Person(SITE), "visitor")[0] == "visitor"


def test_a_file_is_read_in_its_compressed_parts() -> None:
    content = zlib.compress(b"BT [(ORDER-)-20(BERGTHORA)] TJ ET")
    document = b"%PDF-1.7\nstream\r\n" + content + b"\nendstream\nstream\nno deflate\nendstream\n"
    assert owner_texts._stands_in(["ORDER-BERGTHORA"], document)
    assert not owner_texts._stands_in(["ORDER-NJAL"], document)
    assert not owner_texts._stands_in(["ORDER-BERG"], document)
    assert owner_texts._stands_in(["ORDER-1"], b"ORDER-12, ORDER-1")


def test_a_file_that_grows_without_end_is_read_to_a_bound() -> None:
    bomb = zlib.compress(bytes(owner_texts.MAX_INFLATED * 4) + b"ORDER-BERGTHORA")
    document = b"stream\n" + bomb + b"endstream" + b"stream\n" + zlib.compress(b"ORDER-BERGTHORA") + b"endstream"
    assert not owner_texts._stands_in(["ORDER-BERGTHORA"], document)
