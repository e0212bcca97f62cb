"""Values of reports that could not be read: a person says what they mean, or they are read again. Pure.

A correction is a further report with the trust of the one that it corrects, so that it fills the field that stayed
empty there, and that report stays as it was sent. It never changes the click.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from command_api.conversions import decisions, model
from command_api.conversions.attribution.decision import Case, Steps, restated_by, with_reported_status
from command_api.conversions.attribution.facts import Facts, PartnerOf
from command_api.kernel.decision import invalid
from infra.domain import report_reading as reading
from schemas.base import DomainEvent, Money
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events.conversions import Reported
from schemas.networks import DEFAULT, NETWORKS

AMOUNTS: Final = ("amount", "payout")


@dataclass(frozen=True, slots=True)
class Corrected:
    """The values that a person enters for an unread report. `None`: unchanged."""

    amount: Money | None = None
    payout: Money | None = None
    status: str | None = None


def correct(case: Case, state: model.Conversion, report_id: UUID, says: Corrected) -> Sequence[DomainEvent]:
    """Merges what a person says of one report. Raises `CommandRejected` (unknown_report, nothing_unread, bad_amount,
    unknown_currency)."""
    report = next((report for report in state.reports if report.report_id == report_id), None)
    if report is None:
        raise invalid("unknown_report", "This is no report of this conversion whose values are kept.", "reportId")
    values: dict[str, Any] = {name: value for name in AMOUNTS if (value := getattr(says, name)) is not None}
    if says.status is not None:
        values["status"] = says.status
    for name, value in values.items():
        if name not in report.unread:
            raise invalid("nothing_unread", f"This report has no {name} that could not be read.", name)
        if isinstance(value, Money):
            _check(name, value)
    if not values:
        raise invalid("nothing_unread", "Say what the report means: amount, payout or status.", "amount")
    return _merged(case, state, [_filled(report, values, {})])


def read_again(case: Case, state: model.Conversion, preset: str | None) -> Sequence[DomainEvent]:
    """Reads every kept text again, statuses in the words of `preset`, else of the network that the report's partner has
    now; empty when nothing more can be read. Raises `CommandRejected` (unknown_preset)."""
    if preset is not None and preset not in NETWORKS:
        raise invalid("unknown_preset", "This is no network.", "preset")
    filled = []
    for report in state.reports:
        values, exact = _read(report, _words(report, preset, case.facts), case.website.currency)
        missing = {name: value for name, value in values.items() if name in state.merged.unread}
        if missing:
            filled.append(_filled(report, missing, exact))
    return _merged(case, state, filled)


def _merged(case: Case, state: model.Conversion, reports: Sequence[Reported]) -> Sequence[DomainEvent]:
    steps = Steps(state)
    for report in reports:
        earlier = steps.state.merged
        if merged := decisions.merge_report(steps.state, report, case.context):
            steps = steps.then(merged)
            steps = with_reported_status(steps.then(restated_by(steps.state, case)), earlier, case.context)
    return steps.events


def _filled(report: Reported, values: Mapping[str, Any], exact: Mapping[str, str]) -> Reported:
    rest = {name: text for name, text in report.unread.items() if name not in values}
    said = {name: value.model_dump() if isinstance(value, Money) else value for name, value in sorted(values.items())}
    return report.model_copy(
        update={**values, "report_id": uuid5(report.report_id, f"{said}"), "unread": rest, "exact": dict(exact)}
    )


def _read(report: Reported, words: Mapping[str, str], own: str) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    exact: dict[str, str] = {}
    status = report.unread.get("status")
    if status is not None and (read := reading.read_status(status, words)) is not None:
        values["status"] = read
    for name in AMOUNTS:
        booked = _amount(report, name, own)
        if booked is not None:
            values[name], exact[name] = booked
    return values, {name: text for name, text in exact.items() if text}


def _amount(report: Reported, name: str, own: str) -> tuple[Money, str] | None:
    """Reads an amount of a postback, none of other reports: an amount of the website's own report may be in either
    unit."""
    text = report.unread.get(name)
    decimal = reading.read_decimal(text) if text is not None and report.reported_by == "postback" else None
    if decimal is None:
        return None
    named = report.unread.get("currency")
    currency = reading.read_currency(named, own) if named is not None else own
    if decimal.currencies is not None and len(decimal.currencies) == 1 and named is None:
        currency = next(iter(decimal.currencies))
    if currency is None or reading.currency_of(decimal, currency) is None:
        return None
    booked = reading.to_minor(decimal.value, currency)
    return None if booked is None else (Money(amount=booked.amount, currency=currency), booked.exact)


def _words(report: Reported, preset: str | None, facts: Facts) -> Mapping[str, str]:
    partner = facts[PartnerOf(report.partner_id)] if report.partner_id is not None else None
    own = partner.postback_preset if partner is not None else None
    network = NETWORKS.get(preset or own or DEFAULT)
    return network.statuses if network is not None else {}


def _check(name: str, value: Money) -> None:
    if value.currency not in MINOR_DIGITS:
        raise invalid("unknown_currency", "currency is an ISO 4217 code such as USD.", f"{name}.currency")
    if not 0 <= value.amount <= MAX_AMOUNT:
        raise invalid("bad_amount", "An amount is 0 to 10^15 minor units.", name)
