"""After an account was erased, nothing of its person is left: in Postgres, in Kafka, in ClickHouse, in logs or mails.

Everything that the product keeps is read in two ways: through its engine, which opens what is compressed, and as the
bytes that lie on the disk.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pyotp

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.kernel.log import open_log
from infra.ops.audit.quiescence import wait_until_quiescent
from infra.ops.stack.spec import log_file
from schemas import topics
from tests.e2e.conftest import AGENT, PASSWORD, PATIENCE_S, connect
from tests.support.mail_server import MailServer, link_in
from tests.support.stack import Stack, wait_for

EMAIL, NEW_EMAIL = "hallgerdur.quizzbogi@mail.example", "langbrok.quizzbogi@post.example"
NAME, NEW_NAME, COMPANY = "Hallgerður Quizzbogi", "Langbrók Quizzbogi", "Quizzbogi ehf"
TITLE, TOKEN_NAME, ASKED = "what quizzbogi owes", "quizzbogi notebook", "quizzbogi_asked"
WORDS = ("hallgerdur", "langbrok", "quizzbogi")
"""One at least is in everything that the person wrote; too long to come about by chance."""
SITE = "bow-strings.example"
OWN_SITE, OWN_DOMAIN = "quizzbogi-strings.com", "go.quizzbogi-strings.com"
REASON = "quizzbogi has to name a source"
PUBLISHED = "skarphedin"
"""What the person published by a link or a page, and what an event that was refused held: the log keeps it."""
KEEP_PUBLISHED = {
    *("events.stored_events", "pg_catalog.pg_statistic", "domain", "clicks", "rejected"),
    *("events", "refusals", "recent_events", "conversion_events"),
}
"""Tables and topics that keep it after an erasure, as docs/accounts.md says, without the number of a generation."""
STAYS = "erasure-control"
"""A text of no account: it must be found wherever the search can find anything."""


def test_after_an_erasure_no_store_holds_a_word_of_the_person(
    admin_stack: Stack, api: httpx.Client, post: MailServer
) -> None:
    person, account, code = someone_who_used_everything(admin_stack, api, post)
    before = dict(found_in(admin_stack))
    assert {"postgres", "kafka", "clickhouse"} <= {place for place, text in before.items() if holds(text, [STAYS])}
    assert holds(before["postgres"], WORDS), "the search would not find anything"
    with psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        postgres.execute("CHECKPOINT")
    assert list(files_with(admin_stack.data_dir, WORDS)), "the search of files would not find anything"

    erased = person.post("/api/platform/erase", json={"password": PASSWORD, "recoveryCode": code})
    assert erased.status_code == 204, erased.text
    with psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        everywhere(admin_stack, postgres)
        # What was deleted lies in a table's file until its space is used again.
        postgres.execute("VACUUM FULL ANALYZE")
        # So do values that an earlier analysis kept, in a catalog that may have been vacuumed before this one.
        postgres.execute("VACUUM FULL pg_catalog.pg_statistic")
        postgres.execute("CHECKPOINT")
    after = dict(found_in(admin_stack))
    assert {"postgres", "kafka", "clickhouse"} <= {place for place, text in after.items() if holds(text, [STAYS])}
    assert not {place: where(text) for place, text in after.items() if holds(text, WORDS)}
    assert not list(files_with(admin_stack.data_dir, WORDS))
    published = {label for _, label, text in parts_of(admin_stack) if holds(text, [PUBLISHED])}
    kept = {label.partition("__g")[0].rpartition("`.`")[2].strip("`") for label in published}
    assert {"events.stored_events", "domain", "clicks"} <= kept <= KEEP_PUBLISHED, published
    accounts = api.get("/api/admin/accounts", params={"limit": 200}).text
    assert account in accounts and not holds(accounts.encode(), WORDS)


def everywhere(mine: Stack, postgres: psycopg.Connection[Any]) -> None:
    """Until everything that reads has read all there is, and nobody sees any more how it was before: a vacuum keeps
    what a transaction under way may still see."""
    log = open_log(load(mine.environment, env_file=None))
    try:
        wait_until_quiescent(log, postgres, PATIENCE_S)
    finally:
        log.close()
    [(now,)] = postgres.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetchall()
    older = "SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND age(backend_xmin) > age(%s::xid)"
    wait_for(lambda: postgres.execute(older, (now,)).fetchone() is None, "older transactions to end")


def someone_who_used_everything(mine: Stack, api: httpx.Client, post: MailServer) -> tuple[httpx.Client, str, str]:
    """A member and analyst who wrote their name wherever it can be written; with a recovery code for the last step."""
    code = api.post("/api/platform/invite-codes", json={}).json()["code"]
    body = {"email": EMAIL, "password": PASSWORD, "name": NAME, "company": COMPANY, "inviteCode": code}
    made = httpx.post(f"{mine.app}/api/platform/register", json=body, timeout=PATIENCE_S).json()
    account = made["user"]["id"]
    roles = {"roles": ["member", "analyst"]}
    assert api.put(f"/api/admin/accounts/{account}/roles", json=roles).status_code == 200
    person = httpx.Client(base_url=mine.app, timeout=PATIENCE_S, headers={"Authorization": f"Bearer {made['token']}"})

    def ask(method: str, path: str, body: Any, *wanted: int) -> Any:
        answer = person.request(method, path, json=body)
        assert answer.status_code in wanted, (path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    ask("PATCH", "/api/platform/user", {"name": NEW_NAME}, 200)
    ask("POST", "/api/platform/email/change", {"email": NEW_EMAIL, "password": PASSWORD}, 204)
    link = wait_for(lambda: [link_in(mail) for mail in post.received if mail["To"] == NEW_EMAIL], "the mail")[0]
    ask("POST", "/api/platform/email/confirm", {"code": link.partition("#code=")[2]}, 204)
    again = httpx.post(
        f"{mine.app}/api/platform/login", json={"email": NEW_EMAIL, "password": PASSWORD}, timeout=PATIENCE_S
    ).json()
    person.headers["Authorization"] = f"Bearer {again['token']}"
    ask("POST", "/api/platform/sql", {"sql": f"SELECT '{ASKED}' AS told, count() FROM clicks"}, 200)
    ask("POST", "/api/platform/sql", {"sql": f"SELECT {ASKED} FROM clicks"}, 400)
    ask("POST", "/api/platform/sql/queries", {"title": TITLE, "sql": f"SELECT '{ASKED}'"}, 201)
    ask("POST", "/api/platform/sql/tokens", {"name": TOKEN_NAME, "password": PASSWORD}, 201)
    for wrong in (NEW_EMAIL, EMAIL):
        body = {"email": wrong, "password": "not the password"}
        assert httpx.post(f"{mine.app}/api/platform/login", json=body, timeout=PATIENCE_S).status_code == 401
    httpx.get(f"{mine.app}/login?email={quote(NEW_EMAIL)}", timeout=PATIENCE_S)
    site = connect(person, SITE)
    partner, link_made = partner_with_link_of(api, person, site["id"])
    named_by_the_person(ask, api, partner["id"])
    httpx.get(link_made["url"], params={"sub1": STAYS}, headers={"User-Agent": AGENT})
    view = {"type": "pageview", "url": f"https://{SITE}/{PUBLISHED}", "title": PUBLISHED}
    odd = {"type": "pageview", "url": f"https://{SITE}/{PUBLISHED}", "occurred_at": PUBLISHED}
    keyed = {"Authorization": f"Bearer {site['secretKey']}", "User-Agent": AGENT}
    tracked = httpx.post(f"{mine.tracking}/track", json=[view, odd], headers=keyed, timeout=PATIENCE_S)
    assert (tracked.json()["accepted"], len(tracked.json()["rejected"])) == (1, 1), tracked.text
    clicks = {"sql": f"SELECT count() FROM clicks WHERE sub1 = '{STAYS}'"}
    wait_for(lambda: ask("POST", "/api/platform/sql", clicks, 200)["rows"] == [["1"]], "the click to be counted")
    assert NEW_NAME in person.get("/api/platform/export").text
    httpx.post(f"{mine.app}/api/platform/password/forgot", json={"email": NEW_EMAIL}, timeout=PATIENCE_S)
    secret = ask("POST", "/api/platform/2fa/setup", {"password": PASSWORD}, 200)["secret"]
    totp = pyotp.TOTP(secret)
    codes = ask("POST", "/api/platform/2fa/confirm", {"code": totp.now()}, 200)
    return person, account, codes["recoveryCodes"][0]


def named_by_the_person(ask: Any, admin: httpx.Client, partner: str) -> None:
    """A website, a custom domain, a link, a page and a listing that name the person, and an admin's words about it."""
    own = ask("POST", "/api/platform/websites", {"domain": OWN_SITE}, 201)
    ask("PATCH", f"/api/platform/websites/{own['id']}", {"domain": f"www.{OWN_SITE}"}, 200)
    ask("POST", "/api/platform/custom-domains", {"domain": OWN_DOMAIN, "websiteId": own["id"]}, 201)
    link = {"websiteId": own["id"], "partnerId": partner, "slug": f"{PUBLISHED}-link", "coupon": f"{PUBLISHED}-20"}
    ask("POST", "/api/platform/links", {**link, "destination": f"https://control.example/{PUBLISHED}"}, 201)
    fields = {"title": f"Bows of {NAME}", "websiteUrl": f"https://{OWN_SITE}", "description": f"All of {COMPANY}. " * 3}
    figures = {"niche": "vpn", "askingPrice": 45_000, "monthlyRevenue": 1_500, "monthlyProfit": 1_200}
    listing = ask(
        "POST", "/api/marketplace/listings", {**fields, **figures, "monthlyTraffic": 300, "yearsEstablished": 4}, 201
    )
    ask("POST", f"/api/marketplace/listings/{listing['id']}/submit", None, 200)
    rejected = admin.post(f"/api/admin/marketplace/listings/{listing['id']}/reject", json={"reason": REASON})
    assert rejected.status_code == 200, rejected.text


