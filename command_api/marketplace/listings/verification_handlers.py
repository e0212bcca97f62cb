"""Command handlers of verifications: compares a listing's figures with what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Final

from command_api.conversions.money import exchange
from command_api.domains import model as domains
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import timeouts
from command_api.marketplace.listings import commands, model
from command_api.marketplace.listings.measurement import Measurement, is_current, website_to_verify
from command_api.marketplace.listings.model import CURRENCY, ON_MARKET, Listing, NotVerified
from command_api.operations.exchange_rates.lookup import rate_on
from schemas.base import DomainEvent, MoneySum
from schemas.events.domains import DomainRemoved, DomainVerificationLost, DomainVerified
from schemas.events.marketplace import MeasuredMonth

CHECK_INTERVAL: Final = timedelta(days=1)

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RecordVerification, senders="system")
def record_verification(command: commands.RecordVerification, uow: UnitOfWork) -> None:
    listing, next_at = uow.load(command.listing_id, model.evolve), None
    if listing is not None:
        events = _verification(uow, listing, command.measurement)
        if events is None:
            uow.set_timeout(timeouts.VERIFICATION, listing.id, uow.context.at)
            return
        uow.append(*events)
        if listing.website_id is not None and listing.status in ON_MARKET:
            next_at = uow.context.at + CHECK_INTERVAL
    uow.set_timeout(timeouts.VERIFICATION, command.listing_id, next_at)


@HANDLERS.before(DomainVerified, DomainVerificationLost, DomainRemoved)
def change_proof(event: DomainEvent, uow: UnitOfWork) -> None:
    """Verifies the listings of a domain's host again, because their proof changes."""
    domain = uow.load(event.originator_id, domains.evolve)
    if domain is not None:
        for (listing_id,) in uow.select(_LISTINGS, domain.account_id, domain.domain.removeprefix("www.")):
            uow.set_timeout(timeouts.VERIFICATION, listing_id, uow.context.at)


def _verification(uow: UnitOfWork, listing: Listing, measured: Measurement | None) -> list[DomainEvent] | None:
    """The verification events; none for a listing that is closed, has no connected website, or is unchanged. `None`:
    listing or website have changed since the measurement."""
    website = website_to_verify(listing, uow)
    if website is None:
        return []
    if isinstance(website, str):
        return _not_verified(listing, website, uow.context)
    if is_current(listing, website, uow.context.at):
        return []
    if measured is None or (measured.website_id, measured.website_version) != (website.id, website.version):
        return None
    if not measured.months:
        return _not_verified(listing, "no_whole_month", uow.context)
    revenue = _revenue(uow, measured.months)
    return model.verify(listing, measured.months, revenue, measured.share, uow.context, website.id)


def _not_verified(listing: Listing, reason: NotVerified, context: CommandContext) -> list[DomainEvent]:
    is_known = listing.not_verified == reason and not listing.verification_pending
    return [] if is_known else model.not_verified(listing, reason, context)


def _revenue(uow: UnitOfWork, months: Sequence[MeasuredMonth]) -> MoneySum | None:
    """The total, each month at the rate of its last day; none without a rate."""
    total = 0
    for month in months:
        currency = month.revenue.currency
        rates = {}
        if currency != CURRENCY:
            rate = rate_on(uow, currency, CURRENCY, _last_day(month.month))
            rates = {currency: rate.rate} if rate is not None else {}
        try:
            total += exchange(Fraction(month.revenue.amount), currency, CURRENCY, rates)[0]
        except CommandRejected:
            return None
    return MoneySum(amount=total, currency=CURRENCY)


def _last_day(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


_LISTINGS: Final = (
    "SELECT listing_id FROM lookup.listing JOIN marketplace.listing_host USING (listing_id)"
    " WHERE seller_id = %s AND host = %s AND status NOT IN ('sold', 'withdrawn')"
)
