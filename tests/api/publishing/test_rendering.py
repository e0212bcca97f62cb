"""What a release costs, and whom: only pages that changed are rendered, outside of the command, within a limit."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest

from command_api.kernel.images import uploads as image_uploads
from command_api.publishing import rendering
from infra.domain.publishing.page_workers import RenderedPage
from infra.kernel.worker_processes.pool import JobCancelled
from tests.api.publishing.test_sites import SITES
from tests.support.full_api import Api, SampleData
from tests.support.people import PASSWORD

PAGES = 6


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    return SampleData(full_api)


class LargeSite:
    """A site of some pages."""

    def __init__(self, api: Api, sample: SampleData) -> None:
        self.api, self.owner = api, sample.owner
        body = {"websiteId": str(sample.website), "name": "Large", "slug": f"s-{uuid4().hex[:12]}"}
        self.id = UUID(self.call("POST", SITES, json=body).json()["id"])
        self.path = f"{SITES}/{self.id}"
        self.pages = [uuid4() for _ in range(PAGES)]
        self.version = 1
        self.save_site()
        for page in self.pages:
            self.save(page, "First.", 0)

    def call(self, method: str, path: str, **options: Any) -> Any:
        return self.api.call(method, path, self.owner, **options)

    def save_site(self, **changes: Any) -> None:
        pages = [
            {"id": str(page), "path": f"p{number}" if number else "", "title": f"Page {number}"}
            for number, page in enumerate(self.pages)
        ]
        document = {"name": "Large", "pages": pages, **changes}
        saved = self.call("PUT", f"{self.path}/document", json={"document": document, "basedOn": self.version})
        self.version = saved.json()["documentVersion"]

    def save(self, page: UUID, text: str, based_on: int) -> None:
        document = {"blocks": [{"id": str(uuid4()), "type": "article", "markdown": text}]}
        saved = self.call("PUT", f"{self.path}/pages/{page}", json={"document": document, "basedOn": based_on})
        assert saved.status_code == 200, saved.text

    def publish(self) -> Any:
        return self.call("POST", f"{self.path}/publish")

    def served(self) -> dict[str, str]:
        sql = "SELECT path, convert_from(body, 'UTF8') FROM publishing.site_file WHERE site_id = %s"
        return dict(self.api.query.postgres.execute(sql, (self.id,)).fetchall())

    def sizes(self) -> int:
        return sum(len(text.encode()) for path, text in self.served().items() if path.endswith("index.html"))

    def charged(self) -> int:
        """Bytes of the account's daily budget."""
        sql = "SELECT coalesce(sum(bytes), 0)::bigint FROM kernel.account_usage WHERE account_id = %s"
        [found] = self.api.query.postgres.execute(sql, (self.owner.account_id,)).fetchone() or (None,)
        assert isinstance(found, int)
        return found

    def kept(self) -> int:
        sql = "SELECT count(*) FROM publishing.rendered_page WHERE site_id = %s"
        [count] = self.api.query.postgres.execute(sql, (self.id,)).fetchone() or (None,)
        assert isinstance(count, int)
        return count


