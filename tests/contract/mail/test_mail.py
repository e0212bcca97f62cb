"""Mails are there exactly if what they tell of is, and reach a real SMTP server; without one they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.mail import outbox
from infra.kernel.mail.outbox import Attachment, Mail
from tests.support.engines import free_port
from tests.support.mail_server import MailServer, link_in, mail_server

LETTER = Mail("ada@example.com", "Grüße", "Open https://app.example/reset?code=abc\n", "password_reset", uuid4())


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture
def settings(embedded_postgres: Settings, server: MailServer) -> Settings:
    with connected(embedded_postgres) as connection:
        connection.execute("DELETE FROM kernel.mail")
    return replace(embedded_postgres, smtp_url=server.url)


def connected(settings: Settings) -> psycopg.Connection[tuple[object, ...]]:
    assert settings.postgres_url is not None
    return psycopg.connect(settings.postgres_url)


def queued(settings: Settings, letter: Mail = LETTER) -> UUID:
    with connected(settings) as connection:
        return outbox.queue(connection, settings, letter)


def stored(settings: Settings, mail_id: UUID) -> tuple[object, ...]:
    with connected(settings) as connection:
        row = connection.execute(
            "SELECT state, attempts, text_sealed, next_at > now(), error FROM kernel.mail WHERE id = %s", (mail_id,)
        ).fetchone()
    assert row is not None
    return row


def test_a_mail_goes_out_once_and_its_text_is_deleted(settings: Settings, server: MailServer) -> None:
    mail_id = queued(settings)
    assert outbox.send_due(settings) == 1
    assert outbox.send_due(settings) == 0
    [received] = server.received
    assert (received["To"], received["Subject"]) == ("ada@example.com", "Grüße")
    assert received["Message-ID"] == f"<{mail_id}@127.0.0.1>"
    assert link_in(received) == "https://app.example/reset?code=abc"
    assert stored(settings, mail_id)[:3] == ("sent", 1, None)


def test_emails_about_one_thing_are_one_conversation_and_name_it_only_while_they_wait(
    settings: Settings, server: MailServer
) -> None:
    """The names are encrypted until they are sent, and gone then; the outbox keeps a subject without them."""
    deal, other, names = uuid4(), uuid4(), ("Nora accepted $20,500 for “\u2068متجر\u2069”", "Nora paid 👩‍🍳")
    letters = [replace(LETTER, subject="News about your deal", title=name, thread=deal) for name in names]
    ids = [queued(settings, letter) for letter in (*letters, replace(LETTER, thread=other))]
    with connected(settings) as connection:
        assert "Nora" not in str(connection.execute("SELECT m::text FROM kernel.mail AS m").fetchall())
    assert outbox.send_due(settings) == 3
    first, second, third = server.received
    assert (first["Subject"], second["Subject"]) == names
    assert first["References"] == second["References"] == second["In-Reply-To"] == f"<thread-{deal}@127.0.0.1>"
    assert third["References"] == f"<thread-{other}@127.0.0.1>"
    assert len({one["Message-ID"] for one in server.received}) == 3
    with connected(settings) as connection:
        left = connection.execute("SELECT subject, title_sealed FROM kernel.mail WHERE id = %s", (ids[0],)).fetchone()
    assert left == ("News about your deal", None)


def test_a_mail_of_a_transaction_that_did_not_happen_does_not_exist(settings: Settings, server: MailServer) -> None:
    def queue_and_fail() -> None:
        with connected(settings) as connection:
            outbox.queue(connection, settings, LETTER)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        queue_and_fail()
    assert outbox.send_due(settings) == 0 and not server.received


def test_nothing_readable_lies_in_the_table(settings: Settings) -> None:
    queued(settings)
    with connected(settings) as connection:
        [row] = connection.execute("SELECT m::text FROM kernel.mail AS m").fetchall()
    # Neither can come about by chance: ids and sealed text have no "@" and no "?".
    assert "ada@" not in str(row) and "?code" not in str(row)


def test_a_server_that_is_away_is_tried_again_later(settings: Settings) -> None:
    away = replace(settings, smtp_url=f"smtp://127.0.0.1:{free_port()}")
    first, second = queued(settings), queued(settings)
    assert outbox.send_due(away) == 0
    assert stored(settings, first)[:2] == ("waiting", 1) and stored(settings, first)[3] is True
    assert stored(settings, second)[1] == 0, "the others are not tried on a server that is away"


def test_a_refused_mail_fails_after_retries_and_does_not_block_others(settings: Settings, server: MailServer) -> None:
    server.refuses = "550 no such mailbox"
    mail_id = queued(settings)
    for _ in range(len(outbox.RETRY_DELAYS_S) + 1):
        with connected(settings) as connection:
            connection.execute("UPDATE kernel.mail SET next_at = now()")
        outbox.send_due(settings)
    state, attempts, _, _, error = stored(settings, mail_id)
    assert (state, attempts) == ("failed", len(outbox.RETRY_DELAYS_S) + 1) and "550" in str(error)
    server.refuses = None
    queued(settings)
    assert outbox.send_due(settings) == 1


def test_a_refused_address_is_not_told_to_logs_and_table(
    settings: Settings, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuses_recipients = True
    mail_id = queued(settings)
    assert outbox.send_due(settings) == 0
    error = str(stored(settings, mail_id)[4])
    assert "550" in error and "no such person" in error
    assert LETTER.to not in error and LETTER.to not in caplog.text


def test_a_mail_of_a_list_can_be_stopped_with_one_click(settings: Settings, server: MailServer) -> None:
    """RFC 8058; the address of it proves something, so it lies sealed, and is deleted when the mail went out."""
    stop = "https://app.example/api/public/newsletter/stop/abc.def"
    mail_id = queued(settings, replace(LETTER, unsubscribe_url=stop))
    with connected(settings) as connection:
        [row] = connection.execute("SELECT m::text FROM kernel.mail AS m").fetchall()
    assert "abc.def" not in str(row)
    assert outbox.send_due(replace(settings, contact_email="hello@app.example")) == 1
    [received] = server.received
    assert received["List-Unsubscribe"] == f"<{stop}>"
    assert received["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert received["Reply-To"] == "hello@app.example"
    with connected(settings) as connection:
        left = connection.execute("SELECT unsubscribe_sealed FROM kernel.mail WHERE id = %s", (mail_id,)).fetchone()
    assert left == (None,)
    queued(settings)
    outbox.send_due(settings)
    other = server.received[-1]
    assert (other["List-Unsubscribe"], other["List-Unsubscribe-Post"], other["Reply-To"]) == (None, None, None)


@pytest.mark.parametrize("odd", ["an address for SMTPUTF8", "a row that cannot be opened"])
def test_a_mail_that_cannot_be_sent_does_not_block_others(settings: Settings, odd: str) -> None:
    to = "jürgen@example.com" if odd.startswith("an address") else LETTER.to
    first = queued(settings, replace(LETTER, to=to))
    if odd.startswith("a row"):
        with connected(settings) as connection:
            connection.execute("UPDATE kernel.mail SET recipient_sealed = 'nonsense'")
    fine = queued(settings)
    with mail_server(utf8=False) as plain:
        assert outbox.send_due(replace(settings, smtp_url=plain.url)) == 1
    assert stored(settings, first)[:2] == ("waiting", 1) and stored(settings, fine)[0] == "sent"


def test_a_domain_beyond_ascii_is_reached_through_any_server(settings: Settings) -> None:
    queued(settings, replace(LETTER, to="ada@bücher.example"))
    with mail_server(utf8=False) as plain:
        assert outbox.send_due(replace(settings, smtp_url=plain.url)) == 1
        assert [received["To"] for received in plain.received] == ["ada@xn--bcher-kva.example"]


def test_without_a_server_mails_are_kept_readable(embedded_postgres: Settings, settings: Settings) -> None:
    mail_id = queued(settings)
    assert outbox.send_due(embedded_postgres) == 0
    with connected(settings) as connection:
        row = connection.execute("SELECT recipient_sealed, text_sealed FROM kernel.mail").fetchone()
    assert row is not None
    assert outbox.decrypt_mail(settings, mail_id, str(row[0]), str(row[1])) == (LETTER.to, LETTER.text)


@pytest.mark.parametrize("bad", [{"to": "a@b.c\nBcc: x@y.z"}, {"subject": "Hi\r\nBcc: x@y.z"}])
def test_headers_cannot_be_smuggled_in(settings: Settings, bad: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="line breaks"):
        queued(settings, replace(LETTER, **bad))  # type: ignore[arg-type]  # only texts are replaced


def test_the_sender_is_named_by_the_server_address_or_the_app(settings: Settings) -> None:
    assert outbox.sender(settings) == "no-reply@127.0.0.1"
    assert outbox.sender(replace(settings, public_url="https://app.example")) == "no-reply@app.example"
    assert outbox.sender(replace(settings, smtp_url="smtp://h?from=post%40app.example")) == "post@app.example"


PICTURE = Attachment("clicks.png", "image/png", b"\x89PNG\r\n\x1a\nclicks", "clicks@shop")
FILE = Attachment("clicks.csv", "text/csv", "date,clicks\r\nGrüße,1\r\n".encode())


def test_a_mail_has_html_with_pictures_and_files_beside_its_text(settings: Settings, server: MailServer) -> None:
    html = '<p>Clicks: <img src="cid:clicks@shop" alt="12 clicks"></p>'
    mail_id = queued(settings, replace(LETTER, html=html, attachments=[PICTURE, FILE]))
    assert outbox.send_due(settings) == 1
    [received] = server.received
    plain, shown = received.get_body(("plain",)), received.get_body(("html",))
    assert plain is not None and plain.get_content().splitlines() == LETTER.text.splitlines()
    assert shown is not None and shown.get_content().strip() == html
    [picture] = [part for part in received.walk() if part.get_content_type() == "image/png"]
    assert (picture["Content-ID"], picture.get_content_disposition()) == ("<clicks@shop>", "inline")
    assert picture.get_content() == PICTURE.content
    [file] = [part for part in received.walk() if part.get_content_type() == "text/csv"]
    assert (file.get_filename(), file.get_payload(decode=True)) == ("clicks.csv", FILE.content)
    with connected(settings) as connection:
        left = connection.execute("SELECT parts_sealed FROM kernel.mail WHERE id = %s", (mail_id,)).fetchone()
    assert left == (None,)


def test_a_mail_that_servers_would_refuse_for_its_size_is_not_queued(settings: Settings) -> None:
    with pytest.raises(ValueError, match="at most"):
        queued(settings, replace(LETTER, attachments=[replace(FILE, content=b"x" * outbox.MAX_BYTES)]))


def test_a_mail_of_one_id_is_queued_once(settings: Settings) -> None:
    letter = replace(LETTER, id=uuid4())
    assert queued(settings, letter) == letter.id
    with pytest.raises(psycopg.errors.UniqueViolation):
        queued(settings, letter)
