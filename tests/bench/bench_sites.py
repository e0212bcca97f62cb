"""Sites: how soon a page of the website builder can be read on a slow phone, with a photograph on top.

4x CPU throttling, slow 4G, nothing cached. The review and the list of a starter as they are published: the files and
the script that ingest serves, from a server of this process. The baseline is the same page without the photograph.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from typing import Any, Final
from uuid import uuid4

from PIL import Image, ImageChops

from command_api.kernel.images.model import WebpImage, narrowed, reencode
from infra.domain.publishing.document import PageDocument, parse_page
from infra.domain.publishing.render import SiteImage, Surroundings, render_site
from infra.domain.publishing.serving import NARROW_WIDTH, image_path, narrow_path
from infra.domain.publishing.starters import start_site
from infra.ops.bootstrap import ROOT, users_browser
from ingest.script import built_script
from tests.bench import Figure

COMMAND: Final = "python -m tests.bench sites"
LIMITS: Final = {"lcp": 1500, "cls": 0.02}
PAGES: Final = {"review": "reviews/product-a", "list": "best-web-hosting"}
BARE: Final = " without a photograph"
Files = Mapping[str, tuple[str, str, bytes]]
"""Content type, policy and body by path; scripts are gzipped."""
SCRIPT: Final = "text/javascript; charset=utf-8"


def run() -> list[Figure]:
    files, picture = site_files()
    with serving(files) as address:
        wanted = [
            {"name": name + bare, "url": f"{address}/{folder}{path}/", "limits": LIMITS}
            for name, path in PAGES.items()
            for folder, bare in (("", ""), ("bare/", BARE))
        ]
        done = subprocess.run(
            ["npm", "run", "-s", "vitals", "--", "--json"],
            cwd=ROOT / "web",
            env=dict(os.environ, CHROMIUM=users_browser(), PAGES=json.dumps(wanted)),
            capture_output=True,
            text=True,
            timeout=900,
            check=True,
        )
    measured = {(item["page"], item["id"]): item for item in json.loads(done.stdout)}
    return [
        {
            "name": f"{name}: {item['name']}",
            "value": item["value"],
            "unit": item["unit"],
            "command": COMMAND,
            "aim": f"≤ {item['limit']}",
            "baseline": measured[name + BARE, id_]["value"],
            "baseline_name": "without a photograph",
            "note": f"photograph of {picture.width} × {picture.height} pixels, {len(picture.body) / 1000:,.0f} kB",
        }
        for (name, id_), item in measured.items()
        if not name.endswith(BARE)
    ]


def site_files() -> tuple[Files, WebpImage]:
    """The site at the root, and without its photograph in the folder `bare`."""
    picture = reencode(photograph())
    narrow = narrowed(picture, NARROW_WIDTH)
    assert narrow is not None
    site, documents = start_site("hosting", "Hosting that lasts")
    shown = {"hash": picture.hash, "alt": "A server", "width": picture.width, "height": picture.height}
    served: dict[str, tuple[str, str, bytes]] = {
        f"/{image_path(picture.hash)}": ("image/webp", "", picture.body),
        f"/{narrow_path(picture.hash)}": ("image/webp", "", narrow.body),
        "/t.js": (SCRIPT, "", built_script()[1]),
    }
    for folder, image in (("/", shown), ("/bare/", None)):
        with_hero = {page_id: _with_hero(document, image) for page_id, document in documents.items()}
        for path, file in render_site(site, with_hero, surroundings(picture)).items():
            served[folder + path] = (file.content_type, file.security_policy, file.body)
    return served, picture


def surroundings(picture: WebpImage) -> Surroundings:
    return Surroundings(
        base_address="https://hosting.example/",
        images={
            picture.hash: SiteImage(image_path(picture.hash), picture.width, picture.height, narrow_path(picture.hash))
        },
        tracker_address="/",
        site_key="pk_1",
    )


def photograph() -> bytes:
    """Noise at several scales, which compresses like a photograph."""
    size = (2400, 1350)
    drawn = Image.new("RGB", size, "gray")
    for step, strength in ((300, 0.6), (60, 0.5), (12, 0.35), (3, 0.2)):
        small = (size[0] // step, size[1] // step)
        bands = [Image.effect_noise(small, 120).resize(size, Image.Resampling.BICUBIC) for _ in range(3)]
        layer = Image.merge("RGB", bands)
        drawn = Image.blend(drawn, ImageChops.overlay(drawn, layer), strength)
    sent = BytesIO()
    drawn.save(sent, "JPEG", quality=90)
    return sent.getvalue()


def _with_hero(document: PageDocument, image: Mapping[str, Any] | None) -> PageDocument:
    blocks = [block.model_dump(mode="json") for block in document.blocks]
    hero = {"type": "hero", "id": str(uuid4()), "title": "Hosting, tested", "text": "A year each.", "image": image}
    return parse_page(json.dumps({"blocks": [hero, *blocks]}).encode())


@contextmanager
def serving(files: Files) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            found = files.get(path + "index.html" if path.endswith("/") else path)
            kind, policy, body = found or ("text/plain", "", b"")
            self.send_response(200 if found else 404)
            headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
            headers |= {"Content-Encoding": "gzip"} if kind == SCRIPT else {}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
