"""Every projection there is, and the decided events that none of them shows.

A new read model is one module in `projectors/postgres` and one entry here; a new rollup one in `projectors/clickhouse`.
"""

from __future__ import annotations

from typing import Final

from projectors.clickhouse import conversion_rows, event_rows, marks, refusal_rows
from projectors.clickhouse.country_15m import COUNTRIES
from projectors.clickhouse.delivery_minute import DELIVERY
from projectors.clickhouse.duplicates import DUPLICATES
from projectors.clickhouse.events_raw import EVENTS
from projectors.clickhouse.partner_15m import PARTNERS as PARTNER_ROLLUP
from projectors.clickhouse.recent_events import RECENT
from projectors.clickhouse.refusals import REFUSALS
from projectors.clickhouse.traffic_15m import TRAFFIC
from projectors.clickhouse.visitors_15m import VISITORS
from projectors.engine.projection import Catalogue, ClickHouseProjection
from projectors.postgres.account_details import ACCOUNT_DETAILS
from projectors.postgres.accounts import ACCOUNTS
from projectors.postgres.activity import ACTIVITY
from projectors.postgres.applications import APPLICATION_STEPS, APPLICATIONS
from projectors.postgres.conversion_steps import CONVERSION_STEPS
from projectors.postgres.conversions import CONVERSIONS
from projectors.postgres.custom_domains import CUSTOM_DOMAINS
from projectors.postgres.early_access import EARLY_ACCESS
from projectors.postgres.exchange_rates import EXCHANGE_RATES
from projectors.postgres.forum_log import FORUM_LOG
from projectors.postgres.forum_members import FORUM_MEMBERS, FORUM_SUSPENSIONS
from projectors.postgres.forum_posts import FORUM_EDITS, FORUM_FLAGS, FORUM_LIKES, FORUM_POSTS
from projectors.postgres.forum_threads import FORUM_CATEGORIES, FORUM_FOLLOWS, FORUM_THREADS
from projectors.postgres.inquiries import INQUIRIES, INQUIRY_STEPS
from projectors.postgres.insights import INSIGHT_DIGESTS, INSIGHTS
from projectors.postgres.invites import INVITE_JOINS, INVITES
from projectors.postgres.lessons_done import LESSONS_DONE
from projectors.postgres.links import LINKS
from projectors.postgres.listings import LISTINGS
from projectors.postgres.market import (
    LISTING_QUESTIONS,
    LISTING_WATCHES,
    MARKET_STEPS,
    SAVED_SEARCHES,
    SELLERS,
)
from projectors.postgres.matching_profiles import MATCHING_PROFILES
from projectors.postgres.notification_choices import NOTIFICATION_CHOICES
from projectors.postgres.offers import ESCROWS, OFFER_MESSAGES, OFFERS
from projectors.postgres.partner_terms import PARTNER_TERMS
from projectors.postgres.partners import PARTNERS
from projectors.postgres.programs import PROGRAMS
from projectors.postgres.statement_months import STATEMENT_MONTHS
from projectors.postgres.subscriptions import SUBSCRIPTIONS
from projectors.postgres.traffic_rules import TRAFFIC_RULES
from projectors.postgres.website_keys import WEBSITE_KEYS
from projectors.postgres.website_zones import WEBSITE_ZONES
from projectors.postgres.websites import WEBSITES
from schemas.base import DomainEvent
from schemas.events import accounts, domains, leads, operations, partners, websites
from schemas.topics import CLICKS, DOMAIN, REJECTED

EVENTS_FAMILY: Final = ClickHouseProjection(
    name=EVENTS.name,
    version=EVENTS.version,
    main=EVENTS,
    others=(DUPLICATES,),
    rollups=(TRAFFIC, PARTNER_ROLLUP, COUNTRIES, VISITORS, DELIVERY, RECENT),
    topics=(CLICKS, DOMAIN),
    makers={CLICKS.name: event_rows.make_rows, DOMAIN.name: conversion_rows.make_rows},
    remembers_ids=frozenset({CLICKS.name}),
    parameters=marks.read,
    understand=marks.understand,
)

REFUSALS_PROJECTION: Final = ClickHouseProjection(
    name=REFUSALS.name,
    version=REFUSALS.version,
    main=REFUSALS,
    topics=(REJECTED,),
    makers={REJECTED.name: refusal_rows.make_rows},
    remembers_ids=frozenset({REJECTED.name}),
)

CATALOGUE: Final = Catalogue(
    clickhouse=(EVENTS_FAMILY, REFUSALS_PROJECTION),
    postgres=(
        ACCOUNTS,
        ACCOUNT_DETAILS,
        INVITES,
        INVITE_JOINS,
        WEBSITES,
        WEBSITE_KEYS,
        WEBSITE_ZONES,
        TRAFFIC_RULES,
        CUSTOM_DOMAINS,
        PARTNERS,
        PARTNER_TERMS,
        LINKS,
        CONVERSIONS,
        CONVERSION_STEPS,
        STATEMENT_MONTHS,
        ACTIVITY,
        EXCHANGE_RATES,
        SUBSCRIPTIONS,
        EARLY_ACCESS,
        INQUIRIES,
        INQUIRY_STEPS,
        PROGRAMS,
        MATCHING_PROFILES,
        APPLICATIONS,
        APPLICATION_STEPS,
        LESSONS_DONE,
        INSIGHTS,
        INSIGHT_DIGESTS,
        LISTINGS,
        MARKET_STEPS,
        SELLERS,
        LISTING_QUESTIONS,
        LISTING_WATCHES,
        SAVED_SEARCHES,
        OFFERS,
        OFFER_MESSAGES,
        ESCROWS,
        FORUM_CATEGORIES,
        FORUM_THREADS,
        FORUM_POSTS,
        FORUM_MEMBERS,
        FORUM_SUSPENSIONS,
        FORUM_LIKES,
        FORUM_FOLLOWS,
        FORUM_EDITS,
        FORUM_FLAGS,
        FORUM_LOG,
        NOTIFICATION_CHOICES,
    ),
)

IGNORED: Final[frozenset[type[DomainEvent]]] = frozenset(
    {
        accounts.EmailClaimed,  # guards uniqueness inside the event store
        accounts.EmailReleased,
        accounts.SessionsEnded,  # sessions are kept in `auth.session`
        accounts.SignedIn,
        accounts.SignedOut,
        accounts.SignInLinked,  # links are kept in `auth.linked_sign_in`
        accounts.SignInUnlinked,
        domains.HostClaimed,  # guards uniqueness inside the event store
        domains.HostReleased,
        leads.EarlyAccessPlaceFreed,  # guards the number of places inside the event store
        leads.EarlyAccessPlaceTaken,
        operations.AuditTrailAnchored,  # the audit compares it with the trail itself
        partners.SlugClaimed,
        partners.SlugReleased,
        websites.ClaimsUnusual,  # a notification follows from it
    }
)
"""Decided events that no projection shows; a test holds that every other one is handled somewhere."""
