"""What README.md promises to a new user: the sale by curl, the demonstration, the audit."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

from infra.ops.demo import market
from tests.e2e.conftest import ADMIN, PASSWORD, PATIENCE_S, connect, partner_with_link, read
from tests.support.stack import ROOT, Stack, wait_for

README = (Path(ROOT) / "README.md").read_text()
AGENT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"}


def test_the_sale_of_the_readme_counts(admin_stack: Stack, api: httpx.Client) -> None:
    site = connect(api, "readme.example")
    _, link = partner_with_link(api, site["id"], "Readme Partner", 10)
    go = httpx.get(link["url"], headers=AGENT, timeout=PATIENCE_S)
    click_id = parse_qs(urlsplit(go.headers["location"]).query)["cid"][0]
    found = re.search(r"^ +curl .*?^ +-H \"Content.*?$", README, re.DOTALL | re.MULTILINE)
    assert found is not None
    command = found.group().replace("http://127.0.0.1:8001", admin_stack.tracking)
    command = command.replace("sk_…", site["secretKey"]).replace('"click_id":"…"', f'"click_id":"{click_id}"')
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert json.loads(done.stdout)["status"] == "pending", done.stdout

    def revenue() -> bool:
        query = {"websiteId": site["id"], "timeRange": "24h"}
        shown = read(api, "/api/platform/analytics/overview", query)
        return bool(shown["revenue"] == {**shown["revenue"], "total": 5.0, "pending": 5.0, "active_partners": 1})

    wait_for(revenue, "the sale of 49.99 at 10 % to show as 5.00 pending")


def test_the_demonstration_fills_a_stack_once_and_every_number_agrees(admin_stack: Stack, api: httpx.Client) -> None:
    admin = {"ALTHING_ADMIN_EMAIL": ADMIN, "ALTHING_ADMIN_PASSWORD": PASSWORD}

    def demo() -> dict[str, int]:
        done = admin_stack.run("demo", "--events", "4000", "--json", settings=admin)
        assert done.returncode == 0, done.stderr
        counts: dict[str, int] = json.loads(done.stdout)
        return counts

    def pageviews() -> dict[str, int]:
        api.headers.pop("X-Wait-For", None)
        query = {"timeRange": "90d", "bots": "include", "compare": "none"}
        shown = {
            site["domain"]: read(client, "/api/platform/analytics/overview", {**query, "websiteId": site["id"]})
            for client in (api, seller)
            for site in read(client, "/api/platform/websites")
            if site["domain"].endswith(".demo.example")
        }
        return {domain: figures["pageviews"] + figures["clicks"]["total"] for domain, figures in shown.items()}

    counts = demo()
    assert counts["websites"] == 4 and counts["partners"] == 8 and counts["sales"] > 10
    assert (
        counts["listings"]
        == len(
            {row["id"] for row in read(api, "/api/marketplace/listings?limit=200") if row["title"].endswith("(demo)")}
        )
        == 6
    )
    seller = httpx.Client(base_url=admin_stack.app, timeout=PATIENCE_S)
    known = {"email": market.SELLER, "password": market.password(PASSWORD)}
    seller.headers["Authorization"] = f"Bearer {seller.post('/api/platform/login', json=known).json()['token']}"
    wait_for(lambda: sum(pageviews().values()) == counts["events"], "every event of the demonstration to be counted")
    before = pageviews()
    assert demo()["listings"] == counts["listings"]
    audit = admin_stack.run("audit", "--json", "--timeout", "40")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    found = json.loads(audit.stdout)
    assert (found["missing"], found["duplicate"], found["wrong"]) == (0, 0, 0)
    after = pageviews()
    grown = {domain: after[domain] - before[domain] for domain in before}
    assert all(0 <= more <= 20 for more in grown.values()), f"sent twice, counted twice: {grown}"
