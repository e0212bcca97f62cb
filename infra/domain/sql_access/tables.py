"""The tables that analysts see, each with its columns in words: sub-selects over the stable views of the projections.

`events` and what is made of it hold one row per thing that happened, the `_15m` tables one per website and quarter of
an hour, `websites`, `partners` and `links` the names behind the ids. Money is in minor units: commission in
the website's currency, sales in the one that they were reported in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.figures import MONEY, in_rollup
from schemas.tracking import Suspicion

DATABASE: Final = "althing"


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class View:
    """`source` has the place `{own}` for the condition on the websites; empty: rows come from `Scope.named`."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    source: str = ""
    database: str = DATABASE
    example: str = ""


def columns_of(lines: str) -> tuple[Column, ...]:
    """One column per line: name, type (without blanks), comment."""
    found = (line.split(None, 2) for line in lines.splitlines() if line.strip())
    return tuple(Column(name, kind, comment) for name, kind, comment in found)


def _of_events(name: str, comment: str, columns: tuple[Column, ...], condition: str, example: str) -> View:
    chosen = ", ".join(column.name for column in columns)
    source = f"SELECT {chosen} FROM {DATABASE}.events WHERE {condition} AND ({{own}})"  # noqa: S608 - own text
    return View(name, comment, columns, source, example=example)


_LOW: Final = "LowCardinality(String)"
_SUSPICIONS: Final = ", ".join(Suspicion)

_HEAD: Final = """
website_id UUID The website; its domain and currency are in table websites
event_id UUID Unique per website
occurred_at DateTime64(3,'UTC') When it happened, UTC
received_at DateTime64(3,'UTC') When it reached us, UTC
visitor UInt64 Pseudonym of the visitor, changing daily unless the sender names one; 0: unknown
session UInt64 Pseudonym of the session; 0: unknown
"""
_PAGE: Final = f"""
hostname {_LOW} Host of the page
path String Path of the page
title String Title of the page
referrer_host {_LOW} Host of the page before
source {_LOW} Where the visit came from: a name, a host or utm_source
channel {_LOW} Kind of source: Direct, Organic Search, Affiliate, ...
utm_source {_LOW} As sent
utm_medium {_LOW} As sent
utm_campaign {_LOW} As sent
utm_content {_LOW} As sent
utm_term {_LOW} As sent
"""
_PLACE: Final = f"""
country {_LOW} ISO 3166-1 code; ZZ: unknown
region {_LOW} Region, where it is known
device {_LOW} desktop, mobile, tablet or other
browser {_LOW} Family of the browser
os {_LOW} Family of the operating system
is_bot Bool A machine, or suspicious; dashboards leave these out
bot_reason {_LOW} Why it is left out: crawler, prefetch, ...; of suspicious ones: {_SUSPICIONS}
"""
_LINK: Final = """
click_id String The click; partners hand it back with a sale
link_id UUID The tracked link; zeros: none
partner_id UUID The partner; zeros: none
""" + "".join(f"sub{number} String Sub id {number} of the link\n" for number in range(1, 11))
_CHANGE: Final = f"""
value Int64 Amount of the sale, in minor units of currency; negative as it is taken back
currency {_LOW} Currency that the sale was reported in; c_ columns are in the website's
conversion_id UUID The conversion
event_name {_LOW} What the website calls it: sale, signup, ...
d_pending Int8 By how much the number of pending conversions changed
d_approved Int8 The same for approved ones
d_rejected Int8 The same for rejected ones
d_reversed Int8 The same for reversed ones
c_pending Int64 By how much pending commission changed, in minor units
c_approved Int64 The same for approved commission
c_reversed Int64 The same for reversed commission
origin {_LOW} claim: nothing but the public site key reports the conversion; else decision
"""
_OWN_EVENT: Final = f"""
type {_LOW} click, pageview, conversion, or the name of a custom event
value Int64 Amount in minor units, where one was sent
currency {_LOW} ISO 4217 code of value
props String What the sender added, as a JSON object
"""


def _without(lines: str, *names: str) -> str:
    return "\n".join(line for line in lines.strip().splitlines() if line.split()[0] not in names) + "\n"


