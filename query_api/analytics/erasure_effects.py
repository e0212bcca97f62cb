"""What the erasure of a visitor does with each kind of what is stored, and what stays, with the reason: for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Effect = Literal["erased", "emptied", "kept"]

_ROWS: Final = "Rows stay for the figures, with new pseudonyms. Title, properties, sub and click IDs, city are erased."
EFFECTS: Final[Mapping[str, tuple[str, Effect, str]]] = {
    "pageviews": ("Page views", "emptied", _ROWS),
    "clicks": ("Clicks on links", "emptied", _ROWS),
    "events": ("Custom events", "emptied", _ROWS),
    "ad_click_ids": (
        "Events with click IDs of ad platforms",
        "erased",
        "The keys that sealed them are deleted: nobody can read them any more, in the log neither.",
    ),
    "conversion_changes": ("Changes of conversions, with the data of their click", "emptied", _ROWS),
    "conversions": (
        "Conversions",
        "emptied",
        "Customer, click ID and sub IDs are erased. Order ID, amounts, status, link and partner stay: statements and "
        "the network's books refer to them.",
    ),
    "conversion_steps": (
        "Steps of conversions, with what was reported",
        "emptied",
        "Visitor, customer, click ID, sub IDs, city and region are erased. What moved money stays.",
    ),
    "rejected_reports": (
        "Reports that did not count",
        "emptied",
        "What they said is erased. Time and reason stay.",
    ),
    "samples": ("Samples of refused requests", "erased", "The samples are erased. Time and reason stay."),
    "awaiting_rate": (
        "Reports that wait for an exchange rate",
        "emptied",
        "Customer, sub IDs and properties are erased now. Click and visitor decide who earned the sale: they stay "
        "until the rate is recorded, and are erased automatically then.",
    ),
    "dead_letters": (
        "Records that could not be processed",
        "kept",
        "Each stays until an admin retries or skips it. Then its content is deleted, and what a sale says of the "
        "person is erased automatically.",
    ),
}
"""By store: its name, what happens, and how."""

KEPT: Final = (
    ("Counts in reports", "They add up what many people did. No person is in them."),
    (
        "Statements, payouts and their files",
        "Accounting: they have amounts and order IDs. Files that you attached to payouts are deleted there.",
    ),
    (
        "The log of events",
        "What was sent stays there as it was received, under pseudonyms, as long as the log is kept. It is read for "
        "rebuilds alone, which leave the person out.",
    ),
    ("Number of claims of a click", "Kept for 31 days under a pseudonym, so that forged sales are limited."),
    ("Emails to you", "Kept for 30 days. A report by email may show what your own SQL query selects."),
    (
        "Page views imported from access logs",
        "Their visitor is a pseudonym of the address in the file. No ID leads to it, so none are found here.",
    ),
    ("Backups", "Those made before contain what was stored then, until they are deleted."),
)
"""What stays whatever is erased, and why."""

NOT_SEARCHED: Final = "Images, and all but the ten newest PDF files. Look into them at Payouts."
