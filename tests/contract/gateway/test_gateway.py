"""The web app's port: static files, headers, the way to the services, live streams. Real sockets, fake services."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.requests import Request

from infra.kernel.config.settings import Settings
from infra.kernel.http.request_limits import App, BodyGuard, Receive, Scope, Send, guarded_protocol
from infra.kernel.http.server import KEEP_ALIVE_S
from infra.kernel.security.client_info import client_of
from infra.kernel.security.forwarding import forwarding_key, proof_of
from infra.services.gateway import headers, tracking_api
from infra.services.gateway.openapi import merged, page
from infra.services.gateway.service import Gateway, is_relevant
from infra.services.gateway.static import StaticSite
from tests.support.stack import free_ports, wait_for

PATIENCE_S = 60
MASTER_KEY = "5a" * 32
get = partial(httpx.get, timeout=PATIENCE_S)
post = partial(httpx.post, timeout=PATIENCE_S)
head = partial(httpx.head, timeout=PATIENCE_S)
request = partial(httpx.request, timeout=PATIENCE_S)
stream = partial(httpx.stream, timeout=PATIENCE_S)
SCRIPT = b"console.log('hello');" * 100
PAGE = b"<!doctype html><html><head></head><body></body></html>"
LOGIN = b"<!doctype html><html><head><link rel=modulepreload></head><body></body></html>"


def settings_with(**ports: Any) -> Settings:
    return Settings(master_key=MASTER_KEY, **ports)


@dataclass
class FakeService:
    """Records its requests and answers as the path says."""

    name: str
    seen: list[dict[str, Any]] = field(default_factory=list)
    streams_ended: threading.Event = field(default_factory=threading.Event)
    waits: threading.Event = field(default_factory=threading.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == "/api/endless":
            await self._endless(receive, send)
            return
        if scope["path"] == "/api/live":
            await self._live(receive, send)
            return
        if scope["path"] == "/api/slow":
            self.waits.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        body = (await receive()).get("body", b"")
        self.seen.append({**scope, "headers": dict(scope["headers"]), "body": body})
        if scope["path"].endswith("openapi.json"):
            content = json.dumps(document(self.name)).encode()
        else:
            content = json.dumps({"service": self.name}).encode()
        given = [(b"content-type", b"application/json"), (b"x-position", b"domain@7"), (b"server", b"secret/1.0")]
        if scope["path"] == "/api/platform/login":
            given.append((b"set-cookie", b"sid=ada; Path=/; HttpOnly; SameSite=Lax"))
        await send({"type": "http.response.start", "status": 200, "headers": given})
        await send({"type": "http.response.body", "body": content})

    async def _endless(self, receive: Receive, send: Send) -> None:
        gone = asyncio.ensure_future(receive())
        gone.add_done_callback(lambda _: self.streams_ended.set())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not self.streams_ended.is_set():
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})

    async def _live(self, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
        await send(start)
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        self.streams_ended.set()


def document(name: str) -> dict[str, Any]:
    return {
        "paths": {
            "/api/things": {
                "get" if name == "query" else "post": {
                    "summary": f"things of <{name}>",
                    "responses": {
                        "200": {
                            "description": "ok",
                            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                        }
                    },
                }
            }
        },
        "components": {"schemas": {"Thing": {"type": "object", "title": name}, "Same": {"type": "string"}}},
    }


@contextmanager
def serving(app: App, port: int, *, lifespan: bool = False) -> Iterator[uvicorn.Server]:
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        http=guarded_protocol(),
        ws="none",
        proxy_headers=False,
        server_header=False,
        lifespan="on" if lifespan else "off",
        log_config=None,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started, "the server")
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


@contextmanager
def breaking(
    handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], port: int
) -> Iterator[None]:
    """A bare server of its own thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(handle, "127.0.0.1", port), loop).result(PATIENCE_S)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()


@dataclass
class World:
    url: str
    query: FakeService
    command: FakeService
    gateway: Gateway
    settings: Settings


def dist(folder: Path) -> Path:
    (folder / "assets").mkdir()
    (folder / "index.html").write_bytes(PAGE)
    (folder / "login.html").write_bytes(LOGIN)
    (folder / "assets" / "app-1a2b.js").write_bytes(SCRIPT)
    (folder / "favicon.svg").write_bytes(b"<svg/>")
    return folder


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    web, query_port, command_port = free_ports(3)
    settings = settings_with(query_port=query_port, command_port=command_port, port=web)
    gateway = Gateway(settings, dist(tmp_path_factory.mktemp("dist")))
    query, command = FakeService("query"), FakeService("command")
    with (
        serving(BodyGuard(query), query_port),
        serving(BodyGuard(command), command_port),
        serving(BodyGuard(gateway), web, lifespan=True),
    ):
        yield World(f"http://127.0.0.1:{web}", query, command, gateway, settings)