EVENTS: Final = _of_events(
    "events",
    "Everything that happened, one row each: clicks, page views, custom events and changes of conversions",
    columns_of(_HEAD + _OWN_EVENT + _PAGE + _PLACE + _LINK + _without(_CHANGE, "value", "currency", "origin")),
    "1",
    "SELECT type, count() AS rows FROM events WHERE occurred_at > now() - INTERVAL 7 DAY\n"
    "GROUP BY type ORDER BY rows DESC",
)
CLICKS: Final = _of_events(
    "clicks",
    "Clicks on tracked links",
    columns_of(_HEAD + _without(_PAGE, "title") + _PLACE + _LINK),
    "type = 'click'",
    "SELECT toDate(occurred_at) AS day, count() AS clicks, uniqExact(visitor) AS visitors FROM clicks\n"
    "WHERE NOT is_bot GROUP BY day ORDER BY day",
)
PAGEVIEWS: Final = _of_events(
    "pageviews",
    "Pages that were seen",
    columns_of(_HEAD + _PAGE + _PLACE),
    "type = 'pageview'",
    "SELECT path, count() AS views FROM pageviews WHERE NOT is_bot GROUP BY path ORDER BY views DESC LIMIT 20",
)
_DIMENSIONS: Final = (
    f"""
country {_LOW} Country of the click
device {_LOW} Device of the click
source {_LOW} Source of the click
"""
    + _LINK
)
CHANGES: Final = _of_events(
    "conversion_changes",
    "Every change of a conversion, one row each, under its click's dimensions: sums of d_ and c_ are the present state",
    columns_of(_HEAD + _DIMENSIONS + _CHANGE),
    "type = 'conversion'",
    "SELECT toStartOfDay(occurred_at) AS day, sum(d_approved) AS approved, sum(c_approved) / 100 AS commission\n"
    "FROM conversion_changes GROUP BY day ORDER BY day",
)
CONVERSIONS: Final = View(
    "conversions",
    "Conversions with a click, one row each, as they stand now",
    columns_of(
        """
website_id UUID The website
conversion_id UUID The conversion
event_name String What the website calls it: sale, signup, ...
status String pending, approved, rejected or reversed
occurred_at DateTime64(3,'UTC') When it happened, UTC
changed_at DateTime64(3,'UTC') When it last changed, UTC
value Int64 Amount of the sale that stands, in minor units of currency: whatever was taken back, whenever, is left out
currency String Currency that the sale was reported in: add values up by currency
commission Int64 Commission that counts: pending and approved, in minor units of the website's currency
commission_pending Int64 Of it, pending
commission_approved Int64 Of it, approved
commission_reversed Int64 Commission that was taken back
by_site_key Bool A claim: nothing but the public site key reports it
"""
        + _DIMENSIONS.replace(_LOW, "String")
    ),
    source=(
        "SELECT website_id, conversion_id, any(event_name) AS event_name,"  # noqa: S608 - own text
        " multiIf(sum(d_pending) > 0, 'pending', sum(d_approved) > 0, 'approved', sum(d_rejected) > 0, 'rejected',"
        " 'reversed') AS status, argMax(e.occurred_at, e._offset) AS occurred_at, max(received_at) AS changed_at,"
        " sum(e.value) AS value, argMax(e.currency, e._offset) AS currency,"
        " sum(c_pending) + sum(c_approved) AS commission, sum(c_pending) AS commission_pending,"
        " sum(c_approved) AS commission_approved,"
        " sum(c_reversed) AS commission_reversed, toBool(argMax(e.origin, e._offset) = 'claim') AS by_site_key, "
        + ", ".join(
            f"argMax(e.{name}, e._offset) AS {name}"
            for name in [line.split()[0] for line in _DIMENSIONS.splitlines() if line]
        )
        + f" FROM {DATABASE}.events AS e WHERE type = 'conversion' AND ({{own}}) GROUP BY website_id, conversion_id"
        # One that lost its click counts nothing any more.
        " HAVING sum(d_pending) + sum(d_approved) + sum(d_rejected) + sum(d_reversed) > 0"
    ),
    example="SELECT status, count() AS conversions, sum(commission) / 100 AS amount FROM conversions GROUP BY status",
)

_COUNTERS: Final = {
    "clicks": "Clicks",
    "pageviews": "Page views",
    "customs": "Custom events",
    "pending": "Pending conversions",
    "approved": "Approved conversions",
    "rejected": "Rejected conversions",
    "reversed": "Reversed conversions",
    "c_pending": "Pending commission in minor units",
    "c_approved": "Approved commission in minor units",
    "c_reversed": "Commission taken back, in minor units",
}
_CONVERTED: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
_BUCKET: Final = """
website_id UUID The website
bucket DateTime('UTC') Start of the quarter of an hour, UTC
is_bot Bool Of machines, or suspicious
"""


