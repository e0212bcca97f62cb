"""Links to threads, listings and members' pages: what other sites and search engines read, and what they do not get."""

from __future__ import annotations

import asyncio
import json
import re
import socketserver
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.http.request_limits import BodyGuard, Receive, Scope, Send
from infra.services.gateway import link_previews
from infra.services.gateway.meta_tags import PageHead, line, with_head, without_page
from infra.services.gateway.preview_routes import InvalidData, PreviewRoute, route_for
from infra.services.gateway.service import Gateway
from tests.contract.gateway.test_gateway import MASTER_KEY, serving
from tests.support.stack import free_ports, wait_for

ORIGIN = "https://app.example.is"
ID = "0192f3a0-0000-7000-8000-000000000002"
OTHER = "0192f3a0-0000-7000-8000-000000000003"
THREAD = f"/forum/thread/{ID}"
LISTING = f"/marketplace/listing/{ID}"
BUILT = (
    b'<!doctype html><html lang="en">\n  <head>\n    <meta name="description" content="Of the build" />\n'
    b'    <title>Althing</title>\n    <script type="module" crossorigin src="/assets/a.js"></script>\n'
    b'  </head>\n  <body><div id="root"></div><p>x</p></body></html>'
)
NASTY = (
    '</title><script>alert(1)</script>"\'><meta name="robots" content="index">&amp;\u202egnp\u2066\x00\n\u2028--> '
    "<!-- \\u003c/script> "
)


