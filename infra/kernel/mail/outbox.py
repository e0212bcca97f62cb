"""The mail outbox: emails are queued in the transaction that causes them and sent by a recurring job.

`queue` is called within the caller's transaction: an email exists exactly if its cause does. `send_due` (a job of
`infra.ops.scheduled_jobs`) passes emails to `SMTP_URL` with growing delays between attempts. A kill between
the server's response and its recording sends an email a second time, under the same Message-ID. Without `SMTP_URL`
emails stay in the outbox, which admins can read (`/api/admin/outbox`).

Address, text and attachments are encrypted at rest: they contain one-time links and personal data. The contents of a
sent email are deleted.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from threading import Event
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import idna
import orjson
import structlog
from psycopg import Connection, Cursor
from psycopg.rows import dict_row

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
MAX_BYTES: Final = 5_000_000
"""Texts and attachments of one email. Many servers reject more than 10 MB, and base64 adds a third."""
_SERVER_FAILURES: Final = (
    smtplib.SMTPServerDisconnected,
    smtplib.SMTPConnectError,
    smtplib.SMTPHeloError,
    smtplib.SMTPAuthenticationError,
    smtplib.SMTPSenderRefused,
)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of an email; with a `content_id` a picture that its HTML shows by `cid:`."""

    name: str
    media_type: str
    content: bytes
    content_id: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """One email. `kind` is a short stable name for the outbox; `account_id`: the account whose erasure deletes it."""

    to: str
    subject: str
    text: str
    kind: str
    account_id: UUID | None = None
    unsubscribe_url: str | None = None
    """The address of a mail to a list: a POST to it, by the reader's mail program, ends the subscription (RFC 8058)."""
    about: UUID | None = None
    """Whom or what it names besides its recipient: a contact, or with a `thread` an account. It is deleted with that
    (`unqueue`)."""
    about_step: int | None = None
    """Which event of that it belongs to."""
    html: str = ""
    """The same in HTML; empty: the text alone."""
    attachments: Sequence[Attachment] = ()
    id: UUID | None = None
    """The id of a mail that must not be queued twice: a second one of this id is an error."""
    title: str = ""
    """The subject that is sent, where it names people or their things: `subject` is shown in the outbox, in which names
    stay after they were erased elsewhere."""
    thread: UUID | None = None
    """What the email is about, of several: mail programs show them as one conversation (RFC 5322, 3.6.4)."""


def queue(cursor: Cursor[Any] | Connection[Any], settings: Settings, mail: Mail) -> UUID:
    """Writes the mail down in the caller's transaction; its id. Raises `ValueError` for a line break in address or
    subject, and for more than `MAX_BYTES`."""
    if any(character in text for text in (mail.to, mail.subject, mail.title) for character in "\r\n\0"):
        raise ValueError("an address and a subject have no line breaks")
    if _size_of(mail) > MAX_BYTES:
        raise ValueError(f"an email has at most {MAX_BYTES:,} bytes")
    key, mail_id = derived_key(settings, "mail"), mail.id or uuid7()
    cursor.execute(
        "INSERT INTO kernel.mail (id, account_id, kind, recipient_sealed, subject, text_sealed, parts_sealed,"
        " unsubscribe_sealed, about, about_step, title_sealed, thread) VALUES (%(id)s, %(account_id)s, %(kind)s,"
        " %(to)s, %(subject)s, %(text)s, %(parts)s, %(stop)s, %(about)s, %(about_step)s, %(title)s, %(thread)s)",
        {
            "id": mail_id,
            "account_id": mail.account_id,
            "kind": mail.kind,
            "subject": mail.subject,
            "about": mail.about,
            "about_step": mail.about_step,
            "title": encrypt(key, mail.title, f"mail-title:{mail_id}") if mail.title else None,
            "thread": mail.thread,
            "to": encrypt(key, mail.to, f"mail-to:{mail_id}"),
            "text": encrypt(key, mail.text, f"mail-text:{mail_id}"),
            "parts": encrypt(key, _parts_of(mail), f"mail-parts:{mail_id}") if mail.html or mail.attachments else None,
            "stop": encrypt(key, mail.unsubscribe_url, f"mail-unsubscribe:{mail_id}") if mail.unsubscribe_url else None,
        },
    )
    return mail_id


