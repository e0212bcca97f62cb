"""The article before a name that is not known when a text is written, such as the product's."""

from __future__ import annotations


def with_article(name: str) -> str:
    """`an Althing`, `a Saga`: by the first letter, as most names are spoken."""
    return f"{'an' if name[:1].lower() in set('aeiou') else 'a'} {name}"
