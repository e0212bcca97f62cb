"""What nobody should send: every call refuses it with a problem document that names the field, and none fails on it.

The calls, parameters and bodies come from the merged OpenAPI document, so a new one is tried automatically.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.kernel.test_access_matrix import PUBLIC, Call, Walk
from tests.support.full_api import Api, SampleData, register
from tests.support.query import QueryService, World
from tests.support.rounds import first_of

_UNSENDABLE = dict.fromkeys([*range(32), 127])
"""What the client itself would not put into a header."""

ANALYTICS = "/api/platform/analytics/overview"
EVENTS = "/api/platform/analytics/events"
DELIVERY = "/api/platform/analytics/delivery"
CONVERSIONS = "/api/platform/conversions"
CUSTOM = "timeRange=custom&from={}&to={}"

REFUSED = [
    (ANALYTICS, CUSTOM.format("2026-02-30", "2026-03-01"), "from"),
    (ANALYTICS, CUSTOM.format("0", "2026-01-01"), "from"),
    (ANALYTICS, CUSTOM.format("2026-01-01", "1767225600"), "to"),
    (ANALYTICS, CUSTOM.format("20260101", "2026-01-02"), "from"),
    (ANALYTICS, CUSTOM.format("2026-W01-1", "2026-01-02"), "from"),
    (ANALYTICS, CUSTOM.format("2026-01-01T00:00:00Z", "2026-01-02"), "from"),
    (ANALYTICS, CUSTOM.format("2026-01-02", "2026-01-01"), "from"),
    (ANALYTICS, CUSTOM.format("0001-01-01", "2026-01-01"), "from"),
    (ANALYTICS, CUSTOM.format("2026-01-01", "9999-12-31"), "to"),
    (ANALYTICS, CUSTOM.format("2000-01-01", "2026-01-01"), "from"),
    (ANALYTICS, CUSTOM.format("2026-01-01", ""), "to"),
    (ANALYTICS, "timeRange=24h&timeRange=7d", "timeRange"),
    (ANALYTICS, "country=DE&country=FR", "country"),
    (ANALYTICS, "country=D%00", "country"),
    (ANALYTICS, "partner=a%00b", "partner"),
    (ANALYTICS, "link=%00", "link"),
    (ANALYTICS, f"partner={quote(chr(39))}%20OR%201=1--", "partner"),
    (ANALYTICS, "link=-nothing-is-called-so", "link"),
    (ANALYTICS, "country=DEU", "country"),
    (ANALYTICS, "country=--", "country"),
    (ANALYTICS, "sub1=" + ",".join(map(str, range(101))), "sub1"),
    (ANALYTICS, "sub1=" + "x" * 257, "sub1"),
    (ANALYTICS, "source=" + "x" * 8193, "source"),
    (ANALYTICS, "timezone=Mars/Olympus", "timezone"),
    (ANALYTICS, "compare=PREVIOUS", "compare"),
    (ANALYTICS, "compare=custom&compareFrom=2026-02-30&compareTo=2026-03-01", "compareFrom"),
    (ANALYTICS, "compareTo=2026-03-01", "compareTo"),
    (ANALYTICS, "timeRange=this_decade", "timeRange"),
    (EVENTS, "limit=0", "limit"),
    (EVENTS, "limit=201", "limit"),
    (EVENTS, "limit=" + "9" * 40, "limit"),
    (EVENTS, "limit=1e2", "limit"),
    (EVENTS, "cursor=WzFd", "cursor"),
    (EVENTS, "cursor=WzFlNDAwLCJ4Il0", "cursor"),
    (EVENTS, "cursor=" + "x" * 513, "cursor"),
    (EVENTS, "of=money", "of"),
    (DELIVERY, "timeRange=3h", "timeRange"),
    (DELIVERY, CUSTOM.format("2026-01-01", "x"), "to"),
    (CONVERSIONS, "status=maybe", "status"),
    (CONVERSIONS, "from=2026-13-01", "from"),
    (CONVERSIONS, "from=2026-01-02&to=2026-01-01", "from"),
    (CONVERSIONS, "to=1989-12-31", "to"),
    (CONVERSIONS, "partnerId=1", "partnerId"),
    (CONVERSIONS, "limit=-1", "limit"),
    (CONVERSIONS, "cursor=%00", "cursor"),
]


@pytest.mark.parametrize(("path", "query", "field"), REFUSED, ids=[f"{p[14:]} {q[:40]}" for p, q, _ in REFUSED])
def test_odd_parameters_are_refused_and_named(
    query_service: QueryService, world: World, path: str, query: str, field: str
) -> None:
    answer = query_service.get(f"{path}?websiteId={world.website}&{query}", world.ada)
    problem = answer.json()
    assert answer.status_code == 400 and answer.headers["Content-Type"] == "application/problem+json"
    assert problem["code"] == "invalid" and problem["message"] == problem["errors"][0]["message"]
    assert [error["field"] for error in problem["errors"]] == [field], problem


@pytest.mark.parametrize(
    "query",
    [
        "timeRange=custom&from=2025-01-01&to=2026-06-30",
        "timeRange=custom&from=2026-01-01&to=2026-01-01&compare=year",
        "country=,,&partner=-&source=",
        "source=-(none),-google&sub1=-x",
        "sub1=" + ",".join(map(str, range(100))),
        f"source={quote('{website:UUID} %(x)s %s')}",
        f"device={quote(chr(39) + '; DROP TABLE events; --')}",
        "source=%ff%fe",
        "country=de",
    ],
)
def test_odd_but_meant_parameters_are_answered(query_service: QueryService, world: World, query: str) -> None:
    assert query_service.get(f"{ANALYTICS}?websiteId={world.website}&{query}", world.ada).status_code == 200


def odd_texts() -> st.SearchStrategy[str]:
    known = [
        "", " ", "0", "-1", "9" * 40, "1e400", "NaN", "null", "\0", "a\0b", "'; DROP TABLE x; --", "%s %(x)s",
        "{a:UUID}", ",", "-", "--", "(none)", "2026-02-30", "9999-12-31", "0001-01-01", "WzFd", "[]", "{}", "\u202e",
        "\U0001d4b3", "x" * 9000, "a," * 3000, "../..", "\r\nX: y", "00000000-0000-0000-0000-000000000000",
    ]  # fmt: skip
    return st.one_of(st.sampled_from(known), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))


def odd_values() -> st.SearchStrategy[Any]:
    numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
    plain = st.one_of(st.none(), st.booleans(), numbers, odd_texts())
    return st.recursive(plain, lambda inner: st.one_of(st.lists(inner, max_size=3), _objects(inner)), max_leaves=5)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.text(max_size=5), inner, max_size=3)


class Sent:
    """Sends odd variants of a call."""

    def __init__(self, api: Api, of: SampleData) -> None:
        self.api, self.of = api, of

    def send(self, call: Call, path: str, headers: dict[str, str], **options: Any) -> None:
        person = self.of.admin if call.is_admins else self.of.owner
        answer = self.api.call(call.method.upper(), path, person, headers=headers, **options)
        kind = answer.headers.get("content-type", "")
        assert answer.status_code < 500, (path, options, headers, answer.text)
        assert answer.status_code < 400 or kind == "application/problem+json", (path, options, headers, answer.text)


@pytest.fixture(scope="module")
def sent(full_api: Api) -> Sent:
    return Sent(full_api, SampleData(full_api))


@pytest.fixture(scope="module")
def calls(full_api: Api, sent: Sent) -> list[Call]:
    found = Walk(full_api.document, sent.of).calls
    return [
        call
        for call in found
        if call.key not in PUBLIC and not call.path.partition("?")[0].endswith(("/live", "/logout"))
    ]


def tried(examples: int, once: Callable[[st.DataObject], None]) -> None:
    """The same examples each time."""
    options = settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    options(given(data=st.data())(once))()


@pytest.mark.parametrize("examples", first_of(100, 300))
def test_no_read_fails_on_odd_input(full_api: Api, calls: list[Call], sent: Sent, examples: int) -> None:
    tried(examples, lambda data: read(full_api, calls, sent, data))


def read(full_api: Api, calls: list[Call], sent: Sent, data: st.DataObject) -> None:
    call = data.draw(st.sampled_from([one for one in calls if one.method == "get"]))
    parameters = full_api.document["paths"][call.template]["get"].get("parameters", [])
    path, query, headers = call.path.partition("?")[0], {"websiteId": str(sent.of.website)}, {}
    query = query if "?" in call.path else {}
    for one in data.draw(st.lists(st.sampled_from(parameters), max_size=3)) if parameters else []:
        value = data.draw(odd_texts())
        if one["in"] == "query":
            query[one["name"]] = value
        elif one["in"] == "header":
            headers[one["name"]] = value[:600].encode("ascii", "replace").decode().translate(_UNSENDABLE).strip()
        elif one["in"] == "path":
            path = call.template.replace(f"{{{one['name']}}}", quote(value, safe="") or "-")
    sent.send(call, f"{path}?{urlencode(query)}" if query else path, headers)


@pytest.mark.parametrize("examples", first_of(100, 250))
def test_no_command_fails_on_odd_input(calls: list[Call], sent: Sent, examples: int) -> None:
    tried(examples, lambda data: command(calls, sent, data))


def command(calls: list[Call], sent: Sent, data: st.DataObject) -> None:
    call = data.draw(st.sampled_from([one for one in calls if one.method != "get"]))
    body = data.draw(st.one_of(odd_values(), st.just(call.body)))
    if isinstance(body, dict) or data.draw(st.booleans()):
        changed = {name: data.draw(odd_values()) for name in data.draw(_some_of(call.body))}
        body = {**(call.body if isinstance(call.body, dict) else {}), **changed}
    sent.send(call, call.path, {}, json=body)


def _some_of(body: Any) -> st.SearchStrategy[list[str]]:
    names = sorted(body) if isinstance(body, dict) else []
    return st.lists(st.sampled_from(names), max_size=2) if names else st.just([])


@pytest.mark.parametrize(
    "text",
    first_of("0" * 35, "abc", "1", "%00", "%7B%7D", "g" * 36),
)
def test_a_malformed_id_in_an_address_is_answered_as_one_that_nothing_has(
    full_api: Api, calls: list[Call], sent: Sent, text: str
) -> None:
    answered = 0
    owner, admin = full_api.query.person(), full_api.query.person("member", "admin")
    for person in (owner, admin):
        register(full_api, person)  # what was sent before may have ended the sessions of others
    for call in calls:
        if call.is_analysts or call.is_websites:
            continue  # who may call these is decided first
        person = admin if call.is_admins else owner
        for name in ids_of(full_api, call):
            path = re.sub(r"\{[^}]+\}", str(sent.of.website), call.template.replace(f"{{{name}}}", text))
            answer = full_api.call(call.method.upper(), path, person, json=call.body)
            assert answer.status_code == 404 and answer.json()["code"] == "not_found", (call.key, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            answered += 1
    assert answered > 100


def ids_of(full_api: Api, call: Call) -> list[str]:
    """The parameters of its address that are ids."""
    operation = full_api.document["paths"][call.template][call.method]
    return [
        one["name"]
        for one in operation.get("parameters", [])
        if one["in"] == "path" and one["schema"].get("format") == "uuid"
    ]