def _size_of(mail: Mail) -> int:
    texts = len(mail.text.encode()) + len(mail.html.encode())
    return texts + sum(len(attachment.content) for attachment in mail.attachments)


def _parts_of(mail: Mail) -> str:
    attachments = [
        {
            "name": attachment.name,
            "media_type": attachment.media_type,
            "content": b64encode(attachment.content).decode(),
            "content_id": attachment.content_id,
        }
        for attachment in mail.attachments
    ]
    return orjson.dumps({"html": mail.html, "attachments": attachments}).decode()


def unqueue(cursor: Cursor[Any], owner: UUID) -> None:
    """Deletes the emails about a deleted contact or to an erased account, in the caller's transaction. Does not wait
    for an email that is being sent: `infra.ops.jobs.retention` deletes it."""
    cursor.execute(
        "DELETE FROM kernel.mail WHERE id IN"
        " (SELECT id FROM kernel.mail WHERE about = %(owner)s OR account_id = %(owner)s FOR UPDATE SKIP LOCKED)",
        {"owner": owner},
    )


def decrypt_mail(
    settings: Settings, mail_id: UUID, recipient_sealed: str, text_sealed: str | None
) -> tuple[str, str | None]:
    """Address and text of a stored mail; no text once it was sent."""
    key = derived_key(settings, "mail")
    text = decrypt(key, text_sealed, f"mail-text:{mail_id}") if text_sealed is not None else None
    return decrypt(key, recipient_sealed, f"mail-to:{mail_id}"), text


def subject_of(settings: Settings, row: Mapping[str, Any]) -> str:
    """The subject of a stored mail as its recipient gets it; once it was sent, without names."""
    if row["title_sealed"] is None:
        return str(row["subject"])
    return decrypt(derived_key(settings, "mail"), row["title_sealed"], f"mail-title:{row['id']}")


def decrypt_parts(settings: Settings, mail_id: UUID, parts_sealed: str | None) -> tuple[str, list[Attachment]]:
    """HTML and attachments of a stored mail."""
    if parts_sealed is None:
        return "", []
    parts = orjson.loads(decrypt(derived_key(settings, "mail"), parts_sealed, f"mail-parts:{mail_id}"))
    return parts["html"], [Attachment(**{**one, "content": b64decode(one["content"])}) for one in parts["attachments"]]


def send_due(settings: Settings, stop: Event | None = None) -> int:
    """Sends what is due, at most 50, until `stop`; how many went out. Does nothing without `SMTP_URL`."""
    if settings.smtp_url is None:
        return 0
    sent = 0
    with (
        connect(settings) as connection,
        connection.cursor(row_factory=dict_row) as rows,
        _MailServer(settings.smtp_url) as server,
    ):
        for _ in range(BATCH_SIZE):
            with connection.transaction():
                row = rows.execute(_NEXT).fetchone()
                if row is None or (stop is not None and stop.is_set()):
                    break
                mail_id, attempts = row["id"], row["attempts"]
                to = ""
                try:
                    to, text = decrypt_mail(settings, mail_id, row["recipient_sealed"], row["text_sealed"])
                    message = _message(settings, row, to, text or "")
                    server.send(message)
                except Exception as error:  # noqa: BLE001 - one faulty email must not block all others
                    _note_failure(connection, mail_id, attempts, _recipient_state(error, to))
                    if _is_of_the_server(error):
                        break  # the others would fail as well
                else:
                    connection.execute(_SENT, (mail_id,))
                    sent += 1
    return sent


