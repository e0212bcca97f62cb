"""A mail server on loopback that speaks SMTP and keeps what it gets; it rejects on request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller

from tests.support.engines import free_port
from tests.support.stack import wait_for


@dataclass
class MailServer:
    """`received` in order. `refuses`: what is answered instead of a mail; `refuses_recipients`: addresses are."""

    url: str
    received: list[EmailMessage] = field(default_factory=list)
    refuses: str | None = None
    refuses_recipients: bool = False

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any) -> str:
        if self.refuses_recipients:
            return f"550 5.1.1 <{address}>: no such person"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.refuses is not None:
            return self.refuses
        self.received.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"

    def to(self, address: str, count: int = 1) -> EmailMessage:
        """The `count`-th mail to this address, once it has come."""

        def received() -> list[EmailMessage]:
            return [mail for mail in self.received if mail["To"] == address]

        wait_for(lambda: len(received()) >= count, f"mail {count} to {address}")
        return received()[count - 1]


def link_in(mail: EmailMessage) -> str:
    """The first address in the mail's text."""
    found = re.search(r"https?://\S+", mail.get_content())
    assert found is not None, mail.get_content()
    return found[0]


def code_in(text: str) -> str:
    """The code behind the mail's address, which the browser sends to nobody."""
    found = re.search(r"#code=(\S+)", text)
    assert found is not None, text
    return found[1]


@contextmanager
def mail_server(*, utf8: bool = True) -> Iterator[MailServer]:
    """Listens on a free loopback port until the end. `utf8`: whether it takes addresses beyond ASCII."""
    port = free_port()
    server = MailServer(f"smtp://127.0.0.1:{port}")
    controller = Controller(server, hostname="127.0.0.1", port=port, enable_SMTPUTF8=utf8, ready_timeout=60)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()
