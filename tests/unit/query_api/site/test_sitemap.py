"""The sitemap is computed by one request; the others do not wait in line for it, each with a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from query_api.kernel.postgres_reader import PostgresReader
from query_api.site import sitemap
from query_api.site.sitemap import SitemapCache

PATIENCE_S = 30.0


class SlowReader:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked, self.answers = threading.Event(), threading.Event()

    def rows(self, *_: Any) -> list[Any]:
        self.asked.set()
        assert self.answers.wait(PATIENCE_S)
        return []


@pytest.fixture
def slow() -> Iterator[SlowReader]:
    made = SlowReader()
    yield made
    made.answers.set()


def test_nobody_waits_long_for_another_request(slow: SlowReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "PATIENCE_S", 0.01)
    kept, reader, settings = SitemapCache(), cast(PostgresReader, slow), Settings()
    with ThreadPoolExecutor(1) as other:
        first = other.submit(kept.read, reader, settings)
        assert slow.asked.wait(PATIENCE_S)
        with pytest.raises(Problem) as refused:
            kept.read(reader, settings)
        assert refused.value.status == 503
        slow.answers.set()
        body = first.result(PATIENCE_S)
        slow.asked.clear()
        slow.answers.clear()
        kept._until = 0.0
        again = other.submit(kept.read, reader, settings)
        assert slow.asked.wait(PATIENCE_S)
        assert kept.read(reader, settings) is body
        slow.answers.set()
        assert again.result(PATIENCE_S) == body
