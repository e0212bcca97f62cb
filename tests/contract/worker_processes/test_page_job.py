"""The rendering of a page as a job: the same bytes give the same file, and only what it shows is in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Event, Semaphore
from typing import Any
from uuid import UUID, uuid4

import pytest

from infra.domain.publishing import page_job as jobs
from infra.domain.publishing import page_markdown, page_process
from infra.domain.publishing.document import PageDocument, SiteDocument, SitePage, parse_page, read_page, to_json
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.page_job import file_of_answer, key_of, mentioned, page_job, run_job
from infra.domain.publishing.page_workers import MAX_PER_ACCOUNT, PageWorkers
from infra.domain.publishing.render import PageDates, SiteImage, Surroundings, render_page
from infra.kernel.http.problems import Problem
from infra.kernel.worker_processes.pool import JobCancelled
from infra.kernel.worker_processes.protocol import JobRejected
from tests.support.published_pages import ABOUT, DATES, HOME, LINK, PHOTO, TENTS, blocks, page, site, surroundings

DOCUMENT = page(*blocks())


def text_of(document: PageDocument) -> str:
    return to_json(document).decode()


def job(
    site_: SiteDocument | None = None,
    document: PageDocument = DOCUMENT,
    around: Surroundings | None = None,
    page_id: UUID = TENTS,
) -> bytes:
    text = text_of(document)
    return page_job(site_ or site(), page_id, text, around or surroundings(), mentioned(text))


@contextmanager
def counted_parses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    parsed: list[str] = []
    parse = page_markdown._MARKDOWN.parse

    def counted(source: str) -> Any:
        parsed.append(source)
        return parse(source)

    monkeypatch.setattr(page_markdown._MARKDOWN, "parse", counted)
    yield parsed


@pytest.mark.parametrize("page_id", [HOME, TENTS, ABOUT])
def test_a_job_gives_the_file_that_the_whole_site_gives(page_id: UUID) -> None:
    around = surroundings(dates={page_id: DATES})
    whole = render_page(site(), page_id, DOCUMENT, around)
    assert file_of_answer(run_job(job(around=around, page_id=page_id))) == whole
    lacking = replace(around, links={}, images={})
    whole = render_page(site(), page_id, DOCUMENT, lacking)
    assert whole.problems
    assert file_of_answer(run_job(job(around=lacking, page_id=page_id))) == whole


def changed(page_id: UUID, **values: Any) -> SiteDocument:
    pages = [one.model_copy(update=values) if one.id == page_id else one for one in site().pages]
    return site().model_copy(update={"pages": tuple(pages)})


def test_what_the_page_does_not_show_leaves_it_alone() -> None:
    same = key_of(job())
    around = surroundings()
    for unchanged in (
        job(changed(HOME, description="Other", is_indexed=False)),
        job(changed(ABOUT, description="Other", is_indexed=True)),
        job(site().model_copy(update={"pages": (*site().pages, SitePage(id=uuid4(), path="new", title="New"))})),
        job(around=replace(around, links={**around.links, uuid4(): "/go/other"})),
        job(around=replace(around, images={**around.images, "0" * 64: SiteImage("images/other.webp", 8, 8)})),
        job(around=replace(around, dates={**around.dates, HOME: DATES})),
    ):
        assert key_of(unchanged) == same
    dated = replace(around, dates={TENTS: DATES})
    later = PageDates(DATES.published, DATES.updated + timedelta(hours=3))
    assert key_of(job(around=dated)) == key_of(job(around=replace(dated, dates={TENTS: later})))


def test_the_logo_is_part_of_the_job_of_every_page() -> None:
    logo = {"hash": "d" * 64, "is_decorative": True, "width": 40, "height": 40}
    image = SiteImage(f"images/{'d' * 64}.webp", 40, 40)
    around = surroundings(images={**surroundings().images, "d" * 64: image})
    for page_id in (HOME, TENTS):
        file = file_of_answer(run_job(job(site(logo=logo), around=around, page_id=page_id)))
        assert image.address.encode() in file.body and file.problems == ()


def test_what_the_page_shows_changes_it() -> None:
    around = surroundings(dates={TENTS: DATES})
    keys = [
        key_of(one)
        for one in (
            job(around=around),
            job(changed(TENTS, title="Other"), around=around),
            job(changed(ABOUT, short_title="Us"), around=around),
            job(site().model_copy(update={"language": "de"}), around=around),
            job(document=page(*blocks()[:2]), around=around),
            job(around=replace(around, links={LINK: "/go/other"})),
            job(around=replace(around, images={PHOTO: SiteImage("images/other.webp", 8, 8)})),
            job(around=replace(around, site_key="pk_other")),
            job(around=replace(around, dates={TENTS: PageDates(DATES.published, datetime(2026, 5, 1, tzinfo=UTC))})),
        )
    ]
    assert len(set(keys)) == len(keys)


def test_a_job_of_another_version_of_the_program_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = job()
    monkeypatch.setattr(jobs, "code_hash", lambda: "other")
    assert key_of(job()) != key_of(before)
    with pytest.raises(ValueError, match="updated"):
        run_job(before)


def test_ids_are_found_without_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the page refers to, and what only looks like it."""
    in_code = uuid4()
    document = page(*blocks(), {"type": "article", "markdown": f"`[a](link:{in_code})`"})
    exact = set(document.links()), set(document.images())
    with counted_parses(monkeypatch) as parsed:
        found = mentioned(text_of(document))
    assert exact[0] <= found.ids and in_code in found.ids and exact[1] == found.images
    assert parsed == []


