"""The second factor: codes of an authenticator (TOTP), and ten recovery codes for when it is lost.

The secret lies sealed in `auth.second_factor`. A new one counts after its first right code. A code works once: whoever
moves `last_timecode` forward has used it. A recovery code is a digit, which finds its row, and 80 random bits, which
are kept as an argon2 hash.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import pyotp
import segno
from psycopg import Connection, Cursor
from pyotp.exceptions import OTPVerificationError

from command_api.accounts.passwords import Passwords
from infra import PRODUCT_NAME
from infra.identity import Pool
from infra.sealing import derived_key, seal, unseal
from infra.settings import Settings

RECOVERY_CODES: Final = 10
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")
_PURPOSE: Final = "second-factor"


@dataclass(frozen=True, slots=True)
class SetUp:
    """What an authenticator needs. `qr_code` is an SVG image as a `data:` URI."""

    secret: str
    uri: str
    qr_code: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A secret that waits, as it is kept, and the time code of a right code of it."""

    sealed: str
    timecode: int


class SecondFactors:
    """Makes and checks them. Thread-safe."""

    def __init__(self, pool: Pool, settings: Settings, passwords: Passwords) -> None:
        self._pool = pool
        self._passwords = passwords
        self._key = derived_key(settings, _PURPOSE)

    def begin(self, cursor: Cursor[Any] | Connection[Any], account_id: UUID, email: str) -> SetUp:
        """A new secret that waits for its first right code, in the caller's transaction."""
        secret = pyotp.random_base32()
        cursor.execute(
            "INSERT INTO auth.second_factor (account_id, pending_sealed, pending_at) VALUES (%s, %s, now())"
            " ON CONFLICT (account_id) DO UPDATE SET pending_sealed = excluded.pending_sealed, pending_at = now()",
            (account_id, self._seal(account_id, secret)),
        )
        uri = pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=PRODUCT_NAME)
        return SetUp(secret, uri, segno.make(uri, micro=False).svg_data_uri(scale=5, border=4, light="#fff"))

    def confirms(self, account_id: UUID, code: str) -> Confirmed | None:
        """What a right code of the secret that waits confirms; none: it is wrong, or nothing waits."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT pending_sealed FROM auth.second_factor WHERE account_id = %s"
                " AND pending_at > now() - interval '1 day'",
                (account_id,),
            ).fetchone()
        timecode = _timecode(self._unseal(account_id, row[0]), code) if row and row[0] else None
        return Confirmed(row[0], timecode) if row and timecode is not None else None

    def is_right(self, account_id: UUID, code: str) -> bool:
        """Whether the code is right and was not used before; from now on it is."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT secret_sealed FROM auth.second_factor WHERE account_id = %s", (account_id,)
            ).fetchone()
            timecode = _timecode(self._unseal(account_id, row[0]), code) if row and row[0] else None
            if timecode is None:
                return False
            won = connection.execute(
                "UPDATE auth.second_factor SET last_timecode = %s WHERE account_id = %s AND last_timecode < %s"
                " RETURNING 1",
                (timecode, account_id, timecode),
            ).fetchone()
        return won is not None

    def recovery_code(self, account_id: UUID, text: str) -> int | None:
        """The number of an unused recovery code that is right. `spend` makes it void."""
        plain = "".join(text.split()).replace("-", "").upper().translate(_READ_AS)
        if len(plain) != 17 or not plain[0].isdecimal():
            return None
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT code_hash FROM auth.recovery_code WHERE account_id = %s AND number = %s AND used_at IS NULL",
                (account_id, int(plain[0])),
            ).fetchone()
        return int(plain[0]) if row and self._passwords.matches(row[0], plain) else None

    def new_recovery_codes(self) -> dict[str, str]:
        """Ten codes as they are shown, each with the hash that is kept."""
        plain = [f"{number}{_random(16)}" for number in range(RECOVERY_CODES)]
        return {f"{one[0]}-{one[1:5]}-{one[5:9]}-{one[9:13]}-{one[13:]}": self._passwords.hash(one) for one in plain}

    def _seal(self, account_id: UUID, secret: str) -> str:
        return seal(self._key, secret, f"{_PURPOSE}:{account_id}")

    def _unseal(self, account_id: UUID, sealed: str) -> str:
        return unseal(self._key, sealed, f"{_PURPOSE}:{account_id}")


def enable(cursor: Cursor[Any] | Connection[Any], account_id: UUID, confirmed: Confirmed) -> bool:
    """Puts the confirmed secret into use; its first code is used. False: another was first, or another waits now."""
    return _won(
        cursor.execute(
            "UPDATE auth.second_factor SET secret_sealed = pending_sealed, pending_sealed = NULL, pending_at = NULL,"
            " last_timecode = %s WHERE account_id = %s AND pending_sealed = %s RETURNING 1",
            (confirmed.timecode, account_id, confirmed.sealed),
        )
    )


def disable(cursor: Cursor[Any] | Connection[Any], account_id: UUID) -> None:
    """Forgets secrets and recovery codes."""
    cursor.execute("DELETE FROM auth.second_factor WHERE account_id = %s", (account_id,))
    cursor.execute("DELETE FROM auth.recovery_code WHERE account_id = %s", (account_id,))


def keep_recovery_codes(cursor: Cursor[Any] | Connection[Any], account_id: UUID, codes: dict[str, str]) -> None:
    """Keeps the hashes of new codes in place of the old ones."""
    cursor.execute("DELETE FROM auth.recovery_code WHERE account_id = %s", (account_id,))
    for shown, code_hash in codes.items():
        cursor.execute(
            "INSERT INTO auth.recovery_code (account_id, number, code_hash) VALUES (%s, %s, %s)",
            (account_id, int(shown[0]), code_hash),
        )


def spend(cursor: Cursor[Any] | Connection[Any], account_id: UUID, number: int) -> bool:
    """Makes a recovery code void. False: another was first."""
    return _won(
        cursor.execute(
            "UPDATE auth.recovery_code SET used_at = now() WHERE account_id = %s AND number = %s AND used_at IS NULL"
            " RETURNING 1",
            (account_id, number),
        )
    )


def _won(cursor: Cursor[Any]) -> bool:
    return cursor.fetchone() is not None


def _timecode(secret: str, code: str) -> int | None:
    if len(code) != 6 or not (code.isascii() and code.isdecimal()):
        return None
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, valid_window=1)
    except OTPVerificationError:
        return None


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
