"""The documented tables for analysts: sub-selects over the stable views of the projections, with column comments.

`events` and the tables derived from it hold one row per event and show the raw row's columns by their `Part`, the
`_15m` tables one per website and quarter of an hour, `websites`, `partners` and `links` the names behind the ids. Money
is in minor units: commission in the website's currency, sales in the currency of the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from infra.domain.visits import routes
from schemas.figures import MONEY, in_rollup
from schemas.tracking import COLUMNS, LOW, Part

DATABASE: Final = "althing"


@dataclass(frozen=True, slots=True)
class AnalystColumn:
    """One column as analysts see it. `type`: the ClickHouse type; `comment`: shown in the schema."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class AnalystView:
    """`source` has the place `{own}` for the condition on the websites; empty: rows come from `Scope.named`."""

    name: str
    comment: str
    columns: tuple[AnalystColumn, ...]
    source: str = ""
    database: str = DATABASE
    example: str = ""


def columns_of(lines: str) -> tuple[AnalystColumn, ...]:
    """One column per line: name, type (without blanks), comment."""
    rows = (line.split(None, 2) for line in lines.splitlines() if line.strip())
    return tuple(AnalystColumn(name, kind, comment) for name, kind, comment in rows)


def _of_events(
    name: str, comment: str, columns: tuple[AnalystColumn, ...], condition: str, example: str
) -> AnalystView:
    chosen = ", ".join(routes.variant() + " AS variant" if one is _VARIANT else one.name for one in columns)
    source = f"SELECT {chosen} FROM {DATABASE}.events WHERE {condition} AND ({{own}})"  # noqa: S608 - own text
    return AnalystView(name, comment, columns, source, example=example)


_RAW: Final = {one.name: AnalystColumn(one.name, one.type.replace(" ", ""), one.meaning) for one in COLUMNS}


_VARIANT: Final = AnalystColumn("variant", "String", "Number of the variant in the split of the link; empty: none")


def _shown(*parts: Part, without: str = "") -> tuple[AnalystColumn, ...]:
    """The raw row's columns of these parts, part by part."""
    return tuple(_RAW[one.name] for part in parts for one in COLUMNS if one.part is part and one.name != without)


def _meaning(**comments: str) -> tuple[AnalystColumn, ...]:
    """Columns of the raw row that mean something else in a table."""
    return tuple(replace(_RAW[name], comment=comment) for name, comment in comments.items())


