"""What README.md promises to a new user: the sale by curl, the demonstration, the audit."""

from __future__ import annotations

import json
import re
import subprocess
from decimal import Decimal
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from infra.ops.demo import members, splits
from schemas.networks import NETWORKS
from tests.e2e.conftest import ADMIN, PASSWORD, PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.support.stack import ROOT, Stack, wait_for

README = (Path(ROOT) / "README.md").read_text()
AGENT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"}


def said_in_readme(first_words: str) -> str:
    """A command of the README, to the letter."""
    found = re.search(rf"^ +({re.escape(first_words)}.*?)\n +```", README, re.DOTALL | re.MULTILINE)
    assert found is not None, first_words
    return found.group(1)


def run(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("currency", "total"),
    [("EUR", 5.0), *(pytest.param(*each, marks=pytest.mark.slow) for each in (("USD", 5.0), ("JPY", 500)))],
)
def test_the_first_steps_of_the_readme_end_in_money_in_the_websites_currency(
    admin_stack: Stack, api: httpx.Client, currency: str, total: float
) -> None:
    """Only what the reader has to fill in is filled in: key, link, the click that was printed, and the currency."""
    site = connect(api, f"readme-{currency.lower()}.example", currency=currency)
    _, link = partner_with_link(api, site["id"], f"Readme {currency}", 10)
    followed = said_in_readme("curl -sS -o /dev/null").replace("http://127.0.0.1:8001/go/…", link["url"])
    click_id = wait_for(lambda: run(followed), "the link")
    sale = said_in_readme("curl -sS http://127.0.0.1:8001/track/sale")
    filled_in = {
        "http://127.0.0.1:8001": admin_stack.tracking,
        "sk_…": site["secretKey"],
        '"click_id":"…"': f'"click_id":"{click_id}"',
        '"currency":"…"': f'"currency":"{currency}"',
    }
    for place, value in filled_in.items():
        assert place in sale
        sale = sale.replace(place, value)
    told = json.loads(run(sale))
    assert told["status"] == "pending" and "unread" not in told, told

    def revenue() -> bool:
        query = {"websiteId": site["id"], "timeRange": "24h"}
        shown = read(api, "/api/platform/analytics/overview", query)["revenue"]
        return bool((shown["total"], shown["pending"], shown["active_partners"]) == (total, total, 1))

    wait_for(revenue, "10 % of the sale to show as pending")


def test_getting_started_ends_with_an_attributed_sale_without_typing_a_parameter(
    admin_stack: Stack, page: Page, api: httpx.Client
) -> None:
    """A fresh website and a program of a network of the table: what the person types is a domain and the program's
    address. The network fills in its own placeholders."""
    app, domain, program = admin_stack.app, "first-sale.example", "https://www.awin1.com/cread.php?awinmid=1001"
    partner = {"name": "Loom and Larder", "baseUrl": program, "commission": 12}
    assert api.post("/api/admin/partners", json=partner).status_code == 201
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, app)
    page.goto(f"{app}/onboarding")
    page.get_by_label("Domain", exact=True).fill(domain)
    page.get_by_role("button", name="Connect Website").last.click()
    expect(page.get_by_text("Waiting for the first event")).to_be_visible()
    [site] = [each for each in read(api, "/api/platform/websites") if each["domain"] == domain]

    page.goto(f"{app}/links?website={site['id']}")
    page.get_by_role("button", name="Create link").first.wait_for()
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Create link")
    dialog.get_by_label("Destination (optional)").fill(f"{program}&ued=https%3A%2F%2Floom.example%2Fsale")
    expect(dialog.get_by_text("Recognized from the destination.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Link created and copied").first).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Postback URL", exact=True).click()
    address = page.get_by_role("dialog")
    address.get_by_label("Partner", exact=True).select_option(label="Loom and Larder")
    address.get_by_role("button", name="Copy postback URL").click()
    expect(page.get_by_text("Postback URL copied").first).to_be_visible()
    postback = urlsplit(page.evaluate("navigator.clipboard.readText()"))

    def leads_on() -> str | None:
        answer = httpx.get(link, headers=AGENT, timeout=PATIENCE_S)
        return answer.headers["location"] if answer.status_code == 302 else None

    passed = parse_qs(urlsplit(wait_for(leads_on, "the link")).query)["clickref"][0]
    told = {"clickRef": passed, "transactionId": "AW-1", "transactionAmount": "80.00", "commission": "9.60"}
    placeholders = {text: told.get(name, "USD") for name, text in NETWORKS["awin"].postback.items()}
    sent = {
        name: placeholders.get(values[0], values[0])
        for name, values in parse_qs(postback.query, keep_blank_values=True).items()
    }
    reported = httpx.get(postback._replace(query=urlencode(sent)).geturl(), timeout=PATIENCE_S)
    assert reported.status_code == 202, reported.text

    def is_attributed() -> bool:
        return bool(read(api, "/api/platform/conversions", {"websiteId": site["id"], "search": "AW-1"}))

    wait_for(is_attributed, "the sale to be attributed")
    page.goto(f"{app}/conversions?website={site['id']}")
    row = page.get_by_role("row").filter(has_text="AW-1")
    expect(row).to_contain_text("Loom and Larder", timeout=PATIENCE_S * 1000)
    expect(row).to_contain_text("$9.60")
    expect(row).to_contain_text("Pending")


