"""Request and response models of the calls for conversions."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from command_api.conversions import model
from command_api.kernel.aggregates import shared_fields
from command_api.kernel.http import RequestModel
from command_api.partners import model as partners
from infra.domain.conversion_filter import MAX_SEARCH
from schemas.currencies import MAX_AMOUNT
from schemas.days import FIRST_DAY, LAST_DAY
from schemas.http.conversions import Conversion
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

MAX_ITEMS: Final = 500
KeyKind = Literal["site", "secret", "postback", "import"]
Day = Annotated[date, Field(ge=FIRST_DAY, le=LAST_DAY)]
Text = Annotated[str, Field(max_length=1000)]
MAX_VALUE: Final = 2_000
Value = Annotated[str | None, Field(max_length=MAX_VALUE)]


def _storable(value: str) -> str:
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("Text must be valid Unicode without NUL characters.")
    return value


SubValue = Annotated[str, Field(max_length=MAX_VALUE), AfterValidator(_storable)]
SubName = Annotated[str, Field(pattern="^sub([1-9]|10)$")]


class Approve(RequestModel):
    """Nothing more is needed."""


class Reject(RequestModel):
    """Why the conversion is rejected. The reason is kept with it."""

    reason: Text


class AssignConversion(RequestModel):
    """What earns a conversion without a click: one of the website's clicks or links. The choice is final."""

    click_id: Annotated[str | None, Field(min_length=1, max_length=64)] = None
    link_id: Annotated[UUID | None, Field(strict=False, description="If the click itself is not known")] = None
    reason: Annotated[Text, Field(description="Kept with the conversion, with who assigned it and when")]


class SaidAmount(RequestModel):
    """An amount that a person says."""

    amount: Annotated[int, Field(ge=0, le=MAX_AMOUNT, description="Minor units")]
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]


class CorrectReport(RequestModel):
    """What a report means whose values could not be read; a field that is left out stays unread."""

    amount: Annotated[SaidAmount | None, Field(description="The sale")] = None
    payout: Annotated[SaidAmount | None, Field(description="What the partner pays")] = None
    status: Literal["pending", "approved", "rejected", "reversed", "hold"] | None = None


class ReadAgain(RequestModel):
    """How the values are read that could not be read."""

    preset: Annotated[
        str | None, Field(max_length=32, description="The network whose words hold; none: the partner's")
    ] = None


class ReplayReport(RequestModel):
    """How a refused postback is read now; a field without a value is as it was sent."""

    partner: Annotated[str | None, Field(max_length=64, description="Slug of the partner that it is about")] = None
    preset: Annotated[str | None, Field(max_length=32, description="The network in whose names it is read")] = None


class ReplayedReport(ResponseModel):
    """What `/postback` answers to a replay."""

    conversion_id: UUID
    status: Annotated[str, Field(description="Of the conversion, as `/postback` answers it")]
    is_new: Annotated[bool, Field(description="Whether this is the first report of its transaction")]
    unread: Annotated[list[str], Field(description="Fields that could not be read")]


class Reverse(RequestModel):
    """Reverses a sale, wholly or in part; the commission follows in proportion."""

    reason: Text
    amount: Annotated[int | None, Field(description="Minor units of the sale; none: all that is left")] = None


class Filter(RequestModel):
    """The pending conversions of a website, as the list shows them, the oldest first."""

    website_id: Annotated[UUID, Field(strict=False)]
    partner_id: Annotated[UUID | None, Field(strict=False)] = None
    from_: Annotated[Day | None, Field(strict=False, alias="from", description="First day, the website's zone")] = None
    to: Annotated[Day | None, Field(strict=False, description="Last day, inclusive")] = None

    key_kind: Annotated[KeyKind | None, Field(description="site: claims")] = None
    click_id: Annotated[str | None, Field(max_length=64, description="The click that earned them")] = None
    address_class: Annotated[str | None, Field(max_length=40, description="Class of the reporting address")] = None
    since: Annotated[AwareDatetime | None, Field(strict=False, description="Recorded then or later")] = None
    until: Annotated[AwareDatetime | None, Field(strict=False, description="Recorded before")] = None

    search: Annotated[str | None, Field(max_length=MAX_SEARCH, description="As in the list")] = None
    attributed: Annotated[bool | None, Field(description="Whether a click is credited")] = None
    unread: Annotated[bool | None, Field(description="Whether a report has a value that cannot be read")] = None
    kind: Literal["sale", "lead"] | None = None
    link_id: Annotated[UUID | None, Field(strict=False)] = None
    country: Annotated[str | None, Field(max_length=2)] = None
    device: Value = None
    source: Value = None
    coupon: Value = None
    reported_by: Literal["sale", "lead", "postback", "import"] | None = None
    network: Annotated[str | None, Field(max_length=32, description="As in the list")] = None
    import_id: Annotated[UUID | None, Field(strict=False, description="As in the list")] = None
    subs: dict[SubName, SubValue] = Field(default_factory=dict, max_length=10)
    after: Annotated[UUID | None, Field(strict=False, description="`last` of the previous response")] = None


