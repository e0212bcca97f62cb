"""The newsletter of a built site, from a visitor's form to the owner's list: double opt-in, and nobody sees more."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from typing import Any
from uuid import UUID, uuid4
from zipfile import ZipFile

import httpx
import pytest

from command_api.kernel.process_manager import ProcessWorker
from command_api.kernel.rate_limits import Limit
from command_api.publishing.subscriptions import model as subscriptions
from command_api.publishing.subscriptions import process as subscription_process
from command_api.publishing.subscriptions.process import newsletter_forms
from infra.domain.contacts import encrypt_field, one_click_url, site_contact_id
from infra.domain.publishing.serving import NEWSLETTER_FORMS
from infra.kernel.mail.outbox import decrypt_mail
from infra.ops.jobs.retention import delete_expired
from ingest.endpoints.subscribe import MAX_WAITING, PER_SENDER, STORE
from tests.support.full_api import Api, SampleData, register
from tests.support.people import PASSWORD
from tests.support.query import Person

SITES = "/api/platform/sites"
FORM = "<form"


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    return SampleData(full_api)


class Newsletter:
    """A published site with a form, and its visitors."""

    def __init__(self, api: Api, owner: Person, website: UUID) -> None:
        self.api, self.owner, self.slug = api, owner, f"s-{uuid4().hex[:12]}"
        self.postgres = api.query.postgres
        body = {"websiteId": str(website), "name": "Rain & Tents", "slug": self.slug}
        made = self.call("POST", SITES, json=body)
        assert made.status_code == 201, made.text
        self.id, self.page = UUID(made.json()["id"]), uuid4()
        self.path = f"{SITES}/{self.id}"
        document = {"name": "Rain & Tents", "pages": [{"id": str(self.page), "path": "", "title": "Home"}]}
        self.call("PUT", f"{self.path}/document", json={"document": document, "basedOn": 1})
        form = {"id": str(uuid4()), "type": "newsletter", "title": "News", "consent": "One email a week."}
        saved = {"document": {"blocks": [form]}, "basedOn": 0}
        assert self.call("PUT", f"{self.path}/pages/{self.page}", json=saved).status_code == 200

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.owner, **options)

    def publish(self) -> Newsletter:
        published = self.call("POST", f"{self.path}/publish")
        assert published.status_code == 200, published.text
        return self

    def fill_in(self, email: str) -> None:
        """As ingest stores a form; then it is handled."""
        self.store(email)
        self.handle()

    def store(self, email: str) -> None:
        form = uuid4()
        sealed = encrypt_field(self.api.query.settings, form, "email", email)
        sender = uuid4().hex
        values = (sender, PER_SENDER, self.id, MAX_WAITING, form, self.id, sender, sealed, "/", "news")
        self.postgres.execute(STORE, (*values, NEWSLETTER_FORMS))

    def handle(self) -> None:
        later = datetime.now(UTC) + timedelta(seconds=5)
        worker = ProcessWorker(self.api.core, [newsletter_forms(self.api.core)], now=lambda: later)
        worker.run_once()

    def contact(self, email: str) -> UUID:
        return site_contact_id(self.api.query.settings, self.id, email)

    def is_kept(self, email: str) -> bool:
        found = self.postgres.execute("SELECT FROM leads.contact WHERE id = %s", (self.contact(email),)).fetchone()
        return found is not None

    def mails(self, kind: str) -> list[tuple[str, str]]:
        """Address and text, oldest first."""
        rows = self.postgres.execute(
            "SELECT id, recipient_sealed, text_sealed FROM kernel.mail WHERE kind = %s ORDER BY id", (kind,)
        ).fetchall()
        return [(to, text or "") for to, text in (decrypt_mail(self.api.query.settings, *row) for row in rows)]

    def confirm(self, text: str) -> httpx.Response:
        found = re.search(r"/site-newsletter/confirm#code=(\S+)", text)
        assert found is not None, text
        return self.api.call("POST", "/api/public/site-newsletter/confirm", json={"code": found[1]})

    def state(self, email: str) -> str:
        subscription = self.api.core.load(self.contact(email), subscriptions.evolve)
        return subscription.state if subscription is not None else ""


@pytest.fixture(autouse=True)
def from_the_start(full_api: Api) -> None:
    for table in ("kernel.mail", "kernel.rate_limit", "publishing.sent_form"):
        full_api.query.postgres.execute(f"DELETE FROM {table}")


@pytest.fixture
def site(full_api: Api, sample: SampleData) -> Newsletter:
    made = Newsletter(full_api, sample.owner, sample.website).publish()
    full_api.query.postgres.execute("DELETE FROM kernel.rate_limit")
    return made


def somebody() -> str:
    return f"{uuid4().hex[:12]}@example.com"


def test_a_subscription_counts_once_its_owner_confirmed_it(site: Newsletter) -> None:
    email = somebody()
    site.fill_in(email)
    [(to, text)] = site.mails("site_newsletter_confirm")
    assert to == email and f"Rain & Tents ({site.api.core.settings.tracking_base_url}/sites/{site.slug}/)" in text
    assert site.state(email) == "pending"
    assert site.confirm(text).status_code == 200
    assert site.state(email) == "confirmed"
    assert [to for to, _ in site.mails("site_newsletter_welcome")] == [email]
    assert site.confirm(text).json()["code"] == "link_invalid"
    sealed = site.postgres.execute("SELECT email_sealed FROM publishing.sent_form").fetchall()
    assert sealed == [(None,)]  # the address is in one place


def test_an_address_that_is_subscribed_gets_nothing_more(site: Newsletter) -> None:
    email = somebody()
    site.fill_in(email)
    site.confirm(site.mails("site_newsletter_confirm")[0][1])
    site.fill_in(email.upper())
    assert len(site.mails("site_newsletter_confirm")) == 1 and site.state(email) == "confirmed"


def test_who_unsubscribed_stays_out_whatever_the_earlier_link_says(site: Newsletter) -> None:
    email = somebody()
    site.fill_in(email)
    first = site.mails("site_newsletter_confirm")[0][1]
    stop = one_click_url(site.api.query.settings, site.contact(email), "site_newsletter")
    path = stop.removeprefix(site.api.query.settings.app_url)
    form = {"content-type": "application/x-www-form-urlencoded"}
    stopped = site.api.call("POST", path, content="List-Unsubscribe=One-Click", headers=form)
    assert stopped.status_code == 200, stopped.text
    assert site.state(email) == "ended" and not site.is_kept(email)
    assert site.confirm(first).status_code == 400
    assert site.api.call("POST", f"{path[:-1]}x").status_code == 404
    site.fill_in(email)
    assert site.state(email) == "pending"


def test_an_address_gets_few_emails_from_however_many_sites(
    full_api: Api, sample: SampleData, site: Newsletter
) -> None:
    other, name = Newsletter(full_api, sample.owner, sample.website).publish(), uuid4().hex[:12]
    for number in range(4):
        for each in (site, other):
            each.fill_in(f"{name}+{number}@example.com")
    assert len(site.mails("site_newsletter_confirm")) == subscription_process.PER_MAILBOX.burst
    waiting = site.postgres.execute("SELECT count(*) FROM publishing.sent_form WHERE email_sealed IS NOT NULL")
    assert waiting.fetchone() == (0,)


def test_an_account_gets_no_further_emails_by_more_sites(
    full_api: Api, sample: SampleData, site: Newsletter, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, emails = Newsletter(full_api, sample.owner, sample.website).publish(), [somebody(), somebody()]
    monkeypatch.setattr(subscription_process, "PER_ACCOUNT", Limit("account-forms", timedelta(minutes=10), 1))
    site.fill_in(emails[0])
    other.fill_in(emails[1])
    assert [to for to, _ in site.mails("site_newsletter_confirm")] == emails[:1]
    waiting = site.postgres.execute("SELECT site_id FROM publishing.sent_form WHERE email_sealed IS NOT NULL")
    assert waiting.fetchall() == [(other.id,)]  # until the limit allows it


def test_a_full_site_takes_no_further_forms(site: Newsletter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_SUBSCRIBERS", 1)
    emails = [somebody(), somebody()]
    for email in emails:
        site.fill_in(email)
    assert [site.is_kept(email) for email in emails] == [True, False]


def test_the_list_is_its_owners_alone(full_api: Api, sample: SampleData) -> None:
    path = f"{SITES}/{sample.site}/subscribers"
    [shown] = full_api.call("GET", path, sample.owner).json()
    assert (shown["email"], shown["state"]) == ("una@example.com", "pending")
    assert full_api.call("GET", f"{path}.csv", sample.owner).text.count("\n") == 1  # nobody confirmed
    full_api.query.postgres.execute(
        "UPDATE read.site_subscriptions SET state = 'confirmed' WHERE id = %s", (sample.site_subscriber,)
    )
    [row] = csv.DictReader(StringIO(full_api.call("GET", f"{path}.csv", sample.owner).text))
    assert row["email"] == "una@example.com" and "/site-newsletter/unsubscribe#code=" in row["unsubscribeUrl"]
    sealed = encrypt_field(full_api.query.settings, sample.site_subscriber, "email", "=cmd|1+1@example.com")
    full_api.query.postgres.execute(
        "UPDATE leads.contact SET email_sealed = %s WHERE id = %s", (sealed, sample.site_subscriber)
    )
    [row] = csv.DictReader(StringIO(full_api.call("GET", f"{path}.csv", sample.owner).text))
    assert row["email"] == "'=cmd|1+1@example.com"  # no formula, in whatever program opens it
    for person in (full_api.query.person(), sample.admin):
        for address in (path, f"{path}.csv"):
            assert full_api.call("GET", address, person).status_code == 404
        assert full_api.call("DELETE", f"{path}/{sample.site_subscriber}", person).status_code == 404
    own, others = (
        [one["email"] for one in full_api.call("GET", "/api/platform/export", reader).json()["siteSubscribers"]]
        for reader in (sample.owner, person)
    )
    assert "=cmd|1+1@example.com" in own and others == []


def test_an_owner_removes_an_address_of_the_site_and_of_no_other(site: Newsletter, sample: SampleData) -> None:
    email = somebody()
    site.fill_in(email)
    elsewhere = site.call("DELETE", f"{SITES}/{sample.site}/subscribers/{site.contact(email)}")
    assert elsewhere.status_code == 404 and site.is_kept(email)
    assert site.call("DELETE", f"{site.path}/subscribers/{site.contact(email)}").status_code == 204
    assert site.state(email) == "ended" and not site.is_kept(email)
    assert site.call("DELETE", f"{site.path}/subscribers/{site.contact(email)}").status_code == 404


def test_the_list_goes_with_its_site(site: Newsletter) -> None:
    email = somebody()
    site.fill_in(email)
    text = site.mails("site_newsletter_confirm")[0][1]
    site.store(somebody())
    assert site.call("DELETE", site.path).status_code == 204
    assert not site.is_kept(email)
    assert site.postgres.execute("SELECT FROM publishing.sent_form WHERE site_id = %s", (site.id,)).fetchall() == []
    assert site.confirm(text).status_code == 400
    site.handle()
    delete_expired(site.api.query.settings)
    assert site.mails("site_newsletter_confirm") == []


def test_the_list_goes_with_the_account(full_api: Api) -> None:
    leaving = full_api.query.person()
    register(full_api, leaving)
    website = full_api.call("POST", "/api/platform/websites", leaving, json={"domain": f"{uuid4().hex}.example"})
    site, email = Newsletter(full_api, leaving, UUID(website.json()["id"])).publish(), somebody()
    site.fill_in(email)
    text = site.mails("site_newsletter_confirm")[0][1]
    erased = full_api.call("POST", "/api/platform/erase", leaving, json={"password": PASSWORD})
    assert erased.status_code == 204, erased.text
    assert not site.is_kept(email) and site.confirm(text).status_code == 400
    site.fill_in(somebody())  # sent at the last moment
    delete_expired(full_api.query.settings)
    assert site.mails("site_newsletter_confirm") == []
    waiting = site.postgres.execute("SELECT FROM publishing.sent_form WHERE email_sealed IS NOT NULL")
    assert waiting.fetchall() == []


def test_an_address_that_nobody_confirms_is_deleted(site: Newsletter) -> None:
    email = somebody()
    site.fill_in(email)
    delete_expired(site.api.query.settings)
    assert site.is_kept(email)
    of = (site.contact(email),)
    site.postgres.execute("UPDATE leads.contact SET created_at = now() - interval '9 days' WHERE id = %s", of)
    site.postgres.execute("UPDATE leads.contact_link SET expires_at = now() WHERE contact_id = %s", of)
    delete_expired(site.api.query.settings)
    assert not site.is_kept(email)


def test_a_release_with_a_form_has_the_pages_that_answer_it(site: Newsletter) -> None:
    rows = site.postgres.execute(
        "SELECT path, security_policy FROM publishing.site_file WHERE site_id = %s", (site.id,)
    ).fetchall()
    policies: dict[str, str] = dict(rows)
    assert {"subscribe/sent/index.html", "subscribe/again/index.html"} <= set(policies)
    assert "form-action 'self'" in policies["index.html"]
    assert "form-action 'none'" in policies["subscribe/sent/index.html"]


def test_an_export_posts_to_the_published_site_or_has_no_form(full_api: Api, sample: SampleData) -> None:
    path, form = f"{SITES}/{sample.site}", {"id": str(uuid4()), "type": "newsletter", "title": "News"}
    order = {"pageId": str(sample.site_page), "page": {"blocks": [form]}}
    assert FORM in full_api.call("POST", f"{path}/preview", sample.owner, json=order).json()["html"]
    postgres, blocks = (
        full_api.query.postgres,
        f'{{"blocks": [{{"id": "{uuid4()}", "type": "newsletter", "title": "N"}}]}}',
    )
    postgres.execute("UPDATE read.site_versions SET document = %s WHERE document_id = %s", (blocks, sample.site_page))

    def exported() -> str:
        zipped = full_api.call("GET", f"{path}/export", sample.owner)
        with ZipFile(BytesIO(zipped.content)) as opened:
            return opened.read("index.html").decode()

    assert re.search(r'action="https?://[^"/]+/sites/tents/subscribe"', exported())
    postgres.execute("UPDATE read.sites SET published = NULL WHERE id = %s", (sample.site,))
    assert FORM not in exported()
