"""The snippets of `docs/tracking-api.md` do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from infra.ops.bootstrap import php
from schemas import topics
from tests.support.engines import ROOT
from tests.support.ingest_service import IngestService

PAGE = (ROOT / "docs" / "tracking-api.md").read_text()
SNIPPETS = re.findall(r"^```(sh|js|python|php)\n(.*?)^```", PAGE, re.M | re.S)


def command(language: str, code: str, folder: Path) -> list[str]:
    """How the snippet is run."""
    if language == "sh":
        return ["sh", "-c", code]
    if language == "js":
        (folder / "snippet.mjs").write_text(code)
        return ["node", str(folder / "snippet.mjs")]
    if language == "python":
        return [sys.executable, "-c", code]
    return [php(), "-n", "-r", code]


def test_the_page_has_a_snippet_in_every_language() -> None:
    assert {language for language, _ in SNIPPETS} == {"sh", "js", "python", "php"}


@pytest.mark.parametrize(("language", "code"), SNIPPETS)
def test_a_snippet_is_accepted(ingest_service: IngestService, tmp_path: Path, language: str, code: str) -> None:
    site = ingest_service.add_site("example.com")
    for placeholder, value in (
        ("https://track.example.com", ingest_service.url),
        ("pk_YOUR_SITE_KEY", site.site_key),
        ("sk_YOUR_SECRET_KEY", site.secret_key),
        ("pb_YOUR_TOKEN", site.token),
    ):
        code = code.replace(placeholder, value)
    topic = topics.CONVERSIONS if "sale" in code or "postback" in code else topics.CLICKS
    with ingest_service.tail(topic) as tail:
        done = subprocess.run(command(language, code, tmp_path), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert '"accepted":' in done.stdout or '"status":"pending"' in done.stdout, done.stdout
        assert all(value["website_id"] == str(site.id) for value in tail.take(1))
