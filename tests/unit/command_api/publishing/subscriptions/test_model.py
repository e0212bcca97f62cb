"""Given the history of an address at a site, when a form, a link or the owner acts on it, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import CommandContext
from command_api.publishing.sites import Site
from command_api.publishing.subscriptions import model
from command_api.publishing.subscriptions.mails import SubscriptionMails
from command_api.publishing.subscriptions.model import SiteSubscription
from infra.domain import contacts
from infra.domain.contacts import site_contact_id
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.config.settings import Settings
from schemas.events.publishing import SiteSubscriptionConfirmed, SiteSubscriptionEnded, SiteSubscriptionRequested
from tests.support.given_when_then import given, rejected

CONTEXT = CommandContext(datetime(2026, 11, 27, 12, tzinfo=UTC), None)
SITE = Site(uuid4(), 1, uuid4(), uuid4(), "tents", "{}", 1, published=1)
SETTINGS = Settings(data_dir=Path("/nowhere"), master_key="ab" * 32)


def requested(before: SiteSubscription | None = None) -> list[SiteSubscriptionRequested]:
    return model.request(before, SITE, subscription_id=UUID(int=7), page="/about/", block="news", context=CONTEXT)


def pending() -> SiteSubscription:
    return model.evolve(None, requested()[0])


def test_a_form_asks_and_the_owner_of_the_address_confirms() -> None:
    [event] = requested()
    assert (event.site_id, event.account_id, event.page, event.block) == (SITE.id, SITE.account_id, "/about/", "news")
    [confirmed] = model.confirm(pending(), CONTEXT)
    assert isinstance(confirmed, SiteSubscriptionConfirmed)
    after = model.evolve(pending(), confirmed)
    assert after.state == "confirmed" and not requested(after) and not model.confirm(after, CONTEXT)
    given(pending()).when(requested).then()


def test_who_unsubscribed_stays_out_until_they_confirm_again() -> None:
    [ended] = model.end(pending(), "one_click", CONTEXT)
    assert isinstance(ended, SiteSubscriptionEnded)
    out = model.evolve(pending(), ended)
    given(out).when(model.confirm, CONTEXT).then(rejected("link_invalid"))
    assert model.end(out, "page", CONTEXT) == model.end(None, "page", CONTEXT) == []
    [again] = requested(out)
    assert model.evolve(out, again).state == "pending"


def test_an_address_is_removed_from_the_list_of_its_own_site_alone() -> None:
    assert model.require_of(pending(), SITE) == pending()
    for subscription, site in (
        (None, SITE),
        (pending(), replace(SITE, id=uuid4())),
        (replace(pending(), state="ended"), SITE),
    ):
        given(subscription).when(model.require_of, site).then(rejected("not_found"))


def test_an_address_has_another_id_at_each_site() -> None:
    one, other = (site_contact_id(SETTINGS, site, "Ada@Example.com") for site in (SITE.id, uuid4()))
    assert one != other
    assert one == site_contact_id(SETTINGS, SITE.id, "ada@example.com")
    assert one != contacts.id_of(SETTINGS, "newsletter", "ada@example.com")


def test_mails_name_the_site_and_can_be_stopped_with_one_click() -> None:
    contact = UUID(int=7)
    mails = SubscriptionMails(SETTINGS, "Rain & Tents", "https://tents.example/")
    for mail in (mails.confirm("ada@example.com", "code", contact), mails.subscribed("ada@example.com", contact)):
        assert "Rain & Tents (https://tents.example/)" in mail.text and "Rain & Tents" in mail.subject
        assert mail.about == contact and mail.unsubscribe_url is not None
        token = mail.unsubscribe_url.rpartition("/")[2]
        assert verify_unsubscribe_token(SETTINGS, "site_newsletter", token) == contact
        assert verify_unsubscribe_token(SETTINGS, "newsletter", token) is None


@pytest.mark.parametrize(
    "name",
    ["Account locked: http://evil.example", "Verify at evil.example", "ada@evil.example", "evil\u3002example now"],
)
def test_the_name_of_a_site_puts_no_link_into_anybodys_inbox(name: str) -> None:
    mails = SubscriptionMails(SETTINGS, name, "https://track.example/sites/tents/")
    for mail in (
        mails.confirm("ada@example.com", "code", UUID(int=7)),
        mails.subscribed("ada@example.com", UUID(int=7)),
    ):
        assert "evil" not in mail.text + mail.subject
        assert mail.subject.endswith("track.example/sites/tents")
