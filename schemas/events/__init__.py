"""Every decided event, one module per context. Importing this package fills `schemas.base.REGISTRY`."""

from schemas.events import (
    accounts,
    analytics,
    conversions,
    domains,
    forum,
    insights,
    leads,
    links,
    marketplace,
    matching,
    notifications,
    operations,
    partners,
    social,
    sql,
    websites,
)

__all__ = [
    "accounts",
    "analytics",
    "conversions",
    "domains",
    "forum",
    "insights",
    "leads",
    "links",
    "marketplace",
    "matching",
    "notifications",
    "operations",
    "partners",
    "social",
    "sql",
    "websites",
]
