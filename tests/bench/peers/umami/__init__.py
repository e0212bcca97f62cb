"""Umami's server, installed by npm into the cache folder: collection and the API of its dashboard, without its pages.

Prisma's engines come from no registry, so Prisma is of a version without them (`package.json`, `prisma_client.js`), and
Umami's migrations are applied as the SQL that they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import httpx
import psycopg

from tests.support.engines import ROOT, Engine, free_port

FOLDER: Final = ROOT / ".build" / "peers" / "umami"
HERE: Final = Path(__file__).parent
BEFORE: Final = "2026-11-20"
"""Packages that Umami names by a range are the newest before this day."""
ADMIN: Final = {"username": "admin", "password": "umami"}
_PARTS: Final = ("src", "db", "next.config.js", "tsconfig.json")
_EXTENSION: Final = 'CREATE EXTENSION IF NOT EXISTS "pgcrypto";'
"""What Umami uses of it is part of Postgres since 13, and a Postgres from a wheel has no extensions."""
_ADDRESS: Final = 'url          = env("DATABASE_URL")'
"""Prisma 7 takes it from the program."""
_INSTALL_S: Final = 600


def install() -> None:
    """Installs and builds the server, unless the cache has just this one."""
    sources = [(HERE / name).read_bytes() for name in ("package.json", "prisma_client.js")]
    wanted = hashlib.sha256(b"".join((BEFORE.encode(), *sources))).hexdigest()
    stamp = FOLDER / "built"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    shutil.copy(HERE / "package.json", FOLDER)
    _run("npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", f"--before={BEFORE}")
    modules = FOLDER / "node_modules"
    for part in _PARTS:
        source = modules / "umami" / part
        (shutil.copytree if source.is_dir() else shutil.copy)(source, FOLDER / part)
    for pages in ("app", "components"):
        shutil.rmtree(FOLDER / "src" / pages)
    shutil.copy(HERE / "prisma_client.js", modules / "@umami" / "prisma-client" / "dist" / "index.js")
    schema = (FOLDER / "db" / "postgresql" / "schema.prisma").read_text()
    assert _ADDRESS in schema
    (FOLDER / "schema.prisma").write_text(schema.replace(_ADDRESS, ""))
    _run("node_modules/.bin/prisma", "generate", "--schema=schema.prisma")
    _run("node_modules/.bin/next", "build")
    stamp.write_text(wanted)


def migrate(url: str) -> None:
    """Creates the tables, indexes and the first user in an empty database."""
    with psycopg.connect(url, autocommit=True) as connection:
        for migration in sorted((FOLDER / "db" / "postgresql" / "migrations").glob("*/migration.sql")):
            connection.execute(migration.read_text().replace(_EXTENSION, "").encode())


def service(url: str, log_file: Path) -> Engine:
    """The server over a migrated database, not started yet; one process, as `npm start` starts it."""
    port, program = free_port(), FOLDER / "node_modules/next/dist/bin/next"
    address = f"http://127.0.0.1:{port}"
    return Engine(
        "Umami",
        address,
        ["node", str(program), "start", str(FOLDER), "-p", str(port), "-H", "127.0.0.1"],
        log_file,
        lambda: _answers(f"{address}/api/heartbeat"),
        environment={**_environment(url), "APP_SECRET": "of the bench"},
    )


def sign_in(address: str) -> httpx.Client:
    """A client with the rights of the first user."""
    http = httpx.Client(base_url=address, timeout=120)
    token = http.post("/api/auth/login", json=ADMIN).raise_for_status().json()["token"]
    http.headers["Authorization"] = f"Bearer {token}"
    return http


def _environment(url: str) -> dict[str, str]:
    # Prisma looks for an engine that it then does not use; any file will do.
    engine = {"PRISMA_SCHEMA_ENGINE_BINARY": shutil.which("true") or "", "CHECKPOINT_DISABLE": "1"}
    return {**engine, "NEXT_TELEMETRY_DISABLED": "1", "DISABLE_TELEMETRY": "1", "DATABASE_URL": url}


def _run(*command: str) -> None:
    environment = {**os.environ, **_environment("postgresql://nobody@127.0.0.1:1/nothing")}
    done = subprocess.run(
        command, cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=_INSTALL_S, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code == 200
    except httpx.HTTPError:
        return False
