"""Drawings of the product. Their shapes have classes, to which the style sheet gives the colors of the theme."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from markupsafe import Markup


@cache
def drawing(name: str) -> Markup:
    """The drawing as an element of HTML; it says nothing to a screen reader."""
    return Markup((files(__name__) / f"{name}.svg").read_text("ascii").strip())  # noqa: S704 - a file of this package
