"""What is another's: an admin does not reach it as a member, lists it, and acts on it with a reason that stays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.full_api import Api, SampleData
from tests.support.query import Person
from tests.support.subscriptions import notify

ACTS = {"websites": "disconnect", "links": "delete", "domains": "remove"}


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    return SampleData(full_api)


def test_the_platform_answers_an_admin_as_any_member(full_api: Api, sample: SampleData) -> None:
    site = str(sample.website)
    for path in ("websites", "links", "conversions", "custom-domains"):
        assert full_api.call("GET", f"/api/platform/{path}", sample.admin).json() == [], path
    for path in (
        f"links?websiteId={site}",
        f"links/{sample.link}",
        f"analytics/overview?websiteId={site}",
        f"analytics/live?websiteId={site}",
        f"conversions.csv?websiteId={site}",
        f"conversions/{sample.conversion}/explain",
        f"websites/{site}/keys",
    ):
        assert full_api.status("GET", f"/api/platform/{path}", sample.admin.headers)[0] == 404, path
    for method, path, body in (
        ("PATCH", f"websites/{site}", {"timezone": "UTC"}),
        ("DELETE", f"websites/{site}", None),
        ("POST", f"websites/{site}/keys", {"kind": "secret"}),
        ("PATCH", f"links/{sample.link}", {"isActive": False}),
        ("DELETE", f"custom-domains/{sample.custom_domain}", None),
        ("POST", f"conversions/{sample.conversion}/approve", {}),
    ):
        sent: dict[str, Any] = {"json": body} if body is not None else {}
        assert full_api.call(method, f"/api/platform/{path}", sample.admin, **sent).status_code == 404, path


def test_lists_of_all_with_their_owners_are_searched_sorted_and_paged(full_api: Api, sample: SampleData) -> None:
    for kind, own in (("websites", sample.website), ("links", sample.link), ("domains", sample.custom_domain)):
        path = f"/api/admin/{kind}"
        [found] = full_api.call("GET", f"{path}?ownerId={sample.owner.account_id}", sample.admin).json()
        assert (found["id"], found["ownerId"]) == (str(own), str(sample.owner.account_id)), kind
        assert full_api.call("GET", f"{path}?search=nobody-has-this", sample.admin).json() == []
        for sort in ("created", "name"):
            seen, address = list[str](), f"{path}?sort={sort}&limit=1"
            while address and str(own) not in seen:
                page = full_api.call("GET", address, sample.admin)
                seen += [one["id"] for one in page.json()]
                address = page.links.get("next", {}).get("url", "")
            assert str(own) in seen and len(seen) == len(set(seen)), (kind, sort)


def test_an_act_needs_a_reason_and_stays_with_it_in_the_trail_and_the_owners_activity(full_api: Api) -> None:
    for kind, act in ACTS.items():
        sample = SampleData(full_api)
        id_ = {"websites": sample.website, "links": sample.link, "domains": sample.custom_domain}[kind]
        path = f"/api/admin/{kind}/{id_}/{act}"
        for reason in ("", "  a ", "x" * 501, None):
            assert full_api.call("POST", path, sample.admin, json={"reason": reason}).status_code == 400, reason
        for person in (sample.owner, full_api.query.person("moderator")):
            assert full_api.call("POST", path, person, json={"reason": "a scam"}).status_code == 403
        done = full_api.call("POST", path, sample.admin, json={"reason": "  It sells counterfeits.  "})
        assert done.status_code == 204, done.text
        trail = full_api.call("GET", f"/api/admin/audit-trail?objectId={id_}", sample.admin).json()
        entry = next(one for one in trail if one["actorId"] == str(sample.admin.account_id))
        assert (entry["accountId"], entry["subjectId"]) == (str(sample.owner.account_id), str(id_))
        assert entry["details"]["reason"] == "It sells counterfeits."
        seen = full_api.call("GET", "/api/platform/user/activity", sample.owner).json()
        assert entry["seq"] in [one["seq"] for one in seen]
        assert full_api.call("POST", path, sample.admin, json={"reason": "again, again"}).status_code == 404


def test_an_owner_is_notified_once_of_each_act_with_its_reason(full_api: Api) -> None:
    sample, other = SampleData(full_api), full_api.query.person()
    slug = full_api.call("GET", f"/api/platform/links/{sample.link}", sample.owner).json()["slug"]
    host = full_api.call("GET", "/api/platform/custom-domains", sample.owner).json()[0]["domain"]
    for path in ("links/{}/pause", "links/{}/pause", "links/{}/resume", "websites/{}/disconnect"):
        id_ = sample.link if path.startswith("links") else sample.website
        answer = full_api.call(
            "POST", f"/api/admin/{path.format(id_)}", sample.admin, json={"reason": f"Why: {path[-8:]}"}
        )
        assert answer.is_success, answer.text
    for _ in range(2):
        notify(full_api.core, full_api.query.postgres)
    told = acts_told(full_api, sample.owner)
    assert [title for title, _ in told] == [
        f"An admin disconnected your website {sample.domain}: Why: sconnect",  # one, though its domain went with it
        f"An admin resumed your link /{slug}: Why: }}/resume",
        f"An admin paused your link /{slug}: Why: {{}}/pause",  # one: the second pause changed nothing
    ]
    assert {count for _, count in told} == {1}
    assert host not in str(told) and str(sample.admin.account_id) not in str(told)
    assert acts_told(full_api, other) == acts_told(full_api, sample.admin) == []


def test_what_an_owner_or_an_admin_does_to_the_own_things_notifies_nobody(full_api: Api) -> None:
    sample = SampleData(full_api)
    body = {"json": {"isActive": False}}
    assert full_api.call("PATCH", f"/api/platform/links/{sample.link}", sample.owner, **body).is_success
    own = full_api.call("POST", "/api/platform/websites", sample.admin, json={"domain": f"own-{sample.domain}"}).json()
    reason = {"json": {"reason": "Not needed any more"}}
    assert full_api.call("POST", f"/api/admin/websites/{own['id']}/disconnect", sample.admin, **reason).is_success
    notify(full_api.core, full_api.query.postgres)
    assert acts_told(full_api, sample.owner) == acts_told(full_api, sample.admin) == []


def acts_told(full_api: Api, person: Person) -> list[tuple[str, int]]:
    """Titles and counts of the person's notifications of acts of admins, newest first."""
    found = full_api.call("GET", "/api/platform/notifications", person).json()
    return [(one["title"], one["count"]) for one in found if one["kind"] == "admin_act"]


def test_a_paused_link_is_its_owners_to_resume(full_api: Api) -> None:
    sample = SampleData(full_api)
    path = f"/api/admin/links/{sample.link}"
    for act, is_active in (("pause", False), ("resume", True)):
        answer = full_api.call("POST", f"{path}/{act}", sample.admin, json={"reason": "Its destination is malware"})
        assert (answer.status_code, answer.json()["isActive"]) == (200, is_active)
    own = full_api.call("PATCH", f"/api/platform/links/{sample.link}", sample.owner, json={"isActive": False})
    assert own.status_code == 200
