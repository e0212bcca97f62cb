"""Describes for people what the erasure of a visitor does with each kind of stored data, and what remains, with the
reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Effect = Literal["erased", "emptied", "kept"]

_ROWS: Final = "Totals stay. Rows get a new pseudonym; title, properties, sub-IDs, click ID and city are erased."
EFFECTS: Final[Mapping[str, tuple[str, Effect, str]]] = {
    "pageviews": ("Page views", "emptied", _ROWS),
    "clicks": ("Clicks on links", "emptied", _ROWS),
    "events": ("Custom events", "emptied", _ROWS),
    "ad_click_ids": (
        "Events with click IDs of ad platforms",
        "erased",
        "Their encryption keys are deleted, so nobody can read them anymore, not even in the log.",
    ),
    "conversion_changes": ("Changes of conversions, with click data", "emptied", _ROWS),
    "conversions": (
        "Conversions",
        "emptied",
        "Customer, click ID and sub-IDs are erased. Order ID, amounts, status, link and partner stay for statements "
        "and accounting with the network.",
    ),
    "conversion_steps": (
        "History of conversions, with reported values",
        "emptied",
        "Visitor, customer, click ID, sub-IDs, city and region are erased. Amounts and decisions stay.",
    ),
    "rejected_reports": (
        "Rejected reports",
        "emptied",
        "Their content is erased. Time and reason stay.",
    ),
    "samples": ("Samples of rejected requests", "erased", "The samples are erased. Time and reason stay."),
    "awaiting_rate": (
        "Reports awaiting an exchange rate",
        "emptied",
        "Customer, sub-IDs and properties are erased now. Click and visitor decide who earned the sale, so they are "
        "erased automatically once the rate is recorded.",
    ),
    "dead_letters": (
        "Records that could not be processed",
        "kept",
        "Each stays until an admin retries or skips it. Its content is then deleted, and personal data of the sale is "
        "erased automatically.",
    ),
}
"""The effect by store: its name, what happens, and how."""

KEPT: Final = (
    ("Counts in reports", "Totals over many visitors. They identify nobody."),
    (
        "Statements, payouts and their files",
        "Accounting records with amounts and order IDs. Delete files that you attached at Payouts.",
    ),
    (
        "The log of events",
        "What happened stays under the old pseudonym: times, pages, links, countries and amounts. Titles, properties "
        "and IDs become unreadable: their key is deleted. Events from before version 0.3 have them in clear. Rebuilds "
        "of reports leave the person out.",
    ),
    ("Number of claims per click", "Stored for 31 days under a pseudonym, to limit fake sales."),
    ("Emails to you", "Stored for 30 days. Email reports show what your own SQL queries select."),
    (
        "Page views imported from access logs",
        "Identified only by a pseudonym of the IP address, which no ID leads to, so they are not found here.",
    ),
    ("Backups", "Earlier backups contain the data until they are deleted."),
)
"""The data that stays whatever is erased, and why."""

NOT_SEARCHED: Final = "Images, and all but the ten newest PDF files. Check them at Payouts."
