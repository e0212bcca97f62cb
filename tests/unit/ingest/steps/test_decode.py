"""Bodies of every kind: one bad event never loses the good ones around it."""

import gzip
import json
import zlib

import pytest

from ingest.errors import EventRejected
from ingest.rows import SentEvent
from ingest.steps.decode import MAX_BODY, MAX_EVENT_BYTES, MAX_EVENTS, decode, inflate

JSON = b"application/json"
LINES = b"application/x-ndjson"
GOOD = b'{"type":"good"}'

BAD = {
    "NaN": (b'{"type":"x","value":NaN}', "bad_json"),
    "Infinity": (b'{"type":"x","value":-Infinity}', "bad_json"),
    "1e400": (b'{"type":"x","value":1e400}', "bad_value"),
    "float": (b'{"type":"x","value":1.5}', "bad_value"),
    "bool": (b'{"type":"x","value":true}', "bad_value"),
    "text": (b'{"type":"x","value":"5"}', "bad_value"),
    "bad utf-8": (b'{"type":"x","title":"\xff\xfe"}', "bad_json"),
    "lone surrogate": (b'{"type":"x","title":"\\ud800"}', "bad_json"),
    "raw control character": (b'{"type":"x","title":"a\x00b"}', "bad_json"),
    "no type": (b'{"url":"/"}', "missing_type"),
    "type is a number": (b'{"type":5}', "bad_type"),
    "not an object": (b'"pageview"', "not_an_event"),
    "null": (b"null", "not_an_event"),
    "array inside": (b'[{"type":"x"}]', "not_an_event"),
    "single quotes": (b"{'type':'x'}", "bad_json"),
    "trailing comma": (b'{"type":"x",}', "bad_json"),
    "deep": (b'{"type":"x","props":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}", "bad_json"),
    "too large": (b'{"type":"x","title":"' + b"a" * MAX_EVENT_BYTES + b'"}', "event_too_large"),
    "empty object": (b"{}", "missing_type"),
}


@pytest.mark.parametrize(("bad", "code"), BAD.values(), ids=BAD)
def test_a_bad_event_in_an_array_costs_only_itself(bad: bytes, code: str) -> None:
    events, alone = decode(b"[" + GOOD + b", " + bad + b" ," + GOOD + b"]", JSON)
    assert not alone and len(events) == 3
    assert isinstance(events[0], SentEvent) and isinstance(events[2], SentEvent)
    assert isinstance(events[1], EventRejected) and events[1].code == code


@pytest.mark.parametrize(("bad", "code"), BAD.values(), ids=BAD)
def test_a_bad_event_on_a_line_costs_only_itself(bad: bytes, code: str) -> None:
    events, _ = decode(GOOD + b"\r\n\n" + bad + b"\n" + GOOD, LINES)
    assert [isinstance(event, SentEvent) for event in events] == [True, False, True]
    assert isinstance(events[1], EventRejected) and events[1].code == code


@pytest.mark.parametrize(("bad", "code"), BAD.values(), ids=BAD)
def test_a_bad_event_alone(bad: bytes, code: str) -> None:
    if bad.startswith(b"["):
        return  # an array of one good event
    events, alone = decode(bad, JSON)
    assert alone and isinstance(events[0], EventRejected) and events[0].code == code


@pytest.mark.parametrize("body", [b"[", b'[{"type":"x"}', b'[{"type":"x"}] x', b"[1,2"])
def test_what_is_no_array_is_refused_whole(body: bytes) -> None:
    with pytest.raises(EventRejected) as refused:
        decode(body, JSON)
    assert refused.value.code == "bad_json"


def test_an_empty_body_is_one_event_that_is_refused() -> None:
    [event], is_alone = decode(b"", JSON)
    assert is_alone and isinstance(event, EventRejected) and event.code == "bad_json"


def test_a_hundred_thousand_brackets_are_refused_quickly_and_whole() -> None:
    with pytest.raises(EventRejected) as caught:
        decode(b"[" * 100_000, JSON)
    assert caught.value.code == "bad_json"


def test_a_batch_has_at_least_one_event_and_a_highest_number() -> None:
    with pytest.raises(EventRejected) as caught:
        decode(b"[]", JSON)
    assert caught.value.code == "empty"
    assert len(decode(b"[" + b",".join([GOOD] * MAX_EVENTS) + b"]", JSON)[0]) == MAX_EVENTS
    for body, kind in ((b"[" + b",".join([GOOD] * (MAX_EVENTS + 1)) + b"]", JSON), ((GOOD + b"\n") * 10_001, LINES)):
        with pytest.raises(EventRejected) as caught:
            decode(body, kind)
        assert (caught.value.status, caught.value.code) == (413, "too_large")


@pytest.mark.parametrize(
    "kind",
    [
        "application/json; charset=utf-8",
        "text/plain;charset=UTF-8",
        "",
        "application/ld+json",
        "application/json; charset=utf-8; x=y",
        "text/plain;x=y; charset='UTF-8'",
    ],
)
def test_types_that_are_read_as_json(kind: str) -> None:
    assert decode(GOOD, kind.encode())[1]


@pytest.mark.parametrize("kind", ["text/xml", "application/x-www-form-urlencoded", "application/json; charset=latin-1"])
def test_other_types_are_415(kind: str) -> None:
    with pytest.raises(EventRejected) as caught:
        decode(GOOD, kind.encode())
    assert caught.value.status == 415


def test_gzip_is_unpacked_and_anything_else_refused() -> None:
    assert inflate(gzip.compress(GOOD), b"gzip") == GOOD
    assert inflate(GOOD, b"") == GOOD
    for body in (b"nonsense", gzip.compress(GOOD)[:-3], gzip.compress(GOOD) + b"more", b""):
        with pytest.raises(EventRejected) as caught:
            inflate(body, b"gzip")
        assert caught.value.code == "bad_gzip"
    with pytest.raises(EventRejected) as caught:
        inflate(zlib.compress(GOOD), b"br")
    assert caught.value.status == 415


def test_a_gzip_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(64 * MAX_BODY))
    with pytest.raises(EventRejected) as caught:
        inflate(bomb, b"gzip")
    assert caught.value.status == 413


@pytest.mark.timeout(60)
@pytest.mark.parametrize("part", [b'\\"', b'["a\\', b"\\", b'"', b"["])
def test_a_text_that_does_not_end_is_read_once(part: bytes) -> None:
    """Reading it again from every quote in it would take minutes, in which no other request is answered."""
    with pytest.raises(EventRejected) as caught:
        decode(b'["' + part * (999_999 // len(part)), JSON)
    assert caught.value.code in ("bad_json", "too_large")


def test_both_ways_of_decoding_agree() -> None:
    sent = [{"type": "a", "value": 5, "props": {"x": [1, None]}}, {"type": "b", "visitor_id": 7, "sub1": "s"}]
    together, _ = decode(json.dumps(sent).encode(), JSON)
    apart, _ = decode(json.dumps([*sent, 5]).encode(), JSON)
    assert together == apart[:2]
