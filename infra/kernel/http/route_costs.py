"""The permitted cost of a request: each route declares a class here, and each class its bounds.

A route without a declaration has the class of its method. A router declares one for all its routes (`route_class=`),
a route for itself alone (`openapi_extra=`); the OpenAPI document shows it as `x-cost-class`. `request_bounds` refuses
what is above the bounds before it is parsed, and gives each lane threads and connections that no other lane can take.
`tests/api/kernel/test_request_costs.py` sends every route the most expensive request of its class and measures it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, compile_path

EXTENSION: Final = "x-cost-class"
KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class CostClass:
    """The bounds of one request.

    `body_bytes` and `json_values` are enforced: the values of a JSON body are its members and elements at every depth.
    What a request may use within them is measured by the test: `processor_ms` of the service, `memory_kib` above the
    level before, `stored_kib` written to Postgres, its journal included.
    """

    name: str
    lane: str
    body_bytes: int
    json_values: int
    processor_ms: int
    memory_kib: int
    stored_kib: int
    needs_session: bool = True
    """A larger body is read only for a person who is signed in."""


SIGN_IN: Final = CostClass("sign_in", "accounts", 16 * KIB, 64, 250, 24 * KIB, 64, needs_session=False)
"""Sign-in, sign-out, registration, second factor, passwords. A password hash alone takes 19 MiB."""
MONEY: Final = CostClass("money", "money", 128 * KIB, 1_200, 250, 16 * KIB, 512)
"""Decisions about money."""
PROVIDER: Final = CostClass("provider", "money", 64 * KIB, 600, 250, 16 * KIB, 256, needs_session=False)
"""Messages of a provider of payments, which a signature authenticates."""
PUBLIC: Final = CostClass("public", "public", 64 * KIB, 64, 100, 8 * KIB, 256, needs_session=False)
"""Requests that a visitor without an account may send."""
COMMAND: Final = CostClass("command", "commands", 128 * KIB, 600, 250, 24 * KIB, 512)
"""Every other command."""
DOCUMENT: Final = CostClass("document", "documents", 1024 * KIB, 20_000, 1_500, 64 * KIB, 4_096)
"""Commands with a whole document: a page, a file of rows, many items. Few run at one time."""
UPLOAD: Final = CostClass("upload", "documents", 5 * 1024 * KIB, 0, 1_500, 64 * KIB, 8_192)
"""An image or a file."""
REPORT: Final = CostClass("report", "documents", 20 * 1024 * KIB, 0, 2_500, 96 * KIB, 32_768)
"""A file with the figures of a network or an ad platform; it is stored, and read afterwards."""
READ: Final = CostClass("read", "reads", 16 * KIB, 64, 500, 32 * KIB, 64)
"""Reads."""
EXPORT: Final = CostClass("export", "reads", 16 * KIB, 64, 1_000, 32 * KIB, 64)
"""A file of all rows of a list."""
STATEMENT: Final = CostClass("statement", "reads", 1024 * KIB, 20_000, 1_000, 64 * KIB, 64)
"""Reads with a body: an analyst's statement, the preview of a page."""

CLASSES: Final[Mapping[str, CostClass]] = {
    each.name: each
    for each in (SIGN_IN, MONEY, PROVIDER, PUBLIC, COMMAND, DOCUMENT, UPLOAD, REPORT, READ, EXPORT, STATEMENT)
}
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def costs(cost: CostClass) -> dict[str, Any]:
    """`openapi_extra` of a route of this class."""
    return {EXTENSION: cost.name}


def routes_of(cost: CostClass) -> type[APIRoute]:
    """`route_class` of a router whose routes have this class, unless one declares another."""
    return type("CostedRoute", (_CostedRoute,), {"cost": cost})


class _CostedRoute(APIRoute):
    cost: ClassVar[CostClass]

    def __init__(self, *arguments: Any, openapi_extra: dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__(*arguments, openapi_extra={**costs(self.cost), **(openapi_extra or {})}, **options)


class CostTable:
    """The class of each request by its method and path."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._exact: dict[tuple[str, str], CostClass] = {}
        self._patterns: list[tuple[frozenset[str], re.Pattern[str], CostClass]] = []
        for route in routes:
            if not isinstance(route, APIRoute) or EXTENSION not in (route.openapi_extra or {}):
                continue
            cost = CLASSES[(route.openapi_extra or {})[EXTENSION]]
            methods = frozenset(route.methods or ())
            if "{" in route.path:
                self._patterns.append((methods, compile_path(route.path)[0], cost))
            else:
                self._exact.update({(method, route.path): cost for method in methods})

    def of(self, method: str, path: str) -> CostClass:
        """The class of a request, also of one that no route takes."""
        exact = self._exact.get((method, path))
        if exact is not None:
            return exact
        for methods, pattern, cost in self._patterns:
            if method in methods and pattern.match(path):
                return cost
        return READ if method in _READ_METHODS else COMMAND


def describe_costs(document: dict[str, Any]) -> None:
    """Writes the class into each operation of an OpenAPI document that declares none."""
    for operations in document["paths"].values():
        for method, operation in operations.items():
            operation.setdefault(EXTENSION, (READ if method.upper() in _READ_METHODS else COMMAND).name)
