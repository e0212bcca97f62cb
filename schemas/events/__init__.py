"""Every decided event, one module per context. Importing this package fills `schemas.base.REGISTRY`."""

from schemas.events import accounts, conversions, domains, links, operations, partners, websites

__all__ = ["accounts", "conversions", "domains", "links", "operations", "partners", "websites"]
