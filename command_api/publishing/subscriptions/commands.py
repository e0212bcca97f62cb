"""Commands of subscriptions to the newsletters of sites."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.publishing.subscriptions.model import Way


class HandleForm(Command[None]):
    """Turns a form that ingest stored into a subscription and mails a link that confirms it. `may_mail`: whether the
    mailbox may get one more email; without it the form is dropped."""

    form_id: UUID
    may_mail: bool


class ConfirmSiteSubscription(Command[None]):
    """Confirms the subscription whose mailed link was opened."""

    subscription_id: UUID


class EndSiteSubscription(Command[None]):
    """Ends a subscription by its link and deletes the address; harmless when it has ended."""

    subscription_id: UUID
    way: Way


class RemoveSubscriber(Command[None]):
    """Removes an address from the list of a site of the sender."""

    site_id: UUID
    subscription_id: UUID