EVENTS: Final = _of_events(
    "events",
    "Everything that happened, one row each: clicks, page views, custom events and changes of conversions",
    (*_shown(Part.HEAD, Part.EVENT, Part.VISIT, Part.LINK), _VARIANT, *_shown(Part.CONVERSION)),
    "1",
    "SELECT type, count() AS rows FROM events WHERE occurred_at > now() - INTERVAL 7 DAY\n"
    "GROUP BY type ORDER BY rows DESC",
)
CLICKS: Final = _of_events(
    "clicks",
    "Clicks on tracked links",
    (*_shown(Part.HEAD, Part.VISIT, Part.LINK, without="title"), _VARIANT),
    "type = 'click'",
    "SELECT toDate(occurred_at) AS day, count() AS clicks, uniqExact(visitor) AS visitors FROM clicks\n"
    "WHERE NOT is_bot GROUP BY day ORDER BY day",
)
PAGEVIEWS: Final = _of_events(
    "pageviews",
    "Page views",
    _shown(Part.HEAD, Part.VISIT),
    "type = 'pageview'",
    "SELECT path, count() AS views FROM pageviews WHERE NOT is_bot GROUP BY path ORDER BY views DESC LIMIT 20",
)
_DIMENSIONS: Final = (
    *_meaning(country="Country of the click", device="Device of the click", source="Source of the click"),
    *_shown(Part.LINK),
    _VARIANT,
)
CHANGES: Final = _of_events(
    "conversion_changes",
    "Every change of a conversion, one row each, with its click's dimensions: sums of d_ and c_ are the current state",
    (
        *_shown(Part.HEAD),
        *_DIMENSIONS,
        *_meaning(
            value="Amount of the sale, in minor units of currency; negative for a reversal",
            currency="Reported currency of the sale; c_ columns are in the website's",
        ),
        *_shown(Part.CONVERSION),
        *_meaning(origin="claim: nothing but the public site key reports the conversion; else decision"),
    ),
    "type = 'conversion'",
    "SELECT toStartOfDay(occurred_at) AS day, sum(d_approved) AS approved, sum(c_approved) / 100 AS commission\n"
    "FROM conversion_changes GROUP BY day ORDER BY day",
)
CONVERSIONS: Final = AnalystView(
    "conversions",
    "Conversions with a click, one row each, in their current state",
    columns_of(
        """
website_id UUID The website
conversion_id UUID The conversion
event_name String Name of the conversion: sale, signup, ...
status String pending, approved, rejected or reversed
occurred_at DateTime64(3,'UTC') When it happened, UTC
changed_at DateTime64(3,'UTC') When it last changed, UTC
value Int64 Amount of the sale in minor units of currency, without reversals
currency String Reported currency of the sale: sum values by currency
commission Int64 Counted commission: pending and approved, in minor units of the website's currency
commission_pending Int64 Of it, pending
commission_approved Int64 Of it, approved
commission_reversed Int64 Reversed commission
by_site_key Bool A claim: only the public site key reports it
"""
    )
    + tuple(replace(column, type="String") if column.type == LOW else column for column in _DIMENSIONS),
    source=(
        "SELECT website_id, conversion_id, any(event_name) AS event_name,"  # noqa: S608 - own text
        " multiIf(sum(d_pending) > 0, 'pending', sum(d_approved) > 0, 'approved', sum(d_rejected) > 0, 'rejected',"
        " 'reversed') AS status, argMax(e.occurred_at, e._offset) AS occurred_at, max(received_at) AS changed_at,"
        " sum(e.value) AS value, argMax(e.currency, e._offset) AS currency,"
        " sum(c_pending) + sum(c_approved) AS commission, sum(c_pending) AS commission_pending,"
        " sum(c_approved) AS commission_approved,"
        " sum(c_reversed) AS commission_reversed, toBool(argMax(e.origin, e._offset) = 'claim') AS by_site_key, "
        + ", ".join(
            f"argMax({routes.variant('e.props', 'e.type') if one is _VARIANT else f'e.{one.name}'}, e._offset)"
            f" AS {one.name}"
            for one in _DIMENSIONS
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
    "c_reversed": "Reversed commission in minor units",
}
_CONVERTED: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
_BUCKET: Final = """
website_id UUID The website
bucket DateTime('UTC') Start of the quarter of an hour, UTC
is_bot Bool Of machines, or suspicious
"""


def _rollup(name: str, comment: str, keys: str, counters: Sequence[str], example: str) -> AnalystView:
    keyed = columns_of(_BUCKET + keys)
    sums = tuple(AnalystColumn(one, "Int64", _COUNTERS[one]) for one in counters)
    chosen = ", ".join(column.name for column in keyed)
    summed = ", ".join(f"{_sum_of(one)} AS {one}" for one in counters)
    source = f"SELECT {chosen}, {summed} FROM {DATABASE}.{name} AS r WHERE {{own}} GROUP BY {chosen}"  # noqa: S608 - own
    return AnalystView(name, comment, keyed + sums, source, example=example)


def _sum_of(counter: str) -> str:
    """An Int64, which every format and client has; a cell's money that is more than that is an error, never wrapped."""
    return f"accurateCast({in_rollup(counter, 'r')}, 'Int64')" if counter in MONEY else in_rollup(counter, "r")


TRAFFIC: Final = _rollup(
    "traffic_15m",
    "What happened on a website per quarter of an hour",
    "",
    tuple(_COUNTERS),
    "SELECT toStartOfHour(bucket) AS hour, sum(clicks) AS clicks, sum(pending + approved) AS conversions,\n"
    "sum(approved) AS approved_conversions FROM traffic_15m\n"
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
    f"country {LOW} ISO 3166-1 code; ZZ: unknown",
    ("clicks", "pageviews", *_CONVERTED),
    "SELECT country, sum(clicks) AS clicks FROM country_15m WHERE NOT is_bot GROUP BY country ORDER BY clicks DESC",
)
_STATE: Final = "AggregateFunction(uniqCombined(12),UInt64)"
VISITORS: Final = AnalystView(
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
COSTS: Final = AnalystView(
    "costs",
    "What traffic cost, one row per entry and day: a longer period's amount in equal parts for its days",
    columns_of(
        f"""
website_id UUID The website
cost_id UUID The entry
day Date The day, in the website's time zone
source {LOW} Source of the visits that it was for; empty: any
utm_campaign String Campaign of the visits; empty: any
utm_term String Term of the visits; empty: any
utm_content String Content of the visits; empty: any
link_id UUID Link of the clicks; zeros: any
placement {LOW} Place of the clicks; empty: any
amount Int64 Minor units of the website's currency; below zero: a refund or a credit
currency {LOW} The website's currency
"""
    ),
    source=(
        "SELECT website_id, cost_id, addDays(first, number) AS day, source,"  # noqa: S608 - own text
        " campaign AS utm_campaign, term AS utm_term, content AS utm_content, link_id,"
        " placement, sum(sign(amount) * (intDiv(abs(amount), toInt64(last - first + 1))"
        " + (number < abs(amount) % toInt64(last - first + 1)))) AS amount, currency"
        f" FROM {DATABASE}.cost_changes ARRAY JOIN range(toUInt32(last - first + 1)) AS number WHERE ({{own}})"
        " GROUP BY website_id, cost_id, day, source, utm_campaign, utm_term, utm_content, link_id, placement, currency"
        " HAVING amount <> 0"
    ),
    example="SELECT utm_campaign, sum(amount) / 100 AS cost FROM costs WHERE day > today() - 30\n"
    "GROUP BY utm_campaign ORDER BY cost DESC",
)
WEBSITES: Final = AnalystView(
    "websites",
    "The websites",
    columns_of(
        "id UUID The website's id\ndomain String Its domain\ntimezone String Its time zone\n"
        "currency String Its currency\nevents_kept_from Date First UTC day whose clicks, page views and custom events"
        " are in events, clicks and pageviews; 1970-01-01: all are"
    ),
    example="SELECT w.domain AS domain, sum(t.clicks) AS clicks FROM traffic_15m AS t JOIN websites AS w\n"
    "ON w.id = t.website_id WHERE NOT t.is_bot GROUP BY domain",
)
PARTNERS: Final = AnalystView(
    "partners", "The partners", columns_of("id UUID The partner's id\nname String Its name\nslug String Its short name")
)
LINKS: Final = AnalystView(
    "links",
    "The tracked links",
    columns_of(
        "id UUID The link's id\nwebsite_id UUID Its website\npartner_id UUID Its partner\n"
        "slug String Its address is /go/slug\ndestination String Where it leads"
    ),
)

SCHEMA: Final[Mapping[str, AnalystView]] = {
    view.name: view
    for view in (
        EVENTS, CLICKS, PAGEVIEWS, CONVERSIONS, CHANGES, TRAFFIC, BY_PARTNER, BY_COUNTRY, VISITORS, COSTS, WEBSITES,
        PARTNERS, LINKS,
    )
}  # fmt: skip

OF_SINGLE_EVENTS: Final = frozenset((EVENTS.name, CLICKS.name, PAGEVIEWS.name))
"""Tables whose rows of a website's expired days are gone."""
