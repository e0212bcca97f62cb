"""Everything of one website as a zip: complete, the same as the reports say, without secrets, for its owner alone."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from projectors.registry import REGISTRY
from query_api.websites.export.files import EVENT_COLUMNS, NOT_EXPORTED, SETTINGS, TABLES, files_table
from query_api.websites.export.rows import EVENTS_PAGE
from tests.support.accounting import Accounting
from tests.support.policies import Shop
from tests.support.query import event
from tests.support.stack import ROOT


def exported(books: Accounting, shop: Shop) -> zipfile.ZipFile:
    answer = books.get(f"/api/platform/websites/{shop.site['id']}/export.zip")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    return archive


def table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(f"{name}.csv").decode())))


@pytest.fixture(scope="module")
def shop(books: Accounting) -> Shop:
    """Conversions of all kinds, a payout, an annotation, and traffic of three days."""
    shop = books.shop()
    sales = books.sales(shop, 5)
    books.post("approve", {"ids": [str(one) for one in sales[:3]]})
    books.post("reject", {"ids": [str(sales[3])], "reason": "=HYPERLINK(1)"})
    body = {
        "websiteId": shop.site["id"], "partnerId": shop.partner["id"], "amount": {"amount": 1250, "currency": "USD"},
        "paidOn": datetime.now(UTC).date().isoformat(), "reference": "PAY-1",
    }  # fmt: skip
    paid = books.world.call("POST", "/api/platform/payouts", books.world.owner, json=body)
    assert paid.status_code == 201, paid.text
    now = datetime.now(UTC)
    books.query.events(
        [
            event(shop.website_id, now - timedelta(days=n % 3, seconds=n), "pageview", path=f"/{n}", visitor=n + 1)
            for n in range(50)
        ]
    )
    books.project()
    return shop


def test_the_files_add_up_to_what_the_reports_say(books: Accounting, shop: Shop) -> None:
    archive = exported(books, shop)
    manifest = json.loads(archive.read("manifest.json"))
    assert {f"{name}.csv" for name in manifest["rows"]} | {"settings.json", "manifest.json"} == set(archive.namelist())
    for name, count in manifest["rows"].items():
        assert len(table(archive, name)) == count, name
    query: dict[str, Any] = {"websiteId": shop.site["id"], "timeRange": "30d", "bots": "include"}
    overview = books.get("/api/platform/analytics/overview", **query).json()
    conversions = table(archive, "conversions")
    counted = [one for one in conversions if one["status"] in ("pending", "approved")]
    assert len(counted) == 4
    approved = sum(int(one["commission"]) for one in conversions if one["status"] == "approved")
    steps = table(archive, "conversion_steps")
    [statement] = books.statement(shop)["statements"]
    assert sum(int(step["earned"]) for step in steps) == approved == statement["closing"]["amount"]
    assert {step["conversion_id"] for step in steps} == {one["id"] for one in conversions}
    payouts = books.get("/api/platform/payouts/balances", websiteId=shop.site["id"]).json()
    assert sum(int(one["credited"]) for one in table(archive, "payouts")) == payouts["paid"] == 1250
    events = table(archive, "events")
    assert sum(one["type"] == "pageview" for one in events) == overview["pageviews"]
    assert sum(one["type"] == "click" for one in events) == overview["clicks"]["total"]
    assert [one["slug"] for one in table(archive, "links")] == [shop.link["slug"]]
    assert [one["name"] for one in table(archive, "partners")] == [shop.partner["name"]]
    assert [one["reason"] for one in conversions if one["status"] == "rejected"] == ["'=HYPERLINK(1)"]
    settings = json.loads(archive.read("settings.json"))
    assert [one["domain"] for one in settings["website"]] == [shop.site["domain"]]
    assert set(settings) == {one.name for one in SETTINGS}


def test_no_event_is_lost_where_a_page_ends(books: Accounting, shop: Shop) -> None:
    """More events of one day and visitor than a page has."""
    now = datetime.now(UTC) - timedelta(days=7)
    rows = [event(shop.website_id, now, "pageview", path="/p", visitor=7) for _ in range(EVENTS_PAGE + 10)]
    books.query.events(rows)
    found = {row["event_id"] for row in table(exported(books, shop), "events")}
    assert found >= {row["event_id"] for row in rows}


def test_no_secret_is_in_it(books: Accounting, shop: Shop) -> None:
    archive = exported(books, shop)
    content = b"\n".join(archive.read(name) for name in archive.namelist())
    for secret in (shop.site["secretKey"], shop.site["postbackToken"]):
        assert secret.encode() not in content
    hashes = books.world.postgres.execute(
        "SELECT key_hash FROM read.website_keys WHERE website_id = %s", (shop.website_id,)
    ).fetchall()
    assert hashes and all(str(key_hash).encode() not in content for (key_hash,) in hashes)


def test_it_is_for_the_owner_alone_and_recorded(books: Accounting, shop: Shop) -> None:
    path = f"/api/platform/websites/{shop.site['id']}/export.zip"
    stranger = books.world.person()
    assert books.get(path, stranger).status_code == 404
    assert books.query.get(path).status_code == 401
    exported(books, shop)
    sql = "SELECT count(*) FROM kernel.audit WHERE action = 'website.exported' AND subject_id = %s"
    assert books.world.count(sql, shop.website_id) >= 1


def test_every_read_model_with_rows_of_websites_is_exported() -> None:
    of_websites = {
        model.name for model in REGISTRY.postgres if any(c.split()[0] == "website_id" for c in model.columns)
    }
    sources = {one.source.removeprefix("read.") for one in (*TABLES, *SETTINGS)}
    assert of_websites - sources == set(NOT_EXPORTED)


def test_columns_exist_and_keys_tell_rows_apart() -> None:
    models = {f"read.{model.name}": model for model in REGISTRY.postgres}
    for one in (*TABLES, *SETTINGS):
        model = models[one.source]
        assert {*one.columns, *one.key} <= {column.split()[0] for column in model.columns}, one.name
        if one.key != ("position",):
            assert set(model.key) - {"website_id"} <= set(one.key), one.name


def test_the_help_center_names_every_file_with_its_columns() -> None:
    assert files_table() in (ROOT / "web/content/help/exports.md").read_text(), files_table()
    assert "event_id" in {column.name for column in EVENT_COLUMNS}