class TestStatic:
    def test_the_page_answers_every_address_of_the_app(self, world: World) -> None:
        for path in ("/", "/analytics", "/forum/some.topic/7"):
            answer = get(world.url + path)
            assert (answer.status_code, answer.content) == (200, PAGE)
            assert answer.headers["cache-control"] == "no-cache"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert "connect-src 'self' http://127.0.0.1:8001;" in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"

    def test_a_page_with_an_entry_of_its_own_is_answered_with_it(self, world: World) -> None:
        answer = get(world.url + "/login?next=/analytics")
        assert (answer.status_code, answer.content) == (200, LOGIN)
        assert answer.headers["cache-control"] == "no-cache" and "content-security-policy" in answer.headers
        assert get(world.url + "/login/more").content == PAGE

    def test_hashed_files_are_cached_permanently_and_compressed(self, world: World) -> None:
        answer = get(world.url + "/assets/app-1a2b.js", headers={"accept-encoding": "gzip"})
        assert answer.content == SCRIPT and answer.headers["content-encoding"] == "gzip"
        assert "immutable" in answer.headers["cache-control"]
        assert int(answer.headers["content-length"]) < len(SCRIPT)
        assert answer.headers["content-type"].startswith("application/javascript")
        plain = get(world.url + "/assets/app-1a2b.js", headers={"accept-encoding": "gzip;q=0"})
        assert "content-encoding" not in plain.headers and plain.content == SCRIPT

    def test_the_brotli_form_that_the_build_made_goes_to_who_takes_it(self, tmp_path: Path) -> None:
        folder = dist(tmp_path)
        (folder / "assets" / "app-1a2b.js.br").write_bytes(b"brotli")
        (folder / "login.html.br").write_bytes(b"older than the page")
        site = StaticSite(folder)
        app = "/assets/app-1a2b.js"
        for takes in (b"gzip, deflate, br", b"br;q=0.1, gzip", b"*", b"BR", b"gzip;q=0, *"):
            _, sent, body = site.answer(app, takes, b"")
            assert body == b"brotli" and (b"content-encoding", b"br") in sent and (b"vary", b"accept-encoding") in sent
        for takes in (b"gzip", b"gzip, br;q=0", b"*, br;q=0"):
            assert (b"content-encoding", b"gzip") in site.answer(app, takes, b"")[1], takes
        for takes in (b"", b"identity", b"gzip;q=0, br;q=0.000", b"*;q=0"):
            assert site.answer(app, takes, b"")[2] == SCRIPT, takes
        assert site.answer(f"{app}.br", b"", b"")[0] == 404
        assert site.answer("/login", b"br", b"")[2] == LOGIN

    @pytest.mark.parametrize(("name", "kind"), [("a.webp", "image/webp"), ("a.woff2", "font/woff2")])
    def test_pictures_and_fonts_have_their_type_on_a_system_without_a_list_of_types(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
    ) -> None:
        monkeypatch.setattr("mimetypes.guess_type", lambda _name: (None, None))
        (tmp_path / name).write_bytes(b"content")
        _, sent, _ = StaticSite(tmp_path).answer(f"/{name}", b"", b"")
        assert dict(sent)[b"content-type"] == kind.encode()

    def test_an_unchanged_file_is_not_sent_again(self, world: World) -> None:
        tag = get(world.url + "/").headers["etag"]
        assert get(world.url + "/", headers={"if-none-match": f'"x", W/{tag}'}).status_code == 304

    def test_a_missing_hashed_file_is_not_the_page(self, world: World) -> None:
        assert get(world.url + "/assets/old-9z.js").status_code == 404

    @pytest.mark.parametrize("path", ["/../secrets.json", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"])
    def test_nothing_outside_the_folder_is_reached(self, world: World, path: str) -> None:
        host, port = world.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        assert b"root:" not in received and received.split(b"\r\n\r\n", 1)[1] in (PAGE, b"not found\n")

    def test_only_reading_is_allowed(self, world: World) -> None:
        answer = post(world.url + "/analytics")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")

    def test_an_address_that_is_no_page_is_404_with_the_apps_words(self, tmp_path: Path) -> None:
        for name in ("home", "about", "404"):
            (tmp_path / f"{name}.html").write_text(name)
        (tmp_path / "forum" / "thread").mkdir(parents=True)
        (tmp_path / "forum" / "thread" / "_.html").write_text("thread")
        (tmp_path / "pages.json").write_text('["/", "/about", "/sql", "/forum/thread/$id"]')
        site = StaticSite(dist(tmp_path))
        found = {path: site.answer(path, b"", b"") for path in ("/", "/about", "/about/", "/sql", "/forum/thread/7")}
        assert {path: (status, body) for path, (status, _, body) in found.items()} == {
            "/": (200, b"home"),
            "/about": (200, b"about"),
            "/about/": (200, b"about"),
            "/sql": (200, PAGE),
            "/forum/thread/7": (200, b"thread"),
        }
        for path in ("/nowhere", "/about/us", "/forum", "/forum/thread", "/forum/thread/", "/forum/thread/7/x"):
            status, headers, body = site.answer(path, b"", b"")
            assert (status, body) == (404, b"404"), path
            assert dict(headers)[b"cache-control"] == b"no-cache"
            assert site.answer(path, b"", dict(headers)[b"etag"])[0] == 404

    def test_documents_name_the_apps_own_address(self, tmp_path: Path) -> None:
        text = '<link href="https://origin.invalid/about" /><a href="?u=https%3A%2F%2Forigin.invalid%2F">'
        (dist(tmp_path) / "about.html").write_text(text)
        (tmp_path / "robots.txt").write_text("Sitemap: https://origin.invalid/sitemap.xml")
        site = StaticSite(tmp_path, origin="https://app.example.is/")
        assert site.answer("/about", b"", b"")[2].decode() == (
            '<link href="https://app.example.is/about" /><a href="?u=https%3A%2F%2Fapp.example.is%2F">'
        )
        assert site.answer("/robots.txt", b"", b"")[2] == b"Sitemap: https://app.example.is/sitemap.xml"

    def test_built_pages_show_the_operators_figures(self, tmp_path: Path) -> None:
        names = ("users", "breaches", "other")
        divs = [f'<div data-figure="{name}" class="x"><dt>{name}</dt><dd class="y">usual</dd></div>' for name in names]
        (dist(tmp_path) / "home.html").write_text("".join(divs))
        site = StaticSite(tmp_path, figures={"users": "<7> & \\1", "breaches": ""})
        text = site.answer("/", b"", b"")[2].decode()
        assert text == divs[0].replace("usual", "&lt;7&gt; &amp; \\1") + divs[2]

    def test_without_a_build_it_says_so(self, tmp_path: Path) -> None:
        status, _, body = StaticSite(tmp_path).answer("/", b"", b"")
        assert status == 503 and b"has not been built" in body


class TestProxy:
    @pytest.mark.parametrize(
        ("method", "service"),
        [("GET", "query"), ("POST", "command"), ("PUT", "command"), ("PATCH", "command"), ("DELETE", "command")],
    )
    def test_reads_go_to_query_and_the_rest_to_command(self, world: World, method: str, service: str) -> None:
        answer = request(method, world.url + "/api/things?x=1%2C2&y=%C3%A4")
        assert answer.json() == {"service": service}
        assert answer.headers["x-position"] == "domain@7"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        seen = (world.query if service == "query" else world.command).seen[-1]
        assert (seen["path"], seen["query_string"]) == ("/api/things", b"x=1%2C2&y=%C3%A4")

    @pytest.mark.parametrize(
        ("method", "path", "service"),
        [
            ("GET", "google", "command"),
            ("GET", "linkedin/callback", "command"),
            ("HEAD", "google", "query"),
            ("GET", "providers", "query"),
            ("GET", "google/other", "query"),
            ("GET", "google/callback/", "query"),
            ("POST", "exchange", "command"),
        ],
    )
    def test_the_way_to_an_identity_provider_and_back_goes_to_command(
        self, world: World, method: str, path: str, service: str
    ) -> None:
        request(method, f"{world.url}/api/platform/auth/{path}?code=1")
        seen = (world.query if service == "query" else world.command).seen[-1]
        assert (seen["method"], seen["path"], seen["query_string"]) == (method, f"/api/platform/auth/{path}", b"code=1")

    @pytest.mark.parametrize(
        ("method", "path", "service"),
        [
            ("GET", "0192f3a0-0000-7000-8000-000000000002/go", "command"),
            ("HEAD", "0192f3a0-0000-7000-8000-000000000002/go", "query"),
            ("GET", "0192f3a0-0000-7000-8000-000000000002/going", "query"),
            ("GET", "", "query"),
        ],
    )
    def test_the_tracked_link_to_a_program_goes_to_command(
        self, world: World, method: str, path: str, service: str
    ) -> None:
        request(method, f"{world.url}/api/platform/affiliate/applications/{path}")
        seen = (world.query if service == "query" else world.command).seen[-1]
        assert (seen["method"], seen["path"]) == (method, f"/api/platform/affiliate/applications/{path}")

    def test_head_goes_to_query_and_has_no_body(self, world: World) -> None:
        answer = head(world.url + "/api/things")
        assert (answer.status_code, answer.content) == (200, b"")
        assert world.query.seen[-1]["method"] == "HEAD"

    def test_bodies_arrive_whole(self, world: World) -> None:
        body = b"x" * 700_000
        assert post(world.url + "/api/things", content=body).status_code == 200
        assert world.command.seen[-1]["body"] == body
        assert post(world.url + "/api/things", content=b"x" * (1024 * 1024 + 1)).status_code == 413

    def test_forged_forwarding_headers_are_replaced(self, world: World) -> None:
        forged = {
            "x-forwarded-for": "6.6.6.6",
            "x-forwarded-proto": "https",
            "x-forwarded-host": "evil.example",
            "forwarded": "for=6.6.6.6",
            "x-real-ip": "6.6.6.6",
            "x-forwarded-proof": "6" * 64,
            "connection": "close, x-secret",
            "x-secret": "1",
        }
        get(world.url + "/api/things", headers=forged)
        seen = world.query.seen[-1]["headers"]
        assert seen[b"x-forwarded-for"] == b"127.0.0.1" and seen[b"x-forwarded-proto"] == b"http"
        key = forwarding_key(Settings(master_key=MASTER_KEY))
        assert seen[b"x-forwarded-proof"] == proof_of(key, "127.0.0.1").encode()
        assert b"evil" not in seen[b"x-forwarded-host"]
        assert not {b"forwarded", b"x-real-ip", b"x-secret"} & set(seen)

    @pytest.mark.parametrize(
        "target", ["/api/../metrics", "/api/./a//b", "/api/%2e%2e/metrics?a=%2F+b&a=&c", "/api/a%20b"]
    )
    def test_an_address_arrives_as_it_was_written(self, world: World, target: str) -> None:
        """Nobody walks out of /api into what the services show to this machine alone."""
        with socket.create_connection(("127.0.0.1", httpx.URL(world.url).port or 0), PATIENCE_S) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
            assert client.makefile("rb").read().startswith(b"HTTP/1.1 200")
        path, _, query = target.partition("?")
        seen = world.query.seen[-1]
        assert (seen["raw_path"].decode(), seen["query_string"].decode()) == (path, query)

    def test_credentials_pass_through(self, world: World) -> None:
        get(world.url + "/api/things", headers={"authorization": "Bearer t", "cookie": "__Host-sid=c"})
        seen = world.query.seen[-1]["headers"]
        assert (seen[b"authorization"], seen[b"cookie"]) == (b"Bearer t", b"__Host-sid=c")

    def test_sessions_are_not_shared_between_clients(self, world: World) -> None:
        for path in ("/api/platform/login", "/api/things"):
            streams = {"accept": "text/event-stream"}
            assert get(world.url + "/api/platform/login").headers["set-cookie"].startswith("sid=ada")
            get(world.url + "/api/platform/login", headers=streams)
            for sent in ({}, streams):
                get(world.url + path, headers=sent)
                assert b"cookie" not in world.query.seen[-1]["headers"]

    def test_a_service_that_is_down_is_a_problem_document(self, tmp_path: Path) -> None:
        web, nobody = free_ports(2)
        settings = settings_with(query_port=nobody, command_port=nobody, port=web)
        with serving(Gateway(settings, tmp_path), web, lifespan=True):
            answer = get(f"http://127.0.0.1:{web}/api/things")
            ready = get(f"http://127.0.0.1:{web}/readyz")
            alive = get(f"http://127.0.0.1:{web}/livez")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["content-type"] == "application/problem+json" and answer.headers["retry-after"] == "2"
        assert ready.status_code == 503 and set(ready.json()["parts"]) == {"web", "query", "command"}
        assert alive.status_code == 200

    def test_a_read_is_asked_again_when_its_connection_broke_and_a_command_is_not(self, tmp_path: Path) -> None:
        asked: list[str] = []

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Answers every second request, and closes instead of answering the others."""
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            asked.append(head.split(" ", 1)[0])
            if len(asked) % 2 == 0:
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                await writer.drain()
            writer.close()

        web, port = free_ports(2)
        with (
            breaking(handle, port),
            serving(
                Gateway(settings_with(query_port=port, command_port=port, port=web), tmp_path),
                web,
                lifespan=True,
            ),
        ):
            read = get(f"http://127.0.0.1:{web}/api/things")
            command = post(f"http://127.0.0.1:{web}/api/things", json={})
            assert asked == ["GET", "GET", "POST"]
            asked.clear()
            back = get(f"http://127.0.0.1:{web}/api/platform/auth/google/callback?code=once")
        assert (read.status_code, command.status_code, back.status_code) == (200, 503, 503)
        assert asked == ["GET"]

    def test_an_answer_that_a_service_breaks_off_is_not_taken_for_whole(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """As when a service is killed: it is said once, and no fault of the gateway's."""
        names: list[str] = []

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            names.extend(found.decode() for found in re.findall(rb"(?i)x-request-id: (\w+)", head))
            writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n")
            await writer.drain()
            writer.close()

        web, port = free_ports(2)
        gateway = Gateway(settings_with(query_port=port, command_port=port, port=web), tmp_path)
        with breaking(handle, port), serving(gateway, web, lifespan=True), pytest.raises(httpx.RemoteProtocolError):
            get(f"http://127.0.0.1:{web}/api/things/live")
        [name] = names
        assert not all(is_relevant(record) for record in caplog.records), "uvicorn says it in other words now"
        told = [record for record in caplog.records if record.levelname in ("WARNING", "ERROR") and is_relevant(record)]
        assert [record.getMessage() for record in told] == [
            "backend_answer_interrupted backend=query path=/api/things/live error=RemoteProtocolError"
            f" correlation_id={name} request_id={name}"
        ]

    def test_commands_that_take_their_time_leave_reads_their_connections(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("infra.services.gateway.proxy._WORKERS", 1)
        web, query_port, command_port = free_ports(3)
        query, command = FakeService("query"), FakeService("command")
        gateway = Gateway(settings_with(query_port=query_port, command_port=command_port, port=web), tmp_path)
        with (
            serving(query, query_port),
            serving(command, command_port),
            serving(gateway, web, lifespan=True),
            socket.create_connection(("127.0.0.1", web), PATIENCE_S) as slow,
        ):
            slow.sendall(b"POST /api/slow HTTP/1.1\r\nhost: x\r\n\r\n")
            assert command.waits.wait(PATIENCE_S)
            assert get(f"http://127.0.0.1:{web}/api/things").json() == {"service": "query"}
            assert post(f"http://127.0.0.1:{web}/api/things").status_code == 503


class TestLiveStreams:
    def test_events_pass_one_by_one_and_the_end_is_passed_on(self, world: World) -> None:
        with stream("GET", world.url + "/api/live", headers={"accept": "text/event-stream"}) as answer:
            # Held: httpx closes the connection as soon as the iterator is collected.
            parts = answer.iter_raw()
            assert next(parts) == b"data: 1\n\n"
            # Streams of the tests before may have ended only just now.
            world.query.streams_ended.clear()
        assert world.query.streams_ended.wait(PATIENCE_S), "the service must learn that the browser has gone"

    def test_a_stream_has_a_connection_of_its_own_whatever_its_client_accepts(self, world: World) -> None:
        proxy = world.gateway._proxy
        assert proxy is not None
        with stream("GET", world.url + "/api/live") as answer:
            parts = answer.iter_raw()
            assert next(parts) == b"data: 1\n\n"
            assert proxy._streams._transport._pool.connections  # type: ignore[attr-defined]  # httpx shows no other way
            world.query.streams_ended.clear()
        assert world.query.streams_ended.wait(PATIENCE_S)

    def test_a_client_that_reads_nothing_times_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("infra.services.gateway.proxy._STALLED_S", 0.2)
        web, port = free_ports(2)
        query = FakeService("query")
        gateway = Gateway(settings_with(query_port=port, command_port=port, port=web), tmp_path)
        with serving(query, port), serving(gateway, web, lifespan=True):
            with socket.create_connection(("127.0.0.1", web), PATIENCE_S) as client:
                client.sendall(b"GET /api/endless HTTP/1.1\r\nhost: x\r\n\r\n")
                assert query.streams_ended.wait(PATIENCE_S), "the service must be let go of"
            assert get(f"http://127.0.0.1:{web}/api/things").status_code == 200

    def test_a_stop_ends_the_streams(self, tmp_path: Path) -> None:
        web, query_port = free_ports(2)
        query = FakeService("query")
        gateway = Gateway(settings_with(query_port=query_port, command_port=query_port, port=web), tmp_path)
        with serving(query, query_port), serving(gateway, web, lifespan=True) as server:
            url = f"http://127.0.0.1:{web}/api/live"
            with stream("GET", url, headers={"accept": "text/event-stream"}) as answer:
                parts = answer.iter_raw()
                assert next(parts) == b"data: 1\n\n"
                gateway.stop()
                assert list(parts) == []
            assert not server.should_exit


class TestOwnPages:
    def test_metrics_are_for_this_machine_alone(self, world: World) -> None:
        assert "web_requests_total" in get(world.url + "/metrics").text
        assert get(world.url + "/metrics", headers={"x-forwarded-for": "1.2.3.4"}).status_code == 404

    def test_readiness_names_every_part(self, world: World) -> None:
        assert get(world.url + "/readyz").json()["parts"] == {"web": "ok", "query": "ok", "command": "ok"}

    def test_one_document_describes_both_services(self, world: World) -> None:
        found = get(world.url + "/api/openapi.json").json()
        assert set(found["paths"]["/api/things"]) == {"get", "post"}
        assert [server["url"] for server in found["servers"]] == [world.settings.app_url]
        assert [server["url"] for server in found["paths"]["/track"]["servers"]] == [world.settings.tracking_base_url]
        shown = get(world.url + "/api/docs")
        assert "11 calls" in shown.text and "&lt;query&gt;" in shown.text and "<script" not in shown.text

    def test_components_of_one_name_and_two_meanings_stay_apart(self) -> None:
        found = merged([document("query"), document("command")], "https://app.example", "https://track.example")
        schemas = found["components"]["schemas"]
        assert (schemas["Thing"]["title"], schemas["Thing2"]["title"]) == ("query", "command")
        answer = found["paths"]["/api/things"]["post"]["responses"]["200"]
        assert answer["content"]["application/json"]["schema"]["$ref"] == "#/components/schemas/Thing2"
        assert set(schemas) == {"Thing", "Thing2", "Same", *tracking_api.SCHEMAS}
        assert page(found).startswith(b"<!doctype html>")


class TestForwardedChain:
    @pytest.mark.parametrize(
        ("chain", "client"),
        [
            ("1.2.3.4", "1.2.3.4"),
            ("6.6.6.6, 1.2.3.4", "1.2.3.4"),
            ("6.6.6.6, 1.2.3.4, 10.0.0.9", "1.2.3.4"),
            ("nonsense", "10.0.0.1"),
            ("10.0.0.8, 10.0.0.9", "10.0.0.8"),
        ],
    )
    def test_the_nearest_foreign_address_is_the_client(self, chain: str, client: str) -> None:
        trusted = (ip_network("10.0.0.0/8"),)
        sent = headers.to_service([(b"x-forwarded-for", chain.encode())], "10.0.0.1", "http", trusted, b"key")
        assert dict(sent)[b"x-forwarded-for"] == client.encode()
        assert dict(sent)[b"x-forwarded-proof"] == proof_of(b"key", client).encode()
        apart = [(b"x-forwarded-for", part.strip().encode()) for part in chain.split(",")]
        assert headers.to_service(apart, "10.0.0.1", "http", trusted, b"key") == sent, (
            "proxies may also add a line each"
        )

    def test_a_service_believes_what_the_gateway_says(self) -> None:
        settings = settings_with()
        given = [(b"x-forwarded-for", b"2001:db8::7"), (b"x-forwarded-proof", b"0" * 64)]
        key, trusted = forwarding_key(settings), (ip_network("127.0.0.1"),)
        sent = headers.to_service(given, "127.0.0.1", "http", trusted, key)
        behind = Request({"type": "http", "headers": sent, "client": ("127.0.0.1", 1)})
        assert client_of(behind, settings).address == "2001:0db8:0000:0000"


def test_compression_is_the_same_for_the_same_content(tmp_path: Path) -> None:
    site = StaticSite(dist(tmp_path))
    _, _, body = site.answer("/assets/app-1a2b.js", b"br, gzip", b"")
    assert gzip.decompress(body) == SCRIPT
