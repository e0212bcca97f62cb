"""Every projection there is, and the decided events that none of them shows.

A new read model is one module in `projectors/read_models` and one entry here; a new rollup one in `projectors/rollups`.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.projection import ClickHouseProjection, Registry
from projectors.read_models.accounts.account_details import ACCOUNT_DETAILS
from projectors.read_models.accounts.accounts import ACCOUNTS
from projectors.read_models.accounts.invites import INVITE_JOINS, INVITES
from projectors.read_models.analytics.annotations import ANNOTATIONS
from projectors.read_models.analytics.default_views import DEFAULT_VIEWS
from projectors.read_models.analytics.imports import IMPORTS
from projectors.read_models.analytics.reports import REPORTS
from projectors.read_models.analytics.saved_views import SAVED_VIEWS
from projectors.read_models.analytics.visitor_erasures import VISITOR_ERASURES
from projectors.read_models.conversions.accepted_months import ACCEPTED_MONTHS
from projectors.read_models.conversions.conversion_decisions import CONVERSION_DECISIONS
from projectors.read_models.conversions.conversion_steps import CONVERSION_STEPS
from projectors.read_models.conversions.conversions import CONVERSIONS
from projectors.read_models.conversions.exchange_rates import EXCHANGE_RATES
from projectors.read_models.conversions.payouts import PAYOUT_STEPS, PAYOUTS
from projectors.read_models.conversions.reconciled_sales import RECONCILED_SALES
from projectors.read_models.conversions.statement_months import STATEMENT_MONTHS
from projectors.read_models.costs.cost_imports import COST_IMPORTS
from projectors.read_models.costs.costs import COSTS
from projectors.read_models.destinations.destinations import DESTINATIONS
from projectors.read_models.domains.custom_domains import CUSTOM_DOMAINS
from projectors.read_models.forum.forum_log import FORUM_LOG
from projectors.read_models.forum.forum_members import FORUM_MEMBERS, FORUM_SUSPENSIONS
from projectors.read_models.forum.forum_posts import FORUM_EDITS, FORUM_FLAGS, FORUM_LIKES, FORUM_POSTS
from projectors.read_models.forum.forum_threads import FORUM_CATEGORIES, FORUM_FOLLOWS, FORUM_THREADS
from projectors.read_models.insights.insights import INSIGHT_DIGESTS, INSIGHTS
from projectors.read_models.leads.early_access import EARLY_ACCESS
from projectors.read_models.leads.inquiries import INQUIRIES, INQUIRY_STEPS
from projectors.read_models.leads.subscriptions import SUBSCRIPTIONS
from projectors.read_models.links.link_bulks import LINK_BULK_OUTCOMES, LINK_BULKS
from projectors.read_models.links.link_changes import LINK_CHANGES
from projectors.read_models.links.links import LINKS
from projectors.read_models.marketplace.listings import LISTINGS
from projectors.read_models.marketplace.market import (
    LISTING_QUESTIONS,
    LISTING_WATCHES,
    MARKET_STEPS,
    SAVED_SEARCHES,
    SELLERS,
)
from projectors.read_models.marketplace.offers import DEAL_SETTINGS, ESCROWS, OFFER_MESSAGES, OFFERS
from projectors.read_models.matching.applications import APPLICATION_STEPS, APPLICATIONS
from projectors.read_models.matching.ideas import IDEA_CHOICES, IDEA_ROUNDS
from projectors.read_models.matching.lessons_done import LESSONS_DONE
from projectors.read_models.matching.matching_profiles import MATCHING_PROFILES
from projectors.read_models.matching.programs import PROGRAMS
from projectors.read_models.networks.network_connections import NETWORK_CONNECTIONS
from projectors.read_models.networks.network_imports import NETWORK_IMPORTS
from projectors.read_models.notifications.alerts import ALERT_DELIVERIES, ALERT_RULES, ALERTS
from projectors.read_models.notifications.notification_choices import NOTIFICATION_CHOICES
from projectors.read_models.notifications.webhooks import WEBHOOKS
from projectors.read_models.operations.activity import ACTIVITY
from projectors.read_models.partners.partner_requests import PARTNER_REQUESTS
from projectors.read_models.partners.partner_terms import PARTNER_TERMS
from projectors.read_models.partners.partners import PARTNERS
from projectors.read_models.publishing.site_releases import SITE_RELEASES
from projectors.read_models.publishing.site_subscriptions import SITE_SUBSCRIPTIONS
from projectors.read_models.publishing.site_versions import SITE_VERSIONS
from projectors.read_models.publishing.sites import SITES
from projectors.read_models.social.social_channel_figures import SOCIAL_CHANNEL_FIGURES
from projectors.read_models.social.social_channels import SOCIAL_CHANNELS
from projectors.read_models.social.social_post_figures import SOCIAL_POST_FIGURES
from projectors.read_models.social.social_posts import SOCIAL_POSTS
from projectors.read_models.sql.pinned_charts import PINNED_CHARTS
from projectors.read_models.sql.saved_queries import QUERY_VERSIONS, SAVED_QUERIES
from projectors.read_models.websites.event_expiries import EVENT_EXPIRIES
from projectors.read_models.websites.retention import RETENTION
from projectors.read_models.websites.traffic_rules import TRAFFIC_RULES
from projectors.read_models.websites.website_keys import WEBSITE_KEYS
from projectors.read_models.websites.website_zones import WEBSITE_ZONES
from projectors.read_models.websites.websites import WEBSITES
from projectors.rollups import (
    conversion_rows,
    cost_rows,
    event_rows,
    event_rules,
    expired_events,
    forgotten,
    refusal_rows,
    report_rows,
)
from projectors.rollups.conversion_events import CONVERSION_EVENTS
from projectors.rollups.conversion_reports import CONVERSION_REPORTS
from projectors.rollups.cost_changes import COST_CHANGES
from projectors.rollups.country_15m import COUNTRIES
from projectors.rollups.delivery_minute import DELIVERY
from projectors.rollups.duplicates import DUPLICATES
from projectors.rollups.event_days import EVENT_DAYS
from projectors.rollups.events_raw import EVENTS
from projectors.rollups.partner_15m import PARTNERS as PARTNER_ROLLUP
from projectors.rollups.recent_events import RECENT
from projectors.rollups.refusals import REFUSALS
from projectors.rollups.traffic_15m import TRAFFIC
from projectors.rollups.visitors_15m import VISITORS
from schemas.base import DomainEvent
from schemas.events import accounts, costs, domains, leads, notifications, operations, partners, social, websites
from schemas.topics import CLICKS, DOMAIN, REJECTED
from schemas.topics import CONVERSIONS as REPORTED

EVENTS_PROJECTION: Final = ClickHouseProjection(
    name=EVENTS.name,
    version=EVENTS.version,
    main=EVENTS,
    others=(DUPLICATES,),
    rollups=(TRAFFIC, PARTNER_ROLLUP, COUNTRIES, VISITORS, DELIVERY, RECENT, EVENT_DAYS, CONVERSION_EVENTS),
    topics=(CLICKS, DOMAIN),
    transforms={CLICKS.name: event_rows.to_rows, DOMAIN.name: conversion_rows.to_rows},
    deduplicated_topics=frozenset({CLICKS.name}),
    parameters=event_rules.read_parameters,
    parse_parameters=event_rules.parse_parameters,
    lacking=expired_events.read,
)

REFUSALS_PROJECTION: Final = ClickHouseProjection(
    name=REFUSALS.name,
    version=REFUSALS.version,
    main=REFUSALS,
    topics=(REJECTED,),
    transforms={REJECTED.name: refusal_rows.to_rows},
    deduplicated_topics=frozenset({REJECTED.name}),
    parameters=forgotten.read_refusals,
    parse_parameters=refusal_rows.parse_parameters,
)

REPORTS_PROJECTION: Final = ClickHouseProjection(
    name=CONVERSION_REPORTS.name,
    version=CONVERSION_REPORTS.version,
    main=CONVERSION_REPORTS,
    topics=(REPORTED,),
    transforms={REPORTED.name: report_rows.to_rows},
    deduplicated_topics=frozenset({REPORTED.name}),
)

COSTS_PROJECTION: Final = ClickHouseProjection(
    name=COST_CHANGES.name,
    version=COST_CHANGES.version,
    main=COST_CHANGES,
    topics=(DOMAIN,),
    transforms={DOMAIN.name: cost_rows.to_rows},
)

REGISTRY: Final = Registry(
    clickhouse=(EVENTS_PROJECTION, REFUSALS_PROJECTION, REPORTS_PROJECTION, COSTS_PROJECTION),
    postgres=(
        ACCOUNTS,
        ACCOUNT_DETAILS,
        INVITES,
        INVITE_JOINS,
        WEBSITES,
        WEBSITE_KEYS,
        WEBSITE_ZONES,
        TRAFFIC_RULES,
        VISITOR_ERASURES,
        RETENTION,
        EVENT_EXPIRIES,
        ANNOTATIONS,
        IMPORTS,
        SAVED_VIEWS,
        REPORTS,
        DEFAULT_VIEWS,
        CUSTOM_DOMAINS,
        PARTNERS,
        PARTNER_TERMS,
        PARTNER_REQUESTS,
        LINKS,
        LINK_CHANGES,
        LINK_BULKS,
        LINK_BULK_OUTCOMES,
        NETWORK_IMPORTS,
        NETWORK_CONNECTIONS,
        SITES,
        SITE_VERSIONS,
        SITE_RELEASES,
        SITE_SUBSCRIPTIONS,
        CONVERSIONS,
        CONVERSION_STEPS,
        CONVERSION_DECISIONS,
        STATEMENT_MONTHS,
        RECONCILED_SALES,
        ACCEPTED_MONTHS,
        PAYOUTS,
        PAYOUT_STEPS,
        COSTS,
        COST_IMPORTS,
        DESTINATIONS,
        ACTIVITY,
        EXCHANGE_RATES,
        SUBSCRIPTIONS,
        EARLY_ACCESS,
        INQUIRIES,
        INQUIRY_STEPS,
        PROGRAMS,
        MATCHING_PROFILES,
        IDEA_ROUNDS,
        IDEA_CHOICES,
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
        DEAL_SETTINGS,
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
        SAVED_QUERIES,
        QUERY_VERSIONS,
        SOCIAL_CHANNELS,
        SOCIAL_CHANNEL_FIGURES,
        SOCIAL_POSTS,
        SOCIAL_POST_FIGURES,
        PINNED_CHARTS,
        ALERT_RULES,
        ALERTS,
        ALERT_DELIVERIES,
        WEBHOOKS,
    ),
)

IGNORED: Final[frozenset[type[DomainEvent]]] = frozenset(
    {
        accounts.EmailClaimed,  # guards uniqueness inside the event store
        accounts.EmailReleased,
        accounts.SessionsEnded,  # sessions are kept in `accounts.session`
        accounts.SignedIn,
        accounts.SignedOut,
        accounts.SignInLinked,  # links are kept in `accounts.linked_sign_in`
        accounts.SignInUnlinked,
        costs.CostImportBooked,  # rows of `cost_changes`; the import itself is shown
        domains.HostClaimed,  # guards uniqueness inside the event store
        domains.HostReleased,
        leads.EarlyAccessPlaceFreed,  # guards the number of places inside the event store
        leads.EarlyAccessPlaceTaken,
        notifications.AdminActed,  # a notification follows from it
        notifications.WebhookSecretRotated,  # secrets are kept in `notifications.webhook_secret`
        operations.ReferenceRatesMissed,  # a notification follows from it; `operations.rate_source` has the last check
        operations.AuditTrailAnchored,  # the audit compares it with the trail itself
        partners.SlugClaimed,
        partners.SlugReleased,
        social.SocialChannelConnected,  # the query service shows the connection itself
        social.SocialChannelDisconnected,
        websites.ClaimsUnusual,  # a notification follows from it
        websites.ReportsUnread,  # likewise
    }
)
"""Decided events that no projection shows; a test holds that every other one is handled somewhere."""
