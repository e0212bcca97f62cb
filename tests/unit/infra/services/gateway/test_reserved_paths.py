"""The gateway keeps connections for the routes that have a lane of their own in the command service."""

from __future__ import annotations

from fastapi.routing import APIRoute

from command_api.app import CONTEXTS
from infra.kernel.http.route_costs import MONEY, PROVIDER, SIGN_IN, UPLOAD, CostTable
from infra.services.gateway.proxy import is_reserved

ROUTES = [route for context in CONTEXTS for route in context.router.routes if isinstance(route, APIRoute)]


def test_every_route_of_sign_in_and_money_has_connections_of_its_own() -> None:
    table, id_ = CostTable(ROUTES), "00000000-0000-4000-8000-000000000001"
    paths = {
        path
        for route in ROUTES
        for path in [route.path.replace("{id}", id_).replace("{", "").replace("}", "")]
        if table.of(min(route.methods or {"GET"}), path) in (SIGN_IN, MONEY, PROVIDER)
    }
    assert len(paths) > 40 and not [path for path in paths if not is_reserved(path)]


def test_what_costs_much_has_none() -> None:
    for path in ("/api/platform/sites/x/publish", "/api/platform/views", "/api/forum/threads", "/api/platform/users"):
        assert not is_reserved(path)
    assert UPLOAD.lane == "documents"
