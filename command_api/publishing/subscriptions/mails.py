"""Mails to subscribers of a site. They name the site and where it is; nothing that a visitor typed is in them.

Anybody may enter anybody's address in a form, so the name of a site must not carry a message: one in which mail
programs would find a link is left out; the site's address is shown instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from infra import PRODUCT_NAME
from infra.domain import contacts
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail

_LINK: Final = re.compile(r"//|@|\w[.\u3002\uff0e\uff61]\w")


@dataclass(frozen=True, slots=True)
class SubscriptionMails:
    """The emails to the subscribers of one site: `site`, its name; `address`, where visitors find it."""

    settings: Settings
    site: str
    address: str

    def confirm(self, to: str, code: str, contact: UUID) -> Mail:
        text = (
            f"Someone, probably you, wants the newsletter of {self._named} to be sent to this address. Please confirm"
            f" that you do:\n\n{self.settings.app_url}/site-newsletter/confirm#code={code}\n\n"
            "The link works once, for one week. If you did not request this, ignore this email: without your"
            f" confirmation nothing is sent.\n\n{self._sender}"
        )
        return self._of(to, f"Confirm your subscription to {self._name}", text, contact, "confirm")

    def subscribed(self, to: str, contact: UUID) -> Mail:
        text = (
            f"You've been subscribed to the newsletter of {self._named}. You can unsubscribe at any time, and your"
            " address is then deleted:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'site_newsletter', contact)}\n\n{self._sender}"
        )
        return self._of(to, f"You get the newsletter of {self._name}", text, contact, "welcome")

    @property
    def _named(self) -> str:
        return f"{self._name} ({self.address})"

    @property
    def _name(self) -> str:
        return self.address.partition("//")[2].rstrip("/") if _LINK.search(self.site) else self.site

    @property
    def _sender(self) -> str:
        return f"{PRODUCT_NAME} sends this email for the site. It is not by {PRODUCT_NAME}.\n"

    def _of(self, to: str, subject: str, text: str, contact: UUID, kind: str) -> Mail:
        stop = contacts.one_click_url(self.settings, contact, "site_newsletter")
        return Mail(to, subject, text, f"site_newsletter_{kind}", unsubscribe_url=stop, about=contact)