def test_markdown_is_parsed_once_for_a_page_and_not_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was parsed eleven times for a release: by each check, each list of references, and the renderer."""
    articles = [{"type": "article", "markdown": f"Text {number} ![a](image:{PHOTO})"} for number in range(5)]
    content = to_json(page(*articles))
    with counted_parses(monkeypatch) as parsed:
        document = read_page(content)
        assert parsed == []
        run_job(job(document=document))
        assert len(parsed) == len(articles)
        parse_page(content)
        assert len(parsed) == 2 * len(articles)
        parse_page(to_json(page({"type": "article", "markdown": "No image, so no parsing " * 500})))
        assert len(parsed) == 2 * len(articles)


def test_faults_pass_the_process_whole() -> None:
    content = json.dumps({"blocks": [{"id": str(uuid4()), "type": "article", "markdown": f"![](image:{PHOTO})"}]})
    with pytest.raises(DocumentRejected) as direct:
        parse_page(content.encode())
    with pytest.raises(JobRejected) as rejection:
        page_process.run(page_process.CHECK + content.encode())
    assert json.loads(rejection.value.reason) == [
        direct.value.code, direct.value.message, direct.value.field, direct.value.block_id
    ]  # fmt: skip


def test_pages_are_checked_and_rendered_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, account = PageWorkers(), uuid4()
    with counted_parses(monkeypatch) as parsed:
        text = workers.checked(to_json(DOCUMENT), account, lambda: False)
        made = workers.render(job(), account, lambda: False)
        bad = {"blocks": [{"id": str(uuid4()), "type": "article", "markdown": f"![](image:{PHOTO})"}]}
        with pytest.raises(DocumentRejected):
            workers.checked(json.dumps(bad).encode(), account, lambda: False)
    workers.close()
    assert parsed == [] and text == text_of(DOCUMENT)
    assert made.file == render_page(site(), TENTS, DOCUMENT, surroundings()) and made.cpu_s >= 0


def test_an_account_leaves_processes_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, ada, eve = PageWorkers(), uuid4(), uuid4()
    begun, go_on = Semaphore(0), Event()

    def run(*_: Any, **__: Any) -> Any:
        begun.release()
        assert go_on.wait(60)
        raise JobCancelled

    monkeypatch.setattr(workers.pool, "run", run)

    def render(account: UUID) -> int:
        with pytest.raises(Problem) as refusal:
            workers.render(b"", account, lambda: False)
        return refusal.value.status

    with ThreadPoolExecutor() as threads:
        first = [threads.submit(render, ada) for _ in range(MAX_PER_ACCOUNT)]
        assert all(begun.acquire(timeout=60) for _ in first)
        assert render(ada) == 429
        other = threads.submit(render, eve)
        assert begun.acquire(timeout=60)
        go_on.set()
        assert {one.result() for one in [*first, other]} == {503}
    assert render(ada) == 503
