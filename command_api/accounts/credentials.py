"""What proves that somebody is an account's owner, and how it changes: password, e-mail address, second factor.

Each change needs the password again, and a code if there is a second factor. It ends the account's other sessions and
the website sessions, and voids the links that wait. A forgotten password is set anew by a mailed link, which stands in
for the password alone: a second factor is asked for all the same.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg import Cursor

from command_api.accounts import limits, mails, model
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.desk import Decision, Desk, Proof
from command_api.accounts.second_factor import SetUp, disable, enable, keep_recovery_codes
from command_api.accounts.sessions import end_all
from command_api.decision import Asked, Refused, conflict
from infra.audit_trail import Entry
from infra.client import Client
from infra.identity import Principal
from infra.mail import Mail, queue
from infra.problems import FieldError, Problem
from infra.sealing import derived_key, seal, unseal
from infra.threads import only_waiting
from schemas.base import DomainEvent
from schemas.uuid7 import uuid7

RESET_LIFE: Final = timedelta(hours=1)
EMAIL_LIFE: Final = timedelta(days=1)
FORGOT_TAKES_S: Final = 0.2
RECENT: Final = timedelta(minutes=10)
"""A session that young proves by itself who asks: its sign-in was just now."""


class Credentials:
    """Thread-safe."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._core = desk.core
        self._settings = desk.core.settings
        self._link_key = derived_key(desk.core.settings, "one-time-link")

    def forgot(self, email: str, client: Client) -> None:
        """Mails a link, if there is somebody to mail it to. Does the same work, takes as long, and tells the same, if
        not.

        The mail goes to the account's own address: other spellings find it too, and may be somebody else's.
        """
        began = time.monotonic()
        who = self._desk.email_hash(email)
        limits.charge(self._core.pool, limits.PER_ADDRESS, client.address)
        limits.charge(self._core.pool, limits.PER_ASKER, f"{who}@{client.address}")
        # Above this limit no mail is sent, and nobody is refused: others may have asked, and the last link still works.
        is_mailed = limits.is_free(self._core.pool, limits.RESET_MAILS, who)
        account = self._desk.by_email(email)
        known = account is not None and account.may_sign_in and is_mailed
        account_id = account.id if account is not None and known else uuid7()
        code = secrets.token_urlsafe(32)
        to = account.email if account is not None and known else email
        mail = mails.password_reset(to, account_id, self._settings.app_url, code)
        with self._core.pool.connection() as connection, connection.cursor() as cursor:
            self._keep_link(cursor, "password_reset", code, account_id, RESET_LIFE)
            queue(cursor, self._settings, mail)
            if not known:
                cursor.execute("DELETE FROM ops.mail WHERE account_id = %s", (account_id,))
        self._desk.note(Entry("account.password_forgotten", account_id=account_id if known else None), client)
        # An account's history takes time to read, the longer the longer it is.
        with only_waiting():
            time.sleep(max(0.0, began + FORGOT_TAKES_S - time.monotonic()))

    def reset(self, code: str, password: str, factor: Proof, client: Client) -> int | None:
        """Sets a new password by a mailed link. Raises `Problem` 400 `bad_link`, `weak_password`; 403 `code_needed`,
        `wrong_code`."""
        limits.charge(self._core.pool, limits.PER_ADDRESS, client.address)
        account_id, _ = self._link("password_reset", code)
        account = self._desk.account(account_id)
        if not account.may_sign_in:
            raise _bad_link()
        refuse_common(password, account.email, account.name, account.company)
        self._desk.prove_factor(account, factor, client, None)
        return self._set_password(account_id, password, "reset", None, client, self._uses_link("password_reset", code))

    def change_password(self, person: Principal, proof: Proof, password: str, client: Client) -> int | None:
        """Raises `Problem` 400 `weak_password`, 403 as `Desk.prove`."""
        account = self._desk.account(person.account_id)
        refuse_common(password, account.email, account.name, account.company)
        self._desk.prove(person, proof, client)
        return self._set_password(person.account_id, password, "change", person.session_id, client, None)

    def ask_for_email(self, person: Principal, proof: Proof, email: str, client: Client) -> None:
        """Mails a link to the new address and a notice to the old. Whether the new one is in use, only its owner
        learns."""
        account = self._desk.prove(person, proof, client)
        limits.charge(self._core.pool, limits.PER_CHANGER, str(account.id))
        address = self._desk.email_hash(email)
        limits.charge_all(self._core.pool, (limits.PER_MAIL, address), (limits.PER_MAIL_A_DAY, address))
        url, code = self._settings.app_url, secrets.token_urlsafe(32)
        owner = self._desk.by_email(email)
        letter = mails.confirm_email(email, account.id, url, code)
        if owner is not None and owner.id != account.id:
            letter = mails.address_in_use(owner.email, owner.id, url)
        payload = orjson.dumps({"email": email, "session": str(person.session_id)}).decode()
        with self._core.pool.connection() as connection, connection.cursor() as cursor:
            self._keep_link(cursor, "email_change", code, account.id, EMAIL_LIFE, payload)
            queue(cursor, self._settings, letter)
            queue(cursor, self._settings, mails.email_change_asked(account.email, account.id, url))

    def confirm_email(self, code: str, client: Client) -> int | None:
        """Moves the account to the address that the link was mailed to. Raises `Problem` 400 `bad_link`."""
        limits.charge(self._core.pool, limits.PER_ADDRESS, client.address)
        account_id, payload = self._link("email_change", code)
        wanted = orjson.loads(payload or "{}")
        email, keep = str(wanted["email"]), UUID(wanted["session"])

        def decide() -> Decision:
            account = self._desk.account(account_id)
            if not account.may_sign_in:
                raise _bad_link()
            old_id, new_id = self._desk.guard(account.email), self._desk.guard(email)
            events = model.change_email(
                account,
                old=self._core.store.load(old_id, model.evolve_email),
                old_id=old_id,
                new=self._core.store.load(new_id, model.evolve_email),
                new_id=new_id,
                email=email,
                asked=Asked(datetime.now(UTC), account_id),
            )

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                self._uses_link("email_change", code)(cursor)
                cursor.execute("UPDATE auth.session SET email = %s WHERE account_id = %s", (email, account_id))
                self._void(cursor, account_id, keep)
                queue(cursor, self._settings, mails.email_changed(account.email, account_id, self._settings.app_url))

            return events, also

        try:
            return self._desk.write(decide, account_id, client)
        except Refused as refused:
            raise _bad_link() if refused.code == "email_taken" else refused from None

    def begin_factor(self, person: Principal, proof: Proof | None, client: Client) -> SetUp:
        """A new secret, which counts after its first right code. A session of the last ten minutes needs no password,
        unless there is a factor already. Raises `Problem` 403."""
        account = self._desk.account(person.account_id)
        if proof is not None:
            self._desk.prove(person, proof, client)
        elif account.two_factor or not self._is_recent(person.session_id):
            message = "Please enter your password."
            raise Problem(403, "password_needed", message, errors=[FieldError("password", message)])
        with self._core.pool.connection() as connection:
            return self._desk.factors.begin(connection, account.id, account.email)

    def confirm_factor(self, person: Principal, code: str, client: Client) -> tuple[list[str], int | None]:
        """Puts the new secret into use; the ten recovery codes, shown this once. Raises `Problem` 403 `wrong_code`."""
        tries = self._desk.code_tries(person.account_id, client, person, is_guessable=True)
        limits.charge_all(self._core.pool, *tries)
        confirmed = self._desk.factors.confirms(person.account_id, code)
        if confirmed is None:
            self._desk.refuse("account.two_factor", client, person.account_id, {"reason": "code"})
            message = "That code is not right."
            raise Problem(403, "wrong_code", message, errors=[FieldError("code", message)])
        for limit, who in tries:
            limits.give_back(self._core.pool, limit, who)
        codes = self._desk.factors.new_recovery_codes()

        def rows(cursor: Cursor[Any]) -> None:
            if not enable(cursor, person.account_id, confirmed):
                raise conflict("nothing_to_confirm", "There is no second factor to set up.")
            keep_recovery_codes(cursor, person.account_id, codes)

        position = self._change_factor(
            person, lambda account, asked: model.enable_two_factor(account, len(codes), asked), rows, client, True
        )
        return list(codes), position

    def disable_factor(self, person: Principal, proof: Proof, client: Client) -> int | None:
        """Raises `Problem` 403 as `Desk.prove`, `Refused` when there is none."""
        self._desk.prove(person, proof, client)
        return self._change_factor(
            person, model.disable_two_factor, lambda cursor: disable(cursor, person.account_id), client, False
        )

    def new_recovery_codes(self, person: Principal, proof: Proof, client: Client) -> tuple[list[str], int | None]:
        """Ten new ones; the ones before are void. Raises `Problem` 403 as `Desk.prove`, `Refused` without a factor."""
        account = self._desk.prove(person, proof, client)
        if not account.two_factor:
            raise conflict("no_second_factor", "Two-factor authentication is not set up.")
        codes = self._desk.factors.new_recovery_codes()

        def decide() -> Decision:
            asked = Asked(datetime.now(UTC), person.account_id)
            events = model.make_recovery_codes(self._desk.account(person.account_id), len(codes), asked)

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                keep_recovery_codes(cursor, person.account_id, codes)
                self._void(cursor, person.account_id, person.session_id)

            return events, also

        return list(codes), self._desk.write(decide, person.account_id, client)

    def _change_factor(
        self,
        person: Principal,
        change: Callable[[model.Account, Asked], Sequence[DomainEvent]],
        rows: Callable[[Cursor[Any]], None],
        client: Client,
        enabled: bool,
    ) -> int | None:
        def decide() -> Decision:
            account = self._desk.account(person.account_id)
            events = change(account, Asked(datetime.now(UTC), person.account_id))
            letter = mails.two_factor_changed(account.email, account.id, self._settings.app_url, enabled=enabled)
            return events, self._with_mail(person, rows, letter)

        return self._desk.write(decide, person.account_id, client)

    def _with_mail(self, person: Principal, rows: Callable[[Cursor[Any]], None], letter: Mail) -> Any:
        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            rows(cursor)
            self._void(cursor, person.account_id, person.session_id)
            queue(cursor, self._settings, letter)

        return also

    def _set_password(
        self,
        account_id: UUID,
        password: str,
        way: str,
        keep: UUID | None,
        client: Client,
        first: Callable[[Cursor[Any]], None] | None,
    ) -> int | None:
        password_hash = self._desk.passwords.hash(password)

        def decide() -> Decision:
            account = self._desk.account(account_id)
            events = model.change_password(account, way, Asked(datetime.now(UTC), account_id))

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                if first is not None:
                    first(cursor)
                cursor.execute(
                    "INSERT INTO auth.credential (account_id, password_hash) VALUES (%s, %s) ON CONFLICT (account_id)"
                    " DO UPDATE SET password_hash = excluded.password_hash, updated_at = now()",
                    (account_id, password_hash),
                )
                self._void(cursor, account_id, keep)
                cursor.execute(_END_TOKENS, (account_id,))
                queue(cursor, self._settings, mails.password_changed(account.email, account_id, self._settings.app_url))

            return events, also

        return self._desk.write(decide, account_id, client)

    def _void(self, cursor: Cursor[Any], account_id: UUID, keep: UUID | None) -> None:
        """Ends whatever the old credentials opened."""
        end_all(cursor, account_id, keep)
        cursor.execute("DELETE FROM auth.one_time_link WHERE account_id = %s", (account_id,))

    def _keep_link(
        self, cursor: Cursor[Any], kind: str, code: str, account_id: UUID, life: timedelta, payload: str | None = None
    ) -> None:
        sealed = seal(self._link_key, payload, kind) if payload is not None else None
        cursor.execute(
            "INSERT INTO auth.one_time_link (token_hash, kind, account_id, email_sealed, expires_at)"
            " VALUES (%s, %s, %s, %s, now() + %s)",
            (_hash(code), kind, account_id, sealed, life),
        )

    def _link(self, kind: str, code: str) -> tuple[UUID, str | None]:
        with self._core.pool.connection() as connection:
            row = connection.execute(
                "SELECT account_id, email_sealed FROM auth.one_time_link"
                " WHERE token_hash = %s AND kind = %s AND expires_at > now()",
                (_hash(code), kind),
            ).fetchone()
        if row is None:
            raise _bad_link()
        return row[0], unseal(self._link_key, row[1], kind) if row[1] is not None else None

    def _uses_link(self, kind: str, code: str) -> Callable[[Cursor[Any]], None]:
        def use(cursor: Cursor[Any]) -> None:
            gone = cursor.execute(
                "DELETE FROM auth.one_time_link WHERE token_hash = %s AND kind = %s AND expires_at > now() RETURNING 1",
                (_hash(code), kind),
            ).fetchone()
            if gone is None:
                raise _bad_link()

        return use

    def _is_recent(self, session_id: UUID) -> bool:
        with self._core.pool.connection() as connection:
            row = connection.execute(
                "SELECT 1 FROM auth.session WHERE id = %s AND created_at > now() - %s", (session_id, RECENT)
            ).fetchone()
        return row is not None


_END_TOKENS: Final = "UPDATE auth.sql_token SET revoked_at = now() WHERE account_id = %s AND revoked_at IS NULL"


def _bad_link() -> Problem:
    return Problem(400, "bad_link", "This link is not valid any more. Please ask for a new one.")


def _hash(code: str) -> bytes:
    return sha256(code.encode("utf-8", "surrogateescape")).digest()
