"""The mail outbox: emails are queued in the transaction that causes them and sent by the scheduler.

`queue` is called within the caller's transaction: an email exists exactly if its cause does. `send_due` (a job of
`infra.services.scheduler.service`) passes emails to `SMTP_URL` with growing delays between attempts. A kill between
the server's response and its recording sends an email a second time, under the same Message-ID. Without `SMTP_URL`
emails stay in the outbox, which admins can read (`/api/admin/outbox`).

Address and text are encrypted at rest: they contain one-time links and personal data. The text of a sent email is
deleted.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import idna
import structlog
from psycopg import Connection, Cursor

from infra import PRODUCT_NAME
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from schemas.uuid7 import uuid7

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

TIMEOUT_S: Final = 10.0
BATCH_SIZE: Final = 50
RETRY_DELAYS_S: Final = (60, 300, 1_800, 7_200, 21_600, 43_200)
"""Before the second attempt, the third, ...; after the last one the mail has failed."""
_SERVER_FAILURES: Final = (
    smtplib.SMTPServerDisconnected,
    smtplib.SMTPConnectError,
    smtplib.SMTPHeloError,
    smtplib.SMTPAuthenticationError,
    smtplib.SMTPSenderRefused,
)


@dataclass(frozen=True, slots=True)
class Mail:
    """One email. `kind` is a short stable name for the outbox; `account_id`: the account whose erasure deletes it."""

    to: str
    subject: str
    text: str
    kind: str
    account_id: UUID | None = None
    unsubscribe_url: str | None = None
    """Of a mail to a list: a POST to it, by the reader's mail program, ends the subscription (RFC 8058)."""
    about: UUID | None = None
    """The subject of an email to a person without an account; the email is deleted with it (`unqueue`)."""
    about_step: int | None = None
    """Which event of that it belongs to."""


def queue(cursor: Cursor[Any] | Connection[Any], settings: Settings, mail: Mail) -> UUID:
    """Writes the mail down in the caller's transaction; its id. A line break in address or subject is refused."""
    if any(character in text for text in (mail.to, mail.subject) for character in "\r\n\0"):
        raise ValueError("an address and a subject have no line breaks")
    key, mail_id = derived_key(settings, "mail"), uuid7()
    cursor.execute(
        "INSERT INTO ops.mail (id, account_id, kind, recipient_sealed, subject, text_sealed, unsubscribe_sealed, about,"
        " about_step) VALUES (%(id)s, %(account_id)s, %(kind)s, %(to)s, %(subject)s, %(text)s, %(stop)s, %(about)s,"
        " %(about_step)s)",
        {
            **asdict(mail),
            "id": mail_id,
            "to": encrypt(key, mail.to, f"mail-to:{mail_id}"),
            "text": encrypt(key, mail.text, f"mail-text:{mail_id}"),
            "stop": encrypt(key, mail.unsubscribe_url, f"mail-unsubscribe:{mail_id}") if mail.unsubscribe_url else None,
        },
    )
    return mail_id


def unqueue(cursor: Cursor[Any], owner: UUID) -> None:
    """Deletes the emails about a deleted contact or to an erased account, in the caller's transaction. Does not wait
    for an email that is being sent: `infra.services.scheduler.jobs.retention` deletes it."""
    cursor.execute(
        "DELETE FROM ops.mail WHERE id IN"
        " (SELECT id FROM ops.mail WHERE about = %(owner)s OR account_id = %(owner)s FOR UPDATE SKIP LOCKED)",
        {"owner": owner},
    )


def decrypt_mail(
    settings: Settings, mail_id: UUID, recipient_sealed: str, text_sealed: str | None
) -> tuple[str, str | None]:
    """Address and text of a stored mail; no text once it was sent."""
    key = derived_key(settings, "mail")
    text = decrypt(key, text_sealed, f"mail-text:{mail_id}") if text_sealed is not None else None
    return decrypt(key, recipient_sealed, f"mail-to:{mail_id}"), text


def send_due(settings: Settings) -> int:
    """Sends what is due, at most 50; how many went out. Does nothing without `SMTP_URL`."""
    if settings.smtp_url is None:
        return 0
    sent = 0
    with connect(settings) as connection, _Server(settings.smtp_url) as server:
        for _ in range(BATCH_SIZE):
            with connection.transaction():
                row = connection.execute(_NEXT).fetchone()
                if row is None:
                    break
                mail_id, recipient_sealed, subject, text_sealed, unsubscribe_sealed, created_at, attempts = row
                to = ""
                try:
                    to, text = decrypt_mail(settings, mail_id, recipient_sealed, text_sealed)
                    message = EmailMessage()
                    message["From"] = formataddr((PRODUCT_NAME, sender(settings)))
                    message["To"], message["Subject"] = _deliverable(to), subject
                    message["Date"] = format_datetime(created_at)
                    message["Message-ID"] = f"<{mail_id}@{host(settings)}>"
                    message["Auto-Submitted"] = "auto-generated"
                    if settings.contact_email is not None:
                        message["Reply-To"] = settings.contact_email
                    if unsubscribe_sealed is not None:
                        stop = decrypt(derived_key(settings, "mail"), unsubscribe_sealed, f"mail-unsubscribe:{mail_id}")
                        message["List-Unsubscribe"] = f"<{stop}>"
                        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
                    message.set_content(text or "")
                    server.send(message)
                except Exception as error:  # noqa: BLE001 - one faulty email must not block all others
                    _note_failure(connection, mail_id, attempts, _recipient_state(error, to))
                    if _is_of_the_server(error):
                        break  # the others would fail as well
                else:
                    connection.execute(_SENT, (mail_id,))
                    sent += 1
    return sent