def partner_with_link_of(
    admin: httpx.Client, owner: httpx.Client, website_id: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    body = {"name": STAYS, "baseUrl": "https://control.example", "commission": 5}
    partner = admin.post("/api/admin/partners", json=body).json()
    made = owner.post("/api/platform/links", json={"websiteId": website_id, "partnerId": partner["id"]})
    assert made.status_code == 201, made.text
    return partner, made.json()


def found_in(mine: Stack) -> Iterator[tuple[str, bytes]]:
    """All that each engine gives for a query of everything, and what is written for people to read."""
    of_engines: dict[str, list[bytes]] = {}
    for engine, _, text in parts_of(mine):
        of_engines.setdefault(engine, []).append(text)
    yield from ((engine, b"\n".join(texts)) for engine, texts in of_engines.items())
    logs = sorted({log_file(mine.data_dir, "x").parent, mine.folder})
    yield "logs", b"\n".join(plain(path) for folder in logs for path in folder.glob("*") if path.is_file())


def parts_of(mine: Stack) -> Iterator[tuple[str, str, bytes]]:
    """Engine, table or topic, and what is in it."""
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as postgres:
        yield from (("postgres", table, text) for table, text in rows_of(postgres))
    yield from (("kafka", topic, text) for topic, text in records_of(mine))
    yield from (("clickhouse", table, text) for table, text in tables_of(mine))


def rows_of(postgres: psycopg.Connection[Any]) -> Iterator[tuple[str, bytes]]:
    """As a dump has them, and what the planner has learnt of columns' values."""
    tables = postgres.execute(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname <> 'information_schema'"
        " AND (schemaname <> 'pg_catalog' OR tablename IN ('pg_statistic', 'pg_largeobject'))"
    ).fetchall()
    assert len(tables) > 60
    for (table,) in tables:
        with postgres.cursor() as cursor, cursor.copy(f"COPY {table} TO STDOUT".encode()) as lines:
            yield table, b"".join(bytes(line) for line in lines)


def records_of(mine: Stack) -> Iterator[tuple[str, bytes]]:
    """Key, value and headers of every record, as a consumer gets them."""
    log = open_log(load(mine.environment, env_file=None))
    try:
        for topic in topics.ALL:
            for partition in range(topic.partitions):
                end, source = log.end_offset(topic.name, partition), log.source(topic.name, partition)
                reached = 0
                while reached < end:
                    for record in source.read(5_000, 1):
                        reached = record.offset + 1
                        headers = (value for _, value in record.headers)
                        yield topic.name, b" ".join([record.key or b"", record.value or b"", *headers])
                source.close()
    finally:
        log.close()


def tables_of(mine: Stack) -> Iterator[tuple[str, bytes]]:
    house = client(load(mine.environment, env_file=None))
    try:
        tables = house.query(
            "SELECT database, name FROM system.tables WHERE engine NOT LIKE '%View%' AND "
            "(database = currentDatabase() OR (database = 'system' AND name LIKE '%\\_log%'))"
        ).result_rows
        assert len(tables) > 5
        for database, table in tables:
            yield f"`{database}`.`{table}`", house.raw_query(f"SELECT * FROM `{database}`.`{table}` FORMAT TSV")
        yield "processes", house.raw_query("SELECT * FROM system.processes FORMAT TSV")
    finally:
        house.close()


def files_with(folder: Path, words: Iterable[str]) -> Iterator[str]:
    """Files whose bytes hold a word. Postgres's write-ahead log is its own journal of changed pages: the space is used
    again as it goes on writing, and nobody reads it but a server that starts after a crash."""
    for path in folder.rglob("*"):
        if path.is_file() and "pg_wal" not in path.parts and holds(plain(path), words):
            yield f"{path.relative_to(folder)}: {where(plain(path))}"


def plain(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""
    return gzip.decompress(content) if path.suffix == ".gz" else content


def holds(content: bytes, words: Iterable[str]) -> bool:
    """Whether a word is there: as it is, or in bytes that are shown as hexadecimal digits; in any case of letters."""
    lower = content.lower()
    forms = [form for word in words for form in (word.lower().encode(), word.encode().hex().encode())]
    return any(form in lower for form in forms)


def where(content: bytes) -> str:
    """The text around the first occurrence, to find its origin."""
    lower = content.lower()
    places = [
        place for word in WORDS for form in (word, word.encode().hex()) if (place := lower.find(form.encode())) >= 0
    ]
    return repr(content[max(0, min(places) - 120) : min(places) + 120]) if places else ""
