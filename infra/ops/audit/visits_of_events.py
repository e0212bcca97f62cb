"""The visits of raw rows, found with arrays: what `visit_events` must have. It shares nothing with the product's SQL.

The events of one visitor and UTC day, bots and people apart, are one array in order of time, cut where a visit begins.
docs/analytics-api.md has the definition of a visit.
"""

# ruff: noqa: S608 - names of columns are this module's own

from __future__ import annotations

from typing import Final

from schemas.tracking import PAGE_NAMED

_BROUGHT: Final = (
    *("source", "channel", "referrer_host", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"),
)
"""Columns that a row has from the first event of its visit."""
COLUMNS: Final = (
    *("hostname", "path", *_BROUGHT, "entry_page", "exit_page"),
    *("visit", "is_entry", "is_bounce", "visit_seconds"),
)
"""Columns that a row has from its visit, or from the events before it."""
_IDLE: Final = "INTERVAL 30 MINUTE"
_WITHOUT_PAGE: Final = f"(origin = 'redirect' AND placement = '' AND NOT startsWith(flags, '{PAGE_NAMED}'))"
"""The condition for a followed link whose page is not known."""

# Elements of the arrays.
_AT, _ID, _SESSION, _TYPE, _HOST, _PAGE, _SOURCES, _CONTENT, _PLACE, _IS_KNOWN = (f"e.{n}" for n in range(1, 11))
_SHOWN_HOST, _SHOWN_PAGE = "e.11", "e.12"


def query(condition: str, content: str) -> str:
    """A SELECT of `website_id`, `day`, the place in the log, `COLUMNS`, and `own_content`: what `content` gives in the
    event's row. `condition` chooses rows of `events`."""
    sources = ", ".join(f"toString({name})" for name in _BROUGHT)
    element = (
        f"(occurred_at, event_id, session, toString(type), if({_WITHOUT_PAGE}, '', toString(hostname)),"
        f" if({_WITHOUT_PAGE}, '', toString(path)), ({sources}), {content}, (_topic, _partition, _offset),"
        " visitor != 0)"
    )
    visitors = (
        "SELECT website_id, toDate(occurred_at) AS day, is_bot,"
        " if(visitor = 0, cityHash64(event_id), visitor) AS who,"
        f" arraySort(e -> ({_AT}, {_ID}), groupArray({element})) AS sorted"
        f" FROM events WHERE ({condition}) AND type != 'conversion' GROUP BY website_id, day, is_bot, who"
    )
    cut = (
        "SELECT website_id, day, is_bot, who, arrayFill(p -> p.2 != '', arrayMap(e -> "
        f"(if({_PAGE} = '', '', {_HOST}), {_PAGE}), sorted)) AS pages,"
        f" arrayFill(s -> s.1 != 0, arrayMap(e -> ({_SESSION}, {_HOST}), sorted)) AS sessions,"
        f" arrayMap(e -> {_AT}, sorted) AS times, arraySplit((e, begins) -> begins,"
        f" arrayMap((e, p) -> ({_all_of('e', 10)}, p.1, p.2), sorted, pages),"
        f" arrayMap((e, n) -> n > 1 AND ({_AT} > times[n - 1] + {_IDLE} OR {_SESSION} != 0 AND sessions[n - 1].1 != 0"
        f" AND {_SESSION} != sessions[n - 1].1"
        f" AND ({_HOST} = '' OR sessions[n - 1].2 = '' OR sessions[n - 1].2 = {_HOST})),"
        f" sorted, arrayEnumerate(sorted))) AS visits FROM ({visitors})"
    )
    one = f"SELECT website_id, day, is_bot, who, v AS events, n AS number FROM ({cut}) ARRAY JOIN visits AS v," + (
        " arrayEnumerate(visits) AS n"
    )
    brought = ", ".join(f"events[1].7.{number} AS {name}" for number, name in enumerate(_BROUGHT, 1))
    return (
        "SELECT website_id, day, e.9.1 AS _topic, e.9.2 AS _partition, e.9.3 AS _offset,"
        f" {_CONTENT} AS own_content, {_SHOWN_HOST} AS hostname, {_SHOWN_PAGE} AS path, {brought},"
        " events[1].12 AS entry_page, events[-1].12 AS exit_page,"
        f" if({_IS_KNOWN}, cityHash64(website_id, day, is_bot, who, toUInt64(number)), 0) AS visit,"
        f" toUInt8({_IS_KNOWN} AND place = 1) AS is_entry,"
        " toUInt8(is_entry AND arrayFilter(type -> type != 'link.impression', arrayMap(x -> x.4, events))"
        " = ['pageview']) AS is_bounce,"
        " toUInt32(if(is_entry, dateDiff('second', events[1].1, events[-1].1), 0)) AS visit_seconds"
        f" FROM ({one}) ARRAY JOIN events AS e, arrayEnumerate(events) AS place"
    )


def _all_of(element: str, count: int) -> str:
    return ", ".join(f"{element}.{number}" for number in range(1, count + 1))