def _deliverable(to: str) -> str:
    """The address with its domain in ASCII: then any server accepts it, unless there are such letters before the
    `@`."""
    name, _, domain = to.rpartition("@")
    try:
        return f"{name}@{idna.encode(domain, uts46=True).decode()}"
    except idna.IDNAError:
        return to


def _is_of_the_server(error: Exception) -> bool:
    """Whether the server is unavailable or rejects the connection, rather than this one email."""
    if isinstance(error, smtplib.SMTPException):
        return isinstance(error, _SERVER_FAILURES)
    return isinstance(error, OSError)


def _recipient_state(error: Exception, to: str) -> str:
    """What went wrong, for logs and the outbox, without the address: servers like to repeat it."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        text = " ".join(_answer(code, said) for code, said in error.recipients.values())
    elif isinstance(error, smtplib.SMTPResponseException):
        text = _answer(error.smtp_code, error.smtp_error)
    else:
        text = str(error)
    for address in {to, _deliverable(to)} - {""}:
        text = re.sub(re.escape(address), "(the address)", text, flags=re.IGNORECASE)
    return f"{type(error).__name__}: {text}"[:500]


def _answer(code: int, said: bytes | str) -> str:
    return f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"


def sender(settings: Settings) -> str:
    """The sender address: `?from=` of `SMTP_URL`, else no-reply at the app's host."""
    for part in urlsplit(settings.smtp_url or "").query.split("&"):
        name, _, value = part.partition("=")
        if name == "from" and value:
            return unquote(value)
    return f"no-reply@{host(settings)}"


def host(settings: Settings) -> str:
    """The app's host name, for sender and Message-ID."""
    return urlsplit(settings.app_url).hostname or "localhost"


_NEXT: Final = (
    "SELECT id, recipient_sealed, subject, text_sealed, unsubscribe_sealed, created_at, attempts FROM ops.mail"
    " WHERE state = 'waiting' AND next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED"
)
_SENT: Final = (
    "UPDATE ops.mail SET state = 'sent', sent_at = now(), attempts = attempts + 1, text_sealed = NULL,"
    " unsubscribe_sealed = NULL, error = ''"
    " WHERE id = %s"
)


def _note_failure(connection: Connection[Any], mail_id: UUID, attempts: int, error: str) -> None:
    log.warning("mail_delivery_failed", mail_id=mail_id, attempts=attempts + 1, error=error)
    is_last = attempts >= len(RETRY_DELAYS_S)
    connection.execute(
        "UPDATE ops.mail SET attempts = attempts + 1, error = %s, state = %s,"
        " next_at = now() + make_interval(secs => %s) WHERE id = %s",
        (error, "failed" if is_last else "waiting", 0 if is_last else RETRY_DELAYS_S[attempts], mail_id),
    )


class _Server:
    """The server of `SMTP_URL`: `smtp://` (STARTTLS where it is offered) or `smtps://`; user and password in it."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self._smtp is not None:
            try:
                self._smtp.quit()
            except (smtplib.SMTPException, OSError) as error:
                log.debug("mail_server_disconnected", error=error)

    def send(self, message: EmailMessage) -> None:
        if self._smtp is None:
            self._smtp = self._connected()
        try:
            self._smtp.send_message(message)
        except smtplib.SMTPServerDisconnected:
            self._smtp = None
            raise

    def _connected(self) -> smtplib.SMTP:
        url, context = self._url, ssl.create_default_context()
        name = url.hostname or "localhost"
        smtp: smtplib.SMTP
        if url.scheme == "smtps":
            smtp = smtplib.SMTP_SSL(name, url.port or 465, timeout=TIMEOUT_S, context=context)
        else:
            smtp = smtplib.SMTP(name, url.port or 587, timeout=TIMEOUT_S)
            smtp.ehlo()
            if smtp.has_extn("starttls"):
                smtp.starttls(context=context)
                smtp.ehlo()
        if url.username:
            smtp.login(unquote(url.username), unquote(url.password or ""))
        return smtp