@pytest.fixture
def large(full_api: Api, sample: SampleData) -> LargeSite:
    return LargeSite(full_api, sample)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was rendered, page by page."""
    rendered: list[bytes] = []
    render = rendering.WORKERS.render

    def counted(job: bytes, *others: Any) -> RenderedPage:
        rendered.append(job)
        return render(job, *others)

    monkeypatch.setattr(rendering.WORKERS, "render", counted)
    return rendered


def test_a_release_renders_the_pages_that_changed(large: LargeSite, jobs: list[bytes]) -> None:
    before = large.charged()
    assert large.publish().json()["published"] == 1
    assert len(jobs) == PAGES and large.kept() == 0
    assert large.charged() - before >= large.sizes(), "its pages are charged to the account's daily budget"
    assert large.publish().json()["published"] == 1 and len(jobs) == PAGES, "nothing changed"

    large.save(large.pages[2], "Second.", 1)
    assert large.publish().json()["published"] == 2
    assert len(jobs) == PAGES + 1
    served = large.served()
    assert "Second." in served["p2/index.html"] and "First." in served["p3/index.html"]

    assert large.call("POST", f"{large.path}/releases/1/publish").json()["published"] == 3
    assert len(jobs) == PAGES + 2 and "First." in large.served()["p2/index.html"]

    removed = large.pages.pop()
    large.save_site()
    assert large.publish().json()["published"] == 4 and len(jobs) <= PAGES + 3
    assert f"p{PAGES - 1}/index.html" not in large.served() and removed not in large.pages

    large.save_site(author="Ada", name="Larger")
    assert large.publish().json()["published"] == 5
    assert all("Larger" in body for path, body in large.served().items() if path.endswith(".html"))


def test_what_takes_long_goes_on_with_the_next_request(
    large: LargeSite, jobs: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "CPU_S", 1e-9)
    for rendered in range(1, PAGES):
        answer = large.publish()
        assert (answer.status_code, answer.json()["code"]) == (503, "rendering"), answer.text
        assert (answer.json()["rendered"], answer.json()["pages"]) == (rendered, PAGES)
        assert answer.headers["retry-after"] == "1" and large.served() == {} and large.kept() == rendered
    assert large.publish().json()["published"] == 1
    assert len(jobs) == PAGES and large.kept() == 0


def test_pages_of_an_abandoned_release_are_dropped(large: LargeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "CPU_S", 1e-9)
    for version in range(1, 4):
        assert large.publish().json()["rendered"] == 1
        large.save(large.pages[0], f"Text {version}.", version)
    assert large.publish().json()["rendered"] == 1 and large.kept() == 1
    large.call("DELETE", large.path)
    assert large.kept() == 0


def test_what_is_saved_while_pages_are_rendered_is_in_the_release(
    large: LargeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command publishes what is saved at its commit: what was rendered of another version is not taken for it."""
    render, saves = rendering.WORKERS.render, iter(["Meanwhile."])

    def interrupted(job: bytes, *others: Any) -> RenderedPage:
        for text in saves:
            large.save(large.pages[0], text, 1)
        return render(job, *others)

    monkeypatch.setattr(rendering.WORKERS, "render", interrupted)
    published = large.publish()
    assert published.json()["published"] == 1, published.text
    assert "Meanwhile." in large.served()["index.html"]


def test_a_site_that_always_changes_is_not_rendered_endlessly(
    large: LargeSite, jobs: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    render, versions = rendering.WORKERS.render, iter(range(1, 100))

    def interrupted(job: bytes, *others: Any) -> RenderedPage:
        version = next(versions)
        large.save(large.pages[0], f"Text {version}.", version)
        return render(job, *others)

    monkeypatch.setattr(rendering.WORKERS, "render", interrupted)
    assert large.publish().json()["code"] == "busy"
    assert len(jobs) <= PAGES + 4 and large.served() == {}


def test_rendering_ends_when_its_client_leaves(large: LargeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def endless(_: bytes, __: UUID, is_cancelled: Callable[[], bool]) -> RenderedPage:
        begun.set()
        while not is_cancelled():
            pass
        ended.set()
        raise JobCancelled

    monkeypatch.setattr(rendering.WORKERS, "render", endless)
    parts = urlsplit(large.api.address)
    head = "".join(f"{name}: {value}\r\n" for name, value in large.owner.headers.items())
    with socket.create_connection((parts.hostname, parts.port)) as client:
        client.sendall(f"POST {large.path}/publish HTTP/1.1\r\nHost: x\r\n{head}Content-Length: 0\r\n\r\n".encode())
        assert begun.wait(60)
    assert ended.wait(60), "it goes on for nobody"


@pytest.mark.parametrize("what", ["releases", "images"])
def test_sign_in_has_a_thread_while_members_keep_the_processes_busy(
    large: LargeSite, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Forty requests of one member for what takes long; those that are not refused wait until the end of the test."""
    begun, go_on, width = Event(), Event(), 40

    def busy(*_: Any, **__: Any) -> Any:
        begun.set()
        assert go_on.wait(300)
        raise JobCancelled

    pool = rendering.WORKERS.pool if what == "releases" else image_uploads.POOL
    monkeypatch.setattr(pool, "run", busy)

    def send(_: int) -> int:
        if what == "releases":
            return int(large.publish().status_code)
        sent = {"content": b"x", "headers": {"content-type": "image/png"}}
        return int(large.call("POST", f"{large.path}/images", **sent).status_code)

    credentials = {"email": f"{large.owner.account_id.hex}@example.com", "password": PASSWORD}
    with ThreadPoolExecutor(width) as members:
        sent = [members.submit(send, number) for number in range(width)]
        assert begun.wait(60)
        for _ in range(3):
            signed_in = large.api.call("POST", "/api/platform/login", json=credentials)
            assert signed_in.status_code == 200, signed_in.text
        assert not all(one.done() for one in sent)
        go_on.set()
        assert {one.result() for one in sent} <= {429, 503}
