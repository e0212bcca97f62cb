"""The route of a followed link: the rule or variant that chose the destination. SQL text.

Ingest writes it into the `props` of the click (`{"route": "variant 2"}`), and rows of conversions have that of their
click. A website may name the variant of a click that its own server reports in the same way.
"""

from __future__ import annotations

from typing import Final

_NAMED: Final = "'^(?:(?:rule|variant) [1-9][0-9]*|fallback)$'"
_VARIANT: Final = "'^variant ([1-9][0-9]*)$'"


def route(props: str = "props") -> str:
    """The name of the route, empty for none; other properties of that name are none."""
    return f"if({props} = '', '', extract(JSONExtractString({props}, 'route'), {_NAMED}))"


def variant(props: str = "props", type: str = "type") -> str:
    """The number of the variant, as text; empty for none."""
    is_none = f"{props} = '' OR {type} NOT IN ('click', 'conversion')"
    return f"if({is_none}, '', extract(JSONExtractString({props}, 'route'), {_VARIANT}))"
