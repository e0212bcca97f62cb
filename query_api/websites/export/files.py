"""The files of a website's export: where the rows of each come from, and their columns.

What is documented is generated from here (`files_table`). A new read model with rows of websites gets a file here, or
an entry in `NOT_EXPORTED`; a test holds that every one of them has either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from query_api.kernel.sections import Section
from schemas.tracking import COLUMNS, Part

_OF_WEBSITE: Final = "t.website_id = %(website)s"
_USED_PARTNERS: Final = (
    "(SELECT l.partner_id FROM read.links AS l WHERE l.website_id = %(website)s"
    " UNION SELECT c.partner_id FROM read.conversions AS c WHERE c.website_id = %(website)s"
    " UNION SELECT p.partner_id FROM read.payouts AS p WHERE p.website_id = %(website)s)"
)


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A file with a row for each row of a read model."""

    name: str
    meaning: str
    source: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    where: str = _OF_WEBSITE

    @property
    def section(self) -> Section:
        return Section(self.name, self.source, self.where, self.key, ", ".join(f"t.{name}" for name in self.columns))


def _columns(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TABLES: Final = (
    ExportTable(
        "partners",
        "The partners that its links, conversions and payouts name",
        "read.partners",
        _columns("id name slug base_url description terms cookie_days click_id_parameter is_active created_at"),
        where=f"t.id IN {_USED_PARTNERS}",
    ),
    ExportTable(
        "partner_terms",
        "Their commission terms, with the time from which each holds",
        "read.partner_terms",
        _columns("partner_id effective_at terms"),
        key=("partner_id", "effective_at"),
        where=f"t.partner_id IN {_USED_PARTNERS}",
    ),
    ExportTable(
        "links",
        "Tracked links, deleted ones included",
        "read.links",
        _columns(
            "id slug code partner_id destination subs coupon routing is_active is_archived tags folder utm channel_id"
            " created_at deleted_at"
        ),
    ),
    ExportTable(
        "conversions",
        "Leads and sales as they are now",
        "read.conversions",
        _columns(
            "id kind event txid status amount currency commission commission_currency reversed_amount"
            " reversed_commission partner_id link_id click_id attributed_by clicked_at reason reported_by key_kind"
            " occurred_at recorded_at decided_at approves_at payable_at customer country device source subs coupon"
        ),
    ),
    ExportTable(
        "conversion_steps",
        "Everything that happened to each conversion; `earned` is what a step books on the statement",
        "read.conversion_steps",
        _columns(
            "conversion_id version name at partner_id txid event occurred_at hold_until currency pending earned"
            " reversed approved detail position"
        ),
        key=("position",),
    ),
    ExportTable(
        "decisions",
        "Approvals and rejections of many conversions at once",
        "read.conversion_decisions",
        _columns(
            "id decision reason conversion_ids commission currency scheduled_at due_at state changed failed ended_at"
        ),
    ),
    ExportTable(
        "statement_months",
        "What each partner's bookings of a month (UTC) add up to",
        "read.statement_months",
        _columns("id partner_id currency month earned"),
    ),
    ExportTable(
        "reconciled_sales",
        "Each sale as it was tracked, and as its network's reports state it",
        "read.reconciled_sales",
        _columns(
            "id partner_id txid attributed_by currency tracked_at tracked_amount tracked_currency tracked_worth"
            " tracked_declined network stated_at stated_amount stated_currency stated_worth stated_declined stated_paid"
        ),
    ),
    ExportTable(
        "accepted_months",
        "Months of partners whose differences you accepted",
        "read.accepted_months",
        _columns("id partner_id month fingerprint accepted_at"),
    ),
    ExportTable(
        "payouts",
        "What partners paid",
        "read.payouts",
        _columns(
            "id partner_id amount currency credited credited_currency paid_on reference allocations recorded_at"
            " corrected_at voided_at reason"
        ),
    ),
    ExportTable(
        "payout_steps",
        "Records, corrections and voidings of payouts",
        "read.payout_steps",
        _columns("payout_id version name at detail position"),
        key=("position",),
    ),
    ExportTable(
        "network_imports",
        "Reports of networks that were imported, and what each changed",
        "read.network_imports",
        _columns("id network partner_id as_of mapping state uploaded_at applied_at counts delta code message"),
    ),
    ExportTable(
        "costs",
        "What traffic cost, as it was entered; removed ones included",
        "read.costs",
        _columns("id first last entry added_at removed_at"),
    ),
    ExportTable(
        "cost_imports",
        "Files of costs that were imported, and what each changed",
        "read.cost_imports",
        _columns("id platform mapping state uploaded_at applied_at counts delta code message"),
    ),
    ExportTable(
        "network_connections",
        "Connections to networks' APIs, and what the last pull of each brought",
        "read.network_connections",
        _columns(
            "id network schedule currency partner_id is_refused problem added_at pulled_at pulled_until rows import_id"
        ),
    ),
    ExportTable(
        "destinations",
        "Ad platforms that get decided conversions",
        "read.destinations",
        _columns("id platform mapping is_automatic is_refused problem added_at changed_at"),
    ),
    ExportTable("annotations", "Notes on the charts", "read.annotations", _columns("id at text")),
    ExportTable(
        "insights",
        "Changes that were found",
        "read.insights",
        _columns("id insight told_at is_open closed_at dismissed_reason"),
    ),
    ExportTable(
        "alerts",
        "Alerts that were raised",
        "read.alerts",
        _columns("id kind cause title text opened_at resolved_at"),
    ),
    ExportTable(
        "imports", "Imports of past events", "read.imports", _columns("id events first_at last_at imported_at")
    ),
    ExportTable(
        "social_channels",
        "Social channels",
        "read.social_channels",
        _columns("id network handle name added_at"),
    ),
    ExportTable(
        "social_channel_figures",
        "Their numbers by day",
        "read.social_channel_figures",
        _columns("channel_id day source followers views clicks"),
        key=("channel_id", "day", "source"),
    ),
    ExportTable(
        "social_posts",
        "Posts",
        "read.social_posts",
        _columns("id channel_id address title published_at"),
    ),
    ExportTable(
        "social_post_figures",
        "Their numbers",
        "read.social_post_figures",
        _columns("post_id source channel_id as_of views likes comments clicks"),
        key=("post_id", "source"),
    ),
)

SETTINGS: Final = (
    ExportTable(
        "website",
        "Domain, time zone, currency and settings",
        "read.websites",
        _columns(
            "id domain timezone currency attribution_model max_claim_amount max_claims_per_click link_click_ids"
            " link_impressions_every txid_scope keep_ad_click_ids ad_click_id_days ad_click_ids_need_consent created_at"
        ),
        where="t.id = %(website)s",
    ),
    ExportTable(
        "keys",
        "API keys, of secret ones the last four characters",
        "read.website_keys",
        _columns("id kind name last4 public_key allowed_origins created_at revoked_at"),
    ),
    ExportTable("zones", "Since when each time zone held", "read.website_zones", _columns("since timezone position"),
          key=("position",)),
    ExportTable("retention", "How long single events are kept", "read.retention", _columns("raw_months changed_at"),
          key=("website_id",)),
    ExportTable("traffic_rules", "Rules that mark traffic", "read.traffic_rules",
          _columns("id since until mark conditions note created_at undone_at position"), key=("position",)),
    ExportTable("alert_rules", "Alerts that differ from the defaults", "read.alert_rules",
          _columns("id kind enabled threshold minimum")),
    ExportTable("saved_views", "Saved views and segments of the website", "read.saved_views",
          _columns("id kind name state saved_at removed_at")),
    ExportTable("email_reports", "Scheduled reports by email", "read.reports",
          _columns("id view_id query_id schedule parameters since paused removed_at")),
    ExportTable("custom_domains", "Custom domains", "read.custom_domains",
          _columns("id domain is_verified ssl_enabled added_at verified_at removed_at")),
    ExportTable("sites", "Sites of the website builder, with their pages", "read.sites",
          _columns("id slug document published published_at created_at updated_at")),
)  # fmt: skip
"""The parts of `settings.json`."""

EVENT_COLUMNS: Final = tuple(
    column for column in COLUMNS if column.part is not Part.HIDDEN and column.name != "website_id"
)
EVENTS_MEANING: Final = "Every page view, click, custom event and conversion change, as far as single events are kept"

NOT_EXPORTED: Final = {
    "activity": "what the screens say of the events that the other files have",
    "default_views": "a choice of the screens",
    "event_expiries": "says which days `events.csv` lacks; the manifest names the first day it has",
    "link_bulks": "how far a change of many links is; `links.csv` has the links as they are",
    "link_bulk_outcomes": "what one of those changes did to each link",
    "link_changes": "the order of changes for the write side; `links.csv` has the links as they are",
    "listings": "of the marketplace, in the account's export",
    "visitor_erasures": "must not say who was erased",
}
"""Read models with rows of websites that are in no file, and why."""


def files_table() -> str:
    """The documentation of the files, as a table in Markdown."""
    rows = [(f"{one.name}.csv", one.meaning, ", ".join(one.columns)) for one in TABLES]
    rows.append(("events.csv", EVENTS_MEANING, ", ".join(column.name for column in EVENT_COLUMNS)))
    rows += [(f"settings.json, {one.name}", one.meaning, ", ".join(one.columns)) for one in SETTINGS]
    rows.append(("manifest.json", "When it was made, and how many rows each file has", "–"))
    lines = [f"| `{name}` | {meaning} | {columns} |" for name, meaning, columns in rows]
    return "\n".join(("| file | contains | columns |", "|---|---|---|", *lines))
