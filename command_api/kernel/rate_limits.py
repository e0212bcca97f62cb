"""Rate limits of the command service (`infra.kernel.security.rate_limits`): those that several contexts use.

Password sign-ins have their own limits in `command_api.accounts.login_attempts`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from infra.kernel.security.rate_limits import Limit as Limit
from infra.kernel.security.rate_limits import attempt as attempt
from infra.kernel.security.rate_limits import consume as consume
from infra.kernel.security.rate_limits import consume_all as consume_all
from infra.kernel.security.rate_limits import refund as refund
from infra.kernel.security.rate_limits import too_many_attempts as too_many_attempts
from infra.kernel.security.rate_limits import try_consume as try_consume
from infra.kernel.security.rate_limits import try_consume_all as try_consume_all
from infra.kernel.security.rate_limits import try_consume_in as try_consume_in
from infra.kernel.security.sessions import Pool

PER_ADDRESS: Final = Limit("address", timedelta(seconds=3), 30)
PER_CODE: Final = Limit("code", timedelta(minutes=6), 10)
"""Second-factor codes, per account and origin (session, known device or address): ten an hour."""
UNKNOWN_DEVICE_CODES: Final = Limit("strange-codes", timedelta(minutes=2), 30)
"""Authenticator codes from unknown devices, per account: a code has only a million values."""
PER_PROOF: Final = Limit("proof", timedelta(seconds=15), 10)
"""Password confirmations of signed-in accounts, per session."""
PER_EMAIL_CHANGE: Final = Limit("new-address", timedelta(minutes=10), 10)
"""Emails to new addresses of an account, per account: prevents mail to arbitrary addresses."""
PER_MAIL: Final = Limit("mail", timedelta(minutes=10), 3)
PER_MAIL_A_DAY: Final = Limit("mail-a-day", timedelta(days=1), 10)
"""Emails that other people can trigger, per recipient address."""
PER_REQUESTER: Final = Limit("forgot", timedelta(minutes=10), 3)
"""Password reset requests, per account and requesting address."""
RESET_MAILS: Final = Limit("reset-mail", timedelta(minutes=10), 6)
"""Reset emails, per account. Above the limit the previous link still works for most of its hour."""
GUESSING_MAIL: Final = Limit("guessing-mail", timedelta(days=1), 1)
"""Emails that notify the owner of guesses, per account."""


def try_consume_mail(pool: Pool, who: str) -> bool:
    """Consumes one email that other people can trigger, if available."""
    return try_consume_all(pool, (PER_MAIL, who), (PER_MAIL_A_DAY, who))
