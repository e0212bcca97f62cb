"""Notes on a website's charts: own ones, and those of what happened to its partners and links."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from psycopg.types.json import Jsonb

from tests.support.query import PERCENT_10, QueryService, this_moment


def test_own_and_automatic_notes_of_a_range_newest_first(query_service: QueryService) -> None:
    ada, eve = query_service.person(), query_service.person()
    website, now = query_service.website(ada), this_moment()
    partner, stranger = query_service.partner("Acme"), query_service.partner("Other")
    note, day = uuid4(), timedelta(days=1)
    for at, text, id in ((now - day, "New page", note), (now - 30 * day, "Old", uuid4())):
        query_service.insert("annotations", {"id": id, "website_id": website, "at": at, "text": text})
    link = uuid4()
    for version, at, more in (
        (1, now - 2 * day, {"partner_id": partner}),
        (2, now - day / 2, {}),
        (3, now - day / 3, {"is_redirected": False}),
        (4, now - day / 4, {"partner_id": stranger}),
        (5, now - day / 5, {"shift": Jsonb({"outcome": "shifted"})}),
        (6, now - day / 6, {"shift": Jsonb({"outcome": "collecting"}), "is_redirected": False}),
        (7, now - day / 7, {"restores": 5}),
    ):
        change = {"link_id": link, "version": version, "website_id": website, "at": at, "position": version}
        query_service.insert("link_changes", {**change, **more})
    query_service.insert("links", {
        "id": link, "slug": f"l{note.hex}", "code": note.int % 2**47, "website_id": website, "partner_id": partner,
        "destination": "https://partner.example/", "subs": "{}", "is_active": True, "created_at": now - 2 * day,
    })  # fmt: skip
    query_service.postgres.execute(
        "UPDATE read.partners__g1 SET created_at = %s WHERE id = ANY(%s)", (now - 40 * day, [partner, stranger])
    )
    for promoted in (partner, stranger):
        terms = {"partner_id": promoted, "effective_at": now - 3 * day, "terms": Jsonb(dict(PERCENT_10))}
        query_service.insert("partner_terms", terms)
    span = {"first_at": now - 4 * day, "last_at": now - 2 * day, "imported_at": now}
    query_service.insert("imports", {"id": uuid4(), "website_id": website, "events": 1234, **span})
    path = f"/api/platform/annotations?websiteId={website}&timeRange=7d"
    answer = query_service.get(path, ada)
    assert answer.status_code == 200, answer.text
    assert [(one["kind"], one["text"]) for one in answer.json()] == [
        ("link_changed", f"Link l{note.hex}: weights restored"),
        ("link_changed", f"Link l{note.hex}: weights shifted by results"),
        ("link_changed", f"Link l{note.hex} moved to Other"),
        ("link_changed", f"Link l{note.hex} has a new destination"),
        ("own", "New page"),
        ("link_created", f"Link l{note.hex} created"),
        ("terms_changed", "New terms of Acme"),
        ("imported", "1,234 page views of the past imported"),
    ]
    assert [one["id"] for one in answer.json()] == [None, None, None, None, str(note), None, None, None]
    assert query_service.get(path, eve).status_code == 404
