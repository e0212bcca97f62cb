"""The routes of an installation: those of modules that are switched off are left out of both APIs. So they are 404 for
everybody, as an address that never was, and the OpenAPI document lacks them."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter
from fastapi.routing import APIRoute

from infra.kernel.config.modules import MODULES, Module


def switched_on(routers: Iterable[APIRouter], without: Iterable[str]) -> list[APIRouter]:
    """The routers without those of the modules `without`. All routes of a router belong to one module, or to none."""
    off = [MODULES[name] for name in without]
    return [router for router in routers if not any(belongs(router, module) for module in off)]


def belongs(router: APIRouter, module: Module) -> bool:
    """Returns whether the functions of a router lie in the package of `module`."""
    places = [route.endpoint.__module__.split(".") for route in router.routes if isinstance(route, APIRoute)]
    return any(place[1] == module.context and place[-1] not in module.apart for place in places)
