"""A name server on loopback that speaks DNS over UDP and TCP and answers what a test sets.

`DnsServer.set("_affiliate-challenge.go.example.com", "TXT", token)`; several servers make resolvers that disagree.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

Question = tuple[str, str]


@dataclass
class DnsServer:
    """`failing`: an rcode for every question, or `silent`. `asked`: the questions so far, in order.

    `before_answer` is called with each question, so that a test can make something happen in that moment.
    """

    port: int
    host: str = "127.0.0.1"
    records: dict[Question, list[str]] = field(default_factory=dict)
    failing: str | None = None
    is_authority: bool = True
    asked: list[Question] = field(default_factory=list)
    before_answer: Callable[[Question], None] = lambda _: None

    @property
    def address(self) -> tuple[str, int]:
        return self.host, self.port

    def set(self, name: str, kind: str, *values: str) -> None:
        """The records of a name; none: there is no such name any more."""
        key = (name.lower().rstrip("."), kind)
        self.records.pop(key, None)
        if values:
            self.records[key] = list(values)

    def answer(self, wire: bytes) -> bytes | None:
        query = dns.message.from_wire(wire)
        [asked] = query.question
        name, kind = asked.name.to_text().lower().rstrip("."), dns.rdatatype.to_text(asked.rdtype)
        self.asked.append((name, kind))
        self.before_answer((name, kind))
        if self.failing == "silent":
            return None
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA | (dns.flags.AA if self.is_authority else 0)
        if self.failing is not None:
            reply.set_rcode(dns.rcode.from_text(self.failing))
            return reply.to_wire(max_size=65535)
        self._fill(reply, name, kind)
        return reply.to_wire(max_size=65535)

    def _fill(self, reply: dns.message.Message, name: str, kind: str) -> None:
        for _ in range(20):
            values = self.records.get((name, kind))
            if values is not None:
                reply.answer.append(_records(name, kind, values))
                return
            alias = self.records.get((name, "CNAME"))
            if alias is None:
                break
            reply.answer.append(_records(name, "CNAME", alias))
            name = alias[0].lower().rstrip(".")
        if not any(known == name for known, _ in self.records):
            reply.set_rcode(dns.rcode.NXDOMAIN)
        for zone in _above(name):
            if (values := self.records.get((zone, "SOA"))) is not None:
                reply.authority.append(_records(zone, "SOA", values))
                return


def _above(name: str) -> Iterator[str]:
    labels = name.split(".")
    return (".".join(labels[first:]) for first in range(len(labels)))


def _records(name: str, kind: str, values: list[str]) -> dns.rrset.RRset:
    texts = [f'"{value}"' if kind == "TXT" and not value.startswith('"') else value for value in values]
    if kind == "CNAME":
        texts = [f"{text.rstrip('.')}." for text in texts]
    return dns.rrset.from_text(f"{name}.", 1, "IN", kind, *texts)


@contextmanager
def dns_server(host: str = "127.0.0.1", port: int = 0) -> Iterator[DnsServer]:
    """Listens on a loopback address, on a free port if none is named, until the end."""
    udp, tcp = _sockets(host, port)
    server = DnsServer(udp.getsockname()[1], host)
    stopping = threading.Event()

    def datagrams() -> None:
        while not stopping.is_set():
            with suppress(TimeoutError):
                wire, peer = udp.recvfrom(4096)
                threading.Thread(target=_send, args=(server, udp, wire, peer), daemon=True).start()

    def streams() -> None:
        while not stopping.is_set():
            with suppress(TimeoutError, OSError):
                link, _ = tcp.accept()
                threading.Thread(target=_stream, args=(server, link), daemon=True).start()

    threads = [threading.Thread(target=work, daemon=True) for work in (datagrams, streams)]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        stopping.set()
        for thread in threads:
            thread.join(2)
        udp.close()
        tcp.close()


def _sockets(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Both kinds on the same port."""
    for _ in range(50):
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind((host, port))
        tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            tcp.bind(udp.getsockname())
        except OSError:
            udp.close()
            tcp.close()
            continue
        tcp.listen(16)
        udp.settimeout(0.2)
        tcp.settimeout(0.2)
        return udp, tcp
    raise AssertionError("no free port for DNS")


def _send(server: DnsServer, udp: socket.socket, wire: bytes, peer: tuple[str, int]) -> None:
    answer = server.answer(wire)
    if answer is None:
        return
    if len(answer) > 1232:
        short = dns.message.make_response(dns.message.from_wire(wire))
        short.flags |= dns.flags.TC
        answer = short.to_wire()
    with suppress(OSError):
        udp.sendto(answer, peer)


def _stream(server: DnsServer, link: socket.socket) -> None:
    with link, suppress(OSError):
        link.settimeout(5)
        (length,) = struct.unpack("!H", link.recv(2, socket.MSG_WAITALL))
        answer = server.answer(link.recv(length, socket.MSG_WAITALL))
        if answer is not None:
            link.sendall(struct.pack("!H", len(answer)) + answer)
