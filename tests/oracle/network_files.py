"""One hidden ledger of sales, written as the report files of seven networks, as they are exported on a day.

ledger -> `lines_of` (what a network's report says on a day) -> `write` (how it says it: form, encoding, separator,
decimal mark, order of dates, zone). Nothing that reads reports is imported here.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Literal

from schemas.zones import ZoneInfo

Network = Literal["awin", "cj", "impact", "rakuten", "shareasale", "tradedoubler", "amazon"]
Status = Literal["pending", "approved", "rejected", "reversed", "paid"]
NETWORKS: Final[tuple[Network, ...]] = ("awin", "cj", "impact", "rakuten", "shareasale", "tradedoubler", "amazon")
FORMS: Final[Mapping[Network, tuple[str, ...]]] = {
    "awin": ("json",),
    "cj": ("json", "csv"),
    "impact": ("json",),
    "rakuten": ("csv",),
    "shareasale": ("csv",),
    "tradedoubler": ("csv",),
    "amazon": ("csv",),
}
ZONES: Final = ("UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Tokyo")
ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "cp1252")
SHOPS: Final = (("101", "Müller & Söhne"), ("202", 'The "Lamp" Shop, Inc.'), ("303", "Café Größe"))
SIGNS: Final = {"EUR": "€", "USD": "$", "GBP": "£"}


@dataclass(frozen=True)
class Item:
    """A part of a sale, in minor units."""

    sku: str
    sale: int
    commission: int


@dataclass(frozen=True)
class Change:
    """A later event of a sale. `amended` and `returned` change the amounts of
    one item by `sale` and `commission`, which are negative for a return."""

    kind: Literal["approved", "rejected", "reversed", "paid", "amended", "returned"]
    at: datetime
    item: int = 0
    sale: int = 0
    commission: int = 0


@dataclass(frozen=True)
class NetworkSale:
    """One sale with its whole history. Amounts are minor units of a currency with two decimals."""

    network: Network
    txid: str
    order: str
    partner: tuple[str, str]
    click_ref: str
    tag: str
    currency: str
    at: datetime
    clicked_at: datetime
    items: tuple[Item, ...]
    changes: tuple[Change, ...] = ()

    def until(self, day: date) -> tuple[Change, ...]:
        """Its changes before the end of a day, UTC."""
        return tuple(change for change in self.changes if change.at.date() <= day)

    def status(self, day: date) -> Status:
        decided: Status = "pending"
        for change in self.until(day):
            if change.kind != "amended" and change.kind != "returned":
                decided = change.kind
        return decided

    def earned(self, day: date) -> tuple[int, int]:
        """Sale and commission after all changes; nothing of a sale that was rejected or reversed."""
        if self.status(day) in ("rejected", "reversed"):
            return 0, 0
        amounts = [self.item(at, day) for at in range(len(self.items))]
        return sum(each.sale for each in amounts), sum(each.commission for each in amounts)

    def item(self, place: int, day: date) -> Item:
        """An item with its amounts as they stand on a day."""
        item = self.items[place]
        for change in self.until(day):
            if change.kind in ("amended", "returned") and change.item == place:
                item = replace(item, sale=item.sale + change.sale, commission=item.commission + change.commission)
        return item

    def decided_at(self, day: date, *kinds: str) -> datetime | None:
        """The latest change of these kinds."""
        return max((change.at for change in self.until(day) if change.kind in kinds), default=None)


@dataclass(frozen=True)
class NetworkLine:
    """One line of money as the network's report says it; what a reader must give back."""

    txid: str
    line_key: str
    order: str
    partner: tuple[str, str]
    click_ref: str
    tag: str
    product: str
    at: datetime
    clicked_at: datetime | None
    changed_at: datetime | None
    sale: int
    commission: int
    currency: str
    status: Status
    is_correction: bool = False
    is_amended: bool = False
    intended: int = 0
    """The commission before all changes."""
    is_validated: bool = False


@dataclass(frozen=True)
class Writing:
    """How a file is written. `order`: of the parts of dates, where the network writes them in digits."""

    form: str = "csv"
    encoding: str = "utf-8"
    separator: str = ","
    decimal_mark: str = "."
    order: Literal["ymd", "dmy", "mdy"] = "ymd"
    zone: str = "UTC"
    has_preamble: bool = False
    is_shuffled: bool = False


