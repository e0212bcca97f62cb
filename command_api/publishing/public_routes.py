"""`/api/public/site-newsletter/*`: what subscribers of sites do with the links of their emails.

Forms do not come here: `ingest` takes them, where the sites are.
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path

from command_api.kernel.http import Confirmation
from command_api.leads import newsletter
from command_api.leads.public_routes import UNSUBSCRIBED, VisitorDep
from command_api.leads.schemas import MailedLink
from command_api.publishing.subscriptions import commands
from command_api.publishing.subscriptions import model as subscriptions
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, routes_of

router = APIRouter(prefix="/api/public", tags=["public"], route_class=routes_of(PUBLIC))
STOP_PATH: Final = "/api/public/site-newsletter/stop/"
"""Mail programs POST a form to it."""


@router.post("/site-newsletter/confirm", response_model=Confirmation)
def confirm_site_subscription(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """`code`: from the emailed link; works once."""
    contact = visitor.confirmed("site_newsletter", body.code, subscriptions.link_invalid())
    return visitor.send(commands.ConfirmSiteSubscription(contact), "You've been subscribed to the newsletter.")


@router.post("/site-newsletter/unsubscribe", response_model=Confirmation)
def unsubscribe_from_site(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """`code`: from an email's unsubscribe link. The address is deleted."""
    contact = visitor.unsubscribed("site_newsletter", body.code, newsletter.link_incomplete())
    return visitor.send(commands.EndSiteSubscription(contact, "page"), UNSUBSCRIBED)


@router.post("/site-newsletter/stop/{token}", response_model=Confirmation)
def stop_site_newsletter(token: Annotated[str, Path(max_length=200)], visitor: VisitorDep) -> Confirmation:
    """One click in a mail program (RFC 8058): a form, from a server, which the token in the address speaks for."""
    otherwise = Problem(404, "not_found", "There is nothing at this address.")
    contact = visitor.unsubscribed("site_newsletter", token, otherwise)
    return visitor.send(commands.EndSiteSubscription(contact, "one_click"), UNSUBSCRIBED)
