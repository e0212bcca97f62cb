"""Links go out as a file, are edited in it, and come back in, in a real browser; then the page of one is read."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import connect, partner_with_link, read, sign_in
from tests.support.stack import Stack

SITE, PROGRAM = "filed.example", "Filed Program"


def test_links_are_edited_in_a_file_and_imported_all_or_none(admin_stack: Stack, api: httpx.Client, page: Page) -> None:
    website = connect(api, SITE)
    partner_with_link(api, website["id"], PROGRAM, 10)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/links?website={website['id']}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    [line] = csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8")))
    assert (line["website"], line["partner_name"], line["state"]) == (SITE, PROGRAM, "on")

    new = {**line, "slug": "filed-new", "tags": "🎁 gifts, עברית"}
    page.get_by_role("button", name="Import CSV").click()
    dialog = page.get_by_role("dialog", name="Import links")
    choose(dialog, [{**line, "tags": "Edited"}, new])
    expect(dialog.get_by_role("status")).to_contain_text("1 new, 0 changed, 0 unchanged, 1 with errors.")
    expect(dialog.get_by_text(f"You already have a link {line['slug']}.")).to_be_visible()
    expect(dialog.get_by_role("button", name=re.compile("^Import"))).to_be_disabled()
    assert len(read(api, "/api/platform/links", {"websiteId": website["id"]})) == 1

    dialog.get_by_role("checkbox", name=re.compile("^Update links that exist")).check()
    expect(dialog.get_by_role("status")).to_contain_text("1 new, 1 changed, 0 unchanged, 0 with errors.")
    dialog.get_by_role("button", name="Import 2 links").click()
    expect(page.get_by_text("1 link created, 1 link changed").first).to_be_visible()
    expect(dialog).to_be_hidden()

    page.get_by_role("link", name=line["slug"], exact=True).click()
    expect(page.get_by_role("heading", name=line["slug"], level=1)).to_be_visible()
    changes = page.get_by_role("region", name="Changes")
    expect(changes.get_by_role("listitem").first).to_contain_text("Edited")
    expect(changes.get_by_role("listitem").last).to_contain_text("Created")
    expect(page.get_by_role("region", name="Numbers")).to_contain_text("Clicks0")
    drawn = page.get_by_role("img", name=re.compile("^QR code of"))
    assert drawn.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")


def choose(dialog: Locator, lines: list[dict[str, str]]) -> None:
    """As a spreadsheet with semicolons saves it."""
    written = io.StringIO()
    writer = csv.DictWriter(written, list(lines[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(lines)
    file = {"name": "links.csv", "mimeType": "text/csv", "buffer": f"\ufeff{written.getvalue()}".encode()}
    dialog.get_by_label("CSV file").set_input_files(file)  # type: ignore[arg-type]  # a payload in place of a path
