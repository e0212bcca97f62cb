"""What people without an account are told by mail, and the answers to their inquiries."""

from __future__ import annotations

from dataclasses import dataclass

from infra import PRODUCT_NAME
from infra.mail import Mail


@dataclass(frozen=True, slots=True)
class Letterhead:
    """`app_url`: where the links of a mail lead."""

    app_url: str

    def confirm_subscription(self, to: str, code: str, stop_token: str) -> Mail:
        text = (
            f"Somebody, probably you, wants the {PRODUCT_NAME} newsletter to be sent to this address. Please confirm"
            f" that you do:\n\n{self.app_url}/newsletter/confirm#code={code}\n\n"
            "The link works once, for one week. If you did not ask for this, you need not do anything: without your"
            " confirmation nothing is sent.\n"
        )
        return Mail(
            to,
            f"Confirm your subscription to the {PRODUCT_NAME} newsletter",
            text,
            "newsletter_confirm",
            unsubscribe_url=self.stop_url(stop_token),
        )

    def early_access_place(self, to: str, place: int, of: int) -> Mail:
        text = (
            f"You have place {place} of {of} in the early access to {PRODUCT_NAME}, free of charge. We'll send you an"
            " invite as soon as it opens; you need not do anything until then.\n\n"
            "If you did not ask for this, answer this mail and the place goes to somebody else.\n"
        )
        return Mail(to, f"You're on the list: {PRODUCT_NAME} early access", text, "early_access")

    def early_access_waiting(self, to: str) -> Mail:
        text = (
            f"All places of the early access to {PRODUCT_NAME} are taken right now, so you are on the waiting list. We"
            " write as soon as a place is yours.\n\nIf you did not ask for this, you need not do anything.\n"
        )
        return Mail(to, f"You're on the waiting list: {PRODUCT_NAME} early access", text, "early_access")

    def early_access_invite(self, to: str, code: str) -> Mail:
        text = (
            f"Early access to {PRODUCT_NAME} is open for you. Create your account with this invite code:\n\n"
            f"    {code}\n\n{self.app_url}/login?tab=register&invite={code}\n\nIt is for one account, for 30 days.\n"
        )
        return Mail(to, f"Your invite to {PRODUCT_NAME}", text, "early_access_invite")

    def inquiry_received(self, to: str, first_name: str) -> Mail:
        text = (
            f"Hello {first_name},\n\nthank you for your inquiry. We have it, and will get back to you within 24 hours."
            f"\n\n{PRODUCT_NAME}\n{self.app_url}\n"
        )
        return Mail(to, f"We have your inquiry: {PRODUCT_NAME}", text, "inquiry_received")

    def inquiry_answer(self, to: str, text: str) -> Mail:
        return Mail(to, f"Your inquiry at {PRODUCT_NAME}", f"{text.rstrip()}\n", "inquiry_answer")

    def stop_url(self, token: str) -> str:
        """The address that a mail program may POST to (RFC 8058)."""
        return f"{self.app_url}/api/public/newsletter/stop/{token}"
