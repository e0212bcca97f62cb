"""Every call of the whole API, walked from its own OpenAPI document, with everybody who must not get through.

A new call is tried automatically: its ids are those of Ada's belongings, its body is made from its schema. It must
be refused without a session, and whatever names Ada's belongings must be refused to Eve. The owner gets through, and
what she is answered is what the document says.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, LiteralString
from urllib.parse import quote, urlencode
from uuid import UUID, uuid4

import jsonschema
import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.security.sessions import open_session, revoke_session
from tests.support.access_tokens import create_token, headers_of
from tests.support.full_api import Api, SampleData, register
from tests.support.people import PASSWORD
from tests.support.query import Person, this_moment
from tests.support.rounds import first_of

NOT_THERE = ("dead-letters/{id}", "custom-domains/{id}", "statements/{partnerId}")
"""What nobody has here: other tests have it. A 404 shows that the call was let through."""
PARTS = 6
"""All but the first are for `make test-slow`: every kind of caller who is not signed in makes every call."""
JSON = ("application/json", "application/problem+json")
METHODS = ("get", "post", "put", "patch", "delete", "head")
pytestmark = pytest.mark.timeout(600)
"""Each caller makes each call, on two cores that others use as well."""

PUBLIC = {
    ("get", "/api/platform/about"),
    ("get", "/api/platform/auth/providers"),
    ("get", "/api/platform/auth/{provider}"),
    ("get", "/api/platform/auth/{provider}/callback"),
    ("get", "/api/platform/setup"),
    ("post", "/api/auth/login"),
    ("post", "/api/platform/auth/exchange"),
    ("post", "/api/platform/auth/register"),
    ("post", "/api/platform/email/confirm"),
    ("post", "/api/platform/login"),
    ("post", "/api/platform/login/second-factor"),
    ("post", "/api/platform/password/forgot"),
    ("post", "/api/platform/password/reset"),
    ("post", "/api/platform/register"),
    ("post", "/api/platform/setup"),
    ("get", "/api/public/early-access"),
    ("get", "/api/public/newsletter/stop/{token}"),
    ("get", "/api/public/site-newsletter/stop/{token}"),
    ("get", "/api/public/sitemap.xml"),
    ("get", "/api/forum/categories"),
    ("get", "/api/forum/log"),
    ("get", "/api/forum/members/{handle}"),
    ("get", "/api/forum/members/{handle}/posts"),
    ("get", "/api/forum/search"),
    ("get", "/api/forum/threads"),
    ("get", "/api/forum/threads/{id}"),
    ("get", "/api/forum/threads/{id}/posts"),
    ("post", "/api/public/forum/threads/{id}/view"),
    ("post", "/api/public/notifications/stop/{token}"),
    ("post", "/api/public/notifications/unsubscribe"),
    ("post", "/api/public/contact"),
    ("post", "/api/public/early-access"),
    ("post", "/api/public/early-access/confirm"),
    ("post", "/api/public/early-access/leave"),
    ("post", "/api/public/newsletter/confirm"),
    ("post", "/api/public/newsletter/stop/{token}"),
    ("post", "/api/public/newsletter/subscribe"),
    ("post", "/api/public/newsletter/unsubscribe"),
    ("post", "/api/public/site-newsletter/confirm"),
    ("post", "/api/public/site-newsletter/stop/{token}"),
    ("post", "/api/public/site-newsletter/unsubscribe"),
    ("post", "/api/public/insights-digest/stop/{token}"),
    ("post", "/api/public/reports/stop/{token}"),
    ("post", "/api/public/reports/unsubscribe"),
    ("post", "/api/public/alerts/stop/{token}"),
    ("get", "/api/marketplace/listings"),
    ("get", "/api/marketplace/listings/{id}"),
    ("get", "/api/marketplace/listings/{id}/history"),
    ("get", "/api/marketplace/listings/{id}/questions"),
    ("get", "/api/marketplace/deal-terms"),
    ("get", "/api/marketplace/images/{hash}"),
    ("get", "/api/platform/sites/images/{hash}"),
    ("get", "/api/marketplace/sellers/{id}"),
    ("post", "/api/public/escrow/messages"),
    ("post", "/api/public/marketplace/searches/stop/{token}"),
}
NOT_OFFERED = (
    *("/listings/{id}/offers", "/listings/{id}/questions", "/listings/{id}/watch"),
    *("/review/join", "/review/approve", "/review/reject"),
)
"""What is done to listings that are online, or in a review that one is invited to: the owner's is a draft."""
NEVER_STORED = (
    *("/reveal", "/replay", "/insights/{insightId}/dismiss", "/connection", "/connection/read"),
    "/split/shifts/{version}/undo",
)
"""What is done to a key's secret, a refused report, an insight, a channel's connection and a shift of weights: the
owner has none."""
NOT_SAVED = (
    *("/api/platform/sql/{queryId}", "/api/platform/sql/tokens/{id}", "/api/platform/sql/pins"),
    *("/api/platform/reports", "/api/platform/tokens/{id}"),
)
"""What is done to statements that run and to tokens, and to the query of a body: the sample has none of them."""
ANYBODYS = {("post", "/api/marketplace/questions/{id}/flag"), ("delete", "/api/marketplace/listings/{id}/watch")}
"""What is done to what belongs to others."""
VALUES: Mapping[str, Any] = {
    "domain": "new.example",
    "idea": "pets.city-dogs",
    "reason": "returned",
    "name": "New",
    "email": "eve@example.com",
    "baseUrl": "https://partner.example/",
    "url": "https://hooks.example.com/x",
    "commission": 5,
    "destination": "https://partner.example/x",
    "password": PASSWORD,
    "currentPassword": PASSWORD,
    "newPassword": "a lighthouse, far out",
    "month": "2026-11",
    "fingerprint": "ab" * 32,
    "paidOn": "2026-11-20",
    "from": "2026-11-01",
    "to": "2026-11-02",
    "since": "2026-11-01T00:00:00Z",
    "until": "2026-11-02T00:00:00Z",
    "at": "2026-11-02T00:00:00Z",
    "publishedAt": "2026-11-02T00:00:00Z",
    "scopes": ["read"],
    "queryId": "00000000-0000-4000-8000-000000000001",
}