def random_ledger(seed: int, today: date, count: int = 60) -> tuple[NetworkSale, ...]:
    """`count` sales per network of the 150 days before `today`, outside of clock changes."""
    rng = random.Random(seed)
    return tuple(_sale(rng, network, number, today) for network in NETWORKS for number in range(count))


def random_writing(rng: random.Random, network: Network) -> Writing:
    """A way in which a file of the network may come."""
    form = rng.choice(FORMS[network])
    mark = rng.choice(".,") if form == "csv" else "."
    return Writing(
        form=form,
        encoding=rng.choice(ENCODINGS),
        separator="|" if network == "shareasale" else rng.choice(",;\t") if mark == "." else rng.choice(";\t"),
        decimal_mark=mark,
        order=rng.choice(("ymd", "dmy", "mdy")),
        zone="UTC" if network in ("cj", "impact") else rng.choice(ZONES),
        has_preamble=rng.random() < 0.3,
        is_shuffled=rng.random() < 0.5,
    )


def lines_of(sales: Iterable[NetworkSale], network: Network, day: date, zone: str = "UTC") -> list[NetworkLine]:
    """The lines of the network's report that is exported at the end of `day`. `zone`: of its days."""
    made = _LINES[network]
    known = [sale for sale in sales if sale.network == network and sale.at.date() <= day]
    return [line for sale in known for line in made(sale, day, ZoneInfo(zone))]


def write(network: Network, lines: Sequence[NetworkLine], writing: Writing, seed: int = 0) -> bytes:
    """The file."""
    written = list(lines)
    if writing.is_shuffled:
        random.Random(seed).shuffle(written)
    if writing.form == "json":
        answer = _JSON[network]([_RECORDS[network](line, writing) for line in written])
        encoding = "utf-8" if writing.encoding == "cp1252" else writing.encoding
        return json.dumps(answer, ensure_ascii=False).encode(encoding)
    records = [_RECORDS[network](line, writing) for line in written]
    headers = _HEADERS[network](written[0].currency if written else "USD")
    return _table(headers, records, writing, network)


def amount(minor: int, mark: str = ".") -> str:
    """`-1234.50` or `-1.234,50`."""
    text = f"{Decimal(minor) / 100:.2f}"
    if mark == ".":
        return text
    whole, rest = text.lstrip("-").split(".")
    groups = f"{int(whole):,}".replace(",", ".")
    return f"{'-' if minor < 0 else ''}{groups},{rest}"


def _sale(rng: random.Random, network: Network, number: int, today: date) -> NetworkSale:
    start = datetime(today.year, today.month, today.day, tzinfo=UTC) - timedelta(days=150)
    at = start + timedelta(days=number % 28, seconds=rng.randrange(6 * 3600, 20 * 3600))
    items = tuple(_item(rng, place) for place in range(rng.choice((1, 1, 1, 2, 3))))
    ids = f"{rng.randrange(10**8, 10**9)}{number:04}"
    return NetworkSale(
        network=network,
        txid=f"1000.{ids}" if network == "impact" else ids,
        order=f"O-{ids}",
        partner=rng.choice(SHOPS),
        click_ref=rng.choice((f"c{ids}", "")),
        tag=rng.choice(("blog-20", "shop-20")),
        currency=rng.choice(("EUR", "GBP")) if network == "awin" else "USD",
        at=at,
        clicked_at=at - timedelta(seconds=rng.randrange(1, 5 * 3600)),
        items=items,
        changes=_changes(rng, at, items, may_amend=network != "amazon"),
    )


