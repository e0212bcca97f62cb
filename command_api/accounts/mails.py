"""Mails to account holders. Codes are in the fragment of a link: browsers do not send that part."""

from __future__ import annotations

from uuid import UUID

from infra import PRODUCT_NAME
from infra.kernel.mail.outbox import Mail
from infra.kernel.text.articles import with_article

_NOT_YOU = "If that was not you, set a new password now ({url}/login) and check your sessions in the account settings."
_IGNORE = "If you did not request this, you can ignore this email."


def password_reset(to: str, account_id: UUID, url: str, code: str) -> Mail:
    text = (
        f"Someone, probably you, wants to set a new password for {PRODUCT_NAME}.\n\n"
        f"{url}/reset-password#code={code}\n\nThe link works once, for one hour. {_IGNORE}\n"
    )
    return Mail(to, f"Set a new {PRODUCT_NAME} password", text, "password_reset", account_id)


def password_changed(to: str, account_id: UUID, url: str) -> Mail:
    text = (
        f"Your {PRODUCT_NAME} password was changed, and you were signed out everywhere else.\n\n"
        f"{_NOT_YOU.format(url=url)}\n"
    )
    return Mail(to, f"Your {PRODUCT_NAME} password was changed", text, "password_changed", account_id)


def confirm_email(to: str, account_id: UUID, url: str, code: str) -> Mail:
    text = (
        f"Please confirm that you want to sign in to {PRODUCT_NAME} with this address.\n\n"
        f"{url}/confirm-email#code={code}\n\nThe link works once, for one day. {_IGNORE}\n"
    )
    return Mail(to, f"Confirm your address for {PRODUCT_NAME}", text, "email_change", account_id)


def guessing_noticed(to: str, account_id: UUID, url: str) -> Mail:
    text = (
        f"Someone entered wrong passwords for your {PRODUCT_NAME} account many times. They are not signed in, and"
        " further attempts are slowed down. You can keep signing in as usual.\n\n"
        f"Use a unique password, and set up two-factor authentication: {url}/account-settings\n\n"
        "You get this email at most once a day.\n"
    )
    return Mail(to, f"Failed sign-in attempts on your {PRODUCT_NAME} account", text, "guessing_noticed", account_id)


def email_change_asked(to: str, account_id: UUID, url: str) -> Mail:
    text = (
        f"Someone who is signed in to your {PRODUCT_NAME} account requested a new email address. It changes once"
        f" the new address is confirmed.\n\n{_NOT_YOU.format(url=url)}\n"
    )
    return Mail(to, f"Your {PRODUCT_NAME} address is about to change", text, "email_change_asked", account_id)


def email_changed(to: str, account_id: UUID, url: str) -> Mail:
    text = (
        f"Your {PRODUCT_NAME} account now has another email address. You can no longer sign in with this one.\n\n"
        f"If that was not you, contact us immediately: {url}/contact\n"
    )
    return Mail(to, f"Your {PRODUCT_NAME} address was changed", text, "email_changed", account_id)


def address_in_use(to: str, account_id: UUID, url: str) -> Mail:
    text = (
        f"Someone, perhaps you, tried to use this address for a new {PRODUCT_NAME} account. You already have one:\n\n"
        f"{url}/login\n\nIf you forgot your password, you can set a new one there. {_IGNORE}\n"
    )
    return Mail(to, f"You already have {with_article(PRODUCT_NAME)} account", text, "address_in_use", account_id)


def two_factor_changed(to: str, account_id: UUID, url: str, *, enabled: bool) -> Mail:
    what = "set up" if enabled else "disabled"
    text = f"Two-factor authentication of your {PRODUCT_NAME} account was {what}.\n\n{_NOT_YOU.format(url=url)}\n"
    return Mail(to, f"Two-factor authentication was {what}", text, "two_factor_changed", account_id)


def sign_in_changed(to: str, account_id: UUID, url: str, provider: str, *, linked: bool) -> Mail:
    what = f"You can {'now' if linked else 'no longer'} sign in to {PRODUCT_NAME} with {provider}"
    return Mail(to, what, f"{what}.\n\n{_NOT_YOU.format(url=url)}\n", "sign_in_changed", account_id)
