"""Second factor: TOTP codes of an authenticator, and ten recovery codes.

The secret is stored encrypted in `accounts.second_factor`. A new secret becomes active with its first correct code. A
code works once: using it advances `last_timecode`. A recovery code consists of a digit, which selects its row, and 80
random bits, which are stored as an argon2 hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import pyotp
import segno
from psycopg import Connection, Cursor
from pyotp.exceptions import OTPVerificationError

from command_api.accounts.codes import normalized, random_digits
from command_api.accounts.passwords import Passwords
from command_api.kernel.container import Container
from infra import PRODUCT_NAME
from infra.kernel.security.encryption import decrypt, derived_key, encrypt

RECOVERY_CODES: Final = 10
PENDING_LIFE: Final = timedelta(days=1)
_PURPOSE: Final = "second-factor"


@dataclass(frozen=True, slots=True)
class SetUp:
    """Setup data of a new authenticator. `qr_code` is an SVG image as a `data:` URI, `sealed` the encrypted secret."""

    secret: str
    uri: str
    qr_code: str
    sealed: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A pending encrypted secret and the time code of a correct code."""

    sealed: str
    timecode: int


class RecoveryCodeSpent(Exception):
    """The recovery code was consumed by a concurrent request."""


class SecondFactors:
    """Creates and verifies second factors. Thread-safe."""

    def __init__(self, container: Container, passwords: Passwords) -> None:
        self._container = container
        self._passwords = passwords
        self._key = derived_key(container.settings, _PURPOSE)

    def new_secret(self, account_id: UUID, email: str) -> SetUp:
        """Returns a new secret, for `save_pending_secret`."""
        secret = pyotp.random_base32()
        uri = pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=PRODUCT_NAME)
        qr_code = segno.make(uri, micro=False).svg_data_uri(scale=5, border=4, light="#fff")
        return SetUp(secret, uri, qr_code, encrypt(self._key, secret, f"{_PURPOSE}:{account_id}"))

    def confirm(self, account_id: UUID, code: str) -> Confirmed | None:
        """Verifies a code of the pending secret; `None` if it is wrong or nothing is pending."""
        pending = "SELECT pending_sealed FROM accounts.second_factor WHERE account_id = %s AND pending_at > now() - %s"
        sealed, timecode = self._check(account_id, code, self._container.select(pending, account_id, PENDING_LIFE))
        return Confirmed(sealed, timecode) if timecode is not None else None

    def is_valid_code(self, account_id: UUID, code: str) -> bool:
        """Returns whether the code is correct and unused; consumes it."""
        active = "SELECT secret_sealed FROM accounts.second_factor WHERE account_id = %s"
        _, timecode = self._check(account_id, code, self._container.select(active, account_id))
        use = "UPDATE accounts.second_factor SET last_timecode = %s WHERE account_id = %s AND last_timecode < %s"
        return timecode is not None and self._container.execute(use, timecode, account_id, timecode) == 1

    def recovery_code(self, account_id: UUID, text: str) -> int | None:
        """Returns the number of a correct unused recovery code, for `consume_recovery_code`."""
        plain = normalized(text)
        if len(plain) != 17 or not plain[0].isdecimal():
            return None
        unused = (
            "SELECT code_hash FROM accounts.recovery_code WHERE account_id = %s AND number = %s AND used_at IS NULL"
        )
        rows = self._container.select(unused, account_id, int(plain[0]))
        return int(plain[0]) if rows and self._passwords.matches(rows[0][0], plain) else None

    def new_recovery_codes(self) -> dict[str, str]:
        """Returns ten new codes with their hashes, in the order of their numbers."""
        plain = [f"{number}{random_digits(16)}" for number in range(RECOVERY_CODES)]
        return {f"{one[0]}-{one[1:5]}-{one[5:9]}-{one[9:13]}-{one[13:]}": self._passwords.hash(one) for one in plain}

    def _check(self, account_id: UUID, code: str, rows: Sequence[tuple[Any, ...]]) -> tuple[str, int | None]:
        """Returns the encrypted secret of the row, and the time code if `code` is correct."""
        if not rows or not rows[0][0]:
            return "", None
        [(sealed,)] = rows
        return sealed, _timecode(decrypt(self._key, sealed, f"{_PURPOSE}:{account_id}"), code)


def save_pending_secret(cursor: Cursor[Any] | Connection[Any], account_id: UUID, sealed: str) -> None:
    """Writes a secret that becomes active with its first correct code."""
    cursor.execute(
        "INSERT INTO accounts.second_factor (account_id, pending_sealed, pending_at) VALUES (%s, %s, now())"
        " ON CONFLICT (account_id) DO UPDATE SET pending_sealed = excluded.pending_sealed, pending_at = now()",
        (account_id, sealed),
    )


def enable(cursor: Cursor[Any] | Connection[Any], account_id: UUID, confirmed: Confirmed) -> bool:
    """Activates the confirmed secret and consumes its code. False after a concurrent change."""
    enabled = cursor.execute(
        "UPDATE accounts.second_factor SET secret_sealed = pending_sealed, pending_sealed = NULL, pending_at = NULL,"
        " last_timecode = %s WHERE account_id = %s AND pending_sealed = %s",
        (confirmed.timecode, account_id, confirmed.sealed),
    )
    return enabled.rowcount == 1


def disable(cursor: Cursor[Any] | Connection[Any], account_id: UUID) -> None:
    """Deletes secrets and recovery codes."""
    cursor.execute("DELETE FROM accounts.second_factor WHERE account_id = %s", (account_id,))
    cursor.execute("DELETE FROM accounts.recovery_code WHERE account_id = %s", (account_id,))


def save_recovery_codes(cursor: Cursor[Any] | Connection[Any], account_id: UUID, hashes: Sequence[str]) -> None:
    """Replaces the hashes of the recovery codes; a hash's place is its number."""
    cursor.execute("DELETE FROM accounts.recovery_code WHERE account_id = %s", (account_id,))
    for number, code_hash in enumerate(hashes):
        cursor.execute(
            "INSERT INTO accounts.recovery_code (account_id, number, code_hash) VALUES (%s, %s, %s)",
            (account_id, number, code_hash),
        )


def consume_recovery_code(cursor: Cursor[Any] | Connection[Any], account_id: UUID, number: int) -> bool:
    """Consumes a recovery code. False if it was used concurrently."""
    used = "UPDATE accounts.recovery_code SET used_at = now() WHERE account_id = %s AND number = %s AND used_at IS NULL"
    return cursor.execute(used, (account_id, number)).rowcount == 1


def _timecode(secret: str, code: str) -> int | None:
    if len(code) != 6 or not (code.isascii() and code.isdecimal()):
        return None
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, valid_window=1)
    except OTPVerificationError:
        return None
