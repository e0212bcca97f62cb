"""Text as ClickHouse's SQL writes it."""

from __future__ import annotations


def text(value: str) -> str:
    """A string literal that ClickHouse reads back as exactly this."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