def _message(settings: Settings, row: Mapping[str, Any], to: str, text: str) -> EmailMessage:
    mail_id, message = row["id"], EmailMessage()
    message["From"] = formataddr((PRODUCT_NAME, sender(settings)))
    message["To"], message["Subject"] = _deliverable(to), subject_of(settings, row)
    message["Date"] = format_datetime(row["created_at"])
    message["Message-ID"] = f"<{mail_id}@{host(settings)}>"
    if row["thread"] is not None:
        # The first email of a thread refers to it as the others do: none of them is answered.
        message["References"] = message["In-Reply-To"] = f"<thread-{row['thread']}@{host(settings)}>"
    message["Auto-Submitted"] = "auto-generated"
    if settings.contact_email is not None:
        message["Reply-To"] = settings.contact_email
    if row["unsubscribe_sealed"] is not None:
        stop = decrypt(derived_key(settings, "mail"), row["unsubscribe_sealed"], f"mail-unsubscribe:{mail_id}")
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    _add_parts(message, *decrypt_parts(settings, mail_id, row["parts_sealed"]))
    return message


def _add_parts(message: EmailMessage, html: str, attachments: Sequence[Attachment]) -> None:
    """HTML with its pictures is an alternative of the text; files follow both."""
    if html:
        message.add_alternative(html, subtype="html")
        body = message.get_body(("html",))
        for picture in attachments:
            if body is not None and picture.content_id:
                body.add_related(
                    picture.content,
                    *picture.media_type.split("/", 1),
                    cid=f"<{picture.content_id}>",
                    filename=picture.name,
                    disposition="inline",
                )
    for file in attachments:
        if not file.content_id:
            charset = {"charset": "utf-8"} if file.media_type.startswith("text/") else {}
            message.add_attachment(file.content, *file.media_type.split("/", 1), filename=file.name, params=charset)


def _deliverable(to: str) -> str:
    """The address with its domain in ASCII: then any server accepts it, unless there are such letters before the
    `@`."""
    name, _, domain = to.rpartition("@")
    try:
        return f"{name}@{idna.encode(domain, uts46=True).decode()}"
    except idna.IDNAError:
        return to


def _is_of_the_server(error: Exception) -> bool:
    """Returns whether the server is unavailable or rejects the connection, rather than this one email."""
    if isinstance(error, smtplib.SMTPException):
        return isinstance(error, _SERVER_FAILURES)
    return isinstance(error, OSError)


def _recipient_state(error: Exception, to: str) -> str:
    """Describes what went wrong, for logs and the outbox, without the address: servers like to repeat it."""
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
    "SELECT id, recipient_sealed, subject, title_sealed, text_sealed, parts_sealed, unsubscribe_sealed, thread,"
    " created_at, attempts FROM kernel.mail"
    " WHERE state = 'waiting' AND next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED"
)
_SENT: Final = (
    "UPDATE kernel.mail SET state = 'sent', sent_at = now(), attempts = attempts + 1, text_sealed = NULL,"
    " parts_sealed = NULL, unsubscribe_sealed = NULL, title_sealed = NULL, error = ''"
    " WHERE id = %s"
)


def _note_failure(connection: Connection[Any], mail_id: UUID, attempts: int, error: str) -> None:
    log.warning("mail_delivery_failed", mail_id=mail_id, attempts=attempts + 1, error=error)
    is_last = attempts >= len(RETRY_DELAYS_S)
    connection.execute(
        "UPDATE kernel.mail SET attempts = attempts + 1, error = %s, state = %s,"
        " next_at = now() + make_interval(secs => %s) WHERE id = %s",
        (error, "failed" if is_last else "waiting", 0 if is_last else RETRY_DELAYS_S[attempts], mail_id),
    )


class _MailServer:
    """The server of `SMTP_URL`: `smtp://` (STARTTLS where it is offered) or `smtps://`; user and password in it."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> _MailServer:
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
