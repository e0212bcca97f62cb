"""Events of links: tracked links of a website to a partner, `/go/{slug}`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar, Self
from uuid import UUID

from pydantic import Field, model_validator

from schemas.base import DomainEvent, Frozen


class Device(StrEnum):
    """Classes of devices that a rule may name; those of tracked events, machines left out."""

    DESKTOP = "desktop"
    MOBILE = "mobile"
    TABLET = "tablet"
    OTHER = "other"


class TargetRule(Frozen):
    """Visitors from one of `countries` (none: any) with one of `devices` (none: any) go to `destination`."""

    countries: tuple[str, ...] = Field(default=(), description="ISO 3166-1 alpha-2")
    devices: tuple[Device, ...] = ()
    destination: str


class Variant(Frozen):
    """One side of a split: its share is its weight among all weights."""

    destination: str
    weight: int = Field(ge=1, le=1000)
    number: int = Field(
        default=0, ge=0, description="What clicks name it by, never given twice in a link; 0: its place, from 1 on"
    )
    name: str = Field(default="", description="The owner's name for it")
    partner_id: UUID | None = Field(default=None, description="None: the link's")


class Routing(Frozen):
    """Where a link leads beside its plain destination.

    In this order: expired or switched off: to `fallback`, or nowhere; the first rule that fits; the winner, or a
    variant, always the same one for a visitor; else the link's destination.
    """

    rules: tuple[TargetRule, ...] = Field(default=(), max_length=20)
    variants: tuple[Variant, ...] = Field(default=(), max_length=10)
    winner: int | None = Field(
        default=None, description="Number of the variant that gets all visitors since the test was ended"
    )
    expires_at: datetime | None = None
    fallback: str | None = None

    @property
    def partner_ids(self) -> frozenset[UUID]:
        """The partners of variants that have one of their own."""
        return frozenset(variant.partner_id for variant in self.variants if variant.partner_id is not None)

    def partners_after(self, known: Iterable[UUID]) -> list[UUID]:
        """`known` and the partners that its variants name for the first time, in their order: click ids name them by
        their places, so none ever changes its own."""
        named = (variant.partner_id for variant in self.variants if variant.partner_id is not None)
        return list(dict.fromkeys((*known, *named)))

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        """Before variants had numbers, clicks named their places."""
        if any(not variant.number for variant in self.variants):
            numbered = (
                variant if variant.number else variant.model_copy(update={"number": place})
                for place, variant in enumerate(self.variants, 1)
            )
            object.__setattr__(self, "variants", tuple(numbered))
        return self


class Shifting(Frozen):
    """Whether the weights of a split follow its results, and within which bounds."""

    is_on: bool = False
    min_share: int = Field(default=10, ge=1, le=50, description="Percent of the visitors that each variant keeps")
    max_step: int = Field(default=10, ge=1, le=50, description="Percentage points by which a day shifts at most")


class ShiftOutcome(StrEnum):
    """The outcome of a day's look at the results of a split."""

    SHIFTED = "shifted"
    COLLECTING = "collecting"
    """There is too little to say anything: nothing shifts."""
    UNDECIDED = "undecided"
    """No difference is certain yet: nothing shifts."""
    EQUAL = "equal"
    """The variants certainly earn alike: nothing shifts."""
    AT_BOUNDS = "at_bounds"
    """The better variant has all that the bounds allow."""


class VariantShift(Frozen):
    """A variant in a decision about weights: its weight before and after, and the figures that were decided on, of the
    judged days. Minor units of the website's currency."""

    number: int
    before: int
    after: int
    gets_traffic: bool = Field(description="False: its partner was inactive, so it was not judged")
    clicks: int = 0
    conversions: int = 0
    buyers: int = Field(default=0, description="Visitors of a day who bought")
    revenue: int = 0


class WeightShift(Frozen):
    """A decision about the weights of a split by its results (docs/splits.md)."""

    day: date = Field(description="UTC; a link has one decision a day that shifts")
    outcome: ShiftOutcome
    leader: int | None = Field(default=None, description="Number of the variant with the highest earnings per click")
    sureness: float | None = Field(default=None, description="0 to 1: of the closest comparison; None: there is none")
    variants: tuple[VariantShift, ...] = Field(default=(), max_length=10)