def _item(rng: random.Random, place: int) -> Item:
    sale = rng.choice((rng.randrange(1, 1_000), rng.randrange(1_000, 500_000)))
    return Item(f"SKU-{place}", sale, sale * rng.randrange(1, 15) // 100)


def _changes(rng: random.Random, at: datetime, items: Sequence[Item], *, may_amend: bool) -> tuple[Change, ...]:
    """Decided or not; before a payment an amount may change once for each item."""
    decided_at = at + timedelta(days=rng.randrange(5, 40), seconds=rng.randrange(3600))
    fate = rng.choice(("pending", "rejected", "approved", "approved", "approved", "reversed", "paid", "paid"))
    changes = []
    if fate == "rejected":
        return (Change("rejected", decided_at),)
    if may_amend and rng.random() < 0.25:
        place = rng.randrange(len(items))
        changes.append(Change("amended", at + timedelta(days=2), place, rng.randrange(1, 500), rng.randrange(1, 50)))
    if fate == "pending":
        return tuple(changes)
    changes.append(Change("approved", decided_at))
    if fate == "reversed":
        return (*changes, Change("reversed", decided_at + timedelta(days=9)))
    if rng.random() < 0.25:
        place = rng.randrange(len(items))
        item = items[place]
        back = Change("returned", decided_at + timedelta(days=4), place, -item.sale, -item.commission)
        changes.append(back)
    if fate == "paid":
        changes.append(Change("paid", decided_at + timedelta(days=30)))
    return tuple(changes)


def _line(whole: NetworkSale, day: date, **changes: Any) -> NetworkLine:
    """The sale as a whole."""
    items = [whole.item(place, day) for place in range(len(whole.items))]
    intended = sum(item.commission for item in whole.items)
    commission = sum(item.commission for item in items)
    line = NetworkLine(
        txid=whole.txid,
        line_key="",
        order=whole.order,
        partner=whole.partner,
        click_ref=whole.click_ref,
        tag=whole.tag,
        product="",
        at=whole.at,
        clicked_at=whole.clicked_at,
        changed_at=None,
        sale=sum(item.sale for item in items),
        commission=commission,
        currency=whole.currency,
        status=whole.status(day),
        is_amended=commission != intended,
        intended=intended,
    )
    return replace(line, **changes)


def _awin_lines(sale: NetworkSale, day: date, _: ZoneInfo) -> list[NetworkLine]:
    validated = sale.decided_at(day, "approved", "rejected")
    is_validated = sale.decided_at(day, "approved") is not None
    is_amended = sale.decided_at(day, "amended", "returned") is not None
    return [_line(sale, day, changed_at=validated, is_validated=is_validated, is_amended=is_amended)]


def _impact_lines(sale: NetworkSale, day: date, _: ZoneInfo) -> list[NetworkLine]:
    """A rejected action is reversed, too; then nothing is paid for it."""
    status = sale.status(day)
    if status in ("rejected", "reversed"):
        intended = sum(item.commission for item in sale.items)
        return [_line(sale, day, status="reversed", sale=0, commission=0, is_amended=intended != 0)]
    return [_line(sale, day, changed_at=sale.decided_at(day, "paid"))]


def _tradedoubler_lines(sale: NetworkSale, day: date, _: ZoneInfo) -> list[NetworkLine]:
    status = sale.status(day)
    changed = max((change.at for change in sale.until(day)), default=sale.at)
    said: Status = "rejected" if status == "reversed" else status
    return [_line(sale, day, status=said, changed_at=changed, is_amended=False)]


def _cj_lines(sale: NetworkSale, day: date, _: ZoneInfo) -> list[NetworkLine]:
    """The sale as it came in, and a row for each change of its amounts."""
    status = sale.status(day)
    said: Status = {"rejected": "pending", "reversed": "approved"}.get(status, status)  # type: ignore[assignment]
    whole = (sum(item.sale for item in sale.items), sum(item.commission for item in sale.items))
    rows = [(sale.at + timedelta(hours=2), *whole)]
    for change in sale.until(day):
        if change.kind in ("amended", "returned"):
            rows.append((change.at, change.sale, change.commission))
        elif change.kind in ("rejected", "reversed"):
            rows.append((change.at, -sum(row[1] for row in rows), -sum(row[2] for row in rows)))
    return [
        _line(
            sale,
            day,
            line_key=f"{sale.txid}-{number}",
            changed_at=posted,
            sale=sold,
            commission=commission,
            status=said,
            is_correction=number > 0,
            is_amended=False,
        )
        for number, (posted, sold, commission) in enumerate(rows)
    ]


def _rakuten_lines(sale: NetworkSale, day: date, _: ZoneInfo) -> list[NetworkLine]:
    """A row for each item once it is processed, and a negative one for what is returned."""
    processed = sale.decided_at(day, "approved")
    if processed is None:
        return []
    rows = []
    for place, item in enumerate(sale.items):
        amended = [change for change in sale.until(day) if change.kind == "amended" and change.item == place]
        sold = item.sale + sum(change.sale for change in amended)
        commission = item.commission + sum(change.commission for change in amended)
        rows.append((processed, item.sku, sold, commission))
        for change in sale.until(day):
            if change.kind == "returned" and change.item == place:
                rows.append((change.at, item.sku, change.sale, change.commission))
                sold, commission = sold + change.sale, commission + change.commission
            elif change.kind == "reversed":
                rows.append((change.at, item.sku, -sold, -commission))
    return [
        _line(
            sale,
            day,
            txid=sale.order,
            line_key=sku,
            clicked_at=None,
            changed_at=at,
            sale=sold,
            commission=commission,
            status="approved",
            is_correction=commission < 0 or (commission == 0 and sold < 0),
            is_amended=False,
        )
        for at, sku, sold, commission in rows
    ]


def _shareasale_lines(sale: NetworkSale, day: date, zone: ZoneInfo) -> list[NetworkLine]:
    """The sale as it came in with its flags, and a transaction of its own for each change of its amounts."""
    changed = None
    if paid := sale.decided_at(day, "paid"):
        changed = datetime.combine(paid.astimezone(zone).date(), datetime.min.time(), zone)
    elif reversed_at := sale.decided_at(day, "rejected", "reversed"):
        changed = reversed_at
    first = _line(
        sale,
        day,
        sale=sum(item.sale for item in sale.items),
        commission=sum(item.commission for item in sale.items),
        changed_at=changed,
        is_amended=False,
        order="",
    )
    corrections = [change for change in sale.until(day) if change.kind in ("amended", "returned")]
    return [first] + [
        replace(
            first, line_key=f"{sale.txid}{number}", sale=change.sale, commission=change.commission, is_correction=True
        )
        for number, change in enumerate(corrections, start=1)
    ]


def _amazon_lines(sale: NetworkSale, day: date, zone: ZoneInfo) -> list[NetworkLine]:
    """A row for each item on the day on which it is shipped, and a negative one on that of its return."""
    shipped = sale.decided_at(day, "approved")
    if shipped is None:
        return []
    rows = []
    for place, item in enumerate(sale.items):
        rows.append((shipped, item.sku, item.sale, item.commission))
        for change in sale.until(day):
            is_back = change.kind == "reversed" or (change.kind == "returned" and change.item == place)
            if is_back:
                rows.append((change.at, item.sku, -item.sale, -item.commission))
    return [
        _line(
            sale,
            day,
            txid="",
            order="",
            partner=("", ""),
            click_ref="",
            product=f"Product {sku}",
            at=at.astimezone(zone).replace(hour=0, minute=0, second=0),
            clicked_at=None,
            sale=sold,
            commission=commission,
            status="approved",
            is_correction=commission < 0 or (commission == 0 and sold < 0),
            is_amended=False,
        )
        for at, sku, sold, commission in rows
    ]


_LINES: Final[Mapping[Network, Callable[[NetworkSale, date, ZoneInfo], list[NetworkLine]]]] = {
    "awin": _awin_lines,
    "cj": _cj_lines,
    "impact": _impact_lines,
    "rakuten": _rakuten_lines,
    "shareasale": _shareasale_lines,
    "tradedoubler": _tradedoubler_lines,
    "amazon": _amazon_lines,
}


def _local(at: datetime | None, writing: Writing, form: str) -> str:
    return "" if at is None else at.astimezone(ZoneInfo(writing.zone)).strftime(form)


def _day(at: datetime, writing: Writing) -> str:
    """A date in the order of the file, as spreadsheets write it."""
    local = at.astimezone(ZoneInfo(writing.zone))
    if writing.order == "ymd":
        return f"{local:%Y-%m-%d}"
    if writing.order == "dmy":
        return f"{local.day}.{local.month}.{local:%Y}"
    return f"{local.month}/{local.day}/{local:%y}"


def _awin(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    iso = "%Y-%m-%dT%H:%M:%S"
    words = {"rejected": "declined", "reversed": "deleted", "paid": "approved"}
    return {
        "id": int(line.txid),
        "advertiserId": int(line.partner[0]),
        "publisherId": 45628,
        "commissionStatus": words.get(line.status, line.status),
        "commissionAmount": {"amount": line.commission / 100, "currency": line.currency},
        "saleAmount": {"amount": line.sale / 100, "currency": line.currency},
        "clickRefs": {"clickRef": line.click_ref} if line.click_ref else None,
        "clickDate": _local(line.clicked_at, writing, iso),
        "transactionDate": _local(line.at, writing, iso),
        "validationDate": _local(line.changed_at, writing, iso) or None,
        "type": "Commission group transaction",
        "declineReason": "Order cancelled" if line.status == "rejected" else None,
        "amended": line.is_amended,
        "orderRef": line.order,
        "transactionParts": [{"commissionGroupId": 1, "amount": line.sale / 100}],
        "paidToPublisher": line.status == "paid",
    }


def _cj(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    zulu = "%Y-%m-%dT%H:%M:%SZ"
    word = {"pending": "NEW", "approved": "LOCKED", "paid": "CLOSED"}[line.status]
    record = {
        "commissionId": line.line_key,
        "actionStatus": word,
        "actionType": "sale",
        "advertiserId": line.partner[0],
        "advertiserName": line.partner[1],
        "clickDate": _local(line.clicked_at, writing, zulu),
        "eventDate": _local(line.at, writing, zulu),
        "postingDate": _local(line.changed_at, writing, zulu),
        "original": not line.is_correction,
        "originalActionId": line.txid,
        "pubCommissionAmountUsd": amount(line.commission, writing.decimal_mark),
        "saleAmountUsd": amount(line.sale, writing.decimal_mark),
        "shopperId": line.click_ref,
    }
    if writing.form == "json":
        return record | {"orderId": line.order, "correctionReason": "OTHER_REASON" if line.is_correction else None}
    return dict(zip(_CJ_HEADERS, record.values(), strict=True))


def _impact(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    iso = "%Y-%m-%dT%H:%M:%S%z"
    return {
        "Id": line.txid,
        "CampaignId": int(line.partner[0]),
        "CampaignName": line.partner[1],
        "ActionTrackerId": 4636,
        "State": "APPROVED" if line.status == "paid" else line.status.upper(),
        "Payout": amount(line.commission),
        "IntendedPayout": amount(line.intended),
        "Amount": amount(line.sale),
        "Currency": line.currency,
        "EventDate": _local(line.at, writing, iso),
        "ReferringDate": _local(line.clicked_at, writing, iso),
        "LockingDate": "2099-01-01T00:00:00-07:00",
        "ClearedDate": _local(line.changed_at, writing, iso),
        "Oid": line.order,
        "SubId1": line.click_ref,
    }


def _rakuten(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    changed = line.changed_at or line.at
    cells = (
        line.click_ref,
        *line.partner,
        line.order,
        _day(line.at, writing),
        _local(line.at, writing, "%H:%M:%S"),
        line.line_key,
        amount(line.sale, writing.decimal_mark),
        "-1" if line.is_correction else "1",
        amount(line.commission, writing.decimal_mark),
        _day(changed, writing),
        _local(changed, writing, "%H:%M:%S"),
    )
    return dict(zip(_RAKUTEN_HEADERS, cells, strict=True))


def _shareasale(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    clock = "%H:%M:%S"
    is_over = line.status in ("rejected", "reversed")
    cells = {
        "Trans ID": line.line_key or line.txid,
        "Merchant ID": line.partner[0],
        "Trans Date": f"{_day(line.at, writing)} {_local(line.at, writing, clock)}",
        "Trans Amount": amount(line.sale, writing.decimal_mark),
        "Commission": amount(line.commission, writing.decimal_mark),
        "Comment": "Returned",
        "Voided": "1" if is_over else "0",
        "Locked": "1" if line.status in ("approved", "paid", "reversed") else "0",
        "Aff Comment": line.click_ref,
        "Reversal Date": _local(line.changed_at, writing, "%Y-%m-%d %H:%M:%S.0") if is_over else "",
        "Click Date": _local(line.clicked_at, writing, "%Y-%m-%d %H:%M:%S.0"),
        "Lock Date": "2099-01-01",
        "Paid Date": _local(line.changed_at, writing, "%Y-%m-%d") if line.status == "paid" else "",
        "Merchant Organization": line.partner[1],
        "Reference Trans": line.txid if line.line_key else "0",
    }
    return {header: cells.get(header, "") for header in _SHAREASALE_HEADERS}


def _tradedoubler(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    clock = "%H:%M:%S"
    letter = {"pending": "P", "rejected": "D"}.get(line.status, "A")

    def at(moment: datetime | None) -> str:
        return "" if moment is None else f"{_day(moment, writing)} {_local(moment, writing, clock)}"

    cells = (
        line.txid,
        *line.partner,
        "5",
        letter,
        at(line.clicked_at),
        at(line.at),
        at(line.changed_at),
        line.click_ref,
        line.order,
        amount(line.sale, writing.decimal_mark),
        amount(line.commission, writing.decimal_mark),
        "true" if line.status == "paid" else "false",
        line.currency,
    )
    return dict(zip(_TRADEDOUBLER_HEADERS, cells, strict=True))


def _amazon(line: NetworkLine, writing: Writing) -> dict[str, Any]:
    is_back = line.is_correction
    cells = (
        "Home",
        line.product,
        f"B{line.product[-5:]}",
        "Amazon",
        line.tag,
        f"{_day(line.at, writing)} 00:00:00",
        amount(abs(line.sale), writing.decimal_mark),
        "0" if is_back else "1",
        "1" if is_back else "0",
        amount(line.sale, writing.decimal_mark),
        amount(line.commission, writing.decimal_mark),
        "Desktop",
        "Direct",
    )
    return dict(zip(_amazon_headers(line.currency), cells, strict=True))


def _amazon_headers(currency: str) -> tuple[str, ...]:
    sign = SIGNS[currency]
    return (
        "Category", "Name", "ASIN", "Seller", "Tracking ID", "Date Shipped", f"Price({sign})", "Items Shipped",
        "Returns", f"Revenue({sign})", f"Ad Fees({sign})", "Device Type Group", "Direct Sale",
    )  # fmt: skip


_RECORDS: Final[Mapping[Network, Callable[[NetworkLine, Writing], dict[str, Any]]]] = {
    "awin": _awin,
    "cj": _cj,
    "impact": _impact,
    "rakuten": _rakuten,
    "shareasale": _shareasale,
    "tradedoubler": _tradedoubler,
    "amazon": _amazon,
}
_CJ_HEADERS: Final = (
    "Commission ID", "Action Status", "Action Type", "Advertiser ID", "Advertiser Name", "Click Date", "Event Date",
    "Posting Date", "Original", "Original Action ID", "Publisher Commission USD", "Sale Amount USD", "Shopper ID",
)  # fmt: skip
_RAKUTEN_HEADERS: Final = (
    "Member ID (U1)", "MID", "Advertiser Name", "Order ID", "Transaction Date", "Transaction Time", "SKU", "Sales",
    "# of Items", "Total Commission", "Process Date", "Process Time",
)  # fmt: skip
_SHAREASALE_HEADERS: Final = (
    "Trans ID", "User ID", "Merchant ID", "Trans Date", "Trans Amount", "Commission", "Comment", "Voided",
    "Pending Date", "Locked", "Aff Comment", "Banner Page", "Reversal Date", "Click Date", "Click Time", "Banner Id",
    "SKU List", "Quantity List", "Lock Date", "Paid Date", "Merchant Organization", "Merchant Website", "Trans Type",
    "Merchant Defined Type", "Store ID", "Reference Trans",
)  # fmt: skip
_TRADEDOUBLER_HEADERS: Final = (
    "transactionId", "programId", "programName", "eventTypeId", "status", "timeOfLastClick", "timeOfTransaction",
    "timeOfLastModified", "epi", "orderNumber", "orderValue", "commission", "paid", "reportCurrencyCode",
)  # fmt: skip
_HEADERS: Final[Mapping[Network, Callable[[str], tuple[str, ...]]]] = {
    "cj": lambda _: _CJ_HEADERS,
    "rakuten": lambda _: _RAKUTEN_HEADERS,
    "shareasale": lambda _: _SHAREASALE_HEADERS,
    "tradedoubler": lambda _: _TRADEDOUBLER_HEADERS,
    "amazon": _amazon_headers,
}
_JSON: Final[Mapping[Network, Callable[[list[dict[str, Any]]], Any]]] = {
    "awin": lambda records: records,
    "cj": lambda records: {
        "data": {"publisherCommissions": {"count": len(records), "payloadComplete": True, "records": records}}
    },
    "impact": lambda records: {"@page": "1", "@numpages": "1", "@total": str(len(records)), "Actions": records},
}


def _table(headers: Sequence[str], records: Iterable[Mapping[str, Any]], writing: Writing, network: Network) -> bytes:
    file = io.StringIO()
    if writing.has_preamble:
        file.write("Report of the account\r\n\r\n")
    writer = csv.writer(file, delimiter=writing.separator)
    writer.writerow(headers)
    writer.writerows([_cell(record[header]) for header in headers] for record in records)
    if writing.has_preamble and network != "shareasale":
        writer.writerow(["Total", *[""] * (len(headers) - 1)])
    return file.getvalue().encode(writing.encoding)


def _cell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
