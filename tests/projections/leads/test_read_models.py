"""Leads as read models: given decided events, then these rows, and nothing of a person after erasure."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from schemas.base import ERASED, DomainEvent, personal_fields
from schemas.events import leads
from tests.support.projection_bench import ProjectionBench, moment

ADMIN = UUID("0190a1b2-0000-7000-8000-0000000000e1")


def test_inquiries_subscriptions_and_early_access(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    keyring = Keyring(keys, projecting.settings)
    inquiry, subscription, signup = uuid4(), uuid4(), uuid4()
    versions: dict[UUID, int] = {}

    def decide(aggregate: UUID, event_class: type[DomainEvent], **values: Any) -> None:
        version = versions[aggregate] = versions.get(aggregate, 0) + 1
        for name in personal_fields(event_class):
            values[name] = keyring.encrypt(aggregate, name, values[name])
        at = moment() + timedelta(minutes=version)
        made = event_class(originator_id=aggregate, originator_version=version, timestamp=at, actor_id=ADMIN, **values)
        projecting.decide(made)

    who = {"first_name": "Embla", "last_name": "J", "email": "embla@example.com", "message": "Wool"}
    decide(inquiry, leads.InquiryReceived, **who, service_interest="Growth Acceleration")
    decide(inquiry, leads.InquiryAssigned, account_id=ADMIN)
    decide(inquiry, leads.InquiryNoted, text="Big shop.")
    decide(inquiry, leads.InquiryAnswered, text="On Monday.")
    decide(inquiry, leads.InquiryMoved, status="answered")
    decide(subscription, leads.SubscriptionRequested, source="home_page")
    decide(subscription, leads.SubscriptionConfirmed)
    decide(subscription, leads.SubscriptionEnded, way="page")
    decide(subscription, leads.SubscriptionRequested, source="blog")
    decide(signup, leads.EarlyAccessJoined, place=None)
    decide(signup, leads.EarlyAccessPromoted, place=4)
    decide(signup, leads.EarlyAccessInvited, invite_id=uuid4())
    shown = (
        "select first_name, email, message, service_interest, status, assigned_to, answered_at is not null, erased"
        " from read.inquiries where id = %s"
    )
    steps = "select kind, text, actor_id = %s from read.inquiry_steps where inquiry_id = %s order by number"
    placed = "select place, invited_at is not null, left_at is not null from read.early_access where id = %s"
    with projecting.running("inquiries", "inquiry_steps", "subscriptions", "early_access"):
        for name in ("inquiries", "inquiry_steps", "subscriptions", "early_access"):
            projecting.wait(name)
        row = ("Embla", "embla@example.com", "Wool", "Growth Acceleration", "answered", ADMIN, True, False)
        assert projecting.sql(shown, inquiry) == [row]
        done = [("assigned", str(ADMIN)), ("note", "Big shop."), ("answer", "On Monday."), ("status", "answered")]
        assert projecting.sql(steps, ADMIN, inquiry) == [(*one, True) for one in done]
        subscribed = "select state, source, confirmed_at, ended_at from read.subscriptions where id = %s"
        assert projecting.sql(subscribed, subscription) == [("pending", "blog", None, None)]
        assert projecting.sql(placed, signup) == [(4, True, False)]
        keyring.erase(inquiry)
        decide(inquiry, leads.InquiryErased)
        decide(signup, leads.EarlyAccessLeft)
        for name in ("inquiries", "inquiry_steps", "early_access"):
            projecting.wait(name)
        assert projecting.sql(shown, inquiry) == [
            (ERASED, ERASED, ERASED, "Growth Acceleration", "answered", ADMIN, True, True)
        ]
        texts = [text for _, text, _ in projecting.sql(steps, ADMIN, inquiry)]
        assert texts == [ERASED] * 4 + [""]
        assert projecting.sql(placed, signup) == [(None, True, True)]
    keys.close()
