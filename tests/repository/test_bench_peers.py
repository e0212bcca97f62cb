"""The comparison with peers: the same event for each API, and answers that are held against each other."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

import orjson
import pytest

from tests.bench.bench_peers import against
from tests.bench.peers import events, plain, questions
from tests.bench.peers.events import VIEWS_OF_VISIT, VISITS_AT_ONCE, page_view
from tests.bench.peers.load import counted
from tests.bench.peers.questions import LIMIT, Answer, Counts, differences

END = datetime(2026, 11, 27, tzinfo=UTC)
WEBSITE = "0b0e7bfc-92d4-4f1b-8a54-0a3f3c2a4b55"


def test_a_view_is_always_the_same_but_for_its_id() -> None:
    first, again = page_view(7), page_view(7)
    assert first.id != again.id
    assert (first.path, first.address, first.user_agent) == (again.path, again.address, again.user_agent)
    assert page_view(7, "/crash/7").path == "/crash/7"


def test_a_visitor_has_four_views_that_lie_as_far_apart_as_there_are_visits() -> None:
    views = [page_view(number) for number in range(2 * VISITS_AT_ONCE * VIEWS_OF_VISIT)]
    places: dict[str, list[int]] = {}
    for number, view in enumerate(views):
        places.setdefault(view.address + view.user_agent, []).append(number)
    assert Counter(map(len, places.values())) == {VIEWS_OF_VISIT: 2 * VISITS_AT_ONCE}
    assert {later - earlier for found in places.values() for earlier, later in pairwise(found)} == {VISITS_AT_ONCE}


def test_every_api_gets_the_same_view() -> None:
    view = next(found for found in map(page_view, range(100)) if found.referrer)
    url = "http://127.0.0.1:1/x"
    of_althing = _sent(events.althing_request(url, "pk_1", view))
    of_plain = _sent(events.plain_request(url, "key", view))
    of_umami = _sent(events.umami_request(url, WEBSITE, view))
    for headers, _ in (of_althing, of_plain, of_umami):
        assert (headers["User-Agent"], headers["X-Forwarded-For"]) == (view.user_agent, view.address)
    assert of_althing[1] == of_plain[1]
    assert (of_althing[1]["id"], of_althing[1]["url"]) == (view.id, f"https://{events.DOMAIN}{view.path}")
    payload = of_umami[1]["payload"]
    assert (payload["website"], f"https://{payload['hostname']}{payload['url']}") == (WEBSITE, view.url)
    assert all(payload[name] == of_althing[1][name] for name in ("referrer", "title"))


def test_a_batch_names_each_visitor() -> None:
    views = [page_view(number) for number in range(3)]
    for batch in (events.althing_batch, events.plain_batch):
        headers, body = _sent(batch("http://127.0.0.1:1/x", "key", views))
        assert "X-Forwarded-For" not in headers
        assert [(one["ip"], one["user_agent"]) for one in body] == [(v.address, v.user_agent) for v in views]


def test_the_plain_service_stores_what_was_sent() -> None:
    view = page_view(3)
    _, body = _sent(events.plain_request("http://127.0.0.1:1/x", "key", view))
    stored = dict(
        zip(plain.COLUMNS, plain.event_row(UUID(WEBSITE), plain.Event(**body), "", view.user_agent), strict=True)
    )
    assert (str(stored["id"]), stored["path"], stored["title"]) == (view.id, view.path, view.title)
    assert stored["device"] in ("desktop", "mobile", "tablet")


_VALUES = {"DE": Counts(7, 3), "FR": Counts(5, 2)}
_DAYS = {"2026-11-26 00": Counts(7, 3)}


@pytest.mark.parametrize(
    ("call", "found", "answer"),
    [
        (questions.plain("totals", END), {"pageviews": 7, "visitors": 3, "previous": {}}, {"": Counts(7, 3)}),
        (
            questions.plain("days", END),
            [{"date": "2026-11-26T00:00:00Z", "pageviews": 7, "visitors": 3}],
            _DAYS,
        ),
        (
            questions.plain("countries", END),
            [{"value": name, "pageviews": of[0], "visitors": of[1]} for name, of in _VALUES.items()],
            _VALUES,
        ),
        (
            questions.umami("totals", END, WEBSITE),
            {"pageviews": {"value": 7, "change": 7}, "uniques": {"value": 3, "change": 3}},
            {"": Counts(7, 3)},
        ),
        (
            questions.umami("days", END, WEBSITE),
            {"pageviews": [{"x": "2026-11-26", "y": 7}], "sessions": [{"x": "2026-11-26", "y": 3}]},
            _DAYS,
        ),
        (
            questions.umami("hours", END, WEBSITE),
            {"pageviews": [{"x": "2026-11-26 05:00:00", "y": 7}], "sessions": [{"x": "2026-11-26 05:00:00", "y": 3}]},
            {"2026-11-26 05": Counts(7, 3)},
        ),
        (questions.umami("pages", END, WEBSITE), [{"x": "/a", "y": 7}], {"/a": Counts(7, None)}),
        (questions.umami("referrers", END, WEBSITE), [{"x": None, "y": 7}], {"": Counts(7, None)}),
        (questions.umami("countries", END, WEBSITE), [{"x": "DE", "y": 3}], {"DE": Counts(None, 3)}),
        (questions.althing("totals", END, WEBSITE), {"pageviews": 7, "visitors": 3}, {"": Counts(7, 3)}),
        (
            questions.althing("days", END, WEBSITE),
            [{"date": f"2026-11-2{day}", "pageviews": views, "visitors": 3} for day, views in ((5, 0), (6, 7))],
            _DAYS,
        ),
        (
            questions.althing("hours", END, WEBSITE),
            [{"date": "2026-11-26T05:00:00+00:00", "pageviews": 7, "visitors": 3}],
            {"2026-11-26 05": Counts(7, 3)},
        ),
        (
            questions.althing("countries", END, WEBSITE),
            {"rows": [{"values": {"country": n}, "pageviews": of[0], "visitors": of[1]} for n, of in _VALUES.items()]},
            _VALUES,
        ),
    ],
)
def test_every_system_is_read_to_the_same_answer(call: questions.Call, found: Any, answer: Answer) -> None:
    assert call.read(found) == answer


def test_the_three_are_asked_about_the_same_time() -> None:
    assert questions.plain("days", END).params["start"] == "2026-10-28T00:00:00+00:00"
    assert questions.umami("days", END, WEBSITE).params["startAt"] == "1793145600000"
    found = questions.althing("days", END, WEBSITE).params
    assert (found["from"], found["to"]) == ("2026-10-28", "2026-11-26")
    assert questions.althing("hours", END, WEBSITE).params["from"] == "2026-11-26"


def test_equal_answers_have_no_differences() -> None:
    assert not list(differences(_VALUES, _VALUES))
    assert not list(differences({"DE": Counts(None, 3)}, {"DE": Counts(7, 3)}))


@pytest.mark.parametrize(
    "answer",
    [{"DE": Counts(8, 3)}, {"DE": Counts(7, 2)}, {"FR": Counts(7, 3)}, {}, {"DE": Counts(7, 3), "FR": Counts(1, 1)}],
)
def test_what_is_different_is_named(answer: Answer) -> None:
    assert list(differences(answer, {"DE": Counts(7, 3)}))


def test_only_visitors_may_be_estimates() -> None:
    reference = {"DE": Counts(100, 100)}
    assert not list(differences({"DE": Counts(100, 104)}, reference, 0.05))
    assert list(differences({"DE": Counts(100, 106)}, reference, 0.05))
    assert list(differences({"DE": Counts(101, 100)}, reference, 0.05))


def test_of_equal_values_at_the_end_of_a_list_any_may_be_shown() -> None:
    many = {f"/{number}": Counts(9, 1) for number in range(LIMIT - 1)}
    assert not list(differences({**many, "/a": Counts(5, 1)}, {**many, "/b": Counts(5, 1)}))
    assert list(differences({**many, "/a": Counts(5, 1)}, {**many, "/b": Counts(6, 1)}))


def test_lost_and_doubled_are_counted_apart() -> None:
    found = counted(6, 4, {"/crash/0": 1, "/crash/1": 3, "/crash/3": 1})
    assert (found.lost, found.doubled) == (1, 2)


@pytest.mark.parametrize(
    ("unit", "althing", "other", "note"),
    [
        ("ms", 5, 20, "4 times better"),
        ("ms", 20, 5, "4 times worse"),
        ("events/s", 20, 5, "4 times better"),
        ("events per core-second", 5, 20, "4 times worse"),
        ("events", 0, 3, ""),
    ],
)
def test_a_figure_says_how_many_times_better_or_worse(unit: str, althing: float, other: float, note: str) -> None:
    found = against("what", althing, "Umami", other, unit)
    assert (found["baseline"], found["baseline_name"], found.get("note", "")) == (other, "Umami", note)


def _sent(raw: bytes) -> tuple[dict[str, str], Any]:
    head, _, body = raw.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    assert int(headers["Content-Length"]) == len(body)
    return headers, orjson.loads(body)
