"""Reads the fields of a report of a sale or lead, for `/postback`, `/track/sale` and `/track/lead`.

fields under Althing's names -> this -> `ConversionReport`. A value that cannot be read never costs the sale: the field
stays empty, and its text is kept in `ConversionReport.unread` (docs/conversions.md, "Values that cannot be read").
Refused are only reports without an identity, amounts above the bound, and what the key may not report. Pure: the forms
of values are those of `infra.domain.report_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import msgspec

from infra.domain import report_reading as reading
from infra.domain.report_reading import Decimal
from ingest.clock import parse_moment
from ingest.directory.directory import KeyEntry
from ingest.errors import EventRejected, invalid
from ingest.event import ConversionReport
from ingest.origins.referrers import MAX_TEXT, clean
from ingest.reports.money import check_minor_units
from ingest.steps.pseudonymise import MAX_ID
from ingest.steps.validate import props_text
from schemas import click_id
from schemas.identity import conversion_id
from schemas.networks import TxidScope
from schemas.tracking import NO_ID, SUBS

MAX_TXID: Final = 128
MAX_COUPON: Final = 64
MAX_CUSTOMER: Final = 255
MAX_UNREAD: Final = 255
"""Characters of a text that is kept because it could not be read."""
EMPTY: Final = "(empty)"
"""Stands for a transaction id that was sent empty."""
PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_WHOLE: Final = re.compile(r"(-?[0-9]{1,24})(?:\.0{1,24})?")
_PERSONAL: Final = frozenset({"customer_id", "visitor_id"})
"""Their texts are about a person: only that they could not be read is kept."""
_SALT: Final = ("click_id", "visitor_id", "coupon", "amount", "payout", "currency", "occurred_at", "customer_id")
_encode: Final = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode


class Number(str):
    """A number of JSON with a fraction or exponent, as it was written: no float takes digits from it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a report, and how it writes. `reported_by`: postback, sale or lead. `words`: its statuses. `leads`:
    its events that are leads. `click_key`: opens click ids."""

    key: KeyEntry
    click_key: bytes
    reported_by: str
    words: Mapping[str, str] = field(default_factory=dict)
    leads: frozenset[str] = frozenset({"lead"})
    txid_scope: TxidScope = TxidScope.WEBSITE
    partner_id: UUID = NO_ID

    @property
    def is_postback(self) -> bool:
        return self.reported_by == "postback"


def read_report(sender: Sender, sent: Mapping[str, Any]) -> ConversionReport:
    """The report. Raises `EventRejected`: without an identity (missing_txid, bad_txid, missing_amount,
    missing_currency), amount_too_large, and for a click id that a site key must name (forged_click_id,
    foreign_click_id)."""
    return _FieldReader(sender, {name: value for name, value in sent.items() if value is not None}).report()


class _FieldReader:
    """One report while it is read."""

    def __init__(self, sender: Sender, sent: Mapping[str, Any]) -> None:
        self._sender, self._sent = sender, sent
        self._unread: dict[str, str] = {}
        self._exact: dict[str, str] = {}

    def report(self) -> ConversionReport:
        sender = self._sender
        event, apart = self._event()
        click = self._click()
        currency, amounts = self._money()
        txid, other_id, salt = self._identity(event, click)
        return ConversionReport(
            kind=self._kind(event),
            reported_by=sender.reported_by,
            event=event,
            txid=txid,
            click_id=click,
            visitor_id=self._short("visitor_id", MAX_ID),
            coupon=self._short("coupon", MAX_COUPON),
            amount=amounts.get("amount"),
            payout=amounts.get("payout"),
            currency=currency if self._names_currency(currency) else "",
            status=self._word("status", lambda text: reading.read_status(text, sender.words)),
            occurred_at=self._time(),
            customer_id=self._short("customer_id", MAX_CUSTOMER),
            partner_id=sender.partner_id,
            subs={name: clean(str(self._sent[name]))[:MAX_TEXT] for name in SUBS if name in self._sent},
            props=self._props(),
            txid_scope=sender.txid_scope,
            other_id=other_id,
            apart=apart + salt,
            unread=self._unread,
            exact=self._exact,
        )

    def _keep(self, name: str, value: Any) -> None:
        """Leaves the field empty and keeps the text that was sent."""
        text = "" if name in _PERSONAL else value if isinstance(value, str) else _encode(value).decode()
        self._unread[name] = clean(text)[:MAX_UNREAD]

    def _text(self, name: str) -> str:
        """The field as text; another JSON value is kept unread."""
        value = self._sent.get(name, "")
        if isinstance(value, bool | list | dict):
            self._keep(name, value)
            return ""
        return str(value)

    def _short(self, name: str, limit: int) -> str:
        text = self._text(name)
        if text and (len(text) > limit or PLAIN.fullmatch(text) is None):
            self._keep(name, text)
            return ""
        return text

    def _word(self, name: str, read: Callable[[str], str | None]) -> str:
        text = self._text(name)
        value = read(text) if text.strip() else ""
        if value is None:
            self._keep(name, text)
        return value or ""

    def _event(self) -> tuple[str, str]:
        """Returns the event's name, and the text that distinguishes a report whose event cannot be read: it must not be
        merged into another."""
        default = "lead" if self._sender.reported_by == "lead" else "sale"
        name = self._word("event", reading.read_event)
        return name or default, f"event {self._unread['event']}\n" if "event" in self._unread else ""

    def _kind(self, event: str) -> str:
        if not self._sender.is_postback:
            return self._sender.reported_by
        return "lead" if event in self._sender.leads else "sale"

    def _click(self) -> str:
        """A click id of this website; another text is kept. Raises `EventRejected` where the report is nothing without
        it: from a site key, or if no transaction id is named."""
        text = self._text("click_id").strip()
        if not text:
            return ""
        refusal = self._refusal_of_click(text)
        if refusal is None:
            return text
        if self._sender.key.kind == "site" or "txid" not in self._sent:
            raise refusal
        self._keep("click_id", text)
        return ""

    def _refusal_of_click(self, text: str) -> EventRejected | None:
        try:
            click = click_id.read(self._sender.click_key, text)
        except click_id.ForgedClickId:
            return invalid("forged_click_id", "click_id was not made here, or was changed")
        if not click.is_of(self._sender.key.website.id):
            return invalid("foreign_click_id", "click_id belongs to another website")
        return None

    def _identity(self, event: str, click: str) -> tuple[str, UUID, str]:
        """Returns the transaction id; the conversion's id by the rules of before, where they gave another one; and the
        text that distinguishes this report if it has no transaction id. Raises `EventRejected` (missing_txid,
        bad_txid)."""
        sent = self._sent.get("txid")
        if sent is None:
            if not click or self._sender.reported_by == "sale":
                raise invalid("missing_txid", "txid is required: your own id of the transaction")
            return click, NO_ID, ""
        if isinstance(sent, bool | list | dict):
            raise invalid("bad_txid", "txid is a text or a number")
        website, text = self._sender.key.website.id, str(sent)
        if reading.is_placeholder(text):
            self._keep("txid", text)
            stand_in = self._unread["txid"].strip()[:MAX_TXID] or EMPTY
            former_id = conversion_id(website, event, text if text.strip() else click)
            return stand_in, former_id, f"no txid {blake2b(self._salt(), digest_size=16).hexdigest()}"
        txid = reading.read_txid(text)
        if len(txid) > MAX_TXID or PLAIN.fullmatch(txid) is None:
            raise invalid("bad_txid", f"txid may have {MAX_TXID} characters, none of them a control character")
        return txid, NO_ID if txid == text else conversion_id(website, event, text), ""

    def _salt(self) -> bytes:
        """Returns the hash input that distinguishes one sale from another; the status is not in it."""
        return _encode([self._sent.get(name) for name in _SALT] + [self._sent.get(name) for name in SUBS])

    def _money(self) -> tuple[str, dict[str, int]]:
        """The currency and the amounts in its minor units. Raises `EventRejected` (missing_amount, missing_currency,
        amount_too_large)."""
        if self._sender.reported_by == "sale" and "amount" not in self._sent:
            raise invalid("missing_amount", "amount is required: an integer in minor units (1099 = 10.99 USD)")
        decimals: dict[str, Decimal | int] = {}
        for name in ("amount", "payout"):
            if name in self._sent and self._sent[name] != "":
                read = _amount(self._sent[name], in_minor_units=not self._sender.is_postback)
                if read is None:
                    self._keep(name, self._sent[name])
                else:
                    decimals[name] = read
        currency = self._currency(decimals)
        minor = {name: self._minor(name, one, currency) for name, one in decimals.items()}
        return currency, {name: amount for name, amount in minor.items() if amount is not None}

    def _names_currency(self, currency: str) -> bool:
        """Returns whether a report of the website itself names it; otherwise it is the website's own."""
        return self._sender.is_postback or "currency" in self._sent or currency != self._sender.key.website.currency

    def _currency(self, decimals: Mapping[str, Decimal | int]) -> str:
        """Returns the currency; empty: unknown."""
        own, text = self._sender.key.website.currency, self._text("currency")
        if "currency" in self._unread:  # no text
            currency = None
        elif text.strip():
            currency = reading.read_currency(text, own)
            if currency is None:
                self._keep("currency", text)
        else:
            currency = self._unnamed_currency(decimals, own)
        return currency or ("" if "currency" in self._unread else own)

    def _unnamed_currency(self, decimals: Mapping[str, Decimal | int], own: str) -> str | None:
        """From the sign of an amount, else the website's. Raises `EventRejected` (missing_currency)."""
        signs = [one.currencies for one in decimals.values() if isinstance(one, Decimal) and one.currencies]
        named = next((sign for sign in signs if len(sign) == 1), None)
        if named is not None:
            return next(iter(named))
        if self._sender.reported_by == "sale" and not signs and "amount" in decimals:
            raise invalid("missing_currency", "currency is required: an ISO 4217 code such as USD")
        return own

    def _minor(self, name: str, read: Decimal | int, currency: str) -> int | None:
        """Minor units, rounded once. Raises `EventRejected` (amount_too_large)."""
        if not currency or (isinstance(read, Decimal) and reading.currency_of(read, currency) is None):
            self._keep(name, self._sent[name])
            return None
        if isinstance(read, int):
            return check_minor_units(read)
        booked = reading.to_minor(read.value, currency)
        if booked is None:
            raise invalid("amount_too_large", "an amount is at most 10^15 minor units (1000000000000000)")
        if booked.exact:
            self._exact[name] = booked.exact
        return booked.amount

    def _time(self) -> str | int | None:
        value = self._sent.get("occurred_at")
        if value is None or value == "":
            return None
        try:
            if isinstance(value, bool | list | dict):
                raise invalid("bad_time", "occurred_at is a text or a number")
            parse_moment(value)
        except EventRejected:
            self._keep("occurred_at", value)
            return None
        return value if isinstance(value, int) else str(value)

    def _props(self) -> dict[str, Any]:
        """Checked as they are stored."""
        value = self._sent.get("props")
        if value is None:
            return {}
        try:
            if isinstance(value, dict):
                props_text(value)
                return value
        except EventRejected:
            pass
        self._keep("props", value if isinstance(value, str) else "")
        return {}


def _amount(value: Any, *, in_minor_units: bool) -> Decimal | int | None:
    """Returns the amount. A number of JSON is in minor units where the endpoint says so. There a text of digits alone
    could be either unit; a text with a decimal or a currency is in major units, as everywhere. Never below zero."""
    if isinstance(value, bool | list | dict):
        return None
    if isinstance(value, int | Number) and in_minor_units:
        match = _WHOLE.fullmatch(str(value))
        minor = int(match[1]) if match else -1
        return minor if minor >= 0 else None
    read = reading.read_decimal(str(value))
    if in_minor_units and read is not None and str(value).strip().isdigit():
        return None
    return read