class Selection(RequestModel):
    """Either `ids` or a `filter`."""

    ids: Annotated[list[Annotated[UUID, Field(strict=False)]] | None, Field(min_length=1, max_length=MAX_ITEMS)] = None
    filter: Filter | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Selection:
        if (self.ids is None) is (self.filter is None):
            raise ValueError("Please name either ids or a filter.")
        return self


class ApproveMany(Selection):
    """What to approve."""


class RejectFilter(Filter):
    """Pending conversions, or approved ones that turned out to be wrong."""

    status: Annotated[Literal["pending", "approved"] | None, Field(description="None: pending")] = None


class RejectMany(Selection):
    """What to reject, and the one reason for all of them."""

    filter: RejectFilter | None = None
    reason: Annotated[str, Field(max_length=1000)]


class DecideMany(Selection):
    """A decision that is final after 10 seconds, in which it can be undone."""

    website_id: Annotated[UUID, Field(strict=False)]
    decision: Literal["approve", "reject"]
    filter: RejectFilter | None = None
    reason: Annotated[str | None, Field(max_length=1000, description="For `reject`")] = None
    unattributed: Annotated[
        bool | None, Field(description="Also approve sales without a click, which earn nothing; else they are left out")
    ] = None

    @model_validator(mode="after")
    def _of_its_website(self) -> DecideMany:
        if self.filter is not None and self.filter.website_id != self.website_id:
            raise ValueError("The filter names another website.")
        return self


class ItemResult(ResponseModel):
    """Result for one conversion. One that already has the status is ok and not changed."""

    id: UUID
    ok: bool
    changed: bool
    code: str | None = None
    message: str | None = None


class BulkResult(ResponseModel):
    """One result for each, in the order of the request."""

    results: list[ItemResult]
    more: Annotated[bool, Field(description="The filter holds more than can be decided at once: send it again")]


class ScheduledDecisionState(ResponseModel):
    """What was scheduled. `id`: none when nothing could be decided."""

    id: UUID | None
    decision: str
    due_at: Annotated[datetime | None, Field(description="When it is final")]
    count: int
    commission: Annotated[Amount, Field(description="What approving earns, or rejecting loses")]
    refused: Annotated[list[ItemResult], Field(description="Those that are not decided, and why")]
    more: Annotated[bool, Field(description="The filter holds more: send it again with `after`")]
    last: Annotated[UUID | None, Field(description="The last conversion that was processed, with a filter")]


class DecisionState(ResponseModel):
    """The state of a decision."""

    id: UUID
    state: str


class StepState(StrEnum):
    """The outcome of a step. `skipped`: an earlier one failed."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class TestStep(ResponseModel):
    """One step of a test conversion: `text` says what happened, `fix` what to do."""

    name: Annotated[str, Field(description="redirect, click, postback or attribution")]
    state: StepState
    text: str
    fix: str


class TestConversion(ResponseModel):
    """The result of a test conversion. Nothing is counted."""

    passed: bool
    steps: list[TestStep]


def to_response(conversion: model.Conversion, partner: partners.Partner | None) -> Conversion:
    """Returns the conversion's state as a response. `partner`: the one that its click belongs to."""
    facts = conversion.facts
    attribution = facts.attribution
    sale = facts.amount
    return Conversion(
        **shared_fields(conversion, Conversion, but=("status", "commission")),
        **shared_fields(facts, Conversion, but=("amount", "attribution")),
        partner_id=attribution.partner_id if attribution else None,
        partner_name=partner.name if partner else None,
        link_id=attribution.link_id if attribution else None,
        click_id=(attribution.click_id or None) if attribution else None,
        status=conversion.status,
        amount=Amount(amount=sale.amount, currency=sale.currency),
        commission=Amount(amount=conversion.net_commission, currency=conversion.currency),
        reversed=Amount(amount=conversion.reversed_amount, currency=sale.currency),
        attribution=attribution.by.value if attribution else None,
        approves_at=conversion.approves_at,
        payable_at=conversion.payable_at,
    )
