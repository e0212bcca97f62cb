"""Spec §3, §7: every call of the specification is there with method, path, payload and the fields that are read.

What each call does is shown by the tests of its part; here its shape is, by the API's own document and by asking.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.full_api import Api, SampleData

LISTING = (
    "id title websiteUrl description niche status askingPrice monthlyRevenue monthlyProfit monthlyTraffic"
    " yearsEstablished verificationStatus createdAt"
)
DOMAIN = "id domain websiteId isVerified sslEnabled verificationToken"
INVITE = "id code maxUses currentUses expiresAt"
ANALYSIS = "industry target_audience difficulty_level monetization_potential content_strategy key_success_factors"
RECOMMENDATION = (
    "id companyName primaryCategory match_score recommendation commissionType commissionRate commissionAmount"
    " cookieDuration description pros cons approvalDifficulty paymentFrequency"
)
INSIGHT = "id insightType title content confidenceScore"


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    sends: str = ""
    """The fields of its body, or of its query."""
    reads: str = ""
    """The fields of its answer, or of each item of it; `name.` before those of a part."""
    is_list: bool = False
    by_admin: bool = False

    @property
    def key(self) -> str:
        return f"{self.method} {self.path}"


CALLS = (
    Call("post", "/api/public/newsletter/subscribe", "email name source", "ok message"),
    Call("post", "/api/public/early-access", "email", "ok message"),
    Call("post", "/api/public/contact", "firstName lastName email serviceInterest message"),
    Call("get", "/api/admin/analytics", "", "totalClicks totalConversions conversionRate totalRevenue", by_admin=True),
    Call(
        "get", "/api/admin/partners", "", "id name slug baseUrl commission description isActive createdAt",
        is_list=True, by_admin=True,
    ),
    Call("get", "/api/admin/recent-activity", "limit", "id type description timestamp", is_list=True, by_admin=True),
    Call("post", "/api/admin/partners", "name baseUrl commission slug description isActive", "id"),
    Call("patch", "/api/admin/partners/{id}", "name baseUrl commission slug description isActive", "id"),
    Call("post", "/api/platform/login", "email password twoFactorCode", "requires2FA token"),
    Call("post", "/api/platform/register", "email password name company inviteCode", "qrCode token"),
    Call("post", "/api/auth/login", "email password websiteApiKey twoFactorCode", "requires2FA token"),
    Call("get", "/api/marketplace/listings", "", LISTING, is_list=True),
    Call("get", "/api/forum/categories", "", "id name slug description", is_list=True),
    Call("get", "/api/forum/threads", "", "id title categoryId isPinned views createdAt lastReplyAt", is_list=True),
    Call("get", "/api/platform/user", "", "username email createdAt"),
    Call("get", "/api/platform/websites", "", "id domain", is_list=True),
    Call("get", "/api/platform/custom-domains", "", DOMAIN, is_list=True),
    Call("post", "/api/platform/custom-domains", "domain websiteId", DOMAIN),
    Call("delete", "/api/platform/custom-domains/{id}"),
    Call("get", "/api/platform/invite-codes", "", INVITE, is_list=True),
    Call("post", "/api/platform/invite-codes", "maxUses expiresInDays", INVITE),
    Call(
        "get", "/api/platform/analytics/overview", "websiteId timeRange",
        "clicks.total clicks.unique conversions.total conversions.average_commission revenue.total"
        " revenue.active_partners conversion_rate",
    ),
    Call("get", "/api/platform/analytics/clicks", "websiteId timeRange", "date revenue conversions", is_list=True),
    Call("get", "/api/platform/analytics/conversions", "websiteId timeRange", is_list=True),
    Call(
        "get", "/api/platform/analytics/partners", "websiteId timeRange", "partnerName revenue conversions",
        is_list=True,
    ),
    Call("get", "/api/platform/analytics/geographic", "websiteId timeRange", "country clicks revenue", is_list=True),
    Call("post", "/api/analytics/{websiteId}/ai-insights", "", f"insights.{INSIGHT.replace(' ', ' insights.')}"),
    Call("get", "/api/analytics/{websiteId}/insights", "", INSIGHT, is_list=True),
    Call(
        "post", "/api/platform/affiliate/analyze-business", "businessIdea",
        f"analysis.{ANALYSIS.replace(' ', ' analysis.')}",
    ),
    Call("get", "/api/platform/affiliate/profile"),
    Call(
        "get", "/api/platform/affiliate/recommendations", "",
        f"recommendations.{RECOMMENDATION.replace(' ', ' recommendations.')}",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    made, now = SampleData(full_api), datetime.now(UTC)
    invite = {"id": made.invite, "account_id": made.owner.account_id, "max_uses": 2, "created_at": now}
    full_api.query.insert("invites", {**invite, "current_uses": 0, "expires_at": now + timedelta(days=30)})
    return made


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.key)
def test_the_document_has_the_call(full_api: Api, call: Call) -> None:
    operation = full_api.document["paths"][call.path][call.method]
    schemas = Schemas(full_api.document["components"]["schemas"])
    if call.method == "get":
        asked = {one["name"]: one.get("required", False) for one in operation.get("parameters", [])}
    else:
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        asked = schemas.fields(body)
    wanted = set(call.sends.split())
    assert wanted <= asked.keys()
    in_path = {"websiteId"} if "{websiteId}" in call.path else set()
    assert {name for name, required in asked.items() if required} <= wanted | in_path
    [described] = [found for status, found in operation["responses"].items() if status.startswith("2")]
    answer = described.get("content", {}).get("application/json", {}).get("schema", {})
    assert ("items" in answer) is call.is_list
    for name in call.reads.split():
        assert schemas.has(answer, name.split(".")), name


@pytest.mark.parametrize("call", [call for call in CALLS if call.method == "get"], ids=lambda call: call.key)
def test_asking_gives_its_fields(full_api: Api, sample: SampleData, call: Call) -> None:
    values = {"websiteId": str(sample.website), "timeRange": "7d", "limit": "10"}
    found = full_api.call(
        "GET",
        call.path.format(**values),
        sample.admin if call.by_admin else sample.owner,
        params={name: values[name] for name in call.sends.split()},
    )
    assert found.status_code == 200, found.text
    assert isinstance(found.json(), list) is call.is_list
    for item in found.json() if call.is_list else [found.json()]:
        for name in call.reads.split():
            assert is_given(item, name.split(".")), name


def test_lists_of_existing_objects_are_not_empty(full_api: Api, sample: SampleData) -> None:
    figures = (f"analytics/{name}?websiteId={sample.website}" for name in ("clicks", "partners", "geographic"))
    for path in ("websites", "custom-domains", "invite-codes", *figures):
        assert full_api.call("GET", f"/api/platform/{path}", sample.owner).json(), path


@pytest.mark.parametrize("provider", ["google", "github", "microsoft", "linkedin"])
def test_social_sign_in_is_a_navigation(full_api: Api, provider: str) -> None:
    """Of an installation without providers back to the page that says so."""
    answer = full_api.call("GET", f"/api/platform/auth/{provider}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?") and provider in answer.headers["location"]


@dataclass(frozen=True)
class Schemas:
    known: dict[str, Any]

    def options(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The objects that a schema may be, through references, lists and alternatives."""
        if "$ref" in schema:
            return self.options(self.known[schema["$ref"].rpartition("/")[2]])
        if "items" in schema:
            return self.options(schema["items"])
        several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if several:
            return [one for option in several for one in self.options(option)]
        return [schema]

    def fields(self, schema: dict[str, Any]) -> dict[str, bool]:
        """Name, and whether it has to be given."""
        found: dict[str, bool] = {}
        for option in self.options(schema) if schema else []:
            required = option.get("required", [])
            found |= {name: name in required for name in option.get("properties", {})}
        return found

    def has(self, schema: dict[str, Any], path: list[str]) -> bool:
        options = [one["properties"][path[0]] for one in self.options(schema) if path[0] in one.get("properties", {})]
        return any(len(path) == 1 or self.has(option, path[1:]) for option in options)


def is_given(item: Any, path: list[str]) -> bool:
    if isinstance(item, list):
        return all(is_given(one, path) for one in item)
    return not path or (path[0] in item and is_given(item[path[0]], path[1:]))