def test_the_demonstration_fills_a_stack_once_and_every_number_agrees(
    admin_stack: Stack, page: Page, api: httpx.Client
) -> None:
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
    known = {"email": members.SELLER.email, "password": members.password(PASSWORD, members.SELLER)}
    seller.headers["Authorization"] = f"Bearer {seller.post('/api/platform/login', json=known).json()['token']}"
    shown = counts["events"] - counts["impressions"]
    wait_for(lambda: sum(pageviews().values()) == shown, "every event of the demonstration to be counted")
    before = pageviews()
    assert demo()["listings"] == counts["listings"]
    audit = admin_stack.run("audit", "--json", "--timeout", "40")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    found = json.loads(audit.stdout)
    assert (found["missing"], found["duplicate"], found["wrong"]) == (0, 0, 0)
    after = pageviews()
    grown = {domain: after[domain] - before[domain] for domain in before}
    assert all(0 <= more <= 20 for more in grown.values()), f"sent twice, counted twice: {grown}"
    splits_are_filled(api)
    what_earned_most(admin_stack, page, api)
    one_command_removes_it(admin_stack, api)


def splits_are_filled(api: httpx.Client) -> None:
    """Clicks of every variant, and the weights of one split follow its results."""
    for planned in splits.SPLITS:
        [site] = [one for one in read(api, "/api/platform/websites") if one["domain"] == planned.domain]
        [link] = read(api, "/api/platform/links", {"websiteId": site["id"], "search": planned.slug})
        split = read(api, f"/api/platform/links/{link['id']}/split")
        assert [one["name"] for one in split["variants"]] == [one.name for one in planned.variants]
        assert sum(one["clicks"] for one in split["variants"]) > 0
        assert split["shifting"]["isOn"] is planned.shifts


def one_command_removes_it(stack: Stack, api: httpx.Client) -> None:
    """And nothing that is not marked."""
    connect(api, "stays.example")
    mine = {"name": "Stays (demo)", "slug": "demo-stays", "baseUrl": "https://stays.example", "commission": 5}
    kept = api.post("/api/admin/partners", json=mine).json()["id"]
    done = stack.run("demo", "remove")
    assert done.returncode == 0 and "5 accounts" in done.stdout and "9 partners" in done.stdout, (
        done.stdout + done.stderr
    )

    def marked() -> list[str]:
        rows = read(api, "/api/admin/websites?limit=200") + read(api, "/api/admin/accounts?limit=200")
        names = [row.get("domain") or row["email"] for row in rows]
        titles = [row["title"] for row in read(api, "/api/marketplace/listings?limit=200")]
        titles += [row["title"] for row in read(api, "/api/forum/threads?limit=100")]
        return [name for name in names if "demo.example" in name] + [title for title in titles if "(demo)" in title]

    wait_for(lambda: not marked(), "everything of the demonstration to be gone", every_s=1)
    partners = {row["id"] for row in read(api, "/api/admin/partners") if row["slug"].startswith("demo-")}
    assert partners == {kept}
    assert "stays.example" in {row["domain"] for row in read(api, "/api/platform/websites")}
    assert stack.run("demo", "remove").stdout == "There is nothing of the demonstration here.\n"


def what_earned_most(stack: Stack, page: Page, api: httpx.Client) -> None:
    """Two clicks, a choice in a list, lead from the page of a website to the page, source and campaign that earned
    most; by each of them the revenue adds up to that of the overview."""
    site = next(each for each in read(api, "/api/platform/websites") if each["domain"].endswith(".demo.example"))
    query = {"websiteId": site["id"], "timeRange": "90d", "compare": "none"}
    overview = read(api, "/api/platform/analytics/overview", query)
    best: dict[str, str] = {}
    for by in ("page", "source", "utm_campaign"):
        report = read(api, "/api/platform/analytics/breakdown", {**query, "by": by, "sort": "-revenue", "limit": 1000})
        revenue = sum(Decimal(str(row["revenue"])) for row in report["rows"])
        assert revenue == Decimal(str(report["totals"]["revenue"])) == Decimal(str(overview["revenue"]["total"]))
        best[by] = next(row["label"] for row in report["rows"] if row["values"][by])  # "(not set)" comes last
    sign_in(page, stack.app)
    page.goto(f"{stack.app}/analytics?website={site['id']}&range=90d")
    page.get_by_label("Metric of the bars").select_option(label="Revenue")
    for card, by in (("Pages", "page"), ("Sources", "source"), ("Campaigns", "utm_campaign")):
        region = page.get_by_role("region", name=card, exact=True)
        region.scroll_into_view_if_needed()
        first = region.get_by_role("listitem").first
        expect(first).to_contain_text(best[by], timeout=PATIENCE_S * 1000)
