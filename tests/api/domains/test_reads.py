"""What owners see of their custom domains, and under which name their links are shown. Over the whole API."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.full_api import Api, SampleData

NOW = datetime.now(UTC)
PATH = "/api/platform/custom-domains"


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    return SampleData(full_api)


def projected(api: Api, sample: SampleData, name: str, **changes: Any) -> UUID:
    """A domain as its projection would have it."""
    made = uuid4()
    row = {
        "id": made,
        "account_id": sample.owner.account_id,
        "website_id": sample.website,
        "domain": name,
        "token": "5a" * 20,
        "is_verified": False,
        "ssl_enabled": False,
        "added_at": NOW,
        "expires_at": NOW + timedelta(days=7),
    }
    api.query.insert("custom_domains", {**row, **changes})
    return made


def test_owners_see_their_domains_and_nobody_elses(full_api: Api, sample: SampleData) -> None:
    verified = {"is_verified": True, "verified_at": NOW, "expires_at": NOW - timedelta(days=1)}
    projected(full_api, sample, "verified.example.com", **verified, added_at=NOW + timedelta(seconds=1))
    pending = projected(full_api, sample, "pending.example.com")
    projected(full_api, sample, "expired.example.com", expires_at=NOW - timedelta(days=1))
    projected(full_api, sample, "lost.example.com", lost_at=NOW, verified_at=NOW - timedelta(days=9))
    projected(full_api, sample, "removed.example.com", removed_at=NOW)
    full_api.query.postgres.execute(
        "INSERT INTO domains.dns_check (domain_id, account_id, checked_at, problem)"
        " VALUES (%s, %s, %s, 'There is no TXT record.')",
        (pending, sample.owner.account_id, NOW),
    )
    answer = full_api.call("GET", PATH, sample.owner)
    assert answer.status_code == 200, answer.text
    found = {row["domain"].partition(".")[0]: row for row in answer.json()}
    assert found.pop("go")["id"] == str(sample.custom_domain)
    assert {name: (row["state"], row["isVerified"]) for name, row in found.items()} == {
        "verified": ("verified", True),
        "pending": ("pending", False),
        "expired": ("expired", False),
        "lost": ("lost", False),
    }
    assert [row["addedAt"] for row in answer.json()] == sorted((row["addedAt"] for row in answer.json()), reverse=True)
    row = found["pending"]
    assert (row["problem"], row["websiteId"]) == ("There is no TXT record.", str(sample.website))
    assert (row["verificationName"], row["verificationToken"]) == (
        "_affiliate-challenge.pending.example.com",
        "5a" * 20,
    )
    assert row["lastCheckedAt"] is not None and row["expiresAt"] is not None
    assert found["verified"]["expiresAt"] is None and found["lost"]["verifiedAt"] is None
    assert full_api.call("GET", PATH, sample.admin).json() == []
    assert full_api.call("GET", PATH, full_api.query.person()).json() == []
    assert full_api.call("GET", PATH).status_code == 401
    assert full_api.http.get(full_api.address + PATH, headers=sample.website_headers(full_api)).status_code == 401


def test_links_are_shown_under_the_websites_own_name_once_it_has_tls(full_api: Api, sample: SampleData) -> None:
    path = f"/api/platform/links/{sample.link}"
    name = f"go.{uuid4().hex[:8]}.example"
    domain = projected(full_api, sample, name, is_verified=True, verified_at=NOW)
    assert full_api.call("GET", path, sample.owner).json()["url"].endswith(f"/go/{sample.slug}")
    full_api.query.postgres.execute("UPDATE read.custom_domains SET ssl_enabled = true WHERE id = %s", (domain,))
    assert full_api.call("GET", path, sample.owner).json()["url"] == f"https://{name}/{sample.slug}"
    [listed] = full_api.call("GET", f"/api/admin/links?linkId={sample.link}", sample.admin).json()
    assert listed["url"] == f"https://{name}/{sample.slug}"
