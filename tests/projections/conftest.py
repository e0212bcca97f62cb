"""Projections on real engines: each test has databases of its own."""

from __future__ import annotations

from tests.support.projection_bench import projecting

__all__ = ["projecting"]
