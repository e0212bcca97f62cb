"""Documents of tables as PDF, read back by another library."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

from pypdf import PdfReader

from query_api.kernel.pdf import PdfColumn, PdfTable, document

MADE_AT = datetime(2026, 11, 30, tzinfo=UTC)
COLUMNS = [PdfColumn("Partner", 3), PdfColumn("Earned", 1, is_number=True)]


def read(*rows: list[str], notes: list[str] | None = None) -> PdfReader:
    tables = [PdfTable("By partner", COLUMNS, rows)]
    return PdfReader(BytesIO(document("Statements", {"Currency": "EUR"}, tables, notes or [], MADE_AT)))


def text_of(reader: PdfReader) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def test_document_has_its_title_facts_rows_and_notes() -> None:
    reader = read(["Würth & Жук", "1,234.56"], notes=["Nothing is left out."])
    assert reader.metadata is not None
    assert (reader.metadata.title, reader.metadata.creation_date) == ("Statements", MADE_AT)
    text = text_of(reader)
    for part in ("Statements", "Currency", "EUR", "By partner", "Würth & Жук", "1,234.56", "Nothing is left out."):
        assert part in text


def test_long_tables_repeat_their_heads_and_lose_no_row() -> None:
    reader = read(*([f"Partner {number}", f"{number}.00"] for number in range(300)))
    pages = [page.extract_text() for page in reader.pages]
    assert len(pages) > 5
    assert all("Partner" in page and "Earned" in page for page in pages)
    assert all(f"Page {number} of {len(pages)}" in page for number, page in enumerate(pages, start=1))
    text = text_of(reader)
    assert all(f"Partner {number} {number}.00" in text for number in range(300))


def test_long_names_wrap_and_what_the_font_lacks_is_marked() -> None:
    text = text_of(read(["W" * 200, "1.00"], ["a " * 400, "2.00"], ["שלום 🙂\x00\u202e!", "3.00"]))
    assert text.replace(" ", "").count("W") == 200
    assert "…" in text
    assert "???? ?! 3.00" in text