class Tags(HTMLParser):
    """What a program finds in a document."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.metas: list[tuple[str, str]] = []
        self.titles: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.canonical: list[str | None] = []
        self._open = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._open = tag
        if tag == "meta" and (given.get("name") or given.get("property")):
            self.metas.append((given.get("name") or given.get("property") or "", given.get("content") or ""))
        elif tag == "link" and given.get("rel") == "canonical":
            self.canonical.append(given.get("href"))
        elif tag == "script":
            self.scripts.append((given, ""))
        elif tag == "title":
            self.titles.append("")

    def handle_endtag(self, _tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "title":
            self.titles[-1] += data
        elif self._open == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)

    @property
    def data(self) -> Any:
        [found] = [text for given, text in self.scripts if given.get("type") == "application/ld+json"]
        return json.loads(found)


def thread(title: str = "Which window?", **more: Any) -> dict[str, Any]:
    author = {"id": OTHER, "name": "Embla", "handle": "embla", "role": "member"}
    return {"id": ID, "title": title, "replies": 3, "createdAt": "2026-11-20T11:00:00Z", "author": author, **more}


def post(excerpt: str = "Does 30 days beat 90?", *, is_first: bool = True) -> dict[str, Any]:
    return {"id": OTHER, "isFirst": is_first, "excerpt": excerpt, "text": f"**{excerpt}**"}


def listing(**more: Any) -> dict[str, Any]:
    return {
        "id": ID,
        "title": "Wool shop",
        "description": "Sells  wool.\n\nWarm and dry.",
        "niche": "ecommerce",
        "status": "active",
        "askingPrice": 12500.5,
        "currency": "USD",
        "image": "/api/marketplace/images/" + "a" * 64,
        "seller": {"id": OTHER, "name": "Embla"},
        "reason": "secret",
        **more,
    }


def filled(path: str, *answers: Any) -> Tags:
    subject = route_for(path)
    assert isinstance(subject, PreviewRoute)
    return Tags(with_head(BUILT, subject.describe(answers, subject.path, ORIGIN), ORIGIN).decode())


class TestHeads:
    def test_a_thread_tells_its_title_its_beginning_and_who_wrote_it(self) -> None:
        found = filled(THREAD, thread(), [post()])
        assert found.titles == ["Which window? · Althing"]
        metas = dict(found.metas)
        assert len(metas) == len(found.metas), "no tag twice"
        assert metas["description"] == metas["og:description"] == "Does 30 days beat 90?"
        assert metas["robots"] == "index, follow"
        assert metas["og:url"] == ORIGIN + THREAD and found.canonical == [ORIGIN + THREAD]
        assert metas["og:image"] == f"{ORIGIN}/og/home.png" and metas["og:image:width"] == "1200"
        assert found.data == {
            "@context": "https://schema.org",
            "@type": "DiscussionForumPosting",
            "headline": "Which window?",
            "text": "Does 30 days beat 90?",
            "url": ORIGIN + THREAD,
            "mainEntityOfPage": ORIGIN + THREAD,
            "datePublished": "2026-11-20T11:00:00Z",
            "author": {"@type": "Person", "name": "Embla", "url": f"{ORIGIN}/forum/member/embla"},
            "commentCount": 3,
            "interactionStatistic": {
                "@type": "InteractionCounter",
                "interactionType": "https://schema.org/CommentAction",
                "userInteractionCount": 3,
            },
        }

    @pytest.mark.parametrize("posts", [None, [], [post("An answer", is_first=False)]])
    def test_a_thread_whose_first_post_is_not_shown_has_no_text_of_another(self, posts: Any) -> None:
        gone = {"id": None, "name": "Deleted member", "handle": None}
        found = filled(THREAD, thread(author=gone, replies=1), posts)
        assert dict(found.metas)["description"] == "A thread in the forum for affiliate marketers, with 1 reply."
        assert found.data["author"] == {"@type": "Person", "name": "Deleted member"}

    def test_a_listing_is_a_product_with_a_price_and_its_picture(self) -> None:
        found = filled(LISTING, listing())
        metas = dict(found.metas)
        assert metas["description"] == "Sells wool. Warm and dry."
        assert metas["og:image"] == metas["twitter:image"] == f"{ORIGIN}/api/marketplace/images/{'a' * 64}"
        assert "og:image:width" not in metas
        offer = found.data["offers"]
        assert (offer["price"], offer["priceCurrency"]) == (12500.5, "USD")
        assert offer["availability"] == "https://schema.org/InStock"
        assert offer["seller"]["url"] == f"{ORIGIN}/marketplace/seller/{OTHER}"

    def test_a_listing_without_price_picture_or_text_has_a_head_all_the_same(self) -> None:
        found = filled(LISTING, listing(askingPrice=None, image=None, description="", niche=None))
        assert dict(found.metas)["og:image"] == f"{ORIGIN}/og/home.png"
        assert len(dict(found.metas)["description"]) > 20
        assert not [given for given, _ in found.scripts if "type" in given and given["type"] != "module"]

    @pytest.mark.parametrize("path", [f"/marketplace/seller/{ID}", "/forum/member/embla"])
    def test_pages_of_people_are_for_shared_links_and_not_for_search_engines(self, path: str) -> None:
        found = filled(path, {"name": "Embla"})
        metas = dict(found.metas)
        assert (metas["og:title"], metas["robots"]) == ("Embla · Althing", "noindex")
        assert found.canonical == []

    def test_hostile_words_stay_words(self) -> None:
        author = {"id": OTHER, "name": NASTY, "handle": "x"}
        subject = route_for(THREAD)
        assert isinstance(subject, PreviewRoute)
        head = subject.describe((thread(NASTY, author=author), [post(NASTY * 3)]), subject.path, ORIGIN)
        document = with_head(BUILT, head, ORIGIN).decode()
        found = Tags(document)
        assert [given for given, _ in found.scripts] == [
            {"type": "module", "crossorigin": None, "src": "/assets/a.js"},
            {"type": "application/ld+json"},
        ]
        assert [content for name, content in found.metas if name == "robots"] == ["index, follow"]
        assert len(found.titles) == 1 and "<script>alert(1)</script>" in unescape(found.titles[0])
        assert document.count("</head>") == 1 and document.count("</script>") == 2
        assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2028\u2029\u2066-\u2069]", document)
        assert document.endswith('  </head>\n  <body><div id="root"></div><p>x</p></body></html>')
        assert "<script>alert(1)" in found.data["author"]["name"]

    def test_long_and_odd_texts_become_one_line(self) -> None:
        assert line("a " * 300, 20) == "a a a a a a a a a a…"
        assert line("x" * 300, 120) == "x" * 119 + "…"
        assert line("  a\u2028b\tc\u0000d\ue000 ", 20) == "a b cd"
        assert line("👩\u200d🚀 \ufeffok", 20) == "👩\u200d🚀 ok"
        assert line("\ud800", 20) == ""
        head = PageHead("t" * 300, "d " * 300, "/p")
        metas = dict(Tags(with_head(BUILT, head, ORIGIN).decode()).metas)
        assert len(metas["og:title"]) <= 130 and len(metas["og:description"]) <= 161

    def test_what_is_not_there_is_not_for_search_engines(self) -> None:
        found = Tags(without_page(BUILT).decode())
        assert ("robots", "noindex") in found.metas and found.titles == ["Althing"] and found.canonical == []

    def test_which_addresses_are_pages(self) -> None:
        assert isinstance(route_for(THREAD), PreviewRoute)
        shouted = route_for(f"/forum/thread/{ID.upper()}/")
        assert isinstance(shouted, PreviewRoute) and shouted.path == THREAD
        for name in ("t1", "%00", "\x00", ID + "0", "{" + ID + "}", ID.replace("-", ""), "_.html", "ï" * 36):
            assert isinstance(route_for(f"/forum/thread/{name}"), InvalidData), name
        for path in ("/", "/forum", "/forum/thread/", f"{THREAD}/x", "/marketplace/deals/" + ID, "/marketplace"):
            assert route_for(path) is None


@dataclass
class Query:
    """A query service: answers by path, or as told."""

    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    seen: list[Mapping[str, Any]] = field(default_factory=list)
    hold: threading.Event | None = None

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.seen.append({"path": scope["path"], "headers": dict(scope["headers"])})
        if self.hold is not None:
            await asyncio.to_thread(self.hold.wait, 20)
        status, content = self.answers.get(scope["path"], (404, {"code": "not_found"}))
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(content).encode()})

    @property
    def asked(self) -> list[str]:
        return [one["path"] for one in self.seen]


@dataclass
class World:
    client: httpx.Client
    query: Query

    def thread(self) -> str:
        """A thread without previous requests; the query service has no other one."""
        name = str(uuid4())
        self.query.answers = {
            f"/api/forum/threads/{name}": (200, thread()),
            f"/api/forum/threads/{name}/posts": (200, [post()]),
        }
        self.query.seen.clear()
        return name


class AnswersOnce(socketserver.StreamRequestHandler):
    """Of a query service that closes a kept connection at the moment in which it is used again."""

    def handle(self) -> None:
        content = json.dumps([post()] if b"/posts" in self._request() else thread()).encode()
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))
        self._request()

    def _request(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            lines.append(line)
        return b"".join(lines)


@contextmanager
def running(folder: Path, query: Query | None, at: int | None = None) -> Iterator[httpx.Client]:
    """The gateway before that query service, before one that runs at a port, or before none."""
    for path in ("forum/thread", "marketplace/listing"):
        (folder / path).mkdir(parents=True)
        (folder / path / "_.html").write_bytes(BUILT)
    (folder / "index.html").write_bytes(BUILT)
    (folder / "404.html").write_bytes(b"<html><head></head><body>404 Page Not Found</body></html>")
    (folder / "pages.json").write_text('["/", "/forum/thread/$id", "/marketplace/listing/$id"]')
    web, port = free_ports(2)
    port = at or port
    settings = Settings(master_key=MASTER_KEY, query_port=port, command_port=port, port=web, public_url=ORIGIN)
    gateway = Gateway(settings, folder)
    with ExitStack() as opened:
        if query is not None:
            opened.enter_context(serving(BodyGuard(query), port))
        opened.enter_context(serving(BodyGuard(gateway), web, lifespan=True))
        yield opened.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{web}", timeout=20))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    query = Query()
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(link_previews, "TIMEOUT_S", 20)
        with running(tmp_path_factory.mktemp("dist"), query) as client:
            yield World(client, query)


class TestPages:
    def test_a_thread_page_has_meta_tags_with_and_without_session(self, world: World) -> None:
        name = world.thread()
        path = f"/forum/thread/{name}"
        signed_in = {"cookie": "__Host-sid=ada", "authorization": "Bearer ada"}
        mine = world.client.get(path, headers=signed_in)
        anonymous = world.client.get(f"{path}/")
        assert mine.status_code == anonymous.status_code == 200 and mine.content == anonymous.content
        assert Tags(mine.text).titles == ["Which window? · Althing"]
        assert mine.headers["cache-control"] == "no-cache" and mine.headers["vary"] == "accept-encoding"
        assert "script-src 'self'" in mine.headers["content-security-policy"]
        for one in world.query.seen:
            assert not {b"cookie", b"authorization"} & set(one["headers"])
        assert world.client.get(path, headers={"accept-encoding": "identity"}).text == mine.text
        head = world.client.head(path)
        assert head.status_code == 200 and head.content == b"" and int(head.headers["content-length"]) > 0
        assert world.client.get(path, headers={"if-none-match": mine.headers["etag"]}).status_code == 304

    def test_a_cached_preview_is_requested_again_when_it_expires(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = world.thread()
        monkeypatch.setattr(link_previews, "CACHE_S", 0.0)
        assert world.client.get(f"/forum/thread/{name}").status_code == 200
        world.query.answers.clear()
        gone = world.client.get(f"/forum/thread/{name}")
        assert gone.status_code == 404 and "noindex" in gone.text and "Which window?" not in gone.text

    def test_only_so_much_is_kept(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        world.thread()
        monkeypatch.setattr(link_previews, "MAX_CACHED", 2)
        monkeypatch.setattr(link_previews, "CACHE_MISSING_S", 1e6)
        names = [str(uuid4()) for _ in range(3)]
        for name in [*names, names[2], names[0]]:
            world.client.get(f"/marketplace/listing/{name}")
        asked = [world.query.asked.count(f"/api/marketplace/listings/{name}") for name in names]
        assert asked == [2, 1, 1], "the oldest of three was evicted"

    def test_what_a_visitor_does_not_find_is_404_with_the_apps_own_screen(self, world: World) -> None:
        name = world.thread()
        answer = world.client.get(f"/marketplace/listing/{name}", headers={"cookie": "sid=its-seller"})
        assert answer.status_code == 404
        assert '<div id="root">' in answer.text and Tags(answer.text).metas[-1] == ("robots", "noindex")
        malformed = world.client.get("/forum/thread/no-such-thing")
        assert malformed.status_code == 404 and "404 Page Not Found" in malformed.text
        assert world.query.asked == [f"/api/marketplace/listings/{name}"]

    def test_only_who_opens_a_page_has_it_looked_up(self, world: World) -> None:
        path = f"/forum/thread/{world.thread()}"
        others = ({"accept": "application/json"}, {"sec-fetch-mode": "cors"}, {"accept": "image/avif"})
        for headers in others:
            assert world.client.get(path, headers=headers).content == BUILT
        assert world.query.asked == []
        browser = {"sec-fetch-mode": "navigate", "accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
        assert "Which window?" in world.client.get(path, headers=browser).text

    def test_many_who_open_one_page_ask_once(self, world: World) -> None:
        name = world.thread()
        hold = world.query.hold = threading.Event()
        try:
            with ThreadPoolExecutor(4) as several:
                asked = [several.submit(world.client.get, f"/forum/thread/{name}") for _ in range(4)]
                wait_for(lambda: bool(world.query.seen), "the first question", 20)
                hold.set()
                assert {one.result(20).status_code for one in asked} == {200}
        finally:
            world.query.hold = None
        assert len(world.query.seen) == 2, "the thread and its posts, each once"

    @pytest.mark.parametrize("answer", [(500, {}), (503, {}), (429, {}), (200, {"odd": 1}), (200, [])])
    def test_an_answer_that_is_none_leaves_the_page_as_it_was_built(
        self, world: World, monkeypatch: pytest.MonkeyPatch, answer: Any
    ) -> None:
        monkeypatch.setattr(link_previews, "PAUSE_S", 0.0)
        name = world.thread()
        world.query.answers[f"/api/forum/threads/{name}"] = answer
        found = world.client.get(f"/forum/thread/{name}")
        assert (found.status_code, found.content) == (200, BUILT)


def test_a_query_service_that_is_away_leaves_the_page_as_it_was_built(tmp_path: Path) -> None:
    with running(tmp_path, None) as client:
        found = client.get(THREAD)
        assert (found.status_code, found.content) == (200, BUILT)
        assert client.get("/forum/thread/nonsense").status_code == 404


def test_a_query_service_that_is_slow_is_waited_for_once_and_then_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_previews, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(link_previews, "PAUSE_S", 1e6)
    hold = threading.Event()
    query = Query(hold=hold)
    with running(tmp_path, query) as client:
        assert client.get(LISTING).content == BUILT
        assert client.get(THREAD).content == BUILT
        hold.set()
        assert f"/api/forum/threads/{ID}" not in query.asked


def test_a_service_that_closes_its_connections_costs_no_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_previews, "TIMEOUT_S", 20)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), AnswersOnce) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with running(tmp_path, None, at=server.server_address[1]) as client:
            for _ in range(3):
                assert "Which window?" in client.get(f"/forum/thread/{uuid4()}").text
        server.shutdown()
