"""Commands of links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.links import schemas
from command_api.links.schemas import Links, Organized
from schemas.http.links import Link


class CreateLink(Command[Link]):
    """Creates a link. Defaults: the partner's base URL as destination and a random slug. `utm`: of clicks that name
    none; `channel_id`: the social channel for which it is made."""

    link_id: UUID
    fields: schemas.CreateLink
    utm: Mapping[str, str] = field(default_factory=dict)
    channel_id: UUID | None = None


class CreateLinks(Command[Links]):
    """Creates all links or none."""

    links: tuple[CreateLink, ...]


class UpdateLink(Command[Link]):
    """Updates the given fields. An empty sub or coupon is removed. Another partner: the link leads there from now on,
    its earlier clicks stay those of the partner before."""

    link_id: UUID
    fields: schemas.UpdateLink


class ChooseWinner(Command[Link]):
    """Ends the test of a split: the variant gets all visitors; none: the test goes on."""

    link_id: UUID
    variant: int | None


class OrganizeLinks(Command[Organized]):
    """Tags, moves or archives several links: all of them or none."""

    fields: schemas.OrganizeLinks


class DeleteLink(Command[None]):
    """Deletes a link permanently: it stops redirecting, its slug stays reserved, its clicks still count."""

    link_id: UUID