@dataclass(frozen=True)
class Call:
    """One operation, with the ids of an account's objects."""

    method: str
    template: str
    path: str
    body: Any
    names_belongings: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.method, self.template

    @property
    def is_admins(self) -> bool:
        return self.template.startswith("/api/admin/")

    @property
    def is_analysts(self) -> bool:
        return self.template.startswith("/api/platform/sql")

    @property
    def is_websites(self) -> bool:
        """Whether it takes a website token, and no other."""
        return self.template.startswith("/api/website") or self.template == "/api/auth/logout"

    @property
    def options(self) -> dict[str, Any]:
        return {} if self.body is None else {"json": self.body}


class Described:
    """What the document says about answers."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._validators: dict[str, Any] = {}

    def mismatch(self, call: Call, status: int, body: str) -> str:
        """Why the document does not allow the answer; empty if it does, or describes a file."""
        responses = self._document["paths"][call.template][call.method]["responses"]
        if str(status) not in responses and status < 400:
            return f"status {status} is not described"
        described = str(status) if str(status) in responses else "default"
        content = responses[described].get("content", {})
        objects = [kind for kind in JSON if kind in content and content[kind]["schema"].get("format") != "binary"]
        if not objects:
            return ""
        kind = objects[0]
        of = f"/paths/{_pointer(call.template)}/{call.method}/responses/{described}/content/{_pointer(kind)}/schema"
        if of not in self._validators:
            schema = {"$ref": f"#{of}", **{name: self._document[name] for name in ("paths", "components")}}
            self._validators[of] = jsonschema.Draft202012Validator(schema)
        error = next(self._validators[of].iter_errors(json.loads(body)), None)
        return "" if error is None else f"{error.message} at {error.json_path}"


def _pointer(name: str) -> str:
    """A name within a reference."""
    return quote(name.replace("~", "~0").replace("/", "~1"))


class Walk:
    """Makes the calls out of the document."""

    def __init__(self, document: Mapping[str, Any], of: SampleData) -> None:
        self._document = document
        self.of = of

    @cached_property
    def calls(self) -> list[Call]:
        return list(self._all())

    def _all(self) -> Iterator[Call]:
        for template, operations in self._document["paths"].items():
            for method in METHODS:
                if method in operations:
                    yield self._call(method, template, operations[method])

    def _call(self, method: str, template: str, operation: Mapping[str, Any]) -> Call:
        parameters = operation.get("parameters", [])
        path, names = template, False
        for name in (one["name"] for one in parameters if one["in"] == "path"):
            path = path.replace(f"{{{name}}}", self._id(template, name))
            names = names or name != "kind"
        query = {one["name"]: one for one in parameters if one["in"] == "query"}
        wanted = [name for name, one in query.items() if one.get("required") and name != "websiteId"]
        filled = {name: self._value(name, query[name]["schema"]) for name in wanted}
        if "websiteId" in query:
            filled["websiteId"], names = str(self.of.website), True
        path = f"{path}?{urlencode(filled)}" if filled else path
        body: Any = None
        for content in operation.get("requestBody", {}).get("content", {}).values():
            body = self._value("body", content["schema"])
            names = names or (isinstance(body, dict) and "websiteId" in body)
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {}):
            names = False  # these calls send JSON; tests/api/networks and tests/api/costs tell who may upload
        if template.endswith("/conversions/decisions"):
            body = {**body, "ids": [str(self.of.conversion)]}  # either these or a filter
        if method == "post" and template.endswith(("/links/changes", "/links/changes/plan")):
            body = {**body, "ids": [str(self.of.link)], "arrange": {"addTags": ["x"]}}
        return Call(method, template, path, body, names)

    def _id(self, template: str, name: str) -> str:
        if name == "keyId":
            return str(self.of.key)
        if name == "ruleId":
            return str(self.of.rule)
        if name == "kind":
            return "reply"
        if name in ("number", "release", "version"):
            return "1"
        if name == "pageId":
            return str(self.of.site_page)
        if name == "subscriberId":
            return str(self.of.site_subscriber)
        if "/projections/" in template:
            return "pause" if name == "action" else "links"
        for part, found in (
            ("/admin/accounts/", self.of.owner.account_id),
            ("/listings/", self.of.listing),
            ("/offers/", self.of.offer),
            ("/marketplace/questions/", self.of.question),
            ("/saved-searches/", self.of.saved_search),
            ("/escrow-calls/", self.of.escrow),
            ("/invite-codes/", self.of.invite),
            ("/outbox/", self.of.mail),
            ("/sessions/", self.of.owner.session_id),
            ("/custom-domains/", self.of.custom_domain),
            ("/admin/domains/", self.of.custom_domain),
            ("/analytics/{websiteId}", self.of.website),
            ("/websites/", self.of.website),
            ("/platform/sites/", self.of.site),
            ("/links/changes/", self.of.link_bulk),
            ("/links/", self.of.link),
            ("/social-channels/", self.of.social_channel),
            ("/social-posts/", self.of.social_post),
            ("/annotations/", self.of.annotation),
            ("/costs/", self.of.cost),
            ("/destinations/", self.of.destination),
            ("/alerts/", self.of.alert),
            ("/webhooks/", self.of.webhook),
            ("/views/", self.of.view),
            ("/sql/queries/", self.of.sql_query),
            ("/sql/pins/", self.of.pin),
            ("/platform/reports/", self.of.report),
            ("/conversions/decisions/", self.of.decision),
            ("/conversions/", self.of.conversion),
            ("/payouts/", self.of.payout),
            ("/platform/partners/", self.of.private_partner),
            ("/partner-requests/", self.of.partner_request),
            ("/partners/", self.of.partner),
            ("/statements/", self.of.partner),
            ("/forum/threads/", self.of.thread),
            ("/forum/posts/", self.of.post),
            ("/forum/members/", self.of.owner.account_id),
            ("/notifications/", self.of.notification),
            ("/inquiries/", self.of.inquiry),
            ("/early-access/", self.of.signup),
            ("/subscribers/", self.of.subscription),
            ("/admin/programs/", self.of.program),
            ("/affiliate/applications/", self.of.application),
        ):
            if part in template:
                return str(found)
        return str(uuid4())

    def _value(self, name: str, schema: Mapping[str, Any]) -> Any:
        if "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            return self._value(name, found)
        if name in ("websiteId", "partnerId"):
            return str(self.of.website if name == "websiteId" else self.of.partner)
        if name == "pageId":
            return str(self.of.site_page)
        if name in VALUES and "enum" not in schema:
            return VALUES[name]
        for kind in ("anyOf", "oneOf", "allOf"):
            if kind in schema:
                return self._value(name, schema[kind][0])
        if "enum" in schema:
            return schema["enum"][0]
        if schema.get("type") == "object":
            properties = schema.get("properties", {})
            wanted = {*schema.get("required", ()), *(VALUES.keys() & properties.keys())}
            return {one: self._value(one, properties[one]) for one in properties if one in wanted}
        simple = {"integer": 1, "number": 1, "boolean": True, "array": []}
        return simple.get(str(schema.get("type")), "x" * int(schema.get("minLength", 8)))


@pytest.fixture(scope="module")
def belongings(full_api: Api) -> SampleData:
    return SampleData(full_api)


@pytest.fixture(scope="module")
def calls(full_api: Api, belongings: SampleData) -> list[Call]:
    """Each operation that the committed document has, once."""
    found = Walk(full_api.document, belongings).calls
    assert [call.key for call in found] == recorded()
    assert {*recorded()} >= PUBLIC
    return found


def recorded() -> list[tuple[str, str]]:
    """The operations that `test_the_web_app_is_built_from_this_document` wrote; not those of the tracking API."""
    paths = json.loads((ROOT / "web" / "openapi.json").read_text())["paths"]
    return [
        (method, path)
        for path, operations in paths.items()
        for method in METHODS
        if method in operations and "servers" not in operations
    ]


def outsiders(api: Api, of: SampleData) -> dict[str, dict[str, str]]:
    """Headers of everybody who is not signed in, though most look so. All of them would be admins."""
    query = api.query
    revoked, expired, idle = (query.person("member", "admin") for _ in range(3))
    revoke_session(query.postgres, revoked.session_id)
    for person, change in (
        (expired, "expires_at = now() - interval '1 second'"),
        (idle, "token_expires_at = now() - interval '1 second'"),
    ):
        query.postgres.execute(f"UPDATE accounts.session SET {change} WHERE id = %s".encode(), (person.session_id,))
    opened = open_session(
        query.postgres, account_id=uuid4(), session_id=uuid4(), email="a@example.com", name="", roles=["admin"]
    )
    stolen = open_session(
        query.postgres,
        account_id=uuid4(),
        session_id=uuid4(),
        email="b@example.com",
        name="",
        roles=["admin"],
        browser=True,
    )
    return {
        "nobody": {},
        "made up": {"Authorization": "Bearer x"},
        "revoked": revoked.headers,
        "revoked cookie": {"Cookie": f"sid={revoked.cookie}"},
        "expired": expired.headers,
        "expired cookie": {"Cookie": f"sid={expired.cookie}"},
        "idle token": idle.headers,
        "secret key": {"Authorization": f"Bearer {of.secret_key}"},
        "session id": {"Authorization": f"Bearer {of.admin.session_id}"},
        "cookie as token": {"Authorization": f"Bearer {opened.cookie}"},
        "token as cookie": {"Cookie": f"sid={opened.token}"},
        "stolen token in a browser": {"Authorization": f"Bearer {opened.token}", "Sec-Fetch-Site": "same-origin"},
        "browser's token in a program": {"Authorization": f"Bearer {stolen.token}"},
        "browser's token with another cookie": {
            "Authorization": f"Bearer {stolen.token}",
            "Cookie": f"sid={opened.cookie}",
        },
        "website token": of.website_headers(api),
        "revoked access token": _ended_token(api, of, "revoked_at"),
        "expired access token": _ended_token(api, of, "expires_at"),
        "access token as cookie": {"Cookie": f"sid={create_token(api, of.admin)['token']}"},
        "browser's website token in a program": of.website_headers(api, browser=True),
        "basic": {"Authorization": "Basic YWRtaW46YWRtaW4="},
        "empty": {"Authorization": "Bearer"},
    }


def _ended_token(api: Api, of: SampleData, column: LiteralString) -> dict[str, str]:
    token = create_token(api, of.admin)
    api.query.postgres.execute(f"UPDATE accounts.access_token SET {column} = now() WHERE id = %s", (token["id"],))
    return headers_of(token)


@pytest.mark.parametrize("part", first_of(0, *range(1, PARTS)))
def test_only_who_is_signed_in_gets_through(
    full_api: Api, belongings: SampleData, calls: list[Call], part: int
) -> None:
    """Spec §6. In a part, each call is made by nobody, by who has a token of another kind of session, and by some of
    the others, the next call by the next of them; in all parts together by everybody."""
    nobody, others = {}, outsiders(full_api, belongings)
    for who in ("nobody", "website token"):
        nobody[who] = others.pop(who)
    wrong = []
    for number, call in enumerate(calls):
        turn = {who: headers for place, (who, headers) in enumerate(others.items()) if (place + number) % PARTS == part}
        for who, headers in ({**nobody, **turn} if part == 0 else turn).items():
            if call.key in PUBLIC or (call.is_websites and who == "website token"):
                continue
            headers = headers if call.method == "get" else {**headers, "X-Requested-With": "test"}
            status, body = full_api.status(call.method, call.path, headers, **call.options)
            if status != 401 or any(one in body for one in belongings.ids):
                wrong.append((call.key, who, status, body[:200]))
    assert not wrong, "\n".join(str(one) for one in wrong)


def test_refusals_are_described_as_they_are(full_api: Api) -> None:
    for path, operations in full_api.document["paths"].items():
        for operation in operations.values():
            described = operation["responses"]
            assert "422" not in described and list(described["default"]["content"]) == ["application/problem+json"], (
                path
            )
    assert "HTTPValidationError" not in full_api.document["components"]["schemas"]


class Stranger:
    """A person with a role and an account; another one once a command has changed something for the last."""

    def __init__(self, api: Api, role: str) -> None:
        self._api, self._role = api, role
        self._person: Person | None = None

    def status(self, call: Call) -> tuple[int, str]:
        if self._person is None:
            self._person = self._api.query.person(self._role)
            register(self._api, self._person)
        answer = self._api.status(call.method, call.path, self._person.headers, **call.options)
        if call.method != "get" and answer[0] < 400:
            self._person = None
        return answer


def test_what_is_anothers_is_refused(full_api: Api, belongings: SampleData, calls: list[Call]) -> None:
    """Spec §6. What is not found is answered as what does not exist, so that nobody learns which ids exist. What
    anybody may see, such as a thread, is no secret."""
    before = history(full_api, belongings)
    strangers = {role: Stranger(full_api, role) for role in ("member", "analyst", "moderator")}
    wrong: list[tuple[Any, ...]] = []
    for call in calls:
        if call.key in PUBLIC | ANYBODYS:
            continue
        for role, eve in strangers.items():
            if role == "moderator" and "/forum/" in call.template:
                continue  # theirs: `test_a_moderator_is_no_admin_and_keeps_order_in_the_forum_alone`
            status, body = eve.status(call)
            refused = status == (401 if call.is_websites else 403)
            if not (call.is_admins or call.is_websites):
                refused = status in (403, 404) if call.names_belongings else status < 500
            expected = refused
            secret = (*belongings.ids, belongings.domain, str(belongings.owner.account_id))
            if not expected or any(one in body for one in secret):
                wrong.append((call.key, role, status, body[:200]))
            is_secret = call.names_belongings and not (call.is_admins or call.is_websites)
            if (
                role == "analyst"
                and is_secret
                and status == 404
                and (status, body) != (missing := eve.status(absent(call)))
            ):
                wrong.append((call.key, (status, body), missing))
    assert not wrong, "\n".join(str(one) for one in wrong)
    assert history(full_api, belongings) == before


def absent(call: Call) -> Call:
    """The call with ids that nothing has."""
    ids: defaultdict[str, UUID] = defaultdict(uuid4)
    text = _ID.sub(lambda found: str(ids[found[0]]), json.dumps([call.path, call.body]))
    path, body = json.loads(text)
    return replace(call, path=path, body=body)


_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def takes_access_tokens(api: Api, call: Call) -> bool:
    operation = api.document["paths"][call.template][call.method]
    return any("accessToken" in one for one in operation["security"])


def test_an_access_token_reads_everything_and_changes_nothing(
    full_api: Api, belongings: SampleData, calls: list[Call]
) -> None:
    """Every read takes it, as the session of its account; every command is 403 and says which scope is missing."""
    before = history(full_api, belongings)
    roles = f"/api/admin/accounts/{belongings.admin.account_id}/roles"
    given = full_api.call("PUT", roles, belongings.admin, json={"roles": ["member", "admin"]})
    assert given.status_code == 200, given.text  # a token has the roles of its account, not those of a session
    account, admins = (headers_of(create_token(full_api, one)) for one in (belongings.owner, belongings.admin))
    website = headers_of(create_token(full_api, belongings.owner, belongings.website))
    wrong, reads = [], 0
    for call in calls:
        token = admins if call.is_admins or call.is_analysts else website if call.is_websites else account
        status, body = full_api.status(call.method, call.path, token, **call.options)
        if takes_access_tokens(full_api, call):
            reads += 1
            expected = status not in (401, 403) and status < 500
            expected = expected and (status != 404 or is_found_by_nobody(full_api, belongings, call))
        elif call.key in PUBLIC:
            expected = status not in (401, 403) or "missing_scope" not in body
        else:
            expected = status == (401 if call.is_websites else 403)
            expected = expected and (call.is_websites or ('"missing_scope"' in body and '"scope":"write"' in body))
        if not expected:
            wrong.append((call.key, status, body[:200]))
    assert not wrong, "\n".join(str(one) for one in wrong)
    assert reads > 100
    assert history(full_api, belongings) == before


def is_found_by_nobody(api: Api, of: SampleData, call: Call) -> bool:
    """Whether the session of the account does not find it either."""
    person = of.admin if call.is_admins or call.is_analysts else of.owner
    return not call.is_websites and api.status(call.method, call.path, person.headers, **call.options)[0] == 404


def test_a_token_of_one_website_sees_nothing_of_the_others(
    full_api: Api, belongings: SampleData, calls: list[Call]
) -> None:
    domain = f"{uuid4().hex}.example"
    made = full_api.call("POST", "/api/platform/websites", belongings.owner, json={"domain": domain})
    other = UUID(made.json()["id"])
    full_api.query.insert("websites", {
        "id": other, "account_id": belongings.owner.account_id, "domain": domain, "timezone": "UTC",
        "currency": "USD", "attribution_model": "last_click", "created_at": this_moment(),
    })  # fmt: skip
    token = headers_of(create_token(full_api, belongings.owner, other))
    mine = f"/api/platform/analytics/overview?websiteId={other}"
    assert full_api.status("GET", mine, token)[0] == 200
    secret = (*belongings.ids, belongings.domain, belongings.slug, str(belongings.owner.session_id))
    wrong = []
    for call in calls:
        if call.method != "get" or not takes_access_tokens(full_api, call):
            continue
        status, body = full_api.status(call.method, call.path, token, **call.options)
        refused = status in (403, 404) if call.names_belongings and call.key not in PUBLIC else status < 500
        if call.is_admins or call.is_analysts:
            refused = status == 403
        if not refused or any(one in body for one in secret):
            wrong.append((call.key, status, body[:300]))
    assert not wrong, "\n".join(str(one) for one in wrong)


def test_a_stream_of_anothers_website_does_not_begin(full_api: Api, belongings: SampleData) -> None:
    eve = full_api.query.person()
    path = f"/api/platform/analytics/live?websiteId={belongings.website}"
    headers = {"Accept": "text/event-stream"}
    assert full_api.status("GET", path, {**headers, **eve.headers})[0] == 404
    assert full_api.status("GET", path, headers)[0] == 401
    assert full_api.status("GET", path, {**headers, **belongings.owner.headers})[0] == 200


WITHOUT_SAMPLES = ("/api/platform/networks/", "/api/platform/costs/imports/")
"""The sample data has no import and no connection: `tests/api/networks` and `tests/api/costs` let their owner do each
of these calls."""


def test_the_calls_would_reach_the_owner(full_api: Api, calls: list[Call]) -> None:
    """The same calls with the right permission; without them, any refusal would pass the tests above. What an earlier
    call may have ended is tried again with new belongings. Answers are as the document describes them."""
    wrong: list[tuple[Any, ...]] = []
    described, mine = Described(full_api.document), Walk(full_api.document, SampleData(full_api))
    for number, call in sorted(enumerate(calls), key=lambda numbered: ends(numbered[1])):
        if (
            call.key in PUBLIC
            or call.template.startswith(WITHOUT_SAMPLES)
            or reaches(full_api, mine, number, described) is None
        ):
            continue
        mine = Walk(full_api.document, SampleData(full_api))
        answer = reaches(full_api, mine, number, described)
        if answer is not None and answer[0] != 429:  # a limit of the test's address: the call was let through
            wrong.append((call.key, *answer))
    assert not wrong, "\n".join(str(one) for one in wrong)


def ends(call: Call) -> tuple[bool, bool, int]:
    """Sorts calls: what may end what others need comes after them, and the whole after its parts."""
    return call.method != "get", call.method == "delete", -call.template.count("/") if call.method == "delete" else 0


def reaches(api: Api, mine: Walk, number: int, described: Described) -> tuple[int, str] | None:
    """The response to an owner who was not let through, did not find it or was not answered as described; nothing for
    who was."""
    call, of = mine.calls[number], mine.of
    person = of.admin if call.is_admins or call.is_analysts else of.owner
    headers = of.website_headers(api) if call.is_websites else person.headers
    status, body = api.status(call.method, call.path, headers, **call.options)
    if not is_stream(call) and (mismatch := described.mismatch(call, status, body)):
        return status, f"{mismatch}: {body[:200]}"
    if call.key == ("post", "/api/platform/2fa/confirm"):
        return None if (status, '"wrong_code"' in body) == (403, True) else (status, body[:200])
    if (status, '"tables_behind"' in body) == (503, True):  # no projector runs here
        return None
    unknown = "dead-letters/{id}" in call.template or "linked-sign-ins/{id}" in call.template
    unknown = unknown or call.template.endswith((*NOT_OFFERED, *NEVER_STORED)) or call.template in NOT_SAVED
    failed = status in (401, 403, 429) or status >= 500 or (status == 404 and not unknown)
    return (status, body[:200]) if failed else None


def is_stream(call: Call) -> bool:
    return call.template.endswith("/live")


def history(api: Api, of: SampleData) -> list[Any]:
    """How much was decided about each of the belongings."""
    ids = [of.website, of.link, of.conversion, of.partner, of.private_partner, of.partner_request]
    return api.query.postgres.execute(
        "SELECT originator_id, count(*) FROM events.stored_events WHERE originator_id = ANY(%s) GROUP BY 1 ORDER BY 1",
        (ids,),
    ).fetchall()


def test_the_web_app_is_built_from_this_document(full_api: Api) -> None:
    """After a change of the API: `OPENAPI_WRITE=1 pytest` of this test writes it; the build makes types of it."""
    path, settings = ROOT / "web" / "openapi.json", full_api.query.settings
    text = json.dumps(full_api.whole_document, indent=2, ensure_ascii=False) + "\n"
    text = text.replace(full_api.address, "https://app.example.com")
    text = text.replace(settings.tracking_base_url, "https://track.example.com")
    if os.environ.get("OPENAPI_WRITE"):
        path.write_text(text)
    assert json.loads(path.read_text()) == json.loads(text)
