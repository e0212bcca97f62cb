"""What owners see of their custom domains, and under which name their links are shown. Over the whole API."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.whole_api import Api, Belongings

NOW = datetime.now(UTC)
PATH = "/api/platform/custom-domains"


@pytest.fixture(scope="module")
def theirs(whole_api: Api) -> Belongings:
    return Belongings(whole_api)


def projected(api: Api, theirs: Belongings, name: str, **changes: Any) -> UUID:
    """A domain as its projection would have it."""
    made = uuid4()
    row = {
        "id": made,
        "account_id": theirs.owner.account_id,
        "website_id": theirs.website,
        "domain": name,
        "token": "5a" * 20,
        "is_verified": False,
        "ssl_enabled": False,
        "added_at": NOW,
        "expires_at": NOW + timedelta(days=7),
    }
    api.query.insert("custom_domains", {**row, **changes})
    return made


def test_owners_see_their_domains_and_nobody_elses(whole_api: Api, theirs: Belongings) -> None:
    verified = {"is_verified": True, "verified_at": NOW, "expires_at": NOW - timedelta(days=1)}
    projected(whole_api, theirs, "verified.example.com", **verified, added_at=NOW + timedelta(seconds=1))
    pending = projected(whole_api, theirs, "pending.example.com")
    projected(whole_api, theirs, "expired.example.com", expires_at=NOW - timedelta(days=1))
    projected(whole_api, theirs, "lost.example.com", lost_at=NOW, verified_at=NOW - timedelta(days=9))
    projected(whole_api, theirs, "removed.example.com", removed_at=NOW)
    whole_api.query.postgres.execute(
        "INSERT INTO policy.custom_domain (domain_id, account_id, website_id, checked_at, problem)"
        " VALUES (%s, %s, %s, %s, 'There is no TXT record.')",
        (pending, theirs.owner.account_id, theirs.website, NOW),
    )
    answer = whole_api.call("GET", PATH, theirs.owner)
    assert answer.status_code == 200, answer.text
    found = {row["domain"].partition(".")[0]: row for row in answer.json()}
    assert found.pop("go")["id"] == str(theirs.custom_domain)
    assert {name: (row["state"], row["isVerified"]) for name, row in found.items()} == {
        "verified": ("verified", True),
        "pending": ("pending", False),
        "expired": ("expired", False),
        "lost": ("lost", False),
    }
    assert [row["addedAt"] for row in answer.json()] == sorted((row["addedAt"] for row in answer.json()), reverse=True)
    row = found["pending"]
    assert (row["problem"], row["websiteId"]) == ("There is no TXT record.", str(theirs.website))
    assert (row["verificationName"], row["verificationToken"]) == (
        "_affiliate-challenge.pending.example.com",
        "5a" * 20,
    )
    assert row["lastCheckedAt"] is not None and row["expiresAt"] is not None
    assert found["verified"]["expiresAt"] is None and found["lost"]["verifiedAt"] is None
    assert whole_api.call("GET", PATH, theirs.admin).json() == []
    assert whole_api.call("GET", PATH, whole_api.query.person()).json() == []
    assert whole_api.call("GET", PATH).status_code == 401
    assert whole_api.http.get(whole_api.address + PATH, headers=theirs.website_headers(whole_api)).status_code == 401


def test_links_are_shown_under_the_websites_own_name_once_it_has_tls(whole_api: Api, theirs: Belongings) -> None:
    path = f"/api/platform/links/{theirs.link}"
    name = f"go.{uuid4().hex[:8]}.example"
    domain = projected(whole_api, theirs, name, is_verified=True, verified_at=NOW)
    assert whole_api.call("GET", path, theirs.owner).json()["url"].endswith(f"/go/{theirs.slug}")
    whole_api.query.postgres.execute("UPDATE read.custom_domains SET ssl_enabled = true WHERE id = %s", (domain,))
    for person in (theirs.owner, theirs.admin):
        assert whole_api.call("GET", path, person).json()["url"] == f"https://{name}/{theirs.slug}"
