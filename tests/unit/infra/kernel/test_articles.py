"""The article before a name."""

from __future__ import annotations

import re

import pytest

from infra import PRODUCT_NAME
from infra.kernel.config.paths import ROOT
from infra.kernel.text.articles import with_article


@pytest.mark.parametrize(
    ("name", "text"), [("Althing", "an Althing"), ("Óðinn", "a Óðinn"), ("Saga", "a Saga"), ("", "a ")]
)
def test_the_article_follows_from_the_name(name: str, text: str) -> None:
    assert with_article(name) == text


def test_no_text_writes_the_article_before_the_products_name_itself() -> None:
    """In code it is a placeholder; elsewhere the wrong one is found."""
    wrong = re.compile(rf"\b[aA]n? (\{{PRODUCT_NAME\}}|\$\{{PRODUCT\}}|\{{PRODUCT\}})|\b[aA] {PRODUCT_NAME}\b")
    folders = ("command_api", "query_api", "infra", "ingest", "projectors", "web/src", "web/content", "docs")
    files = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".ts", ".tsx", ".md"}
    ]
    assert len(files) > 500
    found = [str(path.relative_to(ROOT)) for path in files if wrong.search(path.read_text(errors="replace"))]
    assert found == []
