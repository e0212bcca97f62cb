"""Bodies and answers of the calls for links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import Moment, RequestModel
from command_api.links import model, splits
from command_api.partners.model import Partner
from schemas.events.links import Device, Routing, TargetRule, Variant
from schemas.http.links import Link
from schemas.http.links import Variant as LinkVariant
from schemas.http.responses import ResponseModel

MAX_BULK_LINKS = 200

Text = Annotated[str, Field(max_length=2048)]
Label = Annotated[str, Field(max_length=200)]
Id = Annotated[UUID, Field(strict=False)]


class RuleInput(RequestModel):
    """Visitors from one of the countries (none: any) with one of the devices (none: any) go to the destination."""

    countries: Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_length=250)] = Field(
        default_factory=list
    )
    devices: Annotated[list[Annotated[Device, Field(strict=False)]], Field(max_length=4)] = Field(default_factory=list)
    destination: Text


class SplitVariant(RequestModel):
    """One side of a split. Its share is its weight among all weights."""

    destination: Text
    weight: Annotated[int, Field(ge=1, le=1000)]
    number: Annotated[
        int | None, Field(ge=1, le=100_000, description="Of a variant that the link has; omitted: found by destination")
    ] = None
    name: Annotated[str, Field(max_length=200, description="Shown in reports in place of the number")] = ""
    partner_id: Annotated[Id | None, Field(description="Whose site the destination is on; omitted: the link's")] = None

    def to_variant(self) -> Variant:
        """Returns the variant; number 0: none is named."""
        return Variant(
            destination=self.destination.strip(),
            weight=self.weight,
            number=self.number or 0,
            name=self.name.strip(),
            partner_id=self.partner_id,
        )


class LinkFields(RequestModel):
    """What a new link and a changed one may both name."""

    destination: Text | None = None
    coupon: Text | None = None
    rules: Annotated[list[RuleInput], Field(max_length=20)] | None = None
    variants: Annotated[list[SplitVariant], Field(max_length=10)] | None = None
    expires_at: Moment | None = None
    fallback: Text | None = None
    tags: Annotated[list[Label], Field(max_length=100, description="Labels of your own")] | None = None
    folder: Label | None = None
    sub1: Text | None = None
    sub2: Text | None = None
    sub3: Text | None = None
    sub4: Text | None = None
    sub5: Text | None = None
    sub6: Text | None = None
    sub7: Text | None = None
    sub8: Text | None = None
    sub9: Text | None = None
    sub10: Text | None = None

    def subs(self) -> dict[str, str]:
        return {name: value for name in model.SUBS if (value := getattr(self, name)) is not None}


class CreateLink(LinkFields):
    """A new link. Without a slug it gets a free one."""

    website_id: Id
    partner_id: Id
    slug: Text | None = None


class BulkLinks(RequestModel):
    """Links to create together: all of them or none."""

    links: Annotated[list[CreateLink], Field(min_length=1, max_length=MAX_BULK_LINKS)]


class UpdateLink(LinkFields):
    """Fields to change; a field that is left out stays. An empty text removes a coupon, sub id or folder."""

    partner_id: Annotated[
        Id | None,
        Field(
            description="To which partner the link leads from now on, under the same address; without a destination to"
            " its base URL. Earlier clicks stay those of the partner before"
        ),
    ] = None
    is_active: bool | None = None
    is_archived: Annotated[bool | None, Field(description="Archived links work and are left out of lists")] = None


class ChooseWinner(RequestModel):
    """The variant that gets all visitors from now on; null: the test goes on."""

    variant: Annotated[int | None, Field(ge=1, le=100_000)]


class OrganizeLinks(RequestModel):
    """What to change about how several links are kept; omitted fields stay."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_BULK_LINKS)]
    add_tags: Annotated[list[Label], Field(max_length=20)] = Field(default_factory=list)
    remove_tags: Annotated[list[Label], Field(max_length=20)] = Field(default_factory=list)
    folder: Annotated[Label | None, Field(description="Empty: in none")] = None
    is_archived: bool | None = None


class Organized(ResponseModel):
    """How many links changed; the others were as wished already."""

    changed: int


class Links(ResponseModel):
    """The created links, in the order of the request."""

    links: list[Link]


def routing_after(current: Routing, fields: LinkFields, last_variant: int = 0) -> Routing | None:
    """The routing with what `fields` name; none when they name nothing of it. Null or an empty text takes away.
    `last_variant`: the highest number that a variant of the link had so far. Raises `CommandRejected`."""
    fields_set = fields.model_fields_set
    if not fields_set & {"rules", "variants", "expires_at", "fallback"}:
        return None
    rules, variants = current.rules, current.variants
    if "rules" in fields_set:
        rules = tuple(TargetRule(**rule.model_dump()) for rule in fields.rules or ())
    if "variants" in fields_set:
        wanted = [one.to_variant() for one in fields.variants or ()]
        variants = splits.numbered(wanted, current.variants, last_variant)
    return Routing(
        rules=rules,
        variants=variants,
        expires_at=fields.expires_at if "expires_at" in fields_set else current.expires_at,
        winner=current.winner,
        fallback=(fields.fallback or None) if "fallback" in fields_set else current.fallback,
    )


def to_response(
    link: model.LinkAggregate, partner: Partner | None, url_prefix: str, of_variants: Mapping[UUID, Partner | None]
) -> Link:
    """Returns the link's state as a response. `url_prefix`: the beginning of the addresses of the website's links;
    `of_variants`: the partners that its variants name."""
    routing = link.routing
    return Link.of(
        link,
        partner_name=partner.name if partner else None,
        url=url_prefix + link.slug,
        rules=routing.rules,
        variants=[_variant(variant, partner, of_variants) for variant in routing.variants],
        expires_at=routing.expires_at,
        fallback=routing.fallback,
        winner=routing.winner,
        passes_click_id=model.passes_click_id(link, partner, of_variants),
        tags=list(link.tags),
        **link.subs,
    )


def _variant(variant: Variant, of_link: Partner | None, of_variants: Mapping[UUID, Partner | None]) -> LinkVariant:
    partner = of_link if variant.partner_id is None else of_variants.get(variant.partner_id)
    return LinkVariant.of(
        variant, partner_name=partner.name if partner else None, gets_traffic=partner is not None and partner.is_active
    )