def _rollup(name: str, comment: str, keys: str, counters: Sequence[str], example: str) -> View:
    keyed = columns_of(_BUCKET + keys)
    sums = tuple(Column(one, "Int64", _COUNTERS[one]) for one in counters)
    chosen = ", ".join(column.name for column in keyed)
    summed = ", ".join(f"{_sum_of(one)} AS {one}" for one in counters)
    source = f"SELECT {chosen}, {summed} FROM {DATABASE}.{name} AS r WHERE {{own}} GROUP BY {chosen}"  # noqa: S608 - own
    return View(name, comment, keyed + sums, source, example=example)


def _sum_of(counter: str) -> str:
    """An Int64, which every format and client has; a cell's money that is more than that is an error, never wrapped."""
    return f"accurateCast({in_rollup(counter, 'r')}, 'Int64')" if counter in MONEY else in_rollup(counter, "r")


TRAFFIC: Final = _rollup(
    "traffic_15m",
    "What happened on a website per quarter of an hour",
    "",
    tuple(_COUNTERS),
    "SELECT toStartOfHour(bucket) AS hour, sum(clicks) AS clicks, sum(approved) AS sales FROM traffic_15m\n"
    "WHERE NOT is_bot AND bucket > now() - INTERVAL 2 DAY GROUP BY hour ORDER BY hour",
)
BY_PARTNER: Final = _rollup(
    "partner_15m",
    "Clicks and conversions per partner and quarter of an hour",
    "partner_id UUID The partner; its name is in table partners",
    ("clicks", *_CONVERTED),
    "SELECT p.name AS partner, sum(r.clicks) AS clicks, sum(r.c_approved) / 100 AS commission\n"
    "FROM partner_15m AS r JOIN partners AS p ON p.id = r.partner_id WHERE NOT r.is_bot\n"
    "GROUP BY partner ORDER BY commission DESC",
)
BY_COUNTRY: Final = _rollup(
    "country_15m",
    "Clicks, page views and conversions per country and quarter of an hour",
    f"country {_LOW} ISO 3166-1 code; ZZ: unknown",
    ("clicks", "pageviews", *_CONVERTED),
    "SELECT country, sum(clicks) AS clicks FROM country_15m WHERE NOT is_bot GROUP BY country ORDER BY clicks DESC",
)
_STATE: Final = "AggregateFunction(uniqCombined(12),UInt64)"
VISITORS: Final = View(
    "visitors_15m",
    "Distinct visitors per quarter of an hour, as states: uniqCombinedMerge(12)(visitors) counts them over any range",
    columns_of(
        _BUCKET
        + f"clickers {_STATE} State of distinct visitors who clicked\nvisitors {_STATE} State of all distinct ones"
    ),
    f"SELECT website_id, bucket, is_bot, clickers, visitors FROM {DATABASE}.visitors_15m WHERE {{own}}",  # noqa: S608 - own text
    example="SELECT toDate(bucket) AS day, uniqCombinedMerge(12)(visitors) AS visitors FROM visitors_15m\n"
    "WHERE NOT is_bot GROUP BY day ORDER BY day",
)
WEBSITES: Final = View(
    "websites",
    "The websites",
    columns_of(
        "id UUID The website's id\ndomain String Its domain\ntimezone String Its time zone\n"
        "currency String Its currency"
    ),
    example="SELECT w.domain AS domain, sum(t.clicks) AS clicks FROM traffic_15m AS t JOIN websites AS w\n"
    "ON w.id = t.website_id WHERE NOT t.is_bot GROUP BY domain",
)
PARTNERS: Final = View(
    "partners", "The partners", columns_of("id UUID The partner's id\nname String Its name\nslug String Its short name")
)
LINKS: Final = View(
    "links",
    "The tracked links",
    columns_of(
        "id UUID The link's id\nwebsite_id UUID Its website\npartner_id UUID Its partner\n"
        "slug String Its address is /go/slug\ndestination String Where it leads"
    ),
)

SCHEMA: Final[Mapping[str, View]] = {
    view.name: view
    for view in (
        EVENTS, CLICKS, PAGEVIEWS, CONVERSIONS, CHANGES, TRAFFIC, BY_PARTNER, BY_COUNTRY, VISITORS, WEBSITES, PARTNERS,
        LINKS,
    )
}  # fmt: skip
