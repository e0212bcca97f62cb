"""The SQL that finds the visits of a website's events. Pure text.

A visit is made of the events of one visitor in one UTC day. It ends with 30 minutes without an event, or where another
session begins on the same host: browsers keep sessions by host, so those of two hosts of a website tell nothing. An
event without a session (a followed link) belongs to the visit before it. Bots and people have visits of their own. An
event of an unknown visitor (0) belongs to no visit.

- page (`hostname`, `path`): the event's own, also of a followed link that names its page; of another followed link, and
  of an event without a page, the page that the visitor saw last on that day, since a link's own address is no page
- source, channel, referrer and UTM parameters: those of the visit's first event
- entry and exit page: the pages of the visit's first and last event
- `is_entry`: the visit's first event, which also has `visit_seconds` (to its last event) and `is_bounce` (the visit is
  one page view and nothing else but links in view, which may come before it)
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from schemas.tracking import COLUMNS, IMPRESSION, PAGE_NAMED, SUBS

IDLE_MINUTES: Final = 30
"""The idle time that ends a visit: as long as that of the script's sessions (docs/tracking-api.md)."""

EVENT_COLUMNS: Final = (
    *("event_id", "type", "occurred_at", "received_at", "visitor", "is_bot", "bot_reason"),
    *("country", "region", "city", "device", "browser", "os", "language", "placement"),
    *("click_id", "link_id", "partner_id", *SUBS, "value", "currency", "props"),
    *("_topic", "_partition", "_offset"),
)
"""Columns that a row has from its event."""

_BROUGHT: Final = (
    *("source", "channel", "referrer_host", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"),
)
"""Columns that a row has from its visit's first event."""

TYPES: Final = {
    **{column.name: column.type for column in COLUMNS},
    "exit_page": "String",
    "visit": "UInt64",
    "is_entry": "UInt8",
    "is_bounce": "UInt8",
    "visit_seconds": "UInt32",
}
"""The ClickHouse type of each column."""

VISIT_COLUMNS: Final = (
    *("hostname", "path", *_BROUGHT, "entry_page", "exit_page"),
    *("visit", "is_entry", "is_bounce", "visit_seconds"),
)
ROW_COLUMNS: Final = (*EVENT_COLUMNS, *VISIT_COLUMNS)
"""The columns of a row with its visit, after `website_id` and `day`."""

FINGERPRINT: Final = "cityHash64(_topic, _partition, _offset, is_bot, bot_reason, visitor, click_id, city, props)"
"""The fingerprint of a row of `events`. Two sets of rows with the same sum are the same: a row is a function of its
record in the log, but for what traffic rules mark, and for what is taken from the rows of a visitor who is
forgotten."""


def visits(table: str, condition: str, columns: Collection[str] = ROW_COLUMNS) -> str:
    """A SELECT of `website_id`, `day` and `columns`, some of `ROW_COLUMNS` in their order: the events of `table` under
    `condition`, conversions left out. Fewer columns are planned and read faster.

    The condition must take or leave all events of a visitor and day: a visit that is cut is another one.
    """
    wanted = [name for name in ROW_COLUMNS if name in columns]
    brought = [name for name in _BROUGHT if name in columns]
    passed = [name for name in EVENT_COLUMNS if name in {*wanted, *_ALWAYS}]
    events = (
        f"SELECT website_id, toDate(occurred_at) AS day, session, {', '.join(passed)},"
        " if(visitor = 0, cityHash64(event_id), visitor) AS who,"
        f" if({_LINK_ALONE}, '', hostname) AS own_host, if({_LINK_ALONE}, '', path) AS own_page,"
        f" tuple({', '.join(f'toString({name})' for name in brought) or '0'}) AS own_source"
        f" FROM {table} WHERE ({condition}) AND type <> 'conversion'"
    )
    followed = (
        "SELECT *, lagInFrame(occurred_at) OVER before AS previous_at,"
        " anyLast(nullIf(session, 0)) OVER earlier AS previous_session,"
        " anyLast(if(session = 0, NULL, own_host)) OVER earlier AS previous_host,"
        " ifNull(anyLast(nullIf(own_page, '')) OVER so_far, '') AS page,"
        " ifNull(anyLast(if(own_page = '', NULL, own_host)) OVER so_far, '') AS host"
        f" FROM ({events}) WINDOW"
        f" before AS ({_OF_VISITOR} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),"
        f" earlier AS ({_OF_VISITOR} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),"
        f" so_far AS ({_OF_VISITOR} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    )
    numbered = (
        f"SELECT *, sum({_BEGINS}) OVER ({_OF_VISITOR} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number"
        f" FROM ({followed})"
    )
    whole = (
        "SELECT *, row_number() OVER whole AS place, first_value(own_source) OVER whole AS brought,"
        " first_value(page) OVER whole AS first_page, last_value(page) OVER whole AS last_page,"
        " first_value(occurred_at) OVER whole AS first_at, last_value(occurred_at) OVER whole AS last_at,"
        f" countIf(type <> '{IMPRESSION}') OVER whole AS events, countIf(type = 'pageview') OVER whole AS views"
        f" FROM ({numbered}) WINDOW whole AS (PARTITION BY website_id, day, is_bot, who, number"
        " ORDER BY occurred_at, event_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    )
    expressions = {**_EXPRESSIONS, **{name: f"brought.{number}" for number, name in enumerate(brought, 1)}}
    selected = [
        f"CAST({expressions[name]} AS {TYPES[name]}) AS {name}" if name in VISIT_COLUMNS else name for name in wanted
    ]
    return f"SELECT website_id, day, {', '.join(selected)} FROM ({whole})"


_ALWAYS: Final = ("event_id", "type", "occurred_at", "visitor", "is_bot")
_OF_VISITOR: Final = "PARTITION BY website_id, day, is_bot, who ORDER BY occurred_at, event_id"
_LINK_ALONE: Final = f"origin = 'redirect' AND placement = '' AND NOT startsWith(flags, '{PAGE_NAMED}')"
"""A followed link that names no page. Before there was the flag, only those that named a place tell that they did."""
_BEGINS: Final = (
    f"occurred_at > previous_at + INTERVAL {IDLE_MINUTES} MINUTE OR session <> 0"
    " AND ifNull(session <> previous_session AND (own_host = previous_host OR own_host = '' OR previous_host = ''), 0)"
)
"""The row before the first one is at the Unix epoch."""

_EXPRESSIONS: Final = {
    "hostname": "host",
    "path": "page",
    "entry_page": "first_page",
    "exit_page": "last_page",
    "visit": "if(visitor = 0, 0, cityHash64(website_id, day, is_bot, who, number))",
    "is_entry": "visitor <> 0 AND place = 1",
    "is_bounce": "visitor <> 0 AND place = 1 AND events = 1 AND views = 1",
    "visit_seconds": "if(visitor <> 0 AND place = 1, dateDiff('second', first_at, last_at), 0)",
}
