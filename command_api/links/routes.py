"""`/api/platform/links`: create (one or many), change, organize and delete tracked links."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.links import commands
from command_api.links.schemas import BulkLinks, ChooseWinner, CreateLink, Links, Organized, OrganizeLinks, UpdateLink
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.links import Link
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/links", tags=["links"])


@router.post("", status_code=201, response_model=Link, openapi_extra=costs(DOCUMENT))
def create_link(body: CreateLink, run: Runs) -> Response:
    """Creates a link. Defaults: the partner's base URL as destination and a random slug."""
    return run(commands.CreateLink(uuid7(), body), body, status=201, is_consistent=True)


@router.post("/bulk", status_code=201, response_model=Links, openapi_extra=costs(DOCUMENT))
def create_links(body: BulkLinks, run: Runs) -> Response:
    """Creates all links or none; errors name every invalid field (`links.3.slug`)."""
    command = commands.CreateLinks(tuple(commands.CreateLink(uuid7(), fields) for fields in body.links))
    return run(command, body, status=201, is_consistent=True)


@router.post("/organize", response_model=Organized, openapi_extra=costs(DOCUMENT))
def organize_links(body: OrganizeLinks, run: Runs) -> Response:
    """Adds and removes tags of several links, moves them to a folder, archives them or restores them."""
    return run(commands.OrganizeLinks(body), body, is_consistent=True)


@router.patch("/{id}", response_model=Link, openapi_extra=costs(DOCUMENT))
def update_link(link_id: Id, body: UpdateLink, run: Runs) -> Response:
    """Updates the given fields, also the partner: the address stays. An empty sub or coupon is removed."""
    return run(commands.UpdateLink(link_id, body), body, is_consistent=True)


@router.put("/{id}/split/winner", response_model=Link, openapi_extra=costs(DOCUMENT))
def choose_winner(link_id: Id, body: ChooseWinner, run: Runs) -> Response:
    """Ends the test of a split: the variant gets all visitors. Null: the test goes on."""
    return run(commands.ChooseWinner(link_id, body.variant), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def delete_link(link_id: Id, run: Runs) -> Response:
    """Deletes a link permanently: it stops redirecting, its slug stays reserved, its clicks still count."""
    return run(commands.DeleteLink(link_id), status=204, is_consistent=True)
