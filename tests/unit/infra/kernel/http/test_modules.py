"""Given a module that is switched off, when any of its routes is called, then there is none; all others are there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

import command_api.app
import query_api.app
from infra.kernel.config.modules import MODULES, is_off, notifications_off, parse_without
from infra.kernel.http.modules import switched_on
from schemas.notifications import KINDS

ROUTERS: dict[str, Sequence[APIRouter]] = {"query": query_api.app.ROUTERS, "command": command_api.app.ROUTERS}
FOLDERS = {
    "builder": "publishing",
    "consulting": None,
    "forum": "forum",
    "marketplace": "marketplace",
    "matching": "matching",
}
"""Where the files of a module's routes are."""


def routes(routers: Sequence[APIRouter]) -> Iterator[APIRoute]:
    for router in routers:
        yield from (route for route in router.routes if isinstance(route, APIRoute))


def is_of(route: APIRoute, folder: str | None) -> bool:
    file = Path(inspect.getsourcefile(route.endpoint) or "")
    return folder in file.parts and not file.name.startswith("learning")


@pytest.mark.parametrize("service", sorted(ROUTERS))
@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_route_of_a_module_that_is_off_answers_404(service: str, module: str) -> None:
    every = ROUTERS[service]
    left = switched_on(every, (module,))
    gone = [route for route in routes(every) if is_of(route, FOLDERS[module])]
    assert bool(gone) is (FOLDERS[module] is not None)
    assert list(routes(left)) == [route for route in routes(every) if not is_of(route, FOLDERS[module])]
    app = FastAPI()
    for router in left:
        app.include_router(router)
    client = TestClient(app)
    for route in gone:
        path = re.sub(r"\{(\w+)(:\w+)?\}", "0190f3b2-0000-4000-8000-000000000001", route.path)
        for method in route.methods or ():
            assert client.request(method, path).status_code == 404, f"{method} {route.path}"
    assert not {route.path for route in gone} & app.openapi()["paths"].keys()


def test_without_a_setting_every_route_is_there() -> None:
    for every in ROUTERS.values():
        assert switched_on(every, ()) == list(every)


def test_kinds_of_notifications_are_those_that_there_are() -> None:
    assert notifications_off(MODULES) < KINDS.keys()
    assert notifications_off(()) == frozenset()


def test_a_page_is_off_with_all_below_it() -> None:
    assert [is_off(path, ("forum",)) for path in ("/forum", "/forum/thread/7", "/forums", "/", "/marketplace")] == [
        *(True, True),
        *(False, False, False),
    ]


def test_the_setting_takes_names_of_modules() -> None:
    assert parse_without(" forum, builder,") == ("builder", "forum")
    with pytest.raises(ValueError, match="casino is none of builder, consulting"):
        parse_without("casino")
