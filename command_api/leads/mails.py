"""Mails to people without an account, and the answers to their inquiries."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent
from uuid import UUID

from command_api.leads.inquiries import InquiryAggregate
from infra import PRODUCT_NAME
from infra.domain import contacts
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail


@dataclass(frozen=True, slots=True)
class LeadMails:
    """The mails to leads. Text that visitors typed into a form is only in the answer that an admin wrote: otherwise
    anyone could make Althing send their text to any address."""

    settings: Settings

    @property
    def app_url(self) -> str:
        return self.settings.app_url

    def confirm_subscription(self, to: str, code: str, contact: UUID) -> Mail:
        text = (
            f"Someone, probably you, wants the {PRODUCT_NAME} newsletter to be sent to this address. Please confirm"
            f" that you do:\n\n{self.app_url}/newsletter/confirm#code={code}\n\n"
            "The link works once, for one week. If you did not request this, ignore this email: without your"
            " confirmation nothing is sent.\n"
        )
        return self._of_list(
            to, f"Confirm your subscription to the {PRODUCT_NAME} newsletter", text, contact, "confirm"
        )

    def subscribed(self, to: str, contact: UUID) -> Mail:
        text = (
            f"You've been subscribed to the {PRODUCT_NAME} newsletter. You can unsubscribe at any time, and your"
            f" address is then deleted:\n\n{contacts.unsubscribe_page(self.settings, 'newsletter', contact)}\n"
        )
        return self._of_list(to, f"You get the {PRODUCT_NAME} newsletter", text, contact, "welcome")

    def _of_list(self, to: str, subject: str, text: str, contact: UUID, kind: str) -> Mail:
        stop = contacts.one_click_url(self.settings, contact)
        return Mail(to, subject, text, f"newsletter_{kind}", unsubscribe_url=stop, about=contact)

    def early_access_confirm(self, to: str, contact: UUID, code: str) -> Mail:
        text = (
            f"Someone, probably you, signed this address up for early access to {PRODUCT_NAME}, free of charge. Please"
            f" confirm it:\n\n{self.app_url}/early-access/confirm#code={code}\n\n"
            "The link works once, for one day. You then get the next free place, or a place in line; we tell you"
            " which.\n\nIf you did not request this, ignore this email, or delete your address at once:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'early_access', contact)}\n"
        )
        return Mail(to, f"Confirm your address: {PRODUCT_NAME} early access", text, "early_access", about=contact)

    def early_access_again(self, to: str, hours: int, contact: UUID, code: str) -> Mail:
        """Returns the mail for a repeated signup before the address is confirmed: the previous mail may be lost."""
        left = "1 more hour" if hours == 1 else f"{hours} more hours"
        text = (
            f"You asked again for early access to {PRODUCT_NAME}. Please confirm your address within {left}:\n\n"
            f"{self.app_url}/early-access/confirm#code={code}\n\n"
            "You then get the next free place, or a place in line. Without your confirmation your address is deleted."
            " If you did not request this, delete it at once:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'early_access', contact)}\n"
        )
        return Mail(to, f"Confirm your address: {PRODUCT_NAME} early access", text, "early_access", about=contact)

    def early_access_place(self, to: str, place: int, of: int, contact: UUID) -> Mail:
        text = (
            f"You have place {place} of {of} in the early access to {PRODUCT_NAME}, free of charge. We'll send you an"
            " invite as soon as it opens; you don't need to do anything until then.\n\n"
            "If you no longer need the place, release it for someone else:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'early_access', contact)}\n"
        )
        return Mail(to, f"You're on the list: {PRODUCT_NAME} early access", text, "early_access", about=contact)

    def early_access_waiting(self, to: str, line: int, contact: UUID) -> Mail:
        text = (
            f"All places in the early access to {PRODUCT_NAME} are taken right now, so you are on the waiting list, as"
            f" number {line}. A place that becomes free goes to the first in line; we write to you then.\n\n"
            "If you no longer want to wait, delete your address:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'early_access', contact)}\n"
        )
        return Mail(to, f"You're on the waiting list: {PRODUCT_NAME} early access", text, "early_access", about=contact)

    def early_access_invite(self, to: str, code: str, contact: UUID) -> Mail:
        text = (
            f"Early access to {PRODUCT_NAME} is open for you. Create your account with this invite code:\n\n"
            f"    {code}\n\n{self.app_url}/login?tab=create-account&invite={code}\n\n"
            "It is for one account, for 30 days.\n\n"
            "If you no longer want it, release your place for someone else; your address is then deleted:\n\n"
            f"{contacts.unsubscribe_page(self.settings, 'early_access', contact)}\n"
        )
        return Mail(to, f"Your invite to {PRODUCT_NAME}", text, "early_access_invite", about=contact)

    def inquiry_received(self, to: str, inquiry_id: UUID) -> Mail:
        text = (
            f"Hello,\n\nthank you for your inquiry. We have received it and will get back to you within 24 hours."
            f"\n{self._where_to_answer()}\n{PRODUCT_NAME}\n{self.app_url}\n"
        )
        return Mail(to, f"Your inquiry at {PRODUCT_NAME}", text, "inquiry_received", about=inquiry_id)

    def inquiry_answer(self, inquiry: InquiryAggregate, text: str) -> Mail:
        """Returns the admin's answer, with the inquiry quoted below."""
        quoted = indent(inquiry.message, "> ", lambda _: True)
        text = f"{text.rstrip()}\n{self._where_to_answer()}\nYou wrote:\n\n{quoted}\n"
        subject = f"Re: Your inquiry at {PRODUCT_NAME}"
        return Mail(inquiry.email, subject, text, "inquiry_answer", about=inquiry.id, about_step=inquiry.version + 1)

    def _where_to_answer(self) -> str:
        """Returns where to answer: nothing with `ALTHING_CONTACT_EMAIL`, which gets the answers; without it no one
        reads them."""
        if self.settings.contact_email is not None:
            return ""
        return f"\nReplies to this email are not read. Write here: {self.app_url}/contact\n"
