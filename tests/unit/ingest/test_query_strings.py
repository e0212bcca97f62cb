"""Query strings: the standard library's reading, except that repeated names keep their first value."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import EventRejected
from ingest.query_strings import MAX_ESCAPES, MAX_PARAMETERS, parameters

PARTS = st.sampled_from([b"a", b"b", b"=", b"&", b"+", b"%41", b"%C3%A9", b"%", b"%zz", b"\xe9", b";", b"%00"])


@given(st.lists(PARTS, max_size=20).map(b"".join))
def test_a_query_is_read_as_the_standard_library_reads_it(query: bytes) -> None:
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, encoding="utf-8", errors="strict")
    except UnicodeDecodeError:
        with pytest.raises(EventRejected):
            parameters(query)
    else:
        assert parameters(query) == dict(reversed(pairs))


@pytest.mark.parametrize(
    "query", [b"a=%ff", b"%c3=a", b"&" * MAX_PARAMETERS, b"a=" + b"%41" * (MAX_ESCAPES + 1)], ids=range(4)
)
def test_what_cannot_be_read_is_rejected(query: bytes) -> None:
    with pytest.raises(EventRejected) as found:
        parameters(query)
    assert found.value.code == "bad_query"


def test_as_many_parameters_as_allowed() -> None:
    assert len(parameters(b"&".join(b"p%d=1" % number for number in range(MAX_PARAMETERS)))) == MAX_PARAMETERS
