"""Forms that lines and cells of any report have: sums of other lines, and formulas that are a constant."""

from __future__ import annotations

import re
from typing import Final

TOTALS: Final = re.compile(r"(grand |sub ?|zwischen)?(totals?|summen?|gesamt|sum|insgesamt|ergebnis)\b.*", re.I | re.S)
"""The first cell of a line that adds up others."""
CONSTANT: Final = re.compile(r'="([^"]*)"')
"""A formula that only keeps a text from being read as a number."""
