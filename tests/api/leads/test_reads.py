"""What admins see of leads, and how many early-access places anybody sees to be left. Over the whole API."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import CommandContext
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.leads import contacts as lead_contacts
from infra.domain import contacts
from infra.domain.contacts import one_click_url, unsubscribe_page
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.postgres.pool import pool
from query_api.kernel.postgres_reader import PostgresReader, take_role
from query_api.site.sitemap import SitemapCache
from tests.support.full_api import Api
from tests.support.query import Person

NOW = datetime.now(UTC)
TABLES = ("inquiries", "inquiry_steps", "subscriptions", "early_access")


@pytest.fixture
def api(full_api: Api) -> Api:
    """With nothing of leads but what a test puts there."""
    for table in TABLES:
        full_api.query.postgres.execute(f"DELETE FROM read.{table}__g1".encode())
    full_api.query.postgres.execute("DELETE FROM leads.contact")
    return full_api


def admin_of(api: Api) -> Person:
    return api.query.person("member", "admin")


def got(api: Api, path: str, person: Person | None = None) -> Any:
    answer = api.call("GET", path, person)
    assert answer.status_code == 200, answer.text
    return answer.json()


def wrote(api: Api, minutes: int = 0, **values: Any) -> UUID:
    made, at = uuid4(), NOW - timedelta(minutes=minutes)
    shown = {"first_name": "Embla", "last_name": "Jónsdóttir", "email": "embla@example.com", "message": "We sell wool."}
    api.query.insert("inquiries", {"id": made, **shown, "status": "new", "received_at": at, "updated_at": at, **values})
    return made


def unit_of_work(api: Api) -> UnitOfWork:
    return UnitOfWork(api.core.store, api.core.pool, api.core.settings, CommandContext(NOW))


def kept(api: Api, kind: Any, email: str, name: str | None = None) -> UUID:
    """An address as the command service writes it down."""
    made = contacts.id_of(api.core.settings, kind, email)
    with unit_of_work(api) as uow:
        lead_contacts.keep(uow, kind, made, email, name)
    return made


def signed_up(api: Api, email: str, minutes: int, place: int | None = None, **values: Any) -> UUID:
    made = kept(api, "early_access", email)
    joined = NOW + timedelta(minutes=minutes)
    api.query.insert("early_access", {"id": made, "place": place, "joined_at": joined, **values})
    return made


def test_the_inbox_by_page_status_and_words(api: Api) -> None:
    admin = admin_of(api)
    old = wrote(api, 60 * 25)
    found = wrote(api, 10, message="100% of_it\\", service_interest="Enterprise Solution", assigned_to=admin.account_id)
    wrote(api, 5, status="spam")
    wrote(api, 1, erased=True, message="gone")
    first = api.call("GET", "/api/admin/inquiries?limit=2", admin)
    assert len(first.json()) == 2 and 'rel="next"' in first.headers["Link"]
    rest = got(api, first.headers["Link"][1:].partition(">")[0], admin)
    assert [one["id"] for one in rest] == [str(old)]
    assert datetime.fromisoformat(rest[0]["answerBy"]) == NOW - timedelta(hours=1)
    assert [one["status"] for one in got(api, "/api/admin/inquiries?status=spam", admin)] == ["spam"]
    for words in ("100%25", "of_it%5C", "EMBLA j"):
        shown = got(api, f"/api/admin/inquiries?status=new&search={words}", admin)
        assert str(found) in [one["id"] for one in shown]
    assert got(api, "/api/admin/inquiries?search=of%25it", admin) == []
    [one] = [one for one in got(api, "/api/admin/inquiries", admin) if one["id"] == str(found)]
    assert (one["assignedTo"], one["assignedName"]) == (str(admin.account_id), "Ada")
    assert (one["serviceInterest"], one["status"]) == ("Enterprise Solution", "new")


def test_one_inquiry_with_what_was_done_about_it(api: Api) -> None:
    admin = admin_of(api)
    inquiry = wrote(api, status="answered", answered_at=NOW)
    for number, (kind, text) in enumerate((("assigned", str(admin.account_id)), ("answer", "On Monday."))):
        step = {"inquiry_id": inquiry, "number": number, "kind": kind, "text": text}
        api.query.insert("inquiry_steps", {**step, "actor_id": admin.account_id, "at": NOW})
    found = got(api, f"/api/admin/inquiries/{inquiry}", admin)
    assert [(step["kind"], step["text"], step["by"], step["mail"]) for step in found["steps"]] == [
        ("assigned", "Ada", "Ada", None),
        ("answer", "On Monday.", "Ada", None),
    ]
    mail = Mail("embla@example.com", "Re: Your inquiry", "On Monday.", "inquiry_answer", about=inquiry, about_step=1)
    with api.core.pool.connection() as connection, connection.cursor() as cursor:
        queue(cursor, api.core.settings, mail)
    for state in ("waiting", "sent", "failed"):  # shown as sent only once a server took it
        api.query.postgres.execute("UPDATE kernel.mail SET state = %s WHERE about = %s", (state, inquiry))
        assert got(api, f"/api/admin/inquiries/{inquiry}", admin)["steps"][1]["mail"] == state
    assert found["answerBy"] is None
    erased = wrote(api, erased=True)
    for missing in (erased, uuid4()):
        assert api.call("GET", f"/api/admin/inquiries/{missing}", admin).status_code == 404


def test_subscribers_and_their_file(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = admin_of(api)
    formula = kept(api, "newsletter", "ada@example.com", "=HYPERLINK(1)")
    ended, pending = uuid4(), kept(api, "newsletter", "eve@example.com")
    common = {"source": "home_page", "requested_at": NOW}
    api.query.insert("subscriptions", {"id": formula, "state": "confirmed", "confirmed_at": NOW, **common})
    api.query.insert("subscriptions", {"id": ended, "state": "ended", "ended_at": NOW, **common})
    api.query.insert("subscriptions", {"id": pending, "state": "pending", **common})
    shown = {one["id"]: one for one in got(api, "/api/admin/subscribers", admin)}
    assert (shown[str(formula)]["email"], shown[str(formula)]["name"]) == ("ada@example.com", "=HYPERLINK(1)")
    assert shown[str(ended)]["email"] is None
    assert [one["id"] for one in got(api, "/api/admin/subscribers?state=pending", admin)] == [str(pending)]
    for email, ids in (("ADA@example.com", [str(formula)]), ("ada@example", []), ("nobody@example.com", [])):
        assert [one["id"] for one in got(api, f"/api/admin/subscribers?email={email}", admin)] == ids
    answer = api.call("GET", "/api/admin/subscribers.csv", admin)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="subscribers.csv"'
    older = [uuid4() for _ in range(5)]
    for number, one in enumerate(older):
        sealed = contacts.encrypt_field(api.query.settings, one, "email", f"{number}@example.com")
        api.query.postgres.execute(
            "INSERT INTO leads.contact (id, kind, email_sealed) VALUES (%s, 'newsletter', %s)", (one, sealed)
        )
        times = {"requested_at": NOW - timedelta(days=1), "confirmed_at": NOW}
        api.query.insert("subscriptions", {"id": one, "state": "confirmed", "source": "blog", **times})
    monkeypatch.setattr("query_api.leads.admin._BATCH_SIZE", 2)
    whole = list(csv.DictReader(io.StringIO(api.call("GET", "/api/admin/subscribers.csv", admin).text)))
    assert {row["id"] for row in whole} == {str(formula), *map(str, older)} and len(whole) == 6
    [row] = csv.DictReader(io.StringIO(answer.text))
    assert (row["email"], row["name"]) == ("ada@example.com", "'=HYPERLINK(1)")
    settings = api.query.settings
    for column, url in (
        ("unsubscribeUrl", unsubscribe_page(settings, "newsletter", formula)),
        ("oneClickUrl", one_click_url(settings, formula)),
    ):
        assert row[column].endswith(url.removeprefix(settings.app_url)), column


def test_places_and_the_line_behind_them(api: Api) -> None:
    admin = admin_of(api)
    assert got(api, "/api/public/early-access") == {"places": 10, "left": 10}
    signed_up(api, "one@example.com", 1, place=1, invited_at=NOW)
    assert got(api, "/api/public/early-access") == {"places": 10, "left": 9}
    signed_up(api, "three@example.com", 3)
    signed_up(api, "two@example.com", 2)
    gone = signed_up(api, "gone@example.com", 0, left_at=NOW)
    assert got(api, "/api/public/early-access")["left"] == 0  # what is free belongs to those who wait
    first = api.call("GET", "/api/admin/early-access?limit=2", admin)
    shown = [*first.json(), *got(api, first.headers["Link"][1:].partition(">")[0], admin)]
    assert [(one["email"], one["place"], one["waitingNumber"]) for one in shown] == [
        ("one@example.com", 1, None),
        ("two@example.com", None, 1),
        ("three@example.com", None, 2),
    ]
    assert str(gone) not in [one["id"] for one in shown]
    wrote(api)
    assert got(api, "/api/admin/leads", admin) == {
        "inquiries": {"new": 1}, "subscribers": {}, "places": 10, "placesTaken": 1, "waiting": 2,
    }  # fmt: skip


def test_an_unsubscribe_link_opened_in_a_browser_leads_to_the_page_and_changes_nothing(api: Api) -> None:
    contact = kept(api, "newsletter", "ada@example.com")
    address = one_click_url(api.query.settings, contact).removeprefix(api.query.settings.app_url)
    for method in ("GET", "HEAD"):
        answer = api.call(method, address, follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["Location"].endswith(f"/newsletter/unsubscribe#code={address.rpartition('/')[2]}")
    with unit_of_work(api) as uow:
        assert lead_contacts.find(uow, contact) is not None
    assert api.call("GET", "/api/public/newsletter/stop/https:%2F%2Fevil.example", follow_redirects=False).is_error


def test_the_sitemap_lists_public_pages_only(api: Api) -> None:
    seller = api.query.person()
    shown, draft, thread, held = (uuid4() for _ in range(4))
    words = {"title": "T", "title_lower": "t", "website_url": "https://t.example", "description": "D"}
    for one, status in ((shown, "active"), (draft, "draft")):
        listing = {"seller_id": seller.account_id, "status": status, "created_at": NOW, "published_at": NOW, **words}
        api.query.insert("listings", {"id": one, **listing})
    for one, visible in ((thread, True), (held, False)):
        started = {"category_id": uuid4(), "author_id": seller.account_id, "first_post_id": uuid4(), "created_at": NOW}
        places = {"position": 1, "last_position": 1}
        api.query.insert("forum_threads", {"id": one, "title": "T", "visible": visible, **started, **places})
    with pool(api.query.settings, 1, configure=take_role) as readers:
        told = SitemapCache().read(PostgresReader.of_service(readers), api.query.settings).decode()
    for path in (f"/marketplace/listing/{shown}", f"/forum/thread/{thread}"):
        assert f"<loc>{api.query.settings.app_url}{path}</loc><lastmod>{NOW.date()}</lastmod>" in told
    assert str(draft) not in told and str(held) not in told
    answer = api.call("GET", "/api/public/sitemap.xml")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/xml")
    for table, ids in (("listings", (shown, draft)), ("forum_threads", (thread, held))):
        api.query.postgres.execute(f"DELETE FROM read.{table}__g1 WHERE id = ANY(%s)".encode(), (list(ids),))


def test_admins_are_found_by_their_role(api: Api) -> None:
    admin, member = admin_of(api), api.query.person()
    found = [one["id"] for one in got(api, "/api/admin/accounts?role=admin&limit=100", admin)]
    assert str(admin.account_id) in found and str(member.account_id) not in found


def test_an_address_to_write_to_is_public_where_there_is_one(api: Api) -> None:
    about = got(api, "/api/platform/about")
    assert about["contactEmail"] is None and set(about["profiles"].values()) == {None}
    assert (about["figures"]["protectedUsers"], about["figures"]["dataBreaches"]) == ("50K+", "0")
