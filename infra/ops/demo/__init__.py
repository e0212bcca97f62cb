"""`althing demo`: fills a running stack with a realistic, clearly labelled history, through its public API alone."""

from infra.ops.demo.run import main

__all__ = ["main"]
