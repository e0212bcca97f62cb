"""Rounds, seeds and cross products: a short round in `make test`, all of it in `make test-slow`."""

from __future__ import annotations

from typing import Any

import pytest


def first_of(*values: Any) -> list[Any]:
    """For `parametrize`: the first value in `make test`, the others in `make test-slow`."""
    return [values[0], *(pytest.param(value, marks=pytest.mark.slow) for value in values[1:])]