class LinkCreated(DomainEvent):
    """A tracked link was created."""

    NAME: ClassVar[str] = "link.created"
    website_id: UUID
    partner_id: UUID
    slug: str
    code: int = Field(ge=0, lt=2**48, description="Random number that identifies the link in click ids")
    destination: str = Field(description="May contain macros such as {click_id}")
    subs: dict[str, str] = Field(default_factory=dict, description="sub1..sub10 that every click of the link carries")
    coupon: str | None = Field(default=None, description="Upper case; sales that name it belong to this link")
    routing: Routing = Routing()
    tags: tuple[str, ...] = Field(default=(), description="Labels of the owner's, sorted")
    folder: str | None = Field(default=None, description="The one in which the owner keeps it")
    utm: dict[str, str] = Field(default_factory=dict, description="UTM parameters of clicks that name none themselves")
    channel_id: UUID | None = Field(default=None, description="The social channel for which it was made")


class LinkUpdated(DomainEvent):
    """The link changed; a field that is None did not change."""

    NAME: ClassVar[str] = "link.updated"
    partner_id: UUID | None = Field(
        default=None, description="To which it leads from now on; clicks before that stay those of the one before"
    )
    bulk_id: UUID | None = Field(default=None, description="The change of many links that it belongs to")
    destination: str | None = None
    subs: dict[str, str] | None = None
    coupon: str | None = None
    is_active: bool | None = None
    routing: Routing | None = Field(default=None, description="All of it, as it is from now on")
    tags: tuple[str, ...] | None = Field(default=None, description="All of them, as they are from now on")
    folder: str | None = Field(default=None, description="Empty: in none from now on")
    is_archived: bool | None = Field(default=None, description="Archived links work and are left out of lists")
    shifting: Shifting | None = Field(default=None, description="Whether weights follow results from now on")
    shift: WeightShift | None = Field(
        default=None, description="Why the weights in `routing` changed, or, without `routing`, did not"
    )
    restores: int | None = Field(
        default=None, description="Version of the event whose weights before it `routing` has again"
    )


class LinkDeleted(DomainEvent):
    """The link stopped redirecting; its slug is not reused."""

    NAME: ClassVar[str] = "link.deleted"


class BulkKind(StrEnum):
    """What is done to many links at once."""

    MOVE = "move"
    REPLACE = "replace"
    ORGANIZE = "organize"
    UNDO = "undo"


class BulkChange(Frozen):
    """What a change of many links does to each. Only the fields of its kind are set."""

    kind: BulkKind
    partner_id: UUID | None = Field(default=None, description="Move: to which partner")
    destination: str | None = Field(default=None, description="Move: where all lead; none: the partner's base URL")
    keeps_path: bool = Field(default=False, description="Move: to the same page on the partner's site")
    find: str = Field(default="", description="Replace: a part of destinations")
    replacement: str = Field(default="", description="Replace: the new text")
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    folder: str | None = Field(default=None, description="Organize: empty: in none")
    is_archived: bool | None = None
    undoes: UUID | None = Field(default=None, description="Undo: which change")


class LinkBulkStarted(DomainEvent):
    """A person changes many links: batch after batch, each link on its own."""

    NAME: ClassVar[str] = "link_bulk.started"
    website_id: UUID
    change: BulkChange
    link_ids: tuple[UUID, ...] = Field(min_length=1, max_length=10_000)


class ChangedLink(Frozen):
    """A link that was changed, and the version of its event."""

    link_id: UUID
    version: int


class LinkFailure(Frozen):
    """A link that could not be changed, and why."""

    link_id: UUID
    code: str
    message: str = Field(max_length=500)


class LinkBulkAdvanced(DomainEvent):
    """A batch of the links was decided: stored together with their events. Those not named were as wished already."""

    NAME: ClassVar[str] = "link_bulk.advanced"
    website_id: UUID
    done: int = Field(ge=0, description="Links that were decided so far")
    changed: tuple[ChangedLink, ...] = ()
    failures: tuple[LinkFailure, ...] = ()
    is_finished: bool = Field(default=False, description="It was the last batch")


class LinkBulkCancelled(DomainEvent):
    """A person stopped it: the links that were not decided yet stay as they are."""

    NAME: ClassVar[str] = "link_bulk.cancelled"
    website_id: UUID
