"""Whatever a mail or a notification leads to is a page of the app, on a tab that this page has."""

from __future__ import annotations

import re

import pytest

from infra.kernel.config.paths import ROOT

WRITERS = [
    *ROOT.glob("command_api/**/*mails.py"),
    *ROOT.glob("command_api/**/*digest*.py"),
    *ROOT.glob("command_api/notifications/**/*.py"),
    ROOT / "command_api" / "marketplace" / "recipients.py",
    ROOT / "infra" / "domain" / "contacts.py",
    ROOT / "infra" / "ops" / "jobs" / "notification_digest.py",
    *ROOT.glob("*_api/analytics/reports/*.py"),
    ROOT / "query_api" / "sql" / "report_query.py",
]
APP = ROOT / "web" / "src" / "app"
ROUTES = {path for file in APP.glob("*rout*.ts*") for path in re.findall(r"path: '(/[\w/$-]*)'", file.read_text())}
BEFORE = r"""(?:url\}|"(?:(?:site_)?newsletter|early_access)": "|(?:path=|return )f")"""
LEADS = re.compile(BEFORE + r"(/(?!api/|go/)[\w/-]+)(?:\?tab=([\w-]+))?")
ADDRESSES = sorted({found for file in WRITERS for found in LEADS.findall(file.read_text())})


def test_there_are_addresses() -> None:
    assert len(ADDRESSES) >= 10
    assert {"/login", "/dashboard", "/forum", "/marketplace/saved"} <= ROUTES


@pytest.mark.parametrize(("path", "tab"), ADDRESSES)
def test_it_leads_to_a_page(path: str, tab: str) -> None:
    known = {re.sub(r"\$\w+$", "", route) for route in ROUTES}
    assert path in known
    if tab:
        page = APP / "pages" / f"{path.strip('/').replace('/', '-')}.tsx"
        assert f"'{tab}'" in page.read_text()
